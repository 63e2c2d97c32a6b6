"""Characters that a person does not see and an agent reads: found, named, made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memsite.note import Finding, Severity

_TAGS = "\U000e0000-\U000e007f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_ZERO = "\u00ad\u180e\u200b\u2060-\u2064\ufeff"
# One search finds that there is nothing to look at, which is so for nearly every note.
_SUSPICIOUS = re.compile(f"[{_TAGS}{_BIDI}{_ZERO}\u200c\u200d\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_TAG_RUN = re.compile(f"[{_TAGS}]+")
_BIDI_RUN = re.compile(f"[{_BIDI}]")
_CONTROL_RUN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_ZERO_RUN = re.compile(f"[{_ZERO}]+")
# Joiners are lawful between letters of scripts that need them and inside emoji.
_JOINER_RUN = re.compile(
    "(?<![\u0600-\u109f\u1780-\u18aa\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff])[\u200c\u200d]+"
)
_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A, 0x0D)}
_NEUTRAL = (
    _PICTURES
    | {0x7F: 0x2421}
    | dict.fromkeys(range(128, 160), 65533)
    | dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), 65533)
)


def suspicious(text: str) -> bool:
    """Whether `text` holds anything that `hidden` or `neutral` would have to look at."""
    return (_CONTROL_RUN if text.isascii() else _SUSPICIOUS).search(text) is not None


def neutral(text: str) -> str:
    """`text` without hidden power: control characters become their pictures (`␛`), bidi controls
    `�`, tag characters vanish (but those of flags). Everything else keeps its place, so that
    lines and columns stay true."""
    flags: list[str] = []

    def keep(found: re.Match[str]) -> str:
        flags.append(found.group())
        return "\x00"

    shielded = _FLAG.sub(keep, text.replace("\x00", "\u2400"))
    stripped = _TAG_RUN.sub("", shielded)
    kept = iter(flags)
    return re.sub("\x00", lambda _: next(kept), stripped).translate(_NEUTRAL)


def hidden(text: str) -> Iterator[Finding]:
    """What `text` hides, as W012 findings, one for each line and kind."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not suspicious(line):
            continue
        bare = _FLAG.sub(lambda found: " " * len(found.group()), line)
        if number == 1:
            bare = bare.replace("\ufeff", " ", 1) if bare.startswith("\ufeff") else bare
        yield from _in_line(bare, number)


def _in_line(line: str, number: int) -> Iterator[Finding]:
    if found := _TAG_RUN.search(line):
        says = "".join(
            chr(ord(char) - 0xE0000) for char in found.group() if "\U000e0020" <= char < "\U000e007f"
        )
        yield _finding(number, found, f"invisible tag characters that say {says!r}", "error")
    if found := _BIDI_RUN.search(line):
        yield _finding(
            number, found, f"bidi control {_code(found)} changes the order in which text is shown", "error"
        )
    if found := _CONTROL_RUN.search(line):
        yield _finding(number, found, f"control character {_code(found)}", "error")
    if found := _ZERO_RUN.search(line):
        yield _finding(
            number,
            found,
            f"zero-width character {_code(found)}",
            "info" if found.group() == "\u00ad" else None,
        )
    if found := _JOINER_RUN.search(line):
        yield _finding(
            number, found, f"zero-width joiner {_code(found)} outside emoji and joining scripts", None
        )


def _code(found: re.Match[str]) -> str:
    return f"U+{ord(found.group()[0]):04X}"


def _finding(number: int, found: re.Match[str], message: str, severity: Severity | None) -> Finding:
    return Finding(
        "W012",
        number,
        found.start() + 1,
        message,
        "look at the line in an editor that shows invisible characters and remove them",
        severity,
    )
