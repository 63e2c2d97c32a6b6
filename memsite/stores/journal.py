"""Carrying out a transaction step by step, and finishing or taking back one that was cut off.

The journal lies in `.memsite/journal.json` while a write of several files is between prepared and
done. Steps go in an order in which the index never names a file that is not there. Whoever holds
the lock next looks at what each file holds now: nothing done yet is rolled back, else rolled forward.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from memsite.errors import Locked, MemsiteError
from memsite.stores import trash
from memsite.stores.disk import checksum_at, place_new, sync_folder
from memsite.stores.trash import Record, RecordedChange

Locate: TypeAlias = Callable[[str], Path]
"""Where a path of the store really lies."""

State: TypeAlias = Literal["open", "done", "foreign"]
_JOURNAL = "journal.json"
_TEMPORARY = "tmp-"


def journal_of(own: Path) -> Path:
    return own / _JOURNAL


def trash_of(own: Path) -> Path:
    return own / "trash"


def temporary(own: Path, tx: str, name: int | str) -> Path:
    """Where the new content of change number `name` waits for its place."""
    return own / f"{_TEMPORARY}{tx}-{name}"


def temporaries(own: Path) -> list[Path]:
    return sorted(left for left in own.iterdir() if left.name.startswith(_TEMPORARY))


def needs_journal(record: Record) -> bool:
    """One replacement is a single rename: done or not done. Everything else has a state in between."""
    return not (len(record.changes) == 1 and record.changes[0].old and record.changes[0].new)


def carry_out(own: Path, record: Record, locate: Locate) -> None:
    """Do the steps that are not done yet, in order, each on the disk before the next that relies on it."""
    unsynced: set[Path] = set()
    for number, change in enumerate(record.changes):
        place = locate(change.path)
        if _state(change, place) == "done":
            continue
        if change.new is None:
            # Removals follow the index and need no order among themselves.
            place.rename(trash_of(own) / record.tx / str(change.copy))
            unsynced |= {place.parent, trash_of(own) / record.tx}
            continue
        waiting = temporary(own, record.tx, number)
        if change.old is None:
            place_new(waiting, place)
        else:
            waiting.replace(place)
        sync_folder(place.parent)
    for folder in sorted(unsynced):
        sync_folder(folder)


def tidy(own: Path, tx: str) -> None:
    """Remove temporary files of a transaction, then its journal."""
    for left in temporaries(own):
        if left.name.startswith(f"{_TEMPORARY}{tx}-"):
            left.unlink(missing_ok=True)
    if journal_of(own).exists():
        journal_of(own).unlink()
        sync_folder(own)


def recover(own: Path, locate: Locate, *, set_aside: bool = False) -> tuple[str, ...]:
    """Finish or take back what an earlier run left; says what was done. Needs the lock.

    Raises Locked (E013) when someone else changed a file that an interrupted write is about, unless
    `set_aside` asks to leave all files as they are and only put the journal away.
    """
    done = [*_recover_journal(own, locate, set_aside=set_aside)]
    transactions = dict.fromkeys(_transaction_of(left) for left in temporaries(own))
    for tx in transactions:
        _forget(own, tx, locate)
        done.append(f"removed temporary files of a write that changed nothing ({tx})")
    return tuple(done)


def _recover_journal(own: Path, locate: Locate, *, set_aside: bool) -> Iterator[str]:
    journal = journal_of(own)
    try:
        record = trash.from_json(journal.read_bytes())
    except FileNotFoundError:
        return
    except ValueError:
        yield f"set an unreadable journal aside as {_put_away(own)}"
        return
    states = _states(record, locate)
    if "foreign" in states:
        if not set_aside:
            raise _in_the_way(record)
        yield f"left an interrupted {record.operation} as it is; its journal is now {_put_away(own)}"
    elif "done" in states:
        carry_out(own, record, locate)
        tidy(own, record.tx)
        yield f"finished an interrupted {record.operation} ({record.tx})"
    else:
        _forget(own, record.tx, locate)
        tidy(own, record.tx)
        yield f"took back a {record.operation} that was prepared but not begun ({record.tx})"


def _states(record: Record, locate: Locate) -> list[State]:
    return [_state(change, _place_or_none(locate, change.path)) for change in record.changes]


def _state(change: RecordedChange, place: Path | None) -> State:
    try:
        now = checksum_at(place) if place is not None else None
    except MemsiteError:
        return "foreign"
    if now == change.new:
        return "done"
    return "open" if now == change.old else "foreign"


def _place_or_none(locate: Locate, path: str) -> Path | None:
    with contextlib.suppress(MemsiteError):
        return locate(path)
    return None


def _forget(own: Path, tx: str, locate: Locate) -> None:
    """Drop the undo copies, then the temporary files of something that was never done."""
    record = None
    with contextlib.suppress(OSError, ValueError):
        record = trash.from_json((trash_of(own) / tx / trash.RECORD).read_bytes())
    changes = record.changes if record is not None else ()
    places = {change.path: _place_or_none(locate, change.path) for change in changes}
    trash.discard(trash_of(own), tx, {path: place for path, place in places.items() if place is not None})
    for left in temporaries(own):
        if _transaction_of(left) == tx:
            left.unlink(missing_ok=True)


def _transaction_of(left: Path) -> str:
    return left.name.removeprefix(_TEMPORARY).rpartition("-")[0]


def _put_away(own: Path) -> str:
    stamp = datetime.fromtimestamp(journal_of(own).stat().st_mtime, UTC)
    name = f"journal.bad-{stamp:%Y%m%d-%H%M%S-%f}"
    journal_of(own).replace(own / name)
    sync_folder(own)
    return name


def _in_the_way(record: Record) -> Locked:
    paths = [change.path for change in record.changes]
    return Locked(
        f"A {record.operation} of {', '.join(paths[:3])} was interrupted, and since then another program "
        "changed one of these files.",
        hint="`memsite repair` leaves the files as they are and puts the interrupted write away.",
        operation=record.operation,
        paths=paths,
    )


def leftovers(own: Path, locate: Locate) -> tuple[tuple[str, str], ...]:
    """What a cut write left, as names in `.memsite/` and one sentence each. Changes nothing.

    Whoever may read a store and not this folder, which belongs to its writers, finds nothing.
    """
    found: list[tuple[str, str]] = []
    try:
        found += [
            (left.name, "a write was interrupted before it changed anything") for left in temporaries(own)
        ]
        record = trash.from_json(journal_of(own).read_bytes())
        return ((_JOURNAL, _told(record, _states(record, locate))),)
    except FileNotFoundError:
        return tuple(found)
    except ValueError:
        return (*found, (_JOURNAL, "the journal of an interrupted write cannot be read"))
    except OSError:
        return ()


def _told(record: Record, states: Sequence[State]) -> str:
    about = f"{record.operation} of {record.changes[-1].path}"
    if "foreign" in states:
        return f"a {about} was interrupted, and another program has changed its files since"
    if "done" not in states:
        return f"a {about} was prepared but not begun"
    if "open" in states:
        return f"a {about} was begun but not finished"
    return f"a {about} is done, but was not tidied up"
