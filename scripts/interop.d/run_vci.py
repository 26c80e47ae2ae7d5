"""The cases of OpenID4VCI: walletbench's wallet at the issuer of the openid4vci package, and a wallet of our own over jwcrypto and openvc's
parsers at walletbench's issuer, whose documents then verify at the peers."""
import base64
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import cbor2
from cryptography import x509
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS
from openvc.openid4vci import parse_credential_issuer_metadata, parse_credential_offer

import kit
import peers
import sdjwt

VCT, PRE = "urn:eudi:pid:1", "urn:ietf:params:oauth:grant-type:pre-authorized_code"
CLAIMS = {"given_name": "Erika", "family_name": "Mustermann"}
# What a wallet can get wrong, and the status and code that the issuer must answer.
WRONGS = {"stale-nonce": (400, "invalid_nonce"), "no-nonce": (400, "invalid_proof"), "wrong-aud": (400, "invalid_proof"),
          "hs256": (400, "invalid_proof"), "no-typ": (400, "invalid_proof"), "reuse-code": (400, "invalid_grant"),
          "no-tx-code": (400, "invalid_request"), "wrong-tx-code": (400, "invalid_grant")}


def play(cases, world):
    play_wallet(cases, world)
    play_issuer(cases, world)


# walletbench's wallet


def play_wallet(cases, world):
    world.bench.run("trust", "make", "tls", "--no-passphrase")
    made = world.bench.home / "trust" / "made"
    for name in ("tls.pem", "tls.key.pem"):
        (world.folder / name).write_bytes((made / name).read_bytes())
    (world.folder / "ds.pem").write_bytes(kit.certificate_pem(world.signer))
    (world.folder / "ds.key").write_bytes(kit.private_pem(world.signer_key))
    (world.folder / "claims.json").write_text(json.dumps(CLAIMS))
    authority = made / "tls-ca.pem"
    for name, options, more, state in (
            ("a pre-authorized offer", {"tx_code": None, "deferred": False}, (), "issued"),
            ("an offer with a transaction code", {"tx_code": "1234", "deferred": False}, ("--tx-code", "1234"), "issued"),
            ("a batch of five", {"tx_code": None, "deferred": False}, ("--copies", "5"), "issued"),
            ("a deferred offer", {"tx_code": None, "deferred": True}, ("--wait",), "issued")):
        def taken():
            with PeerIssuer(world.folder, options, authority) as issuer:
                _, report = world.bench.run("holder", "accept", issuer.offer(), "--consent", "auto", "--allow-private", "--tls-ca",
                                            authority, "--anchor", world.anchor, "--no-passphrase", *more)
            states = {document["type"]: document["state"] for document in report["documents"]}
            if states != {kit.MDL: state, VCT: state}:
                raise AssertionError("documents %s" % states)
        cases.check("openid4vci issues %s to walletbench" % name, taken)

    def refused():
        with PeerIssuer(world.folder, {"tx_code": "1234", "deferred": False}, authority) as issuer:
            _, report = world.bench.run("holder", "accept", issuer.offer(), "--consent", "auto", "--allow-private", "--tls-ca",
                                        authority, "--tx-code", "9999", wanted=(1,))
        if "invalid_grant" not in report["error"]:
            raise AssertionError(report["error"])
    cases.check("a wrong transaction code at openid4vci stops walletbench", refused)


class PeerIssuer:
    def __init__(self, folder, options, authority):
        (folder / "options.json").write_text(json.dumps(options))
        self.port, self.context = free_port(), ssl.create_default_context(cafile=str(authority))
        self.process = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("vci_issuer.py")), str(folder), str(self.port)],
            stdin=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def offer(self):
        for _ in range(600):
            try:
                with urllib.request.urlopen("https://127.0.0.1:%d/offer" % self.port, timeout=60, context=self.context) as answer:
                    return json.loads(answer.read())["uri"]
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    raise AssertionError("the peer's issuer ended %d" % self.process.returncode)
                time.sleep(0.1)
        raise AssertionError("the peer's issuer does not answer")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# walletbench's issuer


