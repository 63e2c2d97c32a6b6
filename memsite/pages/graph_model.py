"""What the graph page draws: pyvis builds the model, this module packs it into small script files.

Four kinds of file for each view, all of them classic scripts, since `fetch` does not work from
`file://`: the model (options, hubs, names of groups), the points (places, groups and edges of all
nodes as base64 of variable-length integers), the titles (loaded once somebody searches or points),
and details in pieces of `DETAILS` nodes (loaded when a node is chosen).
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ViewName: TypeAlias = Literal["concepts", "notes", "overview"]

HUBS = 400
"""So many nodes of highest degree are drawn by vis-network itself, all others from a bitmap."""
DETAILS = 256
"""Nodes in one file of details."""
AGES = 5

COLOURS = 12
"""Communities with a colour of their own; the smaller ones share the last."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A node with what the page says about it."""

    id: str
    label: str
    kind: Literal["note", "concept", "community"]
    community: int
    """From 0, the largest; -1 when it belongs to none."""
    degree: int
    stores: tuple[str, ...] = ()
    type: str = ""
    day: int | None = None
    """Days since 1970-01-01 (UTC)."""
    tags: tuple[str, ...] = ()
    url: str = ""
    """Encoded, relative to the root of the site; empty when it has no page."""
    excerpt: str = ""
    mentions: int = 0
    """How many links lead to it; of a community, how many members it has."""

    @property
    def size(self) -> int:
        """What its area shows."""
        return self.mentions if self.kind == "community" else self.degree


@dataclass(frozen=True, slots=True)
class Stroke:
    """An edge between positions in `View.dots`; `major` is the lesser one, the more important node."""

    major: int
    minor: int
    weight: int
    direction: int = 0
    """1: leads from major to minor, 2: the other way, 3: both, 0: no direction."""


@dataclass(frozen=True, slots=True)
class View:
    """One picture. `dots` are sorted by falling size, `strokes` by (minor, major)."""

    name: ViewName
    dots: tuple[Dot, ...]
    strokes: tuple[Stroke, ...]
    places: tuple[tuple[int, int], ...]
    communities: tuple[str, ...]
    capitals: tuple[int, ...] = ()
    """The nodes after which the coloured communities are named, the most central ones first: the
    picture and its legend speak of the same things."""
    directed: bool = False
    omitted: int = 0
    """Edges of the network that are not drawn."""
    key: str = ""
    """Checksum of the network."""
    layout: tuple[tuple[float, float], ...] = ()
    """The places as the layout gave them."""


def view_files(view: View) -> Iterator[tuple[str, bytes]]:
    """The script files of one view: (URL below the site's root, bytes)."""
    for part, text in view_scripts(view):
        yield f"graph/{view.name}.{part}.js", text.encode()


def view_scripts(view: View) -> Iterator[tuple[str, str]]:
    """The parts of a view: (name, script)."""
    model = pyvis_model(view)
    stores, types = _names(dot.stores for dot in view.dots), _names((dot.type,) for dot in view.dots)
    ages = Ages.of(dot.day for dot in view.dots)
    nodes, edges, *_, options = model.get_network_data()
    described = {
        "view": view.name, "nodes": len(nodes), "edges": len(edges), "directed": view.directed,
        "options": json.loads(options), "hubs": nodes[:HUBS],
        "labels": [dot.label for dot in view.dots[:HUBS]],
        "capitals": view.capitals,
        "names": {place: view.dots[place].label for place in view.capitals if place >= HUBS},
        "communities": _communities(view),
        "stores": stores, "storeSets": _store_sets(view, stores), "types": types,
        "ages": ages.starts, "days": ages.range, "tags": _tag_counts(view)[:400],
        "heaviest": max((stroke.weight for stroke in view.strokes), default=1),
        "details": DETAILS, "omitted": view.omitted,
    }  # fmt: skip
    yield _script(view, "model", described)
    yield _script(view, "points", _points(view, stores, types))
    yield _script(view, "titles", _titles(view, ages))
    for number, start in enumerate(range(0, len(view.dots), DETAILS)):
        page = [[dot.excerpt, dot.mentions, list(dot.tags)] for dot in view.dots[start : start + DETAILS]]
        yield _script(view, f"details-{number}", page)


