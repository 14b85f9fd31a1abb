"""Compares answers for logs of nginx, Apache, HAProxy and Caddy with those for the requests themselves.

Usage: log_formats.py VERGER SIGN PAGE, where SIGN is the example `sign`, and PAGE has the
configurations. A server that is missing is skipped, unless CI is set.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = "https://signature-agent.test"
LOG = "/var/log/requests.jsonl"

NGINX = """daemon off; error_log stderr; pid FOLDER/nginx.pid;
events {}
http {
  SNIPPET
  server { listen 127.0.0.1:PORT; location / { return 204; } }
}
"""
APACHE = """ServerName localhost
PidFile FOLDER/apache.pid
Listen 127.0.0.1:PORT
ErrorLog /dev/null
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule setenvif_module /usr/lib/apache2/modules/mod_setenvif.so
DocumentRoot FOLDER
SNIPPET
"""
HAPROXY = """defaults
  mode http
  timeout client 5s
  timeout server 5s
  timeout connect 5s
frontend site
  bind 127.0.0.1:PORT
  SNIPPET
  http-request return status 204
"""
CADDY = """{
	admin off
	auto_https off
}
http://:PORT {
	bind 127.0.0.1
	SNIPPET
	respond 204
}
"""

SERVERS = {
    "nginx": ("nginx", NGINX, ["-c"]),
    "apache": ("apache2", APACHE, ["-DFOREGROUND", "-f"]),
    "haproxy": ("haproxy", HAPROXY, ["-db", "-f"]),
    "caddyfile": ("caddy", CADDY, ["run", "--adapter", "caddyfile", "--config"]),
}


def run(*command, **options):
    return subprocess.run(command, capture_output=True, check=False, **options)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def send(server, port, head):
    deadline = time.monotonic() + 60
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
    with connection:
        connection.sendall(head)
        answer = connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 204") or b" 404 " in answer.split(b"\n")[0], answer[:80]


def requests(sign, secret):
    """Heads of requests, by name. The authority is that of the signature, not of the server."""
    signed = run(sign, secret, AGENT, "shop.example", "/a%20b?c=%22d%22").stdout
    lines = signed.split(b"\n", 2)
    assert lines[1].lower() == b"host: shop.example", signed
    fields = lines[2].rstrip(b"\n")

    def head(target=b"/a%20b?c=%22d%22", host=b"shop.example", agent=b"ExampleBot/1.0", fields=fields):
        lines = [b"GET " + target + b" HTTP/1.1", b"Host: " + host, b"User-Agent: " + agent, fields]
        return b"\r\n".join(lines).replace(b"\n", b"\r\n").replace(b"\r\r", b"\r") + b"\r\nConnection: close\r\n\r\n"

    other_nonce = [line for line in fields.split(b"\n") if not line.lower().startswith(b"signature:")]
    return {
        "signed": head(),
        "another authority": head(host=b"other.example"),
        "no signature": head(fields=b"Accept: */*"),
        "a signature is missing": head(fields=b"\n".join(other_nonce)),
        "quotes and a backslash": head(agent=b'Googlebot/2.1 ("\\a\\" \\\\x41)', fields=b"Accept: */*"),
        "other octets": head(agent=b"Googlebot/2.1 (\xc3\xa9 \xe9)", fields=b"Accept: */*"),
        "a fake": head(agent=b"Googlebot/2.1", fields=b"Accept: */*"),
    }


def answer(found):
    """What must not depend on the way of the request."""
    signature = found["signature"]
    crawlers = [claim.get("token") or claim.get("crawler") for claim in found.get("claims", [])]
    return found["verdict"], signature["status"], signature.get("reason"), crawlers


def check(name, verger, snippet, heads, options):
    program, skeleton, arguments = SERVERS[name]
    path = shutil.which(program) or shutil.which(f"/usr/sbin/{program}")
    if path is None:
        assert "CI" not in os.environ, f"{program} is missing"
        print(f"skipped: {program} is missing", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        port, log = free_port(), Path(folder, "requests.jsonl")
        text = skeleton.replace("SNIPPET", snippet.replace(LOG, str(log)))
        config = Path(folder, "config")
        config.write_text(text.replace("PORT", str(port)).replace("FOLDER", folder), "utf-8")
        os.chmod(folder, 0o755)
        output = log if name == "haproxy" else Path(folder, "output")
        with open(output, "wb") as out:
            server = subprocess.Popen([path, *arguments, str(config)], stdout=out, stderr=subprocess.PIPE)
            try:
                for number, head in enumerate(heads.values(), 1):
                    send(server, port, head)
                    # Lines of two requests can change places if the second one does not wait.
                    end = time.monotonic() + 10
                    while not log.exists() or log.read_bytes().count(b"\n") < number:
                        assert time.monotonic() < end, f"{name} wrote no line for request {number}"
                        time.sleep(0.01)
            finally:
                time.sleep(0.5)
                server.terminate()
                errors = server.communicate()[1].decode("utf-8", "replace")
                print(errors if server.returncode not in (0, -15, 143) else "", end="", file=sys.stderr)
        lines = [line for line in log.read_bytes().split(b"\n") if line]
        assert len(lines) == len(heads), (name, lines, errors)
        batch = run(verger, "identify", "--batch", log, *options)
        found = [json.loads(line) for line in batch.stdout.split(b"\n") if line]
        for line, (request, head), in_log in zip(lines, heads.items(), found, strict=True):
            assert "error" not in in_log, (name, request, in_log, line)
            direct = run(verger, "identify", "--ip", "127.0.0.1", "--headers", "-", "--format", "json",
                         *options, input=head.split(b"\r\n\r\n")[0])
            expected = answer(json.loads(direct.stdout))
            assert (request != "signed") or expected[1] == "verified", expected
            assert answer(in_log) == expected, (name, request, answer(in_log), expected, line)
    print(f"{program}: {len(heads)} requests of its log are judged as if read directly")


def main(verger, sign, page):
    snippets = dict(re.findall(r"^```(nginx|apache|haproxy|caddyfile)\n(.*?)^```", Path(page).read_text("utf-8"), re.M | re.S))
    with tempfile.TemporaryDirectory() as folder:
        secret, keys = os.path.join(folder, "key.json"), os.path.join(folder, "keys.json")
        assert run(verger, "identity", "key", secret).returncode == 0
        Path(keys).write_bytes(run(verger, "identity", "directory", secret).stdout)
        heads = requests(sign, secret)
        options = ["--offline", "--key-set", f"{AGENT}={keys}"]
        for name in SERVERS:
            check(name, verger, snippets[name], heads, options)


if __name__ == "__main__":
    main(*sys.argv[1:])
