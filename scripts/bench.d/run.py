#!/usr/bin/env python3
"""Holds what walletbench measures of itself against its peers: run.py BENCHMARKS WALLETBENCH FOLDER.

Everything is processor time. The rounds take turns, and the best of each counts, so that both sides meet the same machine.
Ends 1 when a goal is missed.
"""
import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import zlib

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import degrade
import issuers
import kit
import peers

ROUNDS = 4

# What is compared: title, the time of ours, the time it is held against, whether the goal is at least (a ratio of speed) or at
# most (a ratio of time, or milliseconds), and the goal.
GOALS = [
    ("verify 20 elements, signer known: of the OpenSSL bound", "verify warm", "bound warm", "least", 0.85),
    ("verify 20 elements, signer known: faster than isomdoc", "verify warm", "isomdoc verify", "least", 3),
    ("verify 20 elements, all anew: faster than isomdoc", "verify cold", "isomdoc verify", "least", 1.3),
    ("verify a response of 300 KB: faster than isomdoc", "verify 300 KB", "isomdoc 300 KB", "least", 3),
    ("issue 20 elements: faster than isomdoc", "issue", "isomdoc issue", "least", 5),
    ("decode 20 elements with every tag 24: faster than cbor2", "decode deep", "cbor2 deep", "least", 5),
    ("encode a response of 300 KB: time beside libcbor's", "encode 300 KB", "libcbor 300 KB", "most", 3),
    ("QR code, clean picture: time beside zxing-cpp's", "qr clean", "zxing clean", "most", 3),
    ("QR codes that are read: time beside zxing-cpp's on the same", "qr read", "zxing read", "most", 2),
    ("issuer metadata over HTTP: faster than openid4vci", "issuer metadata", "openid4vci metadata", "least", 4),
    ("POST /nonce: faster than openid4vci", "issuer nonce", "openid4vci nonce", "least", 4),
    ("POST /credential, an mDL: faster than openid4vci", "issuer credential", "openid4vci credential", "least", 5),
    ("status list of 1 000 000 entries: load with signature", "status load", None, "most", 50_000),
    ("status list of 1 000 000 entries: look up", "status lookup", None, "most", 1_000),
    ("walletbench version", "version", None, "most", 15_000),
]
# Of the pictures of degrade.py, so many at least.
READABLE = 52


