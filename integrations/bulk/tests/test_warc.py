"""WARC files written by warcio, in Common Crawl's layout: every record is used, or counted and listed.

`VERGER_BULK` is the path of the program.
"""

import gzip
import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import BufferWARCWriter

PROGRAM = os.environ["VERGER_BULK"]
RULES = b"User-agent: *\nDisallow: /private\n"
OTHER = b"User-agent: GPTBot\nDisallow: /\n"


def response(url, date, status, body=b"", headers=(), warc=None):
    http = StatusAndHeaders(status, [*headers], protocol="HTTP/1.1")

    def build(writer):
        return writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=http,
            warc_headers_dict={"WARC-Date": date, **(warc or {})},
        )

    return build


def revisit(url, date, digest_of, refers_to, refers_date):
    def build(writer):
        digest = writer.create_warc_record(
            "https://x.example/", "response", payload=io.BytesIO(digest_of),
            http_headers=StatusAndHeaders("200 OK", [], protocol="HTTP/1.1"),
        )
        writer.ensure_digest(digest, block=False, payload=True)
        return writer.create_revisit_record(
            url, digest.rec_headers.get_header("WARC-Payload-Digest"), refers_to, refers_date,
            http_headers=StatusAndHeaders("200 OK", [], protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-Date": date},
        )

    return build


def other(url, kind, content_type, body=b"x"):
    def build(writer):
        return writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), warc_content_type=content_type,
            warc_headers_dict={"WARC-Date": "2025-01-01T00:00:00Z"},
        )

    return build


DAY1, DAY2 = "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"
CHUNKED = gzip.compress(OTHER, mtime=0)
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CHUNKED), CHUNKED)
RECORDS = [
    response("https://a.example/robots.txt", DAY1, "200 OK", RULES, [("Content-Type", "text/plain")]),
    response("http://b.example/robots.txt", DAY1, "301 Moved", headers=[("Location", "https://b.example/robots.txt")]),
    response("https://b.example/robots.txt", DAY1, "302 Found", headers=[("Location", "/r/robots.txt")]),
    response("https://b.example/r/robots.txt", DAY1, "200 OK", OTHER),
    response("https://c.example/robots.txt", DAY1, "404 Not Found", b"<p>no"),
    response("https://d.example/robots.txt", DAY1, "503 Busy"),
    response("https://e.example/robots.txt", DAY1, "200 OK", b"User-ag", warc={"WARC-Truncated": "disconnect"}),
    revisit("https://a.example/robots.txt", DAY2, RULES, "https://a.example/robots.txt", DAY1),
    revisit("https://f.example/robots.txt", DAY2, b"never seen", "https://f.example/robots.txt", DAY1),
    response("https://g.example/robots.txt", DAY1, "301 Moved", headers=[("Location", "https://elsewhere.example/r")]),
    response("https://h.example/robots.txt", DAY1, "200 OK", CHUNKED,
             [("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")]),
    response("https://l.example/robots.txt", DAY1, "301 Moved", headers=[("Location", "https://l.example/robots.txt")]),
    response("https://a.example/page", DAY1, "200 OK", b"<p>Welcome</p>", [("Content-Type", "text/html")]),
    response("https://h.example/robots.txt", DAY2, "200 OK", RULES),
    other("dns:a.example", "response", "text/dns", b"a.example. 60 IN A 192.0.2.1"),
    other("https://a.example/robots.txt", "request", "application/http; msgtype=request", b"GET /robots.txt HTTP/1.1\r\n\r\n"),
    other("https://a.example/robots.txt", "metadata", "application/warc-fields", b"fetchTimeMs: 5\r\n"),
]


def plain_records():
    """The bytes of each record, without compression."""
    found = []
    for build in [None, *RECORDS]:
        writer = BufferWARCWriter(gzip=False)
        if build is None:
            writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "test"}))
        else:
            writer.write_record(build(writer))
        found.append(writer.get_contents())
    return found


# Digests and lengths do not vary, but record ids do: one set for all files.
PLAIN = plain_records()


def members(kind):
    if kind == "warc":
        return list(PLAIN)
    if kind == "warc.gz":
        return [gzip.compress(record, mtime=0) for record in PLAIN]
    compressor = zstandard.ZstdCompressor(write_checksum=True, write_content_size=True)
    return [compressor.compress(record) for record in PLAIN]


def run(*arguments, expected):
    found = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert found.returncode == expected, found.stderr
    return found


