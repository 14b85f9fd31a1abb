"""`verger.identify`."""

from __future__ import annotations

import pytest
import verger

if not hasattr(verger, "identify"):
    pytest.skip("the package has no client", allow_module_level=True)


@pytest.mark.parametrize(
    ("agent", "ip", "verdict"),
    [
        ("GPTBot/1.2", "20.171.206.10", "verified"),
        ("GPTBot/1.2", "::ffff:20.171.206.10", "verified"),
        ("GPTBot/1.2", "203.0.113.9", "failed"),
        ("GPTBot/1.2", "10.0.0.1", "undecided"),
        ("GPTBot/1.2", None, "undecided"),
        ("Mozilla/5.0", "20.171.206.10", "undecided"),
    ],
)
def test_a_claim_is_verified_by_the_published_addresses(
    agent: str, ip: str | None, verdict: str
) -> None:
    found = verger.identify(agent, ip, at="2026-09-10")
    assert found["verdict"] == verdict
    assert verger.identify(ip=ip, at=1788998400, headers={"User-Agent": agent}) == (
        found | {"signature": {"status": "not_checked", "reason": "not_signed"}}
    )


def test_a_time_is_now_by_default_and_values_are_checked() -> None:
    assert verger.identify("GPTBot/1.2")["at"] >= "2026-09-10"
    for arguments in [{"ip": "x"}, {"at": "yesterday"}, {"headers": {"a": 1}}]:
        with pytest.raises(ValueError, match=r"invalid|expected"):
            verger.identify("GPTBot/1.2", **arguments)  # type: ignore[arg-type]