class Inputs:
    """Files for the benchmarks, and the same things for the peers."""

    def __init__(self, folder):
        root_key, self.signer_key, self.device_key = kit.new_key(), kit.new_key(), kit.new_key()
        self.root = kit.make_iaca(root_key)
        self.signer = kit.make_signer(self.signer_key, self.root, root_key)
        self.transcript = kit.transcript(kit.new_key())
        self.response, self.large = self._respond(twenty()), self._respond(twenty(portrait=300_000))
        scalar = self.signer_key.private_numbers().private_value.to_bytes(32, "big")
        for name, data in (("root.der", kit.der(self.root)), ("signer.der", kit.der(self.signer)), ("signer.scalar", scalar),
                           ("transcript.cbor", self.transcript), ("response.cbor", self.response), ("large.cbor", self.large)):
            (folder / name).write_bytes(data)
        # Every entry of 8 bits is another: nothing that compresses.
        statuses = random.Random(1).randbytes(1_000_000)
        (folder / "statuses.raw").write_bytes(statuses)
        (folder / "statuses.jwt").write_bytes(self._status_list(statuses))

    def _status_list(self, statuses):
        text = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
        header = {"alg": "ES256", "typ": "statuslist+jwt", "x5c": [base64.b64encode(kit.der(self.signer)).decode()]}
        claims = {"sub": "https://status.utopia.example/1", "iat": int(time.time()), "ttl": 3600,
                  "status_list": {"bits": 8, "lst": text(zlib.compress(statuses)).decode()}}
        signed = text(json.dumps(header).encode()) + b"." + text(json.dumps(claims).encode())
        r, s = utils.decode_dss_signature(self.signer_key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return signed + b"." + text(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def _respond(self, claims):
        issued = kit.issue(claims, kit.MDL, self.signer, self.signer_key, self.device_key.public_key())
        return kit.respond(issued, kit.MDL, self.device_key, self.transcript)


def twenty(portrait=600):
    """The claims of kit, up to twenty elements."""
    claims = {namespace: dict(elements) for namespace, elements in kit.claims().items()}
    claims[kit.MDL_NAMESPACE].update({
        "portrait": b"\xff\xd8\xff\xe0" + bytes(portrait) + b"\xff\xd9", "weight": 70, "eye_colour": "blue",
        "hair_colour": "brown", "birth_place": "Utopia City", "resident_address": "1 Main Street",
        "resident_city": "Utopia City", "nationality": "UT"})
    assert len(claims[kit.MDL_NAMESPACE]) == 20
    return claims


def deep(item):
    """Decodes every tag 24 below the item; the number of them."""
    count, todo = 0, [item]
    while todo:
        item = todo.pop()
        if isinstance(item, cbor2.CBORTag):
            count += item.tag == 24
            todo.append(cbor2.loads(item.value) if item.tag == 24 else item.value)
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, (list, tuple)):
            todo.extend(item)
    return count


def microseconds(body, seconds=0.3):
    """Processor time of one call, the mean of as many as fit."""
    body()
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        body()
        count += 1
    return spent / count * 1e6


def child_microseconds(*command):
    """User and system time of a process."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user + after.children_system - before.children_user - before.children_system) * 1e6


def measure_peers(inputs):
    roots = [inputs.root]
    verify = lambda data: peers.verify_isomdoc(data, roots, inputs.transcript, kit.MDL)
    return {
        "isomdoc verify": microseconds(lambda: verify(inputs.response)),
        "isomdoc 300 KB": microseconds(lambda: verify(inputs.large)),
        "isomdoc issue": microseconds(
            lambda: peers.issue_isomdoc(twenty(), kit.MDL, inputs.signer, inputs.signer_key, inputs.device_key)),
        "cbor2 deep": microseconds(lambda: deep(cbor2.loads(inputs.response)))}


def measure_ours(program, walletbench, folder):
    lines = subprocess.run([program, folder], check=True, capture_output=True, text=True).stdout.splitlines()
    times = {name: float(value) for name, value in (line.split("\t") for line in lines)}
    # The clock of processes ticks a hundred times a second.
    times["version"] = sum(child_microseconds(walletbench, "version") for _ in range(20)) / 20
    return times


def measure_pictures(program, walletbench, folder):
    """Times on pictures of one QR code, clean and degraded, and how many of the degraded each decoder reads."""
    code, pictures = folder / "clean" / "code.png", folder / "pictures"
    code.parent.mkdir()
    text = "mdoc:" + base64.urlsafe_b64encode(bytes(range(220))).decode().rstrip("=")
    subprocess.run([walletbench, "qr", "encode", text, "-o", code], check=True, stdout=subprocess.DEVNULL)
    degrade.main(code, pictures)
    rows = lambda of: [line.split("\t") for line in subprocess.run(
        [program, "--pictures", of], check=True, capture_output=True, text=True).stdout.splitlines()]
    clean = rows(code.parent)[0]
    times = {"qr clean": float(clean[2]), "zxing clean": float(clean[4]), "qr read": 0, "zxing read": 0}
    read = {"walletbench": 0, "zxing-cpp": 0, "zbar": 0}
    unread = []
    for name, ours, our_time, zxing, zxing_time, zbar, _ in rows(pictures):
        for decoder, found in zip(read, (ours, zxing, zbar)):
            read[decoder] += int(found)
        if ours == "1":
            times["qr read"] += float(our_time)
            times["zxing read"] += float(zxing_time)
        else:
            unread.append(name.removesuffix(".png"))
    return times, read, unread


def count_verdict(read, unread):
    holds = read["walletbench"] >= READABLE
    print("%-58s >= %6d     measured %6d     %s" % (
        "degraded QR codes read, of %d" % (read["walletbench"] + len(unread)), READABLE, read["walletbench"],
        "met" if holds else "MISSED"))
    print("  zxing-cpp alone reads %d, zbar alone %d; unread: %s" % (read["zxing-cpp"], read["zbar"], ", ".join(unread) or "none"))
    return 0 if holds else 1


def verdicts(times):
    """Prints the table; the number of goals that were missed."""
    missed = 0
    for title, ours, other, direction, goal in GOALS:
        if other is None:
            value, unit = times[ours] / 1000, " ms"
            goal /= 1000
        else:
            value, unit = (times[other] / times[ours], "x") if direction == "least" else (times[ours] / times[other], "x")
        holds = value >= goal if direction == "least" else value <= goal
        missed += not holds
        print("%-58s %s %6.2f%-3s  measured %6.2f%-3s  %s" % (
            title, ">=" if direction == "least" else "<=", goal, unit, value, unit, "met" if holds else "MISSED"))
    return missed


def main(program, walletbench, folder):
    inputs = Inputs(folder)
    best = {}
    for _ in range(ROUNDS):
        for name, value in {**measure_peers(inputs), **measure_ours(program, walletbench, folder)}.items():
            best[name] = min(value, best.get(name, value))
    times, read, unread = measure_pictures(program, walletbench, folder)
    best.update(times)
    best.update(issuers.measure_issuers(walletbench, folder, inputs))
    missed = verdicts(best) + count_verdict(read, unread)
    print()
    for name, value in best.items():
        print("%-21s %9.1f us" % (name, value))
    print("%d goals, %d missed" % (len(GOALS) + 1, missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
