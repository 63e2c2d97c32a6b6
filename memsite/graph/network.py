"""The graph as nodes and weighted edges: what occurs together, and what links to what."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memsite.graph.communities import Community, Joined, find_communities, undirected
from memsite.note import Address, ConceptTarget, Found, Graph

NodeKind: TypeAlias = Literal["note", "concept"]

CONCEPT = "concept:"
"""What the id of a concept's node begins with; a note's node has the note's address."""

_NEIGHBOURS = 64
_PAIRS = 20_000
_STILL = 1e-8


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    """Address of a note, or `concept:` and the concept's key. Always text, never a number."""
    label: str
    kind: NodeKind
    degree: int
    """Number of other nodes it is joined to."""
    weight: int
    """Sum of the weights of its edges."""
    rank: float
    """PageRank times the number of nodes, so that 1 is average in a network of any size."""
    community: int
    """Position in `Network.communities`, -1 for a node without edges."""


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    weight: int
    relations: tuple[str, ...] = ()
    """Types of typed relations among the links (`used_by`), sorted."""


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes sorted by id, edges by source and target. An undirected edge has the smaller id as source."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    communities: tuple[Community, ...]
    modularity: float
    directed: bool


def concept_network(graph: Graph, *, resolution: float = 1.0, seed: int = 42) -> Network:
    """What occurs together: concepts and notes that are linked to, joined when one note links to both.

    An edge's weight is the number of such notes. A note that links to k things would give k² / 2
    pairs, so each thing is joined only to the 64 that follow it in order of appearance (which is
    every pair of up to 65 things), and to fewer where one note would otherwise give more than
    20,000 pairs: a list of 20,000 links gives a chain, not 200 million edges.
    """
    named = {address: [*dict.fromkeys(things_of(graph, address))] for address in graph.targets}
    ids = sorted({thing for address, things in named.items() for thing in things if thing != address})
    places = {node: place for place, node in enumerate(ids)}
    pairs = array("q")
    for address, things in named.items():
        pairs.extend(_pairs([places[thing] for thing in things if thing != address], len(ids)))
    return _network(
        graph, ids, _counted(pairs, len(ids)), {}, resolution=resolution, seed=seed, directed=False
    )


def _pairs(things: Sequence[int], count: int) -> list[int]:
    """Each pair as one number, smaller node * `count` + larger node."""
    reach = max(1, min(_NEIGHBOURS, _PAIRS // max(1, len(things))))
    return [
        one * count + other if one < other else other * count + one
        for position, one in enumerate(things)
        for other in things[position + 1 : position + 1 + reach]
    ]


def _counted(pairs: array[int], count: int) -> Joined:
    """A row (node, node, times) for each pair, sorted."""
    import numpy as np

    codes, times = np.unique(np.frombuffer(pairs, dtype=np.int64), return_counts=True)
    return np.column_stack([codes // max(1, count), codes % max(1, count), times])


def note_network(graph: Graph, *, resolution: float = 1.0, seed: int = 42) -> Network:
    """What links to what: every note, and every concept that a note names, with directed edges.

    An edge's weight is the number of links. No loops; files, other hosts, missing notes and names
    of several notes are no nodes.
    """
    ids = sorted({*graph.notes, *(CONCEPT + key for key in graph.concepts)})
    places = {node: place for place, node in enumerate(ids)}
    pairs = array("q")
    relations: dict[tuple[int, int], set[str]] = defaultdict(set)
    for address, targets in graph.targets.items():
        start = places[address]
        pairs.extend(
            start * len(ids) + places[thing] for thing in things_of(graph, address) if thing != address
        )
        for link, target in zip(graph.notes[address].document.links, targets, strict=True):
            if link.relation and (named := node_id(target)) in places:
                relations[start, places[named]].add(link.relation)
    return _network(
        graph, ids, _counted(pairs, len(ids)), relations, resolution=resolution, seed=seed, directed=True
    )


def node_id(target: object) -> str | None:
    """The node that a link's target is, None for files, other hosts, missing and ambiguous notes."""
    if isinstance(target, Found):
        return target.address
    return CONCEPT + target.key if isinstance(target, ConceptTarget) else None


def things_of(graph: Graph, address: Address) -> list[str]:
    """The nodes that a note's links lead to, in order, with repeats. Links to notes that are not in
    the graph, because they are private, are left out.
    """
    return [
        thing
        for target in graph.targets[address]
        if (thing := node_id(target)) and (thing in graph.notes or _kind(thing) == "concept")
    ]


def _network(
    graph: Graph,
    ids: Sequence[str],
    joined: Joined,
    relations: Mapping[tuple[int, int], set[str]],
    *,
    resolution: float,
    seed: int,
    directed: bool,
) -> Network:
    ranks = page_rank(len(ids), joined, directed=directed)
    labels = [_label(graph, node) for node in ids]
    pairs = undirected(len(ids), joined)
    grouping = find_communities(ids, labels, ranks, pairs, resolution=resolution, seed=seed)
    degrees, sums = _degrees(len(ids), pairs)
    kinds = map(_kind, ids)
    return Network(
        nodes=tuple(map(Node, ids, labels, kinds, degrees, sums, ranks, grouping.of)),
        edges=tuple(
            Edge(ids[one], ids[other], weight, tuple(sorted(relations[one, other])))
            if (one, other) in relations
            else Edge(ids[one], ids[other], weight)
            for one, other, weight in joined.tolist()
        ),
        communities=grouping.communities,
        modularity=grouping.modularity,
        directed=directed,
    )


def _kind(node: str) -> NodeKind:
    return "concept" if node.startswith(CONCEPT) else "note"


def _label(graph: Graph, node: str) -> str:
    if _kind(node) == "concept":
        return graph.concepts[node.removeprefix(CONCEPT)].name
    return graph.notes[node].title


def _degrees(count: int, pairs: Joined) -> tuple[list[int], list[int]]:
    """Number of neighbours, and sum of the weights, for each node; every pair of nodes is one row."""
    import numpy as np

    one, other, weight = pairs[:, 0], pairs[:, 1], pairs[:, 2]
    degrees = np.bincount(one, minlength=count) + np.bincount(other, minlength=count)
    sums = (np.bincount(one, weight, count) + np.bincount(other, weight, count)).astype(np.int64)
    return degrees.tolist(), sums.tolist()


def page_rank(count: int, joined: Joined, *, directed: bool, rounds: int = 40) -> list[float]:
    """PageRank (damping 0.85) times the number of nodes, to six decimals.

    Plain sums until nothing moves by a hundred millionth, 40 rounds at most: linear in nodes + edges, and the
    same figures everywhere.
    """
    if not len(joined):
        return [1.0] * count
    import numpy as np

    source, target, weight = np.ascontiguousarray(np.asarray(joined, dtype=np.int64).T)
    if not directed:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
        weight = np.concatenate([weight, weight])
    out = np.bincount(source, weight, count)
    share = weight / out[source]
    rank: Any = np.ones(count)
    for _ in range(rounds):
        lost = float(rank[out == 0].sum()) / count
        before, rank = rank, 0.15 + 0.85 * (np.bincount(target, share * rank[source], count) + lost)
        if np.abs(rank - before).max() < _STILL:
            break
    return [round(float(value), 6) for value in rank]
