"""The program under test: run to its end, or as a server in another process."""

import json
import os
import subprocess
import tempfile
import threading

PROGRAM = os.path.abspath(os.environ["WALLETBENCH"])


class Failure(Exception):
    pass


def run(home, *words, code=0):
    """Runs the program to its end; what it printed."""
    done = subprocess.run([PROGRAM, *words, "--home", home], capture_output=True, text=True, timeout=600)
    if done.returncode != code:
        raise Failure(f"walletbench {' '.join(words)}: exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


class Server:
    """`verifier serve` or `issuer serve` as a process of its own."""

    def __init__(self, role, home, *words):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [PROGRAM, role, "serve", "--json", "--home", home, *words], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise Failure(f"{role} serve: exit {self.process.returncode}\n{self.errors.read()}")
        # Nobody else reads the events; a full pipe would hold the server.
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()
        self.ready = json.loads(line)
        self.url = self.ready["url"]

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


def expect(holds, what):
    if not holds:
        raise Failure(what)
