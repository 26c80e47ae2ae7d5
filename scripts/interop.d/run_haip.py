"""The cases of HAIP 1.0 and of the Digital Credentials API with walletbench as the wallet: polaris-oid4vp's own `serve` over TLS, and the
answers that walletbench encrypts and binds, opened and verified by the others."""
import itertools
import json
import queue
import socket
import subprocess
import sys
import threading

import kit
import sdjwt
from bench import TIMEOUT
from run_sdjwt import CLAIMS, ENCRYPTIONS, NONCE, VCT

ORIGIN = "https://shop.example"
SCHEMES = ("openid4vp", "haip-vp")


def play(cases, world):
    documents = {name: cases.check("a PID of %s is imported" % name, lambda: world.bench.take(issue(
        CLAIMS, world.signer_key, [world.web_signer], world.device_key.public_key(), VCT).encode(),
        kit.private_pem(world.device_key))) for name, issue in sdjwt.ISSUE.items()}
    documents = {name: document for name, document in documents.items() if document is not None}
    play_polaris(cases, world, documents)
    play_page(cases, world, documents)
    if documents:
        play_envelopes(cases, world, next(iter(documents.values())))


# polaris-oid4vp


class Polaris:
    """`polaris-oid4vp serve --once`: HAIP 1.0, over TLS, one request."""

    def __init__(self, world):
        self.folder = world.folder / "polaris"
        if not self.folder.exists():
            subprocess.run([*self.command, "keygen", "--out", str(self.folder), "--host", "localhost"], check=True,
                           capture_output=True, timeout=TIMEOUT)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [*self.command, "serve", "--pki", str(self.folder), "--host", "localhost", "--bind", "127.0.0.1", "--port", str(port),
             "--once", "--claim", "given_name", "--claim", "family_name", "--vct", VCT, "--issuer-trust-anchor", str(world.anchor)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    command = [sys.executable, "-u", "-m", "polaris_oid4vp.cli"]

    def __enter__(self):
        links = [self.line("://?") for _ in range(3)]
        self.links = {link.split("://")[0].strip(): link.strip() for link in links}
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def line(self, part):
        """The next line with these words."""
        while line := self.lines.get(timeout=TIMEOUT):
            if part in line:
                return line
        raise AssertionError("polaris ended without %r" % part)


def play_polaris(cases, world, documents):
    def answer(verifier, scheme, document, *more, wanted=(0,)):
        return world.bench.run("holder", "answer", verifier.links[scheme], "--doc", document, "--consent", "auto", "--allow-private",
                               "--tls-ca", verifier.folder / "tls.pem", "--profile", "haip", *more, wanted=wanted)

    def trusted():
        with Polaris(world) as verifier:
            world.bench.run("trust", "add", verifier.folder / "anchor.pem", "--role", "readers")
    cases.check("polaris listens and its anchor is trusted", trusted)
    for (issuer, document), scheme in itertools.product(documents.items(), SCHEMES):
        def accepted():
            with Polaris(world) as verifier:
                answer(verifier, scheme, document)
                said = verifier.line("<- ")
                if "200 authentic" not in said or "given_name" not in said:
                    raise AssertionError("polaris says %s" % said.strip())
        cases.check("walletbench's answer under HAIP verifies at polaris: %s, PID of %s" % (scheme, issuer), accepted)
    for fault in ("kb-nonce-wrong", "kb-aud-wrong", "kb-sd-hash-wrong", "kb-signature-wrong", "jwe-wrong-key"):
        def refused():
            with Polaris(world) as verifier:
                answer(verifier, "openid4vp", next(iter(documents.values())), "--fault", fault, wanted=(1,))
                said = verifier.line("<- ")
                if "authentic" in said:
                    raise AssertionError("polaris says %s" % said.strip())
        cases.check("walletbench's fault %s is refused by polaris" % fault, refused)


# The Digital Credentials API: what the page gets is verified by the others


def request(mode, jwk=None, encryption=None):
    metadata = {"vp_formats_supported": {"dc+sd-jwt": {"sd-jwt_alg_values": ["ES256"], "kb-jwt_alg_values": ["ES256"]}}}
    if jwk:
        metadata.update({"jwks": {"keys": [jwk]}, "encrypted_response_enc_values_supported": [encryption]})
    query = {"credentials": [{"id": "pid", "format": "dc+sd-jwt", "meta": {"vct_values": [VCT]},
                              "claims": [{"path": ["given_name"]}, {"path": ["family_name"]}]}]}
    return {"protocol": "openid4vp-v1-unsigned", "data": {"response_type": "vp_token", "response_mode": mode, "nonce": NONCE,
                                                          "dcql_query": query, "client_metadata": metadata}}


def answered(world, document, asked):
    """The `data` that walletbench hands to the page."""
    place = world.folder / "digital.json"
    place.write_text(json.dumps(asked))
    return world.bench.run("holder", "answer", place, "--doc", document, "--origin", ORIGIN, "--consent", "auto")[1]["data"]


def play_page(cases, world, documents):
    for issuer, document in documents.items():
        what = "issued by %s, presented by walletbench to a page" % issuer
        data = cases.check(what, lambda: answered(world, document, request("dc_api")))
        if data is None:
            continue
        for verifier, verify in sdjwt.VERIFY.items():
            def accepted():
                claims = verify(data["vp_token"]["pid"][0], [world.iaca], "origin:" + ORIGIN, NONCE, VCT)
                if claims.get("family_name") != CLAIMS["family_name"] or "birthdate" in claims:
                    raise AssertionError("claims %s" % sorted(claims))
            cases.check("%s, verified by %s" % (what, verifier), accepted)
            cases.refused("%s, refused by %s for another page" % (what, verifier), lambda: verify(
                data["vp_token"]["pid"][0], [world.iaca], "origin:https://other.example", NONCE, VCT))


def play_envelopes(cases, world, document):
    """What walletbench encrypts, jwcrypto and Debian's jose open."""
    for encryption in ENCRYPTIONS:
        key = kit.new_key()
        jwk = dict(sdjwt.jwk_of(key.public_key()), use="enc", alg="ECDH-ES", kid="k1")
        token = cases.check("walletbench encrypts to a page, %s" % encryption, lambda: answered(
            world, document, request("dc_api.jwt", jwk, encryption))["response"])
        if token is None:
            continue
        for opener, opened in {"jwcrypto": sdjwt.decrypted, "jose": lambda token, key: jose_decrypted(world, token, key)}.items():
            def holds_presentation():
                if "~" not in opened(token, key)["vp_token"]["pid"][0]:
                    raise AssertionError("no presentation")
            cases.check("%s opens walletbench's JWE, %s" % (opener, encryption), holds_presentation)
            cases.refused("%s does not open it with another key, %s" % (opener, encryption), lambda: opened(token, kit.new_key()))


def jose_decrypted(world, token, key):
    private, cipher = world.folder / "decryption.jwk", world.folder / "response.jwe"
    private.write_text(json.dumps(dict(sdjwt.jwk_of(key), alg="ECDH-ES")))
    cipher.write_text(token)
    done = subprocess.run(["jose", "jwe", "dec", "-i", str(cipher), "-k", str(private)], capture_output=True, text=True, check=True,
                          timeout=60)
    return json.loads(done.stdout)
