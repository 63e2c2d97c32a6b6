"""A check of what was checked before answers from what it found then; of anything else it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memsite import open_memory
from memsite.build.checked import checked
from memsite.build.secrets import KEY_VARIABLE
from memsite.leaks import fingerprint
from memsite.report import Health

TOKEN = "ghp_" + "q7Zk2Xw9Lm4Tb8Rv1N" + "c6Hd3Jf5Gs0Py7Ae2U"
TOML = '[stores.notes]\nkind = "vault"\npath = "notes"\n[leaks]\nallow = "allowed.txt"\n'
FILES = {
    "notes/a.md": f"# A\n\n[[gone.md]] {TOKEN} `src/there.py` and `src/later.py`\n",
    "notes/b.md": "# B\n\n[[a]]\n",
    ".workflow/memory/memory-index.json": '{"entries": [{"id": "TIP-1", "file": "TIP-1.md"}]}',
    ".workflow/memory/TIP-1.md": "One. [[a]]\n",
    "sys/MEMORY.md": "# Memory\n\n[[a]]\n",
    "src/there.py": "",
    "memsite.toml": TOML + '[stores.system]\nkind = "system"\npath = "sys"\n',
    "allowed.txt": "",
}


@pytest.fixture
def board(project: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(KEY_VARIABLE, "the key")
    root: Path = project(FILES)
    (root / ".memsite" / "cache").mkdir(parents=True)
    return root


def health(root: Path) -> Health:
    return checked(open_memory(root))


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which notes are looked at from now on."""
    import memsite.memory

    looked: list[str] = []
    real = memsite.memory.Memory.note

    def note(self: Any, source: Any) -> Any:
        looked.append(source.path)
        return real(self, source)

    monkeypatch.setattr(memsite.memory.Memory, "note", note)
    return looked


def test_the_second_answer_is_the_first_one(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checked(open_memory(board))
    assert {"W005", "W013", "W017"} <= {problem.code for problem in first.problems}
    assert first.budgets
    looked = asked(monkeypatch)
    assert checked(open_memory(board)) == first
    assert looked == []


CHANGES: dict[str, Callable[[Path], object]] = {
    "a note": lambda root: (root / "notes/b.md").write_text("# B\n\n[[other.md]]\n"),
    "a note that comes": lambda root: (root / "notes/gone.md").write_text("# Gone\n\n[[a]]\n"),
    "a note that goes": lambda root: (root / "notes/b.md").unlink(),
    "the index": lambda root: (root / ".workflow/memory/memory-index.json").write_text('{"entries": []}'),
    "MEMORY.md": lambda root: (root / "sys/MEMORY.md").write_text("# M\n\n[[a]]\n" + "x\n" * 300),
    "a setting": lambda root: (root / "memsite.toml").write_text(
        FILES["memsite.toml"] + "[check.severities]\nW005 = 'off'\n"
    ),
    "a value allowed": lambda root: (root / "allowed.txt").write_text(
        f"{fingerprint(TOKEN, b'the key')} ok\n"
    ),
    "a file of the project": lambda root: (root / "src/later.py").write_text(""),
    "another that goes": lambda root: (root / "src/there.py").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_seen(board: Path, change: str) -> None:
    before = health(board)
    CHANGES[change](board)
    after = health(board)
    (board / ".memsite/cache/check").unlink()
    assert after == health(board)
    assert after != before


def test_a_record_that_somebody_else_wrote_is_not_believed(board: Path) -> None:
    before = health(board)
    record = board / ".memsite/cache/check"
    record.write_bytes(record.read_bytes()[:-1] + b"x")
    assert health(board) == before


def test_a_project_without_cache_gets_none(project: Any) -> None:
    root = project(FILES)
    assert health(root).problems
    assert not (root / ".memsite").exists()
