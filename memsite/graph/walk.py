"""A part of a network: what lies around some of its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from memsite.graph.network import Network


def neighbourhood(
    network: Network, start: Iterable[str], *, depth: int = 1, most: int | None = None
) -> Network:
    """The nodes at most `depth` edges from one of `start`, with all edges between them.

    Edges are walked in both directions. With `most`, only so many nodes are kept: nearer before
    farther, then those with the strongest edges to what is kept already. Degree, rank and
    community of a node stay those of the whole network. Unknown ids in `start` are passed over.
    """
    weights: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for edge in network.edges:
        weights[edge.source].append((edge.target, edge.weight))
        weights[edge.target].append((edge.source, edge.weight))
    known = {node.id for node in network.nodes}
    kept = dict.fromkeys(sorted(known.intersection(start))[:most])
    level = list(kept)
    for _ in range(depth):
        pull: dict[str, int] = defaultdict(int)
        for node in level:
            for other, weight in weights[node]:
                if other not in kept:
                    pull[other] += weight
        room = None if most is None else most - len(kept)
        level = sorted(pull, key=lambda node: (-pull[node], node))[:room]
        kept.update(dict.fromkeys(level))
    return part(network, kept)


def part(network: Network, ids: Iterable[str]) -> Network:
    """The network of these nodes only. Communities keep their numbers and lose absent members."""
    kept = frozenset(ids)
    return replace(
        network,
        nodes=tuple(node for node in network.nodes if node.id in kept),
        edges=tuple(edge for edge in network.edges if edge.source in kept and edge.target in kept),
        communities=tuple(
            replace(community, members=tuple(member for member in community.members if member in kept))
            for community in network.communities
        ),
    )
