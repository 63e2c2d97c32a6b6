"""What the steps of the cases do: each action calls the real interface and says in lines what came of it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from casefile import Case, Step, write

from memsite.errors import MemsiteError
from memsite.note import (
    Ambiguous,
    Asset,
    Checksum,
    ConceptTarget,
    External,
    Found,
    Link,
    Missing,
    Note,
    Problem,
    Target,
)

Action = Callable[..., Iterable[str]]
ACTIONS: dict[str, Action] = {}
MORE = ("casewriting", "casesite", "casecli")


def action(function: Action) -> Action:
    ACTIONS[function.__name__.strip("_").replace("_", "-")] = function
    return function


class World:
    """The files of one case on a disk of their own, and the memory that is opened on them."""

    def __init__(self, root: Path, case: Case) -> None:
        self.root = root
        files = dict(case.files)
        if not any(name in files for name in ("memsite.toml", "pyproject.toml")):
            files["memsite.toml"] = "".join(_store_tables(files))
        write(root, files)
        self._memory: Any = None
        self.kept: dict[str, Any] = {}
        """What one step leaves for a later one."""

    def __enter__(self) -> World:
        self._environ, self._folder = dict(os.environ), Path.cwd()
        return self

    def __exit__(self, *_: object) -> None:
        os.environ.clear()
        os.environ.update(self._environ)
        os.chdir(self._folder)
        time.tzset()

    def path(self, name: str) -> Path:
        """A file of the case, with or without the store's folder in front."""
        folders = ("", "vault", ".workflow/memory", "system")
        return next((p for p in (self.root / f / name for f in folders) if p.exists()), self.root / name)

    @property
    def memory(self) -> Any:
        if self._memory is None:
            from memsite import open_memory

            self._memory = open_memory(self.root)
        return self._memory

    def forget(self) -> None:
        self._memory = None

    def act(self, step: Step) -> list[str]:
        """Do what a step says. Actions that need more than parsing are loaded with the first of them."""
        if step.action not in ACTIONS:
            for module in MORE:
                import_module(module)
        try:
            return list(ACTIONS[step.action](self, *step.words))
        except MemsiteError as error:
            return [f"refused {error.code}: {error.message} | {error.hint}".replace("\n", " / ")]


def _store_tables(files: Iterable[str]) -> Iterator[str]:
    for name, kind, folder in (
        ("vault", "vault", "vault"),
        ("workflow", "workflow", ".workflow/memory"),
        ("system", "system", "system"),
    ):
        if any(path.startswith(f"{folder}/") for path in files):
            yield f'[stores.{name}]\nkind = "{kind}"\npath = "{folder}"\n'


def note_of(world: World, name: str) -> Note:
    for note in world.memory.notes():
        if name in (note.path, note.path.removesuffix(".md"), note.address):
            return note
    raise LookupError(f"no note {name!r} among {[n.address for n in world.memory.notes()]}")


def shown(text: str | bytes) -> str:
    """A text as a JSON string, bytes that are no text as Python writes them."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return repr(text)
    return json.dumps(text, ensure_ascii=False).replace("\ufeff", "\\ufeff")


# Parsing -------------------------------------------------------------------------------------


def _link(link: Link) -> str:
    words = [link.target]
    if link.label is not None:
        words.append(f'"{link.label}"')
    if link.kind != "wiki":
        words.append(f"({link.kind}{f' {link.relation}' if link.kind == 'property' else ''})")
    elif link.relation:
        words.append(f"({link.relation})")
    words += ["embed"] * link.embed + ["image"] * link.image + [link.size] * bool(link.size)
    return " ".join(words)


def _document(world: World, name: str) -> Any:
    from memsite.markdown import parse

    return parse(world.path(name).read_bytes())


@action
def links(world: World, name: str) -> Iterator[str]:
    """Every link in order: target, label, kind when it is no WikiLink."""
    yield from map(_link, _document(world, name).links)


@action
def places(world: World, name: str) -> Iterator[str]:
    """Where each link stands."""
    for link in _document(world, name).links:
        yield f"{link.line}:{link.column} {link.target}"


@action
def contexts(world: World, name: str) -> Iterator[str]:
    for link in _document(world, name).links:
        yield f"{link.context.before}«{link.context.link}»{link.context.after}"


@action
def findings(world: World, name: str) -> Iterator[str]:
    """What the parser says: place, code, severity where it is not the rule's, message."""
    for found in _document(world, name).findings:
        yield f"{found.line}:{found.column} {found.code} {found.severity or '-'} {found.message} | {found.hint}"


