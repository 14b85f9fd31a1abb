"""Writes the reference of the package, ``docs/python-api.md``: ``python -m reference``.

The package with the client must be installed.
"""

from __future__ import annotations

import sys

from .page import PAGE, page

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE}: written", file=sys.stderr)
