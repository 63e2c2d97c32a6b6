"""`memsite graph --html`: one file that stands alone, and no secret in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memsite.build.graph_file import graph_file
from memsite.cli import main
from memsite.errors import Leak
from memsite.memory import Memory

WriteTree = Callable[[Mapping[str, str | bytes]], Path]


def test_the_command_writes_the_page(project: WriteTree, tmp_path: Path) -> None:
    root = project(
        {"notes/tides.md": "# Tides\n[[moon]]\n", "notes/diary.md": "---\npublish: false\n---\nhush-hush\n"}
    )
    page = tmp_path / "graph.html"
    with pytest.raises(SystemExit) as left:
        main(["graph", "--project", str(root), "--html", str(page)])
    assert left.value.code == 0
    text = page.read_text(encoding="utf-8")
    assert "moon" in text
    assert "hush-hush" not in text
    assert "diary" not in text


def test_a_secret_stops_it(memory_of: Callable[[Mapping[str, str]], Memory]) -> None:
    token = "ghp_" + "x7Kq9ZtB2mWc4RvN8sLd1PfH6jGy3TaQ0eUi"
    memory = memory_of({"notes/tides.md": f"# Tides\n[[moon]] {token}\n"})
    with pytest.raises(Leak):
        graph_file(memory)
    page = graph_file(memory, leaks="redact")
    assert token.encode() not in page
    assert b"moon" in page
