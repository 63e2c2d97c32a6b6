"""Mending what has one right answer: interrupted writes, and rows of an index that do not fit the files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memsite.edit import encode
from memsite.errors import IndexUnreadable, MemsiteError
from memsite.memory.answers import Mend, Repaired
from memsite.memory.writing import entries_of, index_name, read_index, row_like
from memsite.note import Note, Problem
from memsite.stores import journal
from memsite.stores.disk import Attributes, write_new
from memsite.stores.files import OWN_FOLDER, Change, WritableStore, locate
from memsite.wording import plural

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store
    from memsite.stores.index_file import IndexFile

_MANAGED = re.compile(r"(?:MEM|TIP)-[\w.-]+\.md")


def interrupted(memory: Memory) -> tuple[Problem, ...]:
    """W001 for what cut writes left. A store that is being written right now has nothing left over."""
    found = []
    for store in memory.stores:
        own = store.root / OWN_FOLDER
        left = journal.leftovers(own, _locator(store))
        if left and not _is_locked(memory, store):
            left = journal.leftovers(own, _locator(store))
            found += [_problem(store, name, sentence) for name, sentence in left]
    return tuple(found)


def _locator(store: Store) -> journal.Locate:
    return lambda path: locate(store.root, path)


def _is_locked(memory: Memory, store: Store) -> bool:
    from filelock import FileLock, Timeout

    with suppress(OSError, NotImplementedError):
        try:
            with FileLock(store.root / OWN_FOLDER / "lock", timeout=0, fallback_to_soft=False):
                return False
        except Timeout:
            return True
    return False


def _problem(store: Store, name: str, sentence: str) -> Problem:
    hint = "The next write mends it, or `memsite repair`."
    path = f"{store.prefix}{OWN_FOLDER}/{name}"
    return Problem("W001", "index-mismatch", "warning", path, 1, 1, sentence, hint, store=store.name)


def repair_memory(memory: Memory, *, rebuild_index: bool, dry_run: bool, now: datetime) -> Repaired:
    """Mend what can be mended without a person, and say what is left.

    `rebuild_index` makes a new index where the old one cannot be read, and keeps the old beside it.
    No note is ever deleted.
    """
    mends: list[Mend] = []
    for store in memory.stores:
        mends += _left_over(memory, store, dry_run=dry_run)
        if index_name(store) is not None:
            mends += _mend_index(memory, store, rebuild_index=rebuild_index, dry_run=dry_run, now=now)
    memory.reload()
    rest = memory.problems()
    return Repaired(tuple(mends), rest, dry_run)


def _left_over(memory: Memory, store: Store, *, dry_run: bool) -> list[Mend]:
    own = store.root / OWN_FOLDER
    left = journal.leftovers(own, _locator(store))
    if not left:
        return []
    if dry_run:
        return [
            Mend(store.name, f"{store.prefix}{OWN_FOLDER}/{name}", f"mend: {what}") for name, what in left
        ]
    with memory.open_for_writing(store, set_aside=True) as writable:
        return [Mend(store.name, f"{store.prefix}{OWN_FOLDER}", done) for done in writable.recovered]


def _mend_index(
    memory: Memory, store: Store, *, rebuild_index: bool, dry_run: bool, now: datetime
) -> list[Mend]:
    """Look first, and take the lock only where there is something to do."""
    mend = partial(_index_mends, memory, store, rebuild_index=rebuild_index, now=now)
    with memory.open_for_writing(store, dry_run=True) as looking:
        planned = mend(looking, dry_run=True)
    if dry_run or not planned:
        return planned
    with memory.open_for_writing(store) as writable:
        return mend(writable, dry_run=False)


def _index_mends(
    memory: Memory,
    store: Store,
    writable: WritableStore,
    *,
    rebuild_index: bool,
    dry_run: bool,
    now: datetime,
) -> list[Mend]:
    name = str(index_name(store))
    notes = [memory.note(source) for source in store.sources()]
    managed = [note for note in notes if _MANAGED.fullmatch(note.path)]
    unreadable = False
    try:
        found = read_index(writable, name)
    except IndexUnreadable:
        found, unreadable = None, True
    if found is None:
        if not rebuild_index or not (managed or unreadable):
            return []
        return [_rebuilt(store, writable, name, managed, dry_run=dry_run, now=now)]
    held, present = found
    mended, actions = _mended(store, present, managed)
    tx = None
    if actions and not dry_run:
        tx = writable.commit("repair", [Change(name, held, encode(mended))], now=now).tx
    return [Mend(store.name, f"{store.prefix}{name}", action, tx) for action in actions]


def _mended(store: Store, index: IndexFile, managed: Sequence[Note]) -> tuple[str, list[str]]:
    """The index with a row for each file that lacks one, without rows whose file is gone."""
    from memsite.stores.index_file import add_row, remove_rows

    entries = entries_of(store)
    gone = [each for each in entries if each.path is not None and not _is_there(store, each.path)]
    listed = {each.path for each in entries}
    new = [note for note in managed if note.path not in listed]
    actions = [f"remove the row '{each.id}': '{each.path}' is not there" for each in gone]
    actions += [f"add a row for '{note.path}'" for note in new]
    sample = [row.value for row in index.rows if isinstance(row.value, dict)]
    text = remove_rows(index.text, [each.position for each in gone]) if gone else index.text
    for note in new:
        text = add_row(text, row_for(note, sample[-1] if sample else {}))
    return text, actions


def _is_there(store: Store, path: str) -> bool:
    """A file that cannot be read or lies outside by a link is there: that is for a person to look at."""
    try:
        return store.has(path) or (store.root / path).exists()
    except MemsiteError:
        return True


def row_for(note: Note, sample: Mapping[str, object]) -> dict[str, object]:
    """What a note says of itself, with the keys that other rows use."""
    return row_like(
        sample,
        id=note.id or note.path.removesuffix(".md"),
        type=note.type,
        date=note.date_text,
        title=note.title,
        tags=note.tags,
        file=note.path,
    )


def _rebuilt(
    store: Store, writable: WritableStore, name: str, managed: Sequence[Note], *, dry_run: bool, now: datetime
) -> Mend:
    from memsite.stores.index_file import rebuild

    held = writable.read(name)
    kept = f"{name}.bad-{now:%Y%m%d-%H%M%S}"
    content = encode(rebuild([row_for(note, {}) for note in managed]))
    action = f"make a new index of {plural(len(managed), 'file')}"
    if held is not None:
        action += f"; the old one is now '{kept}'"
    tx = None
    if not dry_run:
        if held is not None:
            write_new(store.root / kept, held.content, attributes=Attributes(0o644))
        tx = writable.commit("repair", [Change(name, held, content)], now=now).tx
    return Mend(store.name, f"{store.prefix}{name}", action, tx)
