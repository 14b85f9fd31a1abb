"""Fixtures for the tests of `verger.scrapy`: sites on this machine, and crawls of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from scrapy_crawls import Crawls
    from scrapy_site import Site

HAS_SCRAPY = importlib.util.find_spec("scrapy") is not None

# These import Scrapy at the top; doctest would import them.
collect_ignore = ["scrapy_worker.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    skip = pytest.mark.skip(reason="Scrapy is not installed: pip install 'verger[scrapy]'")
    for item in items:
        is_here = here in item.path.parents and item.path.name != "test_scrapy_import.py"
        if is_here and not HAS_SCRAPY:
            item.add_marker(skip)


@pytest.fixture
def new_site() -> Iterator[Callable[..., Site]]:
    """Starts sites, and stops them after the test."""
    from scrapy_site import Site

    sites: list[Site] = []

    def start(*arguments: object, **options: object) -> Site:
        site = Site(*arguments, **options)  # type: ignore[arg-type]
        sites.append(site)
        return site

    yield start
    for site in sites:
        site.stop()


@pytest.fixture(scope="session")
def crawls() -> Iterator[Crawls]:
    """Runs crawls in a process with the asyncio reactor, Scrapy's default."""
    from scrapy_crawls import Crawls

    with Crawls("asyncio") as crawls:
        yield crawls
