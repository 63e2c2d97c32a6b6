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
    neighbours = _neighbours(view)
    shards: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for position, url in enumerate(urls):
        shards[_shard(url)][url] = _record(view, urls, neighbours, position)
    for shard in sorted(shards):
        records = dict(sorted(shards[shard].items()))
        yield f"graph/near/{shard}.js", f'memsiteLocal.receive("{shard}",{script_json(records)});\n'.encode()


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
    view: View, urls: Sequence[str], neighbours: Sequence[Mapping[int, tuple[int, int]]], centre: int
) -> dict[str, object]:
    """`nodes`: [label, URL, 1 for a concept, colour, file, name in it], the page itself first. `edges`:
    positions of two nodes and the direction, flat. `more`: neighbours that found no room."""
    near = neighbours[centre]
    chosen = sorted(near, key=lambda node: (-near[node][0], node))[:NEAREST]
    place = {node: number for number, node in enumerate((centre, *chosen))}
    edges: list[int] = []
    for node in place:
        for other in sorted(place.keys() & neighbours[node].keys(), key=place.__getitem__):
            if place[node] < place[other]:
                edges += (place[node], place[other], neighbours[node][other][1])
    nodes = [_node(view.dots[node], urls[node]) for node in place]
    return {"id": view.dots[centre].id, "nodes": nodes, "edges": edges, "more": len(near) - len(chosen)}


def _node(dot: Dot, url: str) -> list[object]:
    colour = dot.community if 0 <= dot.community < COLOURS else COLOURS
    return [dot.label, dot.url, int(dot.kind == "concept"), colour, _shard(url), url]
