"""The page on what changed: what it says, what it must not say, and that no other build takes it over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from git_history import git, make_history, write

from memsite import build_site, open_memory
from memsite.cli.app import run
from memsite.cli.earlier import earlier_state

TOKEN = "ghp_" + "q7Zk2Xw9Lm4Tb8Rv1N" + "c6Hd3Jf5Gs0Py7Ae2U"
PAGE = "health/changes.html"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return make_history(tmp_path / "board")


def built(root: Path, against: str | None = "HEAD~1", **how: bool) -> Path:
    memory = open_memory(root)
    earlier = earlier_state(memory, against) if against else None
    result = build_site(memory, root / "site", earlier=earlier, **how)
    assert result.faults == ()
    return root / "site"


def tree(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def shown(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


def test_every_change_is_named_and_leads_to_its_page(history: Path) -> None:
    page = (built(history) / PAGE).read_text(encoding="utf-8")
    text = shown(page)
    for words in (
        "Compared with HEAD~1",
        "Added 2",
        "Removed 1",
        "Moved 1",
        "Edited 3",
        "notes/moved.md → notes/sub/moved.md",
        "New findings 1",
        "Links broken 1",
    ):
        assert words in text, words
    for href in ("../notes/new.html", "../notes/sub/moved.html", "../notes/old.html"):
        assert f'href="{href}"' in page
    assert "../notes/gone.html" not in page
    health = (history / "site/health.html").read_text(encoding="utf-8")
    assert f'href="{PAGE}"' in health


def test_without_something_to_compare_there_is_no_such_page(history: Path) -> None:
    site = built(history, None)
    assert not (site / PAGE).exists()
    assert "What changed" not in (site / "health.html").read_text(encoding="utf-8")


def test_a_warm_build_gives_the_bytes_of_a_cold_one(history: Path) -> None:
    first = tree(built(history))
    assert tree(built(history)) == first
    assert tree(built(history, clean=True, cached=False)) == first
    plain = tree(built(history, None))
    assert PAGE not in plain
    assert tree(built(history, None, clean=True, cached=False)) == plain
    assert tree(built(history)) == first


def test_nothing_private_is_named(history: Path) -> None:
    """Neither what is private now, under its old name, nor what was private when it went."""
    write(
        history,
        {
            "notes/new.md": "---\npublish: false\n---\n# Hushed now\n\nJust made. [[hub]] [[Quiet Word]]\n",
            "notes/was.md": "---\npublish: false\n---\n# Hushed then\n\n[[hub]] [[Silent Word]]\n",
        },
    )
    git(history, "add", "-A")
    git(history, "commit", "-q", "-m", "third")
    (history / "notes/was.md").unlink()
    (history / "notes/new.md").unlink()
    write(
        history,
        {
            "notes/sub/newer.md": "---\npublish: false\n---\n# Hushed now\n\nJust made. [[hub]] [[Quiet Word]]\n"
        },
    )
    write(
        history, {"notes/old.md": "---\ndraft: true\n---\n# Old\n\nAs it is, with more words now. [[hub]]\n"}
    )
    page = (built(history, "HEAD") / PAGE).read_text(encoding="utf-8")
    for words in ("Hushed", "new.md", "newer.md", "was.md", "Quiet", "Silent", "old.md", "memory://"):
        assert words not in page, words


def test_a_secret_of_the_past_does_not_come_back(history: Path) -> None:
    write(history, {"notes/bad.md": f"# About {TOKEN}\n\n[[hub]] [[{TOKEN}]]\n"})
    git(history, "add", "-A")
    git(history, "commit", "-q", "-m", "third")
    (history / "notes/bad.md").unlink()
    page = (built(history, "HEAD") / PAGE).read_text(encoding="utf-8")
    assert "notes/bad.md" in page
    assert TOKEN not in page


def test_names_are_inert(history: Path) -> None:
    write(history, {"notes/<img src=x onerror=alert(1)>.md": "# <script>alert(1)</script>\n\n[[hub]]\n"})
    page = (built(history, "HEAD") / PAGE).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_on_the_command_line(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(history)
    assert run(["build", "--against", "HEAD~1"]) == 0
    assert (history / "site" / PAGE).is_file()
    assert run(["build", "--against", "nothing-such"]) != 0


def test_the_last_build_is_compared_with_in_a_line(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def since() -> dict[str, int]:
        return build_site(open_memory(history), history / "site").since

    assert since() == {}
    assert since() == {"added": 0, "edited": 0, "removed": 0}
    write(
        history, {"notes/new.md": "# New\n\nOnce more. [[hub]]\n", "notes/newer.md": "# Newer\n\n[[hub]]\n"}
    )
    (history / "notes/old.md").unlink()
    assert since() == {"added": 1, "edited": 1, "removed": 1}
    write(history, {"notes/newer.md": "# Newer\n\nNow with words. [[hub]]\n"})
    assert run(["build", "--project", str(history)]) == 0
    assert "Notes since the last build: 1 edited." in capsys.readouterr().err
