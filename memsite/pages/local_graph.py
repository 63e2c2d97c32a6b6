"""The graph around one page: its neighbours in a small script file.

A file holds the pages whose URLs begin with the same hash digits, so a new note changes the files of its
neighbours only. A page's record holds depth 1; for depth 2 the browser loads the neighbours' records, whose
files are named in it. So the files stay small, and the whole graph is never loaded for a page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memsite.pages.graph_model import COLOURS, Dot, View, script_json
from memsite.pages.plan import SitePlan
from memsite.pages.urls import short_hash

NEAREST = 24
"""Neighbours in a record, the most tightly linked first."""


def shard_url(url: str) -> str:
    """The script file, below the site's root, that holds the record of the page at `url` (decoded)."""
    return f"graph/near/{_shard(url)}.js"


def _shard(url: str) -> str:
    return short_hash(url, 3)


def local_graph_files(view: View, plan: SitePlan) -> Iterator[tuple[str, bytes]]:
    """The script files for all notes and concepts of the picture of notes."""
    urls = [_page_url(dot, plan) for dot in view.dots]
    names = [_shard(url) for url in urls]
    nodes = [_node(dot, url, name) for dot, url, name in zip(view.dots, urls, names, strict=True)]
    neighbours = _neighbours(view)
    shards: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for position, url in enumerate(urls):
        shards[names[position]].append((url, position))
    for name in sorted(shards):
        records = ",".join(
            f"{script_json(url)}:{_record(view.dots[position], position, nodes, neighbours)}"
            for url, position in sorted(shards[name])
        )
        yield f"graph/near/{name}.js", f'memsiteLocal.receive("{name}",{{{records}}});\n'.encode()


def _page_url(dot: Dot, plan: SitePlan) -> str:
    if dot.kind == "concept":
        return plan.concepts[dot.id.removeprefix("concept:")]
    return plan.notes[dot.id]


def _neighbours(view: View) -> list[dict[int, tuple[int, int]]]:
    """For each node its neighbours: (weight, direction as seen from the node)."""
    found: list[dict[int, tuple[int, int]]] = [{} for _ in view.dots]
    for stroke in view.strokes:
        found[stroke.major][stroke.minor] = (stroke.weight, stroke.direction)
        found[stroke.minor][stroke.major] = (
            stroke.weight,
            (stroke.direction & 1) << 1 | stroke.direction >> 1,
        )
    return found


def _record(
    dot: Dot, centre: int, nodes: Sequence[str], neighbours: Sequence[Mapping[int, tuple[int, int]]]
) -> str:
    """JSON. `nodes`: the page itself first. `edges`: positions of two nodes and the direction, flat.
    `more`: neighbours that found no room."""
    near = neighbours[centre]
    chosen = sorted(near, key=lambda node: (-near[node][0], node))[:NEAREST]
    place = {node: number for number, node in enumerate((centre, *chosen))}
    edges: list[str] = []
    for node, number in place.items():
        row = neighbours[node]
        met = sorted(place[other] for other in place.keys() & row.keys() if number < place[other])
        edges += (f"{number},{other},{row[chosen[other - 1]][1]}" for other in met)
    drawn = ",".join(nodes[node] for node in place)
    more = len(near) - len(chosen)
    return f'{{"id":{script_json(dot.id)},"nodes":[{drawn}],"edges":[{",".join(edges)}],"more":{more}}}'


def _node(dot: Dot, url: str, shard: str) -> str:
    """JSON: [label, encoded URL, 1 for a concept, colour, file, name in it]."""
    colour = dot.community if 0 <= dot.community < COLOURS else COLOURS
    return script_json([dot.label, dot.url, int(dot.kind == "concept"), colour, shard, url])
