"""Changing the text of one note: under the lock, against a checksum, and told what it did."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memsite.edit import Edit, Edited, apply_to_bytes, decode
from memsite.errors import (
    BadArgument,
    IndexUnreadable,
    MemsiteError,
    NotFound,
    StaleChecksum,
    WikiLinkRequired,
)
from memsite.memory.answers import Written
from memsite.memory.integrity import note_problems, store_problems
from memsite.note import Checksum, IndexEntry, Note, Problem, Source, address_of
from memsite.stores.disk import Held, checksum_of, hold
from memsite.stores.files import Change, WritableStore, locate, require_writable
from memsite.stores.trash import records

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store
    from memsite.stores.index_file import IndexFile

Rewrite = Callable[[bytes], tuple[bytes, Edited]]

_AROUND = 3
"""Lines of context in a diff."""


def edit_note(
    memory: Memory,
    identifier: str,
    edit: Edit,
    *,
    expected: Checksum | None,
    dry_run: bool,
    now: datetime,
) -> Written:
    _refuse_idle(edit)
    store, path = memory.locate_exactly(identifier)
    if not store.settings.require_wikilink and not edit.allow_unlinked:
        edit = replace(edit, allow_unlinked=True)

    def rewrite(content: bytes) -> tuple[bytes, Edited]:
        return apply_to_bytes(content, edit, now=now)

    return _rewrite(
        memory, store, path, rewrite, operation=edit.operation, expected=expected, dry_run=dry_run, now=now
    )


def _refuse_idle(edit: Edit) -> None:
    """Raise BadArgument (E019) for what would change nothing: it is a slip in the call."""
    idle = (
        ("find_replace", "text to find", edit.find),
        ("find_replace", "expected count", edit.expected_count),
        ("replace_section", "section name", edit.section),
        ("replace_section", "number of a heading", edit.nth),
    )
    for operation, what, given in idle:
        if given is not None and edit.operation != operation:
            raise BadArgument(
                f"{edit.operation} takes no {what}: that is for {operation}.",
                hint="Leave it out, or choose the other operation.",
            )


def edit_whole_note(
    memory: Memory,
    identifier: str,
    content: bytes,
    *,
    expected: Checksum | None,
    allow_unlinked: bool,
    dry_run: bool,
    now: datetime,
) -> Written:
    """What came back from an editor takes the place of the whole file.

    The system store is free of the rule that a note must hold a link, as its own editor is.
    """
    store, path = memory.locate_exactly(identifier)
    free = allow_unlinked or store.kind == "system" or not store.settings.require_wikilink

    def rewrite(old: bytes) -> tuple[bytes, Edited]:
        from memsite.markdown import wikilinks

        text = decode(content)
        if content != old and not free and not wikilinks(text):
            raise WikiLinkRequired(
                "The note would be left without a [[WikiLink]].",
                hint="Add one; --allow-unlinked lifts the rule for one edit.",
            )
        return content, Edited(text, 1)

    return _rewrite(
        memory, store, path, rewrite, operation="edit", expected=expected, dry_run=dry_run, now=now
    )


def _rewrite(
    memory: Memory,
    store: Store,
    path: str,
    rewrite: Rewrite,
    *,
    operation: str,
    expected: Checksum | None,
    dry_run: bool,
    now: datetime,
) -> Written:
    if dry_run:
        place = locate(store.root, path)
        held = present(store, path, hold(place), expected=expected)
        require_writable(path, place, held)
        content, edited = rewrite(held.content)
        return _answer(memory, store, path, held, content, edited, operation=operation, tx=None, dry_run=True)
    ahead = _ahead(store, path, rewrite, expected=expected)
    with memory.open_for_writing(store) as writable:
        held = present(store, path, writable.read(path), expected=expected)
        require_writable(path, writable.locate(path), held)
        content, edited = ahead.get(held.checksum) or rewrite(held.content)
        tx = None
        if content != held.content:
            address = address_of(store.name, path)
            tx = writable.commit(operation, [Change(path, held, content)], now=now, addresses=[address]).tx
        remarks = writable.recovered
    answer = _answer(memory, store, path, held, content, edited, operation=operation, tx=tx, dry_run=False)
    others = (each for each in store_problems(memory, store) if each not in answer.problems)
    return replace(answer, remarks=(*answer.remarks, *remarks), problems=(*answer.problems, *others))


def _ahead(
    store: Store, path: str, rewrite: Rewrite, *, expected: Checksum | None
) -> dict[Checksum, tuple[bytes, Edited]]:
    """The edit, done on what the note holds before the lock is taken, so that the lock is held shortly.

    What is refused now is refused again under the lock, if the note still says the same.
    """
    with suppress(MemsiteError, OSError):
        place = locate(store.root, path)
        held = hold(place)
        if held is not None and expected in (None, held.checksum):
            require_writable(path, place, held)
            return {held.checksum: rewrite(held.content)}
    return {}


def present(store: Store, path: str, held: Held | None, *, expected: Checksum | None) -> Held:
    """The file, if it is there and what the caller read. Raises NotFound (E002), StaleChecksum (E006)."""
    if held is None:
        raise NotFound(
            f"There is no note '{address_of(store.name, path)}'.", hint="It was removed meanwhile."
        )
    if expected is not None and expected != held.checksum:
        shown = f"{store.prefix}{path}"
        text = held.content.decode("utf-8", "replace")
        raise StaleChecksum(
            f"'{shown}' changed since it was read: its checksum is {held.checksum}, expected {expected}.",
            hint="Read it again and repeat the edit on what it says now.",
            expected=expected,
            actual=held.checksum,
            diff=_since(store, path, expected, held.content),
            text=text,
        )
    return held


def _since(store: Store, path: str, expected: Checksum, content: bytes) -> str:
    """What changed since `expected`, where the trash still has that version; else empty."""
    from memsite.stores.files import OWN_FOLDER
    from memsite.stores.journal import trash_of

    trash = trash_of(store.root / OWN_FOLDER)
    for record in records(trash):
        for change in record.changes:
            if change.path == path and change.old == expected and change.copy is not None:
                old = hold(trash / record.tx / change.copy)
                return unified(path, old.content, content) if old else ""
    return ""


def unified(path: str, old: bytes, new: bytes) -> str:
    """A unified diff, lines parted by line feeds alone; characters that are no UTF-8 are replaced."""
    before, after = _lines(old), _lines(new)
    # Comparing takes time that grows with the square of the lines, and an edit leaves most as they were.
    first = max(0, _same(before, after) - _AROUND)
    last = max(0, _same(before[first:][::-1], after[first:][::-1]) - _AROUND)
    left, right = (lines[first : len(lines) - last] for lines in (before, after))
    marked = difflib.unified_diff(left, right, f"a/{path}", f"b/{path}", n=_AROUND)
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in marked)
    return "".join(_shifted(line, first) if line.startswith("@@") else line for line in ended)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are equal from the beginning on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _shifted(header: str, lines: int) -> str:
    return re.sub(r"(?<= [-+])\d+", lambda number: str(int(number[0]) + lines), header)


def _lines(content: bytes) -> list[str]:
    *lines, last = content.decode("utf-8", "replace").split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _answer(
    memory: Memory,
    store: Store,
    path: str,
    held: Held,
    content: bytes,
    edited: Edited,
    *,
    operation: str,
    tx: str | None,
    dry_run: bool,
) -> Written:
    before = _problems(memory, store, path, held.content)
    after = _with_hints(_problems(memory, store, path, content), edited)
    return Written(
        operation=operation,
        address=address_of(store.name, path),
        store=store.name,
        path=f"{store.prefix}{path}",
        old_checksum=held.checksum,
        new_checksum=checksum_of(content),
        changed=content != held.content,
        dry_run=dry_run,
        count=edited.count,
        diff=unified(path, held.content, content),
        tx=tx,
        remarks=edited.remarks,
        problems=after,
        appeared=_beyond(after, before),
        fixed=_beyond(before, after),
    )


def _beyond(some: Sequence[Problem], others: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those of `some` that are not among `others`; lines do not count, for an edit moves them."""
    known = Counter((each.code, each.message) for each in others)
    found = []
    for each in some:
        known[each.code, each.message] -= 1
        if known[each.code, each.message] < 0:
            found.append(each)
    return tuple(found)


