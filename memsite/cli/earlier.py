"""Another state of the memory: a folder, or the project as a git revision had it."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.cli.terminal import warn
from memsite.errors import BadArgument
from memsite.stores.system import git_root

if TYPE_CHECKING:
    from memsite.build.changes import Earlier
    from memsite.check import MemoryDiff, State
    from memsite.memory import Memory
    from memsite.stores import Store


def difference(memory: Memory, against: str) -> MemoryDiff:
    """What changed from the state that `against` names to now.

    Raises BadArgument (E019) for what is neither a folder nor a revision.
    """
    from memsite.build.changes import state_of
    from memsite.build.secrets import vet
    from memsite.check import compare

    vetting = vet(memory)
    with _earlier(memory, against) as (before, now):
        if before:
            before.vet(vetting)
        return compare(state_of(before) if before else _nothing(), state_of(now))


def earlier_state(memory: Memory, against: str) -> Earlier:
    """The state that `against` names, as a build compares with it. Raises BadArgument (E019)."""
    from memsite.build.changes import Earlier, cleaned, state_of

    with _earlier(memory, against) as (before, now):
        state = state_of(cleaned(before)) if before else _nothing()
        return Earlier(against, state, frozenset(store.name for store in now.stores))


@contextmanager
def _earlier(memory: Memory, against: str) -> Iterator[tuple[Memory | None, Memory]]:
    """The memory as it was, None where nothing of it was there, and what of today's can be compared."""
    if against and Path(against).is_dir():
        from memsite.memory import open_memory

        yield open_memory(against), memory
        return
    if git_root(memory.project.resolve()) is None:
        raise BadArgument(
            f"'{against}' is not a folder, and '{memory.project}' is not in a git repository.",
            hint="Name a folder that holds the earlier state.",
        )
    top = Path(_git(memory.project, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    inside = [store for store in memory.stores if store.root.resolve().is_relative_to(top)]
    for store in memory.stores:
        if store not in inside:
            warn(f"The store '{store.name}' is not in the repository and is left out.")
    with _checked_out(top, _revision(memory.project, against), inside) as folder:
        yield _reopened(memory, inside, top, folder), _only(memory, inside)


def _nothing() -> State:
    from memsite.check import State
    from memsite.note import Graph

    return State(Graph({}, {}, {}, {}, {}))


def _only(memory: Memory, stores: Sequence[Store]) -> Memory:
    """The memory with no other stores than these."""
    from memsite.memory import Memory

    if len(stores) == len(memory.stores):
        return memory
    return Memory(memory.config, memory.project, discovery=replace(memory.discovery, stores=tuple(stores)))


def _reopened(memory: Memory, stores: Sequence[Store], top: Path, folder: Path) -> Memory | None:
    """The stores as they lie in `folder`, a copy of `top`; None when none of them is there."""
    from memsite.memory import open_memory

    places = ((store, folder / store.root.resolve().relative_to(top)) for store in stores)
    settings = tuple(replace(store.settings, path=str(place)) for store, place in places if place.is_dir())
    if not settings:
        return None
    project = folder / memory.project.resolve().relative_to(top)
    return open_memory(project, config=replace(memory.config, stores=settings, file=None))


@contextmanager
def _checked_out(top: Path, revision: str, stores: Sequence[Store]) -> Iterator[Path]:
    """A temporary folder with the files that `revision` has in the folders of the stores.

    As a checkout would write them, with the line ends that go with the system, by an index of its own.
    """
    wanted = [store.root.resolve().relative_to(top).as_posix() for store in stores]
    names = _git(top, "ls-tree", "-r", "--name-only", "-z", revision, "--", *wanted) if wanted else b""
    with tempfile.TemporaryDirectory(prefix="memsite-") as folder:
        files = Path(folder).resolve() / "files"
        files.mkdir()
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        _git(top, "read-tree", revision, settings=index)
        _git(top, "checkout-index", f"--prefix={files}/", "-z", "--stdin", settings=index, fed=names)
        yield files


def _revision(project: Path, name: str) -> str:
    """The commit that `name` means. Says so when a shallow clone is why there is none."""
    try:
        return (
            _git(project, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            .decode()
            .strip()
        )
    except BadArgument:
        shallow = _git(project, "rev-parse", "--is-shallow-repository").strip() == b"true"
        if shallow:
            raise BadArgument(
                f"'{name}' is not in this shallow clone, which holds only a part of the history.",
                hint=f"Get it: {_fetching(name)}",
            ) from None
        raise BadArgument(
            f"'{name}' is neither a folder nor a git revision.", hint="`git log --oneline` names revisions."
        ) from None


def _fetching(name: str) -> str:
    """The command that brings a revision into a shallow clone, with as little else as can be."""
    if back := re.fullmatch(r"(?:HEAD|@)(?:~(\d*)|(\^+))", name):
        return f"git fetch --deepen={int(back[1] or 1) if back[2] is None else len(back[2])}"
    if re.fullmatch(r"[0-9a-f]{40}", name):
        return f"git fetch --depth=1 origin {name}"
    if branch := re.fullmatch(r"origin/([\w./-]+)", name):
        return f"git fetch --depth=1 origin {branch[1]}:refs/remotes/origin/{branch[1]}"
    return "git fetch --unshallow --tags"


def _git(folder: Path, *arguments: str, settings: Mapping[str, str] | None = None, fed: bytes = b"") -> bytes:
    """What git prints. Raises BadArgument (E019) when it cannot do it."""
    try:
        run = subprocess.run(  # noqa: S603 - no shell; the arguments are ours and a verified revision
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the git that the user has
            capture_output=True,
            check=True,
            input=fed,
            env={**os.environ, **(settings or {})},
        )
    except FileNotFoundError as error:
        raise BadArgument("git is not installed.", hint="Compare with a folder instead.") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BadArgument(
            f"git failed: {said[0] if said else arguments[0]}.", hint="Compare with a folder instead."
        ) from error
    return run.stdout
