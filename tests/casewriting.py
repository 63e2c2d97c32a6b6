"""Actions of the cases that write: edits, new notes, deletion, pruning, repair, the index, and search."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from caseactions import World, action, shown

from memsite.errors import MemsiteError

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
INDEX = ".workflow/memory/memory-index.json"


def _options(words: tuple[str, ...]) -> dict[str, str]:
    return dict(word.split("=", 1) if "=" in word else (word, "") for word in words)


def _many(text: str) -> list[str]:
    return text.split(",") if text else []


def _new_problems(answer: Any, *codes: str) -> list[str]:
    return [f"{p.code} {p.line}:{p.column}" for p in answer.appeared if p.code in codes]


@action
def edit(world: World, identifier: str, operation: str, text: str, *options: str) -> Iterator[str]:
    """Edit a note and say: done, (in how many places), what is remarked, which W007 came with it."""
    words = _options(options)
    written = world.memory.edit(
        identifier,
        operation,
        text,
        expected=words.get("checksum"),
        find_text=words.get("find"),
        expected_count=int(words["expect"]) if "expect" in words else None,
        section_name=words.get("section"),
        nth=int(words["nth"]) if "nth" in words else None,
        tight="tight" in words,
        own_text_only="own" in words,
        whole_file="whole" in words,
        allow_unlinked="unlinked" in words,
        dry_run="dry" in words,
        now=NOW,
    )
    if not written.changed:
        yield "unchanged"
    elif written.dry_run:
        yield "would change"
        yield from (line for line in written.diff.split("\n") if line[:3] not in ("---", "+++", "@@ "))
    else:
        count = [f"({written.count})"] if written.count != 1 else []
        yield " ".join(["done", *count, *written.remarks, *_new_problems(written, "W007")])


@action
def undo(world: World) -> Iterator[str]:
    world.memory.undo(now=NOW)
    yield "done"


@action
def new(world: World, kind: str, title: str, text: str = "", *options: str) -> Iterator[str]:
    words = _options(options)
    made = world.memory.new(
        kind,
        title,
        text,
        tags=_many(words.get("tags", "")),
        type=words.get("type"),
        dry_run="dry" in words,
        now=NOW,
    )
    yield f"made {made.address.removeprefix('memory://')}"


@action
def delete(world: World, identifier: str, *options: str) -> Iterator[str]:
    """Delete a note; says which links led to it."""
    words = _options(options)
    gone = world.memory.delete(identifier, expected=words.get("checksum"), dry_run="dry" in words, now=NOW)
    yield f"{'would delete' if gone.dry_run else 'deleted'} {gone.address.removeprefix('memory://')}"
    for back in gone.linked_from:
        yield f"linked from {back.address.removeprefix('memory://')}"


@action
def prune(world: World, *options: str) -> Iterator[str]:
    """What is pruned, and what has no date."""
    words = _options(options)
    answer = world.memory.prune(
        tags=_many(words.get("tag", "")),
        types=_many(words.get("type", "")),
        before=words.get("before"),
        after=words.get("after"),
        dry_run="dry" in words,
        now=NOW,
    )
    yield from sorted(row.id or row.path for row in answer.candidates)
    yield from sorted(f"no date: {row.id or row.path}" for row in answer.undated)


@action
def repair(world: World, *options: str) -> Iterator[str]:
    words = _options(options)
    answer = world.memory.repair(rebuild_index="rebuild" in words, dry_run="dry" in words, now=NOW)
    yield from (mend.action for mend in answer.mends)


@action
def index(world: World) -> Iterator[str]:
    """The bytes of the index."""
    yield shown((world.root / INDEX).read_bytes())


@action
def rows(world: World) -> Iterator[str]:
    """Ids that the index has, in order."""
    read = json.loads((world.root / INDEX).read_bytes().decode("utf-8-sig"))
    entries = read["entries"] if isinstance(read, dict) and "entries" in read else read
    yield from entries if isinstance(entries, dict) else (entry["id"] for entry in entries)


@action
def list_(world: World, *options: str) -> Iterator[str]:
    """Notes, newest first: store, id or path, type, day, tags, title."""
    words = _options(options)
    for row in world.memory.list(
        store=words.get("store"),
        tags=_many(words.get("tag", "")),
        types=_many(words.get("type", "")),
        before=words.get("before"),
        after=words.get("after"),
    ):
        day = row.date.date() if row.date else "-"
        yield f"{row.store} {row.id or row.path} {row.type or '-'} {day} [{','.join(row.tags)}] {row.title}"


@action
def search(world: World, query: str, *options: str) -> Iterator[str]:
    """Hits, best first: path, place of the best match, how many, and the lines shown."""
    words = _options(options)
    answer = world.memory.search(
        query,
        store=words.get("store"),
        tags=_many(words.get("tag", "")),
        types=_many(words.get("type", "")),
        limit=int(words.get("limit", 20)),
        regex="regex" in words,
    )
    for hit in answer.hits:
        lines = [f"{s.line}: {s.before}«{s.match}»{s.after}" for s in hit.snippets]
        yield " | ".join([f"{hit.row.path} {hit.where} {hit.count}", *lines])


@action
def view(world: World, identifier: str, section: str = "") -> Iterator[str]:
    yield shown(world.memory.read(identifier, section=section or None).text)


@action
def context(world: World, concept: str, *options: str) -> Iterator[str]:
    words = _options(options)
    around = world.memory.context(concept, depth=int(words.get("depth", 1)))
    yield f"{around.key} in {len(around.notes)}"
    yield from (f"{relation.key} {relation.count}" for relation in around.relations)
    yield from (f"{relation.key} {relation.count} at {relation.depth}" for relation in around.expanded)


@action
def links_known(world: World) -> Iterator[str]:
    """Counts of the whole memory."""
    counts = world.memory.sync()
    yield f"{counts.notes} notes, {counts.links} links, {counts.concepts} concepts, {counts.relations} relations"


@action
def widest(world: World, query: str) -> Iterator[str]:
    """How wide the widest snippet is."""
    hits = world.memory.search(query).hits
    width = max(len(s.before + s.match + s.after) for hit in hits for s in hit.snippets)
    yield "under 300" if width < 300 else str(width)


WRITER = """
import sys
from memsite import open_memory
memory = open_memory(sys.argv[1])
for number in range(int(sys.argv[3])):
    memory.edit("log", "append", f"{sys.argv[2]}-{number} [[x]]", tight=True)
