"""The normal form of patterns and targets, in a reading."""

from __future__ import annotations

import re

from .._verger import octets
from ._readings import Paths

_UNITS = re.compile(rb"([A-Za-z0-9._~/-]+)|%([0-9A-Fa-f]{2})|([\0-\xff])", re.DOTALL)
_UNITS_AND_STARS = re.compile(rb"([*A-Za-z0-9._~/-]+)|%([0-9A-Fa-f]{2})|([\0-\xff])", re.DOTALL)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNSAFE = frozenset(range(0x21)) | frozenset(range(0x7F, 0x100)) | frozenset(b'"<>\\^`{|}')
_SAFE_TEXT = re.compile(r"[A-Za-z0-9._~/-]*").fullmatch


def normal(text: str, choices: Paths, *, keeps_stars: bool = False) -> str:
    """The normal form of a pattern or target, in ASCII."""
    if _SAFE_TEXT(text):
        return text
    # Text that is its own normal form, or an octet and whether it was an escape.
    units: list[str | tuple[int, bool]] = []
    for match in (_UNITS_AND_STARS if keeps_stars else _UNITS).finditer(octets(text)):
        if match[1]:
            units.append(match[1].decode("ascii"))
        elif match[2]:
            units.append((int(match[2], 16), True))
        else:
            units.append((match[3][0], False))
    if choices.lossy_escapes:
        units = _lossy(units)
    out: list[str] = []
    query = False
    for unit in units:
        if isinstance(unit, str):
            out.append(unit)
            continue
        octet, escaped = unit
        char = chr(octet)
        if octet in _UNRESERVED:
            out.append(char)
        elif char == "/" and choices.decodes_slash:
            out.append("/")
        elif octet in _UNSAFE or char in "*$":
            out.append(f"%{octet:02X}")
        elif char == "%":
            out.append("%" if choices.keeps_stray_percent and not escaped else "%25")
        elif choices.reserved == "distinct":
            out.append(f"%{octet:02X}" if escaped else char)
        elif choices.reserved == "equal":
            out.append("=" if char == "=" and choices.equals_kept else f"%{octet:02X}")
        elif not escaped and ((char == "?" and not query) or (query and char in "=&")):
            out.append(char)
            query = True
        else:
            out.append(f"%{octet:02X}")
    return "".join(out)


def _lossy(units: list[str | tuple[int, bool]]) -> list[str | tuple[int, bool]]:
    """Replaces octets that are not UTF-8 by those of U+FFFD."""
    out: list[str | tuple[int, bool]] = []
    run = bytearray()
    for unit in [*units, ""]:
        if not isinstance(unit, str) and unit[0] >= 0x80:
            run.append(unit[0])
            continue
        if run:
            out.extend((byte, True) for byte in bytes(run).decode("utf-8", "replace").encode())
            run.clear()
        out.append(unit)
    return out[:-1]
