"""The state of a memory at one moment: what every report is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memsite.check import RULES, Budget, budgets, by_severity
from memsite.check.diff import MemoryDiff
from memsite.config import Config
from memsite.note import Address, Graph, Problem, StoreKind
from memsite.wording import plural


@dataclass(frozen=True, slots=True)
class StoreCount:
    name: str
    kind: StoreKind
    location: str
    notes: int


@dataclass(frozen=True, slots=True)
class Health:
    """Problems and the few figures that go with them. The same memory gives the same value."""

    problems: tuple[Problem, ...]
    stores: tuple[StoreCount, ...] = ()
    budgets: tuple[Budget, ...] = ()
    accepted: int = 0
    """Problems that the baseline accepts and that are not among `problems`."""
    title: str = "Memory"
    diff: MemoryDiff | None = None

    @property
    def notes(self) -> int:
        return sum(store.notes for store in self.stores)

    @property
    def counts(self) -> dict[str, int]:
        """Problems by severity, gravest first, none left out."""
        return by_severity(self.problems)

    @property
    def by_rule(self) -> dict[str, list[Problem]]:
        """The problems of each rule that is broken, in the order of the rules."""
        found: dict[str, list[Problem]] = {rule.code: [] for rule in RULES}
        for problem in self.problems:
            found[problem.code].append(problem)
        return {code: problems for code, problems in found.items() if problems}


def health_of(
    graph: Graph,
    problems: Sequence[Problem],
    *,
    config: Config = Config(),  # noqa: B008 - frozen
    bytes_of: Mapping[Address, bytes] | None = None,
    accepted: int = 0,
    diff: MemoryDiff | None = None,
) -> Health:
    """`problems` of `graph` with its figures; `bytes_of` holds each MEMORY.md."""
    notes = Counter(note.store for note in graph.notes.values())
    return Health(
        problems=tuple(problems),
        stores=tuple(
            StoreCount(view.name, view.kind, view.location, notes[view.name])
            for view in graph.stores.values()
        ),
        budgets=budgets(graph, config=config.check, bytes_of=bytes_of or {}),
        accepted=accepted,
        title=config.site.title,
        diff=diff,
    )


def summary(health: Health) -> str:
    """One line: `2 errors, 1 warning, 0 infos in 120 notes of 3 stores`."""
    found = ", ".join(plural(count, severity) for severity, count in health.counts.items())
    where = f"{plural(health.notes, 'note')} of {plural(len(health.stores), 'store')}"
    known = f" ({health.accepted} more accepted by the baseline)" if health.accepted else ""
    return f"{found if health.problems else 'no findings'} in {where}{known}"
