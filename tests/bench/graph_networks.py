"""Networks like those of a wiki, of any size: communities, a few hubs, a long tail, some nodes alone."""

from __future__ import annotations

import random
from collections import Counter

from memsite.graph import Edge, Network, Node
from memsite.graph.communities import find_communities, undirected
from memsite.pages.graph_model import Dot

WORDS = """agent memory graph index store entry concept session plan build render template parser token cache
checksum conflict section anchor report check orphan archive schema query search rank score weight canvas pixel
browser theme worker thread process lock folder network socket timeout retry queue deploy release branch commit
review fixture coverage module package""".split()


def wiki_network(count: int, *, links: int = 4, seed: int = 7) -> Network:
    """`count` nodes that each join `links` others, most of them in their own community."""
    chance = random.Random(seed)
    groups = max(3, min(60, int(count**0.45)))
    group_of = chance.choices(range(groups), [1 / (rank + 1.5) for rank in range(groups)], k=count)
    alone = set(chance.sample(range(count), count // 50))
    inside: list[list[int]] = [[] for _ in range(groups)]
    everywhere: list[int] = []
    weights: Counter[tuple[int, int]] = Counter()
    for node in range(count):
        if node in alone:
            continue
        for _ in range(links):
            pool = inside[group_of[node]] if inside[group_of[node]] and chance.random() < 0.88 else everywhere
            if pool:
                other = chance.choice(pool)
                weights[other, node] += 1
                inside[group_of[other]].append(other)
                everywhere.append(other)
        inside[group_of[node]].append(node)
        everywhere.append(node)
    return _network(count, {pair: weight for pair, weight in weights.items() if pair[0] != pair[1]})


def _network(count: int, weights: dict[tuple[int, int], int]) -> Network:
    ids = [f"concept:{node:06d}" for node in range(count)]
    labels = [label(node) for node in range(count)]
    joined = [(one, other, weight) for (one, other), weight in sorted(weights.items())]
    degrees = Counter(end for pair in weights for end in pair)
    ranks = [1.0 + degrees[node] for node in range(count)]
    grouping = find_communities(ids, labels, ranks, undirected(count, joined))
    nodes = tuple(
        Node(ids[node], labels[node], "concept", degrees[node], degrees[node], ranks[node], grouping.of[node])
        for node in range(count)
    )
    edges = tuple(Edge(ids[one], ids[other], weight) for one, other, weight in joined)
    return Network(nodes, edges, grouping.communities, grouping.modularity, directed=False)


def label(node: int) -> str:
    chance = random.Random(node)
    return " ".join(chance.choices(WORDS, k=chance.choice((1, 2, 2, 3)))).capitalize() + f" {node}"


def made_up(node: Node) -> Dot:
    """What a page would tell about a node."""
    number = int(node.id.removeprefix("concept:"))
    return Dot(
        id=node.id,
        label=node.label,
        kind="note" if number % 3 == 0 else "concept",
        community=node.community,
        degree=node.degree,
        stores=("alpha",) if number % 5 else ("alpha", "beta"),
        type="note" if number % 3 == 0 else "concept",
        day=19_000 + number % 700,
        tags=(WORDS[number % len(WORDS)],),
        url=f"concept/{number}.html",
        excerpt=f"{node.label} is one of many things that are made up. " * 3,
        mentions=node.degree,
    )