def policies(folder, inputs, expected, *arguments):
    output = Path(folder) / "policies.parquet"
    run("policies", *inputs, "--agent", "GPTBot", "-o", output, *arguments, expected=expected)
    report = json.loads(Path(f"{output}.report.json").read_text())["counts"]
    listed = Path(f"{output}.skipped.jsonl")
    skipped = [json.loads(line) for line in listed.read_text().splitlines()] if listed.exists() else []
    return pq.read_table(output).to_pylist(), report, skipped, output.read_bytes()


def shown(rows):
    return sorted(
        (row["origin"], row["valid_from"].month, row["status"], row["redirects"], row["access"], row["reason"],
         row["captures"], row["policy"] is not None)
        for row in rows
    )


EXPECTED = [
    ("http://b.example", 1, 200, 2, "rules", None, 1, True),
    ("https://a.example", 1, 200, 0, "rules", None, 2, True),
    ("https://b.example", 1, 200, 1, "rules", None, 1, True),
    ("https://c.example", 1, 404, 0, "allow_all", "unavailable", 1, True),
    ("https://d.example", 1, 503, 0, "disallow_all", "unreachable", 1, True),
    ("https://e.example", 1, 200, 0, "unknown", "truncated", 1, False),
    ("https://f.example", 2, 200, 0, "unknown", "original_missing", 1, False),
    ("https://g.example", 1, 301, 1, "unknown", "redirect_target_missing", 1, False),
    ("https://h.example", 1, 200, 0, "rules", None, 1, True),
    ("https://h.example", 2, 200, 0, "rules", None, 1, True),
    ("https://l.example", 1, 301, 6, "allow_all", "redirect_limit", 1, True),
]


@pytest.mark.parametrize("kind", ["warc", "warc.gz", "warc.zst"])
def test_every_record_becomes_a_version_or_is_counted(tmp_path, kind):
    file = tmp_path / f"x.{kind}"
    file.write_bytes(b"".join(members(kind)))
    rows, report, skipped, _ = policies(tmp_path, [file], 1)
    assert shown(rows) == EXPECTED
    assert sorted(skip["kind"] for skip in skipped) == ["original_missing", "redirect_target_missing", "truncated"]
    records = sum(count for name, count in report.items() if name.startswith("records."))
    # A DNS record counts as a response and as one without HTTP.
    assert records == len(PLAIN) + report["records.not_http"]
    assert report["captures.robots_txt"] == 12 and report["captures.other"] == 2


def test_a_wacz_has_the_rows_of_its_archives(tmp_path):
    whole = members("warc.gz")
    file = tmp_path / "x.wacz"
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("datapackage.json", "{}")
        out.writestr("archive/a.warc.gz", b"".join(whole[:9]))
        out.writestr("archive/b.warc.gz", b"".join(whole[9:]))
    rows, report, skipped, _ = policies(tmp_path, [file], 1)
    assert shown(rows) == EXPECTED
    assert report["captures.robots_txt"] == 12
    assert {skip["input"] for skip in skipped} == {f"{file}/archive/{name}.warc.gz" for name in "ab"}


def test_an_arc_has_the_rows_of_the_same_responses(tmp_path):
    version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    arc = [b"filedesc://x.arc 0.0.0.0 20250101000000 text/plain %d\n%b\n" % (len(version), version)]
    warc = []
    for plain in PLAIN:
        record = next(ArchiveIterator(io.BytesIO(plain), no_record_parse=True))
        # ARC has no other records, and no field for a cut response.
        if record.rec_type != "response" or record.rec_headers.get_header("WARC-Truncated"):
            continue
        block = record.content_stream().read()
        date = "".join(filter(str.isdigit, record.rec_headers.get_header("WARC-Date")))
        url = record.rec_headers.get_header("WARC-Target-URI")
        arc.append(f"{url} 192.0.2.1 {date} text/plain {len(block)}\n".encode() + block + b"\n")
        warc.append(plain)
    (tmp_path / "x.warc").write_bytes(b"".join(warc))
    expected, *_ = policies(tmp_path, [tmp_path / "x.warc"], 1)
    assert len(expected) == 9
    for name, content in [("x.arc", b"".join(arc)), ("x.arc.gz", b"".join(map(gzip.compress, arc)))]:
        # warcio reads the same records.
        urls = [record.rec_headers.get_header("uri") for record in ArchiveIterator(io.BytesIO(content))]
        assert len(urls) == len(arc) and urls[1] == "https://a.example/robots.txt"
        (tmp_path / name).write_bytes(content)
        rows, report, _, _ = policies(tmp_path, [tmp_path / name], 1)
        assert rows == expected
        assert (report["records.response"], report["records.warcinfo"]) == (len(warc), 1)


