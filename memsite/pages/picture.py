"""A small still picture of the graph for the start page.

An image of its own, so it needs no script; the colours stand on light and dark ground alike, since
an image does not know which theme the page around it wears.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from memsite.pages.graph_model import Dot, View

PICTURE_URL = "graph/picture.svg"
_DOTS = 400
_LINES = 900
_WIDTH, _HEIGHT, _MARGIN = 640.0, 400.0, 14.0
_LARGEST, _SMALLEST = 8.0, 1.6
_COLOURS = (
    "#4f83e6", "#e0793c", "#3aa878", "#bf5fae", "#cfa32e", "#2ba6ba", "#8d6fdd", "#de5f74", "#84a53f",
    "#b57b52", "#6b96b8", "#a083ad",
)  # fmt: skip
_OTHER = "#8f8a80"


def home_picture(view: View) -> bytes:
    """The most important nodes of `view` and the edges between them as an SVG image."""
    dots = view.dots[:_DOTS]
    places = _fitted(view.places[: len(dots)])
    lines = [stroke for stroke in view.strokes if stroke.minor < len(dots)][:_LINES]
    heaviest = max((dot.size for dot in dots), default=1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">',
        '<g stroke="#8f8a80" stroke-opacity=".28" stroke-width=".8">',
        *(_line(places[stroke.major], places[stroke.minor]) for stroke in lines),
        "</g>",
        *(_dot(dot, place, heaviest) for dot, place in reversed(list(zip(dots, places, strict=True)))),
        "</svg>\n",
    ]
    return "\n".join(parts).encode()


def _fitted(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The places moved and scaled into the picture, turned on the side when they stand tall."""
    if not places:
        return []
    wide, tall = _reach([x for x, _ in places]), _reach([y for _, y in places])
    if tall[1] - tall[0] > wide[1] - wide[0]:
        return _fitted([(y, x) for x, y in places])
    scale = min(
        (_WIDTH - 2 * _MARGIN) / max(wide[1] - wide[0], 1e-9),
        (_HEIGHT - 2 * _MARGIN) / max(tall[1] - tall[0], 1e-9),
    )
    middle = ((wide[0] + wide[1]) / 2, (tall[0] + tall[1]) / 2)
    inside = [
        ((x - middle[0]) * scale + _WIDTH / 2, (y - middle[1]) * scale + _HEIGHT / 2) for x, y in places
    ]
    return [(min(max(x, 4), _WIDTH - 4), min(max(y, 4), _HEIGHT - 4)) for x, y in inside]


def _reach(values: Sequence[float]) -> tuple[float, float]:
    """From where to where most of the values lie; what is far off must not shrink all the rest."""
    ordered = sorted(values)
    cut = len(ordered) // 50
    return ordered[cut], ordered[-1 - cut]


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    if hypot(start[0] - end[0], start[1] - end[1]) < 1:
        return ""
    return f'<path d="M{start[0]:.0f} {start[1]:.0f}L{end[0]:.0f} {end[1]:.0f}"/>'


def _dot(dot: Dot, place: tuple[float, float], heaviest: int) -> str:
    radius = _SMALLEST + (_LARGEST - _SMALLEST) * (dot.size / max(heaviest, 1)) ** 0.5
    colour = _COLOURS[dot.community] if 0 <= dot.community < len(_COLOURS) else _OTHER
    return f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{radius:.1f}" fill="{colour}"/>'
