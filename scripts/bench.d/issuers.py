"""Processor time of two OpenID4VCI issuers over HTTP: `walletbench issuer serve`, and the openid4vci package behind uvicorn. Both answer
one client on one connection that stays; proofs, nonces and the token of a credential request are made before the clock runs."""
import base64
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import kit
import sdjwt

PRE = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
# Requests that are timed, of each kind: the clock of processes ticks a hundred times a second.
COUNTS = {"metadata": 2000, "nonce": 2000, "credential": 200}


class Issuer:
    """A server process; `public` is what it calls itself."""

    def __init__(self, process, port, public):
        self.process, self.public = process, public
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(60)

    def ask(self, method, path, body=None, kind=None, token=None):
        headers = {"Accept": "application/json"}
        if kind:
            headers["Content-Type"] = kind
        if token:
            headers["Authorization"] = "Bearer " + token
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise RuntimeError("%s %s: %d %r" % (method, path, answer.status, data[:300]))
        return data

    def token(self, code):
        form = urllib.parse.urlencode({"grant_type": PRE, "pre-authorized_code": code})
        return json.loads(self.ask("POST", "/token", form, "application/x-www-form-urlencoded"))["access_token"]

    def processor_seconds(self):
        fields = pathlib.Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def microseconds(self, requests):
        """Processor time of the server for one request, the mean of all."""
        self.ask(*requests[0])
        start = self.processor_seconds()
        for request in requests[1:]:
            self.ask(*request)
        return (self.processor_seconds() - start) / (len(requests) - 1) * 1e6


def proof(key, audience, nonce):
    encode = lambda value: base64.urlsafe_b64encode(value).decode().rstrip("=")
    header = {"alg": "ES256", "typ": "openid4vci-proof+jwt", "jwk": sdjwt.jwk_of(key.public_key())}
    text = "%s.%s" % tuple(encode(json.dumps(part).encode()) for part in (header, {"aud": audience, "iat": int(time.time()), "nonce": nonce}))
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return "%s.%s" % (text, encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")))


def measure(issuer, name, code):
    times = {}
    metadata = ("GET", "/.well-known/openid-credential-issuer")
    times["%s metadata" % name] = issuer.microseconds([metadata] * COUNTS["metadata"])
    times["%s nonce" % name] = issuer.microseconds([("POST", "/nonce", b"")] * COUNTS["nonce"])
    token = issuer.token(code)
    requests = []
    for _ in range(COUNTS["credential"]):
        nonce = json.loads(issuer.ask("POST", "/nonce", b""))["c_nonce"]
        body = {"credential_configuration_id": "mdl", "proofs": {"jwt": [proof(kit.new_key(), issuer.public, nonce)]}}
        requests.append(("POST", "/credential", json.dumps(body), "application/json", token))
    times["%s credential" % name] = issuer.microseconds(requests)
    return times


def ours(walletbench, folder):
    home = folder / "issuer-home"
    process = subprocess.Popen([walletbench, "issuer", "serve", "--json", "--offer", "--type", "mdl", "--home", str(home), "--test-home"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ready, code = None, None
    for line in process.stdout:
        event = json.loads(line)
        ready = event if event.get("event") == "ready" else ready
        if event.get("event") == "request":
            code = event["offer"]["grants"][PRE]["pre-authorized_code"]
            break
    # Nobody else reads what it tells; a full pipe would hold it.
    threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
    return Issuer(process, ready["port"], ready["url"]), code


def theirs(folder, inputs):
    place = folder / "openid4vci"
    place.mkdir(exist_ok=True)
    (place / "ds.pem").write_bytes(kit.certificate_pem(inputs.signer))
    (place / "ds.key").write_bytes(kit.private_pem(inputs.signer_key))
    (place / "claims.json").write_text("{}")
    (place / "options.json").write_text(json.dumps({"tx_code": None, "deferred": False}))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = pathlib.Path(__file__).parent.parent / "interop.d" / "vci_issuer.py"
    process = subprocess.Popen([sys.executable, str(script), str(place), str(port), "plain"], stdin=subprocess.DEVNULL)
    for _ in range(600):
        try:
            offer = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            offer.request("GET", "/offer")
            uri = json.loads(offer.getresponse().read())["uri"]
            break
        except OSError:
            if process.poll() is not None:
                raise RuntimeError("the peer's issuer ended %d" % process.returncode)
            time.sleep(0.1)
    text = urllib.parse.parse_qs(urllib.parse.urlsplit(uri).query)["credential_offer"][0]
    return Issuer(process, port, "https://127.0.0.1:%d" % port), json.loads(text)["grants"][PRE]["pre-authorized_code"]


def measure_issuers(walletbench, folder, inputs):
    """Times of both; they take turns with nothing, each has the machine for itself."""
    times = {}
    for name, start in (("issuer", lambda: ours(walletbench, folder)), ("openid4vci", lambda: theirs(folder, inputs))):
        issuer, code = start()
        try:
            times.update(measure(issuer, name, code))
        finally:
            issuer.stop()
    return times
