"""The index of a workflow store as text: its rows, and edits that leave everything else as it was.

Pure functions of text. An index is an object with a list under `entries`, a bare list, or an object
that maps ids to rows. An edit cuts rows out of the text or puts them into it, so that byte order
mark, line ends, indentation, key order, unknown keys and the final newline stay as they were found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from memsite.errors import IndexUnreadable

Shape: TypeAlias = Literal["entries", "list", "mapping"]

_BOM = "\ufeff"
_BLANK = re.compile(r"[ \t\r\n]*")
_LONE_SURROGATE = re.compile(
    r"(?<!\\)(?:\\\\)*(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
_COUNTERS = ("total", "count", "total_entries", "totalEntries", "entry_count", "entryCount")
_ENTRY_ID = re.compile(r"[A-Z]{3}-")


class Repeating(dict[str, object]):
    """An object in which a key stands more than once. The last value counts, as with other readers."""

    repeated: tuple[str, ...] = ()


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) == len(members):
        return found
    repeating = Repeating(found)
    keys = [key for key, _ in members]
    repeating.repeated = tuple(key for key in found if keys.count(key) > 1)
    return repeating


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a JSON list or object: its value and the range of text it takes up, key included."""

    key: str | None
    value: object
    start: int
    value_start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the index. `position` counts from 0; line and column are 1-based, of its beginning."""

    position: int
    key: str | None
    """The key of the row where the index maps ids to rows."""
    value: object
    line: int
    column: int
    member: Member

    @property
    def id(self) -> str | None:
        """The id the row gives itself, or else the key it stands under."""
        named = self.value.get("id") if isinstance(self.value, Mapping) else None
        return named if isinstance(named, str) and named else self.key


@dataclass(frozen=True, slots=True)
class IndexFile:
    """An index that could be read."""

    text: str
    shape: Shape
    rows: tuple[Row, ...]
    members: tuple[Member, ...]
    """All members of the list or object that holds the rows, those that are no rows too."""
    open: int
    """Offset just after the bracket that opens the rows."""
    close: int
    """Offset of the bracket that closes them."""
    counter: Member | None = None
    """The number of rows that the index says it has (`_metadata.total`)."""


def decode_index(raw: bytes, *, name: str = "memory-index.json") -> str:
    """The text of an index file, byte order mark and line ends kept. Raises IndexUnreadable."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        text = raw[: error.start].decode()
        raise _unreadable(name, text, len(text), "this is not UTF-8") from error


def parse_index(text: str, *, name: str = "memory-index.json") -> IndexFile:
    """Read an index of any shape.

    Raises IndexUnreadable, naming line and column, for what is no JSON, no index, or holds half of a
    surrogate pair, which no UTF-8 file can keep.
    """
    try:
        index = _parse(text)
    except json.JSONDecodeError as error:
        raise _unreadable(name, text, error.pos, error.msg) from error
    except (RecursionError, ValueError) as error:  # JSONDecodeError is a ValueError too, and is above
        raise _unreadable(name, text, 0, "it is nested too deeply or holds too long a number") from error
    may_hold_one = "\\ud" in text or "\\uD" in text  # the pattern is slow on a large index
    if may_hold_one and (lone := _LONE_SURROGATE.search(text)):
        raise _unreadable(name, text, lone.start(), "half of a surrogate pair")
    return index


def _unreadable(name: str, text: str, at: int, reason: str) -> IndexUnreadable:
    line, column = place_in(text, at)
    return IndexUnreadable(
        f"'{name}' cannot be read: line {line}, column {column}: {reason[:1].lower()}{reason[1:]}.",
        hint="Correct it by hand, or let `memsite repair --rebuild-index` make a new one from the files.",
        line=line,
        column=column,
    )


def place_in(text: str, at: int) -> tuple[int, int]:
    """Line and column of an offset, both 1-based; a byte order mark takes up no column."""
    start = text.rfind("\n", 0, at) + 1
    marked = start == 0 and text.startswith(_BOM) and at > 0
    return text.count("\n", 0, at) + 1, at - start + 1 - marked


# Reading ------------------------------------------------------------------------------------


def _parse(text: str) -> IndexFile:
    at = _skip(text, _start(text))
    opening = text[at : at + 1]
    if opening == "[":
        members, close = _members(text, at)
        index, end = IndexFile(text, "list", _rows(text, members), tuple(members), at + 1, close), close
    elif opening == "{":
        index, end = _parse_object(text, at)
    else:
        _value(None, text, at)
        raise json.JSONDecodeError("this is neither a list nor an object with `entries`", text, at)
    if (rest := _skip(text, end + 1)) != len(text):
        raise json.JSONDecodeError("something follows the end of the index", text, rest)
    return index


def _start(text: str) -> int:
    return 1 if text.startswith(_BOM) else 0


