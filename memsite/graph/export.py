"""A network as text for other programs. Labels are untrusted: each format escapes them in its own way."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from memsite.graph.network import Edge, Network, Node
from memsite.markdown.names import visible

Format: TypeAlias = Literal["json", "graphml", "mermaid", "dot", "csv"]

SCHEMA = "memsite-graph-1"

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MERMAID_SIGNS = re.compile(r"""["#&<>\[\](){}|\\;:`%*_~$@^=-]""")
# What a spreadsheet takes for the start of a formula.
_FORMULA = re.compile(r"[=+\-@\t\r]")


def export(network: Network, kind: Format) -> str:
    """The network in one of `FORMATS`, ending with a newline; the same bytes for the same network."""
    return FORMATS[kind](network)


def to_json(network: Network) -> str:
    """An object with `nodes`, `edges` and `communities`, ASCII only."""
    whole = {
        "schema": SCHEMA,
        "directed": network.directed,
        "modularity": network.modularity,
        "nodes": [
            {
                "id": node.id, "label": node.label, "kind": node.kind, "degree": node.degree,
                "weight": node.weight, "rank": node.rank, "community": node.community,
            }
            for node in network.nodes
        ],
        "edges": [
            {"source": edge.source, "target": edge.target, "weight": edge.weight, "relations": edge.relations}
            for edge in network.edges
        ],
        "communities": [
            {"number": each.number, "name": each.name, "size": len(each.members)}
            for each in network.communities
        ],
    }  # fmt: skip
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


# GraphML ----------------------------------------------------------------------------------------

_NODE_KEYS: Mapping[str, str] = {
    "label": "string",
    "kind": "string",
    "degree": "int",
    "weight": "int",
    "rank": "double",
    "community": "int",
}


def to_graphml(network: Network) -> str:
    """GraphML 1.0 with typed attributes, as networkx, Gephi and yEd read it."""
    keys = [_graphml_key("node", name, kind) for name, kind in _NODE_KEYS.items()]
    keys += [_graphml_key("edge", "weight", "int"), _graphml_key("edge", "relations", "string")]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *keys,
        f'<graph edgedefault="{"directed" if network.directed else "undirected"}">',
        *(_graphml_node(node) for node in network.nodes),
        *(_graphml_edge(edge) for edge in network.edges),
        "</graph>",
        "</graphml>",
    ]
    return "\n".join(lines) + "\n"


def _graphml_key(element: str, name: str, kind: str) -> str:
    return f'<key id="{element}-{name}" for="{element}" attr.name="{name}" attr.type="{kind}"/>'


def _graphml_node(node: Node) -> str:
    values = "".join(
        f'<data key="node-{name}">{_xml(str(getattr(node, name)))}</data>' for name in _NODE_KEYS
    )
    return f"<node id={_attribute(node.id)}>{values}</node>"


def _graphml_edge(edge: Edge) -> str:
    relations = _xml(", ".join(edge.relations))
    ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
    more = f'<data key="edge-relations">{relations}</data>' if relations else ""
    return f'<edge {ends}><data key="edge-weight">{edge.weight}</data>{more}</edge>'


def _attribute(text: str) -> str:
    return f'"{_xml(text)}"'


def _xml(text: str) -> str:
    """`text` escaped, without the characters that XML 1.0 cannot hold at all."""
    return html.escape(_NO_XML.sub("\ufffd", text))


# Mermaid, DOT, CSV ------------------------------------------------------------------------------


def to_mermaid(network: Network) -> str:
    """A Mermaid flowchart: notes as boxes, concepts as rounded ones, weights above 1 on the edges."""
    names = {node.id: f"n{place}" for place, node in enumerate(network.nodes)}
    lines = ["graph LR"]
    for node in network.nodes:
        opening, closing = ("[", "]") if node.kind == "note" else ("([", "])")
        lines.append(f'  {names[node.id]}{opening}"{_mermaid(node.label)}"{closing}')
    arrow = "-->" if network.directed else "---"
    for edge in network.edges:
        weight = f"|{edge.weight}|" if edge.weight > 1 else ""
        lines.append(f"  {names[edge.source]} {arrow}{weight} {names[edge.target]}")
    return "\n".join(lines) + "\n"


def _mermaid(label: str) -> str:
    """Signs with a meaning as Mermaid's own entity codes; a label is never Markdown, HTML or code."""
    return _MERMAID_SIGNS.sub(lambda found: f"#{ord(found.group())};", _line(label)) or " "


def to_dot(network: Network) -> str:
    """A graph for Graphviz."""
    kind, arrow = ("digraph", "->") if network.directed else ("graph", "--")
    lines = [f"{kind} memsite {{"]
    for node in network.nodes:
        shape = "box" if node.kind == "note" else "ellipse"
        lines.append(f"  {_quoted(node.id)} [label={_quoted(node.label)}, shape={shape}];")
    for edge in network.edges:
        label = f", label={_quoted(', '.join(edge.relations))}" if edge.relations else ""
        lines.append(
            f"  {_quoted(edge.source)} {arrow} {_quoted(edge.target)} [weight={edge.weight}{label}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + _line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_csv(network: Network) -> str:
    """One row an edge; a node without edges has a row with empty target."""
    labels = {node.id: node.label for node in network.nodes}
    rows = [["source", "source_label", "target", "target_label", "weight", "relations"]]
    for edge in network.edges:
        ends = [edge.source, labels[edge.source], edge.target, labels[edge.target]]
        rows.append([*ends, str(edge.weight), " ".join(edge.relations)])
    rows += [[node.id, node.label, "", "", "", ""] for node in network.nodes if not node.degree]
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(text: str) -> str:
    """A cell of CSV (RFC 4180) that no spreadsheet runs as a formula."""
    line = _line(text)
    if _FORMULA.match(line):
        line = f"'{line}"
    return '"' + line.replace('"', '""') + '"' if "," in line or '"' in line else line


def _line(text: str) -> str:
    """One line without control and bidi characters."""
    return visible(" ".join(text.split()))


FORMATS: Mapping[Format, Callable[[Network], str]] = {
    "json": to_json,
    "graphml": to_graphml,
    "mermaid": to_mermaid,
    "dot": to_dot,
    "csv": to_csv,
}
