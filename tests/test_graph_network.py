"""Networks: what occurs together, what links to what, communities, ranks, parts."""

from __future__ import annotations

import random

import pytest
from graph_memory import note, vault, view, wiki

from memsite.graph import Network, concept_network, neighbourhood, note_network, part, resolve
from memsite.graph.communities import strongest
from memsite.graph.network import page_rank
from memsite.note import Graph, Link

A, B, ALONE = "memory://vault/a", "memory://vault/b", "memory://vault/alone"


def edges(network: Network) -> dict[tuple[str, str], int]:
    return {(edge.source, edge.target): edge.weight for edge in network.edges}


def loops_and_repeats() -> Graph:
    return vault(
        {
            "a.md": "[[a]] [[#Top]] [[b]] [[b|again]] [[b#x]] [[gone]] [[gone|x]] ![[pic.png]] [[https://e.example]]",
            "b.md": "[[a]]",
            "alone.md": "no links",
            "1.md": "x",
            "01.md": "x",
        },
        files=["pic.png"],
    )


def test_note_links_have_direction_and_weight_and_no_loops() -> None:
    network = note_network(loops_and_repeats())
    assert [node.id for node in network.nodes] == [
        "concept:gone", "memory://vault/01", "memory://vault/1", A, ALONE, B
    ]  # fmt: skip
    assert edges(network) == {(A, B): 3, (A, "concept:gone"): 2, (B, A): 1}
    assert network.directed
    assert {node.id: (node.degree, node.weight) for node in network.nodes}[A] == (2, 6)


def test_what_occurs_in_one_note_is_joined() -> None:
    graph = vault({"a.md": "[[x]] [[y]] [[x]] [[b]]", "b.md": "[[x]] [[y]]", "c.md": "[[alone]]"})
    network = concept_network(graph)
    assert edges(network) == {("concept:x", "concept:y"): 2, ("concept:x", B): 1, ("concept:y", B): 1}
    assert [node.id for node in network.nodes] == ["concept:alone", "concept:x", "concept:y", B]
    assert not network.directed
    assert network.nodes[0].community == -1
    assert network.nodes[0].degree == 0


def test_a_note_is_not_joined_to_itself() -> None:
    assert edges(concept_network(vault({"a.md": "[[a]] [[x]]"}))) == {}


def test_a_long_list_of_links_makes_few_edges() -> None:
    def pairs(count: int) -> int:
        return len(concept_network(vault({"a.md": " ".join(f"[[c{n}]]" for n in range(count))})).edges)

    assert pairs(60) == 60 * 59 // 2, "every pair of a note of ordinary length"
    assert pairs(1_000) < 21_000
    assert pairs(20_001) == 20_000, "a chain"


def test_relations_are_on_the_edges() -> None:
    def typed(target: str, relation: str) -> Link:
        found = wiki(target)
        return Link(found.kind, target, None, 1, 1, found.context, relation=relation)

    graph = resolve(
        [note("a.md", links=[typed("b", "uses"), typed("b", "based_on")]), note("b.md")], [view()]
    )
    assert note_network(graph).edges[0].relations == ("based_on", "uses")


def two_circles() -> dict[str, str]:
    small = {f"s{n}.md": f"[[sun]] [[moon]] [[star {n % 3}]]" for n in range(6)}
    large = {f"l{n}.md": f"[[sea]] [[fish]] [[ship {n % 5}]] [[wave]]" for n in range(10)}
    return {**small, **large, "bridge.md": "[[sun]] [[sea]]"}


def test_communities_are_numbered_by_size_and_named_after_their_centre() -> None:
    network = concept_network(vault(two_circles()))
    first, second = network.communities
    assert first.name == "sea, fish, wave"
    assert second.name == "sun, moon, star 0"
    assert set(second.members) == {"concept:sun", "concept:moon", *(f"concept:star-{n}" for n in range(3))}
    assert (first.number, second.number) == (0, 1)
    assert 0.3 < network.modularity < 0.5
    assert {node.community for node in network.nodes if node.id in first.members} == {0}


def test_resolution_makes_more_communities() -> None:
    graph = vault(two_circles())
    assert len(concept_network(graph, resolution=4.0).communities) > 2


def test_modularity_is_that_of_networkx() -> None:
    import networkx as nx

    network = concept_network(vault(two_circles()))
    other = nx.Graph()
    other.add_weighted_edges_from((edge.source, edge.target, edge.weight) for edge in network.edges)
    groups = [set(community.members) for community in network.communities]
    assert network.modularity == pytest.approx(nx.community.modularity(other, groups), abs=1e-6)


def test_page_rank_is_one_on_average_and_follows_links() -> None:
    ranks = page_rank(4, [(0, 1, 1), (2, 1, 1), (1, 3, 1)], directed=True)
    assert sum(ranks) == pytest.approx(4, abs=1e-4)
    assert ranks[1] > ranks[0] == ranks[2]
    assert ranks[3] > ranks[1] * 0.8
    assert page_rank(3, [], directed=True) == [1.0, 1.0, 1.0]


def test_the_strongest_edges_of_each_node() -> None:
    star = [(0, n, n) for n in range(1, 6)]
    assert strongest(6, star, each=1) == [0, 1, 2, 3, 4], "each leaf keeps its only edge"
    ring = [(0, 1, 5), (0, 2, 1), (1, 2, 1), (2, 3, 1)]
    assert strongest(4, ring, each=1) == [0, 3], "of equal ones that to the rarer partner"
    assert strongest(4, [], each=1) == []


@pytest.mark.parametrize("build", [concept_network, note_network])
def test_shuffled_input_gives_the_same_network(build: object) -> None:
    assert callable(build)
    notes = [note(path, text) for path, text in two_circles().items()]
    first = build(resolve(notes, [view()]))
    for seed in range(3):
        random.Random(seed).shuffle(notes)
        assert build(resolve(notes, [view()])) == first


@pytest.mark.parametrize("texts", [{}, {"a.md": ""}, {"a.md": "[[x]]"}, {"a.md": "[[b]]", "b.md": ""}])
def test_tiny_memories(texts: dict[str, str]) -> None:
    graph = vault(texts)
    assert len(note_network(graph).nodes) == len(graph.notes) + len(graph.concepts)
    assert concept_network(graph).edges == ()
    assert concept_network(graph).modularity == 0.0


def chain() -> Network:
    return note_network(
        vault({"a.md": "[[b]]", "b.md": "[[c]]", "c.md": "[[d]] [[d]] [[e]]", "d.md": "", "e.md": ""})
    )


@pytest.mark.parametrize(
    ("start", "depth", "most", "names"),
    [
        ("a", 0, None, "a"),
        ("a", 1, None, "ab"),
        ("c", 1, None, "bcde"),
        ("c", 1, 2, "cd"),
        ("a", 9, None, "abcde"),
        ("a", 9, 3, "abc"),
        ("gone", 3, None, ""),
        ("a", 1, 0, ""),
    ],
)
def test_neighbourhood(start: str, depth: int, most: int | None, names: str) -> None:
    found = neighbourhood(chain(), [f"memory://vault/{start}"], depth=depth, most=most)
    assert "".join(node.label for node in found.nodes) == names
    kept = {node.id for node in found.nodes}
    assert all(edge.source in kept and edge.target in kept for edge in found.edges)
    assert len(found.edges) == max(0, len(names) - 1)


def test_a_part_keeps_the_numbers_of_communities() -> None:
    network = concept_network(vault(two_circles()))
    kept = part(network, ["concept:sun"])
    assert [community.members for community in kept.communities] == [(), ("concept:sun",)]
    assert kept.nodes[0].community == 1
