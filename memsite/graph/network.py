"""The graph as nodes and weighted edges: what occurs together, and what links to what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memsite.graph.communities import Community, find_communities
from memsite.note import Address, ConceptTarget, Found, Graph

NodeKind: TypeAlias = Literal["note", "concept"]

CONCEPT = "concept:"
"""What the id of a concept's node begins with; a note's node has the note's address."""

_NEIGHBOURS = 64
_PAIRS = 20_000


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
    weights: Counter[tuple[str, str]] = Counter()
    nodes: set[str] = set()
    for address, leads in _named_targets(graph).items():
        things = [thing for thing in leads if thing != address]
        nodes.update(things)
        weights.update(_pairs(things))
    return _network(graph, sorted(nodes), weights, {}, resolution=resolution, seed=seed, directed=False)


def _pairs(things: Sequence[str]) -> Iterable[tuple[str, str]]:
    reach = max(1, min(_NEIGHBOURS, _PAIRS // max(1, len(things))))
    for position, one in enumerate(things):
        for other in things[position + 1 : position + 1 + reach]:
            yield (one, other) if one < other else (other, one)


def note_network(graph: Graph, *, resolution: float = 1.0, seed: int = 42) -> Network:
    """What links to what: every note, and every concept that a note names, with directed edges.

    An edge's weight is the number of links. No loops; files, other hosts, missing notes and names
    of several notes are no nodes.
    """
    weights: Counter[tuple[str, str]] = Counter()
    relations: dict[tuple[str, str], set[str]] = defaultdict(set)
    for address, leads in _named_targets(graph).items():
        for thing, times in leads.items():
            if thing != address:
                weights[address, thing] = times
    for address, targets in graph.targets.items():
        for link, target in zip(graph.notes[address].document.links, targets, strict=True):
            if link.relation and (named := node_id(target)):
                relations[address, named].add(link.relation)
    nodes = sorted({*graph.notes, *(CONCEPT + key for key in graph.concepts)})
    return _network(graph, nodes, weights, relations, resolution=resolution, seed=seed, directed=True)


def node_id(target: object) -> str | None:
    """The node that a link's target is, None for files, other hosts, missing and ambiguous notes."""
    if isinstance(target, Found):
        return target.address
    return CONCEPT + target.key if isinstance(target, ConceptTarget) else None


def _named_targets(graph: Graph) -> dict[Address, Counter[str]]:
    """For each note the nodes it links to, in order of appearance, and how often. Links to notes that
    are not in the graph, because they are private, are left out."""
    return {
        address: Counter(
            thing
            for target in leads
            if (thing := node_id(target)) and (thing in graph.notes or _kind(thing) == "concept")
        )
        for address, leads in graph.targets.items()
    }


def _network(
    graph: Graph,
    ids: Sequence[str],
    weights: Mapping[tuple[str, str], int],
    relations: Mapping[tuple[str, str], set[str]],
    *,
    resolution: float,
    seed: int,
    directed: bool,
) -> Network:
    places = {node: place for place, node in enumerate(ids)}
    pairs = sorted(weights)
    joined = [(places[one], places[other], weights[one, other]) for one, other in pairs]
    ranks = page_rank(len(ids), joined, directed=directed)
    labels = [_label(graph, node) for node in ids]
    grouping = find_communities(ids, labels, ranks, joined, resolution=resolution, seed=seed)
    degrees, sums = _degrees(len(ids), joined)
    return Network(
        nodes=tuple(
            Node(
                node,
                labels[place],
                _kind(node),
                degrees[place],
                sums[place],
                ranks[place],
                grouping.of[place],
            )
            for place, node in enumerate(ids)
        ),
        edges=tuple(
            Edge(one, other, weights[one, other], tuple(sorted(relations.get((one, other), ()))))
            for one, other in pairs
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


def _degrees(count: int, joined: Iterable[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Number of neighbours, and sum of the weights, for each node."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    sums = [0] * count
    for one, other, weight in joined:
        neighbours[one].add(other)
        neighbours[other].add(one)
        sums[one] += weight
        sums[other] += weight
    return [len(found) for found in neighbours], sums


def page_rank(
    count: int, joined: Sequence[tuple[int, int, int]], *, directed: bool, rounds: int = 40
) -> list[float]:
    """PageRank (damping 0.85) times the number of nodes, to six decimals.

    A fixed number of rounds of plain sums: linear in nodes + edges, and the same figures everywhere.
    """
    if not joined:
        return [1.0] * count
    import numpy as np

    table = np.array(joined, dtype=np.int64)
    source, target, weight = table[:, 0], table[:, 1], table[:, 2].astype(np.float64)
    if not directed:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
        weight = np.concatenate([weight, weight])
    out = np.bincount(source, weight, count)
    share = weight / out[source]
    rank: Any = np.ones(count)
    for _ in range(rounds):
        lost = float(rank[out == 0].sum()) / count
        rank = 0.15 + 0.85 * (np.bincount(target, share * rank[source], count) + lost)
    return [round(float(value), 6) for value in rank]
