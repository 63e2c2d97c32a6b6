"""What each link leads to: note, concept, several notes, file, elsewhere or nowhere.

Every link is a handful of table look-ups, so the cost is linear in notes + links.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memsite.graph.fragments import Fragments
from memsite.graph.names import FileNames, NoteNames, Seat, by_guess, folder_of, joined, without_md
from memsite.markdown.names import concept_key, match_key
from memsite.note import (
    Address,
    Ambiguous,
    Asset,
    Backlink,
    Checksum,
    Concept,
    ConceptTarget,
    External,
    Found,
    Graph,
    Link,
    LinkKind,
    Missing,
    Note,
    StoreView,
    Target,
)

# What a page may lead to outside the site. Everything else with a scheme runs something or opens a program.
_OUTSIDE = re.compile(r"https?:|mailto:|//|\?", re.IGNORECASE)
_WIKI_URL = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_OTHER_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_NO_SUCH_SCHEME = "a page leads out to http, https and mailto only"
_MEMORY = "memory://"
_ENTRY_ID = re.compile(r"(?:MEM|TIP|KNW|RCP|DCS|REF|TPL|AST|DOC)-\d|knowhow-[a-z]{3}-", re.IGNORECASE)
_DATED_ID = re.compile(r"(?:MEM|TIP)-\d{8}-", re.IGNORECASE)
_PATH_START = re.compile(r"\.{0,2}/|\.\.$")
# `issue #12`, `PR #7`: a number, not a heading.
_NUMBERED = re.compile(r"[^#]*\s#\d+$")
_FILE_ENDING = re.compile(
    r"\.(?:apng|avif|base|bmp|canvas|csv|docx?|excalidraw|flac|gif|jpe?g|json|m4a|mkv|mov|mp[34]|og[agv]|opus|pdf"
    r"|png|pptx?|svg|tiff?|txt|wav|webm|webp|xlsx?|ya?ml|zip)$",
    re.IGNORECASE,
)
_MOST_CUTS = 8
"""A target is read with at most so many of its `#` as the start of a fragment."""
_LONGEST_NAME = 1_000
"""Characters. A longer target names nothing: file systems stop at 255 bytes a segment."""
_FOLDER_NOTES = ("index", "README", "_index")


def resolve(notes: Iterable[Note], stores: Iterable[StoreView]) -> Graph:
    """Resolve the links of all notes.

    Levels, first hit wins: exact path (seen from the linking note or from the root of its store),
    end of a path, entry id or file name, title or front-matter name, concept key. On one level a
    note of the same store is preferred, then of the same folder, then of the nearest folder
    around it; what these cannot separate is `Ambiguous`, shortest path first. The result does not
    depend on the order of `notes` or `stores`.
    """
    ordered = {note.address: note for note in sorted(notes, key=lambda note: (note.address, note.path))}
    views = {store.name: store for store in sorted(stores, key=lambda store: store.name)}
    resolver = Resolver(ordered, views)
    targets = {address: resolver.targets(note) for address, note in ordered.items()}
    return Graph(
        stores=views,
        notes=ordered,
        targets=targets,
        backlinks=_backlinks(targets),
        concepts=_concepts(ordered, targets),
        ambiguous=_ambiguous(ordered, targets),
    )


class Resolver:
    """Looks up what links lead to among `notes` and the files of `stores`, each by its name or address."""

    def __init__(self, notes: Mapping[Address, Note], stores: Mapping[str, StoreView]) -> None:
        self._notes = notes
        self._names = NoteNames(notes, stores.values())
        self._files = {name: FileNames(store) for name, store in stores.items()}
        self._unread = {
            (view.name, match_key(problem.path.rpartition("/")[2]))
            for view in stores.values()
            for problem in view.problems
        }
        self._has_entries = any(store.kind == "workflow" for store in stores.values())
        self._fragments: dict[Checksum, Fragments] = {}
        self._known: dict[tuple[str, LinkKind, bool, bool, str, str], Target] = {}
        self._several: dict[tuple[str, int], Ambiguous] = {}

    def targets(self, note: Note) -> tuple[Target, ...]:
        """One target for each link of `note`, which may be another version of one of the notes."""
        seat = Seat(note.store, folder_of(note.path), note)
        return tuple(self._remembered(link, seat) for link in note.document.links)

    def _remembered(self, link: Link, seat: Seat) -> Target:
        """Equal links of one folder lead to the same, unless they lead into their own note."""
        if link.target.lstrip()[:1] in ("", "#", "?"):
            return self._target(link, seat)
        key = (link.target, link.kind, link.embed, link.image, seat.store, seat.folder)
        if key not in self._known:
            self._known[key] = self._target(link, seat)
        return self._known[key]

    def _target(self, link: Link, seat: Seat) -> Target:
        text = link.target.strip()
        if text[: len(_MEMORY)].lower() == _MEMORY:
            return self._address(text, link, seat)
        if link.kind == "markdown":
            return self._markdown(text, link, seat)
        if _WIKI_URL.match(text):
            return External(text)
        return self._wiki(text, link, seat)

    # WikiLinks and property links ---------------------------------------------------------------

    def _wiki(self, text: str, link: Link, seat: Seat) -> Target:
        if not match_key(text):
            return Missing("it names nothing")
        if len(text) > _LONGEST_NAME:
            return ConceptTarget(_key(text))
        if not link.image:
            for name, fragment in _readings(text):
                if hits := self.called(name, seat):
                    return self._arrive(hits, name, fragment, link)
        if (link.image or "." in text) and (asset := self._asset(text, seat)):
            return asset
        if at_block := self._bare_block(text, seat):
            return at_block
        reason = self._reason(text, link, seat)
        return Missing(reason) if reason else ConceptTarget(_key(text))

    def called(self, name: str, seat: Seat) -> Sequence[Note]:
        """The notes that `name` means on the first level that knows it; no name is the own note."""
        if not name:
            return (seat.note,) if seat.note else ()
        if len(name) > _LONGEST_NAME:
            return ()
        if _PATH_START.match(name):
            path = joined(seat.folder, name)
            by_path = self._names.near_path(seat.store, path, seat) if path else ()
            return by_path or (self._names.in_titles(name, seat) if name.startswith("/") else ())
        return (
            self._at_exact_path(name, seat)
            or self._names.in_file_names(name, seat)
            or self._names.in_titles(name, seat)
        )

    def _at_exact_path(self, name: str, seat: Seat) -> Sequence[Note]:
        """A plain name is first a neighbour, then at the root; a path is first a path from the root."""
        folder = seat.folder
        places = ("", folder) if "/" in name else (folder, "")
        for place in dict.fromkeys(places):
            path = joined(place, name)
            if path and (found := self._names.at_path(seat.store, path)):
                return found
        return ()

    def _bare_block(self, text: str, seat: Seat) -> Target | None:
        """`note^id`: read as a block only where note and block exist."""
        name, caret, block = text.rpartition("^")
        hits = self.called(name.strip(), seat) if caret and name.strip() else ()
        if len(hits) == 1 and (anchor := self._places(hits[0]).block(block.strip())):
            return Found(hits[0].address, anchor)
        return None

    def _reason(self, text: str, link: Link, seat: Seat) -> str:
        """Why a target that names nothing can only mean a note or file; empty for a plain name."""
        name = text.partition("#")[0].strip()
        if _OTHER_URL.match(text):
            return _NO_SUCH_SCHEME
        if _leaves(name, seat):
            return "it leaves the store"
        if (seat.store, match_key(f"{without_md(name).rpartition('/')[2]}.md")) in self._unread:
            return "the note is there and cannot be read"
        if link.image or _FILE_ENDING.search(name):
            return "there is no file of that name"
        if without_md(name) != name or self._is_path(name, seat):
            return "there is no note at that path"
        if "\\" in name[1:]:
            slashed = name.replace("\\", "/")
            if self.called(slashed, seat) or self._is_path(slashed, seat):
                return "a backslash separates no folders, use /"
        if (_ENTRY_ID if self._has_entries else _DATED_ID).match(name):
            return "there is no entry with that id"
        if link.embed or (text.partition("#")[2].strip("# ") and not _NUMBERED.match(text)):
            return "there is no note of that name"
        return ""

    def _is_path(self, name: str, seat: Seat) -> bool:
        """Whether a name with a slash is a path: it starts like one, or a folder is called so.
        `CI/CD` is none.
        """
        first = name.partition("/")[0]
        return bool(_PATH_START.match(name)) or (
            "/" in name and (seat.store, match_key(first)) in self._names.folders
        )

    # Addresses ----------------------------------------------------------------------------------

    def _address(self, text: str, link: Link, seat: Seat) -> Target:
        """`memory://<store>/<path>`, or `memory://<name>` searched in every store."""
        for reading, fragment in _readings(text[len(_MEMORY) :]):
            if ".." in reading.split("/"):
                return Missing("it leaves the store")
            store, _, path = reading.partition("/")
            hits: Sequence[Note] = ()
            if path and store in self._files:
                root = Seat(store, "")
                hits = self._names.near_path(store, path, root) or self.called(path, root)
                hits = hits if hits and hits[0].store == store else ()
            if hits := hits or (self.called(reading.strip("/"), seat) if reading.strip("/") else ()):
                return self._arrive(hits, reading, fragment, link)
        return Missing("there is no note with that address")

    # Markdown links -----------------------------------------------------------------------------

    def _markdown(self, text: str, link: Link, seat: Seat) -> Target:
        if _OUTSIDE.match(text):  # `//host/` would lead to the root of the disk from a file
            return External(f"https:{text}" if text.startswith("//") else text)
        if len(text) > _LONGEST_NAME:
            return Missing("there is no note or file at that path")
        for name, fragment in _readings(text):
            if not name.partition("?")[0]:
                return self._arrive(self.called("", seat), name, fragment, link)
            for path in dict.fromkeys((name, name.partition("?")[0])):  # a file may have a `?` in its name
                if found := self._at_link_path(path, fragment, link, seat):
                    return found
        return Missing(self._markdown_reason(text, seat))

    def _at_link_path(self, path: str, fragment: str, link: Link, seat: Seat) -> Target | None:
        where = joined(seat.folder, path)
        if where is None:
            return None
        # Obsidian writes the shortest unique end of a path into Markdown links, too.
        by_name = seat.note is not None and seat.note.kind == "vault" and not _PATH_START.match(path)
        if not link.image or without_md(path) != path:
            hits = self._note_or_folder(where, seat) or (by_name and self._names.in_file_names(path, seat))
            if hits:
                return self._arrive(hits, path, fragment, link)
        if (files := self._files.get(seat.store)) is None:
            return None
        return files.at_path(where) or (files.named(path, seat.folder) if by_name and link.image else None)

    def _note_or_folder(self, where: str, seat: Seat) -> Sequence[Note]:
        """The note at a path, or the index note of the folder there."""
        paths = (where, *(f"{where}/{name}".lstrip("/") for name in _FOLDER_NOTES))
        return next(filter(None, (self._names.near_path(seat.store, path, seat) for path in paths)), ())

    def _markdown_reason(self, text: str, seat: Seat) -> str:
        name = text.partition("#")[0].partition("?")[0]
        if _OTHER_URL.match(text):
            return _NO_SUCH_SCHEME
        if _leaves(name, seat):
            return "it leaves the store"
        if (seat.store, match_key(f"{without_md(name).rpartition('/')[2]}.md")) in self._unread:
            return "the note is there and cannot be read"
        if "\\" in name:
            return "a backslash separates no folders, use /"
        path = joined(seat.folder, name)
        if path and all((seat.store, match_key(part)) in self._names.folders for part in path.split("/")):
            return "it is a folder without an index note"
        is_note = without_md(name) != name or "." not in name.rpartition("/")[2]
        return f"there is no {'note' if is_note else 'file'} at that path"

    # Arriving -----------------------------------------------------------------------------------

    def _arrive(self, hits: Sequence[Note], name: str, fragment: str, link: Link) -> Target:
        if len(hits) > 1:
            # The tables hand out the same tuple each time: one value for a thousand equal links.
            several = (name, id(hits))
            if several not in self._several:
                self._several[several] = Ambiguous(name, tuple(note.address for note in hits))
            return self._several[several]
        note, fragment = hits[0], fragment.strip("# ")
        if not fragment:
            return Found(note.address)
        anchor = self._places(note).anchor(fragment, anchors_first=link.kind == "markdown")
        return Found(note.address, anchor, None if anchor else fragment)

    def _places(self, note: Note) -> Fragments:
        if note.checksum not in self._fragments:
            self._fragments[note.checksum] = Fragments(note.document)
        return self._fragments[note.checksum]

    def _asset(self, text: str, seat: Seat) -> Asset | None:
        """A file of the store: at a path seen from the note or the root, else by name, nearest first."""
        files = self._files.get(seat.store)
        if files is None:
            return None
        folder = seat.folder
        for name in dict.fromkeys((text, text.partition("#")[0].strip())):
            paths = [joined(place, name) for place in (folder, "")] if name else []
            found = next(filter(None, (files.at_path(path) for path in paths if path)), None)
            if not found and name and not _PATH_START.match(name):
                found = files.named(name, folder)
            if found:
                return found
        return None


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """(name, fragment), longest name first: a `#` may belong to the name."""
    yield text, ""
    cuts = [position for position, char in enumerate(text) if char == "#"][:_MOST_CUTS]
    for cut in reversed(cuts):
        yield text[:cut].strip(), text[cut + 1 :]


def _leaves(name: str, seat: Seat) -> bool:
    return ".." in name.split("/") and joined(seat.folder, name) is None


def _key(text: str) -> str:
    """The concept key; where nothing is left of a name (`--`), the name itself."""
    return concept_key(text) or unicodedata.normalize("NFC", text)


# The graph's other tables -----------------------------------------------------------------------


def _backlinks(targets: Mapping[Address, Sequence[Target]]) -> dict[Address, tuple[Backlink, ...]]:
    found: dict[Address, list[Backlink]] = defaultdict(list)
    for address, leads in targets.items():
        for position, target in enumerate(leads):
            if isinstance(target, Found) and target.address != address:
                found[target.address].append(Backlink(address, position))
    return {address: tuple(found[address]) for address in sorted(found)}


def _concepts(
    notes: Mapping[Address, Note], targets: Mapping[Address, Sequence[Target]]
) -> dict[str, Concept]:
    mentions: dict[str, list[Backlink]] = defaultdict(list)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for address, leads in targets.items():
        links = notes[address].document.links
        for position, target in enumerate(leads):
            if isinstance(target, ConceptTarget):
                mentions[target.key].append(Backlink(address, position))
                spellings[target.key][unicodedata.normalize("NFC", links[position].target.strip())] += 1
    # Counter.most_common keeps the order of first appearance among equals.
    return {
        key: Concept(key, spellings[key].most_common(1)[0][0], tuple(mentions[key]))
        for key in sorted(mentions)
    }


def _ambiguous(
    notes: Mapping[Address, Note], targets: Mapping[Address, Sequence[Target]]
) -> dict[str, Ambiguous]:
    """One entry a name, with all candidates that any link of that name has."""
    names: dict[str, str] = {}
    candidates: dict[str, dict[Address, None]] = defaultdict(dict)
    found = (target for leads in targets.values() for target in leads if isinstance(target, Ambiguous))
    for target in {id(target): target for target in found}.values():
        key = _key(target.name)
        names.setdefault(key, target.name)
        candidates[key].update(dict.fromkeys(target.candidates))
    return {
        key: Ambiguous(
            names[key], tuple(sorted(candidates[key], key=lambda address: by_guess(notes[address])))
        )
        for key in sorted(names)
    }
