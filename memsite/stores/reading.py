"""The one place where a path of a store becomes an open file.

Names of files, rows of an index and addresses are untrusted. A path is opened part by part from the
store's folder and no link is followed on the way; a link is resolved first, and only what it leads to
is opened, if that lies in the store and could be read under its own name. Nothing but regular files is
ever read, so that no pipe or device can block or flood a reader.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

from memsite.errors import BadEncoding, MemsiteError, NotFound, OutsideStore
from memsite.markdown.encoding import encoding_of
from memsite.wording import system_reason

MAX_NOTE_BYTES = 4 * 1024 * 1024
"""Larger notes are refused: sanitising HTML takes time quadratic in their size."""

MAX_PATH_CHARACTERS = 1024

SITE_MARK = ".memsite-site"
"""A folder that holds this file is a built site; its files are output and never notes."""

REPORT_MARK = ".memsite-report"
"""The same of a folder with reports."""

_SKIPPED_FOLDERS = frozenset({"node_modules"})
_BACKUP = re.compile(r"^~\$|^#.*#$|~$|\.(?:bak|orig|swp|swo|tmp)$", re.IGNORECASE)
_DRIVE = re.compile(r"^[A-Za-z]:")
_BY_FOLDER = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = _FILE_FLAGS | getattr(os, "O_DIRECTORY", 0)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it was read: its bytes and the time of its last change, seconds since the epoch."""

    raw: bytes
    modified: float


def skipped(name: str) -> bool:
    """Whether a file or folder of this name is no part of a store: hidden, a backup, a package folder."""
    return name.startswith(".") or name in _SKIPPED_FOLDERS or _BACKUP.search(name) is not None


def why_outside(path: str) -> str | None:
    """Why a path written by someone leads out of a store, as a clause, or None when it does not.

    Looks at the spellings that other programs take for `..` too: percent-encoded, full-width, with
    backslashes. `sub/../x.md` does not lead out.
    """
    for spelling in (path, unquote(path), normalize("NFKC", path)):
        plain = spelling.replace("\\", "/")
        if plain.startswith("/"):
            return "it is an absolute path"
        if _DRIVE.match(plain):
            return "it names a drive"
        if plain == "~" or plain.startswith("~/"):
            return "it names a home folder"
        if _climbs(plain):
            return "it climbs out of the folder"
    return None


