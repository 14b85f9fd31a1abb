"""Types of arguments."""

from __future__ import annotations

from typing import Union

from ._verger import Crawler

Text = Union[str, bytes, bytearray, memoryview]
"""Text, or its bytes."""

Agent = Union[str, bytes, Crawler]
"""A product token, a User-Agent header, or a crawler."""