def _script(view: View, part: str, value: object) -> tuple[str, str]:
    return part, f'memsiteGraph.receive("{view.name}.{part}",{script_json(value)});\n'


# JSON that is inert in a script whatever it holds: no element can end or begin inside it, and no
# line separator breaks the statement. Lone surrogates cannot be encoded, so they are replaced.
_INERT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def script_json(value: object) -> str:
    """`value` as strict JSON that may stand in a script file or element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_INERT).encode("utf-8", "replace").decode("utf-8")


def pyvis_model(view: View) -> Any:
    """The pyvis `Network` of a view: positions fixed, physics off, one group a community."""
    from pyvis.network import Network

    class QuickNetwork(Network):  # type: ignore[misc]
        """pyvis looks for a node in a list and for an edge in all edges; a dict does."""

        def add_node(self, n_id: int, label: str, **options: object) -> None:
            self.node_map[n_id] = {"id": n_id, "label": label, **options}
            self.nodes.append(self.node_map[n_id])

        def add_edge(self, source: int, to: int, **options: object) -> None:
            self.edges.append({"from": source, "to": to, **options})

    model = QuickNetwork(directed=view.directed, cdn_resources="in_line")
    for position, (dot, (x, y)) in enumerate(zip(view.dots, view.places, strict=True)):
        model.add_node(position, "", x=x, y=y, shape="custom", group=_group(dot.community))
    for stroke in view.strokes:
        model.add_edge(stroke.major, stroke.minor, value=stroke.weight)
    model.options = {
        "autoResize": True,
        "physics": {"enabled": False},
        "layout": {"improvedLayout": False},
        "interaction": {
            "dragNodes": False, "hover": False, "selectable": False, "selectConnectedEdges": False,
            "hoverConnectedEdges": False, "keyboard": False, "zoomSpeed": 0.7,
        },
        "nodes": {"shape": "custom", "borderWidth": 0, "chosen": False},
    }  # fmt: skip
    return model


def _group(community: int) -> str:
    return f"c{community}" if 0 <= community < COLOURS else "other"


def _communities(view: View) -> list[dict[str, object]]:
    sizes = [0] * len(view.communities)
    for dot in view.dots:
        if dot.community >= 0:
            sizes[dot.community] += 1
    return [{"name": name, "size": size} for name, size in zip(view.communities, sizes, strict=True)]


def _names(groups: Iterable[Sequence[str]]) -> list[str]:
    """Names by how often they occur, then by spelling."""
    counts: defaultdict[str, int] = defaultdict(int)
    for group in groups:
        for name in group:
            counts[name] += 1
    return sorted(counts, key=lambda name: (-counts[name], name))


def _store_sets(view: View, stores: Sequence[str]) -> list[list[int]]:
    place = {name: position for position, name in enumerate(stores)}
    sets = _names((json.dumps(sorted(place[name] for name in dot.stores)),) for dot in view.dots)
    return [json.loads(one) for one in sets]


def _tag_counts(view: View) -> list[list[object]]:
    tagged = _tagged(view)
    return [[tag, len(tagged[tag])] for tag in sorted(tagged, key=lambda tag: (-len(tagged[tag]), tag))]


def _tagged(view: View) -> dict[str, list[int]]:
    tagged: defaultdict[str, list[int]] = defaultdict(list)
    for position, dot in enumerate(view.dots):
        for tag in dict.fromkeys(dot.tags):
            tagged[tag].append(position)
    return tagged


@dataclass(frozen=True, slots=True)
class Ages:
    """Dates in `AGES` groups of like size, oldest first. No clock: the newest note is "now"."""

    starts: tuple[int, ...]
    """The first day of each group."""
    range: tuple[int, int] | None

    @classmethod
    def of(cls, days: Iterable[int | None]) -> Ages:
        known = sorted(day for day in days if day is not None)
        if not known:
            return cls((), None)
        cuts = {known[len(known) * part // AGES] for part in range(AGES)}
        return cls(tuple(sorted(cuts)), (known[0], known[-1]))


def _points(view: View, stores: Sequence[str], types: Sequence[str]) -> dict[str, str]:
    type_place = {name: position for position, name in enumerate(types)}
    store_place = {name: position for position, name in enumerate(stores)}
    sets = {tuple(one): position for position, one in enumerate(_store_sets(view, stores))}
    dots = view.dots
    neighbours = _neighbours(view)
    points = {
        "x": _packed(_zigzag(x) for x, _ in view.places),
        "y": _packed(_zigzag(y) for _, y in view.places),
        "sizes": _packed(_falls(dot.size for dot in dots)),
        "kinds": _packed(("note", "concept", "community").index(dot.kind) for dot in dots),
        "community": _packed(_community_code(view, dot) for dot in dots),
        "stores": _packed(sets[tuple(sorted(store_place[name] for name in dot.stores))] for dot in dots),
        "types": _packed(type_place[dot.type] for dot in dots),
        "edges": _packed(code for row in neighbours for code in (len(row), *_gaps(seat for seat, _ in row))),
        "weights": _packed(stroke.weight for row in neighbours for _, stroke in row),
    }
    if view.directed:
        points["directions"] = _packed(stroke.direction for row in neighbours for _, stroke in row)
    return points


def _neighbours(view: View) -> list[list[tuple[int, Stroke]]]:
    """The edges as an adjacency list in which each stands once.

    Nodes are seated by community, since most edges stay inside one: gaps between neighbours are then
    small numbers, which makes the file a tenth smaller. An edge stands in the row of its later seat.
    """
    order = sorted(
        range(len(view.dots)), key=lambda position: (_community_code(view, view.dots[position]), position)
    )
    seat_of = {position: seat for seat, position in enumerate(order)}
    rows: list[list[tuple[int, Stroke]]] = [[] for _ in order]
    for stroke in view.strokes:
        early, late = sorted((seat_of[stroke.major], seat_of[stroke.minor]))
        rows[late].append((early, stroke))
    for row in rows:
        row.sort(key=lambda pair: pair[0])
    return rows


def _community_code(view: View, dot: Dot) -> int:
    return dot.community if dot.community >= 0 else len(view.communities)


def _gaps(ascending: Iterable[int]) -> Iterator[int]:
    before = -1
    for number in ascending:
        yield number - before - 1
        before = number


def _falls(descending: Iterable[int]) -> Iterator[int]:
    """The first number, then by how much each is less than the one before."""
    before: int | None = None
    for number in descending:
        yield number if before is None else before - number
        before = number


def _zigzag(number: int) -> int:
    return number * 2 if number >= 0 else -number * 2 - 1


def _packed(numbers: Iterable[int]) -> str:
    """Numbers from 0 up, seven bits a byte, low ones first, as base64."""
    packed = bytearray()
    for number in numbers:
        while number > 127:
            packed.append(number & 127 | 128)
            number >>= 7
        packed.append(number)
    return base64.b64encode(packed).decode("ascii")


def _titles(view: View, ages: Ages) -> dict[str, object]:
    first_day = ages.range[0] if ages.range else 0
    return {
        "ids": [dot.id for dot in view.dots],
        "labels": [dot.label for dot in view.dots],
        "urls": [dot.url for dot in view.dots],
        "days": _packed(0 if dot.day is None else dot.day - first_day + 1 for dot in view.dots),
        "tags": {tag: _packed(_gaps(positions)) for tag, positions in sorted(_tagged(view).items())},
    }
