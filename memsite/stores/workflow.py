"""Reading the index of a workflow store: rows to entries, and what is wrong with them.

Two indexes are known: `memory-index.json` beside the notes, and `wiki-index.json` (version 2) one
folder above them, which other programs generate and memsite only reads.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unicodedata import normalize

from memsite.errors import IndexUnreadable, MemsiteError, NotFound, OutsideStore
from memsite.note import IndexEntry, Problem, Severity
from memsite.stores.index_file import IndexFile, Repeating, Row, decode_index, parse_index
from memsite.stores.reading import read_inside, why_malformed, why_outside
from memsite.wording import plural

MEMORY_INDEX = "memory-index.json"
WIKI_INDEX = "wiki-index.json"
MAX_INDEX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Where the index of a store lies."""

    folder: Path
    name: str
    shown: str
    """The index file as shown to people."""
    base: str
    """The store's folder as rows write it when they count from the project (`.workflow/memory/`)."""

    @property
    def writable(self) -> bool:
        """Whether memsite may change it: the wiki index is made by others."""
        return self.name == MEMORY_INDEX

    @property
    def file(self) -> Path:
        return self.folder / self.name


@dataclass(frozen=True, slots=True)
class IndexReading:
    """What was understood of an index. `entries` is None when there is none that can be read."""

    entries: tuple[IndexEntry, ...] | None = None
    problems: tuple[Problem, ...] = ()
    exists: bool = False

    @property
    def readable(self) -> bool:
        """Whether a write may touch it: a damaged index is never rewritten."""
        return not self.exists or self.entries is not None


@dataclass(frozen=True, slots=True)
class Known:
    """What lies in the store: note paths by normal form, refused files with the reason."""

    notes: Mapping[str, str]
    refused: Mapping[str, MemsiteError]
    excluded: Callable[[str], object]
    """Whether the configuration leaves a path out; such a file may well be there."""

    @classmethod
    def of(
        cls,
        paths: Iterable[str],
        *,
        refused: Iterable[tuple[str, MemsiteError]] = (),
        excluded: Callable[[str], object] = lambda _: False,
    ) -> Known:
        """From the paths as they are on disk."""
        return cls({normalize("NFC", path): path for path in paths}, dict(refused), excluded)


def read_index(place: IndexPlace, known: Known) -> IndexReading:
    """Read the index of a store. Never raises: damage becomes a problem, and the files still count."""
    try:
        index = _parsed(place)
    except NotFound:
        if not place.file.is_symlink() and not place.file.exists():
            return IndexReading()
        return _unreadable(place, f"'{place.name}' is not a regular file", 1, 1)
    except IndexUnreadable as error:
        line, column = int(str(error.details["line"])), int(str(error.details["column"]))
        return _unreadable(place, error.phrase, line, column)
    except MemsiteError as error:
        return _unreadable(place, error.phrase, 1, 1)
    return _understood(place, index, known)


def read_entry(place: IndexPlace, path: str) -> IndexEntry | None:
    """The first row that names the note at `path`, which exists; None where no row can be read."""
    try:
        rows = _parsed(place).rows
    except MemsiteError:
        return None
    known = Known.of((path,))
    end = normalize("NFC", posixpath.basename(path))
    for row in rows:
        written = _written_path(row.value)
        named = written if isinstance(written, str) else f"{row.id}.md"
        if not normalize("NFC", named).endswith(end) or not _concerns_us(row, place):
            continue  # spares the full look at every row of a large index
        entry, _ = _entry(row, place, known)
        if entry is not None and entry.path == path:
            return entry
    return None


def _parsed(place: IndexPlace) -> IndexFile:
    raw = read_inside(place.folder, place.name, limit=MAX_INDEX_BYTES).raw
    return parse_index(decode_index(raw, name=place.name), name=place.name)


def _unreadable(place: IndexPlace, message: str, line: int, column: int) -> IndexReading:
    hint = "The notes are listed from the folder; `memsite repair --rebuild-index` makes a new index."
    return IndexReading(None, (_problem(place.shown, "warning", message, hint, line, column),), exists=True)


def _problem(
    path: str, severity: Severity, message: str, hint: str = "", line: int = 1, column: int = 1
) -> Problem:
    return Problem("W001", "index-mismatch", severity, path, line, column, message, hint)


def _understood(place: IndexPlace, index: IndexFile, known: Known) -> IndexReading:
    entries: list[IndexEntry] = []
    problems: list[Problem] = []
    for row in index.rows:
        if not _concerns_us(row, place):
            continue
        entry, fault = _entry(row, place, known)
        if entry is not None:
            entries.append(entry)
        if fault is not None:
            message = f"row {row.position + 1}{_called(row)} {fault.message}"
            problems.append(_problem(place.shown, fault.severity, message, fault.hint, row.line, row.column))
        if isinstance(row.value, Repeating):
            keys = ", ".join(f"`{key}`" for key in row.value.repeated)
            message = f"row {row.position + 1}{_called(row)} has {keys} more than once; the last one counts"
            hint = "Remove the one that is wrong."
            problems.append(_problem(place.shown, "warning", message, hint, row.line, row.column))
    problems += _miscounted(place, index)
    return IndexReading(tuple(entries), tuple(problems), exists=True)


