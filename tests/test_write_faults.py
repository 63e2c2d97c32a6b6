"""A write that is cut off at any system call leaves the old or the new state, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from faults import BROKEN, FULL, KILLED, fail_with, in_child, intercepted

from memsite.errors import BadArgument, MemsiteError, NotFound
from memsite.memory import Memory, open_memory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
IDS = ("MEM-20260301-001", "MEM-20260302-001", "TIP-20260303-001")
WORKFLOW, SYSTEM = ".workflow/memory", ".claude/memory"
INDEX = f"{WORKFLOW}/memory-index.json"

Operation = Callable[[Memory], object]

OPERATIONS: dict[str, Operation] = {
    "edit": lambda memory: memory.edit(IDS[0], "append", "more [[x]]", now=NOW),
    "new tip": lambda memory: memory.new("tip", "Fresh", "text [[x]]", now=NOW),
    "new topic": lambda memory: memory.new("topic", "Fresh", "text [[x]]", now=NOW),
    "delete": lambda memory: memory.delete(IDS[1], now=NOW),
    "delete topic": lambda memory: memory.delete("memory://system/topic", now=NOW),
    "prune": lambda memory: memory.prune(before="2026-03-03", now=NOW),
    "undo": lambda memory: memory.undo(now=NOW),
}


@pytest.fixture(scope="module")
def ram(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where the system has one: flushing a thousand times takes its time on a disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path_factory.mktemp("ram")
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.fixture
def place(ram: Path) -> Path:
    return ram / "project"


@pytest.fixture(scope="module")
def before(ram: Path) -> Path:
    return laid_out(ram / "before")


def laid_out(root: Path) -> Path:
    """A small project with an earlier deletion in its trash."""
    (root / WORKFLOW).mkdir(parents=True)
    (root / SYSTEM).mkdir(parents=True)
    rows = [{"id": each, "type": "tip", "title": each, "file": f"{each}.md"} for each in (*IDS, "TIP-1")]
    (root / INDEX).write_text(json.dumps({"entries": rows}, indent=2) + "\n", encoding="utf-8")
    for each in (*IDS, "TIP-1"):
        (root / WORKFLOW / f"{each}.md").write_text(f"# {each}\n\ntext [[x]]\n", encoding="utf-8")
    (root / SYSTEM / "MEMORY.md").write_text("# Memory\n\n- [Topic](topic.md)\n", encoding="utf-8")
    (root / SYSTEM / "topic.md").write_text("topic [[x]]\n", encoding="utf-8")
    opened(root).delete("TIP-1", now=NOW)
    return root


def opened(root: Path) -> Memory:
    return open_memory(root, system_dir=root / SYSTEM)


def copied(before: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(before, place)
    return place


def state(root: Path) -> dict[str, bytes]:
    """Every file of the stores, what memsite keeps for itself apart."""
    files = (path for path in root.rglob("*") if path.is_file() and ".memsite" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def kept(root: Path) -> set[bytes]:
    """The contents of all copies in the trash."""
    copies = (path for path in root.rglob(".memsite/trash/*/*") if path.name != "record.json")
    return {path.read_bytes() for path in copies}


def left_over(root: Path) -> list[str]:
    own = [*root.rglob(".memsite/tmp-*"), *root.rglob(".memsite/journal.json")]
    return sorted(path.relative_to(root).as_posix() for path in own)


def assert_whole(root: Path, old: dict[str, bytes], new: dict[str, bytes]) -> None:
    """R1, R2, R4: old or new, nothing lost, no row names a missing file."""
    now = state(root)
    for path in {*old, *new, *now}:
        assert now.get(path) in (old.get(path), new.get(path)), f"{path} is neither old nor new"
    for path, content in old.items():
        assert content in {now.get(path), *kept(root)}, f"the old {path} is lost"
    for row in json.loads(now[INDEX])["entries"]:
        assert f"{WORKFLOW}/{row['file']}" in now, f"the index names {row['file']}, which is not there"


def assert_mended(root: Path, operation: Operation) -> None:
    """R5: check names what is left, repair mends it, twice is as once, and the operation works again."""
    memory = opened(root)
    told = {each.path for each in memory.problems() if each.code == "W001"}
    assert bool(left_over(root)) <= any(name in told for name in left_over(root)), left_over(root)
    memory.repair(now=NOW)
    assert not left_over(root)
    assert [each for each in memory.problems() if each.code == "W001"] == []
    before = state(root)
    assert memory.repair(now=NOW).mends == ()
    assert state(root) == before
    assert {path.stat().st_nlink for path in root.rglob("*.md")} == {1}
    for folder in root.rglob(".memsite/trash/*"):
        assert (folder / "record.json").is_file(), folder
    try:
        operation(opened(root))
    except (NotFound, BadArgument):
        assert state(root) == before


def calls_of(before: Path, place: Path, operation: Operation) -> tuple[list[str], dict[str, bytes]]:
    root = copied(before, place)
    memory = opened(root)
    with intercepted(0, fail_with(BROKEN)) as made:
        operation(memory)
    return list(made), state(root)


@pytest.mark.parametrize("name", OPERATIONS)
def test_killed_at_every_call(name: str, before: Path, place: Path) -> None:
    operation = OPERATIONS[name]
    calls, new = calls_of(before, place, operation)
    assert {"fsync", "write"} < set(calls)
    for at in range(1, len(calls) + 1):
        root = copied(before, place)
        assert in_child(lambda root=root: operation(opened(root)), at), f"call {at} of {len(calls)}"
        assert_whole(root, state(before), new)
        assert_mended(root, operation)


def test_killed_while_repairing(before: Path, place: Path) -> None:
    """What a kill left is mended by a repair that is itself killed anywhere, and begun again."""
    operation = OPERATIONS["delete"]
    calls, new = calls_of(before, place, operation)
    commit = max(at for at, call in enumerate(calls, 1) if call == "rename")
    cut = copied(before, place.with_name("cut"))
    assert in_child(lambda: operation(opened(cut)), commit)
    at, died = 0, True
    while died:
        at += 1
        root = copied(cut, place)
        died = in_child(lambda root=root: opened(root).repair(now=NOW), at)
        assert_whole(root, state(before), new)
        assert_mended(root, operation)
    assert at > 3


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_fails_once(name: str, before: Path, place: Path) -> None:
    """R8: one clear error or success, files old or new, nothing left over."""
    operation = OPERATIONS[name]
    calls, new = calls_of(before, place, operation)
    for at in range(1, len(calls) + 1):
        root = copied(before, place)
        memory = opened(root)
        failed = ""
        with intercepted(at, fail_with(FULL if at % 2 else BROKEN)):
            try:
                operation(memory)
            except MemsiteError as error:
                failed = error.message
        assert_whole(root, state(before), new)
        if not left_over(root):
            continue
        assert failed
        assert_mended(root, operation)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_fails_from_some_point_on(name: str, before: Path, place: Path) -> None:
    """The disk stays full: what cannot be tidied now is tidied by the next writer."""
    operation = OPERATIONS[name]
    calls, new = calls_of(before, place, operation)
    growing = frozenset({"open", "write", "fsync", "link", "mkdir"})
    for at in range(1, len([call for call in calls if call in growing]) + 1, 2):
        root = copied(before, place)
        memory = opened(root)
        with full_from(at, growing), suppress(MemsiteError):
            operation(memory)
        assert_whole(root, state(before), new)
        assert_mended(root, operation)


@contextmanager
def full_from(at: int, growing: frozenset[str]) -> Iterator[None]:
    """From call `at` on no file is written to, and no folder made."""
    full: list[bool] = []

    def fail(name: str, _call: object, _args: object) -> None:
        full.append(True)
        raise OSError(FULL, os.strerror(FULL), name)

    def unless_full(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: object) -> object:
            if full:
                raise OSError(FULL, os.strerror(FULL))
            return call(*args, **options)

        return wrapped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", unless_full(os.write))
        patch.setattr(os, "mkdir", unless_full(os.mkdir))
        with intercepted(at, fail, growing):
            yield


def test_a_kill_is_told_from_a_failure(before: Path, place: Path) -> None:
    """The net under the others: a child that is not killed is not counted as killed."""
    root = copied(before, place)
    assert not in_child(lambda: None, 1)
    assert in_child(lambda: OPERATIONS["edit"](opened(root)), 1)
    assert KILLED != 0
