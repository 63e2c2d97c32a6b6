"""A part of a network: what lies around some of its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memsite.graph.network import Network


def neighbourhood(
    network: Network, start: Iterable[str], *, depth: int = 1, most: int | None = None
) -> Network:
    """The nodes at most `depth` edges from one of `start`, with all edges between them.

    With `most`, only so many nodes are kept. Degree, rank and community of a node stay those of the
    whole network. Unknown ids in `start` are passed over.
    """
    known = {node.id for node in network.nodes}
    first = sorted(known.intersection(start))[:most]
    room = None if most is None else most - len(first)
    around = levels(network, first, depth=depth, most=room)
    return part(network, [*first, *(node for level in around for node in level)])


def levels(
    network: Network, start: Sequence[str], *, depth: int, most: int | None = None
) -> Iterator[Mapping[str, int]]:
    """For each distance from 1 to `depth`, the nodes there and how strongly the level before leads to
    them, the strongest first.

    Edges are walked in both directions. With `most`, only so many nodes are found in all.
    """
    joined: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for edge in network.edges:
        joined[edge.source].append((edge.target, edge.weight))
        joined[edge.target].append((edge.source, edge.weight))
    seen, last = set(start), list(start)
    for _ in range(depth):
        pull: dict[str, int] = defaultdict(int)
        for node in last:
            for other, weight in joined[node]:
                if other not in seen:
                    pull[other] += weight
        last = sorted(pull, key=lambda node: (-pull[node], node))[:most]
        most = None if most is None else most - len(last)
        seen.update(last)
        yield {node: pull[node] for node in last}


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
