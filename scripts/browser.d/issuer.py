"""What a person does with the issuer's page: offers, a wallet that takes them from the picture, and what becomes of the documents."""

import json
import os
import subprocess

from kit import PROGRAM, Server, expect, run


class Stage:
    """An issuer, and a wallet that trusts it; the verifier and the reader are those of the verifier's pages."""

    def __init__(self, other, folder):
        self.other, self.shot = other, other.shot
        self.home, self.wallet, self.reader = (os.path.join(folder, name) for name in ("issuer", "wallet", "reader"))
        run(self.home, "trust", "make", "ds", "--test-home")
        root = os.path.join(self.home, "trust/made/iaca.pem")
        run(self.wallet, "trust", "add", root, "--test-home")
        run(self.reader, "trust", "add", root, "--test-home")
        other.verifier.stop()
        run(other.verifier_home, "trust", "add", root)
        other.serve()
        run(self.wallet, "trust", "add", os.path.join(other.verifier_home, "trust/made/reader-ca.pem"), "--role", "readers")
        run(self.reader, "trust", "make", "reader")
        run(self.wallet, "trust", "add", os.path.join(self.reader, "trust/made/reader-ca.pem"), "--role", "readers")
        self.issuer = Server("issuer", self.home)
        other.others.append(self.issuer)

    def accept(self, offer, *words, code=0):
        lines = run(self.wallet, "holder", "accept", offer, "--consent", "auto", "--allow-private", "--json", *words, code=code)
        return json.loads(lines.strip().splitlines()[-1])


def make_offer(stage, browser, *types, grant="pre-authorized", code=""):
    browser.go(stage.issuer.url + "/")
    for box in browser.evaluate("[...document.querySelectorAll('[name=types]')].map((box) => box.value)"):
        browser.evaluate(f"document.querySelector('[name=types][value={json.dumps(box)}]').checked = {json.dumps(box in types)}")
    browser.evaluate(f"document.querySelector('[name=grant][value={grant}]').checked = true")
    browser.evaluate(f"document.querySelector('[name=txCode]').value = {json.dumps(code)}")
    browser.evaluate("document.querySelector('form[action$=\"/control/offers\"]').requestSubmit()")
    browser.wait("location.pathname.includes('/issuances/') && document.readyState === 'complete'", "the offer's page")


def wait_until_done(browser):
    browser.wait("document.getElementById('status').textContent.includes('every document')", "the end of the issuance")


def an_offer_of_the_page_becomes_a_document(stage, browser):
    browser.go(stage.issuer.url + "/")
    stage.shot(browser, "issuer")
    roles = browser.roles()
    for wanted in [("heading", "Test issuer"), ("button", "Make the offer"), ("button", "Apply")]:
        expect(wanted in roles, f"a screen reader does not find {wanted} on the issuer's page")
    unnamed = [role for role, name in roles if role in ("button", "link", "combobox", "textbox", "checkbox", "radio") and not name.strip()]
    expect(not unnamed, f"without a name for screen readers: {unnamed}")
    make_offer(stage, browser, "mdl", "pid-sd-jwt", code="4711")
    picture = stage.shot(browser, "issuer-offer")
    expect("Transaction code: 4711" in browser.text(), "the page does not say the transaction code")
    answer = stage.accept(picture, "--tx-code", "4711", "--copies", "3")
    wait_until_done(browser)
    text = browser.text()
    for wanted in ("token", "issued 3 × mdl", "issued 3 × pid-sd-jwt", "credential_accepted", "Messages"):
        expect(wanted in text, f"the page does not say {wanted}")
    stage.documents = {document["type"]: document["id"] for document in answer["documents"]}
    stage.shot(browser, "issuer-done")


def messages_are_explained(stage, browser):
    browser.evaluate("document.querySelectorAll('.messages details').forEach((details) => { details.open = true; })")
    text = browser.text()
    for wanted in ("OpenID4VCI 1.0 6", "pre-authorized_code", "dpop+jwt", "openid4vci-proof+jwt", "org.iso.18013.5.1", "decrypted", "POST /token"):
        expect(wanted in text, f"the explained messages do not say {wanted}")
    # For the picture the token request alone: all of it would be as long as a book.
    browser.evaluate("document.querySelectorAll('.messages > details').forEach((details) => { details.open = details.innerText.startsWith('token'); })")
    browser.colours("dark")
    stage.shot(browser, "issuer-messages-dark")
    browser.colours("light")


def the_wallet_shows_what_it_got(stage, browser):
    for kind in ("org.iso.18013.5.1.mDL", "urn:eudi:pid:1"):
        shown = json.loads(run(stage.wallet, "holder", "show", stage.documents[kind], "--json"))
        expect(kind in json.dumps(shown), f"holder show does not say {kind}")
        expect(len(shown["copyDetails"]) == 3, f"{kind} came in {len(shown['copyDetails'])} copies")


