"""The build pipeline in order: read, check, plan, render, write, audit."""

from __future__ import annotations

import marshal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsite.beside import beside, processors
from memsite.build import names, places
from memsite.build.assets import asset_bytes, refused_assets
from memsite.build.audit import Audit
from memsite.build.changes import Earlier, changes_since
from memsite.build.kept import GRAPH, Kept
from memsite.build.last import (
    LastBuild,
    files_of,
    inputs_key,
    load,
    packed_problems,
    save,
    settings_key,
    unpacked_problems,
    world_of,
)
from memsite.build.output import MARK, Output, is_ours, open_output
from memsite.build.secrets import Gatekeeper, Leaks, guarded, note_bytes
from memsite.check import by_severity
from memsite.memory.answers import Built
from memsite.note import Address, Asset, Problem

if TYPE_CHECKING:
    from memsite.leaks import Guard
    from memsite.memory import Memory
    from memsite.pages import SitePlan

__all__ = ["BuildResult", "Leaks", "build_site", "is_ours", "planned"]

_MANY = 400
"""Notes; the graph of fewer is drawn faster than another process can begin."""

Progress = Callable[[str, int, int], None]
"""Told the stage, how many of its steps are done and how many there are."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did. Counts are files of the site; `seconds` is wall time by stage."""

    output: Path
    notes: int
    """Notes that are published."""
    private: int
    """Notes that are left out because they or their store say so."""
    problems: tuple[Problem, ...]
    """What is wrong with the memory, as far as it is published."""
    stopped: bool
    """`strict` met a problem: nothing was written, the old site stands."""
    pages: int = 0
    written: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    links: int = 0
    """Different links of each page, added up; every one of them was followed."""
    faults: tuple[str, ...] = ()
    """What the audit found wrong with the site itself: faults of memsite, one line each."""
    bytes: int = 0
    """Size of all files of the site."""
    since: dict[str, int] = field(default_factory=dict)
    """Notes added, edited and removed since the last build into this folder; empty where nobody knows."""
    seconds: dict[str, float] = field(default_factory=dict)
    plan: SitePlan | None = field(default=None, repr=False, compare=False)
    """What the pages were made from; None where nothing had to be made."""

    def answer(self) -> Built:
        """What a person or an agent is told of it."""
        return Built(
            output=str(self.output),
            stopped=self.stopped,
            notes=self.notes,
            private=self.private,
            pages=self.pages,
            written=self.written,
            unchanged=self.unchanged,
            removed=self.removed,
            since=self.since,
            links=self.links,
            bytes=self.bytes,
            problems=by_severity(self.problems),
            faults=self.faults,
            seconds={stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
        )


def build_site(
    memory: Memory,
    output: Path | str | None = None,
    *,
    strict: bool = False,
    clean: bool = False,
    cached: bool = True,
    leaks: Leaks | None = None,
    progress: Progress | None = None,
    swapping: AbstractContextManager[object] | None = None,
    earlier: Earlier | None = None,
    jobs: int | None = None,
) -> BuildResult:
    """Build the memory as a wiki in `output` (default: the folder that the configuration names).

    With `strict`, a problem of warning or higher stops the build with the old site untouched; with
    `clean`, every file of ours is removed first; without `cached`, nothing is taken from the last build.
    `leaks` says what becomes of a note with a secret (default: "refuse", or "redact" if the configuration
    says so). With `earlier`, a page says what changed since. `swapping` is held while the new files take
    the old ones' places. `jobs` processes share the work (default: as many as there are processors; one
    where threads run). Raises Locked (E013), BadConfig (E015), ForeignOutput (E016), Leak (E017) and
    ReadOnly (E018).
    """
    clock = _Clock(progress or _silent)
    target = Path(output) if output is not None else memory.project / memory.config.site.output
    policy: Leaks = leaks or ("redact" if memory.config.leaks.redact else "refuse")
    jobs = jobs or processors()
    with open_output(target, stores=[store.root for store in memory.stores]) as site:
        with clock.stage("read"):
            sources = tuple(source for store in memory.stores for source in store.sources())
            settings = settings_key(memory, leaks=policy)
            key = inputs_key(memory, sources, settings=settings)
            last = load(memory.project, site.root) if cached and not clean else None
        if last is not None and not earlier and _stands(last, key, memory, site):
            return _as_before(last, site, strict=strict, clock=clock)
        with clock.stage("read"):
            memory, guard = guarded(memory, policy, sources, jobs=jobs)
            memory.graph()
        with clock.stage("check"):
            memory.problems()
        with clock.stage("plan"):
            plan = planned(memory, settled={} if clean else None, earlier=earlier)
            if guard:
                guard.refuse(among=plan.graph.notes)
        result = _begun(site, plan.problems, strict=strict, notes=len(plan.graph.notes), private=plan.hidden)
        if result.stopped:
            return result
        if clean:
            site.clear()
            places.forget(memory.project)
        kept = Kept(site, Audit(), settings, jobs=jobs)
        kept.begin(last)
        result = _written(
            result, plan, memory, kept=kept, clock=clock, guard=guard, swapping=swapping or nullcontext()
        )
        names.save(memory.project, plan.notes)
        if not result.faults:
            # A build that compares nothing must not take this site for its own.
            _remember(result, "" if earlier else key, memory, kept)
        return result


def _begun(
    site: Output, problems: tuple[Problem, ...], *, strict: bool, notes: int, private: int
) -> BuildResult:
    stopped = strict and any(problem.severity in ("error", "warning") for problem in problems)
    return BuildResult(output=site.root, notes=notes, private=private, problems=problems, stopped=stopped)


def _stands(last: LastBuild, key: str, memory: Memory, site: Output) -> bool:
    """Whether all that the last build saw and left is the same still."""
    return (
        last.key == key
        and world_of(memory, last.named, last.assets) == last.world
        and files_of(site.root, last.files) == last.files
    )


def _as_before(last: LastBuild, site: Output, *, strict: bool, clock: _Clock) -> BuildResult:
    """What the last build said, with nothing written."""
    facts = last.facts
    problems = unpacked_problems(facts["problems"])
    result = _begun(site, problems, strict=strict, notes=facts["notes"], private=facts["private"])
    if result.stopped:
        return result
    counts = {name: facts[name] for name in ("pages", "links", "bytes")}
    since = dict.fromkeys(("added", "edited", "removed"), 0)
    return replace(result, unchanged=len(last.files) - 1, since=since, seconds=clock.seconds, **counts)


def _remember(result: BuildResult, key: str, memory: Memory, kept: Kept) -> None:
    """Keep what the next build wants to know."""
    from memsite.check import named_files
    from memsite.pages import linked_assets

    graph = memory.graph()
    named = tuple(sorted(named_files(graph)))
    assets = tuple(sorted({(asset.store, asset.path) for asset in linked_assets(graph)}))
    counts = {name: getattr(result, name) for name in ("notes", "private", "pages", "links", "bytes")}
    site = kept.site
    files = files_of(site.root, [MARK, *site.kept, *site.staged])
    facts = {**counts, "problems": packed_problems(result.problems)}
    world = world_of(memory, named, assets)
    save(memory.project, site.root, LastBuild(key, named, assets, world, files, facts, kept.record()))


def planned(
    memory: Memory, *, settled: Mapping[Address, str] | None = None, earlier: Earlier | None = None
) -> SitePlan:
    """The plan of the site. Pages stay where the last build put them, or where `settled` says."""
    from memsite.pages import linked_assets, plan

    graph = memory.graph()
    return plan(
        graph,
        memory.problems(),
        memory.config,
        memory_files=memory.memory_files(),
        refused=frozenset(refused_assets(linked_assets(graph), _roots(memory))),
        settled=names.load(memory.project) if settled is None else settled,
        changes=changes_since(earlier, memory) if earlier else None,
    )


def _written(
    result: BuildResult,
    plan: SitePlan,
    memory: Memory,
    *,
    kept: Kept,
    clock: _Clock,
    guard: Guard | None,
    swapping: AbstractContextManager[object],
) -> BuildResult:
    """Make every file of the plan that is not there yet, write it, follow its links, and put the new
    site in place."""
    site, audit = kept.site, kept.audit
    gatekeeper = Gatekeeper(guard, jobs=_jobs(plan, kept)) if guard else None
    for url, written in _files(plan, memory, kept, clock):
        with clock.stage("write"):
            site.put(url, written)
        if url.endswith((".html", ".css")):
            with clock.stage("audit"):
                audit.add(url, written.decode())
        if gatekeeper and url in site.staged:
            with clock.stage("leaks"):
                gatekeeper.take(url, written)
    if guard and gatekeeper:
        with clock.stage("leaks"):
            gatekeeper.finish()
        guard.refuse(among=plan.graph.notes)
    with clock.stage("audit"):
        faults = audit.faults({*site.kept, *site.staged})
    with clock.stage("write"), swapping:
        swap = site.swap()
    return replace(
        result,
        pages=len(plan.pages),
        written=swap.written,
        unchanged=swap.unchanged,
        removed=swap.removed,
        links=audit.links(),
        since=kept.notes_since(),
        faults=faults,
        bytes=sum(size for size, _ in files_of(site.root, [*site.kept, *site.staged]).values()),
        seconds=clock.seconds,
        plan=plan,
    )


def _files(plan: SitePlan, memory: Memory, kept: Kept, clock: _Clock) -> Iterator[tuple[str, bytes]]:
    """Every file of the site that has to be made, one after the other; the others are kept."""
    from memsite.pages import Keys, published_source, render, response_headers, search_files, static_files

    keys = Keys(plan, relations=kept.relations)
    graph = _graph_files(plan, memory, kept, keys.of_graph())
    search = _ahead(lambda: list(search_files(plan)), plan, kept)
    for done, page in enumerate(plan.pages):
        clock.progress("render", done, len(plan.pages))
        with clock.stage("compare"):
            stands = kept.keep(page.url, keys.of(page))
        if not stands:
            with clock.stage("render"):
                written = render(page, plan)
            yield page.url, written
    with clock.stage("search"):
        found = search()
    yield from found
    yield from clock.timed("graph", graph())
    yield from ((url, path.read_bytes()) for url, path in static_files(plan))
    roots = _roots(memory)
    stores = {store.name: store for store in memory.stores}
    for url, address in plan.sources.items():
        if not kept.keep(url, keys.of_source(address)):
            note = plan.graph.notes[address]
            yield url, published_source(note_bytes(stores[note.store], note.path))
    for (store, path), url in plan.assets.items():
        asset = asset_bytes(Asset(store, path), roots)
        if asset is not None:
            yield url, asset
    yield "_headers", response_headers(plan)
    yield ".nojekyll", b""
    kept.relations = keys.relations()


def _graph_files(
    plan: SitePlan, memory: Memory, kept: Kept, key: str
) -> Callable[[], Iterator[tuple[str, bytes]]]:
    """The files of the graph, unless all of them may be kept. They are begun at once, beside all the
    other work where they take long, and given out when asked for."""
    from memsite.pages import graph_files, graph_views, placements, placements_json, prepare

    if kept.keep_group(GRAPH, key):
        return lambda: iter(())

    def make() -> tuple[bytes, list[tuple[str, bytes]]]:
        views = graph_views(plan, previous=places.load(memory.project))
        return placements_json(placements(views)), list(graph_files(plan, views))

    prepare(plan)
    made = _ahead(make, plan, kept)

    def files() -> Iterator[tuple[str, bytes]]:
        placed, written = made()
        places.save(memory.project, placed)
        kept.grouped(GRAPH, [url for url, _ in written])
        yield from written

    return files


def _ahead(make: Callable[[], Any], plan: SitePlan, kept: Kept) -> Callable[[], Any]:
    """Begin to make plain values in another process, where the memory is large enough for that."""
    made = beside(lambda: marshal.dumps(make()), jobs=_jobs(plan, kept))
    return lambda: marshal.loads(made())  # noqa: S302 - from our own process


def _jobs(plan: SitePlan, kept: Kept) -> int:
    return kept.jobs if len(plan.graph.notes) >= _MANY else 1


def _roots(memory: Memory) -> dict[str, Path]:
    return {store.name: store.root for store in memory.stores}


class _Clock:
    """Adds up the wall time of each stage, in seconds, and passes progress on."""

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self.progress = progress

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0, 0)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def timed(self, name: str, files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """The same files one by one, what each takes to make counted to a stage."""
        while True:
            with self.stage(name):
                made = next(files, None)
            if made is None:
                return
            yield made


def _silent(_stage: str, _done: int, _all: int) -> None:
    """No progress."""
