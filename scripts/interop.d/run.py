#!/usr/bin/env python3
"""Plays walletbench against one peer: run.py PEER PROGRAM FOLDER.

Prints one line a case, `ok` or `NOT OK` with the reason, and ends 1 when one is not ok. The peers are those of peers.py, and
`neutral`, which holds walletbench against responses that kit.py makes and breaks, `sdjwt`, the matrix of SD-JWT VC,
`vci` and `vp`, OpenID4VCI and OpenID4VP over HTTP in both roles, and `haip`, walletbench's wallet under HAIP 1.0 and at a page.
"""
import pathlib
import sys
import traceback

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import serialization

import kit
import peers
import run_haip
import run_sdjwt
import run_vp
import run_vci
import sdjwt
from bench import Bench, violations

# The check that has to fail for each way of breaking a response.
WANTED = {"bad_digest": "R17", "bad_issuer_signature": "R14", "bad_device_signature": "R24"}


class Cases:
    """Counts and prints."""

    def __init__(self, peer):
        self.peer, self.failed = peer, 0

    def check(self, name, body):
        """A case: `body` raises, or returns what it found to be right."""
        try:
            result = body()
            print("ok      %s: %s" % (self.peer, name), flush=True)
            return result
        except Exception as error:  # a peer may raise anything
            self.failed += 1
            what = str(error) or traceback.format_exc().splitlines()[-1]
            print("NOT OK  %s: %s: %s" % (self.peer, name, what.replace("\n", " ")[:300]), flush=True)
            return None

    def refused(self, name, body, saying=""):
        """A case in which the other side has to refuse, in words that hold `saying`."""
        def must_raise():
            try:
                body()
            except Exception as error:  # a peer may raise anything
                if saying not in str(error):
                    raise
                return
            raise AssertionError("accepted")
        self.check(name, must_raise)


class World:
    """Keys, certificates and files of one run."""

    def __init__(self, folder, program):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.iaca_key, self.signer_key, self.device_key, self.reader_key = (kit.new_key() for _ in range(4))
        self.iaca = kit.make_iaca(self.iaca_key)
        self.signer = kit.make_signer(self.signer_key, self.iaca, self.iaca_key)
        self.web_signer = kit.make_signer(self.signer_key, self.iaca, self.iaca_key, uri=sdjwt.ISSUER)
        self.transcript = kit.transcript(self.reader_key)
        self.anchor = folder / "iaca.pem"
        self.anchor.write_bytes(kit.certificate_pem(self.iaca))
        self.bench = Bench(program, folder / "home")

    def neutral_response(self, reader_public=None):
        issued = kit.issue(kit.claims(), kit.MDL, self.signer, self.signer_key, self.device_key.public_key())
        return kit.respond(issued, kit.MDL, self.device_key, self.transcript, reader_public)

    def must_pass(self, report):
        if report["verdict"] != "pass":
            raise AssertionError("verdict %s, failed %s" % (report["verdict"], sorted(violations(report))))

    def must_fail(self, report, check):
        failed = violations(report)
        if report["verdict"] != "fail" or not any(name.split(".")[0] == check.split(".")[0] for name in failed):
            raise AssertionError("verdict %s, failed %s, %s wanted" % (report["verdict"], sorted(failed), check))


def play_neutral(cases, world):
    """Responses made outside: right ones pass here, broken ones fail at the check that is meant."""
    response = world.neutral_response()
    verify = lambda data: world.bench.verify(data, world.transcript, world.anchor)
    cases.check("a response made outside passes here", lambda: world.must_pass(verify(response)))
    for name, spoil in kit.BREAKS.items():
        cases.check("%s is refused here (%s)" % (name, WANTED[name]),
                    lambda: world.must_fail(verify(spoil(response)), WANTED[name]))
    with_mac = world.neutral_response(world.reader_key.public_key())
    verify_mac = lambda data: world.bench.verify(data, world.transcript, world.anchor, kit.private_pem(world.reader_key))
    cases.check("a response with a MAC made outside passes here", lambda: world.must_pass(verify_mac(with_mac)))
    cases.check("a wrong MAC is refused here (R24)",
                lambda: world.must_fail(verify_mac(kit.bad_device_signature(with_mac)), "R24"))
    other = kit.transcript(kit.new_key())
    cases.check("a response of another session is refused here (R24)",
                lambda: world.must_fail(world.bench.verify(response, other, world.anchor), "R24"))


def play_verifier(cases, world, peer, ours):
    """Responses made by walletbench verify at the peer; broken ones do not, unless the peer looks elsewhere."""
    response, transcript, roots = ours
    verify = lambda data: peers.VERIFIERS[peer](data, roots, transcript, kit.MDL)

    def accepted():
        elements = verify(response)[kit.MDL_NAMESPACE]
        if "family_name" not in elements:
            raise AssertionError("elements %s" % elements)
    cases.check("a response of walletbench verifies", accepted)
    for name, spoil in kit.BREAKS.items():
        if name in peers.BLIND.get(peer, ()):
            continue
        cases.refused("%s of walletbench is refused" % name, lambda: verify(spoil(response)))


