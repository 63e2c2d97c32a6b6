"""Characters that a person does not see and an agent reads: found, named, made harmless."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memsite.note import Finding, Severity

_TAGS = "\U000e0000-\U000e007f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_MARKS = "\u200e\u200f\u061c"
# Zero-width and invisible signs, blank fillers, deprecated format characters.
_ZERO = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"
_JOINERS = "\u200c\u200d"
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
# One search finds that there is nothing to look at, which is so for nearly every note.
_SUSPICIOUS = re.compile(
    f"[{_TAGS}{_BIDI}{_MARKS}{_ZERO}{_PRIVATE}{_JOINERS}{_CONTROL}\U000e0100-\U000e01ef]|[\ufe00-\ufe0f]{{2}}"
)
# Flags of regions: a black flag, two letters of the country, up to three of the region, the end.
_FLAG = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_TAG_RUN = re.compile(f"[{_TAGS}]+")
_OVERRIDE = re.compile("[\u202d\u202e]")
_BIDI_RUN = re.compile(f"[{_BIDI}]")
_MARK_RUN = re.compile(f"[{_MARKS}]+")
_CONTROL_RUN = re.compile(f"[{_CONTROL}]+")
_ZERO_RUN = re.compile(f"[{_ZERO}]+")
# Lawful: a zero-width space where words stand without blanks, the vowel separator of Mongolian.
_LAWFUL_ZERO = re.compile(
    "(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1980-\u19df])\u200b|(?<=[\u1820-\u18aa])\u180e"
)
# Joiners are lawful between letters of scripts that need them and inside emoji.
_JOINER_RUN = re.compile(
    "(?<![\u0600-\u109f\u1780-\u18aa\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff])[\u200c\u200d]+|[\u200c\u200d]{2,}"
)
# One selector chooses the look of the sign before it; ideographs have those beyond the sixteenth too.
_SELECTOR_RUN = re.compile(
    f"[{_SELECTORS}]{{2,}}|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
_PRIVATE_RUN = re.compile(f"[{_PRIVATE}]+")
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
        bare = _LAWFUL_ZERO.sub(" ", _FLAG.sub(lambda found: " " * len(found.group()), line))
        if number == 1:
            bare = bare.replace("\ufeff", " ", 1) if bare.startswith("\ufeff") else bare
        yield from _in_line(bare, number)


def _in_line(line: str, number: int) -> Iterator[Finding]:
    for pattern, describe in _KINDS:
        if found := pattern.search(line):
            described = describe(found)
            if described is not None:
                message, severity = described
                yield Finding("W012", number, found.start() + 1, message, _HINT, severity)


def _tags(found: re.Match[str]) -> tuple[str, Severity | None]:
    says = "".join(chr(ord(char) - 0xE0000) for char in found.group() if "\U000e0020" <= char < "\U000e007f")
    return f"invisible tag characters that say {says!r}", "error"


def _bidi(found: re.Match[str]) -> tuple[str, Severity | None] | None:
    line = found.string
    if _RIGHT_TO_LEFT.search(line) and not _OVERRIDE.search(line) and _balanced(line):
        return None
    return f"bidi control {_code(found)} changes the order in which text is shown", "error"


def _balanced(line: str) -> bool:
    """Whether every embedding and isolate ends on its line, as an input method writes them."""
    embeddings = sum(map(line.count, "\u202a\u202b")) - line.count("\u202c")
    isolates = sum(map(line.count, "\u2066\u2067\u2068")) - line.count("\u2069")
    return embeddings == isolates == 0


def _mark(found: re.Match[str]) -> tuple[str, Severity | None] | None:
    if _RIGHT_TO_LEFT.search(found.string):
        return None
    return f"direction mark {_code(found)} in text that runs from left to right", None


def _control(found: re.Match[str]) -> tuple[str, Severity | None]:
    return f"control character {_code(found)}", "error"


def _zero(found: re.Match[str]) -> tuple[str, Severity | None]:
    return f"zero-width character {_code(found)}", "info" if set(found.group()) <= _PASTED else None


def _joiner(found: re.Match[str]) -> tuple[str, Severity | None]:
    return f"zero-width joiner {_code(found)} outside emoji and joining scripts", None


def _selectors(found: re.Match[str]) -> tuple[str, Severity | None]:
    codes = (ord(char) for char in found.group())
    values = bytes(code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16 for code in codes)
    text = values.decode("ascii", "replace")
    return f"variation selectors {_code(found)}{f' that say {text!r}' if text.isprintable() else ''}", None


def _private(found: re.Match[str]) -> tuple[str, Severity | None]:
    icon = found.group() <= "\uf8ff"  # fonts put their icons there
    return f"private-use character {_code(found)}", "info" if icon else None


_KINDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, Severity | None] | None]], ...] = (
    (_TAG_RUN, _tags),
    (_BIDI_RUN, _bidi),
    (_MARK_RUN, _mark),
    (_CONTROL_RUN, _control),
    (_ZERO_RUN, _zero),
    (_JOINER_RUN, _joiner),
    (_SELECTOR_RUN, _selectors),
    (_PRIVATE_RUN, _private),
)
"""How each kind is found in a line and what is said of it (None: lawful there)."""
# What word processors and careless joins of files leave behind.
_PASTED = {"\u00ad", "\ufeff"}
_HINT = "Look at the line in an editor that shows invisible characters, and remove them."


def _code(found: re.Match[str]) -> str:
    return f"U+{ord(found.group()[0]):04X}"
