"""A store over one folder: listing, reading, and what both found wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from memsite.config import StoreConfig, any_glob
from memsite.errors import BadEncoding, MemsiteError, NotFound, OutsideStore
from memsite.note import IndexEntry, Problem, Severity, Source, StoreKind, StoreView, address_of
from memsite.stores.listing import Listing, list_folder
from memsite.stores.reading import FileText, read_all, read_inside, real_parts, refuse_binary
from memsite.stores.workflow import IndexPlace, IndexReading, Known, read_entry, read_index, within


@dataclass(slots=True)
class FolderStore:
    """A store of any kind. What the kinds differ in is where its index lies, if it has one."""

    name: str
    kind: StoreKind
    root: Path
    settings: StoreConfig
    location: str
    prefix: str
    index: IndexPlace | None = None
    _refused: tuple[tuple[str, MemsiteError], ...] | None = field(default=None, repr=False)
    """What the last full reading could not read; None before the first."""

    @property
    def index_file(self) -> Path | None:
        """Where the index is or would be."""
        return self.index.file if self.index else None

    def paths(self) -> tuple[str, ...]:
        """The paths of all notes. Raises NotFound when the folder is gone."""
        return self._listing().notes

    def read(self, path: str) -> Source:
        """The note at `path`, with its index row.

        Raises NotFound, OutsideStore when the path or a link leads out, BadEncoding for no text.
        """
        if not path.endswith(".md") or self._excluded(path):
            raise NotFound(f"'{path}' is not a note of the store '{self.name}'.")
        found = read_inside(self.root, path)
        refuse_binary(path, found.raw)
        return self._source(path, found, read_entry(self.index, path) if self.index else None)

    def has(self, path: str) -> bool:
        """Whether `path` is exactly that of a note; no file is opened. Raises OutsideStore."""
        if not path.endswith(".md") or self._excluded(path):
            return False
        try:
            return self.root.joinpath(*real_parts(self.root, path)).is_file()
        except NotFound:
            return False

    def sources(self) -> Iterator[Source]:
        """Every readable note, by path. Raises NotFound when the folder is gone."""
        listing = self._listing()
        index = self._read_index(self._known(listing))
        rows: dict[str, IndexEntry] = {}
        for entry in index.entries or ():
            if entry.path is not None:
                rows.setdefault(entry.path, entry)
        refused: list[tuple[str, MemsiteError]] = []
        for path, found in read_all(self.root, listing.notes):
            try:
                yield self._source(path, _text_of(path, found), rows.get(path))
            except MemsiteError as error:
                refused.append((path, error))
        self._refused = tuple(refused)

    def view(self) -> StoreView:
        """Index rows, other files and problems. Reads the notes only if `sources` has not done so."""
        if self._refused is None:
            for _ in self.sources():
                pass
        return self.outline()

    def outline(self) -> StoreView:
        """As `view`, with what an earlier reading could not read; opens no note."""
        listing = self._listing()
        index = self._read_index(self._known(listing))
        there = set(listing.notes)
        unread = (*listing.refused, *(each for each in self._refused or () if each[0] in there))
        problems = [*index.problems, *(self._unread(path, error) for path, error in unread)]
        return StoreView(
            name=self.name,
            kind=self.kind,
            location=self.location,
            prefix=self.prefix,
            entries=index.entries,
            index_path=self.index.shown if self.index and index.exists else None,
            writable_index=self.index is not None and self.index.writable and index.readable,
            files=self._assets(listing),
            skipped=listing.skipped,
            problems=tuple(sorted(within(problems, self.name), key=_order)),
            publish=self.settings.publish,
            require_wikilink=self.settings.require_wikilink,
            severities=self.settings.severities,
        )

    def _listing(self) -> Listing:
        return list_folder(self.root, include=self.settings.include, exclude=self.settings.exclude)

    def _known(self, listing: Listing) -> Known:
        return Known.of(listing.notes, refused=listing.refused, excluded=self._excluded)

    def _read_index(self, known: Known) -> IndexReading:
        return read_index(self.index, known) if self.index else IndexReading()

    def _excluded(self, path: str) -> bool:
        wanted, unwanted = any_glob(self.settings.include), any_glob(self.settings.exclude)
        return bool(unwanted(path)) or bool(self.settings.include and not wanted(path))

    def _source(self, path: str, found: FileText, entry: IndexEntry | None) -> Source:
        return Source(
            store=self.name,
            kind=self.kind,
            path=path,
            content=found.raw,
            checksum=sha256(found.raw).hexdigest(),
            modified=found.modified,
            entry=entry,
        )

    def _assets(self, listing: Listing) -> frozenset[str]:
        own = self.index.name if self.index and self.index.folder == self.root else None
        return listing.files - {own} if own else listing.files

    def _unread(self, path: str, error: MemsiteError) -> Problem:
        code, rule, severity = _reported(error)
        address = address_of(self.name, path)
        return Problem(
            code, rule, severity, self.prefix + path, 1, 1, error.phrase, error.hint, address=address
        )


def _text_of(path: str, found: FileText | MemsiteError) -> FileText:
    if isinstance(found, MemsiteError):
        raise found
    refuse_binary(path, found.raw)
    return found


def _reported(error: MemsiteError) -> tuple[str, str, Severity]:
    """Code, rule and severity of a file that was not read."""
    if isinstance(error, OutsideStore):
        return "W001", "index-mismatch", "error"
    return "W016", "bad-encoding", "warning" if isinstance(error, BadEncoding) else "error"


def _order(problem: Problem) -> tuple[str, int, int, str, str]:
    return (problem.path, problem.line, problem.column, problem.code, problem.message)
