"""Where the nodes of a network stand: seeded, so that the same network gives the same picture."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from memsite.graph.communities import strongest

if TYPE_CHECKING:
    import numpy as np

    from memsite.graph.network import Network

Positions: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"
"""Shape (nodes, 2): x to the right, y down."""

_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
_TIES = 4
"""Edges of each node that pull. More would only pull everything into one ball."""
_GRAVITY = 0.04
_REPULSION = 2.0
_FILLED = 0.3
"""Share of the picture's area that nodes and the room around them take."""
_MAIN_SHARE = 0.02
"""Components with a smaller share of the nodes than this stand on the ring."""
_BETWEEN = 0.2
"""How hard an edge between communities pulls compared with one inside."""
_GAP = 4.0
"""CSS pixels kept free between two nodes."""


def radius(degree: int) -> float:
    """Radius in CSS pixels at zoom 1 of a node, for which `layout` keeps room."""
    return round(min(4 + 1.8 * math.sqrt(degree), 40.0), 2)


def layout(
    network: Network, *, previous: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, tuple[float, float]]:
    """Positions in CSS pixels at zoom 1, rounded to a tenth, the middle of the picture at (0, 0).

    Large components are laid out by ForceAtlas2 from a start in which communities are apart, the
    rest stands on a ring around them. With `previous` positions the picture stays familiar: known
    nodes start where they were and move little. Cost: about a second for 1,000 nodes, seconds for
    10,000; the number of rounds falls with the size.
    """
    if not network.nodes:
        return {}
    import numpy as np

    ids = [node.id for node in network.nodes]
    joined = _joined(network, ids)
    mains, rest = _components(len(ids), joined)
    places = np.zeros((len(ids), 2))
    radii = np.array([radius(node.degree) for node in network.nodes])
    middle = [node for main in mains for node in main]
    if middle:
        places[middle] = _arrange(network, middle, joined, previous or {})
        places[middle] = _pushed_apart(places[middle], radii[middle])
    _ring(places, rest, radii, inner=_extent(places[middle], radii[middle]) if middle else 0.0)
    return {
        node: (round(float(x), 1) + 0.0, round(float(y), 1) + 0.0)
        for node, (x, y) in zip(ids, places, strict=True)
    }


def _joined(network: Network, ids: Sequence[str]) -> list[tuple[int, int, int]]:
    """The edges that pull: (node, node, weight), each pair once, the strongest of each node."""
    index = {node: place for place, node in enumerate(ids)}
    weights: dict[tuple[int, int], int] = defaultdict(int)
    for edge in network.edges:
        one, other = index[edge.source], index[edge.target]
        weights[min(one, other), max(one, other)] += edge.weight
    joined = [(one, other, weight) for (one, other), weight in sorted(weights.items())]
    return [joined[place] for place in strongest(len(ids), joined, each=_TIES)]


def _components(
    count: int, joined: Sequence[tuple[int, int, int]]
) -> tuple[list[list[int]], list[list[int]]]:
    """Large components, biggest first, and the small ones, each a sorted list of nodes."""
    parents = list(range(count))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for one, other, _ in joined:
        parents[max(root(one), root(other))] = min(root(one), root(other))
    groups: dict[int, list[int]] = defaultdict(list)
    for node in range(count):
        groups[root(node)].append(node)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0]))
    least = max(3, _MAIN_SHARE * len(ordered[0]))
    mains = [group for group in ordered if len(group) >= least]
    return mains, ordered[len(mains) :]


# The middle -------------------------------------------------------------------------------------


def _arrange(
    network: Network,
    nodes: Sequence[int],
    joined: Sequence[tuple[int, int, int]],
    previous: Mapping[str, tuple[float, float]],
) -> Positions:
    """Positions of `nodes`, in pixels, before overlaps are removed."""
    index = {node: place for place, node in enumerate(nodes)}
    ties = [(index[one], index[other], weight) for one, other, weight in joined if one in index]
    of = [network.nodes[node].community for node in nodes]
    pulls = [
        math.log2(1 + weight) * (1.0 if of[one] == of[other] else _BETWEEN) for one, other, weight in ties
    ]
    # Strong gravity and repulsion balance in a disc of this radius, in the units of ForceAtlas2.
    natural = math.sqrt(_REPULSION / _GRAVITY * (len(nodes) + 2 * len(ties)))
    taken = sum((radius(network.nodes[node].degree) + _GAP) ** 2 for node in nodes)
    pixels = math.sqrt(taken / _FILLED) / natural
    known = [previous.get(network.nodes[node].id) for node in nodes]
    warm = sum(place is not None for place in known) * 2 > len(nodes)
    start = _warm_start(known, ties) / pixels if warm else _two_level_start(of, ties, pulls, natural)
    return _force_atlas(start, ties, pulls, rounds=_rounds(len(nodes), warm=warm)) * pixels


