"""A small git repository with two commits: notes added, removed, renamed and edited, rows of an index too."""

from __future__ import annotations

import subprocess
from pathlib import Path

LONG = "A long text about one thing that is told in many words, so that it is known again when it moves. "
TOML = '[stores.notes]\nkind = "vault"\npath = "notes"\n'
INDEX = '{{"entries": [{{"id": "TIP-1", "file": "TIP-1.md", "title": "{}", "type": "tip"}}{}]}}'


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_history(root: Path) -> Path:
    """Makes it in `root`."""
    write(
        root,
        {
            "memsite.toml": TOML,
            "notes/hub.md": "# Hub\n\nTo [[old]], [gone](gone.md), [[moved]].\n",
            "notes/old.md": "# Old\n\nAs it was. [[hub]]\n",
            "notes/gone.md": "# Gone\n\nLinks to [here](old.md). [[hub]]\n",
            "notes/moved.md": f"# Moved\n\n{LONG * 3}[[hub]]\n",
            ".workflow/memory/memory-index.json": INDEX.format("Before", ""),
            ".workflow/memory/TIP-1.md": "One. [[hub]]\n",
        },
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    (root / "notes/gone.md").unlink()
    (root / "notes/sub").mkdir()
    (root / "notes/moved.md").rename(root / "notes/sub/moved.md")
    write(
        root,
        {
            "notes/hub.md": "# Hub\n\nTo [[old]] or [gone](gone.md), [[moved]].\n",
            "notes/old.md": "# Old\n\nAs it is, with more words now. [[hub]] [[new|concept]]\n",
            "notes/new.md": "# New\n\nJust made. [[hub]]\n",
            ".workflow/memory/memory-index.json": INDEX.format(
                "After", ', {"id": "TIP-2", "file": "TIP-2.md"}'
            ),
            ".workflow/memory/TIP-2.md": "Two. [[hub]]\n",
        },
    )
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    return root
