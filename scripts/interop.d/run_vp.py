"""The cases of OpenID4VP over HTTP: walletbench's wallet at a verifier whose checks are openvc's, and a wallet over jwcrypto at the verifier
of walletbench; both formats, plain and encrypted."""
import itertools
import json
import pathlib
import subprocess
import sys
import urllib.parse
import urllib.request

import cbor2

import kit
import sdjwt
import vp_wallet
from run_sdjwt import CLAIMS, VCT

MODES = ("direct_post", "direct_post.jwt")
PREFIXES = ("x509_hash", "x509_san_dns")
QUERIES = {"dc+sd-jwt": (VCT, "given_name,family_name"), "mso_mdoc": (kit.MDL, "family_name,birth_date")}


def play(cases, world):
    play_wallet(cases, world)
    play_verifier(cases, world)


# walletbench's wallet at openvc


class PeerVerifier:
    """vp_verifier.py as a process of its own."""

    def __init__(self, folder, mode, prefix, host="localhost"):
        self.process = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("vp_verifier.py")), str(folder), "--mode", mode, "--prefix", prefix,
             "--host", host],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        self.origin = json.loads(self.process.stdout.readline())["origin"]
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def start(self, form):
        kind, claims = QUERIES[form]
        query = urllib.parse.urlencode({"format": form, "type": kind, "claims": claims})
        return get(self.origin + "/start?" + query)

    def result(self, state):
        return get(self.origin + "/result/" + state)


def get(url):
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)


def play_wallet(cases, world):
    """Documents made outside lie in the wallet; openvc accepts what it makes of them."""
    relying_key = kit.new_key()
    relying = kit.make_relying(relying_key, world.iaca, world.iaca_key, "localhost")
    for name, content in {"leaf.pem": kit.certificate_pem(relying), "leaf.key": kit.private_pem(relying_key),
                          "iaca.pem": kit.certificate_pem(world.iaca)}.items():
        (world.folder / name).write_bytes(content)

    def stocked():
        world.bench.take(cbor2.dumps(kit.issue(kit.claims(), kit.MDL, world.signer, world.signer_key,
                                               world.device_key.public_key())), kit.private_pem(world.device_key))
        token = sdjwt.issue_openvc(CLAIMS, world.signer_key, [world.web_signer], world.device_key.public_key(), VCT)
        world.bench.take(token.encode(), kit.private_pem(world.device_key))
        world.bench.run("trust", "add", world.anchor, "--role", "readers")
    cases.check("an mDL and a PID made outside are imported", stocked)
    for mode, prefix in itertools.product(MODES, PREFIXES):
        with PeerVerifier(world.folder, mode, prefix) as verifier:
            for form in QUERIES:
                def answered():
                    started = verifier.start(form)
                    world.bench.run("holder", "answer", started["uri"], "--consent", "auto", "--allow-private")
                    result = verifier.result(started["state"])
                    wanted = set(QUERIES[form][1].split(","))
                    if not result["accepted"] or not wanted <= set(result["claims"]):
                        raise AssertionError("openvc says %s" % result["error"])
                cases.check("walletbench's answer verifies at openvc: %s, %s, %s" % (form, mode, prefix), answered)

    def elsewhere():
        with PeerVerifier(world.folder, "direct_post", "x509_san_dns", host="127.0.0.1") as verifier:
            world.bench.run("holder", "answer", verifier.start("mso_mdoc")["uri"], "--consent", "auto", "--allow-private")
    cases.refused("walletbench answers only where the certificate's name is", elsewhere, saying="VW11.host")

    def refused():
        with PeerVerifier(world.folder, "direct_post", "x509_hash") as verifier:
            started = verifier.start("mso_mdoc")
            world.bench.run("holder", "answer", started["uri"], "--consent", "deny", "--allow-private", wanted=(1,))
            result = verifier.result(started["state"])
            if result["error"] != "access_denied":
                raise AssertionError("the verifier got %s" % result)
    cases.check("walletbench tells openvc that its person refuses", refused)


# A wallet over jwcrypto at walletbench


class OurVerifier:
    """`verifier serve --once` for one request."""

    def __init__(self, world, form, mode, *options):
        kind, claims = QUERIES[form]
        path = (lambda name: [kit.MDL_NAMESPACE, name]) if form == "mso_mdoc" else (lambda name: [name])
        meta = {"doctype_value": kind} if form == "mso_mdoc" else {"vct_values": [kind]}
        order = {"response_mode": mode, "dcql_query": {"credentials": [
            {"id": "q0", "format": form, "meta": meta, "claims": [{"path": path(name)} for name in claims.split(",")]}]}}
        request = world.folder / "order.json"
        request.write_text(json.dumps(order))
        self.process = subprocess.Popen(
            [world.bench.program, "verifier", "serve", "--request", str(request), "--once", "--timeout", "120", "--json", *options],
            env=world.bench.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        self.link = self.event("request")["link"]
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def event(self, name):
        for line in self.process.stdout:
            event = json.loads(line)
            if event.get("event") == name:
                return event
        raise AssertionError("the verifier ended without %s" % name)


def play_verifier(cases, world):
    def prepared():
        world.bench.run("trust", "add", world.anchor)
        world.bench.run("trust", "make", "reader")
    cases.check("the verifier has a certificate and trusts the issuer", prepared)
    token = sdjwt.issue_openvc(CLAIMS, world.signer_key, [world.web_signer], world.device_key.public_key(), VCT)
    licence = cbor2.dumps(kit.issue(kit.claims(), kit.MDL, world.signer, world.signer_key, world.device_key.public_key()))
    for form, mode, peer in itertools.chain(
            itertools.product(["dc+sd-jwt"], MODES, sdjwt.PRESENT), itertools.product(["mso_mdoc"], MODES, ["jwcrypto"])):
        answer = lambda link, **more: vp_wallet.answer(
            link, world.device_key, sd_jwt=token, mdoc=licence, peer=peer if form == "dc+sd-jwt" else "openvc", **more)

        def accepted():
            with OurVerifier(world, form, mode) as verifier:
                status, body = answer(verifier.link)
                world.must_pass(verifier.event("report"))
                if status != 200:
                    raise AssertionError("answered %s %s" % (status, body[:200]))
        cases.check("an answer of %s verifies at walletbench: %s, %s" % (peer, form, mode), accepted)

        def stale():
            with OurVerifier(world, form, mode) as verifier:
                answer(verifier.link, spoil_nonce=True)
                world.must_fail(verifier.event("report"), "S16" if form == "dc+sd-jwt" else "R24")
        cases.check("an answer of %s to another nonce is refused here: %s, %s" % (peer, form, mode), stale)
