"""Writing into a store: the lock, what is refused, what stays, what undo brings back."""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from written_memory import Make, opened

from memsite.edit import apply_to_bytes
from memsite.errors import (
    BadArgument,
    BadEncoding,
    IndexUnreadable,
    Locked,
    MatchCount,
    MemoryProtected,
    MemsiteError,
    NoStore,
    NotFound,
    OutsideStore,
    PruneNeedsFilter,
    ReadOnly,
    StaleChecksum,
    WikiLinkRequired,
)
from memsite.memory import Memory, open_memory, writing
from memsite.memory.answers import Written
from memsite.note import Document
from memsite.stores import Store, files, journal, trash
from memsite.stores.disk import Attributes, write_new
from memsite.stores.files import open_for_writing

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
INDEX = (
    '{"entries": [\n {"id": "MEM-1", "file": "MEM-1.md", "x": 1},\n {"id": "TIP-2", "file": "TIP-2.md"}\n]}\n'
)


def tree(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Bytes, mode and time of every file that is not memsite's own."""
    found = {}
    for path in root.rglob("*"):
        if path.is_file() and ".memsite" not in path.parts:
            facts = path.stat()
            found[str(path.relative_to(root))] = (
                path.read_bytes(),
                stat.S_IMODE(facts.st_mode),
                facts.st_mtime_ns,
            )
    return found


def index_of(memory: Memory) -> list[dict[str, object]]:
    rows = json.loads((memory.project / ".workflow/memory/memory-index.json").read_bytes())["entries"]
    assert isinstance(rows, list)
    return rows


# Checksums


def test_the_checksum_is_that_of_the_bytes(make: Make) -> None:
    memory = make(**{"vault/a.md": b"\xef\xbb\xbfa\n"})
    reading = memory.read("a")
    assert reading.row.checksum == "be4fccb045869c7ad387b9081a44cfd495b37efc020da4b44542de0d980c747f"
    written = memory.edit("a", "append", "[[x]]", expected=reading.row.checksum, now=NOW)
    assert written.new_checksum == memory.read("a").row.checksum != written.old_checksum
    assert [each.tx for each in memory.undo_list()] == [written.tx]


@pytest.mark.parametrize("form", ["{0}", "sha256:{0}", "SHA256:{1}", "{1}", "{2}"])
def test_a_checksum_in_any_form(make: Make, form: str) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    value = memory.read("a").row.checksum
    encoded = base64.b64encode(bytes.fromhex(value)).decode()
    assert memory.edit(
        "a", "append", "[[x]]", expected=form.format(value, value.upper(), encoded), now=NOW
    ).changed


@pytest.mark.parametrize("text", ["", "abc", "0" * 63, "sha256:", "====", "AAAA"])
def test_what_is_no_checksum_is_refused(make: Make, text: str) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    before = tree(memory.project)
    with pytest.raises(BadArgument):
        memory.edit("a", "append", "[[x]]", expected=text)
    assert tree(memory.project) == before


def test_a_stale_checksum_never_writes(make: Make) -> None:
    memory = make(**{"vault/a.md": "one [[x]]\n"})
    read = memory.read("a").row.checksum
    memory.edit("a", "append", "two [[x]]", now=NOW)
    before = tree(memory.project)
    for attempt in (
        lambda: memory.edit("a", "append", "[[x]]", expected=read),
        lambda: memory.edit("a", "append", "[[x]]", expected=read, dry_run=True),
        lambda: memory.edit_whole("a", b"[[x]]", expected=read),
        lambda: memory.delete("a", expected=read),
    ):
        with pytest.raises(StaleChecksum) as refused:
            attempt()
        details = refused.value.details
        assert (details["expected"], details["actual"]) == (read, memory.read("a").row.checksum)
        assert "+two [[x]]" in str(details["diff"])
        assert details["text"] == "one [[x]]\n\ntwo [[x]]\n"
    assert tree(memory.project) == before


def test_the_difference_is_from_the_version_that_was_read(make: Make) -> None:
    memory = make(**{"vault/a.md": "one [[x]]\n", "vault/b.md": "one [[x]]\n"})
    memory.edit("b", "append", "other [[x]]", now=NOW)
    memory.edit("a", "append", "two [[x]]", now=NOW)
    read = memory.read("a").row.checksum
    memory.edit("a", "append", "three [[x]]", now=NOW)
    memory.edit("a", "append", "four [[x]]", now=NOW)
    with pytest.raises(StaleChecksum) as refused:
        memory.edit("a", "append", "five [[x]]", expected=read)
    added = [line for line in str(refused.value.details["diff"]).splitlines() if line.startswith("+")]
    assert added == ["+++ b/a.md", "+", "+three [[x]]", "+", "+four [[x]]"]
    for kept in memory.project.glob("vault/.memsite/trash/*/0-a.md"):
        kept.unlink()
    with pytest.raises(StaleChecksum) as refused:
        memory.edit("a", "append", "five [[x]]", expected=read)
    assert refused.value.details["diff"] == ""


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Memory, Callable[[], object]], None]:
    """Lets something happen after a write has looked and before it has the lock."""

    def happen(memory: Memory, what: Callable[[], object]) -> None:
        really = memory.open_for_writing

        def late(*arguments: Any, **named: Any) -> Any:
            what()
            return really(*arguments, **named)

        monkeypatch.setattr(memory, "open_for_writing", late)

    return happen


