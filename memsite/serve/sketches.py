"""The pages of notes that were saved a moment ago: all that an edit changes on its own page, at once.

The rest (backlinks elsewhere, listings, the graph) comes with the build that follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.errors import MemsiteError
from memsite.note import Note, Source, address_of

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.pages import SitePlan


@dataclass(frozen=True, slots=True)
class _Place:
    """A store on disk."""

    name: str
    root: Path


class Sketches:
    """Pages of single notes as seen from the last build. Reads the notes and touches nothing else."""

    def __init__(self, memory: Memory, plan: SitePlan | None) -> None:
        """`plan` is that of the last build; None when there was nothing to build."""
        from memsite.build import planned
        from memsite.graph import Resolver
        from memsite.pages import Drafts

        graph = memory.graph()
        self._places = tuple(_Place(store.name, store.root.resolve()) for store in memory.stores)
        self._notes = graph.notes
        self._resolver = Resolver(graph.notes, graph.stores)
        self._drafts = Drafts(plan or planned(memory))

    def of(self, paths: Iterable[Path]) -> list[tuple[str, bytes]]:
        """URL and bytes of the page of each changed note that can be drawn without a build."""
        return [page for path in paths for note in self._read(path) if (page := self._page(note))]

    def _page(self, note: Note) -> tuple[str, bytes] | None:
        return self._drafts.of(note, self._resolver.targets(note))

    def _read(self, path: Path) -> Iterator[Note]:
        """The note at `path`, where it is one that the last build knew."""
        from memsite.markdown import describe
        from memsite.memory.understanding import understood
        from memsite.stores.reading import read_inside

        for place in self._places:
            inside = path.relative_to(place.root).as_posix() if path.is_relative_to(place.root) else ""
            before = self._notes.get(address_of(place.name, inside)) if inside.endswith(".md") else None
            if before is None:
                continue
            try:
                content = read_inside(place.root, inside).raw
            except MemsiteError:  # gone again, or half written: the build will say
                continue
            checksum = sha256(content).hexdigest()
            source = Source(
                before.store, before.kind, inside, content, checksum, before.modified, before.entry
            )
            yield describe(source, understood(content))
