"""Structures of a note that hold text which its reader does not see (W012).

They depend on the note's bytes alone, so that what is found may be kept with the parsed document.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from memsite.markdown.encoding import encoding_of
from memsite.note import Finding, Severity
from memsite.wording import plural

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile("`+")
# Every pattern below is bounded or fails at the next bracket: a hostile note cannot make one slow.
_COMMENT = re.compile(r"<!--(?!\s{0,9}memsite-ignore\b)(.*?)-->", re.S)
_HIDDEN_TAG = re.compile(
    r"<[a-z][\w-]{0,30}\s[^<>]{0,500}?(?:(?<![\w-])hidden(?=[\s=/>])|"
    r"(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0\b))[^<>]{0,500}>",
    re.I,
)
_EMPTY_LINK = re.compile(r"(?<![!\\\]])\[\s{0,9}\]\([^()\s]{1,1000}\)")
_LINK = re.compile(
    r"(?<![!\\])\[((?:https?://)?[\w.-]{1,200}\.[a-z]{2,24}[^\[\]\s]{0,500})\]\(<?(https?://[^\s()<>]{1,1000})",
    re.I,
)
_USER_INFO = re.compile(r"https?://[^\s/?#@<>\"'()]{1,200}@[^\s<>\"'()]", re.I)
_BEACON = re.compile(r"!\[[^\[\]\n]{0,500}\]\(<?(https?://[^\s()<>?]{1,500}\?)[^\s()<>]", re.I)
_BASE64 = re.compile(r"(?<![\w+/=.-])[A-Za-z0-9+/]{40,}={0,2}(?![\w+/=-])")
_FILE_ENDINGS = frozenset(
    "js ts jsx tsx mjs css html md txt json yaml yml toml xml csv png jpg jpeg gif svg webp pdf py rs "
    "go java sh exe".split()
)
"""What stands after the dot of `reveal.js` and `notes.md` is not the name of a domain."""
_HINT = "Delete what nobody put there on purpose."


def unseen(content: bytes) -> Iterator[Finding]:
    """Ways by which a note can hold text that its reader does not see, one finding each.

    Only the structure is judged, never the wording. Code is no hiding place: it is shown.
    """
    text = content.decode(encoding_of(content), "replace")
    bare: str | None = None
    for kind in _KINDS:
        if kind.needs in text:
            bare = _without_code(text) if bare is None else bare
            yield from _findings(kind, bare)


def _findings(kind: _Kind, text: str) -> Iterator[Finding]:
    line, counted = 1, 0
    # Nothing that must be closed is looked for after the last end of its sort.
    for match in kind.shape.finditer(text, 0, text.rfind(kind.ends) + len(kind.ends)):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        described = kind.describe(match)
        if described is not None:
            column = match.start() - text.rfind("\n", 0, match.start())
            yield Finding("W012", line, column, described[0], _HINT, described[1])


def _without_code(text: str) -> str:
    """`text` with code blanked out, every other character in its place."""
    if "`" not in text and "~~~" not in text:
        return text
    lines, fence = [], ""
    for line in text.split("\n"):
        marker = _FENCE.match(line)
        if fence:
            closes = marker and marker[1].startswith(fence) and not line[marker.end() :].strip()
            fence = "" if closes else fence
            lines.append(" " * len(line))
        elif marker and ("`" not in line[marker.end() :] or marker[1][0] == "~"):
            fence = marker[1]
            lines.append(" " * len(line))
        else:
            lines.append(_without_spans(line) if "`" in line else line)
    return "\n".join(lines)


def _without_spans(line: str) -> str:
    """`line` with its code spans as dots: from a run of backticks to the next run of that length."""
    runs = list(_TICKS.finditer(line))
    partner: dict[int, re.Match[str]] = {}
    following: dict[int, re.Match[str]] = {}
    for run in reversed(runs):
        if len(run.group()) in following:
            partner[run.start()] = following[len(run.group())]
        following[len(run.group())] = run
    pieces, position = [], 0
    for run in runs:
        if run.start() >= position and run.start() in partner:
            end = partner[run.start()].end()
            pieces += [line[position : run.start()], "·" * (end - run.start())]
            position = end
    return "".join((*pieces, line[position:]))


def _comment(match: re.Match[str]) -> tuple[str, Severity] | None:
    words = len(match.group(1).split())
    return (f"an HTML comment of {plural(words, 'word')} that no reader sees", "info") if words else None


def _hidden_tag(match: re.Match[str]) -> tuple[str, Severity]:
    return "an element that a browser would not show", "warning"


def _empty_link(match: re.Match[str]) -> tuple[str, Severity]:
    return "a link without text", "info"


def _other_host(match: re.Match[str]) -> tuple[str, Severity] | None:
    shown, real = _host(match.group(1)), _host(match.group(2))
    if not shown or not real or shown == real or real.endswith(f".{shown}") or shown.endswith(f".{real}"):
        return None
    return f"the text of the link names {shown}, but it leads to {real}", "warning"


def _host(url: str) -> str:
    """The host of `url` in lower case without `www.`, empty when there is none."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""
    named = (
        re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,}", host) and host.rpartition(".")[2] not in _FILE_ENDINGS
    )
    return host.removeprefix("www.") if named else ""


def _user_info(match: re.Match[str]) -> tuple[str, Severity]:
    return "an address with a user name before its host", "warning"


def _beacon(match: re.Match[str]) -> tuple[str, Severity]:
    return f"a picture from {_host(match.group(1)) or 'another host'} whose address carries a query", "info"


def _base64(match: re.Match[str]) -> tuple[str, Severity] | None:
    try:
        decoded = base64.b64decode(match.group() + "=" * (-len(match.group()) % 4), validate=True).decode(
            "ascii"
        )
    except (binascii.Error, UnicodeDecodeError):
        return None
    if not decoded.isprintable() or decoded.count(" ") < 3:
        return None
    return f"Base64 that decodes to text of {len(decoded)} characters", "info"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A structure that hides text. `describe` says what and how bad, or None where it is harmless."""

    needs: str
    shape: re.Pattern[str]
    describe: Callable[[re.Match[str]], tuple[str, Severity] | None]
    ends: str = ""


_KINDS = (
    _Kind("<!--", _COMMENT, _comment, "-->"),
    _Kind("<", _HIDDEN_TAG, _hidden_tag, ">"),
    _Kind("](", _EMPTY_LINK, _empty_link, ")"),
    _Kind("](", _LINK, _other_host),
    _Kind("](", _BEACON, _beacon),
    _Kind("@", _USER_INFO, _user_info),
    _Kind("", _BASE64, _base64),
)
