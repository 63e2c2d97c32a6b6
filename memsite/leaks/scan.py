"""Find secrets and personal data in text, whatever disguise they wear, and black them out."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import html
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from memsite.leaks.patterns import BLOCKS, IN_CONTEXT, LEAST, PREFIXED, REDACTED, Confidence, Pattern
from memsite.leaks.personal import DETAILS

_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_DISGUISE = re.compile(
    r"[&%\\<*`~=\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
    r"(?:(?<=&)[#A-Za-z]|(?<=%)[0-9A-Fa-f]{2}|(?<=\\)[!-/:-@\[-`{-~ux]|(?<=<)/?[a-z!]"
    r"|(?<=[\w-][*`~=])[\w*`~=-]|(?<![&%\\<*`~=]))"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<!--[^\n]{0,200}?-->")
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|s|small|span|strong|sub|sup|u|wbr)(?![\w-])[^>]*>|<!--.*?-->"
)
_ANY_TAG = re.compile(r"<[A-Za-z/!][^>]*>")
_URL_SAFE = str.maketrans("-_", "+/")
_EMPHASIS = re.compile(r"[*`~=](?<=[\w-].)(?:(?<=\*)\*{0,2}|(?<=`)`*|(?<=~)~|(?<==)=)(?=[\w-])")
"""Marks inside a word: a page shows the word whole."""
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([!-/:-@\[-`{-~]))")
# Whole runs only and never given back: a run of 70,000 letters must not be tried from each of them.
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_RUN = re.compile(rf"[!#-&*+\-./0-9:;=?@A-Z\\^_a-z~]{{{LEAST},}}")
"""Every token stands in such a run of ASCII without quotes and brackets; ordinary text has few."""
_WORD = re.compile(r"[!-~]{6,}")
_BLOCKS = [(need, pattern) for pattern in BLOCKS for need in pattern.needs]
_PREFIXES = [(need, pattern) for pattern in PREFIXED for need in pattern.needs]
_WORDS = [(need, pattern) for pattern in IN_CONTEXT for need in pattern.needs]
_DETAILS = [(need, detail) for detail in DETAILS for need in detail.needs]
_BEFORE = 40
"""Characters before a match in which its name must stand."""
_SHOWN = 4
"""First characters of a secret that a report may show; shorter ones show none of theirs."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Something in a text that should not be published. `start` and `end` are character offsets."""

    kind: str
    value: str = field(repr=False)
    start: int
    end: int
    confidence: Confidence = "high"
    personal: bool = False
    """Personal data rather than a secret."""
    disguised: bool = False
    """Found only after decoding: the range is then that of the whole line."""

    @property
    def stops(self) -> bool:
        """Whether a build refuses to publish this."""
        return not self.personal and self.confidence != "low"

    @property
    def hint(self) -> str:
        """As much of the value as may be printed."""
        return f"{self.value[:_SHOWN]}…" if len(self.value) >= 4 * _SHOWN else "…"


Engine = Callable[[str], Iterable[Leak]]
"""A further scanner; its leaks count like our own."""


@dataclass(frozen=True, slots=True)
class AllowList:
    """Values known to be harmless, as HMAC-SHA256 fingerprints: the list gives no short secret away."""

    key: bytes = b""
    fingerprints: frozenset[str] = frozenset()

    def __contains__(self, value: object) -> bool:
        return (
            bool(self.fingerprints)
            and isinstance(value, str)
            and fingerprint(value, self.key) in self.fingerprints
        )


NOTHING_ALLOWED = AllowList()


def fingerprint(value: str, key: bytes) -> str:
    """HMAC-SHA256 of `value` under the key of the user, as 32 hex digits."""
    return hmac.new(key, value.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:32]


def read_allow_list(text: str, key: bytes) -> AllowList:
    """The allow list in `text`: a line is a fingerprint, a blank and the reason; the rest are remarks."""
    words = (line.split(" ", 1)[0] for line in text.splitlines())
    return AllowList(key, frozenset(word for word in words if re.fullmatch(r"[0-9a-f]{32}", word)))


