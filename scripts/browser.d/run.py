"""What a person does with the pages, done by a browser without a window and a wallet in another process."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import issuer
from chromium import BrowserError, Chromium
from kit import PROGRAM, Failure, Server, expect, run


class Stage:
    def __init__(self, folder, out):
        self.out, self.others = out, []
        self.wallet, self.verifier_home = os.path.join(folder, "wallet"), os.path.join(folder, "verifier")
        run(self.wallet, "issuer", "mint", "--type", "mdl", "--specimen", "mira", "--to-holder", "--test-home")
        run(self.wallet, "issuer", "mint", "--type", "pid", "--format", "dc+sd-jwt", "--specimen", "mira", "--to-holder")
        run(self.verifier_home, "trust", "add", os.path.join(self.wallet, "trust/made/iaca.pem"), "--test-home")
        self.serve()
        run(self.wallet, "trust", "add", os.path.join(self.verifier_home, "trust/made/reader-ca.pem"), "--role", "readers")

    def serve(self, *words):
        self.verifier = Server("verifier", self.verifier_home, *words)

    def stop(self):
        for server in [self.verifier, *self.others]:
            server.stop()

    def shot(self, browser, name):
        path = os.path.join(self.out, f"{name}.png")
        browser.screenshot(path)
        return path

    def answer(self, link, code=0):
        return json.loads(run(self.wallet, "holder", "answer", link, "--consent", "auto", "--allow-private", "--json", code=code)
                          .strip().splitlines()[-1])


def submit(browser, template, **fields):
    """Fills the form and sends it."""
    values = {"template": template, **fields}
    for name, value in values.items():
        if value is True:
            browser.evaluate(f"document.querySelector('[name={name}]').checked = true")
        else:
            browser.evaluate(f"document.querySelector('[name={name}]').value = {json.dumps(value)}")
    browser.evaluate("document.querySelector('main form').requestSubmit()")
    browser.wait("location.pathname.includes('/transactions/') && document.readyState === 'complete'", "the transaction's page")


def read_code(stage, browser, name):
    """The link as a wallet's camera would read it: from the picture of the page."""
    text = run(stage.wallet, "qr", "decode", stage.shot(browser, name)).strip()
    expect("client_id=" in text, f"the code on the page says {text!r}")
    return text


def by_code_with_both_formats(stage, browser):
    browser.go(stage.verifier.url + "/")
    stage.shot(browser, "form")
    browser.colours("dark")
    stage.shot(browser, "form-dark")
    browser.colours("light")
    roles = browser.roles()
    for wanted in [("heading", "Ask a wallet"), ("button", "Make the request"), ("link", "Skip to the content")]:
        expect(wanted in roles, f"a screen reader does not find {wanted} on the form")
    unnamed = [role for role, name in roles if role in ("button", "link", "combobox", "textbox", "checkbox") and not name.strip()]
    expect(not unnamed, f"without a name for screen readers: {unnamed}")
    submit(browser, "pid-and-mdl")
    link = read_code(stage, browser, "waiting")
    expect(any(role == "image" and name for role, name in browser.roles()), "the code has no name for screen readers")
    answer = stage.answer(link)
    browser.wait("document.getElementById('verdict').innerText.includes('Passed')", "the verdict Passed")
    browser.wait("document.getElementById('status').textContent.includes('passed')", "the sentence for screen readers")
    expect(browser.evaluate("[...document.images].some((image) => image.alt.startsWith('Portrait') && image.naturalWidth > 10)"), "there is no portrait")
    text = browser.text()
    for wanted in ("Lindqvist", "org.iso.18013.5.1.mDL", "urn:eudi:pid:1", "Every check", "Messages"):
        expect(wanted in text, f"the page does not say {wanted}")
    stage.shot(browser, "passed")
    browser.colours("dark")
    stage.shot(browser, "passed-dark")
    browser.colours("light")
    return answer


