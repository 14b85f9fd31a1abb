"""Directives in pages and headers: ``noindex`` and the like, for responses of any HTTP client.

`Page.directives` has them for pages that `Client` has fetched.

>>> headers = {"Content-Type": "text/html", "X-Robots-Tag": "ExampleBot: noarchive"}
>>> directives("ExampleBot", headers, "<meta name=robots content=nofollow>")
['nofollow', 'noarchive']
"""

from ._verger import directives

__all__ = ["directives"]
