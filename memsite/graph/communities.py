"""Communities of a network: Louvain with a fixed seed, numbered by size, named after their centre."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NAMED_AFTER = 3

_MANY_EDGES = 150_000
_STRONG_TIES = 16


@dataclass(frozen=True, slots=True)
class Community:
    number: int
    name: str
    """Labels of its three most central nodes."""
    members: tuple[str, ...]
    """Ids of its nodes, most central first."""


@dataclass(frozen=True, slots=True)
class Grouping:
    of: tuple[int, ...]
    """Number of each node's community, -1 for a node without edges."""
    communities: tuple[Community, ...]
    modularity: float
    """Of the grouping at resolution 1, between -0.5 and 1, to six decimals."""


def find_communities(
    ids: Sequence[str],
    labels: Sequence[str],
    ranks: Sequence[float],
    joined: Sequence[tuple[int, int, int]],
    *,
    resolution: float = 1.0,
    seed: int = 42,
) -> Grouping:
    """Group nodes 0..n-1 by `joined` (node, node, weight), the two directions of a pair summed.

    Always networkx' Louvain, though faster ones exist as wheels for some machines: the same memory
    has to give the same numbers everywhere. Of more than 150,000 edges only the 16 strongest of each
    node are looked at, which bounds the time (about 2 s for 10,000 nodes). The biggest community is
    number 0; of equal ones the one with the smallest id.
    """
    weights: dict[tuple[int, int], int] = defaultdict(int)
    for one, other, weight in joined:
        weights[min(one, other), max(one, other)] += weight
    joined = [(one, other, weight) for (one, other), weight in sorted(weights.items())]
    if len(joined) > _MANY_EDGES:
        joined = [joined[place] for place in strongest(len(ids), joined, each=_STRONG_TIES)]
    groups = sorted(_louvain(joined, resolution, seed), key=lambda group: (-len(group), group[0]))
    of = [-1] * len(ids)
    for number, group in enumerate(groups):
        for place in group:
            of[place] = number
    communities = []
    for number, group in enumerate(groups):
        central = sorted(group, key=lambda place: (-ranks[place], ids[place]))
        name = _named_after([labels[place] for place in central])
        communities.append(Community(number, name, tuple(ids[place] for place in central)))
    return Grouping(tuple(of), tuple(communities), _modularity(weights, of))


def strongest(count: int, joined: Sequence[tuple[int, int, int]], *, each: int) -> list[int]:
    """Positions in `joined` (node, node, weight) of the edges that are among the `each` strongest of
    one of their two nodes, in order. Of equally strong ones, those to the rarer partner.
    """
    import numpy as np

    if not joined:
        return []
    table = np.array(joined, dtype=np.int64)
    near = np.concatenate([table[:, 0], table[:, 1]])
    far = np.concatenate([table[:, 1], table[:, 0]])
    weight = np.concatenate([table[:, 2], table[:, 2]])
    sums = np.bincount(near, weight, count).astype(np.int64)
    order = np.lexsort((far, sums[far], -weight, near))
    first = np.searchsorted(near[order], np.arange(count))
    place = np.arange(len(order)) - first[near[order]]
    return sorted({int(edge) % len(joined) for edge in order[place < each]})


def _louvain(joined: Sequence[tuple[int, int, int]], resolution: float, seed: int) -> list[list[int]]:
    if not joined:
        return []
    import networkx as nx

    network: nx.Graph[int] = nx.Graph()
    network.add_nodes_from(sorted({place for edge in joined for place in edge[:2]}))
    network.add_weighted_edges_from(joined)
    found = nx.community.louvain_communities(network, resolution=resolution, seed=seed)
    return [sorted(group) for group in found]


def _named_after(labels: Iterable[str]) -> str:
    return ", ".join(list(dict.fromkeys(labels))[:_NAMED_AFTER])


def _modularity(weights: dict[tuple[int, int], int], of: Sequence[int]) -> float:
    """Newman's Q: share of the weight inside communities, less what chance would put there."""
    total = sum(weights.values())
    inside = 0
    ends: dict[int, int] = defaultdict(int)
    for (one, other), weight in weights.items():
        inside += weight * (of[one] == of[other])
        ends[of[one]] += weight
        ends[of[other]] += weight
    if not total:
        return 0.0
    # Whole numbers up to here, and one division: no order of summing can change a digit.
    expected = sum(count * count for count in ends.values())
    quality: float = round((4 * total * inside - expected) / (4 * total * total), 6)
    return quality