def without_scripts(stage, browser):
    browser.scripts(False)
    try:
        browser.go(stage.verifier.url + "/")
        submit(browser, "mdl", response_mode="direct_post")
        stage.answer(read_code(stage, browser, "no-script"))
        browser.wait("document.getElementById('verdict')?.innerText.includes('Passed')", "the verdict, by reloading")
    finally:
        browser.scripts(True)


def by_keyboard(stage, browser):
    browser.go(stage.verifier.url + "/")
    for _ in range(60):
        browser.press("Tab")
        if browser.evaluate("document.activeElement?.matches('button[type=submit]')"):
            break
    expect(browser.evaluate("document.activeElement?.matches('button[type=submit]')"), "the button is out of the keyboard's reach")
    browser.press("Enter", text="\r")
    browser.wait("location.pathname.includes('/transactions/')", "the transaction's page")


def on_the_same_device(stage, browser):
    browser.go(stage.verifier.url + "/")
    submit(browser, "pid", same_device=True)
    answer = stage.answer(browser.evaluate("document.querySelector('a.button').href"))
    place = answer.get("redirect_uri") or answer.get("redirectURI")
    expect(place and "response_code=" in place, f"the wallet was not sent back: {json.dumps(answer)[:600]}")
    with Chromium() as other:
        other.go(place)
        expect("not for this browser" in other.text(), "another browser was shown the result")
    browser.go(place)
    browser.wait("document.body.innerText.includes('The browser came back')", "the return")
    expect("/transactions/" in browser.evaluate("location.pathname"), "the browser was not led to the result")


# Stands in for the browser's own interface, which would ask wallets by its own means: the request is there to read, the answer is given.
PLATFORM = """
window.DigitalCredential = class {};
Object.defineProperty(navigator.credentials, "get", { value: (options) => new Promise((resolve) => {
  window.asked = JSON.stringify(options);
  window.give = (text) => resolve(JSON.parse(text));
}) });
"""
FORMS = [("Ask, signed", "openid4vp-v1-signed"), ("Ask, signed twice", "openid4vp-v1-multisigned"),
         ("Ask by ISO/IEC TS 18013-7 Annex C", "org-iso-mdoc")]


def through_the_browser(stage, browser):
    """The Digital Credentials API in every form; the wallet is a process of its own, told the page's origin as a platform does."""
    remove = browser.before_pages(PLATFORM)
    try:
        for title, protocol in FORMS:
            browser.go(stage.verifier.url + "/")
            submit(browser, "mdl", response_mode="dc_api.jwt")
            if protocol == "org-iso-mdoc":
                stage.shot(browser, "digital")
            expect(browser.evaluate("document.querySelector('[data-digital-missing]').hidden"), "the page says that the interface is missing")
            titles = browser.evaluate("[...document.querySelectorAll('button[data-digital]')].map((button) => button.textContent)")
            expect(title in titles, f"there is no button {title!r} among {titles}")
            browser.evaluate(f"document.querySelectorAll('button[data-digital]')[{titles.index(title)}].click()")
            asked = json.loads(browser.wait("window.asked", "the call of navigator.credentials.get"))
            names = [request["protocol"] for request in asked["digital"]["requests"]]
            expect(names == [protocol], f"{title!r} asks under {names}")
            path = os.path.join(stage.out, "digital.json")
            with open(path, "w") as file:
                json.dump(asked, file)
            origin = browser.evaluate("location.origin")
            answer = json.loads(run(stage.wallet, "holder", "answer", path, "--origin", origin, "--consent", "auto", "--json").strip().splitlines()[-1])
            given = json.dumps({"protocol": protocol, "data": answer["data"]})
            browser.evaluate(f"window.give({json.dumps(given)})")
            browser.wait("document.getElementById('verdict')?.innerText.includes('Passed')", f"the verdict after {title!r}")
    finally:
        remove()
        if os.path.exists(os.path.join(stage.out, "digital.json")):
            os.remove(os.path.join(stage.out, "digital.json"))


