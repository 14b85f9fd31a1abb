"""The programs of the pages run, and print what the pages say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import rows as questions

CORPUS_PAGE = questions.ROOT / "docs/corpus.md"
README = questions.ROOT / "integrations/python/README.md"


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    text = page.read_text("utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run(page: Path) -> None:
    """Runs the programs of a page in turn. A block of text after one is its output."""
    names: dict[str, object] = {"__name__": "page"}
    output = ""
    for language, text in blocks(page):
        if language == "python":
            assert not output.strip(), f"printed, but not on the page: {output}"
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(page), "exec"), names)
            output = printed.getvalue()
        elif language == "text":
            lines = [line.rstrip() for line in output.splitlines()]
            assert lines == text.splitlines()
            output = ""
    assert not output.strip()


@pytest.mark.usefixtures("spark")
def test_from_a_corpus_to_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not questions.CORPUS:
        pytest.skip("SKIPPED: the corpus is not in ../shared")
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    folder = tmp_path / "protego-0.7.0/tests/test_data"
    folder.mkdir(parents=True)
    for name, content in questions.corpus().items():
        (folder / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert sum(language == "python" for language, _ in blocks(CORPUS_PAGE)) >= 6
    run(CORPUS_PAGE)


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert sum(language == "python" for language, _ in blocks(README)) >= 3
    run(README)
