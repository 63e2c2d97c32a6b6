"""Memory, the core engine: the one door to all stores of a project.

The command line, the build, the server and other programs go through it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.config import Config
from memsite.edit import Edit, Operation
from memsite.errors import MemsiteError, NotFound
from memsite.memory.answers import (
    ConceptContext,
    Counts,
    Pruned,
    Reading,
    Repaired,
    Row,
    SearchAnswer,
    Undoable,
    Undone,
    Written,
)
from memsite.memory.checksums import parse_checksum
from memsite.memory.identifiers import choose, choose_exactly, named, store_order
from memsite.memory.listing import filter_of
from memsite.memory.places import at_path, identify, only
from memsite.memory.understanding import Understanding, Vetting
from memsite.note import Address, Backlink, Checksum, Document, Graph, Note, Problem, Source, address_of

if TYPE_CHECKING:
    from memsite.memory.creating import NewKind
    from memsite.stores import Discovery, Store
    from memsite.stores.files import WritableStore

LOCK_SECONDS = 10.0


def open_memory(
    project: Path | str | None = None,
    *,
    config: Config | None = None,
    system_dir: Path | str | None = None,
    vaults: Sequence[tuple[str, Path]] = (),
    documents: MutableMapping[Checksum, Document] | None = None,
) -> Memory:
    """The memory of the project that `project` (default: the current folder) lies in.

    `documents` may hold notes that are parsed already, by checksum; parsed ones are added to it.
    Raises NoStore (E001) when there is no store, BadConfig (E015) for a bad configuration and
    BadArgument (E019) for a named folder that is not there.
    """
    from memsite.config import load_config
    from memsite.stores import find_stores, project_root

    root = Path(project).resolve() if project is not None else project_root(Path.cwd())
    settings = load_config(root) if config is None else config
    folder = Path(system_dir) if system_dir is not None else None
    discovery = find_stores(settings, root, system_dir=folder, vaults=vaults)
    return Memory(settings, root, discovery=discovery, documents=documents)


class Memory:
    """All stores of a project, read when asked and kept until something is written."""

    def __init__(
        self,
        config: Config,
        project: Path,
        *,
        discovery: Discovery,
        documents: MutableMapping[Checksum, Document] | None = None,
    ) -> None:
        self.config = config
        self.project = project
        self.discovery = discovery
        self.stores: tuple[Store, ...] = discovery.stores
        self.understanding = Understanding(documents)
        self.lock_seconds = LOCK_SECONDS
        """How long a write waits for another program's before it is refused."""
        self.here: Path | None = None
        """The folder from which a path may count that somebody types."""
        self._notes: tuple[Note, ...] | None = None
        self._graph: Graph | None = None
        self._problems: tuple[Problem, ...] | None = None
        self._incoming: dict[Address, tuple[Backlink, ...]] = {}

    def over(self, stores: Sequence[Store]) -> Memory:
        """The same memory, read through other stores; what is parsed already is shared."""
        discovery = replace(self.discovery, stores=tuple(stores))
        other = Memory(self.config, self.project, discovery=discovery)
        other.understanding = self.understanding.shared()
        return other

    def vet(self, vetting: Vetting) -> None:
        """From now on, add to each note the findings of `vetting`."""
        self.understanding.vet(vetting)
        self.reload()

    # Reading ---------------------------------------------------------------------------------

    def notes(self) -> Iterator[Note]:
        """Every readable note, store by store, sorted by path."""
        if self._notes is None:
            self._notes = tuple(self.note(source) for store in self.stores for source in store.sources())
        return iter(self._notes)

    def understand(self, sources: Sequence[Source], *, jobs: int = 1) -> None:
        """Take `sources`, read just now, for all that the stores hold. `jobs` processes parse them."""
        self.reload()
        self.understanding.parse(sources, jobs=jobs)
        self._notes = tuple(map(self.note, sources))

    def note(self, source: Source) -> Note:
        """What `source` says; parsed once for each checksum."""
        return self.understanding.note(source)

    def graph(self) -> Graph:
        """All notes with their links resolved; fresh after a write."""
        if self._graph is None:
            from memsite.graph import resolve

            notes = tuple(self.notes())
            self._graph = resolve(notes, [store.view() for store in self.stores])
        return self._graph

    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong with the memory, sorted, leftovers of interrupted writes included."""
        if self._problems is None:
            from memsite.check import check, named_files, sorted_problems
            from memsite.graph import similar
            from memsite.memory.repair import interrupted
            from memsite.memory.surroundings import project_files

            graph = self.graph()
            severities = self.config.check.severities
            # The one costly rule: about a second for ten thousand notes.
            compared = "off" not in (severities.get("W018"), severities.get("duplicate-note"))
            found = check(
                graph,
                config=self.config.check,
                bytes_of=self.memory_files(),
                twins=[(pair.first, pair.second, pair.likeness) for pair in similar(graph)]
                if compared
                else (),
                project_files=project_files(self.project, named_files(graph)),
                today=datetime.now(UTC).date() if self.config.check.stale_days else None,
            )
            self._problems = sorted_problems((*found, *interrupted(self)))
        return self._problems

    def memory_files(self) -> dict[Address, bytes]:
        """The bytes of each MEMORY.md that can be read, by address."""
        from memsite.memory.integrity import MEMORY_FILE

        found: dict[Address, bytes] = {}
        for store in self.stores:
            if store.kind == "system":
                with contextlib.suppress(MemsiteError):
                    found[address_of(store.name, MEMORY_FILE)] = store.read(MEMORY_FILE).content
        return found

    def reload(self) -> None:
        """Forget what was read; parsed notes stay, for they depend on bytes alone."""
        self._notes = self._graph = self._problems = None
        self._incoming.clear()

    def store(self, name: str) -> Store:
        """Raises NotFound (E002)."""
        for store in self.stores:
            if store.name == name:
                return store
        known = [store.name for store in self.stores]
        raise NotFound(f"There is no store '{name}'.", hint=f"Stores: {', '.join(known)}.", near=known)

    # Finding ---------------------------------------------------------------------------------

    def find(self, identifier: str) -> Note:
        """The note that a reader means: exact, else case-blind, else by concept key.

        Raises AmbiguousName (E005), NotFound (E002) with near names, OutsideStore (E011).
        """
        wanted = identify(self.stores, identifier, here=self.here)
        places = at_path(self.stores, wanted, here=self.here)
        if places:
            order = store_order(wanted.name)
            first = min(order(store.kind) for store, _ in places)
            store, path = only(wanted, [place for place in places if order(place[0].kind) == first])
            return self.note(store.read(path))
        notes = {note.address: note for note in self.notes()}
        return notes[choose(wanted, [named(note) for note in notes.values()])]

    def locate_exactly(self, identifier: str) -> tuple[Store, str]:
        """The note that a writer means: its exact address, path, id, title or alias, borne by no other.

        An address or path is found without opening any note. Raises AmbiguousName (E005), NotFound
        (E002) with what may be meant, OutsideStore (E011).
        """
        wanted = identify(self.stores, identifier, here=self.here)
        places = at_path(self.stores, wanted, here=self.here)
        if places:
            return only(wanted, places)
        address = choose_exactly(wanted, [named(note) for note in self.notes()])
        return next((self.store(note.store), note.path) for note in self.notes() if note.address == address)

    def incoming(self, address: Address) -> tuple[Backlink, ...]:
        """The links of other notes that lead to the note at `address`."""
        from memsite.memory.incoming import incoming_links

        if self._graph is not None:
            return self._graph.backlinks.get(address, ())
        if address not in self._incoming:
            self._incoming[address] = incoming_links(self, address)
        return self._incoming[address]

    # Operations that read --------------------------------------------------------------------

    def read(self, identifier: str, *, section: str | None = None) -> Reading:
        """A note with its checksum, or one section of it, heading included.

        Raises what `find` raises, SectionNotFound (E009) and SectionAmbiguous (E010).
        """
        from memsite.edit import choose_section
        from memsite.markdown import sections
        from memsite.memory.listing import row_of

        note = self.find(identifier)
        source = self.store(note.store).read(note.path)
        note, content = self.note(source), source.content
        text = content.decode("utf-8", "replace")
        row = row_of(note, content)
        if section is None:
            return Reading(row, text, content)
        wanted = Edit("replace_section", "", section=section)
        found = choose_section(text, wanted, sections(text))
        return Reading(row, text[found.start : found.end], content, section, found.heading.line)

    def list(
        self,
        *,
        store: str | None = None,
        tags: Sequence[str] = (),
        types: Sequence[str] = (),
        before: str | date | None = None,
        after: str | date | None = None,
    ) -> tuple[Row, ...]:
        """The notes that fit, newest first. Dates are days, left out themselves on both sides.

        Raises NotFound (E002) for an unknown store, BadArgument (E019) for what is not a day.
        """
        from memsite.memory.listing import rows

        wanted = filter_of(store=store, tags=tags, types=types, before=before, after=after)
        return tuple(rows(self, wanted))

    def search(
        self,
        query: str,
        *,
        store: str | None = None,
        tags: Sequence[str] = (),
        types: Sequence[str] = (),
        limit: int = 20,
        regex: bool = False,
    ) -> SearchAnswer:
        """The notes that hold `query`, best first.

        Raises NotFound (E002) for an unknown store, BadArgument (E019) for nothing to search and for a
        bad pattern.
        """
        from memsite.memory.searching import search_notes

        wanted = filter_of(store=store, tags=tags, types=types)
        return search_notes(self, query, wanted, limit=limit, regex=regex)

    def context(
        self, concept: str, *, depth: int = 1, max_results: int = 20, content: bool = False
    ) -> ConceptContext:
        """What lies around a concept: relations, their relations, its community, previews.

        Raises NotFound (E002) with near concepts, BadArgument (E019) for a depth or number below 1.
        """
        from memsite.memory.context import context_of

        return context_of(self, concept, depth=depth, most=max_results, content=content)

    def sync(self) -> Counts:
        """Read everything again and count it."""
        from memsite.memory.counting import counts

        self.reload()
        return counts(self)

    # Operations that write -------------------------------------------------------------------

    def edit(
        self,
        identifier: str,
        operation: Operation,
        content: str,
        *,
        expected: str | None = None,
        find_text: str | None = None,
        expected_count: int | None = None,
        section_name: str | None = None,
        nth: int | None = None,
        tight: bool = False,
        own_text_only: bool = False,
        whole_file: bool = False,
        allow_unlinked: bool = False,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Written:
        """Change the text of a note; see `memsite.edit`. `expected` is the checksum of a reading.

        Raises E002, E005 and E011 for a name that is not exact, E006 when the note changed since, E007 to
        E010, E012 and E019 by the rules of the edit, E013 and E018 when it cannot be written.
        """
        from memsite.memory.writing import edit_note

        wanted = Edit(
            operation,
            content,
            find=find_text,
            expected_count=expected_count,
            section=section_name,
            nth=nth,
            tight=tight,
            own_text_only=own_text_only,
            whole_file=whole_file,
            allow_unlinked=allow_unlinked,
        )
        return edit_note(
            self, identifier, wanted, expected=_checksum(expected), dry_run=dry_run, now=now or _now()
        )

    def edit_whole(
        self,
        identifier: str,
        content: bytes,
        *,
        expected: str | None = None,
        allow_unlinked: bool = False,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Written:
        """Replace the whole file by what came back from an editor. Raises what `edit` raises."""
        from memsite.memory.writing import edit_whole_note

        return edit_whole_note(
            self,
            identifier,
            content,
            expected=_checksum(expected),
            allow_unlinked=allow_unlinked,
            dry_run=dry_run,
            now=now or _now(),
        )

    def new(
        self,
        kind: NewKind,
        title: str,
        content: str = "",
        *,
        tags: Sequence[str] = (),
        type: str | None = None,
        description: str = "",
        store: str | None = None,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Written:
        """Make a tip or compact entry with its index row, or a topic with its line in MEMORY.md.

        Raises NoStore (E001) where no store fits, NotFound (E002) for an unknown one, IndexUnreadable
        (E014), BadArgument (E019), and E013 and E018 when it cannot be written.
        """
        from memsite.memory.creating import NewNote, new_note

        wanted = NewNote(kind, title, content, tuple(tags), type, description)
        return new_note(self, wanted, store_name=store, dry_run=dry_run, now=now or _now())

    def delete(
        self,
        identifier: str,
        *,
        expected: str | None = None,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Written:
        """Move a note into the trash, its index row with it.

        Raises MemoryProtected (E004) for MEMORY.md, IndexUnreadable (E014), else what `edit` raises for
        a name, a checksum or a store that cannot be written.
        """
        from memsite.memory.removing import delete_note

        return delete_note(self, identifier, expected=_checksum(expected), dry_run=dry_run, now=now or _now())

    def prune(
        self,
        *,
        store: str | None = None,
        tags: Sequence[str] = (),
        types: Sequence[str] = (),
        before: str | date | None = None,
        after: str | date | None = None,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Pruned:
        """Move all entries of workflow stores that fit into the trash.

        Raises PruneNeedsFilter (E003) without tag, type or date, BadArgument (E019) for another kind of
        store, StaleChecksum (E006) when one of them changes meanwhile.
        """
        from memsite.memory.removing import prune_notes

        wanted = filter_of(store=store, tags=tags, types=types, before=before, after=after)
        return prune_notes(self, wanted, dry_run=dry_run, now=now or _now())

    def undo(
        self,
        tx: str | None = None,
        *,
        store: str | None = None,
        dry_run: bool = False,
        now: datetime | None = None,
    ) -> Undone:
        """Take back a write: the last one, or the one that `tx` names.

        Raises NotFound (E002) when there is none, StaleChecksum (E006) when a file changed since.
        """
        from memsite.memory.undoing import undo

        return undo(self, tx, store_name=store, dry_run=dry_run, now=now or _now())

    def undo_list(self) -> tuple[Undoable, ...]:
        """What the trash can bring back, newest first."""
        from memsite.memory.undoing import undoable

        return tuple(undoable(self))

    def repair(
        self, *, rebuild_index: bool = False, dry_run: bool = False, now: datetime | None = None
    ) -> Repaired:
        """Mend interrupted writes and index rows; say what a person has to look at."""
        from memsite.memory.repair import repair_memory

        return repair_memory(self, rebuild_index=rebuild_index, dry_run=dry_run, now=now or _now())

    @contextlib.contextmanager
    def open_for_writing(
        self, store: Store, *, dry_run: bool = False, set_aside: bool = False
    ) -> Iterator[WritableStore]:
        """The store under its lock; what was read of it is forgotten afterwards.

        With `dry_run` nothing is locked or made, and nothing may be committed.
        """
        from memsite.stores.files import OWN_FOLDER, WritableStore, open_for_writing

        if dry_run:
            yield WritableStore(store.root, store.root / OWN_FOLDER)
            return
        with open_for_writing(store.root, timeout=self.lock_seconds, set_aside=set_aside) as writable:
            try:
                yield writable
            finally:
                self.reload()


def _checksum(text: str | None) -> Checksum | None:
    return None if text is None else parse_checksum(text)


def _now() -> datetime:
    return datetime.now(UTC)
