"""What changed in the published part of a memory since an earlier state of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memsite.build.secrets import guarded
from memsite.check import State, budgets, compare, moves
from memsite.note import Graph, Note, Problem

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.pages import Changes


@dataclass(frozen=True, slots=True)
class Earlier:
    """A state to compare with; nothing of it is read any more."""

    since: str
    """How it was asked for."""
    state: State
    stores: frozenset[str]
    """Names of the stores that can be compared."""


def state_of(memory: Memory) -> State:
    """All of the memory that a comparison looks at."""
    graph = memory.graph()
    found = budgets(graph, config=memory.config.check, bytes_of=memory.memory_files())
    return State(graph, memory.problems(), found)


def cleaned(memory: Memory) -> Memory:
    """An earlier memory without secrets: they must not come back with the names of what is gone."""
    sources = tuple(source for store in memory.stores for source in store.sources())
    return guarded(memory, "redact", sources)[0]


def changes_since(earlier: Earlier, memory: Memory) -> Changes:
    """The changes as the site may tell them: nothing of what is private now, or was."""
    from memsite.pages import Changes

    now = _within(state_of(memory), earlier.stores)
    before = _hidden_as_now(earlier.state, now.graph)
    return Changes(earlier.since, compare(_published(before), _published(now)))


def _within(state: State, stores: Collection[str]) -> State:
    graph = state.graph
    if graph.stores.keys() <= set(stores):
        return state
    notes = {address: note for address, note in graph.notes.items() if note.store in stores}
    kept = Graph(
        stores={name: view for name, view in graph.stores.items() if name in stores},
        notes=notes,
        targets={address: graph.targets[address] for address in notes},
        backlinks={},
        concepts={
            key: concept
            for key, concept in graph.concepts.items()
            if any(mention.address in notes for mention in concept.mentions)
        },
    )
    paths = {view.prefix for view in kept.stores.values()}
    return State(
        kept,
        tuple(problem for problem in state.problems if problem.store in stores),
        tuple(budget for budget in state.budgets if any(budget.path.startswith(path) for path in paths)),
    )


def _hidden_as_now(before: State, now: Graph) -> State:
    """`before` with every note private that is private now, wherever it lay."""
    moved = moves(before.graph, now)
    after = {old: now.notes.get(moved.get(old, old)) for old in before.graph.notes}
    notes = {
        old: replace(note, published=False) if (new := after[old]) and not _is_public(new, now) else note
        for old, note in before.graph.notes.items()
    }
    stores = {
        name: replace(view, publish=now.stores[name].publish) if name in now.stores else view
        for name, view in before.graph.stores.items()
    }
    return replace(before, graph=replace(before.graph, notes=notes, stores=stores))


def _is_public(note: Note, graph: Graph) -> bool:
    return note.published and graph.stores[note.store].publish


def _published(state: State) -> State:
    from memsite.pages import published_graph, published_problems

    public = published_graph(state.graph)
    problems: tuple[Problem, ...] = published_problems(state.problems, state.graph, public)
    paths = {view.prefix for view in public.stores.values()}
    shown = tuple(each for each in state.budgets if any(each.path.startswith(path) for path in paths))
    return State(public, problems, shown)
