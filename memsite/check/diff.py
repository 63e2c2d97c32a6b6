"""What changed between two states of a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memsite.check.baseline import fingerprints
from memsite.check.memory_file import Budget
from memsite.check.problems import shown_path, sorted_problems
from memsite.note import Address, ConceptTarget, Found, Graph, Missing, Note, Problem, Target

_ALIKE = 0.6
"""Share of common words from which a note that went and one that came are the same note, moved."""
_SHINGLE = 4


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note in both states. `before` and `path` differ when it was moved."""

    path: str
    title: str
    before: str
    words: int
    """How many words it grew by; negative when it shrank."""
    edited: bool
    """Whether its bytes differ, or what the index says of it."""


@dataclass(frozen=True, slots=True)
class NoteName:
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link from the note at `path` to what `target` names (a path or a concept)."""

    path: str
    target: str


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """All sorted, so that equal states give an equal diff."""

    added: tuple[NoteName, ...]
    removed: tuple[NoteName, ...]
    changed: tuple[NoteChange, ...]
    moved: tuple[NoteChange, ...]
    links_made: tuple[LinkChange, ...]
    links_gone: tuple[LinkChange, ...]
    links_broken: tuple[LinkChange, ...]
    """Links that led to a note before and lead nowhere now."""
    concepts_came: tuple[str, ...]
    concepts_went: tuple[str, ...]
    budgets: tuple[tuple[Budget | None, Budget | None], ...]
    """Each MEMORY.md before and after."""
    new: tuple[Problem, ...]
    fixed: tuple[Problem, ...]
    still: tuple[Problem, ...]

    @property
    def empty(self) -> bool:
        """Whether the two states say the same."""
        return not (self.added or self.removed or self.changed or self.moved or self.new or self.fixed)


@dataclass(frozen=True, slots=True)
class State:
    """One side of the comparison."""

    graph: Graph
    problems: tuple[Problem, ...] = ()
    budgets: tuple[Budget, ...] = ()


def compare(before: State, after: State) -> MemoryDiff:
    """What was done to get from `before` to `after`. Pure; linear but for notes that were moved."""
    moved_to = moves(before.graph, after.graph)
    kept = {address: moved_to.get(address, address) for address in before.graph.notes}
    kept = {old: new for old, new in kept.items() if new in after.graph.notes}
    changes = [_change(before.graph, after.graph, old, new) for old, new in kept.items()]
    came = after.graph.notes.keys() - kept.values()
    went = before.graph.notes.keys() - kept.keys()
    old_links, new_links = _links(before.graph, kept), _links(after.graph, {})
    new, fixed, still = _problems(before, after, changes)
    return MemoryDiff(
        added=_names(after.graph, came),
        removed=_names(before.graph, went),
        changed=tuple(sorted((c for c in changes if c.edited and c.before == c.path), key=_by_path)),
        moved=tuple(sorted((c for c in changes if c.before != c.path), key=_by_path)),
        links_made=_link_changes(new_links - old_links, after.graph),
        links_gone=_link_changes(
            (link for link in old_links - new_links if link[0] in after.graph.notes),
            after.graph,
            before.graph,
        ),
        links_broken=_broken(before.graph, after.graph, kept),
        concepts_came=_concepts(after.graph, before.graph),
        concepts_went=_concepts(before.graph, after.graph),
        budgets=_budget_pairs(before.budgets, after.budgets),
        new=new,
        fixed=fixed,
        still=still,
    )


def _by_path(change: NoteChange) -> str:
    return change.path


def _names(graph: Graph, addresses: Iterable[Address]) -> tuple[NoteName, ...]:
    notes = (graph.notes[address] for address in sorted(addresses))
    return tuple(NoteName(shown_path(graph, note), note.title) for note in notes)


def _change(before: Graph, after: Graph, old: Address, new: Address) -> NoteChange:
    was, now = before.notes[old], after.notes[new]
    return NoteChange(
        path=shown_path(after, now),
        title=now.title,
        before=shown_path(before, was),
        words=now.document.words - was.document.words,
        edited=was.checksum != now.checksum or _told(was) != _told(now),
    )


def _told(note: Note) -> tuple[object, ...]:
    """What the index may say of a note."""
    return note.title, note.type, note.tags, note.date_text


# Moves ---------------------------------------------------------------------------------------


def moves(before: Graph, after: Graph) -> dict[Address, Address]:
    """Where notes went that are gone from their place: first by equal bytes, then by like text."""
    gone = [note for address, note in before.notes.items() if address not in after.notes]
    come = [note for address, note in after.notes.items() if address not in before.notes]
    found: dict[Address, Address] = {}
    waiting: dict[str, list[Note]] = {}
    for note in come:
        waiting.setdefault(note.checksum, []).append(note)
    for note in gone:
        if twins := waiting.get(note.checksum):
            found[note.address] = twins.pop(0).address
    taken = set(found.values())
    return found | _alike(
        [note for note in gone if note.address not in found],
        [note for note in come if note.address not in taken],
    )


def _alike(gone: Sequence[Note], come: Sequence[Note]) -> dict[Address, Address]:
    """For each of `gone` the likeliest of `come` that no other has taken, then the first by address."""
    owners: dict[str, list[Address]] = {}
    free = {note.address: len(_shingles(note)) for note in come}
    for note in come:
        for shingle in _shingles(note):
            owners.setdefault(shingle, []).append(note.address)
    found: dict[Address, Address] = {}
    for note in gone:
        mine = _shingles(note)
        common = Counter(address for shingle in mine for address in owners.get(shingle, ()))
        likeness = {
            address: count / (len(mine) + free[address] - count)
            for address, count in common.items()
            if address in free
        }
        best = min(likeness, key=lambda address: (-likeness[address], address), default="")
        if best and likeness[best] >= _ALIKE:
            found[note.address] = best
            del free[best]
    return found


def _shingles(note: Note) -> frozenset[str]:
    """Runs of four words of the note's text; of a text without blanks, runs of characters."""
    text = note.document.text
    words: Sequence[str] = text.split()
    if len(words) < len(text) / 30:
        words = text
    return frozenset(
        "\0".join(words[start : start + _SHINGLE]) for start in range(max(len(words) - _SHINGLE + 1, 1))
    )


