"""Where the system store of a project lies: slugs of paths, git roots, settings files.

The folder is `<config>/projects/<slug>/memory/`, where `<config>` is `$CLAUDE_CONFIG_DIR` or
`~/.claude`. A slug loses information, so a path is never decoded from one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from unicodedata import normalize

MAX_SLUG = 200
"""Longer slugs are cut to this many characters and end in a hash that cannot be computed here."""

_MAX_SMALL_FILE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder that may be the system store, and the rule that leads to it."""

    rule: str
    path: Path


# Slugs --------------------------------------------------------------------------------------


def slug_of(path: PurePath) -> str:
    """What the agent makes of an absolute path: NFC, all but ASCII letters and digits become `-`.

    >>> slug_of(PureWindowsPath("C:/git/ai-p_sandbox"))
    'C--git-ai-p-sandbox'
    """
    return re.sub(r"[^A-Za-z0-9]", "-", normalize("NFC", str(path)))


def wide_slug_of(path: PurePath) -> str:
    """The same with two dashes for a character beyond U+FFFF, as a program counting UTF-16 units does."""
    return re.sub(r"[^A-Za-z0-9]", "-", re.sub(r"[\U00010000-\U0010ffff]", "--", normalize("NFC", str(path))))


def literal_slugs(path: PurePath) -> tuple[str, ...]:
    """The slugs that descriptions of the system give: separators as `--`, other characters kept.

    >>> literal_slugs(PurePosixPath("/home/u/p"))
    ('--home--u--p', 'home--u--p', 'home-u-p')
    """
    drive = path.drive.rstrip(":")
    parts = path.parts[1:]
    leads = (drive,) if drive else ("", None)
    doubled = ("--".join(parts if lead is None else (lead, *parts)) for lead in leads)
    return (*doubled, "-".join((drive, *parts) if drive else parts))


def _exact_slugs(path: PurePath) -> Iterator[str]:
    for slug in dict.fromkeys((slug_of(path), wide_slug_of(path))):
        yield slug
        if path.drive and slug[:1].isalpha():
            yield slug[0].swapcase() + slug[1:]


# Folders that belong to a project -----------------------------------------------------------


def git_root(start: Path) -> Path | None:
    """The nearest folder upwards that holds `.git`, as a folder or as the file of a worktree."""
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)


def main_checkout(root: Path) -> Path | None:
    """The checkout that a worktree at `root` belongs to, read from its `.git` file; else None."""
    pointer = _small_text(root / ".git")
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    gitdir = root / pointer.removeprefix("gitdir:").strip()
    common = _small_text(gitdir / "commondir")
    if common is None:
        return None
    shared = Path(os.path.normpath(gitdir / common.strip()))
    return shared.parent if shared.name == ".git" else None


def _project_folders(project: Path) -> Iterator[tuple[str, Path]]:
    """The folders whose slug may name the store, best first, each with what it is."""
    real = Path(os.path.realpath(project))
    yield "the project", real
    textual = Path(os.path.abspath(project))  # noqa: PTH100 - links must stay
    yield "the project as it was named", textual
    root = git_root(real)
    if root is not None:
        yield "the git root", root
        if (main := main_checkout(root)) is not None:
            yield "the main checkout", main


# Candidates ---------------------------------------------------------------------------------


def config_folder(environ: Mapping[str, str]) -> Path:
    """`$CLAUDE_CONFIG_DIR`, or `.claude` in the home folder that the environment names."""
    chosen = environ.get("CLAUDE_CONFIG_DIR", "")
    return expand(chosen, environ) if chosen else home_folder(environ) / ".claude"


def home_folder(environ: Mapping[str, str]) -> Path:
    """The home folder as the environment has it."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(named) if named else Path.home()


def expand(path: str, environ: Mapping[str, str]) -> Path:
    """`path` with a leading `~` replaced by the home folder of the environment."""
    if path == "~" or path.startswith(("~/", "~\\")):
        return home_folder(environ) / path[2:]
    return Path(path)


def system_candidates(project: Path, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """Every folder that may be the system store of `project`, in the order of their rules.

    Folders need not exist, apart from those that only a listing can find (slugs that were cut).
    """
    projects = config_folder(environ) / "projects"
    folders = list(_unique(_project_folders(project)))
    for what, folder in folders:
        for slug in _exact_slugs(folder):
            yield from _by_slug(projects, slug, f"folder named after {what}")
    for what, folder in folders:
        for slug in literal_slugs(folder):
            yield from _by_slug(projects, slug, f"folder named after {what}, spelled another way")
    yield from _configured(project, environ)
    yield Candidate("inside the project", project / ".claude" / "memory")


def _unique(folders: Iterator[tuple[str, Path]]) -> Iterator[tuple[str, Path]]:
    seen: set[Path] = set()
    for what, folder in folders:
        if folder not in seen:
            seen.add(folder)
            yield what, folder


def _by_slug(projects: Path, slug: str, rule: str) -> Iterator[Candidate]:
    if len(slug) <= MAX_SLUG:
        yield Candidate(rule, projects / slug / "memory")
        return
    start = slug[:MAX_SLUG] + "-"
    names = [name for name in _names(projects) if name.startswith(start)]
    for name in names or [start + "*"]:
        yield Candidate(f"{rule}, by its first {MAX_SLUG} characters", projects / name / "memory")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


def _configured(project: Path, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """`autoMemoryDirectory` of the agent's settings files: of the project first, then of the user."""
    own = project / ".claude"
    for file, base in (
        (own / "settings.local.json", project),
        (own / "settings.json", project),
        (config_folder(environ) / "settings.json", home_folder(environ)),
    ):
        named = _setting(file, "autoMemoryDirectory")
        if named:
            yield Candidate(f"autoMemoryDirectory in {file.name}", base / expand(named, environ))


def _setting(file: Path, key: str) -> str | None:
    text = _small_text(file)
    try:
        settings = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    value = settings.get(key) if isinstance(settings, dict) else None
    return value if isinstance(value, str) and value and "\0" not in value else None


def _small_text(file: Path) -> str | None:
    """A settings or pointer file, which other programs write; None when there is no such file."""
    try:
        if not file.is_file() or file.stat().st_size > _MAX_SMALL_FILE:
            return None
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None


# Whose store it is --------------------------------------------------------------------------


def other_owners(store: Path, project: Path) -> tuple[str, ...]:
    """Working directories that session files beside a store name and that are not the project's.

    Different paths can have one slug; then two projects share a store. Looks at the first lines of
    at most five session files.
    """
    own = {str(folder) for _, folder in _project_folders(project)}
    found: set[str] = set()
    for file in sorted(store.parent.glob("*.jsonl"))[:5]:
        found.update(_working_directories(file))
    return tuple(sorted(path for path in found if not _belongs(path, own)))


def _belongs(path: str, own: set[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/\\") + os.sep) for folder in own)


def _working_directories(file: Path) -> Iterator[str]:
    try:
        if not file.is_file():
            return
        with file.open("rb") as lines:
            start = lines.read(64 * 1024).decode("utf-8", "replace")
    except OSError:
        return
    for quoted in re.findall(r'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")', start):
        try:
            yield str(json.loads(quoted))
        except ValueError:
            continue
