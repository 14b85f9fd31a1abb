"""Inputs and outputs in S3 (moto): the bytes are those of local files, also after faults and kills.

`VERGER_BULK` is the path of the program.
"""

import gzip
import http.client
import io
import json
import os
import random
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import boto3
import pyarrow
import pyarrow.parquet as pq
import pytest
from moto.server import ThreadedMotoServer

PROGRAM = os.environ["VERGER_BULK"]
KILLS = 50
SITES = 100
"""Sites of an archive."""
PART = 16 * 1024 * 1024
"""Bytes of a part of an upload."""
MEMORY = 24 * 1024
"""Kilobytes that a thread may take for an object in addition to a local file: pieces, TLS, requests."""


class Proxy(BaseHTTPRequestHandler):
    """Forwards requests to a server. One of `every` fails: with 503, or by an end within the body."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    upstream = None
    every = 0
    count = 0

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        cls = type(self)
        cls.count += 1
        fault = self.every and cls.count % self.every == 0 and cls.count // self.every % 2
        if self.every and cls.count % self.every == 0 and not fault:
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        upstream = http.client.HTTPConnection(*self.upstream, timeout=60)
        upstream.request(self.command, self.path, body or None, dict(self.headers))
        found = upstream.getresponse()
        content = found.read()
        self.send_response(found.status)
        for name, value in found.getheaders():
            if name.lower() not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                self.send_header(name, value)
        # The length of the object is that of a response to HEAD.
        length = found.getheader("Content-Length") if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", length or 0)
        self.end_headers()
        is_cut = fault and self.command == "GET" and len(content) > 1
        self.wfile.write(content[: len(content) // 2] if is_cut else content)
        self.close_connection |= bool(is_cut)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def store():
    """The addresses of a server of S3, and of a proxy before it with faults; a client."""
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    Proxy.upstream = moto.get_host_and_port()
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    direct = "http://{}:{}".format(*Proxy.upstream)
    client = boto3.client(
        "s3", endpoint_url=direct, region_name="us-east-1", aws_access_key_id="id", aws_secret_access_key="key"
    )
    client.create_bucket(Bucket="bucket")
    yield direct, f"http://127.0.0.1:{proxy.server_port}", client
    proxy.shutdown()
    moto.stop()


def environment(url, **more):
    return {
        **os.environ, "AWS_ENDPOINT_URL": url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", **more,
    }


def run(url, folder, *arguments, expected=0):
    command = [PROGRAM, *map(str, arguments)]
    found = subprocess.run(command, cwd=folder, env=environment(url), capture_output=True, text=True, timeout=300)
    assert found.returncode == expected, found.stderr
    return found.stderr


def member(url, http):
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n", 1, mtime=0)


def archive(site, count, page=0):
    """An archive, and the places of the robots.txt files in it."""
    random.seed(site)
    data, places = [], []
    for number in range(count):
        if page:
            data.append(member(f"https://{site}-{number}.example/", b"HTTP/1.1 200 OK\r\n\r\n" + random.randbytes(page)))
        robots = f"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{number}\n# {'x' * random.randrange(99)}\n"
        url = f"https://{site}-{number}.example/robots.txt"
        one = member(url, robots.encode())
        places.append((url, sum(map(len, data)), len(one)))
        data.append(one)
    return b"".join(data), places


@pytest.fixture(scope="module")
def crawl(store, tmp_path_factory):
    """Archives, a list and indexes of them, policies, and URLs: in a folder, and in the bucket."""
    folder = tmp_path_factory.mktemp("crawl")
    (folder / "crawl").mkdir()
    cdxj, rows = [], []
    for site in "abcd":
        name = f"crawl/{site}.warc.gz"
        data, places = archive(site, SITES, 200)
        (folder / name).write_bytes(data)
        for url, offset, length in places:
            fields = {"url": url, "status": "200", "length": str(length), "offset": str(offset), "filename": name}
            cdxj.append(f"key 20260101000000 {json.dumps(fields)}\n")
            rows.append({"url_path": "/robots.txt", "warc_filename": name, "warc_record_offset": offset,
                         "warc_record_length": length, "fetch_status": 200})
    (folder / "crawl/robotstxt.paths.gz").write_bytes(gzip.compress(b"".join(b"crawl/%c.warc.gz\n" % c for c in b"abcd")))
    (folder / "cdx-00000.gz").write_bytes(gzip.compress("".join(cdxj).encode()))
    pq.write_table(pyarrow.Table.from_pylist(rows), folder / "index.parquet", row_group_size=150)
    run("", folder, "policies", "crawl", "--agent", "x", "-o", "policies.parquet")
    # An output of several parts.
    count = 3 * PART // 2 // 110
    urls = [f"https://{'abcd'[at % 4]}-{at % SITES}.example/{at % 400}?{at}" for at in range(count)]
    pq.write_table(pyarrow.table({"url": urls}), folder / "urls.parquet", row_group_size=40_000)
    client = store[2]
    for path in folder.rglob("*"):
        if path.is_file():
            client.upload_file(str(path), "bucket", str(path.relative_to(folder)), ExtraArgs={"ACL": "public-read"})
    return folder


def stored(store, key):
    return store[2].get_object(Bucket="bucket", Key=key)["Body"].read()


INDEXES = [["{}cdx-00000.gz"], ["{}index.parquet"]]
INPUTS = [
    *INDEXES, ["{}crawl/"], ["{}crawl/robotstxt.paths.gz"],
    ["{}crawl/a.warc.gz", "{}crawl/b.warc.gz", "{}crawl/c.warc.gz", "{}crawl/d.warc.gz"],
]


@pytest.fixture(scope="module")
def local(crawl):
    """The output of each command for the archives of the folder."""
    commands = {}
    for command in ("policies --agent x", "metrics"):
        run("", crawl, *command.split(), crawl / "crawl", "-o", "local.parquet")
        commands[command] = (crawl / "local.parquet").read_bytes()
    return commands


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("base", ["", "s3://bucket/", "http"])
def test_the_bytes_are_those_of_local_archives(store, crawl, local, tmp_path, inputs, base):
    base = {"": f"{crawl}/", "http": f"{store[0]}/bucket/"}.get(base, base)
    if base.startswith("http") and inputs == ["{}crawl/"]:
        pytest.skip("an HTTP server has no list of files")
    named = [name.format(base) for name in inputs]
    for threads, (command, expected) in enumerate(local.items(), 1):
        output = f"out/{threads}.parquet"
        run(store[0], tmp_path, *command.split(), *named, "--threads", threads, "-o", f"s3://bucket/{output}")
        found = stored(store, output)
        if command == "metrics" and inputs in INDEXES:
            # The rows of each task are a row group, and the tasks of indexes are parts of them.
            assert pq.read_table(io.BytesIO(found)).equals(pq.read_table(io.BytesIO(expected)))
        else:
            assert found == expected
        report = json.loads(stored(store, f"{output}.report.json"))
        assert report["counts"]["captures.robots_txt"] == 4 * SITES
    assert list(tmp_path.glob("*.work")) == []


def check(base, output):
    return ["check", f"{base}urls.parquet", "--policies", f"{base}policies.parquet", "-o", output]


@pytest.fixture(scope="module")
def verdicts(crawl, tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    run("", folder, *check(f"{crawl}/", "v.jsonl"))
    data = (folder / "v.jsonl").read_bytes()
    assert len(data) > PART
    return data


def test_faults_of_a_server_change_no_byte(store, crawl, verdicts, tmp_path):
    for every in (3, 5):
        Proxy.every = every
        run(store[1], tmp_path, *check("s3://bucket/", "s3://bucket/faults.jsonl"))
        Proxy.every = 0
        assert stored(store, "faults.jsonl") == verdicts
        assert store[2].list_multipart_uploads(Bucket="bucket").get("Uploads", []) == []


def test_a_killed_run_continues_to_the_same_bytes(store, crawl, verdicts, tmp_path, tmp_path_factory):
    messages = tmp_path_factory.mktemp("messages") / "stderr"
    random.seed(1)
    command = [PROGRAM, *check("s3://bucket/", "s3://bucket/killed.jsonl"), "--threads", "2"]
    begun = time.monotonic()
    subprocess.run(command, cwd=tmp_path, env=environment(store[0]), check=True, capture_output=True)
    length = time.monotonic() - begun
    assert stored(store, "killed.jsonl") == verdicts
    store[2].delete_object(Bucket="bucket", Key="killed.jsonl")
    kills, unseen = 0, 0
    while kills < KILLS:
        # A file, not a pipe: nobody reads before the end.
        with open(messages, "a") as out:
            child = subprocess.Popen(command, cwd=tmp_path, env=environment(store[0]), stderr=out,
                                     stdout=subprocess.DEVNULL)
        try:
            child.wait(random.uniform(0, length))
            # On a machine that is less busy now, nearly all kills would come after the end.
            length *= 0.9
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            kills += 1
        keys = [it["Key"] for it in store[2].list_objects_v2(Bucket="bucket", Prefix="killed").get("Contents", [])]
        if "killed.jsonl" in keys:
            assert stored(store, "killed.jsonl") == verdicts
            store[2].delete_object(Bucket="bucket", Key="killed.jsonl")
        else:
            unseen += 1
    assert unseen > 0
    assert messages.read_text().count("continuing; finished tasks") > 1
    run(store[0], tmp_path, *check("s3://bucket/", "s3://bucket/killed.jsonl"), "--threads", "2")
    assert stored(store, "killed.jsonl") == verdicts
    assert list(tmp_path.iterdir()) == []


def test_names_and_credentials_that_are_wrong_are_errors_with_a_remedy(store, crawl, tmp_path):
    for arguments, expected in [
        (["metrics", "s3://bucket/none.warc.gz", "-o", "o.jsonl"], "could not read `s3://bucket/none.warc.gz`"),
        (["metrics", "s3://missing/x.warc.gz", "-o", "o.jsonl"], "answered 404"),
        (["metrics", "s3://missing/x/", "-o", "o.jsonl"], "NoSuchBucket"),
        (["metrics", "s3://bucket/crawl/a.warc.gz", "-o", "s3://missing/o.jsonl"], "could not write `s3://missing/o.jsonl`"),
        (["metrics", f"{store[0]}/bucket/none.warc.gz", "-o", "o.jsonl"], "answered 404"),
        (["metrics", "s3://bucket/crawl/a.warc.gz", "-o", f"{store[0]}/bucket/o.jsonl"], "begins with `s3://`"),
    ]:
        assert expected in run(store[0], tmp_path, *arguments, expected=2)
    # The server asks for credentials from its first request on.
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"
    try:
        strict = subprocess.Popen(
            [os.sys.executable, "-c", "from moto.server import main; main(['-p', '0'])"],
            stderr=subprocess.PIPE, text=True,
        )
        port = next(line.split(":")[-1].strip() for line in strict.stderr if "Running on" in line)
        error = run(f"http://127.0.0.1:{port}", tmp_path, "metrics", "s3://bucket/x.warc.gz", "-o", "o.jsonl", expected=2)
        assert "answered 403" in error and "AWS_ACCESS_KEY_ID" in error
    finally:
        del os.environ["INITIAL_NO_AUTH_ACTION_COUNT"]
        strict.kill()
        strict.wait()


def peak(url, folder, *arguments):
    """The peak memory of a run in kilobytes."""
    command = [PROGRAM, *map(str, arguments), "--threads", "1"]
    child = subprocess.Popen(command, cwd=folder, env=environment(url))
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0
    child.returncode = 0
    return usage.ru_maxrss


def test_memory_does_not_grow_with_an_object(store, crawl, tmp_path):
    for copies in (1, 6):
        path = tmp_path / f"{copies}.warc.gz"
        path.write_bytes(archive("m", 20, 300_000)[0] * copies)
        store[2].upload_file(str(path), "bucket", path.name)
        local = peak("", tmp_path, "metrics", path, "-o", "o.parquet")
        remote = peak(store[0], tmp_path, "metrics", f"s3://bucket/{path.name}", "-o", "o.parquet")
        assert remote < local + MEMORY, (local, remote)
