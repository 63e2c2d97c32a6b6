"""Which files of a folder are notes, which are other files, and which are left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memsite.config import any_glob
from memsite.errors import MemsiteError, NotFound
from memsite.stores.reading import REPORT_MARK, SITE_MARK, real_parts, skipped
from memsite.wording import system_reason


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies in a store's folder. Paths are posix, relative to it, sorted."""

    notes: tuple[str, ...]
    files: frozenset[str]
    refused: tuple[tuple[str, MemsiteError], ...]
    """Files that look like notes and are not read, with the reason."""
    skipped: int
    """How many files and folders the rules left out (hidden, backups, built sites)."""


def list_folder(root: Path, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> Listing:
    """List `root` and what is below it. Rules look at the part below the root only.

    `include` limits the notes, `exclude` takes away notes and other files. Folders behind links are
    not entered: what they hold is in the store under its own name, or not in the store.
    Raises NotFound when the folder itself cannot be read.
    """
    wanted, unwanted = any_glob(include), any_glob(exclude)
    notes: list[str] = []
    files: set[str] = set()
    walk = _Walk(root)
    refused = walk.refused
    for path, entry in walk.files():
        if exclude and unwanted(path):
            continue
        if entry.is_symlink() or not entry.is_file():
            error = _why_not(root, path)
            if error is not None:
                refused.append((path, error))
                continue
            if entry.is_dir():
                continue
        if not path.endswith(".md"):
            files.add(path)
        elif not include or wanted(path):
            notes.append(path)
    return Listing(tuple(sorted(notes)), frozenset(files), tuple(sorted(refused, key=_path)), walk.skipped)


def _path(refused: tuple[str, MemsiteError]) -> str:
    return refused[0]


def _why_not(root: Path, path: str) -> MemsiteError | None:
    """Why something that is no plain file is not part of the store; None when it is one after all."""
    try:
        target = root.joinpath(*real_parts(root, path))
        if target.is_file() or target.is_dir():
            return None
        return NotFound(f"'{path}' is not a regular file.")
    except MemsiteError as error:
        return error


class _Walk:
    """Walks the folders below a root, and keeps count of what the rules leave out and what it cannot read."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.skipped = 0
        self.refused: list[tuple[str, MemsiteError]] = []

    def files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every visible entry that is no folder to enter, with its path."""
        waiting = [("", str(self._root))]
        while waiting:
            prefix, folder = waiting.pop()
            entries = self._entries(prefix, folder)
            if prefix and any(entry.name in (SITE_MARK, REPORT_MARK) for entry in entries):
                self.skipped += 1
                continue
            for entry in entries:
                if skipped(entry.name):
                    self.skipped += 1
                elif not entry.name.isprintable() and _undecodable(entry.name):
                    shown = f"{prefix}{entry.name}".encode(errors="backslashreplace").decode()
                    self.refused.append((shown, NotFound(f"The name of '{shown}' is not UTF-8.")))
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{prefix}{entry.name}/", entry.path))
                else:
                    yield prefix + entry.name, entry

    def _entries(self, prefix: str, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as found:
                return list(found)
        except OSError as error:
            refusal = NotFound(f"The folder '{prefix or folder}' cannot be read: {system_reason(error)}.")
            if not prefix:
                raise refusal from error
            self.refused.append((prefix.rstrip("/"), refusal))
            return []


def _undecodable(name: str) -> bool:
    """Whether the bytes of a name are no text; such a name fits in no address, page or JSON document."""
    return any("\ud800" <= character <= "\udfff" for character in name)
