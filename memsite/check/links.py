"""Links that lead nowhere, or to no one place (W002, W005, W006, W008)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from memsite.check.problems import in_note, shown_path
from memsite.note import Ambiguous, Finding, Found, Graph, Link, Missing, Note, Problem

_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}")
"""What a template puts its own text for: no link yet."""


def link_problems(graph: Graph, *, project_files: frozenset[str]) -> Iterator[Problem]:
    """One problem a link, where it stands."""
    folders = _folders(graph)
    for address, note in graph.notes.items():
        for link, target in zip(note.document.links, graph.targets.get(address, ()), strict=True):
            if isinstance(target, Missing):
                if _PLACEHOLDER.search(link.target):
                    continue
                plain = link.kind == "markdown" and not link.image
                outside = plain and project_files and leaves_store(note, link.target)
                # A file of the project outside the store is no note, but it is there; a picture would
                # have to be shown.
                if not outside or in_project(graph, note, link.target) not in project_files:
                    yield in_note(graph, note, _missing(note, link, target, folders=folders))
            elif isinstance(target, Ambiguous):
                yield in_note(graph, note, _ambiguous(link, target), related=_paths(graph, target))
            elif isinstance(target, Found) and target.broken is not None:
                yield in_note(
                    graph, note, _no_heading(link, target.broken), related=_path(graph, note, target)
                )


def is_memory_file(note: Note) -> bool:
    """Whether the note is the MEMORY.md that is the index of its system store."""
    return note.kind == "system" and note.path == "MEMORY.md"


def leaves_store(note: Note, target: str) -> bool:
    """Whether a relative link out of `note` climbs above the store's folder."""
    return _inside(note, target).startswith("..")


def in_project(graph: Graph, note: Note, target: str) -> str:
    """The path in the project that a relative link out of `note` means."""
    folder = posixpath.dirname(shown_path(graph, note))
    path = target.partition("#")[0].partition("?")[0]
    return posixpath.normpath(posixpath.join(folder, path))


def _folders(graph: Graph) -> frozenset[tuple[str, str]]:
    """Every folder that holds a note or file, with the name of its store."""
    found: set[tuple[str, str]] = set()
    paths = [(note.store, note.path) for note in graph.notes.values()]
    paths += [(view.name, path) for view in graph.stores.values() for path in view.files]
    for store, path in paths:
        folder = posixpath.dirname(path)
        while folder and (store, folder) not in found:
            found.add((store, folder))
            folder = posixpath.dirname(folder)
    return frozenset(found)


def _inside(note: Note, target: str) -> str:
    """The path in its store that a relative link out of `note` means."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(note.path), target.partition("#")[0]))


def _missing(note: Note, link: Link, target: Missing, *, folders: frozenset[tuple[str, str]]) -> Finding:
    topic = is_memory_file(note) and not leaves_store(note, link.target) and not link.target.endswith("/")
    code = "W002" if topic and not link.image else "W005"
    hint = "`memsite undo --list` shows deleted notes; else correct the link."
    message = f"'{link.target}' leads nowhere: {target.reason}"
    folder = (note.store, _inside(note, link.target)) in folders
    return Finding(code, link.line, link.column, message, hint, "info" if folder else None)


def _ambiguous(link: Link, target: Ambiguous) -> Finding:
    message = f"'{link.target}' fits {len(target.candidates)} notes"
    return Finding("W006", link.line, link.column, message, "Write the path of the note that is meant.")


def _no_heading(link: Link, broken: str) -> Finding:
    what = "block" if broken.startswith("^") else "heading"
    message = f"'{link.target}' names the {what} '{broken}', which is not there"
    return Finding(
        "W008", link.line, link.column, message, f"`memsite view NOTE` shows each {what} as it is now."
    )


def _paths(graph: Graph, target: Ambiguous) -> tuple[str, ...]:
    return tuple(
        shown_path(graph, graph.notes[address]) for address in target.candidates if address in graph.notes
    )


def _path(graph: Graph, note: Note, target: Found) -> tuple[str, ...]:
    return () if target.address == note.address else (shown_path(graph, graph.notes[target.address]),)
