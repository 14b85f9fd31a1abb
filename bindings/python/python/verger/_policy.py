"""Compiled policies: the rules for one agent, as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from . import _verger
from ._show import _Shown
from .types import Reason, RuleKind, Text, Url


class PolicyRule(NamedTuple):
    """The deciding rule of a verdict of a policy."""

    kind: RuleKind
    """``"allow"`` or ``"disallow"``."""
    pattern: str
    """The pattern as written; bytes that are not UTF-8 are shown as ``\\xNN``."""
    line: int
    """The line in the robots.txt, from 1."""


@dataclass(frozen=True)
class PolicyVerdict(_Shown):
    """The answer of a policy for one URL. It is true if the URL is allowed."""

    allowed: bool
    """Whether the crawler may fetch the URL."""
    reason: Reason
    """The reason, as in `Verdict.reason`."""
    rule: PolicyRule | None
    """The deciding rule; ``None`` without one, and in policies without explanations."""
    _text: str

    @property
    def line(self) -> int | None:
        """The line of the deciding rule, from 1; ``None`` if no rule decided or is known."""
        return None if self.rule is None else self.rule.line

    @property
    def temporary(self) -> bool:
        """Whether a later question may have another answer, as in `Verdict.temporary`."""
        return self.reason == "unreachable"

    def __bool__(self) -> bool:
        return self.allowed

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<PolicyVerdict: {self._text}>"


class Policy(bytes):
    """The rules of a robots.txt for one agent, compiled.

    A policy is its bytes: store it, send it to other processes, pickle it, or pass it to anything
    that takes a buffer. It answers as fast as possible and needs no robots.txt.

    Make one with `Robots.policy` or `compile_policy`, or from stored bytes: ``Policy(data)``.

    Raises:
        ValueError: the bytes are damaged, or of another format version. Compile again then.

    >>> policy = compile_policy(b"User-agent: *\\nDisallow: /cart\\n", "ExampleBot")
    >>> policy.is_allowed("https://shop.example/cart")
    False
    >>> Policy(bytes(policy)) == policy
    True
    """

    _compiled: _verger.CompiledPolicy

    def __new__(cls, data: bytes | bytearray | memoryview) -> Policy:
        # A number would be a length.
        code = super().__new__(cls, memoryview(data))
        code._compiled = _verger.CompiledPolicy(code)
        return code

    @classmethod
    def _of(cls, compiled: _verger.CompiledPolicy) -> Policy:
        code = super().__new__(cls, compiled.code())
        code._compiled = compiled
        return code

    def is_allowed(self, url: Url) -> bool:
        """Returns whether the agent may fetch a URL."""
        return self._compiled.is_allowed(url)

    def check(self, url: Url) -> PolicyVerdict:
        """Returns the verdict for a URL, with the deciding rule."""
        allowed, reason, kind, pattern, line, text = self._compiled.check(url)
        rule = None
        if kind is not None and pattern is not None and line is not None:
            rule = PolicyRule(kind, pattern, line)
        return PolicyVerdict(allowed, reason, rule, text)

    def are_allowed(self, urls: Iterable[Url]) -> list[bool]:
        """Returns for each URL whether the agent may fetch it."""
        return self._compiled.are_allowed(urls)

    def are_lines_allowed(self, lines: Text) -> bytes:
        """Returns one byte for each line of URLs: 1 if the agent may fetch it, else 0."""
        return self._compiled.are_lines_allowed(lines)

    def without_explanation(self) -> Policy:
        """Returns a shorter policy with the same answers, but without rules and lines."""
        return Policy._of(self._compiled.without_explanation())

    def __reduce__(self) -> tuple[type[Policy], tuple[bytes]]:
        return (Policy, (bytes(self),))

    def __repr__(self) -> str:
        return f"<Policy: {len(self)} bytes>"
