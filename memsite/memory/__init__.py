"""Memory, the core engine: the one door to all stores of a project.

The command line, the build, the server and other programs go through it.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.config import Config
from memsite.errors import NotFound
from memsite.memory.identifiers import (
    Identifier,
    ambiguous,
    choose,
    choose_exactly,
    named,
    parse_identifier,
    paths_of,
    store_order,
)
from memsite.note import Address, Checksum, Document, Graph, Note, Problem, Source

if TYPE_CHECKING:
    from memsite.stores import Discovery, Store


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
    Raises NoStore (E001) when there is no store and BadConfig (E015) for a bad configuration.
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
        self._documents: MutableMapping[Checksum, Document] = {} if documents is None else documents
        self._notes: tuple[Note, ...] | None = None
        self._graph: Graph | None = None
        self._problems: tuple[Problem, ...] | None = None

    # Reading ---------------------------------------------------------------------------------

    def notes(self) -> Iterator[Note]:
        """Every readable note, store by store, sorted by path."""
        if self._notes is None:
            self._notes = tuple(self.note(source) for store in self.stores for source in store.sources())
        return iter(self._notes)

    def note(self, source: Source) -> Note:
        """What `source` says; parsed once for each checksum."""
        from memsite.markdown import describe

        document = self._documents.get(source.checksum)
        if document is None:
            document = self._documents[source.checksum] = understood(source.content)
        return describe(source, document)

    def graph(self) -> Graph:
        """All notes with their links resolved; fresh after a write."""
        if self._graph is None:
            from memsite.graph import resolve

            notes = tuple(self.notes())
            self._graph = resolve(notes, [store.view() for store in self.stores])
        return self._graph

    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong with the memory, sorted."""
        if self._problems is None:
            from memsite.check import check

            self._problems = check(self.graph(), config=self.config.check, bytes_of=self.memory_files())
        return self._problems

    def memory_files(self) -> dict[Address, bytes]:
        """The bytes of each MEMORY.md that can be read, by address."""
        found: dict[Address, bytes] = {}
        for store in self.stores:
            source = _read_first(store, "MEMORY.md") if store.kind == "system" else None
            if source is not None:
                found[source.address] = source.content
        return found

    def reload(self) -> None:
        """Forget what was read; parsed notes stay, for they depend on bytes alone."""
        self._notes = self._graph = self._problems = None

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
        wanted = parse_identifier(identifier)
        sources = self._at_path(wanted)
        if sources:
            order = store_order(wanted.name)
            first = min(order(source.kind) for source in sources)
            best = [source for source in sources if order(source.kind) == first]
            if len(best) > 1:
                raise ambiguous(wanted, [source.address for source in best])
            return self.note(best[0])
        notes = {note.address: note for note in self.notes()}
        return notes[choose(wanted, [named(note) for note in notes.values()])]

    def find_exactly(self, identifier: str) -> Source:
        """The note that a writer means: its exact address, path, id, title or alias, borne by no other.

        An address or path is found without reading any other note.
        Raises AmbiguousName (E005), NotFound (E002) with what may be meant, OutsideStore (E011).
        """
        wanted = parse_identifier(identifier)
        sources = self._at_path(wanted)
        if len(sources) > 1:
            raise ambiguous(wanted, [source.address for source in sources])
        if sources:
            return sources[0]
        address = choose_exactly(wanted, [named(note) for note in self.notes()])
        return self.source(address)

    def source(self, address: Address) -> Source:
        """The note at exactly this address, read now."""
        wanted = parse_identifier(address)
        for source in self._at_path(wanted):
            if source.address == address:
                return source
        raise NotFound(f"There is no note '{address}'.", identifier=address, near=[])

    def _at_path(self, wanted: Identifier) -> list[Source]:
        """The notes whose path is exactly what is wanted, at most one a store; no other file is read."""
        if wanted.is_address:
            name, _, inside = wanted.name.partition("/")
            for store in self.stores:
                if store.name == name and inside:
                    found = _read_first(store, inside)
                    if found is not None:
                        return [found]
        found_each = [_read_first(store, wanted.name) for store in self.stores]
        return [source for source in found_each if source is not None]


def understood(content: bytes) -> Document:
    """All that the bytes of a note say, with what they hide and what they give away."""
    from memsite.check import unseen
    from memsite.leaks import leak_findings
    from memsite.markdown import parse

    document = parse(content)
    return replace(document, findings=(*document.findings, *unseen(content), *leak_findings(content)))


def _read_first(store: Store, name: str) -> Source | None:
    for path in paths_of(name):
        try:
            return store.read(path)
        except NotFound:
            continue
    return None
