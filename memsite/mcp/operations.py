"""What each tool does: its parameters become a call of Memory. With the answers that Memory does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from memsite.check import SEVERITIES, by_severity
from memsite.errors import BadArgument
from memsite.memory import Memory
from memsite.memory.answers import Row
from memsite.memory.identifiers import SCHEME
from memsite.note import Address, Problem

Arguments: TypeAlias = Mapping[str, Any]

_FILES_NAMED = 100
"""Files of a site named to an agent: ten thousand would fill what it can read."""


class NotConfirmed(BadArgument):
    """Nobody said yes."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of notes, newest first, and how many there are on all pages."""

    total: int
    notes: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with the memory; `counts` by severity, also of those beyond `limit`."""

    counts: Mapping[str, int]
    problems: tuple[Problem, ...]


def read_note(memory: Memory, given: Arguments) -> object:
    reading = memory.read(given["identifier"], section=given.get("sectionName"))
    if given.get("includeChecksum", True):
        return reading
    return replace(reading, row=replace(reading.row, checksum=""))


def edit_note(memory: Memory, given: Arguments) -> object:
    return memory.edit(
        given["identifier"],
        given["operation"],
        given["content"],
        expected=given.get("checksum"),
        find_text=given.get("findText"),
        expected_count=given.get("expectedCount"),
        section_name=given.get("sectionName"),
        dry_run=given.get("dryRun", False),
    )


def write_note(memory: Memory, given: Arguments) -> object:
    return memory.new(
        given.get("kind", "tip"),
        given["title"],
        given["content"],
        tags=given.get("tags", ()),
        type=given.get("type"),
        description=given.get("description", ""),
        store=given.get("store"),
        dry_run=given.get("dryRun", False),
    )


def delete_note(memory: Memory, given: Arguments) -> object:
    """Raises NotConfirmed (E019), which says what would go, unless `confirm` is true."""
    if given.get("confirm", False):
        return memory.delete(given["identifier"], expected=given.get("checksum"))
    planned = memory.delete(given["identifier"], expected=given.get("checksum"), dry_run=True)
    raise NotConfirmed(
        f"{planned.address} was not deleted: nobody confirmed it.",
        hint="Call again with confirm: true, and the checksum of the note you mean.",
        address=planned.address,
        checksum=planned.old_checksum,
        linked_from=[link.address for link in planned.linked_from],
    )


def undo_write(memory: Memory, given: Arguments) -> object:
    return memory.undo(given.get("transaction"), dry_run=given.get("dryRun", False))


def search_notes(memory: Memory, given: Arguments) -> object:
    page, size = given.get("page", 1), given.get("pageSize", 10)
    folder = given.get("folder")
    answer = memory.search(
        given["query"],
        store=given.get("store"),
        tags=given.get("tags", ()),
        types=given.get("types", ()),
        limit=page * size if folder is None else 10**9,
        regex=given.get("regex", False),
    )
    if folder is not None:
        hits = tuple(hit for hit in answer.hits if _lies_in(hit.row.address, folder))
        answer = replace(answer, hits=hits, total=len(hits))
    return replace(answer, hits=answer.hits[(page - 1) * size : page * size])


def list_notes(memory: Memory, given: Arguments) -> object:
    page, size = given.get("page", 1), given.get("pageSize", 50)
    folder = given.get("folder")
    rows = memory.list(
        store=given.get("store"),
        tags=given.get("tags", ()),
        types=given.get("types", ()),
        before=given.get("before"),
        after=given.get("after"),
    )
    rows = tuple(row for row in rows if folder is None or _lies_in(row.address, folder))
    return Listing(len(rows), rows[(page - 1) * size : page * size])


def _lies_in(address: Address, folder: str) -> bool:
    """Whether a note lies in `folder`: of its store, or with the store's name in front."""
    wanted = folder.removeprefix(SCHEME).strip("/") + "/"
    inside = address.removeprefix(SCHEME)
    return inside.startswith(wanted) or inside.partition("/")[2].startswith(wanted)


def build_context(memory: Memory, given: Arguments) -> object:
    return memory.context(
        given["conceptName"],
        depth=given.get("depth", 2),
        max_results=given.get("maxEntities", 20),
        content=given.get("includeContent", False),
    )


def sync(memory: Memory, _given: Arguments) -> object:
    from memsite.build.secrets import vet

    vet(memory)
    return memory.sync()


def check_memory(memory: Memory, given: Arguments) -> object:
    from memsite.build.secrets import vet

    vet(memory)  # what a build accepts or finds, a check accepts and finds
    wanted = SEVERITIES[: SEVERITIES.index(given.get("severity", "info")) + 1]
    store = given.get("store")
    if store is not None:
        memory.store(store)
    found = tuple(
        problem
        for problem in memory.problems()
        if problem.severity in wanted and store in (None, problem.store)
    )
    return Checked(by_severity(found), found[: given.get("limit", 100)])


def build(memory: Memory, given: Arguments) -> object:
    from memsite.build import build_site

    built = build_site(memory, strict=given.get("strict", False)).answer()
    return replace(built, written=built.written[:_FILES_NAMED], removed=built.removed[:_FILES_NAMED])
