"""What notes and files are called: tables in which a look-up costs the same at any size of memory."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memsite.markdown.names import concept_key, match_key
from memsite.note import Address, Asset, Note, StoreView, address_of

_DEEPEST_SUFFIX = 32
"""Path suffixes of more segments than this are not indexed: nobody writes them."""

_NAMED_OTHERS = 10
"""So many files of the same name are listed beside the one that was taken."""


def folder_of(path: str) -> str:
    """The folder that holds `path`, empty for the root of the store."""
    return path.rpartition("/")[0]


def without_md(path: str) -> str:
    """`path` without a final `.md` in any case."""
    return path[:-3] if path[-3:].lower() == ".md" else path


def joined(folder: str, path: str) -> str | None:
    """`path` as written in `folder`, from the root of the store; None when it leads out of the store.
    A leading `/` starts at the root. Nothing is clamped: too many `..` are a mistake to be shown.
    """
    parts = folder.split("/") if folder and not path.startswith("/") else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def ancestors(folder: str) -> Iterator[str]:
    """`folder` itself, then each folder around it, last the root (empty)."""
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a name is read: the store and folder of the note that holds the link."""

    store: str
    folder: str
    note: Note | None = None
    """The note itself; None for the root of a store that an address names."""


def by_guess(note: Note) -> tuple[int, str, str]:
    """Order of equally good candidates: shortest path first, then by path."""
    return len(note.path), note.path, note.store


class Places:
    """Notes of one name, ready to be chosen from by where the link stands."""

    __slots__ = ("_all", "_folders", "_stores")

    def __init__(self, notes: Iterable[Note]) -> None:
        self._all = tuple(sorted({note.address: note for note in notes}.values(), key=by_guess))
        folders: dict[tuple[str, str], list[Note]] = defaultdict(list)
        stores: dict[str, list[Note]] = defaultdict(list)
        for note in self._all:
            folders[note.store, folder_of(note.path)].append(note)
            stores[note.store].append(note)
        self._folders = {key: tuple(found) for key, found in folders.items()}
        self._stores = {key: tuple(found) for key, found in stores.items()}

    def nearest(self, seat: Seat) -> tuple[Note, ...]:
        """Same folder, else the nearest folder around it, else the same store, else all: the notes
        that these preferences cannot separate, best guess first. The tuples live as long as this.
        """
        if len(self._all) == 1:
            return self._all
        for folder in ancestors(seat.folder):
            if here := self._folders.get((seat.store, folder)):
                return here
        return self._stores.get(seat.store) or self._all


class Names:
    """One level of naming. A name finds its notes in the exact spelling, else in the same
    normal form (NFC), else with case folded and invisible characters dropped. Never NFKC.
    """

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[str, Note]]] = {}
        self._spelled: dict[str, dict[str, Places]] = {}

    def add(self, spelling: str, note: Note) -> None:
        if key := match_key(spelling):
            self._rows.setdefault(key, []).append((spelling, note))

    def find(self, name: str, seat: Seat) -> tuple[Note, ...]:
        """The notes called `name` as seen from `seat`; more than one when they are equally near."""
        key = match_key(name)
        rows = self._rows.get(key)
        if not rows:
            return ()
        if len(rows) == 1:
            return (rows[0][1],)
        spelled = self._spelled.get(key)
        if spelled is None:
            spelled = self._spelled[key] = _by_spelling(rows)
        places = spelled.get("=" + name) or spelled.get("~" + _nfc(name)) or spelled[""]
        return places.nearest(seat)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _by_spelling(rows: Iterable[tuple[str, Note]]) -> dict[str, Places]:
    """Places by `=` + exact spelling, by `~` + NFC spelling, and under the empty key all of them."""
    groups: dict[str, list[Note]] = defaultdict(list)
    for spelling, note in rows:
        for key in ("=" + spelling, "~" + _nfc(spelling), ""):
            groups[key].append(note)
    return {key: Places(notes) for key, notes in groups.items()}


