"""Notes that nobody reaches, that are out of date, or that exist twice (W011, W017, W018)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from memsite.check.links import in_project, is_memory_file, leaves_store
from memsite.check.problems import in_note, shown_path
from memsite.config import CheckConfig
from memsite.graph import orphans
from memsite.note import (
    Address,
    Finding,
    Graph,
    Missing,
    Note,
    Problem,
)

_PROJECT_PATH = re.compile(r"(?<![\w./:@~-])[\w.@-]+(?:/[\w.@-]+)+\.\w{1,8}(?![\w/])")


def orphan_problems(graph: Graph) -> Iterator[Problem]:
    hint = "One `[[concept]]` in its text links it to the rest."
    finding = Finding("W011", 1, 1, "nothing links here, and it links to nothing", hint)
    lonely = frozenset(orphans(graph))
    for address, note in graph.notes.items():
        if is_memory_file(note):
            continue
        if _is_empty(note):
            yield in_note(graph, note, Finding("W011", 1, 1, "the note is empty", "Write it, or delete it."))
        elif address in lonely:
            yield in_note(graph, note, finding)


def _is_empty(note: Note) -> bool:
    document = note.document
    return not (
        document.text.strip()
        or document.links
        or document.front_matter
        or "".join(document.fragments).strip()
    )


def stale_problems(
    graph: Graph, *, config: CheckConfig, project_files: frozenset[str], today: date | None
) -> Iterator[Problem]:
    """`project_files` are posix paths relative to the project, folders with `/` at the end; empty: not
    known, nothing is said."""
    folders = {path.partition("/")[0] for path in project_files if "/" in path}
    endings = _endings(project_files)
    for note in graph.notes.values():
        gone = [
            path for path in _paths_in_code(note) if path.partition("/")[0] in folders and path not in endings
        ]
        if gone:
            message = f"names project files that are not there: {', '.join(dict.fromkeys(gone))}"
            yield in_note(
                graph, note, Finding("W017", 1, 1, message, "Read it again, or set `status: deprecated`.")
            )
        if today is not None and (days := _days_over(note, today, config)) is not None:
            message = (
                f"not touched for {days} days, more than the {config.stale_days[note.type or '']} of its type"
            )
            yield in_note(
                graph, note, Finding("W017", 1, 1, message, "Read it again and set its date, or delete it.")
            )


def _endings(project_files: Iterable[str]) -> frozenset[str]:
    """Each path and every tail of it that still holds a folder: notes often leave out the first ones."""
    return frozenset(
        "/".join(parts[start:])
        for parts in (path.split("/") for path in project_files)
        for start in range(len(parts))
    )


def named_files(graph: Graph) -> frozenset[str]:
    """Every path in the notes that may be a file of the project: what `project_files` has to know.

    Posix, relative to the project, and never out of it.
    """
    named = {path for note in graph.notes.values() for path in _paths_in_code(note)}
    for address, note in graph.notes.items():
        for link, target in zip(note.document.links, graph.targets.get(address, ()), strict=True):
            if isinstance(target, Missing) and leaves_store(note, link.target):
                named.add(in_project(graph, note, link.target))
    return frozenset(path for path in named if not path.startswith(("../", "/", "~")) and "/../" not in path)


def _paths_in_code(note: Note) -> list[str]:
    text = note.document.text
    return [path for start, end in note.document.opaque for path in _PROJECT_PATH.findall(text[start:end])]


def _days_over(note: Note, today: date, config: CheckConfig) -> int | None:
    limit = config.stale_days.get(note.type or "")
    if limit is None or note.date is None:
        return None
    days = (today - note.date.date()).days
    return days if days > limit else None


def twin_problems(graph: Graph, twins: Iterable[tuple[Address, Address, float]]) -> Iterator[Problem]:
    """`twins` are pairs of notes with their likeness from 0 to 1; reported at the later address."""
    for one, other, likeness in twins:
        first, second = sorted((one, other))
        path = shown_path(graph, graph.notes[first])
        finding = Finding("W018", 1, 1, f"{likeness:.0%} the same text as {path}", "Keep one and link to it.")
        yield in_note(graph, graph.notes[second], finding, related=(path,))
