"""The graph page: what its data hold, that they are inert and small, that equal memories give equal bytes."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import html5lib
import pytest

from memsite.config import Config
from memsite.graph import resolve
from memsite.memory import Memory
from memsite.pages import (
    Placement,
    SitePlan,
    graph_document,
    graph_files,
    graph_views,
    placements,
    placements_json,
    plan,
    read_placements,
)
from memsite.pages.frame import Desk
from memsite.pages.graph_model import HUBS, Dot, Stroke, View, pyvis_model, script_json, view_files
from memsite.pages.graph_pictures import overview, view_of
from memsite.pages.local_graph import shard_url
from tests.bench.graph_networks import made_up, wiki_network

HOSTILE = "</script><img src=x onerror=alert(1)>"
NOTES = {
    "notes/tides.md": "---\ntags: [sea]\ndate: 2026-03-01\n---\n# Tides\n[[moon]] [[gravity]] [[Harbour]] [[Harbour]]\n",
    "notes/harbour.md": "---\ntags: [sea, stone]\ndate: 2026-03-05\n---\n# Harbour\n[[tides]] [[moon]] [[gravity]]\n",
    "notes/alone.md": "# Alone\nNothing links here.\n",
    "notes/1.md": "# 1\n[[tides]]\n",
    "notes/01.md": "# 01\n[[tides]]\n",
    "notes/bad.md": f'---\ntitle: "{HOSTILE}"\ntags: ["{HOSTILE}"]\n---\n[[tides]] [[{HOSTILE.replace("[", "")}]] {HOSTILE}\n',
}
MemoryOf = Callable[[Mapping[str, str]], Memory]


@pytest.fixture
def site(memory_of: MemoryOf) -> SitePlan:
    return plan(memory_of(NOTES).graph(), (), Config())


def script_values(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What each data script hands over, by its name."""
    found = {}
    for written in files.values():
        match = re.fullmatch(r'memsiteGraph\.receive\("([^"]+)",(.*)\);\n', written.decode(), re.DOTALL)
        if match:
            found[match[1]] = json.loads(match[2])
    return found


def numbers(packed: str) -> list[int]:
    found, value, shift = [], 0, 0
    for byte in base64.b64decode(packed):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    return found


def edges_of(view: View, points: Mapping[str, str]) -> set[tuple[int, int, int]]:
    """The edges as the browser reads them: (major, minor, weight)."""
    community = numbers(points["community"])
    seats = sorted(range(len(view.dots)), key=lambda node: (community[node], node))
    code, weights = iter(numbers(points["edges"])), iter(numbers(points["weights"]))
    found = set()
    for node in seats:
        seat = -1
        for _ in range(next(code)):
            seat += next(code) + 1
            found.add((min(node, seats[seat]), max(node, seats[seat]), next(weights)))
    return found


def test_every_note_and_concept_is_a_node(site: SitePlan) -> None:
    view = graph_views(site)["notes"]
    labels = {dot.label for dot in view.dots}
    assert {"Tides", "Harbour", "Alone", "1", "01", HOSTILE, "moon", "gravity"} <= labels
    assert (
        len({dot.id for dot in view.dots})
        == len(view.dots)
        == len(site.graph.notes) + len(site.graph.concepts)
    )


def test_links_both_ways_are_one_edge_with_both_directions(site: SitePlan) -> None:
    view = graph_views(site)["notes"]
    place = {dot.label: position for position, dot in enumerate(view.dots)}
    pair = sorted((place["Tides"], place["Harbour"]))
    (stroke,) = [one for one in view.strokes if [one.major, one.minor] == pair]
    assert (stroke.weight, stroke.direction) == (3, 3)
    assert not any(stroke.major == stroke.minor for stroke in view.strokes)


def test_a_concept_knows_its_notes(site: SitePlan) -> None:
    moon = next(dot for dot in graph_views(site)["concepts"].dots if dot.label == "moon")
    assert (moon.kind, moon.stores, moon.mentions) == ("concept", ("notes",), 2)
    assert moon.tags == ("sea", "stone")
    assert moon.day == 20_517  # 2026-03-05, the newer of the two
    assert moon.url == "concept/moon.html"


