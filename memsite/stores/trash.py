"""What writes replaced or removed: kept in `.memsite/trash/`, one folder a transaction.

A folder holds `record.json`, which says what was done, and a copy of each file as it was before.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memsite.note import Checksum
from memsite.stores.disk import checksum_at

KEPT_DAYS = 30
KEPT_TRANSACTIONS = 500
RECORD = "record.json"
_TRANSACTION = re.compile(r"\d{8}-\d{6}-\d{6}-[0-9a-f]{4}")
_TIME = "%Y%m%d-%H%M%S-%f"


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One file of a transaction: its path in the store and its checksums before and after.

    `old` is None for a file that was made, `new` for one that was removed. `copy` is the name of the
    old version in the transaction's folder.
    """

    path: str
    old: Checksum | None
    new: Checksum | None
    copy: str | None = None
    mode: int = 0o644
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """What one write did, enough to finish it, to show it and to take it back."""

    tx: str
    operation: str
    changes: tuple[RecordedChange, ...]
    addresses: tuple[str, ...] = ()
    rows: tuple[Mapping[str, object], ...] = field(default=())
    """Rows that were taken out of an index, as they stood there and in the order of the file."""
    undoes: str | None = None

    @property
    def time(self) -> datetime:
        return time_of(self.tx)


def time_of(tx: str) -> datetime:
    return datetime.strptime(tx[:22], _TIME).replace(tzinfo=UTC)


def to_json(record: Record) -> bytes:
    return (json.dumps(asdict(record), indent=1) + "\n").encode("ascii")


def from_json(content: bytes) -> Record:
    """Raises ValueError for anything that is not a whole record."""
    try:
        found = json.loads(content)
        changes = tuple(RecordedChange(**change) for change in found["changes"])
        known = {name.name: found[name.name] for name in fields(Record)}
        known |= {"changes": changes, "addresses": tuple(found["addresses"]), "rows": tuple(found["rows"])}
        record = Record(**known)
        time_of(record.tx)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no record: {error}") from error
    return record


def new_transaction(trash: Path, now: datetime) -> str:
    """A name that sorts after all that are there: time in microseconds and four random digits."""
    moment = now.astimezone(UTC)
    newest = max(names(trash), default="")
    if newest[:22] >= moment.strftime(_TIME):
        with contextlib.suppress(ValueError, OverflowError):
            moment = time_of(newest) + timedelta(microseconds=1)
    return f"{moment.strftime(_TIME)}-{secrets.token_hex(2)}"


def names(trash: Path) -> list[str]:
    """Transactions in the trash, oldest first; none where there is no trash or it may not be read."""
    try:
        return sorted(name for name in os.listdir(trash) if _TRANSACTION.fullmatch(name))  # noqa: PTH208
    except OSError:
        return []


def records(trash: Path) -> Iterator[Record]:
    """What can be read of the trash, newest first."""
    for name in reversed(names(trash)):
        with contextlib.suppress(OSError, ValueError):
            yield from_json((trash / name / RECORD).read_bytes())


def undone(known: Sequence[Record]) -> frozenset[str]:
    """The transactions that were taken back and not brought again. `known` is newest first."""
    found: set[str] = set()
    for record in known:
        if record.undoes is not None and record.tx not in found:
            found.add(record.undoes)
    return frozenset(found)


def discard(trash: Path, tx: str, real: Mapping[str, Path]) -> None:
    """Forget a transaction that never happened. A copy that is the only one left of its text stays.

    `real` says where the paths of the record lie.
    """
    folder = trash / tx
    if not folder.is_dir():
        return
    try:
        record = from_json((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        # Without a record nothing was replaced yet, so each copy is a second name of a living file.
        shutil.rmtree(folder)
        return
    kept = [change for change in record.changes if _is_last_copy(folder, change, real)]
    if not kept:
        shutil.rmtree(folder)


def _is_last_copy(folder: Path, change: RecordedChange, real: Mapping[str, Path]) -> bool:
    if change.copy is None or not (folder / change.copy).exists():
        return False
    place = real.get(change.path)
    return place is None or checksum_at(place) != checksum_at(folder / change.copy)


def purge(trash: Path, now: datetime) -> None:
    """Drop what is older than 30 days or beyond 500 transactions, by the time in their names."""
    there = names(trash)
    oldest = (now.astimezone(UTC) - timedelta(days=KEPT_DAYS)).strftime(_TIME)
    expired = [tx for tx in there if tx < oldest]
    for tx in {*there[:-KEPT_TRANSACTIONS], *expired}:
        with contextlib.suppress(OSError):
            # The record goes first: what is left of a folder without one is never offered.
            (trash / tx / RECORD).unlink(missing_ok=True)
            shutil.rmtree(trash / tx)
