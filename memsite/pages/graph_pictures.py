"""The memory's networks as pictures: who is drawn, how important each is, where each lies."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memsite.markdown import match_key, visible
from memsite.note import Concept, Note
from memsite.pages.graph_model import COLOURS, Dot, Stroke, View, ViewName
from memsite.pages.plan import SitePlan, tags_of
from memsite.pages.rendering import desk_of

if TYPE_CHECKING:
    from memsite.graph import Network, Node

CROWDED = 50_000
"""Nodes above which the page starts with the communities."""
DENSE = 6
"""Edges a node on average, above which only the strongest of each node are drawn."""
_KEPT = 5
_FARTHEST = 1e6
_EXCERPT = 260
_CONCEPT_TAGS = 12


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the nodes of a network lay when it was last drawn. The build keeps it for the next one."""

    key: str
    """Checksum of the network: an equal one needs no new layout."""
    places: Mapping[str, tuple[float, float]]


def graph_views(plan: SitePlan, *, previous: Mapping[str, Placement] | None = None) -> dict[ViewName, View]:
    """The pictures of the graph page by name, the first one first.

    `previous` is `placements` of the last build: what has not changed keeps its place, and what has
    changed starts from there, so that the picture stays familiar.
    """
    from memsite.graph import note_network

    config = plan.config.graph
    known = previous or {}
    facts = _Facts(plan)
    networks = {
        "concepts": desk_of(plan).relations.network,
        "notes": note_network(plan.graph, resolution=config.resolution, seed=config.seed),
    }
    views: dict[ViewName, View] = {}
    for name in ("concepts", "notes"):
        views[name] = view_of(name, networks[name], facts.dot, previous=known.get(name))
    # In a memory that names no concepts, the links between notes are the picture people come for.
    if len(views["concepts"].strokes) <= len(views["notes"].strokes) / 4:
        views = {"notes": views["notes"], "concepts": views["concepts"]}
    crowded = next((view for view in views.values() if len(view.dots) > CROWDED), None)
    return {"overview": overview(crowded), **views} if crowded else views


def placements(views: Mapping[ViewName, View]) -> dict[str, Placement]:
    """What to keep for the next build."""
    return {
        name: Placement(view.key, {dot.id: place for dot, place in zip(view.dots, view.layout, strict=True)})
        for name, view in views.items()
        if name != "overview"
    }


def placements_json(kept: Mapping[str, Placement]) -> bytes:
    """`placements` as a file."""
    views = {name: {"key": one.key, "places": dict(sorted(one.places.items()))} for name, one in kept.items()}
    return json.dumps({"version": 1, "views": views}, separators=(",", ":")).encode()