def play_issuer(cases, world):
    service = subprocess.Popen([world.bench.program, "issuer", "serve", "--json", "--no-passphrase"], env=world.bench.environment,
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        ready = next(json.loads(line) for line in service.stdout if json.loads(line).get("event") == "ready")
        for batch in (1, 3):
            mdl = cases.check("walletbench issues an mDL in %d" % batch, lambda: receive(world, ready["url"], "mdl", batch))
            pid = cases.check("walletbench issues a PID as SD-JWT VC in %d" % batch,
                              lambda: receive(world, ready["url"], "pid-sd-jwt", batch))
        play_documents(cases, world, mdl, pid)
        for name, wanted in WRONGS.items():
            cases.check("a wallet with %s is refused: %d %s" % ((name,) + wanted),
                        lambda: must_refuse(world, ready["url"], name, wanted))
    finally:
        service.kill()
        service.wait()


def play_documents(cases, world, mdl, pid):
    roots = x509.load_pem_x509_certificates((world.bench.home / "trust" / "made" / "iaca.pem").read_bytes())
    if mdl is not None:
        data = base64.urlsafe_b64decode(mdl + "=" * (-len(mdl) % 4))
        response = kit.respond(cbor2.loads(data), kit.MDL, world.device_key, world.transcript)
        for name in ("isomdoc", "pymdoccbor", "openvc"):
            cases.check("the mDL verifies at %s" % name, lambda: peers.VERIFIERS[name](response, roots, world.transcript, kit.MDL))
    if pid is not None:
        audience, nonce = "x509_san_dns:verifier.example", "n-0S6_WzA2Mj"
        presentation = sdjwt.present_sd_jwt(pid, world.device_key, audience, nonce)
        cases.check("the PID verifies at sd-jwt", lambda: sdjwt.verify_sd_jwt(presentation, roots, audience, nonce, VCT))


class Answered(Exception):
    def __init__(self, status, body):
        super().__init__("%d %s" % (status, body))
        self.status, self.body = status, body


def call(url, body=None, form=None, token=None, method="POST"):
    headers, data = {"Accept": "application/json"}, b"" if method == "POST" else None
    if form is not None:
        data, headers["Content-Type"] = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    if token:
        headers["Authorization"] = "Bearer " + token
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=120) as answer:
            raw = answer.read()
            return json.loads(raw) if raw else None
    except urllib.error.HTTPError as error:
        raise Answered(error.code, json.loads(error.read() or b"{}"))


def receive(world, issuer, configuration, batch=1, wrong=None):
    """The whole flow of a wallet that is nothing of walletbench; returns the credential for the world's device key."""
    _, made = world.bench.run("issuer", "offer", "--type", configuration, "--tx-code", "4711")
    link = urllib.parse.parse_qs(urllib.parse.urlsplit(made["uri"]).query)
    offer = call(link["credential_offer_uri"][0], method="GET")
    metadata = call(issuer + "/.well-known/openid-credential-issuer", method="GET")
    server = call(issuer + "/.well-known/oauth-authorization-server", method="GET")
    if metadata["credential_issuer"] != offer["credential_issuer"]:
        raise AssertionError("the metadata are those of %s" % metadata["credential_issuer"])
    form = {"grant_type": PRE, "pre-authorized_code": offer["grants"][PRE]["pre-authorized_code"]}
    if wrong != "no-tx-code":
        form["tx_code"] = "0000" if wrong == "wrong-tx-code" else "4711"
    token = call(server["token_endpoint"], form=form)["access_token"]
    if wrong == "reuse-code":
        call(server["token_endpoint"], form=form)
    nonce = call(metadata["nonce_endpoint"])["c_nonce"]
    keys = [world.device_key] + [kit.new_key() for _ in range(batch - 1)]
    proofs = [proof(key, issuer, nonce, wrong) for key in keys]
    answer = call(metadata["credential_endpoint"], {"credential_configuration_id": configuration, "proofs": {"jwt": proofs}}, token=token)
    if len(answer["credentials"]) != batch:
        raise AssertionError("%d credentials for %d keys" % (len(answer["credentials"]), batch))
    call(metadata["notification_endpoint"], {"notification_id": answer["notification_id"], "event": "credential_accepted"}, token=token)
    # Another implementation reads what a wallet reads first.
    parse_credential_offer(dict(offer, credential_issuer="https://issuer.example"))
    parse_credential_issuer_metadata(json.loads(json.dumps(metadata).replace(issuer, "https://issuer.example")))
    return answer["credentials"][0]["credential"]


def proof(key, audience, nonce, wrong):
    header = {"alg": "ES256", "typ": "openid4vci-proof+jwt", "jwk": sdjwt.jwk_of(key.public_key())}
    claims = {"aud": audience + ("/other" if wrong == "wrong-aud" else ""), "iat": int(time.time())}
    signer = sdjwt.jwcrypto_key(key)
    if wrong != "no-nonce":
        claims["nonce"] = "stale" if wrong == "stale-nonce" else nonce
    if wrong == "no-typ":
        header["typ"] = "JWT"
    if wrong == "hs256":
        header["alg"], signer = "HS256", JWK.generate(kty="oct", size=256)
    token = JWS(json.dumps(claims))
    token.add_signature(signer, None, json.dumps(header))
    return token.serialize(compact=True)


def must_refuse(world, issuer, wrong, wanted):
    try:
        receive(world, issuer, "mdl", wrong=wrong)
    except Answered as answer:
        if (answer.status, answer.body.get("error")) != wanted:
            raise
        return
    raise AssertionError("accepted")
