"""`verger.migrate`."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import verger
from test_vectors import SUITE, decoded
from verger import migrate
from verger.migrate import _causes, _peers, _readings
from verger.migrate.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
AGENT = "ExampleBot"
SITE = "https://shop.example"


def found(peer: str, body: bytes, agent: str, path: str) -> tuple[str, bool | None, bool] | None:
    url = path if path.startswith("http") else SITE + path
    for it in migrate.differences(body, [agent], [url], peer):
        return it.cause, it.theirs, it.ours
    return None


CASES = [
    ("protego", b"User-agent: *\nDisallow: /a\xffb\n", "/ab", "not-utf-8"),
    ("protego", b"User-agent: *\nDisallow: /a\xc2\xa0\n", "/a", "white-space"),
    ("protego", b"User-agent: *\nDisallow: /a\xe2\x80\xa8x\n", "/a", "line-ends"),
    ("protego", b"User-agent *\nDisallow /a b\n", "/a%20b", "missing-colon"),
    ("protego", b"User-agent: *\nDisallow /a:b\n", "/a:b", "late-colon"),
    ("protego", b"User-agent: *\nCrawl-delay: 1\nUser-agent: b\nDisallow: /a\n", "/a",
     "rate-ends-agents"),
    ("protego", b"User-agent: *\nFoo: 1\nUser-agent: b\nDisallow: /a\n", "/a",
     "unknown-key-ends-agents"),
    ("protego", b"User-agent: ExampleBot/1.0\nDisallow: /a\n", "/a", "first-word"),
    ("protego", b"User-agent: Example\nDisallow: /a\n", "/a", "part-of-name"),
    ("protego", b"User-agent: *\nDisallow: http://x\n", "/http://x", "absolute-rule"),
    ("protego", b"User-agent: *\nDisallow: /\nAllow: /d/index.html\n", "/d/", "index-html"),
    ("protego", b"User-agent: *\nDisallow: /a=b\n", "/a%3Db", "reserved-characters"),
    ("protego", b"User-agent: *\nDisallow: /a%E9\n", "/a%E8", "escapes-outside-utf-8"),
    ("protego", b"User-agent: *\nDisallow: /a%zz\n", "/a%25zz", "stray-percent"),
    ("protego", b"User-agent: *\nDisallow: /a$\n", "/a$b", "dollar"),
    ("protego", b"User-agent: *\nDisallow: /\n", "/robots.txt?a", "robots-txt"),
    ("protego", b"\xff\xfe" + "User-agent: *\nDisallow: /\n".encode("utf-16-le"), "/", "utf-16"),
    ("urllib", b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\n", "/a", "byte-order-mark"),
    ("urllib", b"User-agent: *\n\nDisallow: /a\n", "/a", "blank-line"),
    ("urllib", b"User-agent: *\nDisalow: /a\n", "/a", "misspelt-key"),
    ("urllib", b"User-agent: *\nDisallow: /\nUser-agent: ExampleBot\n", "/a",
     "group-without-rules"),
    ("urllib", b"User-agent: *\nDisallow: /b\nUser-agent: *\nDisallow: /a\n", "/a",
     "first-star-group"),
    ("urllib", b"User-agent: ExampleBot\nAllow: /b\nUser-agent: ExampleBot\nDisallow: /a\n", "/a",
     "first-named-group"),
    ("urllib", b"User-agent: *\nDisallow: /*.gif\n", "/a.gif", "wildcard"),
    ("urllib", b"User-agent: *\nDisallow: /a$\n", "/a", "dollar"),
    ("urllib", b"User-agent: *\nAllow: /\nDisallow: /a\n", "/a", "precedence"),
    ("urllib", b"User-agent: *\nDisallow: /a/b\n", "/a%2Fb", "encoded-slash"),
    ("urllib", b"User-agent: *\nDisallow: /\n", "/robots.txt", "robots-txt"),
    ("urllib", b"User-agent: *\nDisallow: /\n", "?a", "missing-path"),
    ("urllib", b"User-agent: *\nDisallow: /caf\xe9\n", "/", "not-utf-8"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _peer(request: pytest.FixtureRequest) -> None:
    if "protego" in request.node.name or "no_difference_is" in request.node.name:
        pytest.importorskip("protego")


@pytest.mark.parametrize(
    ("peer", "body", "path", "cause"), CASES, ids=[f"{case[0]}-{case[3]}" for case in CASES]
)
def test_causes(peer: str, body: bytes, path: str, cause: str) -> None:
    if peer == "urllib" and _peers.reading(peer) != "urllib":
        pytest.skip("this Python has the newer urllib.robotparser")
    it = found(peer, body, AGENT, path)
    assert it is not None, "no difference"
    assert it[0] == cause
    assert it[1] != it[2]


def test_causes_that_explain_only_together() -> None:
    if _peers.reading("urllib") != "urllib":
        pytest.skip("this Python has the newer urllib.robotparser")
    body = b"User-agent: *\nAllow:\nDisallow: /a\n"
    (it,) = migrate.differences(body, [AGENT], [f"{SITE}/a"], "urllib")
    assert it.cause == "empty-rule + precedence"
    assert it.clause == "REP-AMB-2, REP-MATCH-10"
    assert (it.line, it.their_line, it.explained) == (3, 2, True)


def test_every_cause_has_a_clause_of_the_documentation() -> None:
    clauses = (ROOT / "docs/clauses.md").read_text("utf-8")
    names = [cause.name for cause in migrate.CAUSES]
    assert len(names) == len(set(names))
    for cause in (*migrate.CAUSES, migrate.RAISES):
        assert f"**{cause.clause}**" in clauses, cause.name
    choices = [choice for cause in migrate.CAUSES for choice in cause.choices]
    fields = {*_readings.Lines._fields, *_readings.Agents._fields, *_readings.Paths._fields}
    assert fields == set(choices), "every choice of the model belongs to a cause"


def test_every_cause_has_a_sentence_for_each_peer_that_has_it() -> None:
    for peer in migrate.PEERS:
        for cause in _causes.TABLES[_peers.reading(peer)].causes:
            assert "{" not in cause.sentence(peer)


@pytest.mark.parametrize("peer", migrate.PEERS)
def test_no_difference_is_unexplained_in_the_suite(peer: str) -> None:
    for case in SUITE["verdicts"]:
        url = decoded(case, "url").decode("utf-8", "surrogateescape")
        for it in migrate.differences(decoded(case, "robots"), [case["agent"]], [url], peer):
            assert it.explained, case["name"]


def test_a_reader_outside_of_the_table_is_unexplained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "opened", lambda peer, body: lambda agent, url: False)
    (it,) = migrate.differences(b"", [AGENT], [f"{SITE}/"], "urllib")
    assert (it.cause, it.clause, it.explained) == ("unexplained", "", False)


def test_reading_of_newer_urllib() -> None:
    """The reading of CPython 3.13.14 and 3.14.5, which this Python may not have."""
    table = _causes.TABLES["urllib-rfc9309"]
    body = b"User-agent: *\nAllow: /a\nDisallow: /*b\nDisallow: /c$d\nDisallow: /e%2Ff\n"
    body += b"Disallow: //g\n"
    file = _causes.File(body)
    answers = [("/ab", False), ("/a", True), ("/c$d", True), ("/e/f", False), ("//g", True)]
    for path, allowed in answers:
        assert file.answer(table.peer, AGENT, SITE + path).allowed == allowed, path
    analysis = file.analyse(table, AGENT, f"{SITE}/c$d", False, True)
    assert analysis is not None and [it.name for it in analysis.causes] == ["dollar"]


def test_unknown_peer() -> None:
    with pytest.raises(ValueError, match="expected one of protego, urllib"):
        list(migrate.differences(b"", [], [], "reppy"))


# The program


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    # Every version of urllib allows `/a.gif`, by one of the two rules.
    path.write_bytes(b"User-agent: *\nAllow: /\nAllow: /*\nDisallow: /a.g\n")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_text(capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path) -> None:
    urls = tmp_path / "urls"
    urls.write_text(f"# comment\n\n{SITE}/a.gif\n{SITE}/a\n")
    options = ["--urls", str(urls), "--from", "urllib", "--agent", AGENT]
    code, out, err = run(capsys, str(file), *options)
    assert (code, err) == (1, "")
    assert "1 of 2 answers differ" in out
    assert f"{file}:4: {AGENT} {SITE}/a.gif" in out
    assert re.search(r"urllib allows \(line [23]\); Verger disallows: .*`Disallow: /a\.g`", out)
    assert re.search(r"REP-(MATCH|AMB)-\d+", out)


def test_json(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    code, out, _ = run(capsys, str(file), "--from", "urllib", "--format", "json")
    report = json.loads(out)
    assert code == 1
    assert report["peers"]["urllib"]["unexplained"] == 0
    assert sum(cause["count"] for cause in report["causes"]) == len(report["differences"])
    first = report["differences"][0]
    assert {"peer", "cause", "clause", "file", "line", "url", "agent"} <= first.keys()
    assert first["peer_allows"] != first["verger_allows"]


def test_no_difference(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("User-agent: *\nDisallow: /a\n")
    urls = tmp_path / "urls"
    urls.write_text(f"{SITE}/a\n{SITE}/b\n")
    code, out, _ = run(capsys, str(tmp_path / "a"), "--urls", str(urls), "--from", "urllib")
    assert code == 0
    assert "0 of 4 answers differ" in out


def test_directory_and_standard_input(
    capsys: pytest.CaptureFixture[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, str(file.parent), "--from", "urllib")[0] == 1
    stdin = io.TextIOWrapper(io.BytesIO(file.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = run(capsys, "-", "--from", "urllib")
    assert code == 1 and "    -:" in out


def test_errors(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, str(tmp_path / "absent"), "--from", "urllib")
    assert (code, out) == (2, "") and "absent: No such file" in err
    (tmp_path / "empty").touch()
    code, _, err = run(capsys, str(file), "--from", "urllib", "--urls", str(tmp_path / "empty"))
    assert code == 2 and "no URLs found" in err
    monkeypatch.setitem(sys.modules, "protego", None)
    code, _, err = run(capsys, str(file), "--from", "protego")
    assert (code, err) == (2, "error: Protego is not installed. Run: pip install protego\n")
    for wrong, message in [
        (["--from", "x"], "invalid choice: 'x'"),
        (["--examples", "-1"], "expected a number from 0, but found '-1'"),
        (["--max-urls", "x"], "expected a number from 0, but found 'x'"),
    ]:
        with pytest.raises(SystemExit) as stopped:
            run(capsys, str(file), *wrong)
        assert stopped.value.code == 2
        assert message in capsys.readouterr().err


def test_an_absent_library_is_left_out(
    capsys: pytest.CaptureFixture[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "protego", None)
    code, out, err = run(capsys, str(file))
    assert code == 1 and "urllib" in out and "protego" not in out
    assert err.startswith("note: Protego is not installed.")


def test_options_before_the_file(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    options = ["--from", "urllib", "--agent", AGENT, "--agent", "OtherBot", "--examples", "0"]
    code, out, _ = run(capsys, *options, str(file))
    assert code == 1 and AGENT in out and "OtherBot" in out
    code, out, _ = run(capsys, "--from", "urllib", "--max-agents", "0", str(file))
    assert code == 1 and AGENT in out


def test_output_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("User-agent: *\nDisallow: /*caf\xe9\n", "utf-8")
    program = [sys.executable, "-m", "verger.migrate", "--from", "urllib", str(tmp_path / "a")]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(program, capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"caf\xe9" in done.stdout


def test_an_unexpected_error_is_not_a_difference(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    program = (
        "import runpy, sys; from verger import migrate; migrate.PEERS = None; "
        "runpy.run_module('verger.migrate', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "a"], capture_output=True)
    assert done.returncode == 2 and b"Traceback" in done.stderr


def test_rules_of_many_stars_take_seconds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"User-agent: *\nDisallow: /" + b"*a" * 100_000 + b"\n")
    begun = time.monotonic()
    _, out, _ = run(capsys, str(tmp_path / "a"), "--from", "urllib")
    assert "answers differ" in out
    assert time.monotonic() - begun < 30


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"User-agent: *\nDisallow: /*\x1b[2J\n")
    _, out, _ = run(capsys, str(tmp_path / "a"), "--from", "urllib", "--examples", "0")
    assert out and "\x1b" not in out


def test_generated_urls_are_near_the_rules() -> None:
    robots = verger.parse(b"User-agent: *\nDisallow: /a/*b$\nAllow: /x?y=1\n")
    urls = migrate.urls(robots, 1000)
    for path in ("/", "/a/b", "/a/xb", "/a/xbx", "/x?y=1", "/x", "/x?y%3D1"):
        assert any(url == SITE + path or url.lower() == (SITE + path).lower() for url in urls), path
    assert urls == migrate.urls(robots, 1000)
    assert len(migrate.urls(robots, 12)) == 12
