"""Single steps of writing safely: each is whole on the disk when it returns.

The names in this module are full paths that were checked before; nothing here knows of stores.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memsite.errors import MemsiteError, NotFound, ReadOnly
from memsite.note import Checksum
from memsite.wording import system_reason

_READ = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Held:
    """A regular file as it was when it was read."""

    content: bytes
    checksum: Checksum
    facts: os.stat_result


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a new version of a file takes over: permission bits and, where wanted, time of change in ns."""

    mode: int
    mtime_ns: int | None = None


def checksum_of(content: bytes) -> Checksum:
    return sha256(content).hexdigest()


def hold(path: Path) -> Held | None:
    """The file at `path`, or None when there is none. Raises NotFound (E002) for what is no regular file."""
    try:
        descriptor = os.open(path, _READ | _BINARY)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _irregular(path) from error
        raise
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise _irregular(path)
        content = b"".join(iter(lambda: os.read(descriptor, _CHUNK), b""))
    finally:
        os.close(descriptor)
    return Held(content, checksum_of(content), facts)


def _irregular(path: Path) -> NotFound:
    return NotFound(f"'{path.name}' is not a regular file.", hint="Only regular files are notes.")


def checksum_at(path: Path) -> Checksum | None:
    held = hold(path)
    return held.checksum if held else None


def write_new(
    path: Path, content: bytes, *, like: os.stat_result | None = None, attributes: Attributes
) -> None:
    """Write a file that is not there yet, on the disk when this returns. `like` gives the owner."""
    descriptor = os.open(path, _CREATE | _BINARY, 0o600)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None:
            _take_owner(descriptor, like)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, attributes.mode)
        if attributes.mtime_ns is not None:
            os.utime(path, ns=(attributes.mtime_ns, attributes.mtime_ns))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take_owner(descriptor: int, like: os.stat_result) -> None:
    """Raises OSError where the owner cannot be kept: better no edit than a note that changes hands."""
    facts = os.fstat(descriptor)
    if hasattr(os, "fchown") and (facts.st_uid, facts.st_gid) != (like.st_uid, like.st_gid):
        os.fchown(descriptor, like.st_uid, like.st_gid)


def copy_extended_attributes(source: Path, target: Path) -> None:
    """Access lists, tags and the like, as far as the system has them and allows it."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(source, follow_symlinks=False):
            with contextlib.suppress(OSError):
                os.setxattr(target, name, os.getxattr(source, name, follow_symlinks=False))


def sync_folder(path: Path) -> None:
    """Makes the names in a folder last. Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link_or_copy(source: Path, target: Path) -> None:
    """A second name for a file; where the file system has no hard links, a copy of it."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        held = hold(source)
        if held is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(source)) from error
        attributes = Attributes(stat.S_IMODE(held.facts.st_mode), held.facts.st_mtime_ns)
        write_new(target, held.content, attributes=attributes)


def place_new(temporary: Path, target: Path) -> None:
    """Give a finished file its name, never taking one that is in use. Raises FileExistsError."""
    try:
        os.link(temporary, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from error
        temporary.replace(target)


def refusal(error: OSError, where: Path) -> MemsiteError:
    """An error of the system as one clear sentence."""
    place = error.filename or str(where)
    if error.errno in _NO_ROOM:
        return ReadOnly("The disk is full: nothing was changed.", hint="Make room and try again.", path=place)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotFound(f"'{place}' is gone.", hint="Was it moved or removed meanwhile?", path=place)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ReadOnly(
            f"'{place}' cannot be written: read-only.", hint="Change its permissions first.", path=place
        )
    return ReadOnly(
        f"'{place}' cannot be written: {system_reason(error)}.", hint="Nothing was changed.", path=place
    )
