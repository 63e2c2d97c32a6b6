"""The graph in builds: `memsite graph --html`, and a picture that stays familiar from build to build."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memsite.build import build_site
from memsite.build.graph_file import graph_file
from memsite.cli import main
from memsite.errors import Leak
from memsite.memory import Memory, open_memory

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


def test_the_picture_stays_familiar_until_a_clean_build(project: WriteTree, tmp_path: Path) -> None:
    files = {f"notes/{n}.md": f"# N{n}\n[[{n // 2}]] [[{n // 3}]]\n" for n in range(30)}
    root, site = project(files), tmp_path / "site"

    def picture(**how: bool) -> bytes:
        build_site(open_memory(root), site, **how)
        return (site / "graph/notes.points.js").read_bytes()

    first = picture()
    (root / "notes/new.md").write_text("# New\n[[1]]\n", encoding="utf-8")
    grown = picture()
    assert picture(cached=False) == grown
    afresh = picture(clean=True)
    assert afresh != grown
    (root / "notes/new.md").unlink()
    assert picture(clean=True) == first
