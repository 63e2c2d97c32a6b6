"""How names are compared and spelled: concept keys, match keys, slugs, and what a terminal may see."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CACHE = 1 << 16
_SEPARATORS = re.compile(r"[\s_/\-]+")
# Zero-width characters and soft hyphens: pasted from chat tools, never meant as part of a name.
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_NO_SLUG = re.compile(r"[^\w\u0300-\u036f]+|_+")


@lru_cache(maxsize=_CACHE)
def match_key(name: str) -> str:
    """The form in which two spellings of one name are equal: NFC, case folded, blanks squeezed to
    ordinary ones, invisible characters dropped. Never NFKC: `x²` and `x2` are two names."""
    if name.isascii():
        return name.strip().casefold()
    visible_name = _INVISIBLE.sub("", name).replace("\u00a0", " ")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", visible_name).casefold()).strip()


@lru_cache(maxsize=_CACHE)
def concept_key(name: str) -> str:
    """`Machine Learning`, `machine_learning` and `machine-learning` are one concept: `machine-learning`."""
    return _SEPARATORS.sub("-", match_key(name)).strip("-")


@lru_cache(maxsize=_CACHE)
def slug(text: str) -> str:
    """A readable piece of a URL or anchor: NFC, lower case, letters, marks and digits of every
    script kept, every other run of characters one `-`. Empty when nothing is left."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    if folded.isascii():
        return _NO_SLUG.sub("-", folded).strip("-")
    kept = (char if char.isalnum() or unicodedata.category(char)[0] == "M" else "-" for char in folded)
    return re.sub("-+", "-", "".join(kept)).strip("-")


_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""`text` with every control, bidi and tag character spelled out (`\x1b`, `\u202e`): safe for
    a terminal and for titles. Tabs and line feeds stay."""
    if text.isprintable():  # nothing of the kind is, and nearly every text is
        return text
    return _CONTROL.sub(lambda found: _spelled(found.group()), text)


def _spelled(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
