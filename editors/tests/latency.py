"""Time from a key to its answers in a file with 31,843 rules, in milliseconds.

    cargo build --release -p verger-lsp
    python3 editors/tests/latency.py target/release/verger-lsp
"""

import json
import subprocess
import sys
import time

URI = "file:///nowhere/robots.txt"

RULES = 31_843

KEYS = 200


class Session:
    """A session over pipes."""

    def __init__(self, program):
        self.child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"capabilities": {}})
        self.tell("initialized", {})

    def send(self, message):
        """Writes a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.child.stdin.flush()

    def tell(self, method, params):
        """Sends a notification."""
        self.send({"method": method, "params": params})

    def wait(self, is_it):
        """Reads messages until one is the wanted one."""
        while True:
            length = int(self.child.stdout.readline().split()[1])
            self.child.stdout.readline()
            message = json.loads(self.child.stdout.read(length))
            if is_it(message):
                return message

    def ask(self, method, params):
        """Sends a request, and waits for its answer."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.wait(lambda it: it.get("id") == self.number)

    def key(self, version, line):
        """A key: inserts a character at the start of the value of a rule."""
        place = {"line": line, "character": 11}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        document = {"uri": URI, "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})


def main(program):
    """Prints the median and the 99th percentile of each kind of answer."""
    session = Session(program)
    rules = "".join(f"Disallow: /{number}/\n" for number in range(RULES))
    document = {"uri": URI, "languageId": "robots", "version": 0, "text": "User-agent: *\n" + rules}
    session.tell("textDocument/didOpen", {"textDocument": document})
    version = 0

    def problems():
        session.wait(lambda it: it.get("params", {}).get("version") == version)

    def request(method):
        position = {"line": line, "character": 3}
        answer = session.ask(method, {"textDocument": {"uri": URI}, "position": position})
        assert answer.get("result"), answer

    for name, answer in [
        ("problems", problems),
        ("completion", lambda: request("textDocument/completion")),
        ("hover", lambda: request("textDocument/hover")),
    ]:
        times = []
        for key in range(KEYS):
            version, line = version + 1, 1 + key * 97 % RULES
            start = time.perf_counter()
            session.key(version, line)
            answer()
            times.append((time.perf_counter() - start) * 1_000)
        times.sort()
        print(f"{name:10} p50 {times[KEYS // 2]:6.1f} ms, p99 {times[KEYS * 99 // 100]:6.1f} ms")
    session.ask("shutdown", None)
    session.tell("exit", None)
    session.child.wait()


if __name__ == "__main__":
    main(sys.argv[1])
