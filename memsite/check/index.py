"""Whether the index of a workflow store and its files agree (W001)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memsite.check.problems import in_index, in_note
from memsite.note import Finding, Graph, IndexEntry, Note, Problem, StoreView

_REPAIR = "`memsite repair --dry-run` shows what it would change in the index."
_ONE_ROW = "Remove one of the two rows."
_REGENERATE = "The index belongs to another program: let it write the index again."
_MANAGED = re.compile(r"(?:MEM|TIP)-[\w.-]+\.md")
_ALIKE = re.compile(r"(?:MEM|TIP)[-_ ].+\.md", re.IGNORECASE)


def index_problems(graph: Graph) -> Iterator[Problem]:
    """For each store with an index: rows without file, ids twice, files without row."""
    by_store: dict[str, list[Note]] = {}
    for note in graph.notes.values():
        by_store.setdefault(note.store, []).append(note)
    for view in graph.stores.values():
        if view.entries is not None:
            notes = by_store.get(view.name, [])
            yield from _dangling(view, view.entries, notes)
            yield from _twice(view, view.entries)
            if view.writable_index:  # an index of another program may well have a row a section
                yield from _same_file(view, view.entries)
            yield from _unlisted(graph, view, view.entries, notes)


def _dangling(view: StoreView, entries: Iterable[IndexEntry], notes: Iterable[Note]) -> Iterator[Problem]:
    there = {note.path for note in notes}
    unreadable = {problem.path for problem in view.problems}
    for entry in entries:
        if entry.path is None or entry.path in there or f"{view.prefix}{entry.path}" in unreadable:
            continue
        message = f"the row '{entry.id}' names '{entry.path}', which is not there"
        yield in_index(view, "W001", entry.line, message, hint=_hint(view, _REPAIR))


def _twice(view: StoreView, entries: Iterable[IndexEntry]) -> Iterator[Problem]:
    first: dict[str, IndexEntry] = {}
    for entry in entries:
        if not entry.id:
            continue
        known = first.setdefault(entry.id, entry)
        if known is not entry:
            rows = f"row {known.position + 1} and again in row {entry.position + 1}"
            message = f"the id '{entry.id}' stands in {rows}"
            yield in_index(view, "W001", entry.line, message, hint=_hint(view, _ONE_ROW))


def _same_file(view: StoreView, entries: Iterable[IndexEntry]) -> Iterator[Problem]:
    """Rows with ids of their own for one note: what they say of it cannot all be true."""
    first: dict[str, IndexEntry] = {}
    for entry in entries:
        if entry.path is None:
            continue
        known = first.setdefault(entry.path, entry)
        if known.id != entry.id:
            rows = f"row {known.position + 1} as '{known.id}' and in row {entry.position + 1} as '{entry.id}'"
            message = f"the file '{entry.path}' stands in {rows}"
            yield in_index(view, "W001", entry.line, message, hint=_ONE_ROW)


def _unlisted(
    graph: Graph, view: StoreView, entries: Iterable[IndexEntry], notes: Iterable[Note]
) -> Iterator[Problem]:
    listed = {entry.path for entry in entries}
    for note in notes:
        if note.path in listed:
            continue
        if _MANAGED.fullmatch(note.path):
            message = f"'{note.path}' has no row in the index"
            yield in_note(graph, note, Finding("W001", 1, 1, message, _hint(view, _REPAIR)))
        elif _ALIKE.fullmatch(note.path):
            message = f"'{note.path}' looks like a memory but its name is not that of one"
            hint = "Rename it to MEM-<date>-<number>.md, or delete the copy."
            yield in_note(graph, note, Finding("W001", 1, 1, message, hint, "info"))


def _hint(view: StoreView, own: str) -> str:
    """What to do about an index: `own` where memsite may write it."""
    return own if view.writable_index else _REGENERATE
