"""What the last build saw and left: where all of it is the same still, there is nothing to build.

The inputs come down to one key: every note with its index row, the views of the stores, the configuration,
the templates, memsite itself, and what the checks ask of the world around. The output is compared file by
file, by size and time of change.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsite.build.secrets import leaks_key
from memsite.cache import FOLDER, read_sealed, write_sealed
from memsite.note import Problem, Source, StoreView

if TYPE_CHECKING:
    from memsite.memory import Memory

_LIBRARIES = (
    "Jinja2",
    "networkx",
    "numpy",
    "graph-layout",
    "graspologic-native",
    "pyvis",
    "nh3",
    "markdown-it-py",
    "kingfisher-secret-scanner",
)
_problem = attrgetter(*Problem.__dataclass_fields__)

Files = dict[str, tuple[int, int]]
"""Size and time of change in nanoseconds of each file of a site."""


@dataclass(frozen=True, slots=True)
class LastBuild:
    """The record of the last build into one folder."""

    key: str
    named: tuple[str, ...]
    """Project files that notes name; whether they exist decides a check."""
    assets: tuple[tuple[str, str], ...]
    """Store and path of the files that notes point to, those included that are not published."""
    world: str
    """What `world_of` said about `named` and `assets`."""
    files: Files
    facts: dict[str, Any]
    """Of the result: the counts, and the problems as tuples."""
    kept: bytes
    """What lets the next build keep single files: `Kept.record`."""


def load(project: Path, output: Path) -> LastBuild | None:
    """The record of the last build of `project` into `output`, if there is one."""
    kept = read_sealed(_place(project, output), tool_version())
    return LastBuild(*kept) if kept else None


def save(project: Path, output: Path, build: LastBuild) -> None:
    write_sealed(
        _place(project, output), tool_version(), tuple(getattr(build, name) for name in LastBuild.__slots__)
    )


def _place(project: Path, output: Path) -> Path:
    name = hashlib.sha256(os.fsencode(output)).hexdigest()[:16]
    return project / FOLDER / "cache" / f"build-{name}"


def files_of(root: Path, urls: Iterable[str]) -> Files:
    """Size and time of each file; those that cannot be looked at are left out."""
    found: Files = {}
    for url in urls:
        try:
            status = os.lstat(os.path.join(root, url))  # noqa: PTH118 - thirty thousand of them
        except OSError:
            continue
        found[url] = (status.st_size, status.st_mtime_ns)
    return found


def settings_key(memory: Memory, *, leaks: str) -> str:
    """One checksum of all that every file of a site depends on: configuration, templates, own files."""
    own = [(path.name, path.read_bytes() if path.is_file() else None) for path in _own_files(memory)]
    home = os.path.expanduser("~")  # noqa: PTH111 - never raises
    # Under another key the same list allows other values.
    key = hashlib.sha256(leaks_key()).hexdigest() if memory.config.leaks.allow else ""
    return _checksum([leaks, home, key, replace(memory.config, file=None), str(memory.config.file), *own])


def inputs_key(memory: Memory, sources: Sequence[Source], *, settings: str) -> str:
    """One checksum of all that the notes, the stores and the configuration put into a site."""
    from memsite.memory.repair import interrupted

    views = [_view(store.view()) for store in memory.stores]
    today = datetime.now(UTC).date() if memory.config.check.stale_days else None
    notes = ((source.address, source.checksum, source.entry) for source in sources)
    return _checksum([settings, views, interrupted(memory), today, *notes])


def _checksum(values: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for value in values:
        digest.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _view(view: StoreView) -> tuple[object, ...]:
    return (sorted(view.files), replace(view, files=frozenset()))


def _own_files(memory: Memory) -> Iterable[Path]:
    """The user's own templates, style sheet and list of allowed values."""
    base = memory.config.file.parent if memory.config.file else memory.project
    site = memory.config.site
    if site.templates:
        yield from sorted((base / site.templates).rglob("*"))
    yield from (base / name for name in (site.css, memory.config.leaks.allow) if name)


def world_of(memory: Memory, named: Iterable[str], assets: Iterable[tuple[str, str]]) -> str:
    """What is known of files that are no notes: those that notes name, and those they point to."""
    from memsite.memory.surroundings import project_files

    roots = {store.name: store.root for store in memory.stores}
    found = [sorted(project_files(memory.project, named))]
    stats: list[object] = []
    for store, path in assets:
        try:
            status = (roots[store] / path).stat()
        except (KeyError, OSError, ValueError):
            stats.append(None)
        else:
            stats.append((status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr((found, stats)).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def tool_version() -> str:
    """Changes whenever memsite, its templates or a library may make another site of the same memory."""
    from memsite.templates import templates_folder

    digest = hashlib.sha256(sys.version.encode())
    for folder, pattern in ((Path(__file__).parent.parent, "*.py"), (templates_folder(), "*")):
        for path in sorted(folder.rglob(pattern)):
            if path.is_file():
                digest.update(path.read_bytes())
    for name in _LIBRARIES:
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()


def packed_problems(problems: Iterable[Problem]) -> list[tuple[Any, ...]]:
    return [_problem(problem) for problem in problems]


def unpacked_problems(records: Iterable[Sequence[Any]]) -> tuple[Problem, ...]:
    return tuple(Problem(*record) for record in records)
