"""What lies around a concept: what occurs together with it, what lies behind that, and its community."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memsite.errors import BadArgument, MemsiteError, NotFound
from memsite.memory.answers import ConceptContext, Preview, Relation
from memsite.note import Address, Backlink, Graph

if TYPE_CHECKING:
    from memsite.graph import Network
    from memsite.memory import Memory

_PREVIEW = 280
"""Characters of a preview."""


def context_of(memory: Memory, concept: str, *, depth: int, most: int, content: bool) -> ConceptContext:
    """The neighbourhood of a concept or note, at most `most` relations of each kind.

    Raises NotFound (E002) with near concepts, BadArgument (E019) for a depth or number below 1.
    """
    from memsite.graph import concept_network, levels

    if depth < 1 or most < 1:
        raise BadArgument("Depth and number of relations start at 1.")
    graph = memory.graph()
    node = _node_of(memory, graph, concept)
    network = concept_network(graph, resolution=memory.config.graph.resolution, seed=memory.config.graph.seed)
    around = _Around(graph, network)
    nearest, *farther = levels(network, [node], depth=depth)
    notes = around.notes(node)
    return ConceptContext(
        key=node.removeprefix("concept:"),
        name=around.label(node),
        address=node if node in graph.notes else None,
        notes=notes,
        relations=around.relations(node, nearest, most, depth=1),
        expanded=tuple(
            each
            for level, found in enumerate(farther, 2)
            for each in around.relations(node, found, most, depth=level)
        )[:most],
        community=around.community(node),
        siblings=around.siblings(node, nearest, most),
        previews=tuple(_preview(graph, address) for address in notes[:most]) if content else (),
    )


def _node_of(memory: Memory, graph: Graph, concept: str) -> str:
    from memsite.graph.network import CONCEPT
    from memsite.markdown import concept_key

    name = concept.strip().removeprefix("[[").removesuffix("]]")
    key = concept_key(name)
    if key in graph.concepts:
        return CONCEPT + key
    try:
        return memory.find(name).address
    except MemsiteError as error:
        near = [graph.concepts[each].name for each in get_close_matches(key, graph.concepts, n=5)]
        other = error.hint if error.details.get("near") else "`memsite search` looks for words in the text."
        hint = f"Near: {', '.join(near)}." if near else other
        raise NotFound(f"There is no concept '{concept}'.", hint=hint, near=near) from error


class _Around:
    """What a graph and its co-occurrence network tell about nodes."""

    def __init__(self, graph: Graph, network: Network) -> None:
        self._graph = graph
        self._nodes = {node.id: node for node in network.nodes}

    def label(self, node: str) -> str:
        if node in self._graph.notes:
            return self._graph.notes[node].title
        return self._graph.concepts[node.removeprefix("concept:")].name

    def community(self, node: str) -> int:
        return self._nodes[node].community if node in self._nodes else -1

    def relations(
        self, start: str, weights: Mapping[str, int], most: int, *, depth: int
    ) -> tuple[Relation, ...]:
        ranked = sorted(weights, key=lambda node: (-weights[node], self.label(node).casefold(), node))[:most]
        here = set(self.notes(start))
        return tuple(
            Relation(
                node.removeprefix("concept:"),
                self.label(node),
                weights[node],
                tuple(address for address in self.notes(node) if depth > 1 or address in here),
                depth,
            )
            for node in ranked
        )

    def siblings(self, node: str, direct: Mapping[str, int], most: int) -> tuple[str, ...]:
        own = self.community(node)
        if own < 0:
            return ()
        others = [
            each
            for each in self._nodes.values()
            if each.community == own and each.id != node and each.id not in direct
        ]
        others.sort(key=lambda each: (-each.rank, each.id))
        return tuple(each.label for each in others[:most])

    def notes(self, node: str) -> tuple[Address, ...]:
        """The notes that link to it, each once."""
        return tuple(dict.fromkeys(mention.address for mention in self._mentions(node)))

    def _mentions(self, node: str) -> tuple[Backlink, ...]:
        concept = self._graph.concepts.get(node.removeprefix("concept:"))
        return concept.mentions if concept is not None else self._graph.backlinks.get(node, ())


def _preview(graph: Graph, address: Address) -> Preview:
    note = graph.notes[address]
    text = " ".join(note.document.text.split())
    cut = text if len(text) <= _PREVIEW else text[:_PREVIEW].rsplit(" ", 1)[0] + " …"
    return Preview(address, note.title, cut)