"""


@action
def race(world: World, edits: str) -> Iterator[str]:
    """Two processes append to one note, while a stale edit is tried and a reader looks all the time."""
    first = world.memory.find("log").checksum
    command = [sys.executable, "-c", WRITER, str(world.root)]
    writers = [subprocess.Popen([*command, name, edits]) for name in ("a", "b")]
    torn = seen = 0
    while any(writer.poll() is None for writer in writers):
        text = world.path("log.md").read_bytes()
        torn += not (text.startswith(b"# Log") and text.endswith(b"\n"))
        seen = len(text)
        time.sleep(0.001)
    yield f"writers ended with {[writer.wait() for writer in writers]}, {torn} torn reads"
    lines = world.path("log.md").read_text(encoding="utf-8").split()
    for name in ("a", "b"):
        wanted = [f"{name}-{number}" for number in range(int(edits))]
        yield f"{name}: {'all in order' if [w for w in lines if w.startswith(f'{name}-')] == wanted else lines}"
    world.forget()
    try:
        world.memory.edit("log", "append", "late [[x]]", expected=first)
    except MemsiteError as error:
        yield f"stale: {error.code}"
    yield f"left over: {sorted(p.name for p in world.path('.').rglob('*.tmp'))}" if seen else "nothing seen"


@action
def killed(world: World, edits: str) -> Iterator[str]:
    """A writer is killed in the middle; the next one is not held up, and the note is whole."""
    command = [sys.executable, "-c", WRITER, str(world.root), "k", edits]
    writer = subprocess.Popen(command)
    deadline = time.monotonic() + 20
    while b"k-3" not in world.path("log.md").read_bytes() and time.monotonic() < deadline:
        time.sleep(0.001)
    writer.kill()
    writer.wait()
    text = world.path("log.md").read_text(encoding="utf-8")
    numbers = [int(word[2:]) for word in text.split() if word.startswith("k-")]
    yield "whole" if numbers == list(range(len(numbers))) and text.endswith("\n") else text
    world.forget()
    world.memory.edit("log", "append", "after [[x]]", now=NOW)
    yield "written after"
    world.memory.repair(now=NOW)
    yield from (f"{p.code} {p.path}" for p in world.memory.problems() if p.code == "W001")