def test_the_packed_edges_are_the_edges() -> None:
    view = view_of("concepts", wiki_network(300), made_up)
    points = script_values(dict(view_files(view)))["concepts.points"]
    assert edges_of(view, points) == {(one.major, one.minor, one.weight) for one in view.strokes}
    assert [dot.size for dot in view.dots] == sorted((dot.size for dot in view.dots), reverse=True)


def test_pyvis_holds_the_whole_model(site: SitePlan) -> None:
    view = graph_views(site)["notes"]
    model = pyvis_model(view)
    assert (len(model.nodes), len(model.edges)) == (len(view.dots), len(view.strokes))
    assert json.loads(model.get_network_data()[-1])["physics"] == {"enabled": False}
    assert {type(node["group"]) for node in model.nodes} == {str}


def test_equal_memories_give_equal_bytes(memory_of: MemoryOf) -> None:
    one, other = (plan(memory_of(NOTES).graph(), (), Config()) for _ in range(2))
    assert list(graph_files(one, graph_views(one))) == list(graph_files(other, graph_views(other)))
    assert graph_document(one, graph_views(one)) == graph_document(other, graph_views(other))


def test_a_known_layout_is_kept(site: SitePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    first = graph_views(site)
    monkeypatch.setattr("memsite.graph.layout", lambda *_, **__: pytest.fail("laid out again"))
    assert graph_views(site, previous=placements(first)) == first


def test_placements_survive_a_file(site: SitePlan) -> None:
    kept = placements(graph_views(site))
    assert read_placements(placements_json(kept)) == kept


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"views": {"a": {"key": 1}}}',
        b'{"views": {"a": 7}}',
        b'{"views": {"a": {"key": "k", "places": {"n": [1e999, 0]}}}}',
    ],
)
def test_damaged_placements_are_none(written: bytes) -> None:
    assert read_placements(written) == {}


def test_places_that_lack_a_node_are_no_layout(site: SitePlan) -> None:
    first = graph_views(site)
    forged = {name: Placement(one.key, {}) for name, one in placements(first).items()}
    assert graph_views(site, previous=forged) == first


def test_a_changed_memory_starts_from_the_old_places(memory_of: MemoryOf) -> None:
    before = placements(graph_views(plan(memory_of(NOTES).graph(), (), Config())))
    more = plan(memory_of({"notes/new.md": "# New\n[[tides]]\n"}).graph(), (), Config())
    after = placements(graph_views(more, previous=before))["notes"].places
    old = before["notes"].places
    moved = sorted(
        abs(x - old[node][0]) + abs(y - old[node][1]) for node, (x, y) in after.items() if node in old
    )
    assert len(after) == len(old) + 1
    assert moved[len(moved) // 2] < 60


def test_nothing_in_the_data_can_end_a_script(site: SitePlan) -> None:
    files = dict(graph_files(site, graph_views(site)))
    for url, written in files.items():
        if url.endswith(".js"):
            assert not set("<>&\u2028\u2029") & set(written.decode()), url
    titles = script_values(files)["notes.titles"]
    assert HOSTILE in titles["labels"]
    assert HOSTILE in titles["tags"]


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "\u2028\u2029", "]]>", "\ud800", "&amp;"])
def test_script_json_is_inert_and_says_the_same(text: str) -> None:
    written = script_json([text])
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == [text.replace("\ud800", "?")]


def test_script_json_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))


def parsed(page: bytes) -> Any:
    return html5lib.parse(page, namespaceHTMLElements=False)


def test_the_page_has_no_inline_script_and_its_table_holds_everything(site: SitePlan) -> None:
    tree = parsed(dict(graph_files(site, graph_views(site)))["graph.html"])
    assert all(script.get("src") and not script.text for script in tree.iter("script"))
    assert not list(tree.iter("style"))
    assert not [
        element
        for element in tree.iter()
        for name in element.attrib
        if name == "style" or name.startswith("on")
    ]
    tables = [
        {"".join(row.find("td").itertext()): row for row in table.find("tbody")}
        for table in tree.iter("table")
    ]
    assert HOSTILE in tables[1]
    assert "Alone" in tables[1]
    assert "Harbour ×3" in "".join(tables[1]["Tides"].itertext())
    assert tables[1]["Tides"].find("td/a").get("href") == "notes/tides.html"


