"""Front matter as nearly all of it is written, read without YAML's machinery: `key: value` on lines of
their own, lists in brackets or below their key.

A block is read here only where YAML reads the same from it; anything that could mean more to YAML
(anchors, colons, comments, nesting, words that stand for nothing) is left to it.
"""

from __future__ import annotations

import re

from memsite.markdown.hidden import suspicious
from memsite.note import PropertyValue

_LONGEST = 4_096
"""Characters. Beyond this the limits of front matter begin to matter, which are kept elsewhere."""
_LINE = re.compile(r"([A-Za-z_][\w-]{0,60}):(?: +(.*?))? *", re.ASCII)
_ENTRY = re.compile(r"( *)- +(.*?) *")
_PLAIN = re.compile(r"[^\W_](?:[\w .,;/()+@&'!?=-]|:(?=\w))*")
_IN_LIST = re.compile(r"[^\W_][\w ./()+@-]*")
_QUOTED = re.compile("\"([^\"\\\\\t\u2028\u2029\ufffe\uffff]*)\"|'([^'\t\u2028\u2029\ufffe\uffff]*)'")
_NOTHING = "null"


class _Unsure(Exception):
    """Only YAML knows what this says."""


def flat_properties(block: str) -> dict[str, PropertyValue] | None:
    """What `block` says, or None where that is not plain to see."""
    if len(block) > _LONGEST or suspicious(block):
        return None
    try:
        return _read(block.removesuffix("\n").split("\n") if block else [])
    except _Unsure:
        return None


def _read(lines: list[str]) -> dict[str, PropertyValue]:
    properties: dict[str, PropertyValue] = {}
    below: list[PropertyValue] | None = None
    key, indent = "", ""
    for line in lines:
        if found := _LINE.fullmatch(line):
            key, written = found.groups()
            if key in properties or key == _NOTHING:
                raise _Unsure
            below = None if written else []
            properties[key] = _value(written) if written else ""
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None or below is None or (below and entry[1] != indent):
            raise _Unsure
        indent = entry[1]
        below.append(_scalar(entry[2], _PLAIN))
        properties[key] = below
    return properties


def _value(written: str) -> PropertyValue:
    if written[0] != "[":
        return _scalar(written, _PLAIN)
    if written[-1] != "]":
        raise _Unsure
    inner = written[1:-1].strip(" ")
    return [_scalar(part.strip(" "), _IN_LIST) for part in inner.split(",")] if inner else []


def _scalar(written: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(written) and written != _NOTHING:
        return written
    quoted = _QUOTED.fullmatch(written)
    if quoted is None:
        raise _Unsure
    return quoted[1] if quoted[1] is not None else quoted[2]
