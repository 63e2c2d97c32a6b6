"""The index as text: every shape is read, and an edit changes nothing but its rows."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsite.errors import IndexUnreadable
from memsite.stores.index_file import (
    add_row,
    decode_index,
    parse_index,
    put_row,
    rebuild,
    remove_rows,
)


def row_source(text: str, position: int) -> str:
    """The row as it is written, its key included."""
    member = parse_index(text).rows[position].member
    return text[member.start : member.end]


ENTRIES = (
    '{"entries":[{"id":"A","type":"compact","file":"A.md","x_note":"keep"}],'
    '"_metadata":{"version":"1.0","total":9}}'
)
LIST = '[{"id":"A","file":"A.md"}]'
MAPPING = '{"A":{"file":"A.md"}}'
NEW = {"id": "B", "file": "B.md"}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (ENTRIES, "entries"),
        (LIST, "list"),
        (MAPPING, "mapping"),
        ("\ufeff" + LIST, "list"),
        ('{"entries": [], "x": 1}', "entries"),
        ("[]", "list"),
        ("{}", "mapping"),
        ('{"version": 2, "_metadata": {}, "A": {"file": "A.md"}}', "mapping"),
    ],
)
def test_shapes(text: str, shape: str) -> None:
    index = parse_index(text)
    assert index.shape == shape
    assert [row.id for row in index.rows] == (["A"] if "A.md" in text else [])


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b"", 1, 1),
        (b'{"entries":[{"id":"MEM-1","fi', 1, 27),
        (b"null", 1, 1),
        (b"7", 1, 1),
        (b'"entries"', 1, 1),
        (b'{"entries":{}}', 1, 12),
        (b'{"entries":[{"id":"\\ud800","file":"MEM-1.md"}]}', 1, 20),
        (b'{"entries":[{"id":"x\\udc00"}]}', 1, 21),
        (b'[{"id":"\\uD800"}]', 1, 9),
        (b'[\n {"id": "A"}\n {"id": "B"}]', 3, 2),
        (b'[\n {"id": "A"},\n]', 3, 1),
        (b'[{"id": "A"}] x', 1, 15),
        (b'[{"id": "A"}]]', 1, 14),
        (b'{"entries": [], "entries": []}', 1, 28),
        (b'{"a": 1, "b": "x"}', 1, 1),
        (b"{1: 2}", 1, 2),
        (b'{"a" 2}', 1, 6),
        (b'["\xff"]', 1, 3),
        (b"\xef\xbb\xbf", 1, 1),
        (b'\xef\xbb\xbf["', 1, 2),
        (b"[" * 100_000, 1, 1),
        (b"[" + b"9" * 5000 + b"]", 1, 1),
    ],
)
def test_damage_is_named_by_line_and_column(content: bytes, line: int, column: int) -> None:
    with pytest.raises(IndexUnreadable, match=f"line {line}, column {column}") as refusal:
        parse_index(decode_index(content))
    assert (refusal.value.details["line"], refusal.value.details["column"]) == (line, column)
    assert refusal.value.code == "E014"


def test_surrogate_pairs_and_escaped_backslashes_are_no_damage() -> None:
    (row,) = parse_index('[{"id": "\\ud83d\\ude00", "title": "C:\\\\ud800"}]').rows
    assert row.id == "😀"


def test_damaged_index_is_never_edited() -> None:
    for broken in ('{"entries": [', '{"entries": {}}'):
        with pytest.raises(IndexUnreadable):
            add_row(broken, NEW)
        with pytest.raises(IndexUnreadable):
            remove_rows(broken, [0])


def test_rows_know_their_place() -> None:
    index = parse_index('\ufeff[ {"id": "A"},\r\n\r\n   {"id": "B"}, 7]')
    assert [(row.position, row.line, row.column) for row in index.rows] == [(0, 1, 3), (1, 3, 4), (2, 3, 17)]
    assert [row.id for row in index.rows] == ["A", "B", None]


def test_a_minified_object_stays_minified_and_counts_again() -> None:
    assert add_row(ENTRIES, NEW) == ENTRIES.replace("}],", '},{"id":"B","file":"B.md"}],').replace(
        '"total":9', '"total":2'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LIST, '[{"id":"A","file":"A.md"},{"id":"B","file":"B.md"}]'),
        ('[{"id": "A", "file": "A.md"}]', '[{"id": "A", "file": "A.md"}, {"id": "B", "file": "B.md"}]'),
        (MAPPING, '{"A":{"file":"A.md"},"B":{"file":"B.md"}}'),
        ("[]", '[{"id": "B", "file": "B.md"}]'),
        ('{"entries":[]}', '{"entries":[{"id":"B", "file":"B.md"}]}'),
        (
            '{\r\n\t"entries": []\r\n}\r\n',
            '{\r\n\t"entries": [\r\n\t\t{\r\n\t\t\t"id": "B",\r\n\t\t\t"file": "B.md"\r\n\t\t}'
            "\r\n\t]\r\n}\r\n",
        ),
        (
            '[\n  {"id": "A", "n": 1.50}\n]',
            '[\n  {"id": "A", "n": 1.50},\n  {"id": "B", "file": "B.md"}\n]',
        ),
        (
            '\ufeff{\n "entries": [\n  {\n   "id": "A"\n  }\n ]\n}',
            '\ufeff{\n "entries": [\n  {\n   "id": "A"\n  },\n'
            '  {\n   "id": "B",\n   "file": "B.md"\n  }\n ]\n}',
        ),
        ("{}", '{"B": {"id": "B", "file": "B.md"}}'),
        (
            '{\n "entries": [\n  {\n      "id": "A"\n  }\n ]\n}',
            '{\n "entries": [\n  {\n      "id": "A"\n  },\n  {\n      "id": "B",\n      "file": "B.md"\n  }\n ]\n}',
        ),
        # Of rows written in two manners the last one counts.
        (
            '[  {"id": "A"},\n{"id": "Z", "n": 1}]',
            '[  {"id": "A"},\n{"id": "Z", "n": 1},\n{"id": "B", "file": "B.md"}]',
        ),
        (
            '[ {"id":"A"},\n {\n  "id":"Z"\n }]',
            '[ {"id":"A"},\n {\n  "id":"Z"\n },\n {\n  "id":"B",\n  "file":"B.md"\n }]',
        ),
    ],
)
def test_a_row_is_written_as_its_neighbours_are(before: str, after: str) -> None:
    assert add_row(before, NEW) == after


def test_only_a_count_of_the_rows_is_counted_again() -> None:
    before = '{"_metadata": {"version": 3, "total": 1}, "x": {"total": 7}, "entries": [{"id": "A"}]}'
    assert add_row(before, NEW).startswith('{"_metadata": {"version": 3, "total": 2}, "x": {"total": 7}, ')
    before = '{"x": {"total": 7}, "count": true, "entries": [{"id": "A"}]}'
    assert add_row(before, NEW).startswith('{"x": {"total": 7}, "count": true, ')


@pytest.mark.parametrize(
    "name", ["total", "count", "total_entries", "totalEntries", "entry_count", "entryCount"]
)
@pytest.mark.parametrize(
    "frame", ['{{"{}": 9, "entries": []}}', '{{"metadata": {{"{}": 9}}, "entries": []}}']
)
def test_every_name_of_a_count_is_known(frame: str, name: str) -> None:
    assert f'"{name}": 1' in add_row(frame.format(name), NEW)


def test_words_of_every_script_are_written_as_they_are() -> None:
    for before in ('[{"id": "A"}]', '[\n  {\n    "id": "A"\n  }\n]'):
        assert '"title": "Größe 大"' in add_row(before, {"id": "B", "title": "Größe 大"})


def test_rows_are_removed_with_what_separates_them() -> None:
    text = '[\n  1,\n\n  {"id": "A"} ,\n  {"id": "B"}\n]\n'
    assert remove_rows(text, [0]) == '[\n  {"id": "A"} ,\n  {"id": "B"}\n]\n'
    assert remove_rows(text, [1]) == '[\n  1 ,\n  {"id": "B"}\n]\n'
    assert remove_rows(text, [2]) == '[\n  1,\n\n  {"id": "A"}\n]\n'
    assert remove_rows(text, [0, 1, 2]) == "[]\n"
    assert remove_rows(text, []) == text


def test_what_is_no_row_of_a_mapping_stays() -> None:
    text = '{"_metadata": {"count": 5}, "A": {"file": "A.md"}, "version": 2}'
    assert remove_rows(text, [0]) == '{"_metadata": {"count": 0}, "version": 2}'


def test_a_row_can_be_put_back_where_it_was() -> None:
    text = '[\n  {"id": "A", "z": 1.0},\n  {"id": "B"},\n  {"id": "C"}\n]'
    for position in range(3):
        source = row_source(text, position)
        assert put_row(remove_rows(text, [position]), source, position=position) == text


def test_rebuild_gives_the_documented_shape() -> None:
    text = rebuild([NEW, {"id": "日"}])
    assert text.startswith('{\n  "entries": [\n    {\n      "id": "B"')
    assert text.endswith("}\n")
    assert "日" in text
    assert [row.id for row in parse_index(text).rows] == ["B", "日"]


# Properties ---------------------------------------------------------------------------------

_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_SCALAR = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _TEXT
_VALUE = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _row(draw: st.DrawFn) -> dict[str, Any]:
    row: dict[str, Any] = {"id": draw(st.text("ABC-123", min_size=1, max_size=6))}
    row.update(draw(st.dictionaries(_TEXT.filter(lambda key: key != "id"), _VALUE, max_size=4)))
    return row


@st.composite
def _index_text(draw: st.DrawFn) -> str:
    rows = draw(st.lists(_row(), max_size=5))
    shape = draw(st.sampled_from(["entries", "list", "mapping"]))
    document: Any = rows
    if shape == "mapping":
        document = {f"K{number}": row for number, row in enumerate(rows)}
    elif shape == "entries":
        known = {"entries", "total", "count", "total_entries", "totalEntries", "entry_count", "entryCount"}
        other = draw(st.dictionaries(_TEXT.filter(lambda key: key not in known), _SCALAR, max_size=2))
        document = {**other, "entries": rows, "_tail": draw(_SCALAR)}
    text = json.dumps(
        document,
        indent=draw(st.sampled_from([None, 0, 1, 2, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (",", ": "), (" , ", " : ")])),
    )
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


def values(text: str) -> list[object]:
    return [row.value for row in parse_index(text).rows]


def document(text: str) -> Any:
    """The whole JSON document, rows apart."""
    whole = json.loads(text.removeprefix("\ufeff"))
    return {key: value for key, value in whole.items() if key != "entries"} if "entries" in whole else None


@given(_index_text(), _row())
def test_adding_keeps_all_that_was_there(text: str, row: dict[str, Any]) -> None:
    index = parse_index(text)
    after = add_row(text, row)
    *others, added = values(after)
    assert others == values(text)
    assert added in (row, {key: value for key, value in row.items() if key != "id"})
    assert parse_index(after).rows[-1].id == row["id"]
    assert document(after) == document(text)
    assert after.startswith(text[: index.open])
    assert after.endswith(text[index.close :])
    assert ("\r\n" in text) or ("\r" not in after)
    if index.members:
        assert after.startswith(text[: index.members[-1].end])
        assert remove_rows(after, [len(index.rows)]) == text


@given(_index_text(), st.data())
def test_removing_keeps_all_other_rows_as_they_are_written(text: str, data: st.DataObject) -> None:
    index = parse_index(text)
    gone = data.draw(st.sets(st.sampled_from(range(len(index.rows))))) if index.rows else set()
    after = remove_rows(text, gone)
    assert values(after) == [row.value for row in index.rows if row.position not in gone]
    written = [text[row.member.start : row.member.end] for row in index.rows if row.position not in gone]
    assert [row_source(after, position) for position in range(len(written))] == written
    assert after.startswith(text[: index.open])
    assert after.endswith(text[index.close :])
    assert document(after) == document(text)


@given(_index_text())
def test_parsing_agrees_with_json(text: str) -> None:
    whole = json.loads(text.removeprefix("\ufeff"))
    rows = whole.get("entries", list(whole.values())) if isinstance(whole, dict) else whole
    assert values(text) == rows


@given(st.binary(max_size=40) | st.text('[]{}",:\\u d80entris1\n', max_size=40).map(str.encode))
def test_parsing_any_bytes_refuses_or_succeeds(content: bytes) -> None:
    with suppress(IndexUnreadable):
        rows = parse_index(decode_index(content)).rows
        assert [row.position for row in rows] == list(range(len(rows)))
