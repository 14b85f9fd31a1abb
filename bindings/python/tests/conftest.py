"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from local_site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """A server on this machine."""
    site = Site()
    yield site
    site.stop()
