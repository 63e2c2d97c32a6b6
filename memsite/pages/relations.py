"""What a note or concept has to do with others without a link: kinship, company, plain mentions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memsite.graph import Community, Network, concept_network
from memsite.graph.kinship import Related, related
from memsite.graph.mentions import Mention, mentions
from memsite.graph.network import CONCEPT, node_id
from memsite.note import Address, Ambiguous, Backlink, Graph

_TOGETHER = 24
_LOOKED_AT = 300
"""Notes of a concept that are read for what else they name."""


@dataclass
class Relations:
    """Tables of who names what, each made once for a graph when it is first needed. Nodes are
    addresses, and concept keys behind `CONCEPT`."""

    graph: Graph
    resolution: float = 1.0
    seed: int = 42

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
            counts.update(self._nodes[address])
        del counts[CONCEPT + key]
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOGETHER])

    def community(self, key: str) -> Community | None:
        """The group that a concept belongs to; None for one that occurs with nothing else."""
        number = self._communities.get(CONCEPT + key, -1)
        return self.network.communities[number] if number >= 0 else None

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
    def _communities(self) -> Mapping[str, int]:
        return {node.id: node.community for node in self.network.nodes}

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