def find(text: str, *, allow: AllowList = NOTHING_ALLOWED, engine: Engine | None = None) -> tuple[Leak, ...]:
    """Secrets and personal data in `text`, sorted, none inside another.

    Each line that can hide something behind entities, escapes, percent signs, tags or zero-width
    characters is looked at once more without them. No mark in the text silences anything; a
    secret that is split over two lines is not found.
    """
    return _outermost([*_all_secrets(text, allow, engine), *_personal(text)])


def find_secrets(
    text: str, *, allow: AllowList = NOTHING_ALLOWED, engine: Engine | None = None
) -> tuple[Leak, ...]:
    """As `find`, without personal data."""
    return _outermost(_all_secrets(text, allow, engine))


def _all_secrets(text: str, allow: AllowList, engine: Engine | None) -> Iterator[Leak]:
    found = list(_in_clear(text, engine))
    found += _disguised(text, found, engine=engine)
    return (leak for leak in found if leak.value not in allow)


def mark(leak: Leak) -> str:
    """What stands for `leak` where it is blacked out: good in text, front matter and addresses."""
    return f"{REDACTED}{leak.kind}{REDACTED}"


def redact(text: str, leaks: Iterable[Leak]) -> str:
    """`text` with each leak replaced by a marked block; lines stay where they are."""
    parts, last = [], 0
    for leak in sorted(leaks, key=lambda leak: leak.start):
        breaks = "\n" * text.count("\n", leak.start, leak.end)
        parts += [text[last : leak.start], f"{mark(leak)}{breaks}"]
        last = leak.end
    return "".join((*parts, text[last:]))


# Own patterns --------------------------------------------------------------------------------


def _secrets(text: str) -> Iterator[Leak]:
    yield from tokens(text)
    yield from blocks(text)
    lower = text.lower()
    for pattern in dict.fromkeys([pattern for need, pattern in _WORDS if need in lower]):
        yield from _matches(pattern, text)


def runs(text: str) -> list[str]:
    """The runs of `text` that can hold a token."""
    return _RUN.findall(text)


def tokens(text: str) -> Iterator[Leak]:
    """Kinds that are known by their shape and stand in one run, also in Base64."""
    found = "\n".join(_RUN.findall(text))
    if not found:
        return
    # Most texts have the letters but not the shape: the runs alone tell, and are far shorter.
    for pattern in dict.fromkeys([pattern for need, pattern in _PREFIXES if need in found]):
        if pattern.shape.search(found):
            yield from _matches(pattern, text)
    if _BASE64.search(found):
        yield from _wrapped(text)


def blocks(text: str) -> Iterator[Leak]:
    """Kinds that go over several words or lines, such as private keys."""
    for need, pattern in _BLOCKS:
        if need in text:
            yield from _matches(pattern, text)


def _matches(pattern: Pattern, text: str) -> Iterator[Leak]:
    group = "value" if "value" in pattern.shape.groupindex else 0
    for match in pattern.shape.finditer(text):
        value = match[group]
        if pattern.plausible(value) and _follows(pattern, text, match.start()):
            yield Leak(pattern.kind, value, match.start(group), match.end(group), pattern.confidence)


def _follows(pattern: Pattern, text: str, start: int) -> bool:
    return pattern.before is None or bool(pattern.before.search(text[max(0, start - _BEFORE) : start]))


def _wrapped(text: str) -> Iterator[Leak]:
    """Tokens inside Base64, which agents and Kubernetes put around them."""
    for match in _BASE64.finditer(text):
        inner = _decoded(match.group())
        for need, pattern in _PREFIXES if inner else ():
            if need in inner and any(_matches(pattern, inner)):
                yield Leak(pattern.kind, match.group(), match.start(), match.end(), pattern.confidence)
                break