def _parse_object(text: str, at: int) -> tuple[IndexFile, int]:
    lists: dict[int, tuple[list[Member], int]] = {}

    def value(key: str | None, text: str, start: int) -> tuple[object, int]:
        if key == "entries" and text.startswith("[", start):
            lists[start] = _members(text, start)
            return None, lists[start][1] + 1
        return _value(key, text, start)

    members, close = _members(text, at, value=value)
    entries = [member for member in members if member.key == "entries"]
    counter = _counter(text, members)
    if not entries:
        return _mapping(text, members, at=at, close=close, counter=counter), close
    start = entries[-1].value_start
    if len(entries) > 1 or start not in lists:
        reason = "`entries` is not a list" if len(entries) == 1 else "`entries` stands here twice"
        raise json.JSONDecodeError(reason, text, start)
    rows, end = lists[start]
    return IndexFile(text, "entries", _rows(text, rows), tuple(rows), start + 1, end, counter), close


def _mapping(text: str, members: list[Member], *, at: int, close: int, counter: Member | None) -> IndexFile:
    """An object without `entries`: its members are rows, apart from what tells of the index itself."""
    if members and not any(isinstance(member.value, dict) for member in members):
        raise json.JSONDecodeError("this is neither a list nor an object with `entries`", text, at)
    rows = _rows(text, [member for member in members if _is_row(member)])
    return IndexFile(text, "mapping", rows, tuple(members), at + 1, close, counter)


def _is_row(member: Member) -> bool:
    key = member.key or ""
    return not key.startswith("_") and (isinstance(member.value, dict) or bool(_ENTRY_ID.match(key)))


def _rows(text: str, members: Sequence[Member]) -> tuple[Row, ...]:
    rows: list[Row] = []
    line, line_start = 1, _start(text)
    for position, member in enumerate(members):
        if (breaks := text.count("\n", line_start, member.start)) > 0:
            line += breaks
            line_start = text.rindex("\n", line_start, member.start) + 1
        column = member.start - line_start + 1
        rows.append(Row(position, member.key, member.value, line, column, member))
    return tuple(rows)


def _counter(text: str, members: Iterable[Member]) -> Member | None:
    """The member that counts the rows, in the object itself or in its `_metadata`."""
    for member in members:
        if member.key in _COUNTERS and type(member.value) is int:
            return member
        if member.key in ("_metadata", "metadata") and isinstance(member.value, dict):
            for inner in _members(text, member.value_start)[0]:
                if inner.key in _COUNTERS and type(inner.value) is int:
                    return inner
    return None


_ValueReader: TypeAlias = Callable[[str | None, str, int], tuple[object, int]]


def _value(_key: str | None, text: str, at: int) -> tuple[object, int]:
    return _DECODER.raw_decode(text, at)


def _members(text: str, at: int, *, value: _ValueReader = _value) -> tuple[list[Member], int]:
    """The members of the list or object that opens at `at`, and the offset of its closing bracket."""
    keyed = text[at] == "{"
    closing = "}" if keyed else "]"
    members: list[Member] = []
    at = _skip(text, at + 1)
    if text.startswith(closing, at):
        return members, at
    while True:
        start, key = at, None
        if keyed:
            key, at = _key(text, at)
        found, end = value(key, text, at)
        members.append(Member(key, found, start, at, end))
        at = _skip(text, end)
        if text.startswith(closing, at):
            return members, at
        if not text.startswith(",", at):
            raise json.JSONDecodeError(f"expected `,` or `{closing}`", text, at)
        at = _skip(text, at + 1)


def _key(text: str, at: int) -> tuple[str, int]:
    if not text.startswith('"', at):
        raise json.JSONDecodeError("expected a key in double quotes", text, at)
    key, end = _DECODER.raw_decode(text, at)
    colon = _skip(text, end)
    if not text.startswith(":", colon):
        raise json.JSONDecodeError("expected `:`", text, colon)
    return str(key), _skip(text, colon + 1)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


# Editing ------------------------------------------------------------------------------------


def add_row(text: str, row: Mapping[str, object], *, position: int | None = None) -> str:
    """Put a row into an index, written as the rows beside it are; by default after the last one.

    The row has an `id`, which becomes its key where the index maps ids to rows. A count of the rows
    that the index keeps is set right. Raises IndexUnreadable.
    """
    index = parse_index(text)
    return _insert(index, _render(index, row), position)


def put_row(text: str, source: str, *, position: int | None = None) -> str:
    """Put back a row as it was written, its key included; by default last. Raises IndexUnreadable."""
    return _insert(parse_index(text), source, position)


