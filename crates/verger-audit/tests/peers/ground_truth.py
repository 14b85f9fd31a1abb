"""Compares the verdicts of `verger audit` on real logs with those that scripted crawlers must get.

Usage: ground_truth.py VERGER. nginx, Apache and HAProxy run with a set clock (libfaketime); the clock of
Caddy cannot be set, so the times of its log are shifted. A missing server is skipped, unless CI is set.
"""

import glob
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path

import crawlers

# Statuses that a request can ask for, in the header field `X-Answer`.
STATUSES = [202, 301, 403, 404, 429, 503]

# The library reads the time in the file at each call. nginx clears the environment.
CLOCK = {
    "FAKETIME_TIMESTAMP_FILE": "FOLDER/now",
    "FAKETIME_NO_CACHE": "1",
    "FAKETIME_FMT": "%s",
    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    # Its name in old versions.
    "DONT_FAKE_MONOTONIC": "1",
    # The script sets the times of files.
    "NO_FAKE_STAT": "1",
}

NGINX = (
    "daemon off; master_process off; error_log stderr; pid FOLDER/nginx.pid; events {}\n"
    + "".join(f"env {name};\n" for name in CLOCK)
    + """http {
  access_log FOLDER/log combined;
  server {
    listen 127.0.0.1:PORT;
    root FOLDER/site;
"""
    + "".join(
        f"    if ($http_x_answer = {status}) {{ return {status}{' /elsewhere' if status == 301 else ''}; }}\n"
        for status in STATUSES
    )
    + """    location = /robots.txt { }
    location / { return 200 "page"; }
  }
}
"""
)
# One thread, so that the lines have the order of the requests.
APACHE = (
    """ServerName localhost
PidFile FOLDER/apache.pid
Listen 127.0.0.1:PORT
ErrorLog /dev/null
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
StartServers 1
ServerLimit 1
ThreadsPerChild 1
ThreadLimit 1
MaxRequestWorkers 1
MinSpareThreads 1
MaxSpareThreads 1
ServerSignature Off
DocumentRoot FOLDER/site
LogFormat "%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
CustomLog FOLDER/log combined
RewriteEngine On
"""
    + "".join(
        f"RewriteCond %{{HTTP:X-Answer}} ={status}\n"
        + ("RewriteRule ^ /elsewhere [R=301,L]\n" if status == 301 else f"RewriteRule ^ - [R={status},L]\n")
        for status in STATUSES
    )
    + """RewriteCond %{REQUEST_URI} !=/robots.txt
RewriteRule ^ /page.html [L]
"""
)
HAPROXY = """global
  nbthread 1
  log stdout len 65535 format raw local0
defaults
  mode http
  log global
  option httplog
  timeout client 60s
  timeout server 60s
  timeout connect 60s
frontend site
  bind 127.0.0.1:PORT
  capture request header Host len 200
  capture request header User-Agent len 400
  default_backend files
backend files
  server one 127.0.0.1:BACKEND
"""
CADDY = (
    """{
	admin off
	auto_https off
}
http://:PORT {
	bind 127.0.0.1
	log {
		output file FOLDER/log
	}
	root * FOLDER/site
	@robots path /robots.txt
	route {
"""
    + "".join(
        f"\t\t@s{status} header X-Answer {status}\n"
        + (f"\t\tredir @s{status} /elsewhere 301\n" if status == 301 else f"\t\trespond @s{status} {status}\n")
        for status in STATUSES
    )
    + """		file_server @robots
		respond "page"
	}
}
"""
)