def it_is_presented_by_proximity(stage, browser):
    link = os.path.join(stage.wallet, "link")
    holder = subprocess.Popen(
        [PROGRAM, "holder", "present", "--link", f"unix:{link}", "--consent", "auto", "--json", "--timeout", "120", "--home", stage.wallet],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    engagement = first_of(holder, "engagement")
    expect(engagement, "the holder shows no engagement")
    report = run(stage.reader, "reader", "read", "--engagement", engagement, "--request", "mdl", "--json").strip().splitlines()[-1]
    holder.stdout.read()
    expect(holder.wait(120) == 0, "the holder did not end well")
    expect(json.loads(report)["verdict"] == "pass", f"the reader says {report[:500]}")


def it_is_presented_over_OpenID4VP(stage, browser):
    browser.go(stage.other.verifier.url + "/")
    browser.evaluate("document.querySelector('[name=template]').value = 'pid-and-mdl'")
    browser.evaluate("document.querySelector('main form').requestSubmit()")
    browser.wait("location.pathname.includes('/transactions/') && document.readyState === 'complete'", "the transaction's page")
    link = browser.evaluate("document.querySelector('a.button').href")
    run(stage.wallet, "holder", "answer", link, "--consent", "auto", "--allow-private", "--json")
    browser.wait("document.getElementById('verdict').innerText.includes('Passed')", "the verdict Passed")


def set_switches(stage, browser, values):
    """Switches options on the issuer's page, and waits until the page that comes shows each of them."""
    browser.go(stage.issuer.url + "/")
    for name, value in values.items():
        browser.evaluate(f"document.getElementById('switch-{name}').value = '{value}'")
    browser.evaluate("document.querySelector('form[action$=\"/control/switches\"]').requestSubmit()")
    for name, value in values.items():
        browser.wait(
            f"document.readyState === 'complete' && document.getElementById('switch-{name}')?.value === '{value}'",
            f"the option {name} as {value}")


def first_of(process, member):
    """The first value of a member among the lines of JSON that a process prints."""
    for line in process.stdout:
        value = json.loads(line).get(member)
        if value:
            return value
    return None


def options_are_switched(stage, browser):
    set_switches(stage, browser, {"response-encryption": "required", "defer": "1"})
    make_offer(stage, browser, "pid-mdoc", grant="authorization-code")
    answer = stage.accept(stage.shot(browser, "issuer-deferred"), "--authorize", "direct", "--wait")
    expect(answer["documents"][0]["state"] == "issued", f"deferred and waited for: {json.dumps(answer)[:500]}")
    wait_until_done(browser)
    for wanted in ("deferred: pid-mdoc", "issued 1 × pid-mdoc", "par", "authorize"):
        expect(wanted in browser.text(), f"the page does not say {wanted}")
    set_switches(stage, browser, {"defer": "0"})


def a_person_decides_at_the_authorization_page(stage, browser):
    set_switches(stage, browser, {"ask": "on"})
    make_offer(stage, browser, "mdl", grant="authorization-code")
    offer = browser.evaluate("document.getElementById('offer').textContent")
    wallet = subprocess.Popen(
        [PROGRAM, "holder", "accept", offer, "--consent", "auto", "--allow-private", "--json", "--home", stage.wallet],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = first_of(wallet, "open")
    expect(address, "the wallet names no page to open")
    browser.go(address)
    expect("Issue to this wallet?" in browser.text(), f"the page to decide on says {browser.text()[:300]}")
    stage.shot(browser, "issuer-consent")
    browser.evaluate("document.querySelector('button[value=approve]').click()")
    wallet.stdout.read()
    expect(wallet.wait(120) == 0, "the wallet got nothing after the approval")


def the_wallets_mistake_is_named(stage, browser):
    make_offer(stage, browser, "mdl")
    stage.accept(browser.evaluate("document.getElementById('offer').textContent"), "--fault", "proof-aud", code=1)
    browser.wait("document.body.innerText.includes('II25.aud')", "the check that the wallet broke")
    stage.shot(browser, "issuer-mistake")


def without_scripts(stage, browser):
    browser.scripts(False)
    try:
        make_offer(stage, browser, "mdl", code="0815")
        stage.accept(stage.shot(browser, "issuer-no-script"), "--tx-code", "0815")
        browser.wait("document.body.innerText.includes('credential_accepted')", "the last step, by reloading")
    finally:
        browser.scripts(True)


def nothing_from_elsewhere(stage, browser):
    own = (stage.issuer.url, stage.other.verifier.url)
    strangers = [
        line for line in browser.log
        if line.startswith("request: ") and not line.startswith(tuple(f"request: {url}" for url in (*own, "data:", "http://127.0.0.1:")))]
    expect(not strangers, f"the page fetched from elsewhere: {strangers}")
    problems = [line for line in browser.log if not line.startswith("request: ")]
    expect(not problems, f"the browser complained: {problems}")


STEPS = [
    an_offer_of_the_page_becomes_a_document, messages_are_explained, the_wallet_shows_what_it_got, it_is_presented_by_proximity,
    it_is_presented_over_OpenID4VP, options_are_switched, the_wallets_mistake_is_named, without_scripts,
    a_person_decides_at_the_authorization_page, nothing_from_elsewhere,
]
