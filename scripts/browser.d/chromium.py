"""Chromium without a window, driven through its own protocol over two pipes: nothing to install beside the browser."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class BrowserError(Exception):
    pass


class Chromium:
    """One browser with one tab. Used in a `with` statement, which ends it and removes its profile."""

    def __init__(self, width=1100, height=900):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            raise BrowserError("chromium is not installed (scripts/setup --browser installs it)")
        self.profile = tempfile.mkdtemp(prefix="walletbench-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", f"--window-size={width},{height}",
            "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
            "about:blank",
        ]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        # The browser reads commands from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *arguments], pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self.session = None
        self.log = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.process.terminate()
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        """Sends a command and waits for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 180
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer.get("result", {})
            self._note(answer)

    def _receive(self, deadline):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise BrowserError("the browser has ended")
            self._rest += chunk
        line, self._rest = self._rest.split(b"\0", 1)
        return json.loads(line)

    def _note(self, event):
        """Keeps what the page complained about: policy violations, errors, requests to elsewhere."""
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.log.append(f"{parameters['entry']['source']}: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        elif method == "Runtime.exceptionThrown":
            self.log.append(f"exception: {parameters['exceptionDetails'].get('exception', {}).get('description')}")
        elif method == "Network.requestWillBeSent":
            self.log.append(f"request: {parameters['request']['url']}")

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait(self, expression, what, seconds=180):
        """Waits until an expression is true; it has to be a boolean or a text."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                value = self.evaluate(expression)
            except BrowserError as error:
                # A page that is just being replaced has no context for a moment.
                if "ended" in str(error):
                    raise
                value = None
            if value:
                return value
            time.sleep(0.1)
        raise BrowserError(f"{what} did not come within {seconds} seconds; the page says: {self.text()[:1500]}")

    def go(self, url):
        answer = self.call("Page.navigate", url=url)
        if answer.get("errorText"):
            raise BrowserError(f"{url}: {answer['errorText']}")
        self.wait("document.readyState === 'complete'", url)

    def text(self):
        return self.evaluate("document.body ? document.body.innerText : ''") or ""

    def press(self, key, code=None, text=None):
        code = code or key
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode={"Tab": 9, "Enter": 13, " ": 32}[key],
                      **({"text": text} if text and kind == "keyDown" else {}))

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def before_pages(self, script):
        """Runs a script before those of every page from now on; what takes it away again."""
        name = self.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        return lambda: self.call("Page.removeScriptToEvaluateOnNewDocument", identifier=name)

    def screenshot(self, path, whole=True):
        """A PNG of the page."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def roles(self):
        """What a screen reader finds: (role, name) of everything that is not left out."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(n.get("role", {}).get("value"), n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]