@pytest.mark.parametrize("kind", ["warc.gz", "warc.zst"])
def test_a_damaged_member_is_listed_and_no_other_is_lost(tmp_path, kind):
    whole = members(kind)
    for at, member in enumerate(whole):
        damaged = bytearray(member)
        damaged[len(member) // 2] ^= 0x20
        file = tmp_path / f"x.{kind}"
        start = sum(map(len, whole[:at]))
        file.write_bytes(b"".join([*whole[:at], bytes(damaged), *whole[at + 1:]]))
        _, report, skipped, _ = policies(tmp_path, [file], 1)
        assert report["skipped.broken"] >= 1
        assert start in [skip["at"] for skip in skipped if skip["kind"] == "broken"]
        records = sum(count for name, count in report.items() if name.startswith("records."))
        assert records - report.get("records.not_http", 0) == len(whole) - 1


def test_a_file_that_is_cut_anywhere_loses_only_its_last_record(tmp_path):
    whole = members("warc.gz")
    data = b"".join(whole)
    ends = [sum(map(len, whole[:count])) for count in range(len(whole) + 1)]
    for cut in range(3, len(data), 211):
        file = tmp_path / "x.warc.gz"
        file.write_bytes(data[:cut])
        _, report, skipped, _ = policies(tmp_path, [file], 1 if cut not in ends else 0) \
            if cut not in ends and any(cut > end for end in ends[1:]) else (None, None, None, None)
        if report is None:
            continue
        complete = sum(1 for end in ends[1:] if end <= cut)
        records = sum(count for name, count in report.items() if name.startswith("records."))
        assert records - report.get("records.not_http", 0) == complete
        assert report["skipped.broken"] == 1 and ends[complete] in [skip["at"] for skip in skipped]


def test_files_that_are_no_warc_are_listed(tmp_path):
    for name, content in [("a.warc.gz", b"\x1f\x8b\x08 not gzip"), ("b.warc", b"<html>\n" * 9), ("c.warc.zst", b"\x28\xb5\x2f\xfdx")]:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "d.warc.gz").write_bytes(b"".join(members("warc.gz")))
    rows, report, skipped, _ = policies(tmp_path, [tmp_path], 1)
    assert shown(rows) == EXPECTED
    broken = [Path(skip["input"]).name for skip in skipped if skip["kind"] == "broken"]
    assert sorted(set(broken)) == ["a.warc.gz", "b.warc", "c.warc.zst"]


def test_the_bytes_do_not_depend_on_threads(tmp_path):
    for number in range(7):
        (tmp_path / f"{number}.warc.gz").write_bytes(b"".join(members("warc.gz")))
    _, _, _, one = policies(tmp_path, [tmp_path], 1, "--threads", 1)
    _, _, _, many = policies(tmp_path, [tmp_path], 1, "--threads", 8)
    assert one == many


def test_metrics_have_a_row_for_each_capture(tmp_path):
    file = tmp_path / "x.warc.gz"
    file.write_bytes(b"".join(members("warc.gz")))
    output = tmp_path / "metrics.parquet"
    run("metrics", file, "-o", output, expected=1)
    rows = pq.read_table(output).to_pylist()
    assert len(rows) == 12
    first = next(row for row in rows if row["origin"] == "https://a.example")
    assert (first["status"], first["content_type"], first["bytes"], first["disallow"]) == (200, "text/plain", len(RULES), 1)
    missing = next(row for row in rows if row["origin"] == "https://c.example")
    assert (missing["status"], missing["bytes"], missing["hash"]) == (404, None, None)


def test_changes_have_witnesses(tmp_path):
    file = tmp_path / "x.warc.gz"
    file.write_bytes(b"".join(members("warc.gz")))
    output = tmp_path / "changes.jsonl"
    run("changes", file, "--agent", "GPTBot", "--agent", "other", "-o", output, expected=1)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    by_agent = {row["agent"]: row for row in rows}
    assert set(by_agent) == {"GPTBot", "other"} and {row["origin"] for row in rows} == {"https://h.example"}
    assert by_agent["GPTBot"]["opened"] and not by_agent["GPTBot"]["closed"]
    assert not by_agent["other"]["opened"] and "/private" in by_agent["other"]["closed"][0]
