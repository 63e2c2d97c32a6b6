"""Where a note lies that is called by its path: no note is opened to find it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.errors import OutsideStore
from memsite.memory.identifiers import SCHEME, Identifier, ambiguous, parse_identifier, paths_of
from memsite.note import address_of

if TYPE_CHECKING:
    from memsite.stores import Store


def identify(stores: Iterable[Store], identifier: str, *, here: Path | None = None) -> Identifier:
    """What the user calls a note; the absolute path of a file in a store is its address, and so is a path
    that climbs from the folder `here` into a store.

    Raises NotFound (E002) for nothing, OutsideStore (E011).
    """
    place = Path(identifier)
    if here is not None and place.parts[:1] == ("..",):
        place = Path(os.path.normpath(here / place))
    if place.is_absolute() and ".." not in place.parts:
        for store in stores:
            for root in (store.root, store.root.resolve()):
                if place.is_relative_to(root):
                    address = f"{SCHEME}{store.name}/{place.relative_to(root).as_posix()}"
                    return replace(parse_identifier(address), text=identifier)
    return parse_identifier(identifier)


def at_path(
    stores: Sequence[Store], wanted: Identifier, *, here: Path | None = None
) -> list[tuple[Store, str]]:
    """The notes whose path is exactly what is wanted, at most one a store.

    The path counts from the store, from the project, as `check` prints it, or last from the folder
    `here`, as a shell completes it; Windows writes it with backslashes.
    """
    if wanted.is_address:
        name, _, inside = wanted.name.partition("/")
        for store in stores:
            if store.name == name and inside and (path := _first_path(store, inside)):
                return [(store, path)]
    for spelling in dict.fromkeys((wanted.name, wanted.name.replace("\\", "/").removeprefix("./"))):
        in_stores = [(store, _first_path(store, spelling)) for store in stores]
        in_project = [(store, _first_path(store, _without(spelling, store.prefix))) for store in stores]
        for found in (in_stores, in_project):
            places = [(store, path) for store, path in found if path is not None]
            if places:
                return places
    if here is not None and not wanted.is_address and (here / wanted.name).is_file():
        return at_path(stores, identify(stores, str(here / wanted.name)))
    return []


def only(wanted: Identifier, places: Sequence[tuple[Store, str]]) -> tuple[Store, str]:
    """Raises AmbiguousName (E005) when there are several."""
    if len(places) > 1:
        raise ambiguous(wanted, [address_of(store.name, path) for store, path in places])
    return places[0]


def _without(name: str, prefix: str) -> str:
    return name.removeprefix(prefix) if prefix and name.startswith(prefix) else ""


def _first_path(store: Store, name: str) -> str | None:
    """The path of a note that `name` is exactly. Raises OutsideStore for a link that leads out."""
    from memsite.stores.reading import why_malformed, why_outside

    for path in paths_of(name) if name else ():
        try:
            if not why_malformed(path) and store.has(path):
                return path
        except OutsideStore:
            # A title such as `x: a/b` reads like a path on a drive and is none.
            if not why_outside(path):
                raise
    return None
