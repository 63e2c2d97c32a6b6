"""Communities of a network: Louvain with a fixed seed, numbered by size, named after their centre."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Joined: TypeAlias = Any
"""Edges as rows (node, node, weight) of whole numbers: a sequence, or a numpy table of int64."""

_NAMED_AFTER = 3

_VISITS = 20
"""A node is looked at so many times on average at most, on one level: the time stays linear."""
_LEAST_GAIN = 1e-9
_STRONG_TIES = 16
"""Edges a node on average that are looked at. Memories have about ten; what has more is pruned, so that
the time grows with the nodes."""
_HEAVIEST = 2**20 - 1
"""Heavier edges are equally strong: what they are compared by fits in 63 bits up to two million nodes."""


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
    pairs: Any,
    *,
    resolution: float = 1.0,
    seed: int = 42,
) -> Grouping:
    """Group nodes 0..n-1 by the table that `undirected` makes of their edges.

    Always the Louvain below, though faster ones exist as wheels for some machines: the same memory
    has to give the same numbers everywhere. Where a node has more than 16 edges on average, only the 16
    strongest of each are looked at. The biggest community is number 0; of equal ones the one with the
    smallest id.
    """
    strong = pairs
    if len(pairs) > _STRONG_TIES * len(ids):
        strong = pairs[strongest(len(ids), pairs, each=_STRONG_TIES)]
    groups = sorted(_louvain(strong, resolution, seed), key=lambda group: (-len(group), group[0]))
    of = [-1] * len(ids)
    for number, group in enumerate(groups):
        for place in group:
            of[place] = number
    communities = []
    for number, group in enumerate(groups):
        central = sorted(group, key=lambda place: (-ranks[place], ids[place]))
        name = _named_after([labels[place] for place in central])
        communities.append(Community(number, name, tuple(ids[place] for place in central)))
    return Grouping(tuple(of), tuple(communities), _modularity(pairs, of))


def undirected(count: int, joined: Joined) -> Any:
    """A row (smaller node, larger node, weight) for each pair, sorted; the two directions summed."""
    import numpy as np

    table = np.asarray(joined, dtype=np.int64).reshape(-1, 3)
    one, other = table[:, 0], table[:, 1]
    pairs, place = np.unique(np.minimum(one, other) * count + np.maximum(one, other), return_inverse=True)
    # Sums of whole numbers below 2^53 are exact.
    weights = np.bincount(place, table[:, 2], len(pairs)).astype(np.int64)
    return np.column_stack([pairs // max(1, count), pairs % max(1, count), weights])


def strongest(count: int, joined: Joined, *, each: int) -> list[int]:
    """Positions in `joined` (node, node, weight) of the edges that are among the `each` strongest of
    one of their two nodes, in order. Of equally strong ones, those to the rarer partner.
    """
    import numpy as np

    if not len(joined):
        return []
    one, other, weight = np.ascontiguousarray(np.asarray(joined, dtype=np.int64).T)
    sums = np.bincount(one, weight, count) + np.bincount(other, weight, count)
    rarity = np.empty(count, dtype=np.int64)
    rarity[np.argsort(sums, kind="stable")] = np.arange(count)
    # One number says it all, so that one sort is enough: node, then weight falling, then partner.
    weakness = _HEAVIEST - np.minimum(weight, _HEAVIEST)
    ends = [
        (near * (_HEAVIEST + 1) + weakness) * count + rarity[far]
        for near, far in ((one, other), (other, one))
    ]
    order = np.argsort(np.concatenate(ends))
    edges = np.bincount(one, minlength=count) + np.bincount(other, minlength=count)
    place = np.arange(len(order)) - np.repeat(np.cumsum(edges) - edges, edges)
    kept = np.zeros(len(one), dtype=bool)
    kept[order[place < each] % len(one)] = True
    positions: list[int] = np.flatnonzero(kept).tolist()
    return positions


# Louvain ----------------------------------------------------------------------------------------
#
# Blondel et al. 2008, with the queue of Traag et al. 2019: a node is looked at again only when a
# neighbour has moved. Written out because networkx' repeats its passes until nothing moves, which
# on long chains (a diary whose days link to the next) takes minutes, and offers no limit.


def _louvain(joined: Any, resolution: float, seed: int) -> list[list[int]]:
    """Groups of the nodes that have edges, each sorted."""
    import numpy as np

    places, ends = np.unique(joined[:, :2], return_inverse=True)
    groups = [[place] for place in places.tolist()]
    ties: list[dict[int, int]] = [{} for _ in groups]
    # One object a number, however many edges name it: what is looked at again and again stays in the cache.
    nodes = [*range(len(groups))]
    for (one, other), weight in zip(ends.reshape(-1, 2).tolist(), joined[:, 2].tolist(), strict=True):
        ties[one][nodes[other]] = ties[other][nodes[one]] = weight
    degrees = [sum(near.values()) for near in ties]
    while len(groups) > 1:
        of = _moved(ties, degrees, resolution, seed)
        numbers = {number: place for place, number in enumerate(dict.fromkeys(of))}
        if len(numbers) == len(groups):
            break
        of = [numbers[number] for number in of]
        groups, ties, degrees = _merged(of, groups, ties, degrees, len(numbers))
    return [sorted(group) for group in groups]


def _moved(ties: Sequence[dict[int, int]], degrees: Sequence[int], resolution: float, seed: int) -> list[int]:
    """For each node the number of its group, after every node has moved to where modularity gains most."""
    of = list(range(len(ties)))
    totals = list(degrees)
    per_degree = resolution / sum(degrees)
    # A shuffle that is no chance: the same on every machine and in every version of Python.
    order = sorted(range(len(ties)), key=lambda node: zlib.crc32(b"%d %d" % (seed, node)))
    queue, waiting = deque(order), [True] * len(ties)
    for _ in range(_VISITS * len(ties)):
        if not queue:
            break
        node = queue.popleft()
        waiting[node] = False
        own, degree = of[node], degrees[node]
        weights: dict[int, int] = {own: 0}
        for other, weight in ties[node].items():
            group = of[other]
            weights[group] = weights.get(group, 0) + weight
        totals[own] -= degree
        cost = degree * per_degree
        best, gain = own, weights[own] - totals[own] * cost
        for group, weight in weights.items():
            if weight - totals[group] * cost > gain + _LEAST_GAIN:
                best, gain = group, weight - totals[group] * cost
        totals[best] += degree
        if best != own:
            of[node] = best
            for other in ties[node]:
                if of[other] != best and not waiting[other]:
                    waiting[other] = True
                    queue.append(other)
    return of


def _merged(
    of: Sequence[int],
    groups: Sequence[list[int]],
    ties: Sequence[dict[int, int]],
    degrees: Sequence[int],
    count: int,
) -> tuple[list[list[int]], list[dict[int, int]], list[int]]:
    """The network in which each group is one node; edges inside a group only count in its degree."""
    members: list[list[int]] = [[] for _ in range(count)]
    merged: list[dict[int, int]] = [{} for _ in range(count)]
    sums = [0] * count
    for node, number in enumerate(of):
        members[number] += groups[node]
        sums[number] += degrees[node]
        near = merged[number]
        for other, weight in ties[node].items():
            if of[other] != number:
                near[of[other]] = near.get(of[other], 0) + weight
    return members, merged, sums


def _named_after(labels: Iterable[str]) -> str:
    return ", ".join(list(dict.fromkeys(labels))[:_NAMED_AFTER])


def _modularity(table: Any, of: Sequence[int]) -> float:
    """Newman's Q: share of the weight inside communities, less what chance would put there."""
    import numpy as np

    if not len(table):
        return 0.0
    one, other = np.asarray(of)[table[:, 0]], np.asarray(of)[table[:, 1]]
    weights = table[:, 2]
    total, inside = int(weights.sum()), int(weights[one == other].sum())
    groups = max(of) + 1
    ends = np.bincount(one, weights, groups) + np.bincount(other, weights, groups)
    # Whole numbers up to here, and one division: no order of summing can change a digit.
    expected = sum(int(count) ** 2 for count in ends)
    return round((4 * total * inside - expected) / (4 * total * total), 6)