def remove_rows(text: str, positions: Collection[int]) -> str:
    """Cut rows out of an index; a count of the rows that it keeps is set right.

    Raises IndexUnreadable.
    """
    index = parse_index(text)
    gone = {index.rows[position].member.start for position in positions}
    if not gone:
        return text
    return _replace(text, [*_cuts(index, gone), *_count_edit(index, len(index.rows) - len(gone))])


def rebuild(rows: Iterable[Mapping[str, object]]) -> str:
    """A new index of the documented shape: an object with `entries`, indented by two blanks."""
    return json.dumps({"entries": [dict(row) for row in rows]}, indent=2, ensure_ascii=False) + "\n"


def _cuts(index: IndexFile, gone: Collection[int]) -> Iterator[tuple[int, int, str]]:
    """The ranges to cut for the members that begin at `gone`.

    A member goes with what separates it from the one before; while none is left before it, with what
    separates it from the one after.
    """
    members = index.members
    if len(gone) == len(members):
        yield index.open, index.close, ""
        return
    left_before = False
    for number, member in enumerate(members):
        if member.start not in gone:
            left_before = True
        elif left_before:
            yield members[number - 1].end, member.end, ""
        else:
            yield member.start, members[number + 1].start, ""


def _insert(index: IndexFile, source: str, position: int | None) -> str:
    text, rows = index.text, index.rows
    place = len(rows) if position is None else max(0, min(position, len(rows)))
    count = _count_edit(index, len(rows) + 1)
    if not index.members:
        blank, closing = _frame(index)
        return _replace(text, [(index.open, index.close, f"{blank}{source}{closing}"), *count])
    between = _separator(index)
    if place < len(rows):
        start = rows[place].member.start
        return _replace(text, [(start, start, source + between), *count])
    end = index.members[-1].end
    return _replace(text, [(end, end, between + source), *count])


def _separator(index: IndexFile) -> str:
    """What stands between two members, or would."""
    text, members = index.text, index.members
    if len(members) > 1:
        return text[members[-2].end : members[-1].start]
    lead = text[index.open : members[0].start]
    return "," + (lead or (" " if ", " in text[index.open : index.close] else ""))


def _frame(index: IndexFile) -> tuple[str, str]:
    """What goes before and after the only member of an index that was empty."""
    text = index.text
    if "\n" not in text.strip():
        return "", ""
    line = text[text.rfind("\n", 0, index.open) + 1 : index.open].removeprefix(_BOM)
    margin = line[: len(line) - len(line.lstrip())]
    return f"{_newline(text)}{margin}{_unit(index)}", f"{_newline(text)}{margin}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(index: IndexFile) -> str:
    """One step of indentation: what the first indented line of the file begins with."""
    step = re.search(r"\n([ \t]+)[^ \t\r\n]", index.text)
    return step[1] if step else "  "


def _render(index: IndexFile, row: Mapping[str, object]) -> str:
    sample = index.text[index.members[-1].start : index.members[-1].end] if index.members else ""
    known = [entry.value for entry in index.rows if isinstance(entry.value, dict)]
    value = dict(row)
    if index.shape == "mapping":
        key = str(value["id"])
        if known and not any("id" in other for other in known):
            del value["id"]
        return f"{json.dumps(key, ensure_ascii=False)}{_colon(index)}{_dump(index, value, sample)}"
    return _dump(index, value, sample)


def _colon(index: IndexFile) -> str:
    colon = re.search(r'"[ \t]*:[ \t]*', index.text)
    return colon[0][1:] if colon else ": "


def _dump(index: IndexFile, value: Mapping[str, object], sample: str) -> str:
    """JSON in the manner of a row that is there: on one line, or spread and indented as it is."""
    comma = ", " if ", " in sample or not sample else ","
    spread = "\n" in sample if sample else "\n" in index.text.strip()
    if not spread:
        return json.dumps(value, ensure_ascii=False, separators=(comma, _colon(index)))
    margin = _margin(index)
    step = re.search(r"\n([ \t]*)\S", sample)
    unit = step[1].removeprefix(margin) if step and step[1].startswith(margin) else _unit(index)
    written = json.dumps(value, indent=unit or "  ", ensure_ascii=False, separators=(",", _colon(index)))
    return written.replace("\n", _newline(index.text) + margin)


def _margin(index: IndexFile) -> str:
    """The indentation that rows have."""
    if not index.members:
        return _frame(index)[0].rpartition("\n")[2]
    start = index.members[-1].start
    line = index.text[index.text.rfind("\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip())].removeprefix(_BOM)


def _count_edit(index: IndexFile, count: int) -> list[tuple[int, int, str]]:
    if index.counter is None:
        return []
    return [(index.counter.value_start, index.counter.end, str(count))]


def _replace(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """`text` with each range (start, end) replaced; the ranges do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        pieces += (text[at:start], new)
        at = end
    return "".join([*pieces, text[at:]])