def _decoded(run: str) -> str:
    """The ASCII text that `run` is the Base64 of, or nothing."""
    if len(set(run[:24])) < 8 or run in (run.lower(), run.upper()):  # a line, a checksum
        return ""
    padded = run.rstrip("=").translate(_URL_SAFE)
    try:
        # The start tells nearly always, and a run may be a whole picture.
        if not base64.b64decode(padded[:24]).isascii():
            return ""
        text = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if text.replace("\n", "").isprintable() else ""


def _personal(text: str) -> Iterator[Leak]:
    for detail in DETAILS:
        if any(need in text for need in detail.needs):
            for match in detail.shape.finditer(text):
                if detail.is_private(match):
                    yield Leak(
                        detail.kind, match.group(), match.start(), match.end(), "medium", personal=True
                    )


# Disguises -----------------------------------------------------------------------------------


def undisguised(text: str) -> str:
    """`text` as a reader or a browser gets it: entities, percent signs and escapes decoded, tags,
    emphasis inside words and zero-width characters gone."""
    return _decode(_TAG.sub("", text))


def _readings(text: str) -> str:
    """`text` without disguise, and below it all its tags without any: addresses stand in them."""
    return "\n".join((undisguised(text), *map(_decode, _TAG.findall(text))))


def _decode(text: str) -> str:
    decoded = _ESCAPED.sub(_unescaped, unquote(html.unescape(without_hidden(text)), errors="replace"))
    return _EMPHASIS.sub("", without_hidden(decoded))


def without_hidden(text: str) -> str:
    """`text` without characters that have no width."""
    return text if text.isascii() else _ZERO_WIDTH.sub("", text)


def without_tags(text: str) -> str:
    """What a page shows of HTML: comments and tags inside a line gone, the others as line ends."""
    return _ANY_TAG.sub("\n", _INLINE_TAG.sub("", text))


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else match[3]


def revealed(text: str) -> str:
    """The lines of `text` that say something else once they are decoded, decoded; else nothing."""
    if not _DISGUISE.search(text):
        return ""
    odd = "\n".join(line for line in text.split("\n") if _DISGUISE.search(line))
    plain = _readings(odd)
    new = set(_WORD.findall(plain)).difference(_WORD.findall(odd))
    return "" if all(word in odd for word in new) else plain


def _disguised(text: str, found: Sequence[Leak], *, engine: Engine | None) -> Iterator[Leak]:
    """Lines with a secret that shows only when they are decoded; one leak has the range of the line."""
    plain = revealed(text)
    known = {leak.value for leak in found}
    if not plain or all(leak.value in known for leak in _in_clear(plain, engine)):
        return
    start = 0
    for line in text.split("\n"):
        for leak in _in_clear(_readings(line), engine) if _DISGUISE.search(line) else ():
            if leak.value not in known and leak.value not in line:
                yield Leak(leak.kind, leak.value, start, start + len(line), leak.confidence, disguised=True)
                break
        start += len(line) + 1


def _in_clear(text: str, engine: Engine | None) -> Iterator[Leak]:
    yield from _secrets(text)
    yield from engine(text) if engine else ()


def _outermost(leaks: Iterable[Leak]) -> tuple[Leak, ...]:
    """Sorted; of leaks that overlap the surest, first and longest, secrets before personal data."""
    kept: list[Leak] = []
    for leak in sorted(leaks, key=_rank):
        place = bisect(kept, leak.start, key=_start)
        before_ends = place == 0 or kept[place - 1].end <= leak.start
        if before_ends and (place == len(kept) or leak.end <= kept[place].start):
            kept.insert(place, leak)
    return tuple(kept)


def _start(leak: Leak) -> int:
    return leak.start


def _rank(leak: Leak) -> tuple[bool, bool, int, int, int]:
    """Of leaks that are equal in all of these the one that was found first stays: ours."""
    sureness = ("high", "medium", "low").index(leak.confidence)
    return leak.personal, leak.disguised, sureness, leak.start, -leak.end
