"""How much a memory holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memsite.check import by_severity
from memsite.memory.answers import Counts

if TYPE_CHECKING:
    from memsite.memory import Memory


def counts(memory: Memory) -> Counts:
    """Notes, links, concepts, how they hang together, and what is wrong."""
    from memsite.graph import concept_network

    graph = memory.graph()
    network = concept_network(graph, resolution=memory.config.graph.resolution, seed=memory.config.graph.seed)
    per_store = Counter(note.store for note in graph.notes.values())
    return Counts(
        notes=len(graph.notes),
        by_store={store.name: per_store[store.name] for store in memory.stores},
        links=sum(len(targets) for targets in graph.targets.values()),
        concepts=len(graph.concepts),
        relations=len(network.edges),
        communities=len(network.communities),
        modularity=network.modularity,
        problems=by_severity(memory.problems()),
    )
