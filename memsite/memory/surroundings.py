"""What a check wants to know of the world around the stores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def project_files(project: Path, named: Iterable[str]) -> frozenset[str]:
    """Which of the paths `named` are files of the project, and the top folders of all, with `/` at the end.

    Only these paths are looked at, never opened: a project may hold a million files.
    """
    paths = frozenset(named)
    folders = {path.partition("/")[0] for path in paths}
    there = {path for path in paths if _is(project / path, "file")}
    return frozenset(there | {f"{folder}/" for folder in folders if _is(project / folder, "dir")})


def _is(path: Path, kind: str) -> bool:
    try:
        return path.is_file() if kind == "file" else path.is_dir()
    except (OSError, ValueError):  # a name too long or with a NUL
        return False