def test_one_file_runs_only_what_its_policy_lists(site: SitePlan) -> None:
    import hashlib

    tree = parsed(graph_document(site, graph_views(site)))
    policy = next(one.get("content") for one in tree.iter("meta") if one.get("http-equiv"))
    assert "unsafe" not in policy
    pieces = [*tree.iter("script"), *tree.iter("style")]
    assert len(pieces) > 10
    for piece in pieces:
        digest = base64.b64encode(hashlib.sha256(piece.text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
        assert piece.get("src") is None
    assert not list(tree.iter("link"))
    anchors = {f"#{one.get('id')}" for one in tree.iter() if one.get("id")}
    assert {one.get("href") for one in tree.iter("a")} <= anchors


def test_local_graphs_lie_where_the_pages_look(site: SitePlan) -> None:
    files = dict(graph_files(site, graph_views(site)))
    for url in (*site.notes.values(), *site.concepts.values()):
        text = files[shard_url(url)].decode()
        records = json.loads(text[text.index(",") + 1 : -3])
        assert records[url]["nodes"][0][5] == url
        assert Desk(site).shard(url, "../") == f"../{shard_url(url)}"
    tides = next(
        records for name in [site.notes["memory://notes/tides"]] for records in [files[shard_url(name)]]
    )
    assert HOSTILE.encode() not in tides


def test_an_empty_memory_has_a_graph_page(memory_of: MemoryOf) -> None:
    empty = plan(resolve([], []), (), Config())
    views = graph_views(empty)
    assert b"nothing" in dict(graph_files(empty, views))["graph.html"]
    assert next(iter(views)) == "notes"


def test_long_tables_have_pages_of_their_own() -> None:
    view = view_of("concepts", wiki_network(1_200), made_up)
    empty = plan(resolve([], []), (), Config())
    from memsite.pages.graph_page import picture_files

    files = dict(picture_files(empty, {"concepts": view}))
    rows = b"".join(files[url] for url in ("graph/concepts.html", "graph/concepts.2.html")).count(
        b'<td class="ms-row-title"'
    )
    assert rows == 1_200
    assert b"graph/concepts.html" in files["graph.html"]


def test_files_of_ten_thousand_nodes_are_small() -> None:
    """No layout here: it takes seconds and says nothing about sizes but noise in the places."""
    network = wiki_network(10_000)
    nodes = sorted(network.nodes, key=lambda node: (-node.degree, node.id))
    place = {node.id: position for position, node in enumerate(nodes)}
    pairs = {tuple(sorted((place[edge.source], place[edge.target]))): edge.weight for edge in network.edges}
    view = View(
        name="concepts",
        dots=tuple(map(made_up, nodes)),
        strokes=tuple(
            Stroke(one, other, pairs[one, other]) for one, other in sorted(pairs, key=lambda p: (p[1], p[0]))
        ),
        places=tuple(
            (position * 7919 % 6001 - 3000, position * 104729 % 6007 - 3000) for position in range(len(nodes))
        ),
        communities=tuple(community.name for community in network.communities),
    )
    files = dict(view_files(view))
    first = sum(len(gzip.compress(files[f"graph/concepts.{part}.js"])) for part in ("model", "points"))
    assert first < 120_000
    assert len(script_values({"": files["graph/concepts.model.js"]})["concepts.model"]["hubs"]) == HUBS


def test_the_overview_joins_groups_where_their_members_are() -> None:
    dots = tuple(Dot(f"n{n}", f"N{n}", "note", n % 2, degree=2) for n in range(4))
    strokes = (Stroke(0, 1, 2), Stroke(0, 2, 1), Stroke(1, 2, 1))
    view = View("notes", dots, strokes, ((0, 0), (10, 0), (0, 10), (10, 10)), ("even", "odd"))
    whole = overview(view)
    assert [(dot.label, dot.size, dot.url) for dot in whole.dots] == [
        ("even", 2, "graph.html#view=notes&group=0"),
        ("odd", 2, "graph.html#view=notes&group=1"),
    ]
    assert whole.strokes == (Stroke(0, 1, 3),)


def test_the_library_is_the_one_that_its_readme_names() -> None:
    import hashlib

    from memsite.templates import templates_folder

    folder = templates_folder() / "static/vendor/vis-network"
    digest = hashlib.sha256((folder / "vis-network.min.js").read_bytes()).hexdigest()
    assert f"{digest}  vis-network.min.js" in (folder / "README.md").read_text(encoding="utf-8")
    assert {"LICENSE-MIT", "LICENSE-APACHE-2.0"} <= {path.name for path in folder.iterdir()}
