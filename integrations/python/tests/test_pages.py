"""The programs of the pages run, and print what the pages say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rows as questions

CORPUS_PAGE = questions.ROOT / "docs/columns.md"
README = questions.ROOT / "integrations/python/README.md"
RECIPES = questions.ROOT / "docs/recipes.md"


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def run(page: Path) -> None:
    """Runs the programs of a page in turn. A block of text after one is its output.

    Commands for a shell are run if `verger bulk` is one of them: `VERGER_BULK` is its program.
    """
    names: dict[str, object] = {"__name__": "page"}
    output = ""
    for language, text in blocks(page):
        if language == "python":
            assert not output.strip(), f"printed, but not on the page: {output}"
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(page), "exec"), names)
            output = printed.getvalue()
        elif language == "sh" and "verger bulk" in text:
            verger = 'verger() { shift; "$VERGER_BULK" "$@"; }\n'
            subprocess.run(["bash", "-euc", verger + text], check=True, stdout=subprocess.DEVNULL)
        elif language == "text":
            lines = [line.rstrip() for line in output.splitlines()]
            expected = text.splitlines()
            assert lines == expected, (lines, expected)
            output = ""
    assert not output.strip()


@pytest.mark.usefixtures("spark")
def test_from_a_corpus_to_an_answer(tmp_path: Path) -> None:
    if not questions.CORPUS:
        pytest.skip("SKIPPED: the corpus is not in ../shared")
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    folder = tmp_path / "protego-0.7.0/tests/test_data"
    folder.mkdir(parents=True)
    for name, content in questions.corpus().items():
        (folder / name).write_bytes(content)
    assert sum(language == "python" for language, _ in blocks(CORPUS_PAGE)) >= 6
    run_as_a_reader(CORPUS_PAGE, tmp_path)


@pytest.mark.usefixtures("spark")
def test_recipes(tmp_path: Path) -> None:
    if not os.environ.get("VERGER_BULK"):
        pytest.skip("SKIPPED: VERGER_BULK is not set")
    assert [language for language, _ in blocks(RECIPES)].count("text") >= 7
    run_as_a_reader(RECIPES, tmp_path)


def test_readme(tmp_path: Path) -> None:
    assert sum(language == "python" for language, _ in blocks(README)) >= 3
    run_as_a_reader(README, tmp_path)


def run_as_a_reader(page: Path, folder: Path) -> None:
    """Runs a page in a new process: Spark's JVM keeps the folder in which it started."""
    command = [sys.executable, __file__, str(page)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    run(Path(sys.argv[1]))
