"""Structures of a note that hold text which its reader does not see (W012).

They depend on the note's bytes alone, so that what is found may be kept with the parsed document.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from memsite.note import Finding, Severity

_CODE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}(?P=fence)[`~]*[ \t]*$|.*)"
    r"|(?P<ticks>`+)[^`\n]+(?P=ticks)",
    re.M | re.S,
)
_COMMENT = re.compile(r"<!--(?!\s*memsite-ignore\b)(.*?)-->", re.S)
_HIDDEN_TAG = re.compile(
    r"<[a-z][\w-]*\s[^<>]*?(?:\bhidden(?=[\s=/>])|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0\b)[^<>]*>",
    re.I,
)
_EMPTY_LINK = re.compile(r"(?<![!\\\]])\[\s*\]\((?!\s*\))[^()\s]+\)")
_LINK = re.compile(
    r"(?<![!\\])\[((?:https?://)?[\w.-]+\.[a-z]{2,}[^\[\]\s]*)\]\(<?(https?://[^\s()<>]+)>?[^()\n]*\)", re.I
)
_USER_INFO = re.compile(r"https?://[^\s/?#@<>\"'()]+@[^\s<>\"'()]+", re.I)
_BEACON = re.compile(r"!\[[^\[\]\n]*\]\(<?(https?://[^\s()<>]+\?[^\s()<>]+)>?[^()\n]*\)", re.I)
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
    text = content.decode("utf-8", "replace")
    bare: str | None = None
    for needed, pattern, describe in _KINDS:
        if needed not in text:
            continue
        if bare is None:
            bare = _without_code(text)
        yield from _findings(bare, pattern, describe)


def _findings(
    text: str, pattern: re.Pattern[str], describe: Callable[[re.Match[str]], tuple[str, Severity] | None]
) -> Iterator[Finding]:
    line, counted = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        described = describe(match)
        if described is not None:
            column = match.start() - text.rfind("\n", 0, match.start())
            yield Finding("W012", line, column, described[0], _HINT, described[1])


def _without_code(text: str) -> str:
    """`text` with code blanked out, every other character in its place."""
    if "`" not in text and "~~~" not in text:
        return text
    return _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _comment(match: re.Match[str]) -> tuple[str, Severity] | None:
    words = len(match.group(1).split())
    return (f"an HTML comment of {words} words that no reader sees", "info") if words else None


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


_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], tuple[str, Severity] | None]], ...] = (
    ("<!--", _COMMENT, _comment),
    ("<", _HIDDEN_TAG, _hidden_tag),
    ("](", _EMPTY_LINK, _empty_link),
    ("](", _LINK, _other_host),
    ("](", _BEACON, _beacon),
    ("@", _USER_INFO, _user_info),
    ("", _BASE64, _base64),
)
"""What must be in the text at all, the pattern, and what to say of a match (None: harmless)."""
