"""describe: what a note is called, of what type, from when, by index row, front matter and name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone

from memsite.markdown import front_matter
from memsite.markdown.hidden import neutral
from memsite.note import Document, Finding, IndexEntry, Note, PropertyValue, Source

ENTRY_ID = re.compile(r"(?:MEM|TIP|KNW|RCP|DCS|REF|TPL|AST|DOC)-")
_TYPES = {
    "MEM": "compact", "TIP": "tip", "KNW": "knowledge", "RCP": "recipe", "DCS": "decision",
    "REF": "reference", "TPL": "template", "AST": "asset", "DOC": "document",
}  # fmt: skip
_DATE = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?"
    r"[ ]?(Z|z|[+-]\d{2}:?\d{2})?)?$"
)
_ID_DATE = re.compile(r"[A-Z]{3}-(\d{4})(\d{2})(\d{2})(?:-(\d{2})(\d{2})(\d{2})(?!\d))?")
_DATE_KEYS = ("date", "created", "timestamp")
_NO = frozenset({"false", "no", "off", "0", "n"})


def describe(source: Source, document: Document) -> Note:
    """The note that `source` and its parsed `document` make together."""
    properties = document.properties
    entry = source.entry
    findings = list(document.findings)
    date, written = _date(source, properties, document.front_matter, findings)
    title = _title(source, document, findings)
    return Note(
        address=source.address,
        store=source.store,
        kind=source.kind,
        path=source.path,
        checksum=source.checksum,
        altered=source.altered,
        size=len(source.content),
        modified=source.modified,
        id=_entry_id(source),
        title=title,
        type=(entry.type if entry else None) or _nested(properties, "type") or _type_by_prefix(source.path),
        date=date,
        date_text=written,
        tags=_tags(properties.get("tags", properties.get("tag", "")), entry, document),
        names=tuple(dict.fromkeys(name for name in _names(properties) if name != title)),
        description=_nested(properties, "description") or _nested(properties, "summary") or "",
        status=_nested(properties, "status"),
        superseded_by=_nested(properties, "supersededBy") or _nested(properties, "superseded_by"),
        published=not (_denied(properties, "publish") or _affirmed(properties, "draft")),
        document=document,
        entry=entry,
        findings=tuple(findings),
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def parse_date(written: str) -> datetime | None:
    """An ISO 8601 date or time; without a zone it is UTC. None when it is anything else."""
    found = _DATE.match(written.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        return datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0),
            int((fraction or "0").ljust(6, "0")[:6]), _zone(zone),
        )  # fmt: skip
    except ValueError:
        return None


def _zone(written: str | None) -> timezone:
    if not written or written in "Zz":
        return UTC
    hours, minutes = int(written[1:3]), int(written[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if written[0] == "-" else offset)


def _date(
    source: Source, properties: Mapping[str, PropertyValue], block: str, findings: list[Finding]
) -> tuple[datetime | None, str]:
    """Date and how it was written: from the index, else front matter, else the entry id."""
    candidates: list[tuple[str, str | None]] = []
    if source.entry and source.entry.date:
        candidates.append((source.entry.date, None))
    candidates += [(value, key) for key in _DATE_KEYS if (value := _nested(properties, key))]
    unreadable = ""
    for written, key in candidates:
        if date := parse_date(written):
            return date, written.strip()
        unreadable = unreadable or written.strip()
        if key:
            line = front_matter.key_line(block, key)
            message = f"`{key}: {written}` is not a date that can be understood"
            findings.append(
                Finding("W010", line, 1, message, "Write it as YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.")
            )
    if unreadable:
        return None, unreadable
    return _date_of_id(_stem(source.path))


def _date_of_id(name: str) -> tuple[datetime | None, str]:
    found = _ID_DATE.match(name)
    if found is None:
        return None, ""
    year, month, day, hour, minute, second = found.groups()
    for clock in ((hour, minute, second), (None, None, None)):
        written = f"{year}-{month}-{day}" + (f"T{clock[0]}:{clock[1]}:{clock[2]}Z" if clock[0] else "")
        if date := parse_date(written):
            return date, written
    return None, ""


def _title(source: Source, document: Document, findings: list[Finding]) -> str:
    """Front matter, index, first H1 if it is the first block, `name`, file name: the first there is."""
    title = document.properties.get("title")
    if isinstance(title, str) and title.strip():
        return " ".join(title.split())
    if title is not None:
        line = front_matter.key_line(document.front_matter, "title")
        what = "is empty" if isinstance(title, str) else "is not text"
        findings.append(Finding("W010", line, 1, f"`title` {what}", "Write the title as text, in quotes."))
    stem = _stem(source.path)
    listed = source.entry.title if source.entry else None
    return (listed or "").strip() or document.lead or _nested(document.properties, "name") or neutral(stem)


def _entry_id(source: Source) -> str | None:
    if source.kind != "workflow":
        return None
    stem = _stem(source.path)
    return (source.entry.id if source.entry else None) or (stem if ENTRY_ID.match(stem) else None)


def _type_by_prefix(path: str) -> str | None:
    name = _stem(path)
    return _TYPES.get(name[:3]) if ENTRY_ID.match(name) else None


def _nested(properties: Mapping[str, PropertyValue], key: str) -> str | None:
    """The text under `key`, or under it in `metadata:`; None when it is absent, empty or no text."""
    value = properties.get(key)
    if isinstance(value, str) and (words := value.split()):
        return " ".join(words)
    metadata = properties.get("metadata")
    return _nested(metadata, key) if isinstance(metadata, Mapping) else None


def _texts(value: PropertyValue) -> Iterator[str]:
    """A list's texts, or the parts of a comma-separated one."""
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(","))
    elif not isinstance(value, Mapping):
        for part in value:
            if isinstance(part, str):
                yield part.strip()


def _tags(value: PropertyValue, entry: IndexEntry | None, document: Document) -> tuple[str, ...]:
    if isinstance(value, str) and value.startswith("#") and "," not in value:
        value = value.split()
    written = [*_texts(value), *(entry.tags if entry else ()), *document.tags]
    found: dict[str, str] = {}
    for tag in written:
        name = tag.lstrip("#").strip()
        if name:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())


def _names(properties: Mapping[str, PropertyValue]) -> Iterator[str]:
    if name := _nested(properties, "name"):
        yield name
    for key in ("aliases", "alias"):
        yield from (alias for alias in _texts(properties.get(key, "")) if alias)
    if permalink := _nested(properties, "permalink"):
        yield permalink


def _denied(properties: Mapping[str, PropertyValue], key: str) -> bool:
    value = properties.get(key)
    return isinstance(value, str) and value.strip().casefold() in _NO


def _affirmed(properties: Mapping[str, PropertyValue], key: str) -> bool:
    value = properties.get(key)
    return isinstance(value, str) and bool(value.strip()) and value.strip().casefold() not in _NO