def read_placements(written: bytes) -> dict[str, Placement]:
    """What `placements_json` wrote; nothing when the file is of another kind or damaged."""
    try:
        views = json.loads(written)["views"]
        return {
            str(name): Placement(
                str(one["key"]), {str(node): (_side(x), _side(y)) for node, (x, y) in one["places"].items()}
            )
            for name, one in views.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _side(value: object) -> float:
    """A coordinate. Raises ValueError for one that no layout gives."""
    if not isinstance(value, int | float) or not abs(value) < _FARTHEST:
        raise ValueError(value)
    return float(value)


def view_of(
    name: ViewName, network: Network, dot: Callable[[Node], Dot], *, previous: Placement | None = None
) -> View:
    """The picture of a network. `dot` says what the page tells about a node."""
    from memsite.graph import layout

    key = network_key(network)
    if previous and previous.key == key and all(node.id in previous.places for node in network.nodes):
        laid = previous.places
    else:
        laid = layout(network, previous=previous.places if previous else None)
    strokes = _strokes(network)
    degrees = Counter(end for stroke in strokes for end in (stroke.major, stroke.minor))
    order = sorted(
        range(len(network.nodes)),
        key=lambda place: (-degrees[place], -network.nodes[place].rank, network.nodes[place].id),
    )
    nodes = [replace(network.nodes[place], degree=degrees[place]) for place in order]
    strokes = _ordered(strokes, order)
    raw = tuple(laid[node.id] for node in nodes)
    return View(
        name=name,
        dots=tuple(map(dot, nodes)),
        strokes=strokes,
        places=tuple((round(x), round(y)) for x, y in raw),
        communities=tuple(visible(community.name) for community in network.communities),
        capitals=_capitals(network, [node.id for node in nodes]),
        directed=network.directed,
        omitted=len(network.edges) - sum(2 if stroke.direction == 3 else 1 for stroke in strokes),
        key=key,
        layout=raw,
    )


def _capitals(network: Network, ids: Sequence[str]) -> tuple[int, ...]:
    position = {node: place for place, node in enumerate(ids)}
    coloured = network.communities[:COLOURS]
    return tuple(
        position[community.members[turn]]
        for turn in range(3)
        for community in coloured
        if turn < len(community.members)
    )


def network_key(network: Network) -> str:
    """Checksum of what a layout depends on."""
    digest = hashlib.sha256(repr(("memsite-layout-1", network.directed)).encode())
    for node in network.nodes:
        digest.update(repr((node.id, node.community, node.degree)).encode("utf-8", "surrogatepass"))
    for edge in network.edges:
        digest.update(repr((edge.source, edge.target, edge.weight)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _strokes(network: Network) -> tuple[Stroke, ...]:
    """The edges that are drawn, by positions in `network.nodes`: the two directions of a pair are one."""
    position = {node.id: place for place, node in enumerate(network.nodes)}
    weights: dict[tuple[int, int], int] = {}
    directions: dict[tuple[int, int], int] = {}
    for edge in network.edges:
        one, other = position[edge.source], position[edge.target]
        pair = (one, other) if one < other else (other, one)
        weights[pair] = weights.get(pair, 0) + edge.weight
        if network.directed:
            directions[pair] = directions.get(pair, 0) | (1 if one < other else 2)
    kept = _drawn(weights, len(network.nodes))
    return tuple(Stroke(*pair, weights[pair], directions.get(pair, 0)) for pair in kept)


def _ordered(strokes: Iterable[Stroke], order: Sequence[int]) -> tuple[Stroke, ...]:
    """`strokes` by the places that `order` gives to their ends."""
    place = {node: seat for seat, node in enumerate(order)}
    turned = []
    for stroke in strokes:
        one, other = place[stroke.major], place[stroke.minor]
        back = (stroke.direction & 1) << 1 | stroke.direction >> 1
        turned.append(
            Stroke(one, other, stroke.weight, stroke.direction)
            if one < other
            else Stroke(other, one, stroke.weight, back)
        )
    return tuple(sorted(turned, key=lambda stroke: (stroke.minor, stroke.major)))


def _by_minor(pair: tuple[int, int]) -> tuple[int, int]:
    return (pair[1], pair[0])


def _drawn(weights: Mapping[tuple[int, int], int], nodes: int) -> list[tuple[int, int]]:
    """All pairs, or the strongest of each node where so many would only be a grey cloud."""
    if len(weights) <= max(DENSE * nodes, 400):
        return sorted(weights, key=_by_minor)
    from memsite.graph.communities import strongest

    pairs = sorted(weights)
    kept = strongest(nodes, [(*pair, weights[pair]) for pair in pairs], each=_KEPT)
    return sorted((pairs[place] for place in kept), key=_by_minor)


class _Facts:
    """Looks up what the page says about a node."""

    def __init__(self, plan: SitePlan) -> None:
        self._plan = plan
        self._tags_of: dict[str, tuple[str, ...]] = {}

    def dot(self, node: Node) -> Dot:
        if node.kind == "concept":
            return self._concept(node, self._plan.graph.concepts[node.id.removeprefix("concept:")])
        return self._note(node, self._plan.graph.notes[node.id])

    def _note(self, node: Node, note: Note) -> Dot:
        plan = self._plan
        index = note.path.rpartition("/")[2] == "MEMORY.md"
        return Dot(
            id=node.id,
            label=one_line(note.title),
            kind="note",
            community=node.community,
            degree=node.degree,
            stores=(note.store,),
            type="index" if index else visible(note.type or "note"),
            day=_day(note),
            tags=self._tags(note),
            url=plan.href(plan.notes[note.address]),
            excerpt=excerpt_of(note),
            mentions=len(plan.graph.backlinks.get(note.address, ())),
        )

    def _concept(self, node: Node, concept: Concept) -> Dot:
        plan = self._plan
        notes = [
            plan.graph.notes[address] for address in dict.fromkeys(one.address for one in concept.mentions)
        ]
        tags = Counter(tag for note in notes for tag in self._tags(note))
        return Dot(
            id=node.id,
            label=one_line(concept.name),
            kind="concept",
            community=node.community,
            degree=node.degree,
            stores=tuple(sorted({note.store for note in notes})),
            type="concept",
            day=max((day for note in notes if (day := _day(note)) is not None), default=None),
            tags=tuple(sorted(tags, key=lambda tag: (-tags[tag], tag))[:_CONCEPT_TAGS]),
            url=plan.href(plan.concepts[concept.key]),
            excerpt=self._quote(concept),
            mentions=len(concept.mentions),
        )

    def _tags(self, note: Note) -> tuple[str, ...]:
        """A note's tags; asked for once by the note and once by each concept it names."""
        if note.address not in self._tags_of:
            names = (visible(self._plan.tag_names[match_key(tag)]) for tag in tags_of(note))
            self._tags_of[note.address] = tuple(dict.fromkeys(names))
        return self._tags_of[note.address]

    def _quote(self, concept: Concept) -> str:
        """The sentence in which a note first names the concept."""
        for mention in concept.mentions[:1]:
            context = self._plan.graph.notes[mention.address].document.links[mention.position].context
            return _excerpt(f"{context.before}{context.link}{context.after}")
        return ""


def _day(note: Note) -> int | None:
    return int(note.date.timestamp() // 86_400) if note.date else None


def one_line(text: str) -> str:
    return " ".join(visible(text).split())[:200]


def excerpt_of(note: Note) -> str:
    """What the page says of a note beside its title."""
    return _excerpt(note.description or note.document.text.removeprefix(note.document.lead))


def _excerpt(text: str) -> str:
    flat = " ".join(visible(text[: 2 * _EXCERPT]).split())
    return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT].rsplit(' ', 1)[0]}…"


def overview(view: View) -> View:
    """The communities of a picture as nodes, joined where their members are."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for position, dot in enumerate(view.dots):
        if dot.community >= 0:
            members[dot.community].append(position)
    order = sorted(members, key=lambda community: (-len(members[community]), community))
    place_of = {community: place for place, community in enumerate(order)}
    weights: Counter[tuple[int, int]] = Counter()
    for stroke in view.strokes:
        ends = {place_of[view.dots[end].community] for end in (stroke.major, stroke.minor)}
        if len(ends) == 2:
            weights[min(ends), max(ends)] += stroke.weight
    degrees = Counter(end for pair in weights for end in pair)
    return View(
        name="overview",
        dots=tuple(_group_dot(view, one, members[one], degrees[place_of[one]]) for one in order),
        strokes=tuple(Stroke(*pair, weights[pair]) for pair in _drawn(weights, len(order))),
        places=_gathered([_middle([view.places[place] for place in members[one]]) for one in order]),
        communities=tuple(view.communities[community] for community in order),
        capitals=tuple(range(min(COLOURS, len(order)))),
    )


def _group_dot(view: View, community: int, members: Sequence[int], degree: int) -> Dot:
    dots = [view.dots[position] for position in members]
    return Dot(
        id=f"group:{community}",
        label=view.communities[community],
        kind="community",
        community=community,
        degree=degree,
        stores=tuple(sorted({store for dot in dots for store in dot.stores})),
        type="group",
        url=f"graph.html#view={view.name}&group={community}",
        mentions=len(members),
        excerpt=", ".join(dot.label for dot in dots[:12]),
    )


def _middle(places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return (round(sum(x for x, _ in places) / len(places)), round(sum(y for _, y in places) / len(places)))


def _gathered(places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places of members are far apart; those of so few groups lie on a plane of their own size."""
    reach = max((abs(side) for place in places for side in place), default=0) or 1
    scale = min(1.0, 70 * len(places) ** 0.5 / reach)
    return tuple((round(x * scale), round(y * scale)) for x, y in places)
