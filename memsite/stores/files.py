"""Writing into a store: one writer at a time, whole files only, nothing lost.

A writer holds `.memsite/lock`, which dies with its process. New content is written and flushed in
`.memsite/`, the old version gets a second name in the trash, both are compared once more with what
was read, and only then a rename puts the new version in place.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import socket
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from memsite.errors import Locked, MemsiteError, NotFound, OutsideStore, ReadOnly, StaleChecksum
from memsite.stores import journal, trash
from memsite.stores.disk import (
    Attributes,
    Held,
    checksum_of,
    copy_extended_attributes,
    hold,
    link_or_copy,
    refusal,
    sync_folder,
    write_new,
)
from memsite.stores.reading import MAX_NOTE_BYTES, parts_of
from memsite.stores.trash import Record, RecordedChange

OWN_FOLDER = ".memsite"
LOCK_SECONDS = 10.0
_POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Change:
    """What one file of the store holds and what it shall hold. None: there is no such file."""

    path: str
    old: Held | None
    new: bytes | None
    attributes: Attributes | None = None
    """Mode and time of the new version, where they are not those of the old one and of the write."""


def locate(root: Path, path: str) -> Path:
    """Where `path` lies once its links are followed. Raises OutsideStore (E011)."""
    home = Path(os.path.realpath(root))
    real = Path(os.path.realpath(home.joinpath(*parts_of(path))))
    if not real.is_relative_to(home) or real == home:
        raise OutsideStore(f"'{path}' leads out of the store.", hint="Only files of the store are written.")
    parts_of(real.relative_to(home).as_posix())
    return real


@contextlib.contextmanager
def open_for_writing(
    root: Path, *, timeout: float = LOCK_SECONDS, set_aside: bool = False
) -> Iterator[WritableStore]:
    """The store at `root`, locked, with what an earlier run left mended.

    Raises Locked (E013) naming the holder when the lock cannot be had within `timeout` seconds, and
    ReadOnly (E018) or NotFound (E002) when the system refuses to write.
    """
    own = root / OWN_FOLDER
    try:
        _make_own_folder(root, own)
        with _locked(own, timeout):
            store = WritableStore(root, own)
            store.recovered = journal.recover(own, store.locate, set_aside=set_aside)
            yield store
    except OSError as error:
        raise refusal(error, root) from error


def _make_own_folder(root: Path, own: Path) -> None:
    _require_folder(root)
    try:
        own.mkdir(mode=0o700)
    except FileExistsError:
        facts = own.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_dev != root.stat().st_dev:
            raise OutsideStore(
                f"'{own}' is not a plain folder.",
                hint="Move it away: it must be a folder in the store itself.",
            ) from None
    else:
        sync_folder(root)
    with contextlib.suppress(FileExistsError):
        write_new(own / ".gitignore", b"*\n", attributes=Attributes(0o600))


@contextlib.contextmanager
def _locked(own: Path, timeout: float) -> Iterator[None]:
    lock = FileLock(
        own / "lock", timeout=timeout, mode=0o600, poll_interval=_POLL_SECONDS, fallback_to_soft=False
    )
    try:
        lock.acquire()
    except Timeout:
        raise _held_by(own, timeout) from None
    except NotImplementedError as error:
        raise Locked(
            "This file system has no locks.", hint="Keep the store on a local disk to write to it."
        ) from error
    try:
        _sign(own)
        yield
    finally:
        lock.release()


def _sign(own: Path) -> None:
    """Say who holds the lock. Written over in place, for cutting a file to nothing costs a flush."""
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "command": shlex.join(sys.argv)[:200]}
    descriptor = os.open(own / "holder", os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(descriptor, json.dumps(holder).encode("ascii", "replace").ljust(1024))
    finally:
        os.close(descriptor)


def _held_by(own: Path, timeout: float) -> Locked:
    holder: dict[str, object] = {}
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((own / "holder").read_bytes())
        holder = found if isinstance(found, dict) else {}
    who = f"process {holder.get('pid', '?')} on {holder.get('host', '?')} ({holder.get('command', '?')})"
    return Locked(
        f"The store is being written by {who}; waited {timeout:g} seconds.",
        hint="Try again when it is done.",
        holder=holder,
    )


def _require_folder(folder: Path) -> None:
    """Refuse a folder without write permission, also for those whom the system would let write."""
    facts = folder.stat()
    if not stat.S_ISDIR(facts.st_mode):
        raise NotFound(f"'{folder}' is not a folder.")
    if not facts.st_mode & 0o222 or not os.access(folder, os.W_OK | os.X_OK):
        raise ReadOnly(f"The folder '{folder}' is read-only.", hint="Change its permissions first.")


def require_writable(path: str, place: Path, held: Held) -> None:
    """Raises ReadOnly (E018) for a file that a writer must not replace, and says why."""
    mode = held.facts.st_mode
    if not mode & 0o222 or not os.access(place, os.W_OK):
        raise ReadOnly(f"'{path}' is read-only.", hint="Give it write permission first (chmod u+w).")
    if held.facts.st_nlink > 1:
        raise ReadOnly(
            f"'{path}' has {held.facts.st_nlink} names (hard links); a write would part them.",
            hint="Make it a file of its own first (copy it and move the copy over it).",
        )
    if len(held.content) > MAX_NOTE_BYTES and path.endswith(".md"):
        raise ReadOnly(f"'{path}' is larger than {MAX_NOTE_BYTES >> 20} MB.", hint="Split it first.")


class WritableStore:
    """A store while its lock is held."""

    def __init__(self, root: Path, own: Path) -> None:
        self.root = root
        self.own = own
        self.trash = journal.trash_of(own)
        self.recovered: tuple[str, ...] = ()

    def locate(self, path: str) -> Path:
        return locate(self.root, path)

    def read(self, path: str) -> Held | None:
        """What the file holds now, None when it is not there. Raises NotFound for no regular file."""
        return hold(self.locate(path))

    def commit(
        self,
        operation: str,
        changes: Sequence[Change],
        *,
        now: datetime,
        addresses: Sequence[str] = (),
        rows: Sequence[Mapping[str, object]] = (),
        undoes: str | None = None,
    ) -> Record:
        """Carry out `changes` in this order, all or none; when this returns they are on the disk.

        The caller orders them so that an index never names a missing file. Removals come last.
        Raises StaleChecksum (E006) when a file is no longer what `old` says.
        """
        for change in changes:
            self._require(change)
        record = self._record(operation, changes, now=now, addresses=addresses, rows=rows, undoes=undoes)
        try:
            self._prepare(record, changes)
            self._recheck(changes)
            journal.carry_out(self.own, record, self.locate)
            journal.tidy(self.own, record.tx)
        except BaseException:
            with contextlib.suppress(OSError, MemsiteError):
                journal.recover(self.own, self.locate)
            raise
        trash.purge(self.trash, now)
        return record

    def _require(self, change: Change) -> None:
        place = self.locate(change.path)
        if change.old is not None:
            require_writable(change.path, place, change.old)
        if change.new is None and (self.root / change.path).is_symlink():
            raise ReadOnly(
                f"'{change.path}' is a symbolic link.", hint=f"Delete the file it leads to: {place.name}."
            )
        if place.parent.exists():
            _require_folder(place.parent)

    def _record(
        self,
        operation: str,
        changes: Sequence[Change],
        *,
        now: datetime,
        addresses: Sequence[str],
        rows: Sequence[Mapping[str, object]],
        undoes: str | None,
    ) -> Record:
        tx = trash.new_transaction(self.trash, now)
        recorded = tuple(_recorded(number, change) for number, change in enumerate(changes))
        return Record(tx, operation, recorded, tuple(addresses), tuple(rows), undoes)

    def _prepare(self, record: Record, changes: Sequence[Change]) -> None:
        """New content, old versions and the record are on the disk; no file of the store has changed."""
        content = trash.to_json(record)
        waiting = journal.temporary(self.own, record.tx, "journal")
        if journal.needs_journal(record):
            # First of all, for a temporary file is what marks a transaction as not begun.
            write_new(waiting, content, attributes=Attributes(0o600))
        for number, change in enumerate(changes):
            if change.new is not None:
                self._write_temporary(journal.temporary(self.own, record.tx, number), change)
        self._fill_trash(record, changes, content)
        if journal.needs_journal(record):
            waiting.replace(journal.journal_of(self.own))
            sync_folder(self.own)

    def _fill_trash(self, record: Record, changes: Sequence[Change], content: bytes) -> None:
        folder = self.trash / record.tx
        if not self.trash.is_dir():
            self.trash.mkdir(mode=0o700)
            sync_folder(self.own)
        folder.mkdir(mode=0o700)
        for change, recorded in zip(changes, record.changes, strict=True):
            if change.new is not None and recorded.copy is not None:
                link_or_copy(self.locate(change.path), folder / recorded.copy)
        write_new(folder / trash.RECORD, content, attributes=Attributes(0o600))
        sync_folder(folder)
        sync_folder(self.trash)

    def _write_temporary(self, waiting: Path, change: Change) -> None:
        place = self.locate(change.path)
        facts = change.old.facts if change.old else None
        mode = stat.S_IMODE(facts.st_mode) if facts else 0o666 & ~_umask()
        attributes = change.attributes or Attributes(mode)
        write_new(waiting, change.new or b"", like=facts, attributes=attributes)
        if change.old is not None:
            copy_extended_attributes(place, waiting)
        elif not place.parent.is_dir():
            place.parent.mkdir(parents=True)
            sync_folder(place.parent.parent)

    def _recheck(self, changes: Sequence[Change]) -> None:
        """Someone who takes no lock may have been here since the files were read."""
        for change in changes:
            held = self.read(change.path)
            same_file = held is None or change.old is None or held.facts.st_ino == change.old.facts.st_ino
            if (held and held.checksum) != (change.old and change.old.checksum) or not same_file:
                raise stale(change.path, expected=change.old, held=held)


def _recorded(number: int, change: Change) -> RecordedChange:
    name = change.path.rsplit("/", 1)[-1]
    new = None if change.new is None else checksum_of(change.new)
    if change.old is None:
        return RecordedChange(change.path, None, new)
    facts = change.old.facts
    copy = f"{number}-{name}"[:200]
    mode = stat.S_IMODE(facts.st_mode)
    return RecordedChange(change.path, change.old.checksum, new, copy, mode, facts.st_mtime_ns)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def stale(path: str, *, expected: Held | None, held: Held | None) -> StaleChecksum:
    return StaleChecksum(
        f"'{path}' was changed by another program just now.",
        hint="Nothing was written. Read it again and repeat the edit.",
        expected=expected.checksum if expected else None,
        actual=held.checksum if held else None,
    )
