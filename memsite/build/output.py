"""The output folder: whose it is, what may be written into it, and how a new site takes the old one's place.

Files are written into a folder of their own inside the output first; then each is renamed to its place, and
what is no longer made is removed. The manifest `.memsite-site` names every file of ours with its SHA-256, so
that nothing is ever removed or overwritten that memsite did not write. A build that is killed leaves the old
site, or a part of the new one that the next build completes.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from memsite.errors import ForeignOutput, Locked, ReadOnly
from memsite.note import Checksum

MARK = ".memsite-site"
STAGE = ".memsite-new"
LOCK = ".memsite-lock"
VERSION = 1
LOCK_SECONDS = 60
# What a folder may hold and still count as empty: what only keeps it in version control, and the first
# steps of a build.
_KEEPERS = {".gitignore", ".gitkeep", ".git", LOCK, STAGE}
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Swap:
    """What putting a new site in place did, in files."""

    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]


@dataclass(slots=True)
class Output:
    """An output folder under our lock. `staged` and `kept` are the files of the new site, by URL."""

    root: Path
    known: Mapping[str, frozenset[Checksum]]
    """The files that earlier builds wrote, each with every checksum it may have been left with."""
    staged: dict[str, Checksum] = field(default_factory=dict)
    kept: dict[str, Checksum] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _folded: dict[str, str] = field(default_factory=dict)

    def put(self, url: str, written: bytes) -> None:
        """Make `written` the file at `url` of the new site; equal bytes in place stay untouched.

        Raises ForeignOutput (E016) when something that is not ours stands there.
        """
        self._claim(url)
        place = self.root / url
        checksum = sha256(written).hexdigest()
        there = _regular_bytes(place, size=len(written))
        if there == written and self._is_safe(url):
            self.kept[url] = checksum
            return
        if url not in self.known and os.path.lexists(place) and not place.is_dir():
            raise _in_the_way(place)
        self._write(PurePosixPath(STAGE) / url, written)
        self.staged[url] = checksum

    def holds(self, url: str) -> bool:
        """Whether the file at `url` is known to be what one finished build wrote."""
        return len(self.known.get(url, ())) == 1 and self._is_safe(url)

    def keep(self, url: str) -> None:
        """Take the file at `url`, which the output `holds`, into the new site as it is."""
        self._claim(url)
        (self.kept[url],) = self.known[url]

    def clear(self) -> None:
        """Remove every file that still holds what we wrote."""
        for url in self.known:
            self._remove(url)

    def swap(self) -> Swap:
        """Put the new site in the old one's place."""
        files = {**self.kept, **self.staged}
        self._write_manifest(files, before=self.known)
        # What goes, goes first: a folder may have to stand where a page was.
        removed = tuple(url for url in sorted(self.known) if url not in files and self._remove(url))
        for url in sorted(self.staged):
            self._make_folder(PurePosixPath(url).parent)
            _replace(self.root / STAGE / url, self.root / url)
        self._write_manifest(files, before={})
        return Swap(tuple(sorted(self.staged)), len(self.kept), removed)

    # Parts -----------------------------------------------------------------------------------

    def _claim(self, url: str) -> None:
        """Raises ValueError for a name that could leave the folder or meet another: a fault of memsite."""
        if not _stays_inside(url) or "\\" in url or PurePosixPath(url).parts[0] in (MARK, STAGE, LOCK):
            raise ValueError(f"not a place for a page: {url!r}")
        folded = unicodedata.normalize("NFC", url).casefold()
        other = self._folded.setdefault(folded, url)
        if other != url or url in self.staged or url in self.kept:
            raise ValueError(f"two pages for one place: {other!r} and {url!r}")

    def _is_safe(self, url: str) -> bool:
        """Whether no folder on the way to `url` is a link to somewhere else."""
        for parent in PurePosixPath(url).parents[:-1]:
            if parent.as_posix() not in self._folders:
                try:
                    if not stat.S_ISDIR((self.root / parent).lstat().st_mode):
                        return False
                except OSError:
                    return False
                self._folders.add(parent.as_posix())
        return True

    def _make_folder(self, folder: PurePosixPath) -> None:
        """Make `folder` below the root, step by step, through no link."""
        name = folder.as_posix()
        if name == "." or name in self._folders:
            return
        self._make_folder(folder.parent)
        path = self.root / folder
        try:
            path.mkdir()
        except FileExistsError:
            if not stat.S_ISDIR(path.lstat().st_mode):
                raise _in_the_way(path) from None
        self._folders.add(name)

    def _write(self, url: PurePosixPath, written: bytes) -> None:
        self._make_folder(url.parent)
        descriptor = os.open(self.root / url, _NEW_FILE, 0o666)
        with os.fdopen(descriptor, "wb", closefd=True) as file:
            file.write(written)

    def _write_manifest(
        self, files: Mapping[str, Checksum], *, before: Mapping[str, frozenset[Checksum]]
    ) -> None:
        manifest: dict[str, object] = {"version": VERSION, "files": dict(sorted(files.items()))}
        if before:
            manifest["before"] = {url: sorted(sums) for url, sums in sorted(before.items())}
        text = json.dumps(manifest, indent=0, ensure_ascii=False)
        written = (text + "\n").encode()
        if _regular_bytes(self.root / MARK, size=len(written)) == written:
            return
        self._write(PurePosixPath(STAGE) / MARK, written)
        _replace(self.root / STAGE / MARK, self.root / MARK)

    def _remove(self, url: str) -> bool:
        """Remove a file of ours if it still holds what we wrote, and the folders that it leaves empty."""
        place = self.root / url
        if not self._is_safe(url):
            return False
        there = _regular_bytes(place)
        if there is None or sha256(there).hexdigest() not in self.known[url]:
            return False
        place.unlink()
        for parent in PurePosixPath(url).parents[:-1]:
            try:
                (self.root / parent).rmdir()
            except OSError:
                break
            self._folders.discard(parent.as_posix())
        return True


