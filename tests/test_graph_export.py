"""Networks as text: whole, readable by others, harmless."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from graph_memory import note, vault, view

from memsite.graph import FORMATS, Format, Network, concept_network, export, note_network, resolve

HOSTILE = (
    "</script><img src=x onerror=alert(1)>\"]; click n0 \\ `x` \u202e\x1b[31m\n=cmd|' /C calc'!A0 & <!-- ]]>"
)


@pytest.fixture
def network() -> Network:
    return note_network(vault({"a.md": "[[b]] [[b]] [[Machine Learning]]", "b.md": "[[a]]", "会議.md": ""}))


@pytest.fixture
def hostile() -> Network:
    notes = [note("a.md", "[[b]] [[=1+1]]", title=HOSTILE), note("b&\"<>'.md", title="=1+1"), note("b.md")]
    return note_network(resolve(notes, [view()]))


def test_json(network: Network) -> None:
    text = export(network, "json")
    whole = json.loads(text)
    assert text.isascii()
    assert [node["label"] for node in whole["nodes"]] == ["Machine Learning", "a", "b", "会議"]
    assert whole["edges"][0] == {
        "source": "memory://vault/a", "target": "concept:machine-learning", "weight": 1, "relations": []
    }  # fmt: skip
    assert whole["schema"] == "memsite-graph-1"
    assert whole["directed"] is True
    assert whole["communities"] == [{"number": 0, "name": "a, b, Machine Learning", "size": 3}]


@pytest.mark.parametrize("build", [note_network, concept_network])
def test_graphml_opens_in_networkx(build: object) -> None:
    import networkx as nx

    assert callable(build)
    ours: Network = build(vault({"a.md": "[[b]] [[x]] [[y]]", "b.md": "[[a]] [[x]]", "alone.md": ""}))
    theirs = nx.parse_graphml(export(ours, "graphml"))
    assert theirs.is_directed() == ours.directed
    assert set(theirs) == {node.id for node in ours.nodes}
    assert {(one, other): weight for one, other, weight in theirs.edges(data="weight")} == {
        (edge.source, edge.target): edge.weight for edge in ours.edges
    }
    for node in ours.nodes:
        assert theirs.nodes[node.id] == {
            "label": node.label, "kind": node.kind, "degree": node.degree, "weight": node.weight,
            "rank": node.rank, "community": node.community,
        }  # fmt: skip


def test_graphml_of_hostile_labels(hostile: Network) -> None:
    import networkx as nx

    theirs = nx.parse_graphml(export(hostile, "graphml"))
    assert theirs.nodes["memory://vault/a"]["label"] == HOSTILE.replace("\x1b", "\ufffd")
    assert "memory://vault/b&\"<>'" in theirs


def test_mermaid(network: Network) -> None:
    assert export(network, "mermaid").splitlines() == [
        "graph LR",
        '  n0(["Machine Learning"])',
        '  n1["a"]',
        '  n2["b"]',
        '  n3["会議"]',
        "  n1 --> n0",
        "  n1 -->|2| n2",
        "  n2 --> n1",
    ]


def test_mermaid_of_hostile_labels(hostile: Network) -> None:
    lines = export(hostile, "mermaid").splitlines()
    assert len(lines) == 1 + len(hostile.nodes) + len(hostile.edges)
    for line in lines[1 : 1 + len(hostile.nodes)]:
        label = re.fullmatch(r'  n\d(?:\[|\(\[)"([^"]*)"(?:\]|\]\))', line)
        assert label, line
        assert not re.search(r"[<>`\\\[\]{}|]|end\b", re.sub(r"#\d+;", "", label[1])), line


def test_dot(network: Network) -> None:
    lines = export(network, "dot").splitlines()
    assert lines[0] == "digraph memsite {"
    assert lines[-1] == "}"
    assert '  "memory://vault/a" -> "memory://vault/b" [weight=2];' in lines
    assert '  "concept:machine-learning" [label="Machine Learning", shape=ellipse];' in lines


def test_dot_of_hostile_labels(hostile: Network) -> None:
    string = r'"(?:[^"\\]|\\.)*"'
    for line in export(hostile, "dot").splitlines()[1:-1]:
        assert re.fullmatch(rf"  {string}(?: -> {string})? \[(?:label={string}, shape=box|label={string}, shape=ellipse|weight=\d+)\];", line), line  # fmt: skip


def test_csv(network: Network) -> None:
    rows = list(csv.reader(io.StringIO(export(network, "csv"))))
    assert rows[0] == ["source", "source_label", "target", "target_label", "weight", "relations"]
    assert ["memory://vault/a", "a", "memory://vault/b", "b", "2", ""] in rows
    assert rows[-1] == ["memory://vault/会議", "会議", "", "", "", ""]


def test_csv_of_hostile_labels(hostile: Network) -> None:
    for row in csv.reader(io.StringIO(export(hostile, "csv"))):
        assert len(row) == 6
        assert not any(cell[:1] in ("=", "+", "-", "@") for cell in row)


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_no_format_prints_control_characters(hostile: Network, kind: Format) -> None:
    text = export(hostile, kind)
    assert "\x1b" not in text
    assert text.endswith("\n")
    assert export(hostile, kind) == text
    if kind != "graphml":
        assert "\u202e" not in text


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_an_empty_network(kind: Format) -> None:
    assert export(note_network(vault({})), kind)