def _rounds(count: int, *, warm: bool) -> int:
    """Rounds of ForceAtlas2: 300 to 2,000 nodes, then about as many as take the same few seconds."""
    return max(4, min(20, 150_000 // count)) if warm else max(12, min(300, 400_000 // count))


def _phyllotaxis(count: int) -> Positions:
    """Points of a sunflower: as many to each area, one unit of area each, from the middle outwards."""
    import numpy as np

    place = np.arange(count, dtype=np.float64)
    distance, angle = np.sqrt((place + 0.5) / math.pi), place * _GOLDEN_ANGLE
    return np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1)


def _two_level_start(
    of: Sequence[int], ties: Sequence[tuple[int, int, int]], pulls: Sequence[float], reach: float
) -> Positions:
    """Communities laid out as if each were one node, their members in a disc around that place
    with the best connected in its middle, all within `reach` of the middle.
    """
    import numpy as np

    rows: dict[int, list[int]] = defaultdict(list)
    held = Counter(end for tie in ties for end in tie[:2])
    for place in sorted(range(len(of)), key=lambda place: (-held[place], place)):
        rows[of[place]].append(place)
    between: dict[tuple[int, int], float] = defaultdict(float)
    for (one, other, _), pull in zip(ties, pulls, strict=True):
        if of[one] != of[other]:
            between[min(of[one], of[other]), max(of[one], of[other])] += pull
    index = {number: place for place, number in enumerate(sorted(rows))}
    coarse = [(index[one], index[other], 1) for one, other in sorted(between)]
    force = [math.log2(1 + between[pair]) for pair in sorted(between)]
    centres = _force_atlas(_phyllotaxis(len(rows)) * 10, coarse, force, rounds=200)
    area = reach * reach * 0.8 / len(of)
    discs = np.array([math.sqrt(area * len(rows[number])) for number in sorted(rows)])
    centres = centres * (0.5 * reach / max(1.0, float(np.abs(centres).max())))
    centres = _pushed_apart(centres, discs, gap=0.0)
    places = np.zeros((len(of), 2))
    for number, members in rows.items():
        inside = _phyllotaxis(len(members)) * math.sqrt(math.pi * area) * 0.9
        places[members] = centres[index[number]] + inside
    return places


def _warm_start(
    known: Sequence[tuple[float, float] | None], ties: Sequence[tuple[int, int, int]]
) -> Positions:
    """Known nodes where they were, new ones beside the middle of their known neighbours."""
    import numpy as np

    neighbours: dict[int, list[int]] = defaultdict(list)
    for one, other, _ in ties:
        neighbours[one].append(other)
        neighbours[other].append(one)
    places = np.zeros((len(known), 2))
    for node, place in enumerate(known):
        beside = [seen for near in neighbours[node] if (seen := known[near]) is not None]
        if place is None and beside:
            angle = node * _GOLDEN_ANGLE
            places[node] = np.mean(beside, axis=0) + 2 * _GAP * np.array([math.cos(angle), math.sin(angle)])
        elif place is not None:
            places[node] = place
    return places


def _force_atlas(
    start: Positions, ties: Sequence[tuple[int, int, int]], pulls: Sequence[float], *, rounds: int
) -> Positions:
    """ForceAtlas2 of graph-layout; without that wheel networkx' springs for small networks, and for
    big ones the start as it is, which shows the communities at least.
    """
    import numpy as np

    try:
        from graph_layout import ForceAtlas2Layout
    except ImportError:
        return _springs(start, ties, pulls)
    # As objects, not dicts: their weight would be lost.
    run: Any = ForceAtlas2Layout(
        nodes=[{"x": float(x), "y": float(y)} for x, y in start],
        links=[
            {"source": one, "target": other, "weight": pull}
            for (one, other, _), pull in zip(ties, pulls, strict=True)
        ],
        size=(1.0, 1.0),
        random_seed=42,
        iterations=rounds,
        scaling=_REPULSION,
        gravity=_GRAVITY,
        strong_gravity_mode=True,
        linlog_mode=True,
    )
    run.run(random_init=False, center_graph=False)
    return np.array([(node.x, node.y) for node in run.nodes])


_MOST_SPRINGS = 1_000


def _springs(start: Positions, ties: Sequence[tuple[int, int, int]], pulls: Sequence[float]) -> Positions:
    import networkx as nx
    import numpy as np

    if len(start) > _MOST_SPRINGS:
        return start
    network: nx.Graph[int] = nx.Graph()
    network.add_nodes_from(range(len(start)))
    network.add_weighted_edges_from(
        (one, other, pull) for (one, other, _), pull in zip(ties, pulls, strict=True)
    )
    spread = float(np.abs(start).max()) or 1.0
    found = nx.spring_layout(
        network, pos=dict(enumerate(start / spread)), seed=42, iterations=50, scale=None, method="force"
    )
    return np.array([found[node] for node in range(len(start))]) * spread


# Room -------------------------------------------------------------------------------------------


def _pushed_apart(places: Positions, radii: Any, *, gap: float = _GAP, rounds: int = 200) -> Positions:
    """Nodes that overlap move away from each other along the line between them, a few at a time."""
    import numpy as np

    places = places + _phyllotaxis(len(places)) * 1e-3  # no two nodes in exactly one place
    for _ in range(max(20, min(rounds, 300_000 // len(places)))):
        one, other = _close_pairs(places, radii + gap / 2)
        apart = places[one] - places[other]
        distance = np.sqrt((apart**2).sum(axis=1))
        lacking = radii[one] + radii[other] + gap - distance
        bad = lacking > 0.05
        if not bad.any():
            break
        one, other = one[bad], other[bad]
        push = apart[bad] / distance[bad, None] * (lacking[bad, None] * 0.5)
        for axis in (0, 1):
            places[:, axis] += np.bincount(one, push[:, axis], len(places))
            places[:, axis] -= np.bincount(other, push[:, axis], len(places))
    return places


def _close_pairs(places: Positions, radii: Any) -> tuple[Any, Any]:
    """Pairs of nodes that may touch, each once. The few big nodes are compared with all in a wide
    grid and the others among each other in a narrow one, else every cell would be crowded.
    """
    import numpy as np

    order = np.argsort(-radii, kind="stable")
    big, small = order[: len(order) // 50], order[len(order) // 50 :]
    pairs = [_in_grid(places, small, small, 2 * radii[small[0]])]
    if len(big):
        pairs.append(_in_grid(places, big, big, 2 * radii[big[0]]))
        pairs.append(_in_grid(places, big, small, radii[big[0]] + radii[small[0]]))
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return one, other


def _in_grid(places: Positions, first: Any, second: Any, reach: float) -> tuple[Any, Any]:
    """Pairs of one of `first` and one of `second` in the same or touching cells of width `reach`.
    Where both are the same nodes, each pair once and no node with itself.
    """
    import numpy as np

    cells = np.floor((places - places.min(axis=0)) / reach).astype(np.int64) + 1
    rows = int(cells[:, 1].max()) + 2
    keys = cells[:, 0] * rows + cells[:, 1]
    order = second[np.argsort(keys[second], kind="stable")]
    filled, starts = np.unique(keys[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    found = []
    for shift in (-rows - 1, -rows, -rows + 1, -1, 0, 1, rows - 1, rows, rows + 1):
        cell = np.minimum(np.searchsorted(filled, keys[first] + shift), len(filled) - 1)
        begin = starts[cell]
        count = np.where(filled[cell] == keys[first] + shift, ends[cell] - begin, 0)
        steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found.append((np.repeat(first, count), order[np.repeat(begin, count) + steps]))
    one, other = (np.concatenate(side) for side in zip(*found, strict=True))
    if first is second:
        once = one < other
        return one[once], other[once]
    return one, other


def _extent(places: Positions, radii: Any) -> float:
    """Radius of the circle around (0, 0) that holds all nodes."""
    import numpy as np

    return float((np.sqrt((places**2).sum(axis=1)) + radii).max())


def _ring(places: Positions, groups: Sequence[Sequence[int]], radii: Any, *, inner: float) -> None:
    """Put each of `groups` as a small sunflower of its own on a sunflower around the middle."""
    import numpy as np

    filled = math.pi * (inner * 1.06 + 24.0) ** 2 if inner else 0.0
    for number, group in enumerate(groups):
        width = 2 * float(radii[list(group)].max()) + 2 * _GAP
        reach = width * (math.sqrt(len(group) / math.pi) + 0.5)
        area = 4.4 * reach * reach
        distance, angle = math.sqrt((filled + area / 2) / math.pi), number * _GOLDEN_ANGLE
        centre = distance * np.array([math.cos(angle), math.sin(angle)])
        places[list(group)] = centre + _phyllotaxis(len(group)) * width * 1.1 * (len(group) > 1)
        filled += area
