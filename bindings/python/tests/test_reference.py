"""The reference of the package, `docs/python-api.md`, is complete and current."""

from __future__ import annotations

import pytest
import verger

from reference import page

CURRENT = page.PAGE.read_text("utf-8")


@pytest.mark.parametrize("title", page.sections())
def test_every_section_is_current(title: str) -> None:
    # Without the client, its section cannot be generated, and others have no links to it.
    is_whole = hasattr(verger, "Client")
    section = page.sections()[title]
    hint = "the page is out of date: run `python -m reference` with the wheel installed"
    if is_whole:
        assert section in CURRENT, hint
    else:
        assert without_links(section) in without_links(CURRENT), hint


def without_links(text: str) -> str:
    """The words of a page, in one line: links change the length of lines."""
    return " ".join(page.LINK.sub(r"\1", text).split())


@pytest.mark.skipif(not hasattr(verger, "Client"), reason="built without the client")
def test_the_page_is_current() -> None:
    assert page.page() == CURRENT


def test_the_page_has_everything_that_the_package_exports() -> None:
    assert page.missing() == set()


def test_every_entry_is_documented() -> None:
    for entries in page.groups().values():
        for entry in entries:
            assert entry.doc and entry.signatures, entry.name
            for method in entry.methods:
                assert method.doc and method.signatures, method.name


def test_links_lead_to_headings() -> None:
    anchors = {page.anchor(line.lstrip("# ")) for line in CURRENT.split("\n") if line[:1] == "#"}
    for _, target in page.LINK.findall(CURRENT):
        if target.startswith("#"):
            assert target[1:] in anchors, target


def test_examples_and_tables_are_kept() -> None:
    assert "```pycon\n>>> parse(" in CURRENT
    assert "\n| `VERGER_TIMEOUT` | 30 |" in CURRENT
    assert "::\n" not in CURRENT and "\n    >>>" not in CURRENT