# Links and concepts --------------------------------------------------------------------------

Edge = tuple[Address, str]


def _end(target: Target, kept: Mapping[Address, Address]) -> str | None:
    if isinstance(target, Found):
        return kept.get(target.address, target.address)
    return f"[[{target.key}]]" if isinstance(target, ConceptTarget) else None


def _links(graph: Graph, kept: Mapping[Address, Address]) -> set[Edge]:
    """Who links to what, with the addresses that notes have now."""
    return {
        (kept.get(address, address), end)
        for address, targets in graph.targets.items()
        for target in targets
        if not isinstance(target, Found) or target.address in graph.notes  # else it is a private note
        if (end := _end(target, kept)) is not None and end != kept.get(address, address)
    }


def _link_changes(edges: Iterable[Edge], *graphs: Graph) -> tuple[LinkChange, ...]:
    """The links with paths instead of addresses; the first graph that has a note names it."""

    def shown(end: str) -> str:
        return next((shown_path(graph, graph.notes[end]) for graph in graphs if end in graph.notes), end)

    return tuple(LinkChange(shown(source), shown(end)) for source, end in sorted(edges))


def _broken(before: Graph, after: Graph, kept: Mapping[Address, Address]) -> tuple[LinkChange, ...]:
    broken: set[LinkChange] = set()
    for old, new in kept.items():
        led = {
            link.target
            for link, target in zip(
                before.notes[old].document.links, before.targets.get(old, ()), strict=False
            )
            if isinstance(target, Found)
        }
        note = after.notes[new]
        for link, target in zip(note.document.links, after.targets.get(new, ()), strict=False):
            if isinstance(target, Missing) and link.target in led:
                broken.add(LinkChange(shown_path(after, note), link.target))
    return tuple(sorted(broken, key=lambda link: (link.path, link.target)))


def _concepts(these: Graph, others: Graph) -> tuple[str, ...]:
    return tuple(concept.name for key, concept in these.concepts.items() if key not in others.concepts)


# Budget and problems -------------------------------------------------------------------------


def _budget_pairs(
    before: Iterable[Budget], after: Iterable[Budget]
) -> tuple[tuple[Budget | None, Budget | None], ...]:
    was, now = ({budget.path: budget for budget in side} for side in (before, after))
    return tuple((was.get(path), now.get(path)) for path in sorted(was.keys() | now.keys()))


def _problems(
    before: State, after: State, changes: Iterable[NoteChange]
) -> tuple[tuple[Problem, ...], tuple[Problem, ...], tuple[Problem, ...]]:
    """New, fixed and remaining; a problem of a moved note moves with it."""
    now_at = {change.before: change.path for change in changes}
    old = sorted_problems(replace(each, path=now_at.get(each.path, each.path)) for each in before.problems)
    was = dict(zip(fingerprints(old), old, strict=True))
    now = dict(zip(fingerprints(after.problems), after.problems, strict=True))
    return (
        tuple(problem for mark, problem in now.items() if mark not in was),
        tuple(problem for mark, problem in was.items() if mark not in now),
        tuple(problem for mark, problem in now.items() if mark in was),
    )
