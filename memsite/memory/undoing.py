"""Taking a write back: what it replaced or removed comes out of the trash, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from memsite.edit import encode
from memsite.errors import NotFound, StaleChecksum
from memsite.memory.answers import Undoable, Undone
from memsite.memory.integrity import store_problems
from memsite.stores.disk import Attributes, Held, hold
from memsite.stores.files import OWN_FOLDER, Change, WritableStore
from memsite.stores.journal import trash_of
from memsite.stores.trash import Record, RecordedChange, records, undone
from memsite.wording import plural

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store


def undoable(memory: Memory) -> list[Undoable]:
    """Every write that the trash remembers, newest first."""
    found = [each for store in memory.stores for each in _remembered(store)]
    return sorted(found, key=lambda each: each.tx, reverse=True)


def _remembered(store: Store) -> Iterator[Undoable]:
    known = list(records(trash_of(store.root / OWN_FOLDER)))
    taken_back = undone(known)
    for record in known:
        yield Undoable(
            tx=record.tx,
            store=store.name,
            time=record.time,
            operation=record.operation,
            addresses=record.addresses,
            paths=tuple(f"{store.prefix}{change.path}" for change in record.changes),
            undone=record.tx in taken_back,
        )


def undo(memory: Memory, tx: str | None, *, store_name: str | None, dry_run: bool, now: datetime) -> Undone:
    """Take back the write `tx`, or the last one that is not taken back yet.

    Raises NotFound (E002) when there is none, StaleChecksum (E006) when a file changed since.
    """
    chosen = _choose(memory, tx, store_name)
    store = memory.store(chosen.store)
    with memory.open_for_writing(store, dry_run=dry_run) as writable:
        record = next((each for each in records(writable.trash) if each.tx == chosen.tx), None)
        if record is None:
            raise NotFound(f"The trash no longer holds '{chosen.tx}'.")
        plan = [_taken_back(store, writable, record, change) for change in reversed(record.changes)]
        changes = [change for change in plan if change is not None]
        made = None
        if not dry_run and changes:
            rows = [dict(row) | {"added": not row.get("added")} for row in record.rows]
            made = writable.commit(
                "undo", changes, now=now, addresses=record.addresses, rows=rows, undoes=record.tx
            ).tx
    problems = store_problems(memory, store) if made else ()
    paths = tuple(f"{store.prefix}{change.path}" for change in changes)
    removed = tuple(f"{store.prefix}{change.path}" for change in changes if change.new is None)
    left = len(plan) - len(changes)
    remarks = (f"{plural(left, 'file is', 'files are')} as before already",) if left else ()
    return Undone(chosen, made, dry_run, paths, remarks, problems, removed)


def _choose(memory: Memory, tx: str | None, store_name: str | None) -> Undoable:
    known = [each for each in undoable(memory) if store_name in (None, each.store)]
    if store_name is not None:
        memory.store(store_name)
    for each in known:
        if each.tx == tx or (tx is None and not each.undone and each.operation != "undo"):
            return each
    if tx is None:
        raise NotFound("There is nothing to undo.", hint="`memsite undo --list` shows what the trash holds.")
    raise NotFound(f"The trash holds no '{tx}'.", hint="`memsite undo --list` shows what it holds.", near=[])


def _taken_back(
    store: Store, writable: WritableStore, record: Record, change: RecordedChange
) -> Change | None:
    """The way back for one file; None when it is as it was already."""
    held = writable.read(change.path)
    present = held.checksum if held else None
    if present == change.old:
        return None
    if present == change.new:
        if change.old is None:
            return Change(change.path, held, None)
        kept = _kept(writable, record, change)
        return Change(change.path, held, kept.content, Attributes(change.mode, change.mtime_ns))
    merged = _merged(change, held, record) if held is not None and record.rows else None
    if merged is None:
        raise StaleChecksum(
            f"'{store.prefix}{change.path}' changed after the {record.operation}; it was not taken back.",
            hint=f"The old version is in '{writable.trash / record.tx}'.",
            expected=change.new,
            actual=present,
        )
    return Change(change.path, held, merged)


def _kept(writable: WritableStore, record: Record, change: RecordedChange) -> Held:
    held = hold(writable.trash / record.tx / change.copy) if change.copy else None
    if held is None or held.checksum != change.old:
        raise NotFound(
            f"The trash no longer holds '{change.path}' as it was.",
            hint=f"Look into '{writable.trash / record.tx}'.",
        )
    return held


def _merged(change: RecordedChange, held: Held, record: Record) -> bytes | None:
    """An index or MEMORY.md that others wrote to since, with only this write's rows taken back."""
    if change.path.endswith(".json"):
        text = _merged_index(held.content.decode("utf-8", "surrogateescape"), record.rows)
        return encode(text) if text is not None else None
    return _merged_memory(held.content, record.rows) if change.old is not None else None


def _merged_index(text: str, rows: tuple[Mapping[str, object], ...]) -> str | None:
    from memsite.stores.index_file import parse_index, put_row, remove_rows

    for row in rows:
        index = parse_index(text)
        source, position = row.get("source"), row.get("position")
        there = [
            each.position
            for each in index.rows
            if source == text[each.member.start : each.member.end]
            or (source is None and each.id == row.get("id"))
        ]
        if row.get("added"):
            text = remove_rows(text, there[-1:])
        elif not isinstance(source, str):
            return None
        elif not there:
            text = put_row(text, source, position=position if isinstance(position, int) else None)
    return text


def _merged_memory(content: bytes, rows: tuple[Mapping[str, object], ...]) -> bytes | None:
    for row in rows:
        line = str(row.get("line", "")).encode()
        kept = [each for each in content.splitlines(keepends=True) if each.rstrip(b"\r\n") != line]
        if not line or not row.get("added"):
            return None
        content = b"".join(kept)
    return content
