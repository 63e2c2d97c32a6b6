"""Random operations on a memory agree with a model of dicts, whatever their order."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from memsite.errors import MatchCount, NotFound, StaleChecksum
from memsite.memory import open_memory
from memsite.memory.answers import Written
from memsite.stores.disk import checksum_of

START = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
FOLDER, INDEX = ".workflow/memory", "memory-index.json"
TEXT = st.text("abc \n[]$\\", min_size=1, max_size=8).filter(str.strip)


class Writing(RuleBasedStateMachine):
    """The model: what each file holds, which ids the index lists, and what each write can bring back."""

    notes = Bundle("notes")

    def __init__(self) -> None:
        super().__init__()
        ram = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.root = Path(tempfile.mkdtemp(dir=ram))
        (self.root / FOLDER).mkdir(parents=True)
        self.texts: dict[str, str] = {}
        self.rows: list[str] = []
        self.history: list[tuple[str, dict[str, str], list[str]]] = []
        self.minutes = 0

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @initialize()
    def start(self) -> None:
        (self.root / FOLDER / INDEX).write_text('{"entries": [], "x": 1}\n', encoding="utf-8")
        self.memory = open_memory(self.root, system_dir=None, vaults=[])

    def now(self) -> datetime:
        self.minutes += 1
        return START + timedelta(minutes=self.minutes)

    def did(self, write: Callable[[], Written]) -> Written:
        """Carry out `write` and keep what was there before, to compare with what undo brings back."""
        before = (dict(self.texts), list(self.rows))
        answer = write()
        if answer.tx is not None:
            self.history.append((answer.tx, *before))
        return answer

    def path(self, note: str) -> Path:
        return self.root / FOLDER / f"{note}.md"

    @rule(target=notes, text=TEXT)
    def new(self, text: str) -> str:
        made = self.did(lambda: self.memory.new("tip", f"title {text}", text, now=self.now()))
        note = made.address.rpartition("/")[2]
        assert note not in self.texts
        self.texts[note] = self.path(note).read_text(encoding="utf-8")
        assert text.strip("\n") in self.texts[note]
        self.rows.append(note)
        return note

    @rule(note=notes, text=TEXT)
    def append(self, note: str, text: str) -> None:
        if note not in self.texts:
            return
        self.did(lambda: self.memory.edit(note, "append", f"x{text}", allow_unlinked=True, now=self.now()))
        self.texts[note] = self.texts[note].rstrip(" \n") + f"\n\nx{text.rstrip()}\n"
        written = self.path(note).read_text(encoding="utf-8")
        # Blanks at the end of the last line of the new text stay; the model leaves them out.
        assert "\n".join(line.rstrip() for line in written.split("\n")) == "\n".join(
            line.rstrip() for line in self.texts[note].split("\n")
        )
        self.texts[note] = written

    @rule(note=notes, find=st.sampled_from(["a", "[[", "$", "x\n", "zzz"]), text=TEXT)
    def find_replace(self, note: str, find: str, text: str) -> None:
        if note not in self.texts:
            return
        front, fence, body = self.texts[note].rpartition("\n---\n")
        try:
            self.did(
                lambda: self.memory.edit(
                    note, "find_replace", text, find_text=find, allow_unlinked=True, now=self.now()
                )
            )
        except MatchCount:
            assert find not in body
            return
        self.texts[note] = front + fence + body.replace(find, text)

    @rule(note=notes, text=TEXT)
    def stale(self, note: str, text: str) -> None:
        if note not in self.texts:
            return
        with pytest.raises(StaleChecksum) as refused:
            self.memory.edit(note, "append", text, expected="0" * 64, allow_unlinked=True, now=self.now())
        assert refused.value.details["actual"] == checksum_of(self.texts[note].encode())

    @rule(note=consumes(notes))
    def delete(self, note: str) -> None:
        if note not in self.texts:
            return
        self.did(lambda: self.memory.delete(note, now=self.now()))
        del self.texts[note]
        self.rows.remove(note)

    @rule()
    def prune(self) -> None:
        done = self.memory.prune(types=["tip"], after="2026-03-31", now=self.now())
        assert {row.id for row in done.candidates} == set(self.texts)
        self.history += [(tx, dict(self.texts), list(self.rows)) for tx in done.transactions]
        self.texts, self.rows = {}, []

    @rule()
    def undo(self) -> None:
        if not self.history:
            with pytest.raises(NotFound):
                self.memory.undo(now=self.now())
            return
        tx, self.texts, self.rows = self.history.pop()
        assert self.memory.undo(now=self.now()).undoes.tx == tx

    @rule()
    def repair(self) -> None:
        assert self.memory.repair(now=self.now()).mends == ()

    @invariant()
    def files_and_index_agree_with_the_model(self) -> None:
        there = {path.stem: path.read_text(encoding="utf-8") for path in (self.root / FOLDER).glob("*.md")}
        assert there == self.texts
        index = json.loads((self.root / FOLDER / INDEX).read_bytes())
        assert [row["id"] for row in index["entries"]] == self.rows
        assert index["x"] == 1
        assert not list(self.root.rglob("tmp-*"))
        assert not list(self.root.rglob("journal*"))


TestWriting = Writing.TestCase
TestWriting.settings = settings(max_examples=25, stateful_step_count=20)