@contextmanager
def open_output(output: Path, *, stores: Collection[Path]) -> Iterator[Output]:
    """The output folder, made if it is not there and locked until the end.

    Raises ForeignOutput (E016) for a folder that is not ours, ReadOnly (E018) for one that cannot be
    written, Locked (E013) when another build holds it for more than a minute.
    """
    root = guarded(output, stores=stores)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(root / LOCK, timeout=LOCK_SECONDS, fallback_to_soft=False)
        with lock:
            _sweep(root)
            (root / STAGE).mkdir()
            site = Output(root, _read_manifest(root))
            if not (root / MARK).exists():
                site._write_manifest({}, before={})
            try:
                yield site
            finally:
                _sweep(root)
    except Timeout as error:
        raise Locked(
            f"Another build is writing '{output}'.", hint="Wait for it, or build into another folder."
        ) from error
    except PermissionError as error:
        raise ReadOnly(
            f"'{error.filename or output}' cannot be written.", hint="Give another folder with --output."
        ) from error


def guarded(output: Path, *, stores: Collection[Path]) -> Path:
    """`output` as a real path, when memsite may build there. Raises ForeignOutput (E016)."""
    root = output.resolve()
    folders = [store.resolve() for store in stores]
    reason = _refusal(output, root, folders)
    if reason:
        raise ForeignOutput(f"'{output}' {reason}.", hint="Give a new or empty folder with --output.")
    return root


def is_ours(folder: Path) -> bool:
    """Whether memsite has built a site in `folder`."""
    try:
        return stat.S_ISREG((folder / MARK).lstat().st_mode)
    except OSError:
        return False


def _refusal(output: Path, root: Path, stores: Collection[Path]) -> str:
    """Why memsite does not build into `root`, or an empty text."""
    if root.exists() and not root.is_dir():
        return "is a file, not a folder"
    if root == Path(root.anchor):
        return "is the root of the file system"
    if root == Path.home().resolve():
        return "is your home folder"
    for store in stores:
        if root == store:
            return "is a memory store itself"
        if root in store.parents:
            return f"holds the memory store '{store}'"
        if store in root.parents and store not in _plain(output).parents:
            return f"is a link into the memory store '{store}'"
    if root.is_dir() and any(path.name not in _KEEPERS for path in root.iterdir()) and not is_ours(root):
        return "is not empty and was not made by memsite"
    return ""


def _plain(path: Path) -> Path:
    """`path` with its parent resolved, itself not: a link at the very end stays one."""
    return path.absolute().parent.resolve() / path.name


def _read_manifest(root: Path) -> dict[str, frozenset[Checksum]]:
    """What earlier builds wrote. Raises ForeignOutput (E016) for a manifest that cannot be read."""
    written = _regular_bytes(root / MARK)
    if written is None:
        return {}
    try:
        manifest = json.loads(written)
        files, before = manifest["files"], manifest.get("before", {})
        known = {url: {str(checksum)} for url, checksum in files.items()}
        for url, checksums in before.items():
            known.setdefault(url, set()).update(map(str, checksums))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ForeignOutput(
            f"'{root / MARK}' is damaged, so memsite cannot tell its own files there.",
            hint="Empty the folder yourself, or build elsewhere.",
        ) from error
    return {url: frozenset(checksums) for url, checksums in known.items() if _stays_inside(url)}


def _stays_inside(url: str) -> bool:
    """A manifest is a file like any other: nothing it names may lie outside the folder."""
    path = PurePosixPath(url)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\0" not in url


def _regular_bytes(path: Path, *, size: int | None = None) -> bytes | None:
    """The bytes of a regular file; None for anything else, or when it has not `size` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (size is not None and status.st_size != size):
            return None
        return b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
    finally:
        os.close(descriptor)


def _replace(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except (IsADirectoryError, NotADirectoryError) as error:
        raise _in_the_way(target) from error


def _in_the_way(path: Path) -> ForeignOutput:
    return ForeignOutput(
        f"'{path}' is in the way: memsite did not write it.", hint="Move it away, or build elsewhere."
    )


def _sweep(root: Path) -> None:
    """Remove what a killed build left behind; a link of that name is only unlinked."""
    stage = root / STAGE
    if stage.is_symlink():
        stage.unlink()
    elif stage.exists():
        shutil.rmtree(stage)