@action
def text(world: World, name: str) -> Iterator[str]:
    """The visible text of the body."""
    yield from filter(None, _document(world, name).text.split("\n"))


@action
def body(world: World, name: str) -> Iterator[str]:
    """The HTML of the body, links left as `{0}`."""
    document = _document(world, name)
    slots = [f"{{{slot}}}" for slot in document.slots]
    html = "".join(a + b for a, b in zip(document.fragments, [*slots, ""], strict=True)).strip()
    yield from html.split("\n") if html else ()


@action
def headings(world: World, name: str) -> Iterator[str]:
    for heading in _document(world, name).headings:
        yield f"{'#' * heading.level} {heading.text} #{heading.anchor}"


@action
def properties(world: World, name: str) -> Iterator[str]:
    document = _document(world, name)
    for key, value in document.properties.items():
        yield f"{key}: {json.dumps(value, ensure_ascii=False)}"


@action
def tags(world: World, name: str) -> Iterator[str]:
    """Tags of the note from all places."""
    yield from note_of(world, name).tags


@action
def blocks(world: World, name: str) -> Iterator[str]:
    yield from _document(world, name).blocks


@action
def quick(world: World, *names: str) -> Iterator[str]:
    """Each file is parsed in under two seconds of processor time."""
    for name in names:
        start = time.process_time()
        document = _document(world, name)
        seconds = time.process_time() - start
        yield f"{name} {len(document.links)} links {'quick' if seconds < 2 else f'{seconds:.1f} s'}"


@action
def store_folder(_: World, *projects: str) -> Iterator[str]:
    """The folder name of a project's system store by the rule that is on disks."""
    from memsite.stores.system import slug_of

    for project in projects:
        windows = re.match(r"[A-Za-z]:\\", project)
        yield slug_of(PureWindowsPath(project) if windows else PurePosixPath(project))


@action
def key(_: World, *names: str) -> Iterator[str]:
    from memsite.markdown import concept_key

    yield from map(concept_key, names)


@action
def slug(_: World, *names: str) -> Iterator[str]:
    from memsite.markdown import slug as slug_of

    yield from map(slug_of, names)


@action
def visible(_: World, *names: str) -> Iterator[str]:
    from memsite.markdown import visible as visible_text

    yield from map(visible_text, names)


# The memory ----------------------------------------------------------------------------------


@action
def notes(world: World) -> Iterator[str]:
    """Paths of all notes, one store after the other."""
    yield from (note.path for note in world.memory.notes())


@action
def note(world: World, name: str, *fields: str) -> Iterator[str]:
    found = note_of(world, name)
    for field in fields:
        value = getattr(found, field)
        if isinstance(value, datetime):
            value = value.isoformat()
        yield f"{field}: {', '.join(value) if isinstance(value, tuple) else value}"


@action
def titles(world: World) -> Iterator[str]:
    yield from (f"{note.path}: {note.title}" for note in world.memory.notes())


@action
def dates(world: World) -> Iterator[str]:
    """Path and instant in UTC of each note, newest first, those without a date last."""
    dated = [(note.date, note.path) for note in world.memory.notes()]
    known = sorted(((d, p) for d, p in dated if d), reverse=True)
    yield from (f"{p} {d.astimezone(UTC).isoformat()}" for d, p in known)
    yield from (f"{p} -" for d, p in dated if d is None)


def _target(target: Target) -> str:
    match target:
        case Found(address, anchor, broken):
            fragment = f"#{anchor}" if anchor else ""
            return f"{address.removeprefix('memory://')}{fragment}{f' (no {broken})' if broken else ''}"
        case ConceptTarget(key):
            return f"concept {key}"
        case Ambiguous(_, candidates):
            return "ambiguous " + ", ".join(address.removeprefix("memory://") for address in candidates)
        case Missing(reason):
            return f"missing ({reason})"
        case Asset(store, path):
            return f"file {store}/{path}"
        case External(url):
            return f"external {url}"


@action
def resolve(world: World, name: str) -> Iterator[str]:
    """What each link of the note leads to."""
    found = note_of(world, name)
    for link, target in zip(found.document.links, world.memory.graph().targets[found.address], strict=True):
        yield f"{link.target} -> {_target(target)}"


