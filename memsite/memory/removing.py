"""Removing notes: one by name, or all that fit a filter, always with their index rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memsite.edit import encode
from memsite.errors import BadArgument, MemoryProtected, NotFound, PruneNeedsFilter, StaleChecksum
from memsite.memory.answers import Pruned, Row, Written
from memsite.memory.identifiers import parse_identifier
from memsite.memory.integrity import is_memory_file, store_problems
from memsite.memory.listing import Filter, newest_first, rows
from memsite.memory.writing import entries_of, index_name, present, read_index, unified
from memsite.note import Backlink, Checksum, Problem, address_of
from memsite.stores.disk import Held, hold
from memsite.stores.files import Change, WritableStore, locate

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store
    from memsite.stores.index_file import IndexFile

Rows = list[Mapping[str, object]]


def delete_note(
    memory: Memory, identifier: str, *, expected: Checksum | None, dry_run: bool, now: datetime
) -> Written:
    """Move the note into the trash and its row out of the index.

    Raises MemoryProtected (E004) for MEMORY.md and what finding and writing raise.
    """
    try:
        store, path = memory.locate_exactly(identifier)
    except NotFound:
        row = _row_without_file(memory, identifier)
        if row is None:
            raise
        return _delete_row(memory, *row, dry_run=dry_run, now=now)
    if is_memory_file(store, path):
        raise MemoryProtected(
            "MEMORY.md is what the agent reads first and is never deleted.", hint="Edit it instead."
        )
    linked = memory.incoming(address_of(store.name, path))
    if dry_run:
        held = present(store, path, hold(locate(store.root, path)), expected=expected)
        return _answer(memory, store, path, held, linked=linked, tx=None)
    with memory.open_for_writing(store) as writable:
        held = present(store, path, writable.read(path), expected=expected)
        index, gone = _without_rows(store, writable, {path})
        changes = [*index, Change(path, held, None)]
        address = address_of(store.name, path)
        tx = writable.commit("delete", changes, now=now, addresses=[address], rows=gone).tx
        remarks = writable.recovered
    answer = _answer(memory, store, path, held, linked=linked, tx=tx)
    return replace(answer, remarks=remarks)


def _answer(
    memory: Memory, store: Store, path: str, held: Held, *, linked: Sequence[Backlink], tx: str | None
) -> Written:
    return Written(
        operation="delete",
        address=address_of(store.name, path),
        store=store.name,
        path=f"{store.prefix}{path}",
        old_checksum=held.checksum,
        new_checksum=None,
        changed=True,
        dry_run=tx is None,
        diff=unified(path, held.content, b""),
        tx=tx,
        linked_from=tuple(linked),
        problems=store_problems(memory, store) if tx else (),
    )


def _without_rows(store: Store, writable: WritableStore, paths: Collection[str]) -> tuple[list[Change], Rows]:
    """The index without the rows of `paths`, if it has any. Raises IndexUnreadable (E014)."""
    name = index_name(store)
    found = read_index(writable, name) if name is not None else None
    if found is None or name is None:
        return [], []
    positions = [entry.position for entry in entries_of(store) if entry.path in paths]
    return _cut(name, *found, positions)


def _cut(name: str, held: Held, index: IndexFile, positions: Sequence[int]) -> tuple[list[Change], Rows]:
    from memsite.stores.index_file import remove_rows

    if not positions:
        return [], []
    members = [(position, index.rows[position].member) for position in positions]
    gone: Rows = [
        {"source": index.text[member.start : member.end], "position": position}
        for position, member in members
    ]
    return [Change(name, held, encode(remove_rows(index.text, positions)))], gone


# Rows that name no usable file --------------------------------------------------------------


def _row_without_file(memory: Memory, identifier: str) -> tuple[Store, str] | None:
    """An index row of this id whose file is not in the store: it can be removed on its own."""
    wanted = parse_identifier(identifier).name
    for store in memory.stores:
        if index_name(store) is not None:
            for entry in store.outline().entries or ():
                if entry.id == wanted and (entry.path is None or not store.has(entry.path)):
                    return store, entry.id
    return None


def _delete_row(memory: Memory, store: Store, entry_id: str, *, dry_run: bool, now: datetime) -> Written:
    with memory.open_for_writing(store, dry_run=dry_run) as writable:
        name = index_name(store)
        found = read_index(writable, name) if name is not None else None
        rows = [each for each in store.outline().entries or () if each.id == entry_id]
        positions = [each.position for each in rows if each.path is None or not store.has(each.path)]
        if found is None or name is None or not positions:
            raise NotFound(f"There is no row '{entry_id}'.", hint="The index changed meanwhile.")
        changes, gone = _cut(name, *found, positions)
        tx = None if dry_run else writable.commit("delete", changes, now=now, rows=gone).tx
    return Written(
        operation="delete",
        address=address_of(store.name, entry_id),
        store=store.name,
        path=f"{store.prefix}{name}",
        old_checksum=None,
        new_checksum=None,
        changed=True,
        dry_run=dry_run,
        diff=unified(name, found[0].content, changes[0].new or b""),
        tx=tx,
        remarks=("removed a row that names no file of the store; no file was touched",),
        problems=store_problems(memory, store) if tx else (),
    )


# Prune --------------------------------------------------------------------------------------


def prune_notes(memory: Memory, wanted: Filter, *, dry_run: bool, now: datetime) -> Pruned:
    """Remove all workflow notes that fit. Notes without a date are never hit by a date.

    Raises PruneNeedsFilter (E003) without tag, type or date.
    """
    if wanted.is_empty:
        raise PruneNeedsFilter(
            "Prune needs at least one filter.", hint="Give --tag, --type, --before or --after."
        )
    stores = [each for each in memory.stores if each.kind == "workflow" and wanted.store in (None, each.name)]
    if wanted.store is not None and not stores:
        memory.store(wanted.store)
        raise BadArgument(f"'{wanted.store}' is not a workflow store.", hint="Only entries are pruned.")
    candidates: list[Row] = []
    undated: list[Row] = []
    for store in stores:
        for row in rows(memory, Filter(store.name, wanted.tags, wanted.types)):
            if row.date is None and (wanted.before or wanted.after):
                undated.append(row)
            elif wanted.fits_date(row.date):
                candidates.append(row)
    transactions: list[str] = []
    problems: list[Problem] = []
    for store in stores if not dry_run else ():
        chosen = [row for row in candidates if row.store == store.name]
        if chosen:
            transactions.append(_prune(memory, store, chosen, now=now))
            problems += store_problems(memory, store)
    return Pruned(
        tuple(newest_first(candidates)), tuple(undated), dry_run, tuple(transactions), tuple(problems)
    )


def _prune(memory: Memory, store: Store, chosen: Sequence[Row], *, now: datetime) -> str:
    with memory.open_for_writing(store) as writable:
        removals = [Change(row.path, _unchanged(store, writable, row), None) for row in chosen]
        index, gone = _without_rows(store, writable, {row.path for row in chosen})
        addresses = [row.address for row in chosen]
        return writable.commit("prune", [*index, *removals], now=now, addresses=addresses, rows=gone).tx


def _unchanged(store: Store, writable: WritableStore, row: Row) -> Held:
    held = writable.read(row.path)
    if held is None or held.checksum != row.checksum:
        raise StaleChecksum(
            f"'{store.prefix}{row.path}' changed while prune looked at it.",
            hint="Nothing was removed. Run prune again.",
            expected=row.checksum,
            actual=held.checksum if held else None,
        )
    return held