# Program, configuration, arguments, and whether its clock can be set.
SERVERS = {
    "nginx": ("nginx", NGINX, ["-c"], True),
    "Apache": ("apache2", APACHE, ["-DFOREGROUND", "-f"], True),
    "HAProxy": ("haproxy", HAPROXY, ["-db", "-f"], True),
    "Caddy": ("caddy", CADDY, ["run", "--adapter", "caddyfile", "--config"], False),
}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Files(http.server.BaseHTTPRequestHandler):
    """The site behind HAProxy."""

    folder = None

    def do_GET(self):
        status, head, body = int(self.headers.get("X-Answer", 200)), {}, b"page"
        if self.path == "/robots.txt" and status == 200:
            file = self.folder / "site/robots.txt"
            head["Last-Modified"] = formatdate(file.stat().st_mtime, usegmt=True)
            known = self.headers.get("If-Modified-Since")
            if known and parsedate_to_datetime(known) >= parsedate_to_datetime(head["Last-Modified"]):
                status = 304
            body = b"" if status == 304 else file.read_bytes()
        if status == 301:
            head["Location"] = "/elsewhere"
        self.send_response(status)
        for name, value in head.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def send(server, port, request, renewed):
    """Sends a request; returns the status, and the time of the file."""
    lines = [
        f"{request.method} {request.target} HTTP/1.1",
        f"Host: {request.target.split('/')[2] if '://' in request.target else crawlers.HOST}",
        f"User-Agent: {request.crawler.header}",
        "Connection: close",
    ]
    if request.answer:
        lines.append(f"X-Answer: {request.answer}")
    if request.is_renewal:
        lines.append(f"If-Modified-Since: {renewed}")
    deadline = time.monotonic() + 60
    while True:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.bind((request.crawler.address, 0))
        connection.settimeout(60)
        try:
            connection.connect(("127.0.0.1", port))
            break
        except OSError:
            connection.close()
            assert server.poll() is None and time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
    with connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while part := connection.recv(1 << 16):
            answer += part
    head = answer.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if ": " in line)}
    return int(head[0].split()[1]), fields.get("last-modified")


def visit(server, port, folder, requests):
    """Sends all requests, each at its time, and changes robots.txt at the times of its versions."""
    versions, renewed = list(crawlers.VERSIONS), {}
    file, clock = folder / "site/robots.txt", folder / "now"
    for request in requests:
        while versions and versions[0][0] <= request.time:
            changed, text = versions.pop(0)
            file.write_text(text)
            os.utime(file, (changed, changed))
        # As a whole: the server may read it at any time.
        new = folder / "new"
        new.write_text(f"{request.time}\n")
        new.replace(clock)
        key = request.crawler.token
        status, modified = send(server, port, request, renewed.get(key))
        assert status == (304 if request.is_renewal else request.answer or 200), (request, status)
        if request.target == "/robots.txt" and status == 200:
            renewed[key] = modified
    assert not versions, "every version was served"


def shifted(log, requests):
    """The lines of Caddy with the times of the requests."""
    lines = [json.loads(line) for line in log.splitlines()]
    for line, request in zip(lines, requests, strict=True):
        line["ts"] = request.time + 0.25
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def log_of(name, folder, requests):
    """Runs a server for all requests, and returns its log; `None` if it is missing."""
    program, text, arguments, has_clock = SERVERS[name]
    path = shutil.which(program) or shutil.which(f"/usr/sbin/{program}")
    library = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") or [None])[0]
    for is_there, what in [(path, program), (library or not has_clock, "libfaketime")]:
        if not is_there:
            assert "CI" not in os.environ, f"{what} is missing"
            print(f"skipped: {what} is missing", file=sys.stderr)
            return None
    (folder / "site").mkdir()
    (folder / "site/page.html").write_text("page")
    for each in [folder, folder / "site"]:
        os.chmod(each, 0o755)
    port, backend = free_port(), None
    if name == "HAProxy":
        handler = type("Handler", (Files,), {"folder": folder})
        backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        text = text.replace("BACKEND", str(backend.server_port))
    config, log = folder / "config", folder / "log"
    config.write_text(text.replace("PORT", str(port)).replace("FOLDER", str(folder)))
    environment = {**os.environ, "TZ": "UTC"}
    if has_clock:
        (folder / "now").write_text(f"{crawlers.START}\n")
        environment |= {name: value.replace("FOLDER", str(folder)) for name, value in CLOCK.items()}
        environment["LD_PRELOAD"] = library
    output = log if name == "HAProxy" else folder / "output"
    with open(output, "wb") as out, open(folder / "errors", "wb") as errors:
        server = subprocess.Popen([path, *arguments, str(config)], stdout=out, stderr=errors, env=environment)
        try:
            visit(server, port, folder, requests)
            # A server can write the line of a request after its answer.
            deadline = time.monotonic() + 20
            while log.read_bytes().count(b"\n") < len(requests) and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
            if backend:
                backend.shutdown()
            if server.returncode not in (0, -15, -9, 143):
                print((folder / "errors").read_text("utf-8", "replace"), file=sys.stderr)
    found = log.read_bytes()
    return found if has_clock else shifted(found, requests)