def _miscounted(place: IndexPlace, index: IndexFile) -> Iterator[Problem]:
    if index.counter is not None and place.writable and index.counter.value != len(index.rows):
        name, count = index.counter.key, index.counter.value
        message = f"`{name}` says {count}, there are {plural(len(index.rows), 'row')}"
        yield _problem(place.shown, "info", message, "The next write to the index corrects it.")


def _concerns_us(row: Row, place: IndexPlace) -> bool:
    """Whether a row stands for a file of this store; in a wiki index most do not."""
    if place.writable:
        return True
    source = row.value.get("source") if isinstance(row.value, Mapping) else None
    if not isinstance(source, Mapping) or source.get("kind") != "file":
        return False
    folder = posixpath.basename(place.base[:-1]) + "/"
    return str(source.get("path", "")).replace("\\", "/").startswith(folder)


def _called(row: Row) -> str:
    return f" (`{row.id}`)" if row.id else ""


@dataclass(frozen=True, slots=True)
class _Fault:
    severity: Severity
    message: str
    hint: str = ""


def _entry(row: Row, place: IndexPlace, known: Known) -> tuple[IndexEntry | None, _Fault | None]:
    if not isinstance(row.value, Mapping):
        return None, _Fault("warning", "is not an object")
    fields = row.value
    path, fault = _note_path(row, place, known)
    name = row.id or (posixpath.basename(path).removesuffix(".md") if path else "")
    if not name:
        return None, fault or _Fault("warning", "has no id")
    return (
        IndexEntry(
            id=name,
            position=row.position,
            path=path,
            type=_text(fields, "type"),
            date=_date(fields),
            title=_text(fields, "title", "summary"),
            tags=_tags(fields.get("tags")),
            line=row.line,
        ),
        fault,
    )


def _note_path(row: Row, place: IndexPlace, known: Known) -> tuple[str | None, _Fault | None]:
    """The note that a row means, and what is wrong with how it says so."""
    written = _written_path(row.value)
    if written is None:
        own = known.notes.get(f"{row.id}.md") if row.id else None
        fault = None if own and row.key else _Fault("warning", "names no file")
        return own, fault
    if not isinstance(written, str):
        return None, _Fault("warning", "names its file by something that is not text")
    if written in known.notes:
        return known.notes[written], None
    return _checked_path(written, place, known)


def _written_path(fields: object) -> object:
    if not isinstance(fields, Mapping):
        return None
    source = fields.get("source")
    if isinstance(source, Mapping) and "file" not in fields and "path" not in fields:
        return source.get("path")
    return fields["file"] if "file" in fields else fields.get("path")


def _checked_path(written: str, place: IndexPlace, known: Known) -> tuple[str | None, _Fault | None]:
    if not written.strip():
        return None, _Fault("warning", "names an empty file")
    path = _below(written, place)
    if reason := why_outside(path):
        return None, _Fault("error", f"points outside the store: {reason}", "Remove the row.")
    plain = posixpath.normpath(path) if ".." in path.split("/") else path
    if reason := why_malformed(plain):
        return None, _Fault("warning", f"names no usable file: {reason}", "Correct the row or remove it.")
    if (refused := known.refused.get(plain)) is not None:
        if isinstance(refused, OutsideStore):
            return None, _Fault("error", f"points outside the store: {refused.phrase}", "Remove the row.")
        return None, _Fault("warning", f"points at a file that is not read: {refused.phrase}")
    if known.excluded(plain):
        return None, _Fault("info", "names a file that the configuration excludes")
    found = known.notes.get(normalize("NFC", plain), plain)
    return found, _Fault("info", f"writes '{found}' in a roundabout way") if plain != path else None


def _below(written: str, place: IndexPlace) -> str:
    """The path without what leads to the store: rows may count from the project or its `.workflow`."""
    path = written.replace("\\", "/").removeprefix("./")
    for base in (place.base, posixpath.basename(place.base[:-1]) + "/"):
        if path.startswith(base):
            return path.removeprefix(base)
    return path


def _text(fields: Mapping[str, object], *keys: str) -> str | None:
    found = (fields.get(key) for key in keys)
    return next((value.strip() for value in found if isinstance(value, str) and value.strip()), None)


def _date(fields: Mapping[str, object]) -> str | None:
    """The date as written; a number of seconds or milliseconds since the epoch as ISO 8601."""
    if written := _text(fields, "date", "timestamp", "created"):
        return written
    number = fields.get("date", fields.get("timestamp"))
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    try:
        moment = datetime.fromtimestamp(number / 1000 if number > 1e11 else number, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _tags(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    written = (part.strip().lstrip("#") for part in parts if isinstance(part, str))
    return tuple(dict.fromkeys(tag for tag in written if tag))


def within(problems: Iterable[Problem], store: str) -> tuple[Problem, ...]:
    """The problems with the store they were found in."""
    return tuple(replace(problem, store=store) for problem in problems)