def test_a_note_that_is_removed_meanwhile(
    make: Make, meanwhile: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    really = memory.locate_exactly

    def located(name: str) -> tuple[Store, str]:
        found = really(name)
        (memory.project / "vault/a.md").unlink()
        return found

    monkeypatch.setattr(memory, "locate_exactly", located)
    with pytest.raises(NotFound, match="no note"):
        memory.edit("a", "append", "b [[x]]")
    monkeypatch.undo()
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    meanwhile(memory, (memory.project / "vault/a.md").unlink)
    with pytest.raises(NotFound, match="no note"):
        memory.edit("a", "append", "b [[x]]")
    assert tree(memory.project) == {}


def test_an_edit_is_made_before_the_lock_is_taken(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    locked: list[bool] = []

    def apply(*arguments: Any, **named: Any) -> Any:
        locked.append((memory.project / "vault/.memsite").exists())
        return apply_to_bytes(*arguments, **named)

    monkeypatch.setattr(writing, "apply_to_bytes", apply)
    assert memory.edit("a", "append", "b [[x]]", now=NOW).changed
    assert locked == [False]


@pytest.mark.parametrize("late", [Path.unlink, partial(Path.write_text, data='{"entries": []}')])
def test_a_row_that_is_removed_meanwhile(
    make: Make, meanwhile: Callable[..., None], late: Callable[[Path], object]
) -> None:
    memory = make(**{".workflow/memory/memory-index.json": INDEX})
    index = memory.project / ".workflow/memory/memory-index.json"
    meanwhile(memory, lambda: late(index))
    with pytest.raises(NotFound, match="no row 'MEM-1'"):
        memory.delete("MEM-1", now=NOW)
    assert memory.undo_list() == ()


@pytest.mark.parametrize("late", [Path.unlink, partial(Path.write_text, data="changed")])
def test_a_note_that_is_changed_while_prune_looks_at_it(
    make: Make, meanwhile: Callable[..., None], late: Callable[[Path], object]
) -> None:
    memory = make(**{f".workflow/memory/MEM-{number}.md": "m\n" for number in (1, 2)})
    meanwhile(memory, lambda: late(memory.project / ".workflow/memory/MEM-2.md"))
    with pytest.raises(StaleChecksum, match=r"MEM-2\.md' changed while"):
        memory.prune(types=["compact"], now=NOW)
    assert (memory.project / ".workflow/memory/MEM-1.md").exists()


@pytest.mark.parametrize(
    ("note", "named", "free"),
    [
        ("vault/a.md", {}, False),
        ("vault/a.md", {"allow_unlinked": True}, True),
        ("system/a.md", {}, True),
        (".workflow/memory/MEM-1.md", {}, False),
    ],
)
def test_what_an_editor_gives_back_needs_a_link_unless_it_is_free(
    make: Make, note: str, named: dict[str, bool], free: bool
) -> None:
    memory = make(**{note: "a [[x]]\n"})
    name = note.rpartition("/")[2]
    if free:
        written = memory.edit_whole(name, b"nothing linked\n", now=NOW, **named)
        assert (written.changed, written.count) == (True, 1)
    else:
        with pytest.raises(WikiLinkRequired):
            memory.edit_whole(name, b"nothing linked\n", now=NOW, **named)
        assert not memory.edit_whole(name, b"a [[x]]\n", now=NOW).changed


def test_of_two_equal_problems_one_is_fixed(make: Make) -> None:
    memory = make(**{"vault/a.md": "[[x]] [[[y]]] [[[y]]]\n"})
    written = memory.edit_whole("a", b"[[x]] [[[y]]]\n", now=NOW)
    assert [each.code for each in written.fixed] == ["W007"]
    assert written.appeared == ()


def test_what_memsite_keeps_is_for_its_owner_alone(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n", ".workflow/memory/memory-index.json": '{"entries": []}'})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    memory.new("tip", "T", "x [[y]]", now=NOW)
    assert {note.store for note in memory.notes() if note.path == "a.md"} == {"vault"}
    for own in memory.project.rglob(".memsite"):
        assert (own / ".gitignore").read_text() == "*\n"
        assert stat.S_IMODE(own.stat().st_mode) == 0o700
        copies = {path for path in own.glob("trash/*/*") if path.name != "record.json"}
        for path in set(own.rglob("*")) - copies:
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_write_says_what_is_wrong_with_the_store_when_it_is_done(make: Make) -> None:
    rows = '{"entries": [{"id": "MEM-1", "file": "MEM-1.md"}, {"id": "MEM-2", "file": "MEM-2.md"}]}'
    memory = make(**{".workflow/memory/MEM-3.md": "m\n", ".workflow/memory/memory-index.json": rows})
    for write in (
        lambda **named: memory.new("tip", "T", "[[x]]", now=NOW, **named),
        lambda **named: memory.delete("MEM-3", now=NOW, **named),
        lambda **named: memory.delete("MEM-2", now=NOW, **named),
    ):
        assert write(dry_run=True).problems == ()
        assert any("MEM-1.md" in each.message for each in write().problems)


@pytest.mark.parametrize(
    ("kind", "named", "said"),
    [
        ("topic", {"type": "idea"}, "no type 'idea'"),
        ("tip", {"type": "user"}, "no type and no description"),
        ("tip", {"description": "d"}, "no type and no description"),
        ("letter", {}, "no kind of note 'letter'"),
    ],
)
def test_a_note_that_there_is_no_kind_of(make: Make, kind: Any, named: dict[str, str], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        make().new(kind, "T", "[[x]]", **named)


@pytest.mark.parametrize(
    ("sample", "keys"),
    [
        ({"id": "A"}, {"title": "T", "file": "{id}.md", "date": "2026-04-01T12:00:00Z"}),
        ({"summary": "s"}, {"summary": "T"}),
        ({"summary": "s", "title": "t"}, {"title": "T"}),
        ({"path": "old/A.md"}, {"path": "old/{id}.md"}),
        ({"path": "A.md", "file": "A.md"}, {"file": "{id}.md"}),
        ({"timestamp": "2020-01-01T00:00:00Z"}, {"timestamp": "2026-04-01T12:00:00Z"}),
        ({"timestamp": "x", "date": "2020-01-01"}, {"date": "2026-04-01"}),
    ],
)
def test_a_new_row_has_the_keys_of_the_last_one(
    make: Make, sample: dict[str, str], keys: dict[str, str]
) -> None:
    memory = make(**{".workflow/memory/memory-index.json": json.dumps({"entries": [{"id": "A", **sample}]})})
    memory.new("tip", "T", "[[x]]", now=NOW)
    row = index_of(memory)[-1]
    id = str(row["id"])
    wanted = {key: value.format(id=id) for key, value in keys.items()}
    assert {key: row.get(key) for key in wanted} == wanted
    assert len(row) == 6


def test_a_new_id_goes_on_from_numbers_and_not_from_times(make: Make) -> None:
    memory = make(
        **{".workflow/memory/TIP-20260401-143022.md": "x\n", ".workflow/memory/TIP-20260401-007.md": "x\n"}
    )
    assert memory.new("tip", "T", "[[x]]", now=NOW).path.endswith("/TIP-20260401-008.md")
    assert memory.new("compact", "T", "[[x]]", now=NOW).path.endswith("/MEM-20260401-001.md")


def test_a_new_topic_has_its_line_and_its_keys(make: Make) -> None:
    memory = make()
    written = memory.new("topic", "A [b] c", "[[x]]", type="user", description="what  for", now=NOW)
    assert (memory.project / "system/MEMORY.md").read_text() == (
        "# Memory\n\n- [A \\[b\\] c](a-b-c.md) — what for\n"
    )
    text = (memory.project / "system/a-b-c.md").read_text()
    assert text == '---\ntitle: "A [b] c"\ndescription: "what for"\ntype: user\n---\n\n[[x]]\n'
    assert (written.remarks, written.count) == ((), 1)
    plain = memory.new("topic", "Plain", "no link", now=NOW)
    assert (memory.project / "system/plain.md").read_text() == '---\ntitle: "Plain"\n---\n\nno link\n'
    assert (memory.project / "system/MEMORY.md").read_text().endswith("what for\n- [Plain](plain.md)\n")
    assert plain.remarks == ("the new note holds no [[WikiLink]]: nothing leads on from it",)


def test_where_a_new_note_can_go(make: Make, tmp_path: Path) -> None:
    memory = make()
    with pytest.raises(BadArgument, match="belongs in a workflow store; 'vault' is not one"):
        memory.new("tip", "T", "[[x]]", store="vault")
    assert memory.new("topic", "T", "[[x]]", store="vault", now=NOW).store == "vault"
    alone = open_memory(tmp_path / "vault", vaults=[("vault", tmp_path / "vault")])
    for kind, place in (("tip", ".workflow/memory"), ("topic", ".claude/memory")):
        with pytest.raises(NoStore) as refused:
            alone.new(kind, "T", "[[x]]")
        assert f"mkdir -p {place}" in refused.value.hint


# Exact addresses


def test_writing_needs_an_exact_and_unique_name(make: Make) -> None:
    memory = make(
        **{
            "vault/a/plan.md": "A [[x]]\n",
            "vault/b/plan.md": "B [[x]]\n",
            "vault/roadmap-2026.md": "---\ntitle: Road map\n---\nR\n",
        }
    )
    for name in ("a/plan", "memory://b/plan", "memory://vault/b/plan", "a/plan.md", "Road map"):
        assert memory.edit(name, "append", "[[y]]", now=NOW).changed
    for name in ("plan", "PLAN"):
        with pytest.raises(MemsiteError, match="2 notes") as refused:
            memory.edit(name, "append", "[[y]]")
        assert refused.value.code == "E005"
        assert refused.value.details["candidates"] == ["memory://vault/a/plan", "memory://vault/b/plan"]
    with pytest.raises(NotFound) as missing:
        memory.edit("roadmap", "append", "[[y]]")
    assert missing.value.hint == "Near: Road map."
    with pytest.raises(NotFound) as close:
        memory.edit("road map", "append", "[[y]]")
    assert "Did you mean 'Road map'" in close.value.hint
    assert memory.find("road map").path == memory.find("ROAD_MAP").path == "roadmap-2026.md"


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "memory://vault/../x",
        "/etc/passwd",
        "C:\\x",
        "a\0b",
        "memory://vault/%2e%2e/x",
        "..\\x",
        "\\\\host\\x",
    ],
)
def test_a_name_never_leads_out(make: Make, name: str) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    for look in (memory.find, lambda it: memory.edit(it, "append", "[[x]]"), memory.delete):
        with pytest.raises(OutsideStore):
            look(name)


def test_an_edit_makes_no_note(make: Make) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    with pytest.raises(NotFound):
        memory.edit("memory://vault/new", "append", "[[x]]")
    assert sorted(tree(memory.project)) == ["vault/a.md"]


def test_entry_ids_are_found_in_the_workflow_store_first(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/TIP-1.md": "w\n",
            "vault/TIP-1.md": "v\n",
            "vault/topic.md": "v\n",
            "system/topic.md": "s\n",
            "system/MEMORY.md": "m\n",
        }
    )
    assert memory.find("TIP-1").store == "workflow"
    assert memory.find("topic").store == "system"
    assert memory.find("memory://vault/TIP-1").store == "vault"
    with pytest.raises(MemsiteError) as refused:
        memory.edit("TIP-1", "append", "[[x]]")
    assert refused.value.code == "E005"


def test_an_edit_by_address_opens_only_what_it_must(make: Make) -> None:
    """Counted in the audit events of the interpreter, so that no way of opening is missed."""
    notes = {f"vault/n{number}.md": f"note {number} [[x]]\n" for number in range(50)}
    memory = make(
        **notes, **{".workflow/memory/MEM-1.md": "m [[x]]\n", ".workflow/memory/memory-index.json": INDEX}
    )
    with opened_files(memory.project) as seen:
        memory.edit("memory://vault/n7", "append", "more [[y]]", now=NOW)
    assert {path for path in seen if path.endswith(".md")} == {"vault/n7.md"}
    assert not any(path.endswith(".json") and "/.memsite/" not in path for path in seen)
    with opened_files(memory.project) as seen:
        memory.edit("MEM-1", "append", "more [[y]]", now=NOW)
    assert {path for path in seen if path.endswith(".md")} <= {".workflow/memory/MEM-1.md"}


_AUDIENCE: list[list[str]] = []


def _audit(event: str, args: tuple[object, ...]) -> None:
    if _AUDIENCE and event == "open":
        _AUDIENCE[-1].append(os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else str(args[0]))


@contextmanager
def opened_files(root: Path) -> Iterator[set[str]]:
    """The files below `root` that are opened meanwhile; those opened by name alone count as well."""
    if not _AUDIENCE:
        sys.addaudithook(_audit)
    seen: list[str] = []
    found: set[str] = set()
    _AUDIENCE.append(seen)
    try:
        yield found
    finally:
        _AUDIENCE.append([])
        found.update(
            os.path.relpath(path, root) if path.startswith(str(root)) else path
            for path in seen
            if path.startswith(str(root)) or "/" not in path
        )


# What is refused


def as_somebody() -> bool:
    return os.geteuid() != 0


def test_a_read_only_file_is_refused(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    (memory.project / "vault/a.md").chmod(0o444)
    before = tree(memory.project)
    for attempt in (lambda: memory.edit("a", "append", "[[y]]"), lambda: memory.delete("a")):
        with pytest.raises(ReadOnly, match="read-only"):
            attempt()
    assert tree(memory.project) == before


def test_a_read_only_folder_is_refused_and_named(make: Make) -> None:
    memory = make(**{"vault/frozen/a.md": "a [[x]]\n"})
    folder = memory.project / "vault/frozen"
    folder.chmod(0o555)
    try:
        for attempt in (
            lambda: memory.edit("frozen/a", "append", "[[y]]"),
            lambda: memory.delete("frozen/a"),
        ):
            with pytest.raises(ReadOnly, match="frozen"):
                attempt()
    finally:
        folder.chmod(0o755)
    assert (folder / "a.md").read_text() == "a [[x]]\n"


def test_a_read_only_store_is_refused_without_a_trace(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    (memory.project / "vault").chmod(0o555)
    try:
        with pytest.raises(ReadOnly, match="vault"):
            memory.edit("a", "append", "[[y]]")
        assert not (memory.project / "vault/.memsite").exists()
    finally:
        (memory.project / "vault").chmod(0o755)


def test_a_hard_link_is_refused(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    (memory.project / "vault/a.txt").hardlink_to(memory.project / "vault/a.md")
    with pytest.raises(ReadOnly, match="2 names"):
        memory.edit("a", "append", "[[y]]")


def test_a_link_inside_is_written_through(make: Make) -> None:
    memory = make(**{"vault/real.md": "a [[x]]\n"})
    link = memory.project / "vault/link.md"
    link.symlink_to("real.md")
    memory.edit("memory://vault/link", "append", "b [[x]]", now=NOW)
    assert link.is_symlink()
    assert (memory.project / "vault/real.md").read_text() == "a [[x]]\n\nb [[x]]\n"
    with pytest.raises(ReadOnly, match="symbolic link"):
        memory.delete("memory://vault/link")


def test_a_link_that_leads_out_is_refused(make: Make, tmp_path: Path) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    outside = tmp_path / "secret.md"
    outside.write_text("secret\n")
    (tmp_path / "vault/out.md").symlink_to(outside)
    for attempt in (
        lambda: memory.edit("memory://vault/out", "append", "[[x]]"),
        lambda: memory.delete("memory://vault/out"),
        lambda: memory.find("memory://vault/out"),
    ):
        with pytest.raises((OutsideStore, NotFound)):
            attempt()
    assert outside.read_text() == "secret\n"


def test_a_place_outside_is_refused_whatever_leads_there(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "out.md").symlink_to(tmp_path / "secret.md")
    (store / "self.md").symlink_to(".")
    (store / "in.md").symlink_to("real.md")
    for path in ("out.md", "self.md", "../secret.md"):
        with pytest.raises(OutsideStore):
            files.locate(store, path)
    assert files.locate(store, "in.md") == store.resolve() / "real.md"


def test_a_new_file_has_the_mode_that_the_system_gives_new_files(make: Make) -> None:
    memory = make()
    before = os.umask(0o002)
    try:
        memory.new("tip", "T", "[[x]]", now=NOW)
    finally:
        after = os.umask(before)
    assert after == 0o002
    assert {stat.S_IMODE(path.stat().st_mode) for path in memory.project.glob(".workflow/memory/[!.]*")} == {
        0o664
    }


def test_a_deleted_note_comes_back_into_a_folder_that_is_gone(make: Make) -> None:
    memory = make(**{"vault/deep/er/a.md": "a [[x]]\n"})
    before = tree(memory.project)
    memory.delete("deep/er/a", now=NOW)
    shutil.rmtree(memory.project / "vault/deep")
    memory.undo(now=NOW)
    assert tree(memory.project) == before


def test_a_store_that_is_no_folder_any_more(make: Make) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    shutil.rmtree(memory.project / "vault")
    (memory.project / "vault").write_text("a file\n")
    with pytest.raises(NotFound, match="not a folder"), open_for_writing(memory.project / "vault"):
        raise AssertionError


def test_an_index_may_be_larger_than_a_note(make: Make) -> None:
    memory = make(**{".workflow/memory/memory-index.json": f'{{"entries": [], "x": "{"x" * (4 << 20)}"}}'})
    memory.new("tip", "T", "[[x]]", now=NOW)
    assert [row["id"] for row in index_of(memory)] == ["TIP-20260401-001"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="cannot count what is open here")
def test_a_write_leaves_nothing_open(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    before = len(list(Path("/proc/self/fd").iterdir()))
    memory.edit("a", "append", "b [[x]]", now=NOW)
    memory.delete("a", now=NOW)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_what_is_no_file_is_refused(make: Make) -> None:
    memory = make(**{"vault/a.md": "a\n", "vault/dir.md/b.md": "b\n"})
    os.mkfifo(memory.project / "vault/pipe.md")
    for name in ("memory://vault/pipe", "memory://vault/dir"):
        with pytest.raises(NotFound):
            memory.edit(name, "append", "[[x]]")


def test_a_note_over_4_mb_is_refused(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n" * 600_000})
    with pytest.raises(MemsiteError, match="MB"):
        memory.edit("memory://vault/a", "append", "[[x]]", now=NOW)


def test_other_encodings_stay_as_they_are(make: Make) -> None:
    content = b"# Caf\xe9\n\nnot utf-8: \xff\xfe\n"
    memory = make(**{"vault/a.md": content})
    with pytest.raises(BadEncoding, match="offset 5"):
        memory.edit("a", "append", "[[x]]")
    with pytest.raises(BadEncoding):
        memory.edit_whole("a", b"\xff")
    assert (memory.project / "vault/a.md").read_bytes() == content


def test_a_folder_that_vanished(make: Make) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    shutil.rmtree(memory.project / "vault")
    with pytest.raises(NotFound):
        memory.edit("memory://vault/a", "append", "[[x]]")


def test_a_link_in_the_place_of_the_own_folder_is_refused(make: Make, tmp_path: Path) -> None:
    memory = make(**{"vault/a.md": "a\n"})
    (tmp_path / "elsewhere").mkdir()
    (memory.project / "vault/.memsite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutsideStore):
        memory.edit("a", "append", "[[x]]")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_refusal_changes_neither_bytes_nor_time(make: Make) -> None:
    memory = make(**{"vault/a.md": "---\nmodified: 2026-01-01\n---\na [[x]]\n"})
    before = tree(memory.project)
    with pytest.raises(WikiLinkRequired):
        memory.edit("a", "append", "plain")
    with pytest.raises(MatchCount):
        memory.edit("a", "find_replace", "[[x]]", find_text="zzz")
    same = memory.edit("a", "find_replace", "a [[x]]", find_text="a [[x]]", now=NOW)
    assert (same.changed, same.tx) == (False, None)
    dry = memory.edit("a", "append", "b [[x]]", dry_run=True, now=NOW)
    assert (dry.changed, dry.dry_run, dry.tx) == (True, True, None)
    assert "+b [[x]]\n" in dry.diff
    assert tree(memory.project) == before


def test_a_dry_run_makes_nothing(make: Make) -> None:
    memory = make(
        **{"vault/a.md": "a [[x]]\n", ".workflow/memory/MEM-1.md": "m\n", "system/MEMORY.md": "# M\n"}
    )
    memory.edit("a", "append", "b [[x]]", dry_run=True)
    memory.new("tip", "T", dry_run=True)
    memory.new("topic", "T", dry_run=True)
    memory.delete("a", dry_run=True)
    memory.prune(tags=["x"], dry_run=True)
    memory.repair(dry_run=True)
    assert not list(memory.project.rglob(".memsite"))


# What stays


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600])
def test_the_mode_stays(make: Make, mode: int) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    path = memory.project / "vault/a.md"
    path.chmod(mode)
    memory.edit("a", "append", "b [[x]]", now=NOW)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_nlink == 1


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_stay(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    path = memory.project / "vault/a.md"
    try:
        os.setxattr(path, "user.mark", b"1")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    memory.edit("a", "append", "b [[x]]", now=NOW)
    assert os.getxattr(path, "user.mark") == b"1"


def test_a_check_follows_every_write(make: Make) -> None:
    memory = make(**{"vault/a.md": "see [[guide]] and guide\n"})
    written = memory.edit("a", "find_replace", "[[guide]]", find_text="guide", now=NOW)
    (problem,) = written.appeared
    assert (problem.code, problem.line, problem.column) == ("W007", 1, 5)
    assert "find '[[guide]]'" in problem.hint
    mended = memory.edit("a", "find_replace", "[[guide]]", find_text="[[[[guide]]]]", now=NOW)
    assert [each.code for each in mended.fixed] == ["W007"]


def test_the_whole_store_is_checked_after_an_edit(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m [[x]]\n",
            ".workflow/memory/MEM-9.md": "orphan\n",
            ".workflow/memory/memory-index.json": INDEX,
            "system/MEMORY.md": "- [Gone](gone.md)\n",
            "system/topic.md": "t [[x]]\n",
        }
    )
    written = memory.edit("MEM-1", "append", "[[y]]", now=NOW)
    assert [(each.code, each.path, each.line) for each in written.problems] == [
        ("W001", ".workflow/memory/MEM-9.md", 1),
        ("W001", ".workflow/memory/memory-index.json", 3),
    ]
    assert written.appeared == ()
    assert [each.code for each in memory.edit("topic", "append", "[[y]]", now=NOW).problems] == ["W002"]


def test_memory_md_is_checked_for_length_and_topics(make: Make) -> None:
    memory = make(**{"system/MEMORY.md": "- [A](a.md) [[x]]\n", "system/a.md": "a\n"})
    written = memory.edit("MEMORY", "append", "- [B](b.md) [[x]]\n" + "line\n" * 300, now=NOW)
    assert {each.code for each in written.appeared} == {"W002", "W003"}


# Lock


def test_a_lock_that_is_held_names_its_holder(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.lock_seconds = 0.05
    with open_for_writing(memory.project / "vault"), pytest.raises(Locked, match=f"process {os.getpid()}"):
        memory.edit("a", "append", "b [[x]]")
    assert memory.edit("a", "append", "b [[x]]", now=NOW).changed


def test_readers_do_not_wait(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    with open_for_writing(memory.project / "vault"):
        assert memory.read("a").text == "a [[x]]\n"
        assert len(memory.list()) == 1
        assert memory.problems() is not None


def test_a_killed_holder_leaves_no_lock(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    program = (
        "import sys, time; from pathlib import Path; from memsite.stores.files import open_for_writing\n"
        "with open_for_writing(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(memory.project / "vault")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    memory.lock_seconds = 0
    with pytest.raises(Locked):
        memory.edit("a", "append", "b [[x]]")
    holder.kill()
    holder.wait()
    holder.stdout.close()
    assert memory.edit("a", "append", "b [[x]]", now=NOW).changed


def test_a_file_system_without_locks_is_told(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})

    def none(_lock: FileLock) -> None:
        raise NotImplementedError

    monkeypatch.setattr(files.FileLock, "acquire", none)
    with pytest.raises(Locked, match="no locks"):
        memory.edit("a", "append", "b [[x]]")
    assert (memory.project / "vault/a.md").read_text() == "a [[x]]\n"


@pytest.mark.parametrize(
    ("saved", "replaces", "wanted"),
    [
        ("saved by an editor\n", False, []),
        ("saved by an editor\n", True, ["a [[x]]\n"]),
        ("a [[x]]\n", True, []),
    ],
)
def test_someone_without_the_lock_is_noticed(
    make: Make, monkeypatch: pytest.MonkeyPatch, saved: str, replaces: bool, wanted: list[str]
) -> None:
    """An editor saves between our reading and our replacing, in place or by a new file."""
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    path = memory.project / "vault/a.md"
    real = files.WritableStore._prepare

    def meddled(self, record, changes):
        real(self, record, changes)
        if replaces:
            path.unlink()
        path.write_text(saved)

    monkeypatch.setattr(files.WritableStore, "_prepare", meddled)
    with pytest.raises(StaleChecksum, match="another program"):
        memory.edit("a", "append", "b [[x]]")
    assert path.read_text() == saved
    assert not list(memory.project.rglob("tmp-*"))
    # What the editor threw away is kept where nothing else has it.
    kept = [copy.read_text() for copy in memory.project.glob("vault/.memsite/trash/*/0-a.md")]
    assert kept == wanted
    assert len(trash.names(memory.project / "vault/.memsite/trash")) == len(kept)


def _append(root: Path, name: str, times: int) -> None:
    memory = opened(root)
    for number in range(times):
        while True:
            read = memory.read("memory://vault/log").row.checksum
            with suppress(StaleChecksum, Locked):
                memory.edit("memory://vault/log", "append", f"{name}-{number} [[x]]", expected=read, now=NOW)
                break


def _come_and_go(root: Path, times: int) -> None:
    memory = opened(root)
    for number in range(times):
        made = _until_free(lambda: memory.new("tip", f"from {os.getpid()}", "[[x]]", now=NOW))
        if number % 2:
            _until_free(partial(memory.delete, made.address, now=NOW))


def _until_free(write: Callable[[], Written]) -> Written:
    """A busy machine may let a writer wait for longer than it wants to; then it asks again."""
    while True:
        with suppress(Locked):
            return write()


def in_parallel(work: Callable[..., None], arguments: list[tuple[object, ...]]) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * len(workers)


PROCESSES = int(os.environ.get("MEMSITE_TEST_WRITERS", "3"))
TIMES = int(os.environ.get("MEMSITE_TEST_WRITES", "8"))


def test_no_edit_is_lost_among_many_writers(make: Make, tmp_path: Path) -> None:
    make(**{"vault/log.md": "# Log\n"})
    in_parallel(_append, [(tmp_path, f"p{number}", TIMES) for number in range(PROCESSES)])
    lines = (tmp_path / "vault/log.md").read_text().split("\n")
    wanted = {f"p{number}-{turn} [[x]]" for number in range(PROCESSES) for turn in range(TIMES)}
    assert sorted(line for line in lines if line.startswith("p")) == sorted(wanted)


def test_no_row_is_lost_among_many_writers(make: Make, tmp_path: Path) -> None:
    make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/memory-index.json": '{"entries": [{"id": "MEM-1", "file": "MEM-1.md"}]}',
        }
    )
    in_parallel(_come_and_go, [(tmp_path, TIMES)] * PROCESSES)
    memory = opened(tmp_path)
    rows = index_of(memory)
    assert len(rows) == 1 + PROCESSES * (TIMES - TIMES // 2)
    assert {row["file"] for row in rows} == {note.path for note in memory.notes()}
    assert [each for each in memory.problems() if each.code == "W001"] == []


def _watch(root: Path, stop: str) -> None:
    """Look again and again whether the index names a file that is not there."""
    folder = root / ".workflow/memory"
    index = folder / "memory-index.json"
    while not (root / stop).exists():
        content = index.read_bytes()
        missing = [
            row["file"] for row in json.loads(content)["entries"] if not (folder / row["file"]).exists()
        ]
        # The index may have changed between the two looks; then this says nothing.
        assert not missing or index.read_bytes() != content, missing


def test_a_reader_never_sees_a_row_without_file(make: Make, tmp_path: Path) -> None:
    memory = make()
    memory.new("tip", "First", "[[x]]", now=NOW)
    watcher = multiprocessing.get_context("spawn").Process(target=_watch, args=(tmp_path, "stop"))
    watcher.start()
    for _ in range(15):
        made = memory.new("tip", "T", "[[x]]", now=NOW)
        memory.delete(made.address, now=NOW)
        memory.undo(now=NOW)
        memory.prune(after="2026-03-31", now=NOW)
        memory.new("tip", "Again", "[[x]]", now=NOW)
    (tmp_path / "stop").touch()
    watcher.join()
    assert watcher.exitcode == 0


# Disk full, for real


@pytest.mark.skipif(sys.platform != "linux" or as_somebody(), reason="needs to mount a small disk")
@pytest.mark.parametrize(
    "operation",
    [
        lambda memory, text: memory.edit("MEM-1", "append", text, now=NOW),
        lambda memory, text: memory.new("tip", "T", text, now=NOW),
    ],
)
def test_a_full_disk(make: Make, tmp_path: Path, operation: Callable[[Memory, str], object]) -> None:
    disk = tmp_path / ".workflow"
    disk.mkdir(parents=True)
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], check=False
    ).returncode:
        pytest.skip("cannot mount here")
    try:
        memory = make(
            **{
                ".workflow/memory/MEM-1.md": "m [[x]]\n",
                ".workflow/memory/memory-index.json": '{"entries": []}',
            }
        )
        memory.edit("MEM-1", "append", "b [[x]]", now=NOW)
        with (disk / "fill").open("wb", buffering=0) as fill, suppress(OSError):
            while True:
                fill.write(b"x" * 4096)
        before = tree(disk / "memory")
        with pytest.raises(ReadOnly, match="disk is full"):
            operation(memory, "c [[x]] " * 2000)
        assert tree(disk / "memory") == before
        assert not list(disk.rglob("tmp-*"))
        (disk / "fill").unlink()
        assert memory.edit("MEM-1", "append", "c [[x]]", now=NOW).changed
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


# new


def test_new_entries_are_numbered_and_listed(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "t\n",
            ".workflow/memory/memory-index.json": INDEX,
            ".workflow/memory/tip-20260401-007.md": "other case\n",
        }
    )
    first = memory.new("tip", "One", "text [[x]]", tags=["#a", "b c"], now=NOW)
    second = memory.new("compact", "Two", now=NOW)
    assert [first.address, second.address] == [
        "memory://workflow/TIP-20260401-008",
        "memory://workflow/MEM-20260401-001",
    ]
    assert (first.changed, first.remarks) == (True, ())
    assert "nothing leads on from it" in " ".join(second.remarks)
    assert memory.read(first.address).text == (
        '---\nid: TIP-20260401-008\ntype: tip\ntitle: "One"\ndate: 2026-04-01T12:00:00Z\n'
        'tags: ["a", "b c"]\n---\n\ntext [[x]]\n'
    )
    text = (memory.project / ".workflow/memory/memory-index.json").read_text()
    assert text.startswith(INDEX.rstrip("]}\n")[:-1])
    row = memory.list(store="workflow", tags=["b c"])[0]
    assert (row.id, row.type, row.title, row.tags) == ("TIP-20260401-008", "tip", "One", ("a", "b c"))


@pytest.mark.parametrize("title", ["", "  ", "..", ".", "\t"])
def test_a_title_must_say_something(make: Make, title: str) -> None:
    with pytest.raises(BadArgument):
        make().new("topic", title, now=NOW)


@pytest.mark.parametrize(
    ("title", "name", "kept"),
    [
        ("CON", "con-note", "CON"),
        ("nul", "nul-note", "nul"),
        ("what?", "what", "what?"),
        ("a/b", "a-b", "a/b"),
        ("x: y", "x-y", "x: y"),
        ("end.", "end", "end."),
        ("-rf", "rf", "-rf"),
        ("~", "note", "~"),
        ("tab\there", "tab-here", "tab here"),
        ("MEMORY", "memory-note", "MEMORY"),
        ("\u65e5\u672c", "\u65e5\u672c", "\u65e5\u672c"),
        ("x" * 300, "x" * 80, "x" * 300),
        ("é" * 300, "é" * 80, "é" * 300),
        ("界" * 300, "界" * 53, "界" * 300),
        ('say "hi" # no', "say-hi-no", 'say "hi" # no'),
    ],
)
def test_a_topic_gets_a_safe_name_and_keeps_its_title(make: Make, title: str, name: str, kept: str) -> None:
    memory = make(**{"system/MEMORY.md": "# Memory\n\n- [Old](old.md)\n", "system/old.md": "o\n"})
    made = memory.new("topic", title, "text [[x]]", description="why", type="project", now=NOW)
    assert made.address == f"memory://system/{name}"
    note = memory.find(made.address)
    assert (note.title, note.type, note.description) == (kept, "project", "why")
    assert [each for each in memory.problems() if each.code in ("W002", "W004")] == []
    assert (memory.project / "system/MEMORY.md").read_text().startswith("# Memory\n\n- [Old](old.md)\n- [")


def test_new_never_takes_a_name_in_use(make: Make) -> None:
    memory = make(**{"system/MEMORY.md": "m\n", "system/Plan.md": "p\n", "vault/caf\u0065\u0301.md": "c\n"})
    before = tree(memory.project)
    for title, store in (("plan", None), ("PLAN!", None), ("Caf\u00e9", "vault")):
        with pytest.raises(BadArgument, match="exists already"):
            memory.new("topic", title, store=store, now=NOW)
    assert tree(memory.project) == before


def test_a_first_entry_makes_the_index(make: Make) -> None:
    memory = make()
    memory.new("tip", "One", "[[x]]", now=NOW)
    assert [row["id"] for row in index_of(memory)] == ["TIP-20260401-001"]
    assert memory.problems() == ()


def test_an_index_is_made_only_on_request(make: Make) -> None:
    memory = make(**{".workflow/memory/MEM-1.md": "m\n"})
    made = memory.new("tip", "One", "[[x]]", now=NOW)
    assert not (memory.project / ".workflow/memory/memory-index.json").exists()
    assert "no index" in " ".join(made.remarks)


BROKEN = [
    b"",
    b'{"entries":[{"id":"MEM-1","fi',
    b"null",
    b'{"entries":{}}',
    b'{"entries":[{"id":"\\ud800"}]}',
]


@pytest.mark.parametrize("content", BROKEN)
def test_a_damaged_index_is_never_rewritten(make: Make, content: bytes) -> None:
    index = ".workflow/memory/memory-index.json"
    memory = make(
        **{".workflow/memory/MEM-1.md": "m [[x]]\n", ".workflow/memory/MEM-2.md": "n\n", index: content}
    )
    before = tree(memory.project)
    for attempt in (
        lambda: memory.new("tip", "T", now=NOW),
        lambda: memory.delete("MEM-1", now=NOW),
        lambda: memory.prune(types=["compact"], now=NOW),
    ):
        with pytest.raises(IndexUnreadable):
            attempt()
    with pytest.raises(NotFound):
        memory.delete("MEM-3", now=NOW)
    assert memory.repair(now=NOW).mends == ()
    assert tree(memory.project) == before
    assert len(memory.list()) == 2
    assert memory.edit("MEM-1", "append", "[[y]]", now=NOW).changed
    (mend,) = memory.repair(rebuild_index=True, now=NOW).mends
    kept = memory.project / ".workflow/memory/memory-index.json.bad-20260401-120000"
    assert kept.name in mend.action
    assert kept.read_bytes() == content
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644
    assert [row["id"] for row in index_of(memory)] == ["MEM-1", "MEM-2"]
    assert [each for each in memory.problems() if each.code == "W001"] == []


# delete and prune


def test_delete_takes_the_row_along_and_names_who_links(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "see [[MEM-1]]\n",
            ".workflow/memory/memory-index.json": INDEX,
        }
    )
    gone = memory.delete("MEM-1", now=NOW)
    assert [link.address for link in gone.linked_from] == ["memory://workflow/TIP-2"]
    assert [row["id"] for row in index_of(memory)] == ["TIP-2"]
    assert not (memory.project / ".workflow/memory/MEM-1.md").exists()
    assert (gone.address, gone.changed, gone.new_checksum) == ("memory://workflow/MEM-1", True, None)
    assert [each.addresses for each in memory.undo_list()] == [("memory://workflow/MEM-1",)]


@pytest.mark.parametrize("name", ["MEMORY", "MEMORY.md", "memory://system/MEMORY"])
def test_memory_md_is_never_deleted(make: Make, name: str) -> None:
    memory = make(**{"system/MEMORY.md": "m\n"})
    with pytest.raises(MemoryProtected):
        memory.delete(name)
    assert (memory.project / "system/MEMORY.md").exists()


def test_a_note_without_a_row_leaves_the_index_alone(make: Make) -> None:
    memory = make(**{".workflow/memory/MEM-9.md": "m\n", ".workflow/memory/memory-index.json": INDEX})
    memory.delete("MEM-9", now=NOW)
    assert [each.paths for each in memory.undo_list()] == [(".workflow/memory/MEM-9.md",)]


def test_a_bad_row_can_be_removed_alone(make: Make) -> None:
    index = '{"entries": [{"id": "A", "file": "../../secret.md"}, {"id": "B", "file": "MEM-1.md"}, {"id": "C", "file": "gone.md"}]}'
    memory = make(**{".workflow/memory/MEM-1.md": "m\n", ".workflow/memory/memory-index.json": index})
    look = memory.delete("A", dry_run=True, now=NOW)
    assert (look.tx, look.dry_run, look.changed) == (None, True, True)
    assert '-{"entries": [{"id": "A"' in look.diff
    assert not list(memory.project.rglob(".memsite"))
    for name in ("A", "C"):
        gone = memory.delete(name, now=NOW)
        assert (gone.dry_run, gone.changed, gone.path) == (False, True, ".workflow/memory/memory-index.json")
        assert "no file was touched" in " ".join(gone.remarks)
    assert [row["id"] for row in index_of(memory)] == ["B"]
    assert (memory.project / ".workflow/memory/MEM-1.md").exists()
    memory.undo(now=NOW)
    memory.undo(now=NOW)
    assert (memory.project / ".workflow/memory/memory-index.json").read_text() == index


TIMES_OF_ROWS = {
    "MEM-r1": "2026-02-28T23:59:59Z",
    "MEM-r2": "2026-03-01T00:00:00Z",
    "MEM-r3": "2026-03-01T23:59:59Z",
    "MEM-r4": "2026-03-02T00:00:00Z",
    "MEM-r5": "2026-03-01T00:30:00+02:00",
    "MEM-r6": "",
    "MEM-r7": "not-a-date",
    "MEM-r8": "2031-01-01T00:00:00Z",
}


def dated(make: Make) -> Memory:
    rows = [{"id": each, "file": f"{each}.md", "timestamp": when} for each, when in TIMES_OF_ROWS.items()]
    notes = {f".workflow/memory/{each}.md": "m\n" for each in TIMES_OF_ROWS}
    return make(**notes, **{".workflow/memory/memory-index.json": json.dumps({"entries": rows})})


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/New_York"])
@pytest.mark.parametrize(
    ("filters", "hit"),
    [
        ({"before": "2026-03-01"}, ["r1", "r5"]),
        ({"after": "2026-03-01"}, ["r4", "r8"]),
        ({"before": "2026-03-01", "after": "2026-02-01"}, ["r1", "r5"]),
    ],
)
def test_prune_at_the_boundary(
    make: Make, monkeypatch: pytest.MonkeyPatch, zone: str, filters: dict[str, str], hit: list[str]
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    memory = dated(make)
    look = memory.prune(dry_run=True, **filters)
    assert sorted(row.path for row in look.candidates) == [f"MEM-{each}.md" for each in hit]
    assert sorted(row.path for row in look.undated) == ["MEM-r6.md", "MEM-r7.md"]
    assert len(index_of(memory)) == 8
    done = memory.prune(now=NOW, **filters)
    assert done.candidates == look.candidates
    assert {row["id"] for row in index_of(memory)} == set(TIMES_OF_ROWS) - {f"MEM-{each}" for each in hit}
    monkeypatch.undo()
    time.tzset()


def test_prune_wants_a_filter_that_makes_sense(make: Make) -> None:
    memory = dated(make)
    with pytest.raises(PruneNeedsFilter):
        memory.prune()
    with pytest.raises(PruneNeedsFilter):
        memory.prune(store="workflow")
    for wrong in ("2026-13-01", "30d", "", "2026-02-30", "20260301"):
        with pytest.raises(BadArgument):
            memory.prune(before=wrong)
    with pytest.raises(BadArgument):
        memory.prune(store="vault", tags=["x"])


# undo


def test_undo_brings_back_bytes_mode_and_time(make: Make) -> None:
    memory = make(
        **{
            "vault/a.md": b"\xef\xbb\xbf---\r\nt: 1\r\n---\r\na [[x]]",
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "t\n",
            ".workflow/memory/memory-index.json": INDEX,
            "system/MEMORY.md": "m\n",
        }
    )
    (memory.project / "vault/a.md").chmod(0o640)
    os.utime(memory.project / "vault/a.md", ns=(10**18, 10**18))
    before = tree(memory.project)
    for operation in (
        lambda: memory.edit("a", "append", "b [[x]]", now=NOW),
        lambda: memory.delete("MEM-1", now=NOW),
        lambda: memory.prune(types=["compact"], now=NOW),
        lambda: memory.new("tip", "T", now=NOW),
        lambda: memory.new("topic", "T", now=NOW),
        lambda: memory.delete("memory://vault/a", now=NOW),
    ):
        operation()
        assert tree(memory.project) != before
        done = memory.undo(now=NOW)
        assert tree(memory.project) == before, done
        assert all(each.undone for each in memory.undo_list() if each.operation != "undo")
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.undo(now=NOW)


def test_undo_of_an_undo_does_it_again(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    after = memory.read("a").text
    undone = memory.undo(now=NOW)
    assert undone.tx is not None
    memory.undo(undone.tx, now=NOW)
    assert memory.read("a").text == after
    assert memory.undo(now=NOW).undoes.operation == "append"


def test_undo_is_guarded_by_the_checksum(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    (memory.project / "vault/a.md").write_text("somebody else\n")
    with pytest.raises(StaleChecksum, match="changed after"):
        memory.undo(now=NOW)
    assert memory.read("a").text == "somebody else\n"


def test_a_look_at_an_undo_takes_nothing_back_and_waits_for_nobody(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    made = memory.new("topic", "T", "[[x]]", store="vault", now=NOW)
    before = tree(memory.project)
    memory.lock_seconds = 0
    with open_for_writing(memory.project / "vault"):
        look = memory.undo(dry_run=True, now=NOW)
    assert (look.tx, look.dry_run, look.undoes.tx) == (None, True, made.tx)
    assert look.paths == look.removed == ("vault/t.md",)
    assert tree(memory.project) == before
    assert [each.undone for each in memory.undo_list()] == [False]


def test_what_is_as_before_already_is_left_alone_and_told(make: Make) -> None:
    memory = make(**{"system/MEMORY.md": "# M\n"})
    memory.new("topic", "T", "[[x]]", now=NOW)
    (memory.project / "system/t.md").unlink()
    done = memory.undo(now=NOW)
    assert (done.paths, done.removed) == (("system/MEMORY.md",), ())
    assert done.remarks == ("1 file is as before already",)
    made = memory.new("topic", "T", "[[x]]", now=NOW)
    (memory.project / "system/t.md").unlink()
    (memory.project / "system/MEMORY.md").write_text("# M\n")
    done = memory.undo(made.tx, now=NOW)
    assert (done.tx, done.paths, done.problems) == (None, (), ())
    assert done.remarks == ("2 files are as before already",)


def test_undo_of_an_old_deletion_merges_into_the_index_of_today(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "t\n",
            ".workflow/memory/memory-index.json": INDEX,
        }
    )
    first = memory.delete("MEM-1", now=NOW)
    memory.new("tip", "Between", "[[x]]", now=NOW)
    memory.undo(first.tx, now=NOW)
    assert [row["id"] for row in index_of(memory)] == ["MEM-1", "TIP-2", "TIP-20260401-001"]
    assert [each for each in memory.problems() if each.code == "W001"] == []
    made = next(each for each in memory.undo_list() if each.operation == "new")
    memory.undo(made.tx, now=NOW)
    assert (memory.project / ".workflow/memory/memory-index.json").read_text() == INDEX


def test_the_undo_of_an_undo_merges_too(make: Make) -> None:
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "t\n",
            ".workflow/memory/memory-index.json": INDEX,
        }
    )
    back = memory.undo(memory.delete("MEM-1", now=NOW).tx, now=NOW)
    assert memory.undo_list()[0].addresses == ("memory://workflow/MEM-1",)
    memory.new("tip", "Between", "[[x]]", now=NOW)
    memory.undo(back.tx, now=NOW)
    assert [row["id"] for row in index_of(memory)] == ["TIP-2", "TIP-20260401-001"]
    assert not (memory.project / ".workflow/memory/MEM-1.md").exists()


def test_undo_of_a_prune_merges_every_row_once(make: Make) -> None:
    rows = [f'{{"id": "MEM-{number}", "file": "MEM-{number}.md"}}' for number in range(5)]
    index = f'{{"entries": [{", ".join(rows)}]}}'
    notes = {f".workflow/memory/MEM-{number}.md": "m\n" for number in range(5)}
    memory = make(**notes, **{".workflow/memory/memory-index.json": index})
    (pruned,) = memory.prune(types=["compact"], now=NOW).transactions
    assert index_of(memory) == []
    # Somebody makes a row of his own, and writes one of the old ones again.
    (memory.project / ".workflow/memory/memory-index.json").write_text(
        f'{{"entries": [{{"id": "X"}}, {rows[3]}]}}'
    )
    memory.undo(pruned, now=NOW)
    assert [row["id"] for row in index_of(memory)] == ["MEM-0", "MEM-1", "MEM-2", "X", "MEM-4", "MEM-3"]


@pytest.mark.parametrize("damage", [Path.unlink, partial(Path.write_text, data="other")])
def test_a_copy_that_is_not_what_was_replaced_is_never_put_back(
    make: Make, damage: Callable[[Path], object]
) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    (copy,) = memory.project.glob("vault/.memsite/trash/*/0-a.md")
    damage(copy)
    before = tree(memory.project)
    with pytest.raises(NotFound, match=r"no longer holds 'a\.md'"):
        memory.undo(now=NOW)
    assert tree(memory.project) == before


def test_undo_takes_the_last_write_of_the_store_that_is_asked_for(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n", "system/b.md": "b [[x]]\n"})
    first = memory.edit("a", "append", "c [[x]]", now=NOW)
    memory.edit("b", "append", "c [[x]]", now=NOW + timedelta(minutes=1))
    assert memory.undo(store="vault", now=NOW).undoes.tx == first.tx
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.undo(store="vault", now=NOW)
    with pytest.raises(NotFound, match="no store 'nowhere'"):
        memory.undo(store="nowhere", now=NOW)


def test_what_cannot_be_merged_is_not_taken_back(make: Make) -> None:
    memory = make(**{".workflow/memory/MEM-1.md": "m\n", ".workflow/memory/memory-index.json": INDEX})
    index = memory.project / ".workflow/memory/memory-index.json"
    gone = memory.delete("MEM-1", now=NOW)
    index.unlink()
    with pytest.raises(StaleChecksum, match=r"memory-index\.json' changed after"):
        memory.undo(gone.tx, now=NOW)
    index.write_text(INDEX)
    for kind, grow in (
        ("tip", lambda: memory.new("compact", "Other", "[[x]]", now=NOW)),
        ("topic", lambda: memory.edit("MEMORY", "append", "other [[x]]", now=NOW)),
    ):
        back = memory.undo(memory.new(kind, "T", "[[x]]", now=NOW).tx, now=NOW)
        # What a new note's row said is not kept, so that it cannot be written into another index.
        grow() if kind == "tip" else (memory.project / "system/MEMORY.md").write_text("other\n")
        before = tree(memory.project)
        with pytest.raises(StaleChecksum, match="changed after"):
            memory.undo(back.tx, now=NOW)
        assert tree(memory.project) == before


def test_undo_of_a_topic_takes_its_line_out_of_a_changed_memory_md(make: Make) -> None:
    memory = make(**{"system/MEMORY.md": "# M\n\n- [[x]]\n"})
    made = memory.new("topic", "Plan", "[[x]]", now=NOW)
    memory.edit("MEMORY", "append", "- later [[y]]", tight=True, now=NOW)
    memory.undo(made.tx, now=NOW)
    assert memory.read("MEMORY").text == "# M\n\n- [[x]]\n- later [[y]]\n"
    assert not (memory.project / "system/plan.md").exists()


def test_an_unknown_transaction(make: Make) -> None:
    with pytest.raises(NotFound, match="trash holds no"):
        make(**{"vault/a.md": "a\n"}).undo("20260401-120000-000000-abcd")


def test_the_trash_keeps_30_days_and_500_transactions(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "KEPT_TRANSACTIONS", 4)
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    for number in range(6):
        memory.edit("a", "append", f"{number} [[x]]", now=NOW + timedelta(minutes=number))
    assert [each.time for each in memory.undo_list()] == [NOW + timedelta(minutes=at) for at in (5, 4, 3, 2)]
    folder = memory.project / "vault/.memsite/trash"
    assert len(list(folder.iterdir())) == 4
    memory.edit("a", "append", "late [[x]]", now=NOW + timedelta(days=30, minutes=4))
    assert [each.time for each in memory.undo_list()][1:] == [NOW + timedelta(minutes=at) for at in (5, 4)]
    memory.edit("a", "append", "later [[x]]", now=NOW + timedelta(days=61))
    assert len(memory.undo_list()) == len(list(folder.iterdir())) == 1
    memory.edit("a", "append", "with a clock that goes wrong [[x]]", now=NOW)
    assert [each.time - NOW for each in memory.undo_list()] == [
        timedelta(days=61, microseconds=1),
        timedelta(days=61),
    ]


def test_a_record_that_is_no_record_is_left_out(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    record = next((memory.project / "vault/.memsite/trash").iterdir()) / "record.json"
    for content in (b"", b"[]", b"{}", b'{"tx": 1}', b"\xff"):
        record.write_bytes(content)
        assert memory.undo_list() == ()


# Recovery


def _journal_of_a_deletion(make: Make) -> Memory:
    """A deletion cut off after the index was replaced."""
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-2.md": "t [[x]]\n",
            ".workflow/memory/memory-index.json": INDEX,
        }
    )
    memory.delete("MEM-1", now=NOW)
    own = memory.project / ".workflow/memory/.memsite"
    (folder,) = (own / "trash").iterdir()
    shutil.copy(folder / "record.json", own / "journal.json")
    (folder / "1-MEM-1.md").rename(memory.project / ".workflow/memory/MEM-1.md")
    return memory


@pytest.mark.parametrize("next_write", ["append", "delete", "new"])
def test_the_next_writer_finishes_a_deletion(make: Make, next_write: str) -> None:
    memory = _journal_of_a_deletion(make)
    told = [each for each in memory.problems() if "journal.json" in each.path]
    assert [(each.code, each.message) for each in told] == [
        ("W001", "a delete of MEM-1.md was begun but not finished")
    ]
    writes = {
        "append": lambda: memory.edit("TIP-2", "append", "[[y]]", now=NOW),
        "delete": lambda: memory.delete("TIP-2", now=NOW),
        "new": lambda: memory.new("tip", "T", "[[y]]", now=NOW),
    }
    done = writes[next_write]()
    assert [each for each in done.remarks if each.startswith("finished an interrupted delete (")]
    assert not (memory.project / ".workflow/memory/MEM-1.md").exists()
    assert [each.operation for each in memory.undo_list()] == [next_write, "delete"]


def test_the_next_writer_takes_back_what_was_not_begun(make: Make) -> None:
    memory = _journal_of_a_deletion(make)
    folder = memory.project / ".workflow/memory"
    (copy,) = folder.glob(".memsite/trash/*/0-memory-index.json")
    shutil.copy(copy, folder / "memory-index.json")
    before = tree(memory.project)
    memory.reload()
    (told,) = [each for each in memory.problems() if "journal.json" in each.path]
    assert "a delete of MEM-1.md was prepared " in told.message
    assert (told.line, told.column) == (1, 1)
    (look,) = memory.repair(dry_run=True, now=NOW).mends
    assert (look.path, look.tx) == (".workflow/memory/.memsite/journal.json", None)
    assert told.message in look.action
    (mend,) = memory.repair(now=NOW).mends
    assert mend.action.startswith("took back a delete that was prepared ")
    assert tree(memory.project) == before
    assert memory.undo_list() == ()
    assert not list(folder.glob(".memsite/journal*"))


def test_names_that_change_are_flushed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder in which a name appears or goes is on the disk before the write is done."""
    memory = _journal_of_a_deletion(make)
    memory.repair(now=NOW)
    flushed: list[str] = []
    for module in (files, journal):
        monkeypatch.setattr(module, "sync_folder", lambda path: flushed.append(path.name))
    done = memory.delete("TIP-2", now=NOW)
    # The transaction's folder and that of all; the journal; the index; then what was removed; no journal.
    assert flushed == [done.tx, "trash", ".memsite", "memory", "memory", done.tx, ".memsite"]


def test_a_stranger_in_between_stops_the_recovery(make: Make) -> None:
    memory = _journal_of_a_deletion(make)
    index = memory.project / ".workflow/memory/memory-index.json"
    index.write_text('{"entries": []}\n')
    memory.reload()
    assert any("another program has changed" in each.message for each in memory.problems())
    with pytest.raises(Locked, match="interrupted"):
        memory.edit("TIP-2", "append", "[[y]]", now=NOW)
    mends = memory.repair(now=NOW).mends
    assert "left an interrupted delete as it is" in mends[0].action
    assert {row["id"] for row in index_of(memory)} == {"MEM-1", "TIP-2"}
    assert memory.edit("TIP-2", "append", "[[y]]", now=NOW).changed


def test_an_unreadable_journal_is_set_aside(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    memory.edit("a", "append", "b [[x]]", now=NOW)
    (memory.project / "vault/.memsite/journal.json").write_text("{")
    memory.reload()
    assert any("cannot be read" in each.message for each in memory.problems())
    assert memory.edit("a", "append", "c [[x]]", now=NOW).changed
    assert [each for each in memory.problems() if ".memsite" in each.path] == []


def test_a_writer_at_work_is_no_leftover(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n"})
    with open_for_writing(memory.project / "vault") as writable:
        write_new(writable.own / "tmp-20260401-120000-000000-abcd-0", b"x", attributes=Attributes(0o600))
        assert [each for each in memory.problems() if ".memsite" in each.path] == []
    memory.reload()
    assert any(".memsite/tmp-" in each.path for each in memory.problems())
    memory.repair(now=NOW)
    assert not list(memory.project.rglob("tmp-*"))


# repair


def test_repair_mends_rows_and_keeps_the_shape(make: Make) -> None:
    index = '[\n\t{"id": "MEM-1", "file": "MEM-1.md", "x": 1},\n\t{"id": "MEM-2", "file": "MEM-2.md"}\n]'
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/TIP-3.md": "---\ntitle: Three\ntags: [a]\n---\nt\n",
            ".workflow/memory/README.md": "r\n",
            ".workflow/memory/memory-index.json": index,
        }
    )
    before = tree(memory.project)
    planned = [mend.action for mend in memory.repair(dry_run=True).mends]
    assert tree(memory.project) == before
    done = memory.repair(now=NOW)
    assert [mend.action for mend in done.mends] == planned
    assert planned == ["remove the row 'MEM-2': 'MEM-2.md' is not there", "add a row for 'TIP-3.md'"]
    text = (memory.project / ".workflow/memory/memory-index.json").read_text()
    row = '{"id": "TIP-3", "type": "tip", "title": "Three", "tags": ["a"], "file": "TIP-3.md"}'
    assert text == f'[\n\t{{"id": "MEM-1", "file": "MEM-1.md", "x": 1}},\n\t{row}\n]'
    assert memory.repair(now=NOW).mends == ()
    memory.undo(now=NOW)
    assert (memory.project / ".workflow/memory/memory-index.json").read_text() == index


def test_repair_makes_an_index_only_where_one_belongs(make: Make) -> None:
    memory = make(**{"vault/MEM-1.md": "m\n", "system/TIP-1.md": "t\n"})
    before = tree(memory.project)
    assert memory.repair(rebuild_index=True, now=NOW).mends == ()
    assert tree(memory.project) == before
    memory = make(**{".workflow/memory/MEM-1.md": "m\n"})
    assert memory.repair(now=NOW).mends == ()
    (mend,) = memory.repair(rebuild_index=True, now=NOW).mends
    assert mend.action == "make a new index of 1 file"
    assert [row["file"] for row in index_of(memory)] == ["MEM-1.md"]


def test_a_row_that_repair_adds_has_the_keys_of_the_last_one(make: Make) -> None:
    old, last = (
        {"id": "A", "file": "A.md"},
        {"id": "B", "path": "old/MEM-1.md", "summary": "s", "timestamp": "x"},
    )
    memory = make(
        **{
            ".workflow/memory/MEM-1.md": "m\n",
            ".workflow/memory/A.md": "a\n",
            ".workflow/memory/TIP-7.md": "---\ndate: 2026-03-01\n---\n# Seven\n",
            ".workflow/memory/memory-index.json": json.dumps({"entries": [old, last]}),
        }
    )
    memory.repair(now=NOW)
    assert index_of(memory)[-1] == {
        "id": "TIP-7",
        "type": "tip",
        "timestamp": "2026-03-01",
        "summary": "Seven",
        "tags": [],
        "path": "old/TIP-7.md",
    }


# What a deletion says


def test_incoming_links_are_those_of_the_whole_graph(make: Make) -> None:
    memory = make(
        **{
            "vault/a/Deep Learning.md": "---\naliases: [DL, Neural Nets]\n---\n# Deep learning\n\n## Part\n",
            "vault/b.md": "[[deep-learning]] [[DL]] [t](a/Deep%20Learning.md#Part) [[deep\\_learning]]\n",
            "vault/c.md": "---\nrelated: ['[[neural nets]]']\n---\nnothing about deeplearning\n",
            "vault/d.md": "---\ntitle: deep learning two\n---\n[[Deep learning two]] `[[DL]]`\n",
            "vault/a/e.md": "text\n" * 50 + "\n[x](<Deep Learning.md>)\n",
        }
    )
    quick = memory.incoming("memory://vault/a/Deep Learning")
    assert quick == memory.graph().backlinks["memory://vault/a/Deep Learning"]
    assert len(quick) >= 5


INCOMING = {
    "vault/deep/er/Stem name.md": "---\naliases: [Other-Name, -lead]\n---\n# The *title*\n",
    "vault/up/guide/index.md": "# Start\n",
    ".workflow/memory/TIP-5.md": "# Five\n",
    ".workflow/memory/memory-index.json": '{"entries": [{"id": "ROW-5", "file": "TIP-5.md"}]}',
}


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("memory://vault/deep/er/Stem name", b"[[stem_name]]"),
        ("memory://vault/deep/er/Stem name", b"[[er/stem name]]"),
        ("memory://vault/deep/er/Stem name", b"[[other name]]"),
        ("memory://vault/deep/er/Stem name", b"[[The title|shown]]"),
        ("memory://vault/deep/er/Stem name", b"[t](../deep/er/Stem%20name.md)"),
        ("memory://vault/deep/er/Stem name", b"[[lead]]"),
        ("memory://vault/deep/er/Stem name", b"Caf\xe9 [[stem name]]"),
        ("memory://vault/up/guide/index", b"[t](guide/)"),
        ("memory://workflow/TIP-5", b"[[ROW-5]]"),
        ("memory://workflow/TIP-5", b"[[tip_5]]"),
    ],
)
def test_a_link_is_found_by_whatever_name_it_uses(make: Make, address: str, link: bytes) -> None:
    # Far down, for the first lines of every note are read.
    memory = make(**INCOMING, **{"vault/up/from.md": b"text\n" * 99 + b"\n" + link})
    quick = memory.incoming(address)
    assert [each.address for each in quick] == ["memory://vault/up/from"]
    assert quick == memory.graph().backlinks[address]


def test_only_notes_that_hold_a_name_are_parsed_for_the_links(tmp_path: Path, make: Make) -> None:
    make(**{"vault/a.md": "# A name\n", "vault/b.md": "[[a name]]\n", "vault/c.md": "[[an ame]] banana\n"})
    parsed: dict[str, Document] = {}
    memory = open_memory(tmp_path, vaults=[("vault", tmp_path / "vault")], documents=parsed)
    assert len(memory.incoming("memory://vault/a")) == 1
    assert len(parsed) == 2


# What readers and repairers may not trip over


@pytest.fixture
def frozen() -> Iterator[Callable[[Path], None]]:
    """Takes the right to write from folders until the test is over."""
    folders: list[Path] = []

    def freeze(folder: Path) -> None:
        folders.append(folder)
        folder.chmod(0o555)

    yield freeze
    for folder in folders:
        folder.chmod(0o755)


def test_a_repair_without_work_needs_no_right_to_write(make: Make, frozen: Callable[[Path], None]) -> None:
    rows = {".workflow/memory/memory-index.json": INDEX}
    memory = make(**{".workflow/memory/MEM-1.md": "m\n", ".workflow/memory/TIP-2.md": "t\n"}, **rows)
    frozen(memory.project / ".workflow/memory")
    assert memory.repair(now=NOW).mends == ()


def test_a_repair_with_work_says_that_it_may_not_write(make: Make, frozen: Callable[[Path], None]) -> None:
    memory = make(**{".workflow/memory/MEM-1.md": "m\n", ".workflow/memory/memory-index.json": INDEX})
    frozen(memory.project / ".workflow/memory")
    with pytest.raises(ReadOnly, match="read-only"):
        memory.repair(now=NOW)


def test_an_own_folder_that_is_none_harms_no_reader(make: Make) -> None:
    memory = make(**{"vault/a.md": "a [[x]]\n", "vault/.memsite": "a file\n"})
    assert memory.problems() is not None
    assert memory.undo_list() == ()
    with pytest.raises(OutsideStore):
        memory.edit("a", "append", "b [[x]]")


def test_a_pipe_in_the_place_of_a_note_stops_the_recovery(make: Make) -> None:
    memory = _journal_of_a_deletion(make)
    path = memory.project / ".workflow/memory/MEM-1.md"
    path.unlink()
    os.mkfifo(path)
    memory.reload()
    assert any("another program has changed" in each.message for each in memory.problems())
    with pytest.raises(Locked):
        memory.edit("TIP-2", "append", "[[y]]")
