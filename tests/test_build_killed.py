"""Builds that die halfway, and builds at the same time: the next one makes the site of a first build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memsite import build_site, open_memory
from memsite.build.output import LOCK

FILES = {
    "notes/a.md": "# A\n\n[[b]] and [[tide]]\n",
    "notes/b.md": "# B\n\n![[c]] [[tide]]\n",
    "notes/sub/c.md": "# C\n\nwords\n",
}
CHANGED = {"notes/a.md": "# A\n\n[[moon]] and [[c]]\n", "notes/sub/d.md": "# D\n\n[[a]] [[tide]]\n"}
# Dies when it is about to touch the disk for the given time: opens to write, renames, removals.
DIES = """
import os, sys
left = int(sys.argv.pop(1))
def dying(call):
    def touched(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return call(*arguments, **named)
    return touched
opens = os.open
def opened(path, flags, *more, **named):
    return (writes if flags & os.O_CREAT else opens)(path, flags, *more, **named)
writes = dying(opens)
os.open = opened
for name in ("rename", "replace", "unlink", "mkdir", "rmdir"):
    setattr(os, name, dying(getattr(os, name)))
from memsite.cli import main
main()
"""


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != LOCK
    }


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def first_build(root: Path, site: Path) -> dict[str, bytes]:
    assert not build_site(open_memory(root), site, cached=False).faults
    return tree(site)


def dies(root: Path, after: int) -> int:
    """The exit code of a build that dies at its `after`-th touch of the disk; 9 when it came to that."""
    command = [sys.executable, "-c", DIES, str(after), "build", "-q", "-o", "site"]
    return subprocess.run(command, cwd=root, capture_output=True, check=False).returncode


@pytest.mark.parametrize("after", [1, 2, 4, 8, 30, 55, 80, 110, 140, 170, 200])
def test_a_killed_build_is_made_good_by_the_next(project: Any, tmp_path: Path, after: int) -> None:
    root = project(FILES)
    first_build(root, root / "site")
    write(root, CHANGED)
    assert dies(root, after) in (0, 9)
    build_site(open_memory(root), root / "site")
    assert tree(root / "site") == first_build(root, tmp_path / "cold")


def test_it_does_come_to_that(project: Any) -> None:
    """The deaths above are real ones, and some come when files are being put in place already."""
    root = project(FILES)
    assert dies(root, 30) == 9
    assert dies(root, 100_000) == 0
    write(root, CHANGED)
    before = tree(root / "site")
    assert dies(root, 80) == 9
    assert tree(root / "site") != before


def test_builds_at_once_do_no_harm(project: Any, tmp_path: Path) -> None:
    root = project(FILES)
    command = [sys.executable, "-m", "memsite", "build", "-q"]
    for round_ in range(2):
        write(root, {**CHANGED, "notes/e.md": f"# E\n\n{round_} [[b]]\n"})
        outputs = ("site", "site", "other")
        builds = [subprocess.Popen([*command, "-o", output], cwd=root) for output in outputs]
        assert [build.wait(60) for build in builds] == [0, 0, 0]
    cold = first_build(root, tmp_path / "cold")
    assert tree(root / "site") == cold
    assert tree(root / "other") == cold
