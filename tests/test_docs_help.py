"""Every example in the help of a command is run, in a project that has what the examples name."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memsite.cli.app import COMMANDS, memsite, run
from tests.conftest import write_tree

ENTRIES = [
    {"id": "TIP-20260318-001", "type": "tip", "date": "2026-03-18", "title": "Retry", "tags": ["auth"]},
    {"id": "MEM-20251103-001", "type": "compact", "date": "2025-11-03", "title": "Login", "tags": []},
]
FILES = {
    ".gitignore": ".memsite/\n",
    ".workflow/memory/memory-index.json": json.dumps(
        {"entries": [{**entry, "file": f"{entry['id']}.md"} for entry in ENTRIES]}
    ),
    ".workflow/memory/TIP-20260318-001.md": "# Retry\n\nAfter a token refresh, see [[Backoff]].\n",
    ".workflow/memory/MEM-20251103-001.md": "# Login\n\nFirst [[machine learning]], then [[Retry]].\n",
    ".claude/memory/MEMORY.md": "# Memory\n\n## Commands\n\nSee [[Retry]] and [Auth](Auth.md).\n",
    ".claude/memory/Auth.md": "# Auth\n\nThe v1 of [[machine learning]], not v1 of [[Backoff]].\n",
    "docs/index.md": "# Docs\n\nAbout [[Retry]].\n",
    "new.md": "Run [[make]].\n",
    "deploy.md": "We deploy with [[make]].\n",
    "value.txt": "AKIA" + "IOSFODNN7EXAMPLE\n",
    "allowed.txt": "# Values that may be published.\n",
    "memsite.toml": '[leaks]\nallow = "allowed.txt"\n',
}
# A server that stays, and an editor that needs a terminal.
NOT_RUN = re.compile(r"memsite (serve|mcp)\b|memsite edit MEMORY$")


def examples() -> list[str]:
    """The examples of memsite itself and of each command, without the words that explain them."""
    commands: list[click.Command] = [memsite]
    for name in (name for family in COMMANDS.values() for name in family):
        command = memsite.get_command(click.Context(memsite), name)
        assert command is not None
        commands += [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    lines = [line.strip() for command in commands for line in (command.epilog or "").splitlines()]
    shown = (re.split(r" {2,}", line)[0] for line in lines if line.startswith("memsite"))
    return sorted({re.sub(" +", " ", line) for line in shown})


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with six commits, one of them known as origin/main."""
    root = write_tree(tmp_path_factory.mktemp("pattern") / "project", FILES)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    steps = [["init", "-q"], ["add", "."]]
    steps += [["commit", "-q", "--allow-empty", "-m", str(number)] for number in range(6)]
    for step in (*steps, ["update-ref", "refs/remotes/origin/main", "HEAD~1"]):
        subprocess.run([*git, *step], cwd=root, check=True)
    return root


@pytest.mark.parametrize("example", [each for each in examples() if not NOT_RUN.match(each)])
def test_an_example_runs(
    example: str,
    pattern: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = Path(shutil.copytree(pattern, tmp_path / "project"))
    shutil.copytree(pattern, tmp_path / "backup")
    monkeypatch.chdir(project)
    if example.startswith("memsite undo"):
        assert run(["delete", "TIP-20260318-001", "--confirm"]) == 0
    given = "value.txt" if example.endswith("< value.txt") else ".gitignore"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((project / given).read_bytes())))
    words = shlex.split(re.split(" [<>] ", example)[0])[1:]
    code = run(["Auth" if word == "NOTE" else word for word in words])
    assert code == 0, capsys.readouterr().err


def test_what_is_not_run_is_little() -> None:
    left = [each for each in examples() if NOT_RUN.match(each)]
    assert 0 < len(left) < 8
    assert len(examples()) > 40
