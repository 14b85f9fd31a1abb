"""A robots.txt parser with verdicts that name the deciding line, and a polite robots client.

>>> import verger
>>> robots = verger.parse(b"User-agent: *\\nDisallow: /cart\\nAllow: /cart/help\\n")
>>> verdict = robots.check("GPTBot", "https://shop.example/cart/1")
>>> bool(verdict)
False
>>> print(verdict)
disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)

Pass the bytes of a response, not a decoded string: the engine detects the encoding itself.

An agent is a product token (`"GPTBot"`), a whole User-Agent header, or a `Crawler`. A URL is
absolute, or a path with an optional query. Any other text is disallowed with reason `"not_a_url"`.

For crawlers: `Client` and `AsyncClient`. For authors of robots.txt files: `lint`, `format`, `diff`,
`diff_files` and the module `verger.analysis`. For sites: `identify` verifies crawlers. The module
`verger.crawlers` has known crawlers, `verger.page` reads ``noindex`` and the like in responses of
other HTTP clients, and `verger.protego`, `verger.robotparser` and `verger.scrapy` replace other
libraries.
"""

from . import _verger, analysis, crawlers, types
from ._errors import (
    CheckError,
    ClientBusy,
    Disallowed,
    InvalidUrl,
    Offline,
    TurnError,
    Unreachable,
    VergerError,
    WaitTooLong,
)
from ._lint import LintFinding, LintFix, LintLabel, LintReport, lint, lint_rules
from ._lint import format as format
from ._policy import Policy, PolicyRule, PolicyVerdict
from ._verger import (
    ACCESS_PROFILES,
    DIALECTS,
    Contender,
    Crawler,
    Diagnostic,
    Explanation,
    Group,
    Record,
    Robots,
    Rule,
    State,
    Verdict,
    __version__,
    compile_policy,
    is_allowed,
    parse,
    robots_url,
)
from .analysis import diff, diff_files

# `format` is not in the list: `from verger import *` would hide the function of Python.
__all__ = [
    "ACCESS_PROFILES",
    "DIALECTS",
    "CheckError",
    "ClientBusy",
    "Contender",
    "Crawler",
    "Diagnostic",
    "Disallowed",
    "Explanation",
    "Group",
    "InvalidUrl",
    "LintFinding",
    "LintFix",
    "LintLabel",
    "LintReport",
    "Offline",
    "Policy",
    "PolicyRule",
    "PolicyVerdict",
    "Record",
    "Robots",
    "Rule",
    "State",
    "TurnError",
    "Unreachable",
    "Verdict",
    "VergerError",
    "WaitTooLong",
    "__version__",
    "analysis",
    "compile_policy",
    "crawlers",
    "diff",
    "diff_files",
    "is_allowed",
    "lint",
    "lint_rules",
    "parse",
    "robots_url",
    "types",
]

# Builds for tests of the engine contain no client.
if hasattr(_verger, "ClientCore"):
    from . import page
    from ._client import AsyncClient, AsyncTurn, Client
    from ._identity import identify
    from ._verger import Decision, Page, Permit

    __all__ += [
        "AsyncClient",
        "AsyncTurn",
        "Client",
        "Decision",
        "Page",
        "Permit",
        "identify",
        "page",
    ]
