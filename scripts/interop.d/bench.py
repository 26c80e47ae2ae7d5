"""Drives the walletbench program: one home, its commands, and a presentation between two of its processes."""
import json
import os
import pathlib
import subprocess

import cbor2

TIMEOUT = 120


class Refused(Exception):
    """A command ended with another exit code than wanted; says what it printed."""


class Bench:
    def __init__(self, program, home):
        self.program, self.home = program, pathlib.Path(home)
        self.environment = dict(os.environ, WALLETBENCH_HOME=str(home), SWIFT_BACKTRACE="enable=no")

    def run(self, *arguments, wanted=(0,)):
        """Runs a command with --json and returns (exit code, its object)."""
        done = subprocess.run([self.program, *map(str, arguments), "--json"], env=self.environment, capture_output=True,
                              text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        if done.returncode not in wanted:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing"]
            raise Refused("%s ended %d: %s" % (" ".join(map(str, arguments[:2])), done.returncode, said[0][:300]))
        lines = done.stdout.splitlines()
        return done.returncode, json.loads(lines[-1]) if lines else {}

    def verify(self, response, transcript, anchor, reader_key=None):
        """The report of `reader verify` over files in the home's folder; `reader_key` (PEM) opens a MAC."""
        folder = self.home.parent
        (folder / "response.cbor").write_bytes(response)
        (folder / "transcript.cbor").write_bytes(transcript)
        key = []
        if reader_key:
            (folder / "reader.pem").write_bytes(reader_key)
            key = ["--reader-key", folder / "reader.pem"]
        return self.run("reader", "verify", "--response", folder / "response.cbor", "--transcript",
                        folder / "transcript.cbor", "--anchor", anchor, *key, wanted=(0, 1, 4))[1]

    def take(self, issued, key):
        """Imports a document with its device key and returns its id."""
        folder = self.home.parent
        (folder / "issued.cbor").write_bytes(issued)
        (folder / "device.pem").write_bytes(key)
        _, answer = self.run("holder", "import", folder / "issued.cbor", "--key", folder / "device.pem", "--no-passphrase")
        return answer["documents"][0]["id"]

    def present(self, document, anchor, *options, request="mdl"):
        """`holder present` to `reader read`, two processes over a socket: (report, response, SessionTranscript)."""
        holder = subprocess.Popen(
            [self.program, "holder", "present", "--doc", document, "--link", "unix:%s" % (self.home.parent / "link"),
             "--consent", "auto", "--json", *options], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, stdin=subprocess.DEVNULL)
        try:
            engagement = self._engagement(holder)
            _, report = self.run("reader", "read", "--engagement", engagement, "--request", request, "--anchor", anchor,
                                 wanted=(0, 1, 4))
            said = holder.communicate(timeout=TIMEOUT)[1]
        finally:
            holder.kill()
            holder.wait()
        if holder.returncode not in (0, 1):
            raise Refused("holder present ended %d: %s" % (holder.returncode, said.strip()[:300]))
        transcript = cbor2.loads(self.evidence("transcript.cbor"))
        return report, self.evidence("response.cbor"), transcript.value

    def evidence(self, name):
        """A file of the evidence that the reader's log has of its last transaction."""
        _, log = self.run("reader", "log", "list")
        folder = self.home.parent / "evidence"
        self.run("reader", "log", "export", log["records"][-1]["id"], "-o", folder)
        return (folder / name).read_bytes()

    @staticmethod
    def _engagement(holder):
        for line in holder.stdout:
            event = json.loads(line)
            if event.get("event") == "ready":
                return event["engagement"]
        raise Refused("holder present gave no engagement: %s" % holder.stderr.read().strip()[:300])


def violations(report):
    """Ids of the checks that failed."""
    return {check["id"] for check in report["checks"] if check["outcome"] == "fail"}
