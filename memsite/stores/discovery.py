"""Finding the stores of a project: command line first, then the configuration, then the known places."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from memsite.config import STORE_NAMES, Config, StoreConfig, is_store_name, store_folder
from memsite.errors import BadArgument, BadConfig, NoStore
from memsite.note import StoreKind
from memsite.stores.folder import FolderStore
from memsite.stores.protocol import Store
from memsite.stores.reading import skipped
from memsite.stores.system import home_folder, other_owners, system_candidates
from memsite.stores.vault import vault_name
from memsite.stores.workflow import MEMORY_INDEX, WIKI_INDEX, IndexPlace


@dataclass(frozen=True, slots=True)
class Tried:
    """A place that was looked at, why, and whether a store was there."""

    kind: StoreKind
    rule: str
    path: Path
    found: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """The stores of a project and how they were found."""

    stores: tuple[Store, ...]
    """Workflow stores, then system stores, then vaults; names are unique."""
    tried: tuple[Tried, ...]
    notes: tuple[str, ...]
    """What a person should know: second candidates, shared folders, settings without a store."""


def project_root(start: Path) -> Path:
    """The nearest folder upwards with `.workflow/`, `memsite.toml` or `.git`, else `start` itself."""
    here = Path(os.path.abspath(start))  # noqa: PTH100 - links must stay, their text names a store too
    for folder in (here, *here.parents):
        if (
            (folder / ".workflow").is_dir()
            or (folder / "memsite.toml").is_file()
            or (folder / ".git").exists()
        ):
            return folder
    return here


def find_stores(
    config: Config,
    project: Path,
    *,
    system_dir: Path | None = None,
    vaults: Sequence[tuple[str, Path]] = (),
    environ: Mapping[str, str] | None = None,
) -> Discovery:
    """Every store of the project at `project`.

    `system_dir` takes the place of every other system store; `vaults` are pairs of name and folder,
    the name may be empty. Raises NoStore when there is no store at all, BadArgument and BadConfig
    for a folder that was named and is not there.
    """
    search = _Search(config, project, environ=os.environ if environ is None else environ)
    if not project.is_dir():
        raise BadArgument(f"The project folder '{project}' does not exist.", hint="Check --project.")
    search.configured("workflow")
    if not search.has("workflow"):
        search.workflow()
    if system_dir is not None:
        search.named_system(system_dir)
    else:
        search.configured("system")
        if not search.has("system"):
            search.system()
    search.configured("vault")
    search.vaults(vaults)
    return search.result()


class _Search:
    """Collects stores, the places tried and the remarks of one search."""

    def __init__(self, config: Config, project: Path, *, environ: Mapping[str, str]) -> None:
        self._config = config
        self._project = Path(os.path.abspath(project))  # noqa: PTH100 - links must stay
        self._environ = environ
        self._base = config.file.parent if config.file else self._project
        self._stores: dict[str, FolderStore] = {}
        self._tried: list[Tried] = []
        self._notes: list[str] = []

    def has(self, kind: StoreKind) -> bool:
        """Whether the search has a store of this kind already."""
        return any(store.kind == kind for store in self._stores.values())

    def configured(self, kind: StoreKind) -> None:
        """Add the stores of a kind whose folder the configuration names."""
        for settings in self._config.stores:
            if settings.kind != kind or not settings.path:
                continue
            root = store_folder(settings, self._base)
            rule = f"[stores.{settings.name}] in {self._config.file.name if self._config.file else 'Config'}"
            if not self._try(kind, rule, root):
                raise BadConfig(
                    f"{rule}: the folder '{settings.path}' does not exist.",
                    hint="Correct `path`; it counts from the folder of the configuration file.",
                )
            self._add(settings.name, kind, root)

    def workflow(self) -> None:
        """Add `.workflow/memory` and `.workflow/knowhow`; the only one of them is called `workflow`."""
        name = "workflow"
        for folder in ("memory", "knowhow"):
            root = self._project / ".workflow" / folder
            if self._try("workflow", "workflow folder of the project", root):
                self._add(name, "workflow", root)
                name = "knowhow"

    def named_system(self, root: Path) -> None:
        """Add the system store that the command line names."""
        if not self._try("system", "--system-dir", root):
            raise BadArgument(f"The folder '{root}' does not exist.", hint="Check --system-dir.")
        self._add("system", "system", root)

    def system(self) -> None:
        """Add the first folder that a rule leads to, and say which others would have done."""
        found: dict[str, str] = {}
        for candidate in system_candidates(self._project, self._environ):
            real = os.path.realpath(candidate.path)
            if self._try("system", candidate.rule, candidate.path) and real not in found:
                found[real] = candidate.rule
                if len(found) == 1:
                    self._add("system", "system", candidate.path)
        for path, rule in list(found.items())[1:]:
            self._notes.append(f"another system store was found and is not used: {path} ({rule})")
        for owner in other_owners(Path(next(iter(found))), self._project) if found else ():
            self._notes.append(f"the system store may belong to {owner} as well: its folder name fits both")

    def vaults(self, named: Sequence[tuple[str, Path]]) -> None:
        """Add the vaults of the command line; one that the configuration has under this name gives way."""
        for name, root in named:
            if not self._try("vault", "--vault", root):
                raise BadArgument(f"The vault folder '{root}' does not exist.", hint="Check --vault.")
            if name and (not is_store_name(name) or name in STORE_NAMES):
                raise BadArgument(
                    f"'{name}' is not a name for a vault.", hint="Use letters, digits, - and _."
                )
            if name or not self._has_folder(root):
                unique = name or vault_name(Path(os.path.realpath(root)), self._stores)
                self._add(unique, "vault", root)

    def result(self) -> Discovery:
        """The stores found. Raises NoStore when there are none."""
        if not self._stores:
            raise NoStore(
                f"No memory store was found for '{self._project}'.",
                hint=f"{self._advice()} `memsite stores --verbose` says where memsite looked.",
                tried=[{"rule": tried.rule, "path": str(tried.path)} for tried in self._tried],
            )
        for settings in self._config.stores:
            if settings.name not in self._stores:
                self._notes.append(f"[stores.{settings.name}] names no store that was found")
        return Discovery(tuple(self._stores.values()), tuple(self._tried), tuple(self._notes))

    def _advice(self) -> str:
        """How to go on without a store: a folder with Markdown in it may be what was meant."""
        if next(self._project.glob("*.md"), None):
            return "Are the Markdown files here the notes? Then `memsite init --vault .`."
        below = sorted(path.parent.name for path in self._project.glob("*/*.md"))
        if folder := next((name for name in below if not skipped(name)), ""):
            return f"Are the notes in '{folder}'? Then `memsite init --vault {quote(folder)}`."
        return "Name a folder of notes: `memsite init --vault FOLDER`, or `mkdir -p .workflow/memory`."

    def _try(self, kind: StoreKind, rule: str, root: Path) -> bool:
        found = root.is_dir()
        self._tried.append(Tried(kind, rule, root, found))
        return found

    def _has_folder(self, root: Path) -> bool:
        real = os.path.realpath(root)
        return any(os.path.realpath(store.root) == real for store in self._stores.values())

    def _add(self, name: str, kind: StoreKind, root: Path) -> None:
        whole = Path(os.path.abspath(root))  # noqa: PTH100 - links must stay
        inside = self._inside(whole)
        real = Path(os.path.realpath(whole))
        if whole.is_relative_to(self._project) and not real.is_relative_to(os.path.realpath(self._project)):
            self._notes.append(f"the store {name} is a link out of the project, to {real}")
        self._stores[name] = FolderStore(
            name=name,
            kind=kind,
            root=whole,
            settings=self._settings(name, kind),
            location=inside or self._shown(whole),
            prefix=_prefix(name, inside),
            index=_index_place(whole, _prefix(name, inside)) if kind == "workflow" else None,
        )

    def _settings(self, name: str, kind: StoreKind) -> StoreConfig:
        fitting = (one for one in self._config.stores if one.name == name and one.kind == kind)
        return next(fitting, StoreConfig(name, kind))

    def _inside(self, root: Path) -> str | None:
        """The folder relative to the project, `.` for the project itself, None when it is elsewhere."""
        for base, folder in ((self._project, root), (self._project.resolve(), root.resolve())):
            if folder.is_relative_to(base):
                return folder.relative_to(base).as_posix()
        return None

    def _shown(self, root: Path) -> str:
        home = home_folder(self._environ)
        return f"~/{root.relative_to(home).as_posix()}" if root.is_relative_to(home) else root.as_posix()


def _prefix(name: str, inside: str | None) -> str:
    """What problems show before a note's path.

    A store outside the project goes by its name there: its absolute path has no place in a report.
    """
    if inside is None:
        return f"{name}/"
    return "" if inside == "." else f"{inside}/"


def _index_place(root: Path, prefix: str) -> IndexPlace:
    """Where the index of a workflow store is: beside the notes, or one folder up for knowhow."""
    base = f".workflow/{root.name}/"
    above = root.parent / WIKI_INDEX
    if root.name == "knowhow" and above.is_file() and not (root / MEMORY_INDEX).exists():
        shown = f"{prefix.rstrip('/').rpartition('/')[0]}/{WIKI_INDEX}".lstrip("/")
        return IndexPlace(root.parent, WIKI_INDEX, shown, base)
    return IndexPlace(root, MEMORY_INDEX, prefix + MEMORY_INDEX, base)
