"""What is kept between runs, in the project's `.memsite/cache/`: parsed notes, and what the last build saw.

Each file is sealed with a key of the user's own, which lies outside the project: a file that came with a
cloned project, was made by another version or is damaged does not open, and the work is done again. The
folder may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import marshal
import os
import secrets
import sys
from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from operator import attrgetter
from pathlib import Path
from typing import Any

from memsite.note import Checksum, Context, Document, Finding, Heading, Link

FOLDER = ".memsite"
_FILE = "documents"
_SEAL_BYTES = 32
_PARSERS = ("markdown-it-py", "mdit-py-plugins", "nh3", "Pygments", "python-frontmatter", "PyYAML")

_DOCUMENT = tuple(Document.__dataclass_fields__)
_PARTS: dict[str, tuple[type[Any], Callable[[Any], tuple[Any, ...]]]] = {
    "links": (Link, attrgetter(*Link.__dataclass_fields__)),
    "headings": (Heading, attrgetter(*Heading.__dataclass_fields__)),
    "findings": (Finding, attrgetter(*Finding.__dataclass_fields__)),
}
_PART_PLACES = tuple((_DOCUMENT.index(name), *how) for name, how in _PARTS.items())
_CONTEXT_PLACE = tuple(Link.__dataclass_fields__).index("context")
_context = attrgetter(*Context.__dataclass_fields__)
_fields = attrgetter(*_DOCUMENT)


class Documents(MutableMapping[Checksum, Document]):
    """Parsed notes by checksum, those of the last run included; `save` keeps those that were asked for."""

    def __init__(self, project: Path) -> None:
        self._folder = project / FOLDER / "cache"
        self._packed: dict[Checksum, bytes] | None = None
        self._open: dict[Checksum, Document] = {}
        self._new = False

    def __getitem__(self, checksum: Checksum) -> Document:
        document = self._open.get(checksum)
        if document is None:
            document = self._open[checksum] = unpacked(self._stored()[checksum])
        return document

    def __setitem__(self, checksum: Checksum, document: Document) -> None:
        self._open[checksum] = document
        self._new = True

    def __delitem__(self, checksum: Checksum) -> None:
        if checksum not in self:
            raise KeyError(checksum)
        self._open.pop(checksum, None)
        self._stored().pop(checksum, None)

    def __contains__(self, checksum: object) -> bool:
        return checksum in self._open or checksum in self._stored()

    def __iter__(self) -> Iterator[Checksum]:
        return iter({**self._stored(), **self._open})

    def __len__(self) -> int:
        return len({**self._stored(), **self._open})

    def save(self, *, make: bool) -> None:
        """Write what was used in this run. Without `make`, only where a cache was kept before.

        A cache that cannot be written is no error: the next run parses again.
        """
        if not self._open or not (make or self._folder.is_dir()):
            return
        stored = self._stored()
        if self._new or len(stored) > len(self._open):
            used = {checksum: stored.get(checksum) or packed(each) for checksum, each in self._open.items()}
            write_sealed(self._folder / _FILE, _parser_version(), used)
            self._packed, self._new = used, False

    def _stored(self) -> dict[Checksum, bytes]:
        if self._packed is None:
            self._packed = read_sealed(self._folder / _FILE, _parser_version()) or {}
        return self._packed


def packed(document: Document) -> bytes:
    """A document as bytes that `unpacked` understands."""
    values = list(_fields(document))
    for place, _, fields in _PART_PLACES:
        values[place] = tuple(map(fields, values[place]))
    links = _PART_PLACES[0][0]
    at = _CONTEXT_PLACE
    values[links] = tuple((*link[:at], _context(link[at]), *link[at + 1 :]) for link in values[links])
    values[0] = _plain(values[0])
    return marshal.dumps(tuple(values))


def unpacked(record: bytes) -> Document:
    """The document that `packed` made `record` of. Only for records under our seal."""
    values = list(marshal.loads(record))  # noqa: S302 - sealed with the user's key
    links, at = _PART_PLACES[0][0], _CONTEXT_PLACE
    values[links] = [(*link[:at], Context(*link[at]), *link[at + 1 :]) for link in values[links]]
    for place, noun, _ in _PART_PLACES:
        values[place] = tuple(noun(*part) for part in values[place])
    return Document(*values)


def _plain(value: Any) -> Any:
    """Front-matter values as the dicts, lists and texts that marshal knows."""
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "items"):
        return {str(key): _plain(each) for key, each in value.items()}
    return list(map(_plain, value))


def read_sealed(path: Path, version: str) -> Any:
    """What `write_sealed` wrote; None when it is not there, not ours, damaged or of another version."""
    try:
        written = path.read_bytes()
        if not hmac.compare_digest(_seal(written[_SEAL_BYTES:], _key()), written[:_SEAL_BYTES]):
            return None
        made_by, kept = marshal.loads(memoryview(written)[_SEAL_BYTES:])  # noqa: S302 - sealed
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return kept if made_by == version else None


def write_sealed(path: Path, version: str, kept: Any) -> None:
    """Keep plain values (dicts, lists, tuples, texts, numbers, bytes); no error when it cannot be done."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    payload = marshal.dumps((version, kept))
    try:
        _make_folder(path.parent)
        temporary.write_bytes(_seal(payload, _key()) + payload)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _seal(payload: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(payload, key=key, digest_size=_SEAL_BYTES).digest()


def _make_folder(folder: Path) -> None:
    """`.memsite` or a folder in it, which version control and other people do not see."""
    own = folder if folder.name == FOLDER else folder.parent
    own.mkdir(mode=0o700, exist_ok=True)
    ignore = own / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    folder.mkdir(mode=0o700, exist_ok=True)


@cache
def _key() -> bytes:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never raises
    return own_key(Path(base))


def own_key(base: Path) -> bytes:
    """32 random bytes of the user's own in `base`/memsite/key, made when there are none.

    Raises OSError when there is no place for it.
    """
    path = base / "memsite" / "key"
    if not path.is_absolute():
        raise FileNotFoundError("there is no home folder")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
    except FileExistsError:
        pass
    key = path.read_bytes()
    if len(key) != 32:  # another process is about to fill it
        raise OSError("the key is not ready")
    return key


@cache
def _parser_version() -> str:
    """Changes whenever the same bytes may give another document."""
    package = Path(__file__).parent
    digest = hashlib.sha256(sys.version.encode())
    parts = ("markdown", "leaks", "check", "memory")
    modules = (module for part in parts for module in sorted((package / part).glob("*.py")))
    for module in [package / "note.py", Path(__file__), *modules]:
        digest.update(module.read_bytes())
    for name in _PARSERS:
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()
