"""`verger.scrapy` without Scrapy."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["scrapy"] = None
try:
    import verger.scrapy
except ImportError as error:
    print(error)
"""


def test_without_scrapy_the_error_says_what_to_install() -> None:
    ended = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    hint = "verger.scrapy needs Scrapy 2.13 or newer: pip install 'verger[scrapy]'"
    assert ended.stdout.strip() == hint