def _problems(memory: Memory, store: Store, path: str, content: bytes) -> tuple[Problem, ...]:
    note = note_at(memory, store, path, content)
    return note_problems(store, note, content, config=memory.config.check)


def note_at(memory: Memory, store: Store, path: str, content: bytes) -> Note:
    """The note that `content` makes at `path`, index row apart."""
    return memory.note(Source(store.name, store.kind, path, content, checksum_of(content), 0.0))


def _with_hints(problems: tuple[Problem, ...], edited: Edited) -> tuple[Problem, ...]:
    """What the edit itself knows of a problem says better what would have been right."""
    hints = {(finding.code, finding.line): finding.hint for finding in edited.findings}
    return tuple(replace(each, hint=hints.get((each.code, each.line), each.hint)) for each in problems)


def read_index(writable: WritableStore, name: str) -> tuple[Held, IndexFile] | None:
    """The index as it is now, None when there is none. Raises IndexUnreadable (E014)."""
    from memsite.stores.index_file import decode_index, parse_index

    held = writable.read(name)
    if held is None:
        return None
    return held, parse_index(decode_index(held.content, name=name), name=name)


def index_name(store: Store) -> str | None:
    """The index that a write to `store` keeps in step; None where there is none or others make it."""
    from memsite.stores.workflow import MEMORY_INDEX

    file = store.index_file
    return MEMORY_INDEX if file is not None and file == store.root / MEMORY_INDEX else None


def entries_of(store: Store) -> tuple[IndexEntry, ...]:
    """The rows of an index that was read a moment ago. Raises IndexUnreadable (E014)."""
    entries = store.outline().entries
    if entries is None:
        raise IndexUnreadable(f"The index of '{store.name}' cannot be read any more.", hint="Try again.")
    return entries


def row_like(
    sample: Mapping[str, object],
    *,
    id: str,
    type: str | None,
    date: str,
    title: str,
    tags: Sequence[str],
    file: str,
) -> dict[str, object]:
    """A row of an index, with the keys that `sample`, another row of it, has. No empty type or date."""
    titled = "summary" if "summary" in sample and "title" not in sample else "title"
    dated = "timestamp" if "timestamp" in sample and "date" not in sample else "date"
    located = "path" if "path" in sample and "file" not in sample else "file"
    base = str(sample["path"]).rpartition("/")[0] if located == "path" else ""
    row: dict[str, object] = {"id": id}
    if type:
        row["type"] = type
    if date:
        row[dated] = date
    return row | {titled: title, "tags": list(tags), located: f"{base}/{file}" if base else file}
