"""robots.txt, whole: parse a file, ask for verdicts, and see which line decides.

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
"""

from . import _verger
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
    "compile_policy",
    "is_allowed",
    "parse",
    "robots_url",
]

# Builds for tests of the engine contain no client.
if hasattr(_verger, "ClientCore"):
    from ._client import AsyncClient, Client
    from ._verger import Decision, Page, Permit

    __all__ += ["AsyncClient", "Client", "Decision", "Page", "Permit"]
