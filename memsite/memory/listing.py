"""Rows of notes, and which of them a filter lets through."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from memsite.errors import BadArgument
from memsite.memory.answers import Row
from memsite.note import Document, Note, Source

if TYPE_CHECKING:
    from memsite.memory import Memory

_FRONT = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIRST_BLOCK = re.compile(rb"\s*[^<\s].*?(?:\n[ \t]*\r?\n|\Z)", re.DOTALL)
_INLINE_TAG = re.compile(rb"#(?<![^\s(,;\xbf]#)[^\s#\d]")  # the sign first: quickly found


@dataclass(frozen=True, slots=True)
class Filter:
    """Which notes are meant. Every tag must be there; one of the types; strictly before and after a day."""

    store: str | None = None
    tags: Sequence[str] = ()
    types: Sequence[str] = ()
    before: date | None = None
    after: date | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.tags or self.types or self.before or self.after)

    def fits(self, row: Row) -> bool:
        return self.fits_apart_from_date(row) and self.fits_date(moment_of(row))

    def fits_apart_from_date(self, row: Row) -> bool:
        tags = {tag.casefold() for tag in row.tags}
        return (
            (self.store is None or row.store == self.store)
            and all(tag.lstrip("#").casefold() in tags for tag in self.tags)
            and (not self.types or (row.type or "").casefold() in {kind.casefold() for kind in self.types})
        )

    def fits_date(self, moment: datetime | None) -> bool:
        """The named days themselves are left out on both sides, so that none a user typed is ever hit."""
        if self.before is None and self.after is None:
            return True
        if moment is None:
            return False
        earlier = self.before is None or moment < _start(self.before)
        return earlier and (self.after is None or moment >= _start(self.after) + timedelta(days=1))


def filter_of(
    *,
    store: str | None = None,
    tags: Sequence[str] = (),
    types: Sequence[str] = (),
    before: str | date | None = None,
    after: str | date | None = None,
) -> Filter:
    """A filter from what a user typed. Raises BadArgument (E019) for what is no day."""
    return Filter(store, tuple(tags), tuple(types), _day(before), _day(after))


def _day(written: str | date | None) -> date | None:
    if written is None or isinstance(written, date):
        return written
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", written.strip()):
            return date.fromisoformat(written.strip())
    except ValueError:
        pass
    raise BadArgument(f"'{written}' is not a day.", hint="Write it as YYYY-MM-DD.")


def _start(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def moment_of(row: Row) -> datetime | None:
    """When a note is from: its date, else the time of its file. None for a date nobody understands."""
    if row.date is not None:
        return row.date
    return None if row.date_text else row.modified


def row_of(note: Note, content: bytes) -> Row:
    return Row(
        address=note.address,
        store=note.store,
        kind=note.kind,
        path=note.path,
        id=note.id,
        type=note.type,
        title=note.title,
        date=note.date,
        date_text=note.date_text,
        tags=note.tags,
        status=note.status,
        lines=content.count(b"\n") + (not content.endswith(b"\n") and content != b""),
        size=len(content),
        modified=datetime.fromtimestamp(note.modified, UTC),
        checksum=note.checksum,
    )


def rows(memory: Memory, wanted: Filter) -> list[Row]:
    """The notes that fit, newest first; those without a date that can be understood come last."""
    found = (row_of(head(memory, source), source.content) for source in sources(memory, wanted))
    return newest_first(row for row in found if wanted.fits(row))


def newest_first(found: Iterable[Row]) -> list[Row]:
    oldest = datetime.min.replace(tzinfo=UTC)
    by_address = sorted(found, key=lambda row: row.address)
    return sorted(by_address, key=lambda row: moment_of(row) or oldest, reverse=True)


def sources(memory: Memory, wanted: Filter) -> Iterator[Source]:
    """Every note of the stores that are asked for. Raises NotFound (E002) for an unknown store."""
    stores = memory.stores if wanted.store is None else (memory.store(wanted.store),)
    return (source for store in stores for source in store.sources())


def head(memory: Memory, source: Source) -> Note:
    """The note as its front matter, index row and first block describe it.

    A list shows no more, and often the front matter or the row names the title already, so that no
    text has to be parsed. Where that could miss something (tags in the text, a first block that is
    HTML), the whole is parsed.
    """
    from memsite.markdown import describe, parse, parse_front_matter

    start = _body_start(source.content)
    if _INLINE_TAG.search(source.content, start):
        return memory.note(source)
    document = parse_front_matter(source.content[:start])
    if _is_named(source, document):
        return describe(source, document)
    block = _FIRST_BLOCK.match(source.content, start)
    if block is None or memory.understanding.knows(source.checksum):
        return memory.note(source)
    return describe(source, parse(source.content[: block.end()]))


def _is_named(source: Source, document: Document) -> bool:
    """Whether something that goes before the first heading says the title."""
    title = document.properties.get("title")
    if title is None:
        return bool(source.entry and (source.entry.title or "").strip())
    return document.front_matter_ok and isinstance(title, str) and bool(title.strip())


def _body_start(content: bytes) -> int:
    front = _FRONT.match(content)
    return front.end() if front else 3 if content.startswith(b"\xef\xbb\xbf") else 0