def _climbs(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def why_malformed(path: str) -> str | None:
    """Why a path is not the plain relative path of a note, as a clause, or None when it is."""
    if not path.strip():
        return "it is empty"
    if len(path) > MAX_PATH_CHARACTERS:
        return f"it is longer than {MAX_PATH_CHARACTERS} characters"
    if any(ord(character) < 32 or ord(character) == 127 for character in path):
        return "it holds a control character"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty or dotted part"
    if any(skipped(part) for part in parts):
        return "it names a hidden or ignored file"
    return None if path.endswith(".md") else "it does not name a Markdown file"


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a store path.

    Raises OutsideStore when it could lead out, NotFound when it is not plain (`a//b`) or is hidden.
    Characters that only other systems treat specially (`a:b.md` on Linux) are left alone: such files
    exist and are read as they are.
    """
    parts = tuple(path.split("/"))
    foreign = os.name == "nt" and ("\\" in path or ":" in path)
    if "\0" in path or foreign or ".." in parts or path.startswith("/"):
        raise OutsideStore(f"'{path}' is not a path inside the store.")
    if any(part in ("", ".") for part in parts) or not _has_bytes(path):
        raise _missing(path, f"'{path}' is not the plain path of a file.")
    if any(skipped(part) for part in parts):
        raise _missing(path, f"'{path}' is hidden or ignored, so it is not part of the store.")
    return parts


def _has_bytes(path: str) -> bool:
    """Whether a file could have this name at all: half of a surrogate pair has no bytes."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def real_parts(root: Path, path: str) -> tuple[str, ...]:
    """Where `path` really lies below `root` once its links are followed.

    Raises OutsideStore when that is not in the store, NotFound when nothing is there.
    """
    home = os.path.realpath(root)
    named = os.path.join(home, *parts_of(path))  # noqa: PTH118 - pathlib would tidy the name
    try:
        real = os.path.realpath(named)
    except OSError as error:  # a link that goes away while it is followed
        raise _missing(path) from error
    if real == home or not real.startswith(home.rstrip(os.sep) + os.sep):
        raise OutsideStore(f"'{path}' is a link that leads out of the store.")
    if not os.path.lexists(real):
        raise _missing(path)
    parts = Path(os.path.relpath(real, home)).parts
    if any(skipped(part) for part in parts):
        raise OutsideStore(f"'{path}' is a link to a hidden or ignored file.")
    return parts


def read_inside(root: Path, path: str, *, limit: int = MAX_NOTE_BYTES) -> FileText:
    """The bytes of the regular file at `path` below `root`, at most `limit` of them.

    Raises OutsideStore for a path or link that leads out, NotFound for what is missing, no regular
    file, larger than the limit or not readable.
    """
    try:
        if not _BY_FOLDER:
            return _read_by_path(root, path, limit)
        try:
            return _read_walked(root, parts_of(path), limit)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
        return _read_walked(root, real_parts(root, path), limit)
    except OSError as error:
        raise _refusal(path, error) from error


def _read_walked(root: Path, parts: tuple[str, ...], limit: int) -> FileText:
    folder = _open_folder(root, parts[:-1])
    try:
        return _read_named(folder, parts[-1], limit)
    finally:
        os.close(folder)


def _open_folder(root: Path, parts: Iterable[str]) -> int:
    """A descriptor of a folder below `root`; the root itself may be a link, nothing below it."""
    folder = os.open(root, _FOLDER_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    for part in parts:
        try:
            inner = os.open(part, _FOLDER_FLAGS, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _read_named(folder: int, name: str, limit: int) -> FileText:
    return _read_descriptor(os.open(name, _FILE_FLAGS, dir_fd=folder), name, limit)


def _read_by_path(root: Path, path: str, limit: int) -> FileText:
    real = os.path.join(os.path.realpath(root), *real_parts(root, path))  # noqa: PTH118 - as above
    if not stat.S_ISREG(os.lstat(real).st_mode):
        raise NotFound(f"'{path}' is not a regular file.")
    return _read_descriptor(os.open(real, _FILE_FLAGS), path, limit)


def _read_descriptor(descriptor: int, name: str, limit: int) -> FileText:
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise NotFound(f"'{name}' is not a regular file.")
        if facts.st_size > limit:
            raise _too_large(name, limit)
        raw = os.read(descriptor, facts.st_size + 1)
        if len(raw) != facts.st_size:  # it grows while we read, or the system returns less
            raw = _read_rest(descriptor, raw, limit)
    finally:
        os.close(descriptor)
    if len(raw) > limit:
        raise _too_large(name, limit)
    return FileText(raw, facts.st_mtime)


def _read_rest(descriptor: int, raw: bytes, limit: int) -> bytes:
    while len(raw) <= limit and (more := os.read(descriptor, limit + 1 - len(raw))):
        raw += more
    return raw


def _too_large(name: str, limit: int) -> NotFound:
    size = f"{limit // (1024 * 1024)} MB" if limit >= 1024 * 1024 else f"{limit} bytes"
    return NotFound(f"'{name}' is larger than {size} and is not read.", hint="Split it into several files.")


def _refusal(path: str, error: OSError) -> MemsiteError:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return OutsideStore(f"'{path}' is a link that cannot be followed.")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL):
        return _missing(path)
    if error.errno in (errno.EISDIR, errno.ENXIO):
        return NotFound(f"'{path}' is not a regular file.")
    return NotFound(f"'{path}' cannot be read: {system_reason(error)}.")


def _missing(path: str, message: str = "") -> MemsiteError:
    """The refusal of a path that is no file here; it depends on the path whether one could ever be."""
    if reason := why_outside(path):
        return OutsideStore(f"'{path}' is outside the store: {reason}.")
    return NotFound(message or f"There is no file '{path}'.")


def read_all(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, FileText | MemsiteError]]:
    """Every file of `paths` (sorted or not) with its bytes, or with why it could not be read.

    Files of one folder that follow each other share one walk to it, which makes ten thousand notes
    as cheap as plain opening.
    """
    folder: int | None = None
    here: str | None = None
    try:
        for path in paths:
            place, _, name = path.rpartition("/")
            if _BY_FOLDER and place != here:
                if folder is not None:
                    os.close(folder)
                folder, here = _try_folder(root, place), place
            yield path, _read_or_refusal(root, path, folder, name)
    finally:
        if folder is not None:
            os.close(folder)


def _try_folder(root: Path, place: str) -> int | None:
    try:
        return _open_folder(root, parts_of(place) if place else ())
    except (OSError, MemsiteError):
        return None


def _read_or_refusal(root: Path, path: str, folder: int | None, name: str) -> FileText | MemsiteError:
    try:
        if folder is not None and not skipped(name):
            try:
                return _read_named(folder, name, MAX_NOTE_BYTES)
            except OSError:
                pass  # the careful way tells a link from a missing file
        return read_inside(root, path)
    except MemsiteError as error:
        return error


def refuse_binary(path: str, raw: bytes) -> None:
    """Raise BadEncoding when a file called `.md` is no text at all: a picture, an archive, only NULs.

    Text in another encoding, UTF-16 and UTF-32 with their mark, and text with a stray NUL are text.
    """
    if b"\0" not in raw or encoding_of(raw) != "utf-8":
        return
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    share = controls / len(raw)
    if share > 0.3 or (share > 0.02 and not _is_utf8(raw)):
        raise BadEncoding(f"'{path}' is not a text file.", hint="Rename it so that it does not end in `.md`.")


_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b")


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
