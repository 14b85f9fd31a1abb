"""A turn at an origin, and the verdict of a service."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._blame import shown

TURN = "_verger_turn"
"""The meta key of requests with a turn. Its value is a `Turn`."""


@dataclass(slots=True)
class Turn:
    """Permission of the service for one request. It lies in the meta of the request."""

    name: str
    is_held: bool = True


@dataclass(frozen=True)
class ServiceVerdict:
    """The verdict of a service, with the attributes of `verger.Verdict` that it has."""

    allowed: bool
    reason: str
    """As in the JSON contract: ``"rule"``, ``"unreachable"``, ``"pending"``, and so on."""
    line: int | None = None
    """The line of the deciding rule."""
    answer: dict[str, Any] = field(default_factory=dict, compare=False)
    """The answer of the service with its evidence."""

    @classmethod
    def of(cls, answer: dict[str, Any]) -> ServiceVerdict:
        """Returns the verdict of an answer of the service. Only `true` in its `allowed` allows."""
        rule = answer.get("rule") or {}
        allowed = answer.get("allowed") is True
        return cls(allowed, str(answer.get("reason", "unknown")), rule.get("line"), answer)

    @property
    def temporary(self) -> bool:
        """Whether the verdict may change when robots.txt can be fetched."""
        is_temporary = self.reason in {"unreachable", "pending", "busy"}
        return is_temporary or self.answer.get("unanswered") is True

    def __bool__(self) -> bool:
        return self.allowed

    def __str__(self) -> str:
        word = "allowed" if self.allowed else "disallowed"
        rule = self.answer.get("rule")
        if isinstance(rule, dict):
            kind = "Allow" if rule.get("kind") == "allow" else "Disallow"
            pattern = shown(str(rule.get("pattern", "")))
            return f"{word} by `{kind}: {pattern}` on line {rule.get('line')}"
        return f"{word}: {shown(self.reason)}"
