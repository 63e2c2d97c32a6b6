"""Names that two notes share, or that hide something (W009, W012, W015)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memsite.check.problems import in_index, in_note, shown_path
from memsite.markdown.hidden import hidden
from memsite.note import Finding, Graph, Note, Problem


def name_problems(graph: Graph) -> Iterator[Problem]:
    yield from _same_title(graph)
    yield from _colliding(graph)
    yield from _hidden_in_names(graph)


def _same_title(graph: Graph) -> Iterator[Problem]:
    for notes in _groups(((note.store, key), note) for note in graph.notes.values() for key in _keys(note)):
        first, *others = notes
        for note in others:
            name = next(name for name in _names(note) if _fold(name) in {_fold(own) for own in _names(first)})
            message = f"'{name}' is also the name of {shown_path(graph, first)}"
            finding = Finding("W009", 1, 1, message, "Give one of them another title, or merge them.")
            yield in_note(graph, note, finding, related=(shown_path(graph, first),))


def _names(note: Note) -> tuple[str, ...]:
    """What links may call the note, without the mere name of its file: folders keep those apart."""
    spelled = (note.title, note.id or "", *note.names)
    stem = note.path.rpartition("/")[2].removesuffix(".md")
    return tuple(dict.fromkeys(name for name in spelled if name and name != stem))


def _keys(note: Note) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_fold(name) for name in _names(note)))


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()


def _colliding(graph: Graph) -> Iterator[Problem]:
    from memsite.markdown.names import slug

    def key(note: Note) -> tuple[str, ...]:
        return note.store, *(slug(part) or _fold(part) for part in note.path.removesuffix(".md").split("/"))

    for notes in _groups((key(note), note) for note in graph.notes.values()):
        first, *others = notes
        for note in others:
            message = f"differs from {shown_path(graph, first)} only in {_difference(note.path, first.path)}"
            yield in_note(
                graph,
                note,
                Finding("W015", 1, 1, message, "Rename one of them."),
                related=(shown_path(graph, first),),
            )


def _difference(one: str, other: str) -> str:
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "its Unicode normal form"
    if _fold(one) == _fold(other):
        return "upper and lower case"
    return "punctuation, so that their pages would share an address"


def _groups(keyed: Iterable[tuple[tuple[str, ...], Note]]) -> Iterator[list[Note]]:
    """Notes with the same key, in the order of their addresses."""
    groups: dict[tuple[str, ...], list[Note]] = {}
    for key, note in keyed:
        groups.setdefault(key, []).append(note)
    return iter(groups.values())


def _hidden_in_names(graph: Graph) -> Iterator[Problem]:
    for note in graph.notes.values():
        for finding in hidden(note.path):
            yield in_note(
                graph,
                note,
                Finding("W012", 1, 1, f"in the file name: {finding.message}", finding.hint, finding.severity),
            )
    for view in graph.stores.values():
        for entry in view.entries or ():
            for finding in hidden(entry.title or ""):
                message = f"in the title of row '{entry.id}': {finding.message}"
                problem = in_index(view, "W012", entry.line, message, hint=finding.hint)
                yield replace(problem, severity=finding.severity or problem.severity)
