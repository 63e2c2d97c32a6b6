"""Where the nodes of the graph lay in the last build, so that the picture stays familiar.

This is no cache: a new note moves its neighbours a little from where they were, and where they were cannot
be worked out again. So it is read by every build, and a build of an unchanged memory gives the same bytes
whether anything else was kept or not. `forget` starts the picture afresh.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.build.last import tool_version
from memsite.cache import FOLDER, read_sealed, write_sealed

if TYPE_CHECKING:
    from memsite.pages import Placement


def load(project: Path) -> dict[str, Placement]:
    """The places by picture; none when there was no build yet."""
    from memsite.pages import read_placements

    return read_placements(read_sealed(_place(project), tool_version()) or b"")


def save(project: Path, placements: bytes) -> None:
    """Keep `placements_json` of this build's pictures."""
    write_sealed(_place(project), tool_version(), placements)


def forget(project: Path) -> None:
    with contextlib.suppress(OSError):
        _place(project).unlink(missing_ok=True)


def _place(project: Path) -> Path:
    return project / FOLDER / "graph" / "places"