def a_browser_without_the_interface_is_told(stage, browser):
    remove = browser.before_pages("delete window.DigitalCredential;")
    try:
        browser.go(stage.verifier.url + "/")
        submit(browser, "mdl", response_mode="dc_api.jwt")
        expect(browser.evaluate("[...document.querySelectorAll('button[data-digital]')].every((button) => button.disabled)"),
               "a button offers what the browser cannot do")
        expect("This browser has no Digital Credentials API" in browser.text(), "the page does not say what is missing")
        stage.shot(browser, "digital-missing")
        browser.colours("dark")
        stage.shot(browser, "digital-missing-dark")
        browser.colours("light")
    finally:
        remove()


def refused(stage, browser):
    browser.go(stage.verifier.url + "/")
    submit(browser, "mdl")
    link = browser.evaluate("document.querySelector('a.button').href")
    subprocess.run([PROGRAM, "holder", "answer", link, "--consent", "deny", "--allow-private", "--home", stage.wallet], capture_output=True, timeout=600)
    browser.wait("document.body.innerText.includes('The wallet said no')", "the refusal")
    stage.shot(browser, "refused")


def a_restart_loses_nothing(stage, browser):
    browser.go(stage.verifier.url + "/")
    submit(browser, "mdl")
    link, page = browser.evaluate("document.querySelector('a.button').href"), browser.evaluate("location.href")
    port = stage.verifier.ready["port"]
    stage.verifier.stop()
    stage.serve("--port", str(port))
    stage.answer(link)
    browser.go(page)
    browser.wait("document.getElementById('verdict')?.innerText.includes('Passed')", "the verdict after a restart")


def a_bad_query_is_explained(stage, browser):
    browser.go(stage.verifier.url + "/")
    browser.evaluate("document.querySelector('[name=dcql]').value = '{\"credentials\": [{\"id\": \"a b\"}]}'")
    browser.evaluate("document.querySelector('main form').requestSubmit()")
    browser.wait("!!document.querySelector('[role=alert]')", "the explanation")
    expect("id" in browser.evaluate("document.querySelector('[role=alert]').innerText"), "the explanation names no place")
    stage.shot(browser, "bad-query")


def nothing_from_elsewhere(stage, browser):
    own = stage.verifier.url
    strangers = [line for line in browser.log if line.startswith("request: ") and not line.startswith((f"request: {own}", "request: data:"))]
    expect(not strangers, f"the page fetched from elsewhere: {strangers}")
    problems = [line for line in browser.log if not line.startswith("request: ") and " 400 " not in line and "403" not in line]
    expect(not problems, f"the browser complained: {problems}")


STEPS = [
    by_code_with_both_formats, without_scripts, by_keyboard, on_the_same_device, through_the_browser,
    a_browser_without_the_interface_is_told, refused, a_bad_query_is_explained,
    nothing_from_elsewhere, a_restart_loses_nothing,
]


def play(steps, stage, browser):
    """Does the steps one after the other; how many failed."""
    failed = 0
    for step in steps:
        name = step.__name__.replace("_", " ")
        try:
            step(stage, browser)
            print(f"pass  {name}", flush=True)
        except (Failure, BrowserError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL  {name}: {error}", flush=True)
            stage.shot(browser, "failed-" + step.__name__)
    return failed


def main():
    parser = argparse.ArgumentParser(prog="scripts/browser")
    parser.add_argument("--out", default=".build/browser")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="walletbench-pages-")
    stage, failed = None, 0
    try:
        stage = Stage(folder, options.out)
        with Chromium() as browser:
            failed += play(STEPS, stage, browser)
        # A browser of its own, so that what it noted is of the issuer's page alone.
        with Chromium() as browser:
            failed += play(issuer.STEPS, issuer.Stage(stage, os.path.join(folder, "issuer")), browser)
    except (Failure, BrowserError) as error:
        failed += 1
        print(f"FAIL  set-up: {error}")
    finally:
        if stage:
            stage.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"browser: {len(STEPS) + len(issuer.STEPS) - failed} passed, {failed} failed; screenshots in {options.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
