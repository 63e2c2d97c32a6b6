"""Names of the site's files: readable, safe on every disk, and steady when notes come and go.

A URL here is the path of a file below the site's root: posix, decoded, Unicode. `encoded` turns it
into what an `href` holds.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote

from memsite.markdown import slug

Key = TypeVar("Key", bound=Hashable)

# Device names of Windows, which no file there can carry whatever its extension.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin", "conout", "clock"}
    | {f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"}
)
_SEGMENT_BYTES = 100
_URL_BYTES = 180
_HASH_DIGITS = (6, 10, 16, 64)


@dataclass(frozen=True, slots=True)
class Wanted(Generic[Key]):
    """A name somebody asks for. `identity` never changes while the thing stays what it is."""

    key: Key
    plain: str
    identity: str
    exact: bool
    """`plain` is the identity itself, not a simplified spelling: it goes first."""


def short_hash(identity: str, digits: int = _HASH_DIGITS[0]) -> str:
    """The first hex digits of a hash of `identity`; the same on every machine."""
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def segment(name: str, identity: str, *, empty: str = "note") -> str:
    """One piece of a URL made of `name`: never empty, never a device name, never too long."""
    plain = slug(name)
    if not plain:
        return f"{empty}-{short_hash(identity)}"
    if plain in _DEVICES:
        return f"{plain}-{short_hash(identity)}"
    if len(plain.encode()) > _SEGMENT_BYTES:
        return f"{_cut(plain, _SEGMENT_BYTES - 10)}-{short_hash(identity)}"
    return plain


def _cut(text: str, size: int) -> str:
    """The start of `text` that fits into `size` bytes of UTF-8, without a dangling `-`."""
    return text.encode()[:size].decode("utf-8", "ignore").strip("-")


def wanted_path(key: Key, parts: Sequence[str], *, home: str, empty: str = "note") -> Wanted[Key]:
    """What the file or folder at `parts` (names inside a store) would like to be called below `home`."""
    identity = "/".join(parts)
    segments = [
        segment(part, "/".join(parts[: depth + 1]), empty=empty if depth == len(parts) - 1 else "folder")
        for depth, part in enumerate(parts)
    ]
    plain = "/".join((home, *segments))
    if len(plain.encode()) > _URL_BYTES:
        plain = f"{home}/{_cut(segments[-1], 60)}-{short_hash(identity)}"
    return Wanted(key, plain, identity, exact="/".join(segments) == identity)


def allot(
    names: Iterable[Wanted[Key]], *, reserved: Iterable[str] = (), settled: Mapping[Key, str] | None = None
) -> dict[Key, str]:
    """A name for each, no two equal on any disk.

    What has a name already (`settled`) keeps it, so that nothing moves when another note comes or goes.
    Of several new ones that want one name, the one whose path spells it exactly gets it; all others
    carry a short hash of their path. A running number would depend on the others; a hash does not.
    """
    wanted = list(names)
    taken = {folded(name) for name in reserved}
    given: dict[Key, str] = {}
    groups: defaultdict[str, list[Wanted[Key]]] = defaultdict(list)
    for name in wanted:
        kept = settled.get(name.key) if settled else None
        if kept is not None and _may_be_called(name, kept) and folded(kept) not in taken:
            given[name.key] = kept
            taken.add(folded(kept))
        else:
            groups[folded(name.plain)].append(name)
    crowded: list[Wanted[Key]] = []
    for spelling, group in groups.items():
        owner = _owner(group) if spelling not in taken else None
        crowded += [name for name in group if name is not owner]
        if owner is not None:
            given[owner.key] = owner.plain
            taken.add(spelling)
    for name in sorted(crowded, key=lambda name: name.identity):
        given[name.key] = _hashed(name, taken)
        taken.add(folded(given[name.key]))
    return {name.key: given[name.key] for name in wanted}


def _owner(group: Sequence[Wanted[Key]]) -> Wanted[Key] | None:
    exact = [name for name in group if name.exact]
    if len(exact) == 1:
        return exact[0]
    return group[0] if len(group) == 1 else None


def _may_be_called(name: Wanted[Key], spelling: str) -> bool:
    """Whether `allot` could have given this name: it is no leftover of a note that was moved."""
    hashes = (f"{name.plain}-{short_hash(name.identity, digits)}" for digits in _HASH_DIGITS)
    return spelling == name.plain or spelling in hashes


def _hashed(name: Wanted[Key], taken: set[str]) -> str:
    for digits in _HASH_DIGITS:
        spelling = f"{name.plain}-{short_hash(name.identity, digits)}"
        if folded(spelling) not in taken:
            return spelling
    raise AssertionError(f"two things with one identity: {name.identity!r}")


def folded(url: str) -> str:
    """The form in which a case-blind, normalising disk compares names."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", url).casefold())


def encoded(url: str) -> str:
    """`url` as it stands in an `href`: percent-encoded UTF-8."""
    return quote(url.encode("utf-8", "surrogatepass"), safe="/-._~")


def root_of(url: str) -> str:
    """The way from the page at `url` up to the root of the site: empty, `../`, `../../` ..."""
    return "../" * url.count("/")
