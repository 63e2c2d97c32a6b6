"""Positions: the same each time, apart, in groups, familiar after a change."""

from __future__ import annotations

import math
import random
import sys

import pytest
from graph_memory import note, vault, view

from memsite.graph import Network, concept_network, layout, note_network, radius, resolve

Places = dict[str, tuple[float, float]]


def texts(count: int, *, seed: int = 1) -> dict[str, str]:
    """Groups of about 20 notes that link among themselves, one link in six to elsewhere, and some orphans."""
    chance = random.Random(seed)

    def target(number: int) -> int:
        here = number - number % 20 + chance.randrange(20)
        return min(here, count - 1) if chance.random() < 0.85 else chance.randrange(count)

    linked = {
        f"n{number}.md": " ".join(f"[[n{target(number)}]]" for _ in range(4)) for number in range(count)
    }
    return {**linked, **{f"alone{number}.md": "" for number in range(count // 10)}}


@pytest.fixture(scope="module")
def network() -> Network:
    return note_network(vault(texts(200)))


@pytest.fixture(scope="module")
def places(network: Network) -> Places:
    return layout(network)


def overlaps(network: Network, places: Places) -> int:
    nodes = [(*places[node.id], radius(node.degree)) for node in network.nodes]
    return sum(
        math.hypot(one[0] - other[0], one[1] - other[1]) < one[2] + other[2]
        for at, one in enumerate(nodes)
        for other in nodes[:at]
    )


def test_every_node_has_a_rounded_place(network: Network, places: Places) -> None:
    assert list(places) == [node.id for node in network.nodes]
    assert all(
        round(value, 1) == value and math.isfinite(value) for place in places.values() for value in place
    )
    assert "-0.0" not in repr(places)


def test_nodes_do_not_overlap(network: Network, places: Places) -> None:
    assert overlaps(network, places) == 0


def test_the_same_network_gives_the_same_picture(network: Network, places: Places) -> None:
    notes = [note(path, text) for path, text in texts(200).items()]
    random.Random(2).shuffle(notes)
    assert layout(note_network(resolve(notes, [view()]))) == places


def test_orphans_stand_outside(network: Network, places: Places) -> None:
    far = {node.id: math.hypot(*places[node.id]) for node in network.nodes}
    middle = max(far[node.id] for node in network.nodes if node.degree)
    assert min(far[node.id] for node in network.nodes if not node.degree) > middle


def test_communities_are_regions(network: Network, places: Places) -> None:
    def spread(ids: list[str]) -> float:
        x = sum(places[node][0] for node in ids) / len(ids)
        y = sum(places[node][1] for node in ids) / len(ids)
        return sum(math.hypot(places[node][0] - x, places[node][1] - y) for node in ids) / len(ids)

    all_linked = spread([node.id for node in network.nodes if node.degree])
    groups = [list(community.members) for community in network.communities]
    assert sum(map(spread, groups)) / len(groups) < 0.4 * all_linked


def test_a_new_note_leaves_the_picture_familiar(network: Network, places: Places) -> None:
    changed = {**texts(200), "new.md": "[[n1]] [[n2]]"}
    after = layout(note_network(vault(changed)), previous=places)
    size = max(math.hypot(*place) for place in places.values())
    moved = sorted(math.dist(after[node], places[node]) for node in places)
    assert moved[len(moved) // 2] < 0.05 * size
    near = math.dist(after["memory://vault/new"], after["memory://vault/n1"])
    assert near < 0.5 * size


def test_previous_positions_of_other_nodes_count_for_nothing(network: Network, places: Places) -> None:
    assert layout(network, previous={"gone": (1.0, 2.0)}) == places


@pytest.mark.parametrize(
    "memory",
    [
        {},
        {"a.md": ""},
        {"a.md": "[[b]]", "b.md": ""},
        {"a.md": "[[b]] [[c]]", "b.md": "[[c]]", "c.md": ""},
        {f"{n}.md": "" for n in range(30)},
        {f"{n}.md": f"[[{n + 1 - n % 2}]]" for n in range(40)},
    ],
)
def test_small_networks(memory: dict[str, str]) -> None:
    network = note_network(vault(memory))
    places = layout(network)
    assert len(places) == len(network.nodes)
    assert overlaps(network, places) == 0


def test_without_the_wheel(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graph_layout", None)
    places = layout(network)
    assert overlaps(network, places) == 0
    assert layout(network) == places
    monkeypatch.setattr(sys.modules["memsite.graph.layout"], "_MOST_SPRINGS", 10)
    assert overlaps(network, layout(network)) == 0


def test_a_hub_with_thousands_of_neighbours() -> None:
    network = concept_network(vault({"a.md": " ".join(f"[[c{n}]]" for n in range(1_000))}))
    assert overlaps_in_cells(network, layout(network)) < 30


def overlaps_in_cells(network: Network, places: Places) -> int:
    """Overlaps, counted only between nodes of one cell of 40 pixels: enough to notice a heap."""
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    for node in network.nodes:
        x, y = places[node.id]
        cells.setdefault((int(x // 40), int(y // 40)), []).append((x, y, radius(node.degree)))
    return sum(
        math.hypot(one[0] - other[0], one[1] - other[1]) < one[2] + other[2] - 1
        for nodes in cells.values()
        for at, one in enumerate(nodes)
        for other in nodes[:at]
    )