@action
def backlinks(world: World, name: str) -> Iterator[str]:
    graph = world.memory.graph()
    for back in graph.backlinks.get(note_of(world, name).address, ()):
        origin = graph.notes[back.address]
        yield f"{origin.path}:{origin.document.links[back.position].line}"


@action
def concepts(world: World) -> Iterator[str]:
    for key, concept in world.memory.graph().concepts.items():
        yield f"{key} '{concept.name}' {len(concept.mentions)}"


def _problems(world: World, codes: tuple[str, ...]) -> list[Problem]:
    problems: tuple[Problem, ...] = world.memory.problems()
    return [problem for problem in problems if not codes or problem.code in codes]


@action
def check(world: World, *codes: str) -> Iterator[str]:
    """Problems of these codes (all when none is named): place, severity, code."""
    for p in _problems(world, codes):
        yield f"{p.path.removeprefix('vault/')}:{p.line}:{p.column} {p.severity} {p.code}"


@action
def messages(world: World, *codes: str) -> Iterator[str]:
    for p in _problems(world, codes):
        yield f"{p.path.removeprefix('vault/')}:{p.line}:{p.column} {p.severity} {p.code} {p.message} | {p.hint} {list(p.related)}"


@action
def find(world: World, *identifiers: str) -> Iterator[str]:
    """The address a reader means by each."""
    for identifier in identifiers:
        try:
            yield f"{identifier} -> {world.memory.find(identifier).address}"
        except MemsiteError as error:
            yield f"{identifier} -> {error.code}"


# Bytes and the disk --------------------------------------------------------------------------


@action
def _bytes(world: World, name: str) -> Iterator[str]:
    """The file as it is now."""
    yield shown(world.path(name).read_bytes())


@action
def put(world: World, name: str, content: str) -> Iterator[str]:
    """Another program writes the file."""
    path = world.root / name if "/" in name else world.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    world.forget()
    return iter(())


@action
def gone(world: World, name: str) -> Iterator[str]:
    """Another program removes the file."""
    world.path(name).unlink()
    world.forget()
    return iter(())


@action
def mode(world: World, name: str) -> Iterator[str]:
    yield f"{world.path(name).stat().st_mode & 0o7777:04o}"


@action
def ls(world: World, name: str = ".") -> Iterator[str]:
    folder = world.path(name)
    yield from sorted(p.name for p in folder.iterdir() if p.name != ".memsite")


@action
def checksum(world: World, name: str) -> Iterator[str]:
    found: Checksum = note_of(world, name).checksum
    yield found


@action
def env(world: World, *settings: str) -> Iterator[str]:
    """Set variables of the environment for the rest of the scenario."""
    for setting in settings:
        name, _, value = setting.partition("=")
        os.environ[name] = value.replace("$ROOT", str(world.root))
    time.tzset()
    world.forget()
    return iter(())


# Finding stores ------------------------------------------------------------------------------


@action
def make_store(world: World, *folders: str) -> Iterator[str]:
    """Make the system store that an agent would keep for a project folder."""
    for folder in folders:
        name = re.sub(r"[^A-Za-z0-9]", "-", str(world.root / folder))
        place = world.root / "config" / "projects" / name / "memory"
        place.mkdir(parents=True)
        (place / "MEMORY.md").write_text(f"# Memory of {folder} [[x]]\n", encoding="utf-8")
    return iter(())


@action
def locate(world: World, folder: str) -> Iterator[str]:
    """Whose store is found from a folder, and what is said about it."""
    from memsite.config import Config
    from memsite.stores import find_stores, project_root

    start = world.root / folder
    found = find_stores(Config(), project_root(start), environ=dict(os.environ))
    for store in found.stores:
        note = next((s.content.decode().strip() for s in store.sources() if s.path == "MEMORY.md"), "")
        yield f"{store.kind} {note or store.location}"
    yield from (f"note: {note.replace(str(world.root), '')}" for note in found.notes)


@action
def worktree(world: World, main: str, tree: str) -> Iterator[str]:
    """Make `tree` a git worktree of `main`, as git lays it out."""
    gitdir = world.root / main / ".git" / "worktrees" / Path(tree).name
    gitdir.mkdir(parents=True)
    (gitdir / "commondir").write_text("../..\n", encoding="utf-8")
    (world.root / tree).mkdir(parents=True, exist_ok=True)
    (world.root / tree / ".git").write_text(f"gitdir: {gitdir}\n", encoding="utf-8")
    return iter(())