class NoteNames:
    """All levels of naming for the notes of a memory."""

    def __init__(self, notes: Mapping[Address, Note], stores: Iterable[StoreView]) -> None:
        self._notes = notes
        self._paths, self._suffixes, self._files = Names(), Names(), Names()
        self._titles, self._other_titles, self._concepts = Names(), Names(), Names()
        self.folders: set[tuple[str, str]] = set()
        """(store, match key) of every folder's own name."""
        for note in notes.values():
            self._add_path(note)
            self._add_names(note)
        for store in stores:
            self._add_entries(store)

    def _add_path(self, note: Note) -> None:
        bare = without_md(note.path)
        self._paths.add(f"{note.store}/{bare}", note)
        parts = bare.split("/")
        self._files.add(parts[-1], note)
        for length in range(2, min(len(parts), _DEEPEST_SUFFIX) + 1):
            self._suffixes.add("/".join(parts[-length:]), note)
        self.folders.update((note.store, match_key(part)) for part in parts[:-1])
        if note.kind == "workflow":
            # What maestro's own index calls a file of its knowhow folder.
            self._files.add(f"knowhow-{parts[-1]}", note)

    def _add_names(self, note: Note) -> None:
        if note.id:
            self._files.add(note.id, note)
        for name in dict.fromkeys((note.title, *note.names)):
            self._titles.add(name, note)
        indexed = note.entry.title if note.entry and note.entry.title else ""
        for name in {note.document.lead, indexed} - {note.title}:
            self._other_titles.add(name, note)
        stem = without_md(note.path).rpartition("/")[2]
        for key in {concept_key(name) for name in (stem, note.title, *note.names)}:
            self._concepts.add(key, note)

    def _add_entries(self, store: StoreView) -> None:
        for entry in store.entries or ():
            note = self._notes.get(address_of(store.name, entry.path)) if entry.path else None
            if note is not None and entry.id != note.id:
                self._files.add(entry.id, note)

    def at_path(self, store: str, path: str) -> tuple[Note, ...]:
        """The note at exactly this path of a store, with or without `.md`."""
        for spelling in dict.fromkeys((path, without_md(path))):
            if note := self._notes.get(f"memory://{store}/{spelling}"):
                return (note,)
        return ()

    def near_path(self, store: str, path: str, seat: Seat) -> tuple[Note, ...]:
        """As `at_path`, but forgiving case, normal form and invisible characters."""
        for spelling in dict.fromkeys((path, without_md(path))):
            if found := self._paths.find(f"{store}/{spelling}", seat):
                return found
        return ()

    def in_file_names(self, name: str, seat: Seat) -> tuple[Note, ...]:
        """By the end of a path (`b/notes`), entry id or file name, with or without `.md`."""
        table = self._suffixes if "/" in name else self._files
        for spelling in dict.fromkeys((name, without_md(name))):
            if found := table.find(spelling.strip("/"), seat):
                return found
        return ()

    def in_titles(self, name: str, seat: Seat) -> tuple[Note, ...]:
        """By front-matter name, alias, permalink or title, else by another title of the note
        (index row, first heading), else by concept key of any of them.
        """
        return (
            self._titles.find(name, seat)
            or self._other_titles.find(name, seat)
            or self._concepts.find(concept_key(without_md(name)), seat)
        )


class FileNames:
    """The files of one store that are no notes."""

    def __init__(self, store: StoreView) -> None:
        self._store = store
        self._by_key: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._nearest: dict[str, dict[str, str]] = {}
        for path in sorted(store.files, reverse=True):
            self._by_key[match_key(path)] = path
            self._by_name[match_key(path.rpartition("/")[2])].append(path)

    def at_path(self, path: str) -> Asset | None:
        """The file at this path, else one whose path differs only in case or normal form."""
        found = path if path in self._store.files else self._by_key.get(match_key(path))
        return Asset(self._store.name, found) if found else None

    def named(self, name: str, folder: str) -> Asset | None:
        """The file whose path ends in `name`, the one nearest to `folder` where there are several."""
        key = match_key(name)
        if key not in self._nearest:
            self._nearest[key] = _nearest_below(self._ending(key))
        nearest = self._nearest[key]
        best = next((nearest[around] for around in ancestors(folder) if around in nearest), None)
        if best is None:
            return None
        others = {path for path in self._by_name[key.rpartition("/")[2]][-_NAMED_OTHERS:] if "/" not in key}
        return Asset(self._store.name, best, tuple(sorted(others - {best})))

    def _ending(self, key: str) -> list[str]:
        paths = self._by_name.get(key.rpartition("/")[2], [])
        return (
            [path for path in paths if ("/" + match_key(path)).endswith("/" + key)] if "/" in key else paths
        )


def _nearest_below(paths: Iterable[str]) -> dict[str, str]:
    """For each folder, the best of the `paths` below it: fewest folders down, then shortest, then by path."""
    best: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (path.count("/"), len(path), path)):
        for folder in ancestors(folder_of(path)):
            best.setdefault(folder, path)
    return best
