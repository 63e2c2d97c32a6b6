"""MEMORY.md as the door to a system store: what fits in, what it leads to (W003, W004)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memsite.check.links import is_memory_file
from memsite.check.problems import in_note, shown_path
from memsite.config import CheckConfig
from memsite.note import Address, Finding, Found, Graph, Note, Problem
from memsite.wording import plural

_FILE_NAME = re.compile(r"[^\s`'\"()<>\[\],;|]+\.md\b")
_NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent loads of a MEMORY.md and what there is of it."""

    path: str
    lines: int
    max_lines: int
    bytes: int
    max_bytes: int


def memory_problems(
    graph: Graph, *, config: CheckConfig, bytes_of: Mapping[Address, bytes]
) -> Iterator[Problem]:
    """`bytes_of` holds each MEMORY.md; one that is absent has no length to judge."""
    for note in graph.notes.values():
        if is_memory_file(note):
            if note.address in bytes_of:
                yield from _too_long(graph, note, bytes_of[note.address], config=config)
            yield from _unlisted(graph, note)


def count_lines(content: bytes) -> int:
    """Lines as the host counts them: by line feeds, a last line without one counts too."""
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def budgets(graph: Graph, *, config: CheckConfig, bytes_of: Mapping[Address, bytes]) -> tuple[Budget, ...]:
    """How full each MEMORY.md is, in the order of their addresses."""
    return tuple(
        Budget(
            path=shown_path(graph, note),
            lines=count_lines(bytes_of[address]),
            max_lines=config.memory_lines,
            bytes=len(bytes_of[address]),
            max_bytes=config.memory_bytes,
        )
        for address, note in graph.notes.items()
        if is_memory_file(note) and address in bytes_of
    )


def _too_long(graph: Graph, note: Note, content: bytes, *, config: CheckConfig) -> Iterator[Problem]:
    lines, size = count_lines(content), len(content)
    reasons, first_lost = [], lines
    if lines > config.memory_lines:
        reasons.append(f"{lines} lines, only the first {config.memory_lines} are loaded")
        first_lost = config.memory_lines + 1
    if size > config.memory_bytes:
        reasons.append(f"{size:,} bytes, only the first {config.memory_bytes:,} are loaded")
        first_lost = min(first_lost, content.count(b"\n", 0, config.memory_bytes) + 1)
    if reasons:
        message = f"{'; '.join(reasons)}; lost from line {first_lost} on: {_lost(note, first_lost)}"
        hint = "Move details to topic files: `memsite new topic TITLE`, then `memsite edit MEMORY`."
        yield in_note(graph, note, Finding("W003", first_lost, 1, message, hint))


def _lost(note: Note, first: int) -> str:
    headings = [heading.text for heading in note.document.headings if heading.line >= first]
    links = sum(link.line >= first for link in note.document.links)
    named = ", ".join(f"'{text}'" for text in headings[:_NAMED_AT_MOST])
    more = f" and {len(headings) - _NAMED_AT_MOST} more" if len(headings) > _NAMED_AT_MOST else ""
    parts = [f"the headings {named}{more}"] if headings else []
    if links:
        parts.append(plural(links, "link"))
    return " and ".join(parts) or "text"


def _unlisted(graph: Graph, memory: Note) -> Iterator[Problem]:
    reached = _reached(graph, memory)
    text = memory.document.text
    mentioned = {name.removeprefix("./") for name in _FILE_NAME.findall(text)}
    for note in graph.notes.values():
        if note.store != memory.store or note.address in reached:
            continue
        named = note.path in mentioned or (" " in note.path and note.path in text)
        message = "mentioned in MEMORY.md, but not linked" if named else "no link leads here from MEMORY.md"
        # A blank or a bracket ends the address of a link, unless it stands in angle brackets.
        target = f"<{note.path}>" if {*" ()"} & {*note.path} else note.path
        hint = f"Add `- [{note.path.removesuffix('.md')}]({target}) — what it is good for` to MEMORY.md."
        yield in_note(graph, note, Finding("W004", 1, 1, message, hint), related=(shown_path(graph, memory),))


def _reached(graph: Graph, memory: Note) -> set[Address]:
    """What can be got at by following links from MEMORY.md, itself included."""
    reached, ahead = {memory.address}, [memory.address]
    while ahead:
        for target in graph.targets.get(ahead.pop(), ()):
            if isinstance(target, Found) and target.address not in reached:
                reached.add(target.address)
                ahead.append(target.address)
    return reached
