"""Where the page of each note lay in the last build, so that it stays there: a link to a page that somebody
kept must not break, or lead to another note, because a namesake came or went.

Like the places of the graph this is no cache but an input of every build, of a first one into a new folder
as well. A build with `clean` names all pages afresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memsite.cache import FOLDER, read_sealed, write_sealed
from memsite.note import Address

_VERSION = "names 1"
"""Not the tool's: an upgrade moves no page."""


def load(project: Path) -> dict[Address, str]:
    """The URLs by note; none when there was no build yet."""
    kept = read_sealed(_place(project), _VERSION)
    return kept if isinstance(kept, dict) else {}


def save(project: Path, urls: Mapping[Address, str]) -> None:
    write_sealed(_place(project), _VERSION, dict(sorted(urls.items())))


def _place(project: Path) -> Path:
    return project / FOLDER / "names"
