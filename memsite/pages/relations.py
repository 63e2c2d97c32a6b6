"""What a note or concept has to do with others without a link: kinship, company, plain mentions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

from memsite.graph import Community, Network, concept_network
from memsite.graph.kinship import Related, related
from memsite.graph.mentions import Mention, mentions
from memsite.graph.network import CONCEPT, node_id, things_of
from memsite.note import Address, Ambiguous, Backlink, Graph

_ANY = ("utf-8", "surrogatepass")
_TOGETHER = 24
_LOOKED_AT = 300
"""Notes of a concept that are read for what else they name."""
_TELLING = 1_000
"""Nodes; that two of them stand in a note which names more says nothing."""


Record: TypeAlias = tuple[str, dict[Address, list[tuple[Any, ...]]], list[tuple[Any, ...]]]
"""What the tables depend on, as a checksum; the relatives of each note; the groups. Plain values."""


@dataclass
class Relations:
    """Tables of who names what, each made once for a graph when it is first needed. Nodes are
    addresses, and concept keys behind `CONCEPT`."""

    graph: Graph
    resolution: float = 1.0
    seed: int = 42
    _recalled: Record | None = None
    _companions: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def recall(self, record: Record) -> None:
        """Take the tables of an earlier build where nothing that they depend on has changed since."""
        if record[0] == self._links:
            self._recalled = record

    def record(self) -> Record:
        """The tables for the next build."""
        kin = {
            address: [(one.address, one.score, one.shared) for one in found]
            for address, found in self._related.items()
        }
        return self._links, kin, [(one.number, one.name, one.members) for one in self.communities]

    def related(self, address: Address) -> tuple[Related, ...]:
        """Notes that link to the same rare things and are not linked from here already."""
        linked = self._nodes[address]
        return tuple(one for one in self._related.get(address, ()) if one.address not in linked)

    def mentions(self, address: Address) -> tuple[Mention, ...]:
        """Where the note's name stands in plain text."""
        return self._mentions.get(address, ())

    def together(self, key: str) -> tuple[tuple[str, int], ...]:
        """The nodes that notes with this concept name too, with the number of notes, most first."""
        concept = self.graph.concepts[key]
        counts: Counter[str] = Counter()
        for address in list(dict.fromkeys(one.address for one in concept.mentions))[:_LOOKED_AT]:
            if len(self._nodes[address]) <= _TELLING:
                counts.update(self._nodes[address])
        del counts[CONCEPT + key]
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOGETHER])

    def company(self, key: str) -> tuple[str, tuple[str, ...]]:
        """What the group of a concept is called, and the concepts in it, most mentioned first: an order
        that stays when something else in the memory changes. Nothing for one that occurs alone."""
        number = self._community_of.get(CONCEPT + key)
        if number is None:
            return "", ()
        group = self.communities[number]
        if number not in self._companions:
            concepts = self.graph.concepts
            keys = (node.removeprefix(CONCEPT) for node in group.members if node.startswith(CONCEPT))
            ordered = sorted(keys, key=lambda one: (-len(concepts[one].mentions), one))
            self._companions[number] = tuple(ordered)
        return group.name, self._companions[number]

    def uses(self, name: str) -> tuple[Backlink, ...]:
        """The links that carry this ambiguous name."""
        return tuple(self._uses.get(name, ()))

    def name_of(self, node: str) -> str:
        """How a node is called; empty for one that is not published."""
        if node.startswith(CONCEPT):
            concept = self.graph.concepts.get(node.removeprefix(CONCEPT))
            return concept.name if concept else ""
        return self.graph.notes[node].title if node in self.graph.notes else ""

    @cached_property
    def network(self) -> Network:
        """What occurs together: the same network as the one that the graph page draws."""
        return concept_network(self.graph, resolution=self.resolution, seed=self.seed)

    @cached_property
    def communities(self) -> tuple[Community, ...]:
        """The groups of the network."""
        if self._recalled:
            return tuple(Community(*one) for one in self._recalled[2])
        return self.network.communities

    @cached_property
    def _community_of(self) -> Mapping[str, int]:
        return {node: group.number for group in self.communities for node in group.members}

    @cached_property
    def _links(self) -> str:
        """Checksum of who links to what, and of the names."""
        graph = self.graph
        digest = sha256(repr((self.resolution, self.seed)).encode())
        for address, note in graph.notes.items():
            digest.update("\0".join((address, note.title, *things_of(graph, address), "\n")).encode(*_ANY))
        for key, concept in graph.concepts.items():
            digest.update(f"{key}\0{concept.name}\n".encode(*_ANY))
        return digest.hexdigest()

    @cached_property
    def _nodes(self) -> Mapping[Address, frozenset[str]]:
        """The published nodes that each note links to, itself left out."""
        known = self.graph.notes.keys() | {CONCEPT + key for key in self.graph.concepts}
        return {
            address: frozenset(node for target in targets if (node := node_id(target)) in known) - {address}
            for address, targets in self.graph.targets.items()
        }

    @cached_property
    def _related(self) -> Mapping[Address, tuple[Related, ...]]:
        if self._recalled:
            return {
                address: tuple(Related(*one) for one in found) for address, found in self._recalled[1].items()
            }
        return related(self.graph, most=9)

    @cached_property
    def _mentions(self) -> Mapping[Address, tuple[Mention, ...]]:
        return mentions(self.graph)

    @cached_property
    def _uses(self) -> Mapping[str, list[Backlink]]:
        uses: defaultdict[str, list[Backlink]] = defaultdict(list)
        for address, targets in self.graph.targets.items():
            for position, target in enumerate(targets):
                if isinstance(target, Ambiguous):
                    uses[target.name].append(Backlink(address, position))
        return uses
