"""Types of arguments and results, for annotations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict, Union

from ._verger import Crawler

__all__ = [
    "Access",
    "AccessProfile",
    "Agent",
    "ClientOptions",
    "Dialect",
    "Headers",
    "LintProfile",
    "Outcome",
    "Reason",
    "RuleKind",
    "Severity",
    "Source",
    "Standing",
    "Text",
    "Url",
]

Text = Union[str, bytes, bytearray, memoryview]
"""Text, or its bytes."""

Url = Union[str, bytes, bytearray, memoryview]
"""A URL, or its bytes: absolute, or for `Robots` and `Policy` a path with an optional query."""

Agent = Union[str, bytes, Crawler]
"""A product token, a User-Agent header, or a `Crawler`."""

Headers = Union[
    Mapping[str, str], Mapping[bytes, bytes], Iterable[tuple[Union[str, bytes], Union[str, bytes]]]
]
"""Header fields of a response: a mapping, or pairs of name and value."""

Dialect = Literal[
    "rfc9309",
    "google",
    "koster1996",
    "book",
    "orig1994",
    "rep2019",
    "yandex",
    "baidu",
    "bing",
]
"""A name of `verger.DIALECTS`."""

AccessProfile = Literal[
    "rfc9309",
    "google",
    "google-old",
    "koster1996",
    "book",
    "orig1994",
    "rep2019",
    "yandex",
    "amazonbot",
    "strict",
    "archive",
]
"""A name of `verger.ACCESS_PROFILES`."""

Reason = Literal[
    "rule",
    "no_rule_matches",
    "no_group",
    "robots_txt_itself",
    "unavailable",
    "unreachable",
    "redirect_limit",
    "no_robots_for_scheme",
    "crawler_ignores_robots",
    "not_a_url",
]
"""The reason of a verdict. Later versions may have more.

- ``rule``: a rule decides.
- ``no_rule_matches``: no rule of the crawler's groups matches. Allowed.
- ``no_group``: no group applies to this crawler. Allowed.
- ``robots_txt_itself``: robots.txt itself may always be fetched.
- ``unavailable``: there is no robots.txt. Allowed; disallowed in some access
  profiles.
- ``unreachable``: robots.txt cannot be fetched. Disallowed; allowed after a long outage in some
  access profiles.
- ``redirect_limit``: robots.txt has too many redirects. Allowed; disallowed in some access
  profiles.
- ``no_robots_for_scheme``: URLs of this scheme have no robots.txt. Allowed.
- ``crawler_ignores_robots``: the crawler does not follow robots.txt. Allowed.
- ``not_a_url``: the text is neither an absolute URL nor a path. Disallowed.
"""

RuleKind = Literal["allow", "disallow"]
"""The kind of a rule."""

Standing = Literal["decides", "shorter", "later", "loses_tie", "repeats"]
"""The place of a rule among those that match: it decides, or why it does not."""

Severity = Literal["note", "warning", "error"]
"""The severity of a diagnostic."""

LintProfile = Literal["google", "bing", "yandex", "lighthouse", "strict"]
"""Settings of the linter for one reader of the file.

- ``google``: Google's crawlers. Its library must read the file as RFC 9309 does, limits of others
  do not count, and records that Google ignores are warnings.
- ``bing``: Bing's crawler, in the same way.
- ``yandex``: Yandex's crawlers, in the same way. A file above their size limit is an error.
- ``lighthouse``: only the problems that the audit ``robots-txt`` of Lighthouse reports.
- ``strict``: every dialect must read the file as RFC 9309 does; notes are warnings, and warnings
  are errors.
"""

Source = Literal["fetch", "store", "offline", "nothing"]
"""The source of the record of a decision.

- ``fetch``: a fetch during the check.
- ``store``: the store.
- ``offline``: the client is offline and a fetch is due. The previous answer applies.
- ``nothing``: the URL or the crawler needs no robots.txt.
"""

Access = Literal["rules", "allow_all", "disallow_all", "unknown"]
"""The access to a site: by the rules of its file, everything, nothing, or not known yet."""

Outcome = Literal[
    "success",
    "not_modified",
    "accepted_empty",
    "redirect_limit",
    "broken_redirect",
    "disallowed_hop",
    "network",
    "local_fault",
]
"""The outcome of a fetch of robots.txt that is not a status.

- ``success``: the same as the status 200.
- ``not_modified``: status 304 for a conditional request.
- ``accepted_empty``: status 202 without a body.
- ``redirect_limit``: too many redirects.
- ``broken_redirect``: a redirect that cannot or must not be followed.
- ``disallowed_hop``: a redirect to a URL that its own site disallows.
- ``network``: no complete response.
- ``local_fault``: a fault of the crawler's own machine or network.
"""


class ClientOptions(TypedDict, total=False):
    """Options of a client; see `Client`. For functions that pass them on as ``**options``."""

    from_address: str | None
    store: str | os.PathLike[str] | None
    max_store_bytes: int | None
    dialect: Dialect
    access_profile: AccessProfile
    timeout: float | None
    max_age: float | None
    offline: bool
    answers_while_refreshing: bool
    pause: float | None
    max_pause: float | None
    max_wait: float | None
    max_requests_per_site: int
    visit_times: bool
    max_connections_per_address: int | None
    proxy: str | None
    ca_files: list[str | os.PathLike[str]] | None
    allow_nets: list[str] | None
    http2_for_robots: bool