def audit(verger, folder, log, *more):
    command = [verger, "audit", log, "--history", folder / "history", "--origin", f"http://{crawlers.HOST}"]
    command += ["--lists", folder / "lists", "--offline", "--format", "json", "--log-zone", "UTC", *more]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode in (0, 1), (command, done.stderr.decode("utf-8", "replace"))
    return json.loads(done.stdout)


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def expected(requests):
    """Requests by crawler, proof and verdict."""
    return Counter(
        (request.crawler.token, request.crawler.is_proved, request.verdict)
        for request in requests
        if request.crawler.token
    )


def found(report):
    rows = Counter()
    for crawler in report["crawlers"]:
        for verdict, count in crawler["verdicts"].items():
            if count:
                rows[crawler["token"], crawler["is_proved"], verdict] += count
    return rows


def score(want, have):
    """Precision and recall of each verdict."""
    for verdict in dict.fromkeys([key[2] for key in [*want, *have]]):
        of = lambda rows: {key: count for key, count in rows.items() if key[2] == verdict}
        right = sum((Counter(of(want)) & Counter(of(have))).values())
        wanted, made = sum(of(want).values()), sum(of(have).values())
        yield verdict, wanted, made, right / made if made else 0.0, right / wanted if wanted else 0.0


def check(name, verger, folder, log, requests):
    """Compares the whole log, and each stretch between two changes of robots.txt."""
    report = audit(verger, folder, log)
    want, have = expected(requests), found(report)
    print(f"{name}: {len(requests)} requests")
    for verdict, wanted, made, precision, recall in score(want, have):
        print(f"  {verdict:18} {wanted:5} expected {made:5} found  precision {precision:.3f}  recall {recall:.3f}")
    assert have == want, (name, {key: (want[key], have[key]) for key in {*want, *have} if want[key] != have[key]})
    people = sum(request.crawler.token is None for request in requests)
    assert report["verdicts"]["not_a_crawler"] == people, (name, report["verdicts"])
    skipped = sum(log["skipped"] for log in report["logs"])
    assert skipped == 0, (name, skipped)
    fast = {crawler["token"] for crawler in report["crawlers"] if crawler["too_fast"]}
    assert fast == {"CCBot"}, (name, fast)
    times = [crawlers.START, *(time for time, _ in crawlers.VERSIONS[1:]), requests[-1].time + 1]
    for begin, end in zip(times, times[1:]):
        during = [request for request in requests if begin <= request.time < end]
        part = audit(verger, folder, log, "--since", stamp(begin), "--until", stamp(end))
        want, have = expected(during), found(part)
        differences = {key: (want[key], have[key]) for key in {*want, *have} if want[key] != have[key]}
        assert not differences, (name, stamp(begin), differences)


def main(verger):
    requests = crawlers.requests()
    with tempfile.TemporaryDirectory() as base:
        base = Path(base)
        (base / "history").mkdir()
        (base / "lists").mkdir()
        for changed, text in crawlers.VERSIONS:
            (base / f"history/{stamp(changed).replace(':', '')}.txt").write_text(text)
        with open(base / "lists/lists.json", "w", encoding="utf-8") as lists:
            lists.writelines(json.dumps(each) + "\n" for each in crawlers.lists())
        os.chmod(base, 0o755)
        failed = []
        for name in SERVERS:
            folder = base / name
            folder.mkdir()
            try:
                text = log_of(name, folder, requests)
                if text is not None:
                    log = base / f"{name}.log"
                    log.write_bytes(text)
                    check(name, verger, base, log, requests)
            except Exception:
                traceback.print_exc()
                failed.append(name)
        sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
