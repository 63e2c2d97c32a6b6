"""Which notes and concepts belong together because they occur together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log2

from memsite.note import Address, Ambiguous, Backlink, ConceptTarget, Found, Graph

_COMMON = 60
"""What so many notes share says little about any two of them, and costs much to compare."""
_RELATED = 8
_TOGETHER = 24
_LOOKED_AT = 300
"""Notes of a concept that are read for what else they name."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A related note, and the concepts that make it so."""

    address: Address
    names: tuple[str, ...]


@dataclass
class Relations:
    """Tables of who names what, made once for a graph. Names are concept keys and addresses."""

    graph: Graph
    _named: dict[Address, tuple[str, ...]] = field(init=False)
    _naming: dict[str, list[Address]] = field(init=False)
    _uses: dict[str, list[Backlink]] = field(init=False)

    def __post_init__(self) -> None:
        self._named = {address: tuple(dict.fromkeys(self._names_in(address))) for address in self.graph.notes}
        self._naming = defaultdict(list)
        for address, names in self._named.items():
            for name in names:
                self._naming[name].append(address)
        self._uses = defaultdict(list)
        for address in self.graph.notes:
            for position, target in enumerate(self.graph.targets[address]):
                if isinstance(target, Ambiguous):
                    self._uses[target.name].append(Backlink(address, position))

    def _names_in(self, address: Address) -> Iterator[str]:
        for target in self.graph.targets[address]:
            if isinstance(target, ConceptTarget) and target.key in self.graph.concepts:
                yield target.key
            elif isinstance(target, Found) and target.address in self.graph.notes and target.address != address:
                yield target.address

    def related(self, address: Address) -> tuple[Shared, ...]:
        """Notes that name the same rare things and are not linked already, closest first."""
        scores: defaultdict[Address, float] = defaultdict(float)
        shared: defaultdict[Address, list[str]] = defaultdict(list)
        for name in self._named[address]:
            others = self._naming[name]
            if len(others) > _COMMON:
                continue
            for other in others:
                scores[other] += 1 / log2(1 + len(others)) if other != address else 0.0
                shared[other].append(name)
        linked = {address, *self._named[address]}
        best = sorted((-score, other) for other, score in scores.items() if other not in linked)[:_RELATED]
        return tuple(Shared(other, tuple(map(self.name_of, shared[other][:3]))) for _, other in best)

    def together(self, key: str) -> tuple[tuple[str, int], ...]:
        """What else the notes that name this concept name, with the number of notes, most first."""
        counts: Counter[str] = Counter()
        for address in self._naming.get(key, ())[:_LOOKED_AT]:
            counts.update(name for name in self._named[address] if name != key)
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOGETHER])

    def uses(self, name: str) -> tuple[Backlink, ...]:
        """The links that carry this ambiguous name."""
        return tuple(self._uses.get(name, ()))

    def name_of(self, name: str) -> str:
        """How a concept or note is called."""
        return self.graph.concepts[name].name if name in self.graph.concepts else self.graph.notes[name].title