def play_issuer(cases, world, peer):
    """Documents that the peer issues are imported, presented and verified."""
    claims = kit.plain_claims() if peer in peers.TAGS_DATES_ITSELF else kit.claims()
    issue = lambda claims, key: peers.ISSUERS[peer](claims, kit.MDL, world.signer, world.signer_key, key)
    issued = cases.check("issues an mDL", lambda: issue(claims, world.device_key))
    if issued is None:
        return
    respond = lambda data: kit.respond(cbor2.loads(data), kit.MDL, world.device_key, world.transcript)
    verify = lambda data: world.bench.verify(data, world.transcript, world.anchor)
    cases.check("its document, presented outside, passes here", lambda: world.must_pass(verify(respond(issued))))
    for name, spoil in kit.BREAKS.items():
        cases.check("its document with %s is refused here" % name,
                    lambda: world.must_fail(verify(spoil(respond(issued))), WANTED[name]))
    if peer not in peers.TAGS_DATES_ITSELF:
        untagged = issue(kit.plain_claims(), world.device_key)
        cases.check("dates without their tag are refused here (R22)",
                    lambda: world.must_fail(verify(respond(untagged)), "R22.element"))
    cases.refused("its document with another device key is not imported",
                  lambda: world.bench.take(issued, kit.private_pem(kit.new_key())), saying="the key does not fit")
    document = cases.check("its document is imported",
                           lambda: world.bench.take(issued, kit.private_pem(world.device_key)))
    if document is None:
        return
    presented = cases.check("its document is presented and read by walletbench", lambda: presentation(world, document))
    if presented is None:
        return
    for verifier in ("isomdoc", "pymdoccbor", "openvc"):
        cases.check("its document, presented by walletbench, verifies at %s" % verifier,
                    lambda: peers.VERIFIERS[verifier](presented[0], [world.iaca], presented[1], kit.MDL))


def presentation(world, document):
    report, response, transcript = world.bench.present(document, world.anchor)
    world.must_pass(report)
    return response, transcript


def play_mac(cases, world):
    """A MAC of walletbench verifies at openvc, with the key that it was made for only."""
    response, transcript, roots = response_of_walletbench(cases, world, options=("--device-auth", "mac")) or (None,) * 3
    if response is None:
        return
    reader_key = serialization.load_pem_private_key(world.bench.evidence("reader-key.pem"), None)
    key = kit.mac_key(reader_key, kit.device_key_of(response), transcript)
    cases.check("a MAC of walletbench verifies", lambda: peers.verify_openvc(response, roots, transcript, kit.MDL, key))
    other = kit.mac_key(kit.new_key(), kit.device_key_of(response), transcript)
    cases.refused("a MAC of walletbench is refused under another key",
                  lambda: peers.verify_openvc(response, roots, transcript, kit.MDL, other))
    cases.refused("a broken MAC of walletbench is refused",
                  lambda: peers.verify_openvc(kit.bad_device_signature(response), roots, transcript, kit.MDL, key))


def play_shapes(cases, world, ours):
    """What the schema says of the request, and that it says no at all."""
    cases.check("the request of walletbench has the shape of a DeviceRequest",
                lambda: peers.must_have_shape(world.bench.evidence("request.cbor"), "DeviceRequest"))
    without = lambda data: cbor2.dumps({key: value for key, value in cbor2.loads(data).items() if key != "status"})
    cases.refused("a response without its status is refused",
                  lambda: peers.must_have_shape(without(ours[0]), "DeviceResponse"))


def response_of_walletbench(cases, world, curve="P-256", options=()):
    """Mints, presents and reads with walletbench alone: (response, transcript, roots), or None."""
    def make():
        bench = world.bench
        bench.run("holder", "key", "default", kit.MDL, "--curve", curve, "--no-passphrase")
        _, minted = bench.run("issuer", "mint", "--type", "mdl", "--to-holder", "--no-passphrase")
        anchor = bench.home / "trust" / "made" / "iaca.pem"
        report, response, transcript = bench.present(minted["id"], anchor, *options)
        world.must_pass(report)
        return response, transcript, x509.load_pem_x509_certificates(anchor.read_bytes())
    return cases.check("walletbench mints, presents and reads an mDL, device key %s" % " ".join((curve, *options)), make)


def main(peer, program, folder):
    cases, world = Cases(peer), World(pathlib.Path(folder) / peer, program)
    if peer == "neutral":
        play_neutral(cases, world)
    if peer == "vp":
        run_vp.play(cases, world)
    if peer == "haip":
        run_haip.play(cases, world)
    if peer == "sdjwt":
        run_sdjwt.play(cases, world)
    if peer == "vci":
        run_vci.play(cases, world)
    if peer in peers.ISSUERS:
        play_issuer(cases, world, peer)
    if peer in peers.VERIFIERS:
        for curve in peers.CURVES.get(peer, ("P-256",)):
            ours = response_of_walletbench(cases, world, curve)
            if ours is not None:
                play_verifier(cases, world, peer, ours)
    if peer == "openvc":
        play_mac(cases, world)
    if peer == "cddl" and ours is not None:
        play_shapes(cases, world, ours)
    return 1 if cases.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
