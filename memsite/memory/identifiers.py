"""What a user may call a note, and which note that is.

An identifier is an address, `memory://<path>`, an entry id, a file name, a path inside a store, a
title or an alias. Reading forgives case and spelling; writing wants an exact and unique name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import normalize
from urllib.parse import unquote

from memsite.errors import AmbiguousName, NotFound, OutsideStore
from memsite.markdown import concept_key, match_key
from memsite.note import Address, Note, StoreKind

SCHEME = "memory://"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Identifier:
    """`name` as the user gave it without scheme, and whether it came as `memory://...`."""

    text: str
    name: str
    is_address: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A note and everything it may be called, apart from its path."""

    address: Address
    kind: StoreKind
    path: str
    names: tuple[str, ...]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Path and file name with and without `.md`, `<store>/<path>`, id, title, aliases."""
        stem = self.path.removesuffix(".md")
        address = self.address.removeprefix(SCHEME)
        return (address, self.path, stem, self.path.rsplit("/", 1)[-1], stem.rsplit("/", 1)[-1], *self.names)


def named(note: Note) -> Named:
    names = (note.id, note.title, *note.names)
    return Named(note.address, note.kind, note.path, tuple(name for name in names if name))


def parse_identifier(text: str) -> Identifier:
    """Raises OutsideStore (E011) for anything that climbs out of a store, NotFound (E002) for nothing."""
    is_address = text.lower().startswith(SCHEME)
    name = text[len(SCHEME) :] if is_address else text
    if not name.strip().strip("/"):
        raise NotFound("The name of a note is empty.", hint="`memsite list` shows all notes.")
    if any(map(_leaves_store, (name, unquote(name)))):
        raise OutsideStore(
            f"'{text}' leads out of the store.",
            hint="Give an address, an id, a title or a path inside a store.",
            identifier=text,
        )
    return Identifier(text, name, is_address)


def _leaves_store(name: str) -> bool:
    steps = name.replace("\\", "/").split("/")
    return "\0" in name or ".." in steps or name.startswith(("/", "\\")) or bool(_DRIVE.match(name))


def paths_of(name: str) -> tuple[str, ...]:
    """The paths inside a store that `name` may mean, likeliest first."""
    spellings = dict.fromkeys((name, unquote(name)))
    found = (path for each in spellings for path in ((each,) if each.endswith(".md") else (f"{each}.md",)))
    return tuple(found)


def store_order(name: str) -> Callable[[StoreKind], int]:
    """Entry ids are looked up in the workflow store first, other names in the system store; vaults last."""
    entry = name.rsplit("/", 1)[-1].upper().startswith(("MEM-", "TIP-"))
    first: tuple[StoreKind, ...] = ("workflow", "system") if entry else ("system", "workflow")
    return (*first, "vault").index


def choose(identifier: Identifier, notes: Sequence[Named]) -> Address:
    """The note that is meant when reading: exact, else case-blind, else by concept key.

    Raises AmbiguousName (E005) when two fit equally well, NotFound (E002) when none fits.
    """
    order = store_order(identifier.name)
    for level in (_exactly, match_key, concept_key):
        fits = _fitting(identifier.name, notes, level)
        if fits:
            first = min(order(note.kind) for note in fits)
            return _only(identifier, [note for note in fits if order(note.kind) == first])
    raise not_found(identifier, notes)


def choose_exactly(identifier: Identifier, notes: Sequence[Named]) -> Address:
    """The note that is meant when writing: the spelling must be exact, and only one note may bear it.

    Raises AmbiguousName (E005) or NotFound (E002); both name what may have been meant.
    """
    fits = _fitting(identifier.name, notes, _exactly)
    if fits:
        return _only(identifier, fits)
    for level in (match_key, concept_key):
        near = _fitting(identifier.name, notes, level)
        if len(near) > 1:
            return _only(identifier, near)
        if near:
            meant = next(name for name in near[0].spellings[::-1] if level(name) == level(identifier.name))
            raise NotFound(
                f"No note is called exactly '{identifier.text}'.",
                hint=f"Did you mean '{meant}' ({near[0].address})? Writing needs the exact name.",
                identifier=identifier.text,
                near=[near[0].address],
            )
    raise not_found(identifier, notes)


def not_found(identifier: Identifier, notes: Iterable[Named]) -> NotFound:
    notes = tuple(notes)
    last = identifier.name.rsplit("/", 1)[-1].removesuffix(".md")
    near = near_names(identifier.name, notes) or near_names(last, notes)
    return NotFound(
        f"There is no note '{identifier.text}'.",
        hint=f"Near: {', '.join(near)}." if near else "`memsite list` shows all notes.",
        identifier=identifier.text,
        near=near,
    )


def near_names(name: str, notes: Iterable[Named], *, limit: int = 5) -> list[str]:
    """Names that look like `name` or hold it, one for each note, the likest first."""
    spelled: dict[str, tuple[str, Address]] = {}
    for note in notes:
        for each in (note.path.removesuffix(".md").rsplit("/", 1)[-1], *note.names):
            spelled.setdefault(concept_key(each), (each, note.address))
    key = concept_key(name)
    close = get_close_matches(key, spelled, n=limit, cutoff=0.7)
    inside = sorted(each for each in spelled if len(key) > 2 and key in each and each not in close)
    by_note: dict[Address, str] = {}
    for each in (*close, *inside):
        shown, address = spelled[each]
        by_note.setdefault(address, shown)
    return list(by_note.values())[:limit]


def ambiguous(identifier: Identifier, addresses: Iterable[Address]) -> AmbiguousName:
    candidates = sorted(addresses)
    shown = ", ".join(candidates[:8]) + (", ..." if len(candidates) > 8 else "")
    return AmbiguousName(
        f"'{identifier.text}' fits {len(candidates)} notes: {shown}.",
        hint="Give the address of the one you mean.",
        identifier=identifier.text,
        candidates=candidates,
    )


def _exactly(name: str) -> str:
    """Composed and decomposed letters look alike and are typed alike."""
    return normalize("NFC", name)


def _only(identifier: Identifier, fits: Sequence[Named]) -> Address:
    addresses = {note.address for note in fits}
    if len(addresses) > 1:
        raise ambiguous(identifier, addresses)
    return addresses.pop()


def _fitting(name: str, notes: Iterable[Named], level: Callable[[str], str]) -> list[Named]:
    wanted = level(name)
    return [note for note in notes if wanted and any(level(each) == wanted for each in note.spellings)]
