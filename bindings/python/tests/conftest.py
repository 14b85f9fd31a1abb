"""Fixtures: sites on this machine, and crawls of them by Scrapy."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import local_site
import pytest

if TYPE_CHECKING:
    import scrapy_site
    from scrapy_crawls import Crawls

HAS_SCRAPY = importlib.util.find_spec("scrapy") is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent / "test_scrapy"
    skip = pytest.mark.skip(reason="Scrapy is not installed: pip install 'verger[scrapy]'")
    for item in items:
        needs_scrapy = folder in item.path.parents and item.path.name != "test_scrapy_import.py"
        if needs_scrapy and not HAS_SCRAPY:
            item.add_marker(skip)


@pytest.fixture
def site() -> Iterator[local_site.Site]:
    """A server."""
    site = local_site.Site()
    yield site
    site.stop()


@pytest.fixture
def new_site() -> Iterator[Callable[..., scrapy_site.Site]]:
    """Starts sites for Scrapy, and stops them after the test."""
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
