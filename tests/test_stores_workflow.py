"""Index rows of a workflow store: every shape is listed, nothing outside is opened, all faults have a place."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from memsite.config import Config, StoreConfig
from memsite.note import IndexEntry, Problem, StoreView
from memsite.stores import Store, find_stores

A, TIP = "MEM-20260301-101500.md", "TIP-20260302-090000.md"
INDEX = ".workflow/memory/memory-index.json"


def project(root: Path, index: object = None, files: tuple[str, ...] = (A, TIP)) -> Store:
    """A project with a memory folder; `index` is JSON-able, text or bytes."""
    folder = root / ".workflow" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"# {name}\n", encoding="utf-8")
    if index is not None:
        text = index if isinstance(index, str | bytes) else json.dumps(index)
        (folder / "memory-index.json").write_bytes(text.encode() if isinstance(text, str) else text)
    (store,) = find_stores(Config(), root, environ={"HOME": str(root)}).stores
    return store


def paths(store: Store) -> list[str]:
    return [source.path for source in store.sources()]


def entries(view: StoreView) -> dict[str, IndexEntry]:
    assert view.entries is not None
    return {entry.id: entry for entry in view.entries}


def by_row(view: StoreView) -> dict[str, Problem]:
    """Problems by the id of the row they are about."""
    return {problem.message.split("`")[1]: problem for problem in view.problems}


@pytest.mark.parametrize(
    "index",
    [
        {"entries": [{"id": "MEM-20260301-101500", "type": "compact", "file": A}], "_metadata": {"v": "1"}},
        [{"id": "MEM-20260301-101500", "type": "compact", "file": A}],
        {"MEM-20260301-101500": {"file": A, "type": "compact"}},
        "\ufeff" + json.dumps([{"id": "MEM-20260301-101500", "type": "compact", "file": A}]),
        json.dumps(
            {"entries": [{"id": "MEM-20260301-101500", "type": "compact", "file": A}]}, indent=1
        ).replace("\n", "\r\n"),
    ],
)
def test_every_shape_lists_both_notes(tmp_path: Path, index: object) -> None:
    store = project(tmp_path, index)
    first, second = store.sources()
    assert (first.path, second.path, second.entry) == (A, TIP, None)
    assert first.entry is not None
    assert (first.entry.id, first.entry.type, first.entry.path) == ("MEM-20260301-101500", "compact", A)
    assert store.read(A).entry == first.entry
    view = store.view()
    assert (view.problems, view.index_path, view.writable_index) == ((), INDEX, True)


def test_without_an_index_the_folder_counts(tmp_path: Path) -> None:
    store = project(tmp_path)
    assert paths(store) == [A, TIP]
    view = store.view()
    assert (view.entries, view.index_path, view.writable_index, view.problems) == (None, None, True, ())
    assert store.index_file == tmp_path / INDEX
    assert not (tmp_path / INDEX).exists()


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b'{"entries":[{"id":"MEM-1","fi', b"null", b'{"entries":{}}', b"\xff\xfe[\0]\0"),
        b'{"entries":[{"id":"\\ud800","file":"MEM-1.md"}]}',
    ],
)
def test_a_damaged_index_is_reported_and_the_folder_counts(tmp_path: Path, content: bytes) -> None:
    store = project(tmp_path, content)
    assert paths(store) == [A, TIP]
    assert store.read(A).entry is None
    view = store.view()
    (problem,) = view.problems
    assert (problem.code, problem.severity, problem.path) == ("W001", "warning", INDEX)
    assert f"line {problem.line}, column {problem.column}" in problem.message
    assert (view.entries, view.writable_index, view.index_path) == (None, False, INDEX)
    assert (tmp_path / INDEX).read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link out", "dangling link"])
def test_an_index_that_is_no_file_is_reported(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "p"
    store = project(root)
    file = root / INDEX
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        (tmp_path / "out.json").write_text('[{"id": "secret", "file": "x.md"}]')
        file.symlink_to(tmp_path / ("out.json" if kind == "link out" else "nowhere.json"))
    view = store.view()
    assert (view.entries, view.writable_index) == (None, False)
    assert [problem.path for problem in view.problems if problem.code == "W001"][:1] == [INDEX]
    assert paths(store) == [A, TIP]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_rows_that_point_outside_are_reported_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.md").write_text("secret")
    root = tmp_path / "p"
    index = """{"entries":[
 {"id":"A","file":"../../secret.md"}, {"id":"B","file":"/etc/hosts"}, {"id":"C","file":"C:\\\\x.md"},
 {"id":"D","file":"evil.md"}, {"id":"E","file":"sub/../MEM-1.md"}, {"id":"F","file":""},
 {"id":"G","file":"MEM-1.md\\u0000.txt"}, {"id":"H"}, {"id":"I","file":7}, "J"
]}"""
    store = project(root, index, ("MEM-1.md",))
    (root / ".workflow/memory/evil.md").symlink_to(tmp_path / "secret.md")
    opened: list[str] = []
    true_open = os.open

    def spy(path: Any, flags: int, **rest: Any) -> int:
        opened.append(str(path))
        return true_open(path, flags, **rest)

    monkeypatch.setattr(os, "open", spy)
    assert [(source.path, source.entry and source.entry.id) for source in store.sources()] == [
        ("MEM-1.md", "E")
    ]
    view = store.view()
    assert not {name for name in opened if "evil" in name or "secret" in name or "hosts" in name}

    rows = [problem for problem in view.problems if problem.path == INDEX]
    assert [(problem.severity, problem.line) for problem in rows] == [
        *[("error", 2)] * 3,
        ("error", 3),
        *[("info", 3), ("warning", 3)],
        *[("warning", 4)] * 4,
    ]
    assert [problem.column for problem in rows[:3]] == [2, 39, 71]
    assert {problem.code for problem in rows} == {"W001"}
    assert all("outside the store" in rows[number].message for number in range(4))
    assert "row 10 is not an object" in rows[-1].message
    found = entries(view)
    assert sorted(found) == list("ABCDEFGHI")
    assert {entry.id for entry in found.values() if entry.path} == {"E"}
    assert found["I"].position == 8
    (link,) = [problem for problem in view.problems if problem.path != INDEX]
    assert (link.path, link.severity) == (".workflow/memory/evil.md", "error")


REFUSED = [
    ("../secret.md", "error"),
    ("sub/../../secret.md", "error"),
    ("/etc/passwd", "error"),
    ("..\\secret.md", "error"),
    ("C:\\x.md", "error"),
    ("C:x.md", "error"),
    ("//server/share/x.md", "error"),
    ("\\\\server\\share\\x.md", "error"),
    ("../store-evil/x.md", "error"),
    ("~/x.md", "error"),
    ("%2e%2e/secret.md", "error"),
    ("%2E%2E%2Fsecret.md", "error"),
    ("\u2025/secret.md", "error"),
    ("\uff0e\uff0e\uff0fsecret.md", "error"),
    (".memsite/x.md", "warning"),
    (".git/config", "warning"),
    ("sub/./MEM-1.md", "warning"),
    ("sub//MEM-1.md", "warning"),
    ("MEM-1.md\0.png", "warning"),
    ("MEM-1.md/", "warning"),
    ("MEM-1.md:stream", "warning"),
    ("id_rsa", "warning"),
    ("x" * 2000, "warning"),
    ("x" * 2000 + ".md", "warning"),
    ("", "warning"),
    ("  ", "warning"),
    (None, "warning"),
    (7, "warning"),
    (["MEM-1.md"], "warning"),
    ({"path": "MEM-1.md"}, "warning"),
    (True, "warning"),
]


@pytest.mark.parametrize(("written", "severity"), REFUSED)
def test_hostile_file_fields(tmp_path: Path, written: object, severity: str) -> None:
    store = project(tmp_path, [{"id": "X", "file": written}], ("MEM-1.md", "sub/MEM-1.md"))
    (source, other) = store.sources()
    assert (source.entry, other.entry) == (None, None)
    view = store.view()
    assert entries(view)["X"].path is None
    (problem,) = view.problems
    assert (problem.severity, problem.path) == (severity, INDEX)
    problem.message.encode()


def test_a_key_twice_in_one_row_is_reported_and_the_last_one_counts(tmp_path: Path) -> None:
    row = f'{{"id": "MEM-1", "title": "Old", "file": "gone.md", "title": "New", "file": "{A}", "tags": ["a", "a"]}}'
    view = project(tmp_path, f'{{"entries": [\n  {row}\n]}}').view()
    assert entries(view)["MEM-1"].title == "New"
    (problem,) = view.problems
    assert (problem.code, problem.severity, problem.line, problem.column) == ("W001", "warning", 2, 3)
    assert problem.message == "row 1 (`MEM-1`) has `title`, `file` more than once; the last one counts"


def test_a_missing_file_is_a_matter_for_the_check(tmp_path: Path) -> None:
    view = project(tmp_path, [{"id": "MEM-2", "file": "MEM-2.md"}]).view()
    assert (view.problems, entries(view)["MEM-2"].path) == ((), "MEM-2.md")


@pytest.mark.parametrize("key", ["file", "path"])
@pytest.mark.parametrize(
    "written", [A, f"./{A}", f".workflow/memory/{A}", f"memory/{A}", f".workflow\\memory\\{A}"]
)
def test_ways_to_name_a_file(tmp_path: Path, key: str, written: str) -> None:
    view = project(tmp_path, [{"id": "A", key: written}]).view()
    assert (entries(view)["A"].path, view.problems) == (A, ())


def test_a_file_in_another_normal_form_is_found_under_its_own_name(tmp_path: Path) -> None:
    store = project(tmp_path, [{"id": "A", "file": "caf\u00e9.md"}], ("cafe\u0301.md",))
    (source,) = store.sources()
    assert source.path == "cafe\u0301.md"
    assert source.entry is not None
    assert source.entry.path == source.path
    assert store.read(source.path).entry == source.entry


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX names")
def test_a_strange_name_that_is_in_the_folder_is_no_fault(tmp_path: Path) -> None:
    view = project(tmp_path, [{"id": "A", "file": "C:x.md"}], ("C:x.md",)).view()
    assert (entries(view)["A"].path, view.problems) == ("C:x.md", ())


def test_a_row_without_file_stands_for_the_note_of_its_id(tmp_path: Path) -> None:
    listed = project(tmp_path / "list", [{"id": "MEM-1"}], ("MEM-1.md",)).view()
    assert entries(listed)["MEM-1"].path == "MEM-1.md"
    assert [problem.severity for problem in listed.problems] == ["warning"]
    mapped = project(tmp_path / "map", {"MEM-1": {"type": "tip"}}, ("MEM-1.md",)).view()
    assert (entries(mapped)["MEM-1"].path, mapped.problems) == ("MEM-1.md", ())


def test_duplicate_ids_and_rows_are_kept_and_the_first_counts(tmp_path: Path) -> None:
    store = project(tmp_path, [{"id": "X", "file": A, "type": "one"}, {"id": "X", "file": A, "type": "two"}])
    (first, _) = store.sources()
    assert first.entry is not None
    assert first.entry.type == "one"
    view = store.view()
    assert [(entry.id, entry.position) for entry in view.entries or ()] == [("X", 0), ("X", 1)]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"date": "2026-03-01"}, ("2026-03-01", None, ())),
        ({"timestamp": "2026-03-01T10:00:00Z", "summary": " S "}, ("2026-03-01T10:00:00Z", "S", ())),
        ({"timestamp": 1_785_734_971_147}, ("2026-08-03T05:29:31Z", None, ())),
        ({"date": 1_785_734_971}, ("2026-08-03T05:29:31Z", None, ())),
        ({"date": 10**30}, (None, None, ())),
        ({"date": True}, (None, None, ())),
        ({"date": [1], "title": 7, "tags": 7}, (None, None, ())),
        ({"title": "T", "summary": "S", "tags": ["a", " b ", "a", 7, ""]}, (None, "T", ("a", "b"))),
        ({"title": " ", "summary": "S", "tags": "a, #b,,"}, (None, "S", ("a", "b"))),
    ],
)
def test_fields_of_a_row(tmp_path: Path, fields: dict[str, object], expected: tuple[object, ...]) -> None:
    entry = entries(project(tmp_path, [{"id": "A", "file": A, **fields}]).view())["A"]
    assert (entry.date, entry.title, entry.tags) == expected


def test_a_row_without_id_goes_by_its_file(tmp_path: Path) -> None:
    view = project(tmp_path, [{"file": A}, {"id": 7}, {}]).view()
    assert list(entries(view)) == [A.removesuffix(".md")]
    assert [(problem.line, problem.severity) for problem in view.problems] == [(1, "warning")] * 2


def test_a_wrong_total_is_information(tmp_path: Path) -> None:
    view = project(tmp_path, {"entries": [{"id": "A", "file": A}], "_metadata": {"total": 9}}).view()
    (problem,) = view.problems
    assert problem.severity == "info"
    assert "says 9, there are 1 row" in problem.message


def test_one_note_is_read_as_all_are(tmp_path: Path) -> None:
    rows = [
        {"id": "MEM-9"},
        {"id": "out", "file": "../MEM-1.md"},
        {"id": "dotted", "file": "x/../MEM-1.md"},
        {"id": "again", "file": "MEM-1.md"},
        {"id": "based", "path": ".workflow\\memory\\sub\\MEM-1.md"},
        {"id": "composed", "file": "caf\u00e9.md"},
        {"id": "odd", "file": 7},
        "J",
    ]
    names = ("MEM-1.md", "MEM-9.md", "sub/MEM-1.md", "cafe\u0301.md", "unlisted.md")
    store = project(tmp_path, rows, names)
    found = {source.path: source for source in store.sources()}
    assert {path: source.entry and source.entry.id for path, source in found.items()} == {
        "MEM-1.md": "dotted",
        "MEM-9.md": "MEM-9",
        "sub/MEM-1.md": "based",
        "cafe\u0301.md": "composed",
        "unlisted.md": None,
    }
    assert {path: store.read(path) for path in names} == found


def test_a_row_of_an_excluded_file_is_not_taken_for_dangling(tmp_path: Path) -> None:
    project(
        tmp_path, [{"id": "O", "file": "archive/MEM-0.md"}, {"id": "A", "file": A}], (A, "archive/MEM-0.md")
    )
    config = Config(stores=(StoreConfig("workflow", "workflow", exclude=("archive",)),))
    (store,) = find_stores(config, tmp_path, environ={"HOME": str(tmp_path)}).stores
    assert paths(store) == [A]
    view = store.view()
    assert {name: entry.path for name, entry in entries(view).items()} == {"O": None, "A": A}
    assert [(problem.severity, problem.line) for problem in view.problems] == [("info", 1)]


def test_the_index_and_the_own_folder_are_no_assets(tmp_path: Path) -> None:
    store = project(tmp_path, [], (A, "notes.txt"))
    (tmp_path / ".workflow/memory/.memsite").mkdir()
    (tmp_path / ".workflow/memory/.memsite/lock").write_text("")
    assert store.view().files == {"notes.txt"}


def test_reading_one_note_opens_only_it_and_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = project(tmp_path, [{"id": "A", "file": A}], (A, *(f"MEM-{number}.md" for number in range(50))))
    opened: list[str] = []
    true_open = os.open

    def spy(path: Any, flags: int, **rest: Any) -> int:
        opened.append(os.path.basename(str(path)))  # noqa: PTH119
        return true_open(path, flags, **rest)

    monkeypatch.setattr(os, "open", spy)
    store.read(A)
    assert {name for name in opened if name.endswith((".md", ".json"))} == {A, "memory-index.json"}


# knowhow ------------------------------------------------------------------------------------


def wiki(root: Path, *rows: dict[str, object]) -> Store:
    folder = root / ".workflow" / "knowhow"
    for name in ("KNW-a.md", "sub/DOC-b.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (root / ".workflow" / "wiki-index.json").write_text(json.dumps({"version": 2, "entries": rows}))
    (store,) = find_stores(Config(), root, environ={"HOME": str(root)}).stores
    return store


def test_wiki_index_rows_of_the_folder_are_taken(tmp_path: Path) -> None:
    store = wiki(
        tmp_path,
        {"id": "v", "source": {"kind": "virtual", "path": "knowhow/KNW-a.md"}},
        {"id": "s", "source": {"kind": "file", "path": "specs/x.md", "line": 3}},
        {
            "id": "a",
            "type": "knowhow",
            "created": "2026-01-01",
            "source": {"kind": "file", "path": "knowhow/KNW-a.md"},
        },
        {"id": "b", "source": {"kind": "file", "path": "knowhow\\sub\\DOC-b.md"}},
        {"id": "gone", "source": {"kind": "file", "path": "knowhow/gone.md"}},
        {"id": "out", "source": {"kind": "file", "path": "knowhow/../../../etc/x.md"}},
        {"id": "odd", "source": "knowhow/KNW-a.md"},
        {"id": "none"},
    )
    assert (store.name, store.kind) == ("workflow", "workflow")
    view = store.view()
    assert (view.index_path, view.writable_index) == (".workflow/wiki-index.json", False)
    assert {name: entry.path for name, entry in entries(view).items()} == {
        "a": "KNW-a.md",
        "b": "sub/DOC-b.md",
        "gone": "gone.md",
        "out": None,
    }
    assert by_row(view)["out"].severity == "error"
    assert entries(view)["a"].date == "2026-01-01"
    assert [(source.path, source.entry and source.entry.id) for source in store.sources()] == [
        ("KNW-a.md", "a"),
        ("sub/DOC-b.md", "b"),
    ]


def test_knowhow_without_any_index(tmp_path: Path) -> None:
    store = wiki(tmp_path)
    (store.root / "wiki-index.json").write_text("of its own")
    assert store.view().files == {"wiki-index.json"}
    (tmp_path / ".workflow" / "wiki-index.json").unlink()
    assert store.view().problems == ()
    assert paths(store) == ["KNW-a.md", "sub/DOC-b.md"]
