"""The quick check after a write: what it touched, without reading any other note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memsite.config import CheckConfig
from memsite.note import Graph, Note, Problem, Source, StoreView, address_of

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store

MEMORY_FILE = "MEMORY.md"


def is_memory_file(store: Store, path: str) -> bool:
    """Whether this is the MEMORY.md of a system store, also where the file system ignores case."""
    return store.kind == "system" and path.casefold() == MEMORY_FILE.casefold()


def note_problems(store: Store, note: Note, content: bytes, *, config: CheckConfig) -> tuple[Problem, ...]:
    """What is wrong with a note by itself; for MEMORY.md also its length and the files it names."""
    from memsite.check import check
    from memsite.graph import resolve

    view = StoreView(store.name, store.kind, "", store.prefix, severities=store.settings.severities)
    others: Iterable[Note] = ()
    codes = {finding.code for finding in note.findings}
    if is_memory_file(store, note.path):
        view = store.outline()
        others = _silent(store, (path for path in store.paths() if path != note.path))
        codes |= {"W002", "W003"}
    graph = resolve([note, *others], [view])
    found = check(graph, config=config, bytes_of={note.address: content})
    own = (each for each in found if each.address == note.address and each.code in codes)
    return tuple(each for each in own if each.code != "W002" or _is_certain(each, note))


def _is_certain(missing: Problem, note: Note) -> bool:
    """Whether a link that leads nowhere here does so in the whole memory: a Markdown link names a file.

    What a WikiLink names may be the title of a note, which was not read, or stand in another store.
    """
    place = (missing.line, missing.column)
    return any((link.line, link.column) == place and link.kind == "markdown" for link in note.document.links)


def store_problems(memory: Memory, store: Store) -> tuple[Problem, ...]:
    """What is wrong with a store apart from its notes: its index against the listing of its folder
    (W001), the length of its MEMORY.md and the topics that it names (W002, W003).
    """
    config = memory.config.check
    if store.kind == "workflow":
        return _index_problems(store, config=config)
    if store.kind != "system" or not store.has(MEMORY_FILE):
        return ()
    source = store.read(MEMORY_FILE)
    return note_problems(store, memory.note(source), source.content, config=config)


def _index_problems(store: Store, *, config: CheckConfig) -> tuple[Problem, ...]:
    from memsite.check import index, problems, sorted_problems

    view = store.outline()
    notes = {note.address: note for note in _silent(store, store.paths())}
    graph = Graph(stores={store.name: view}, notes=notes, targets={}, backlinks={}, concepts={})
    found = [each for each in view.problems if each.code == "W001"]
    found += index.index_problems(graph)
    return sorted_problems(problems.weigh(found, graph, config=config))


def _silent(store: Store, paths: Iterable[str]) -> Iterator[Note]:
    """Notes of which nothing but the path is known."""
    from memsite.markdown import describe, parse

    blank = describe(Source(store.name, store.kind, "x.md", b"", "", 0.0), parse(b""))
    for path in paths:
        title = path.removesuffix(".md")
        yield replace(blank, address=address_of(store.name, path), path=path, title=title)
