"""The cases of SD-JWT VC: every issuer with every wallet and every verifier, walletbench among them, and JWE between both."""
import itertools
import json
import subprocess

import kit
import sdjwt
from bench import violations

VCT, AUDIENCE, NONCE = "urn:eudi:pid:1", "x509_san_dns:verifier.example", "n-0S6_WzA2Mj"
CLAIMS = {"given_name": "Erika", "family_name": "Mustermann", "birthdate": "1984-08-12", "nationalities": ["UT"],
          "address": {"locality": "Capital", "country": "UT"}}
ENCRYPTIONS = ("A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512")


def play(cases, world):
    issued = {name: cases.check("%s issues" % name, lambda: issue(
        CLAIMS, world.signer_key, [world.web_signer], world.device_key.public_key(), VCT)) for name, issue in sdjwt.ISSUE.items()}
    issued["walletbench"] = cases.check("walletbench issues", lambda: minted(world))
    for (issuer, document), (wallet, present) in itertools.product(issued.items(), sdjwt.PRESENT.items()):
        if document is not None:
            play_presentation(cases, world, "issued by %s, presented by %s" % (issuer, wallet), document, present)
    if issued["openvc"] is not None:
        play_encryption(cases, world, sdjwt.present_sd_jwt(issued["openvc"], world.device_key, AUDIENCE, NONCE))


def play_presentation(cases, world, what, document, present):
    presentation = cases.check(what, lambda: present(document, world.device_key, AUDIENCE, NONCE))
    if presentation is None:
        return
    for verifier, verify in sdjwt.VERIFY.items():
        def accepted():
            claims = verify(presentation, [world.iaca], AUDIENCE, NONCE, VCT)
            if "family_name" not in claims:
                raise AssertionError("claims %s" % sorted(claims))
        cases.check("%s, verified by %s" % (what, verifier), accepted)
    verified = lambda text, *more: report(world, text, *more)
    cases.check("%s, verified by walletbench" % what, lambda: world.must_pass(verified(presentation)))
    for name, (spoil, wanted) in sdjwt.BREAKS.items():
        cases.check("%s, with %s, is refused here" % (what, name), lambda: must_violate(verified(spoil(presentation)), wanted))
    cases.check("%s, for another nonce, is refused here" % what,
                lambda: must_violate(report(world, presentation, nonce="other"), {"S16.nonce"}))
    cases.check("%s, for another verifier, is refused here" % what,
                lambda: must_violate(report(world, presentation, audience="x509_san_dns:other.example"), {"S16.aud"}))
    one = present(document, world.device_key, AUDIENCE, NONCE, ["given_name"])
    cases.check("%s, one claim alone" % what, lambda: world.must_pass(verified(one)))


def play_encryption(cases, world, presentation):
    """Responses that jwcrypto and Debian's jose encrypt are opened here."""
    key = kit.new_key()
    private = world.folder / "encryption.pem"
    private.write_bytes(kit.private_pem(key))
    payload = {"vp_token": {"pid": [presentation]}, "state": "s"}
    for encryption, compressed in itertools.product(ENCRYPTIONS, (False, True)):
        token = sdjwt.encrypted(payload, key.public_key(), encryption, compressed)
        cases.check("jwcrypto's JWE, %s%s, is opened here" % (encryption, ", compressed" if compressed else ""),
                    lambda: world.must_pass(report(world, token, "--decrypt-key", private)))
    spoilt = sdjwt.encrypted(payload, key.public_key(), "A256GCM")
    cases.refused("a spoilt JWE of jwcrypto is refused here", saying="ended 1", body=lambda: report(
        world, spoilt[:-10] + "AAAAAAAAAA", "--decrypt-key", private, wanted=(0, 4)))
    for encryption in ENCRYPTIONS:
        cases.check("jose's JWE, %s, is opened here" % encryption, lambda: world.must_pass(
            report(world, jose_encrypted(world, payload, key, encryption), "--decrypt-key", private)))


def jose_encrypted(world, payload, key, encryption):
    public, plain = world.folder / "encryption.jwk", world.folder / "payload.json"
    public.write_text(json.dumps(dict(sdjwt.jwk_of(key.public_key()), alg="ECDH-ES")))
    plain.write_text(json.dumps(payload))
    template = json.dumps({"protected": {"alg": "ECDH-ES", "enc": encryption}})
    done = subprocess.run(["jose", "jwe", "enc", "-c", "-i", template, "-I", str(plain), "-k", str(public)], capture_output=True,
                          text=True, check=True, timeout=60)
    return done.stdout.strip()


def minted(world):
    """An SD-JWT VC of walletbench for the world's device key, with an `iss`, which openvc wants."""
    files = {"device.pem": kit.public_pem(world.device_key), "claims.json": json.dumps(dict(CLAIMS, iss=sdjwt.ISSUER)).encode(),
             "frame.json": json.dumps({"_sd": list(CLAIMS)}).encode(), "signer.pem": kit.certificate_pem(world.web_signer),
             "signer.key": kit.private_pem(world.signer_key)}
    for name, content in files.items():
        (world.folder / name).write_bytes(content)
    place, out = world.folder, world.folder / "pid.sd-jwt"
    world.bench.run("issuer", "mint", "--type", VCT, "--format", "dc+sd-jwt", "--device-key", place / "device.pem", "--claims",
                    place / "claims.json", "--frame", place / "frame.json", "--signer", place / "signer.pem", "--signer-key",
                    place / "signer.key", "-o", out)
    return out.read_text().strip()


def report(world, token, *more, nonce=NONCE, audience=AUDIENCE, wanted=(0, 1, 4)):
    place = world.folder / "token.txt"
    place.write_text(token)
    return world.bench.run("verifier", "verify", "--token", place, "--nonce", nonce, "--client-id", audience, "--vct", VCT,
                           "--anchor", world.anchor, *more, wanted=wanted)[1]


def must_violate(report, wanted):
    failed = violations(report)
    if report["verdict"] != "fail" or not failed & wanted:
        raise AssertionError("verdict %s, failed %s, %s wanted" % (report["verdict"], sorted(failed), sorted(wanted)))
