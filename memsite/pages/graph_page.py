"""The graph page: the picture, its data, its table, and the same as one file to send to somebody."""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memsite.pages.frame import Crumb, Desk, Frame
from memsite.pages.graph_model import Dot, View, ViewName, view_files, view_scripts
from memsite.pages.graph_pictures import (
    Placement,
    graph_views,
    placements,
    placements_json,
    read_placements,
)
from memsite.pages.local_graph import local_graph_files
from memsite.pages.machine import texts_script
from memsite.pages.picture import PICTURE_URL, home_picture
from memsite.pages.plan import Page, SitePlan, part_url
from memsite.pages.rendering import desk_of
from memsite.pages.urls import root_of
from memsite.templates import templates_folder

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "Placement",
    "graph_document",
    "graph_files",
    "graph_views",
    "picture_files",
    "placements",
    "placements_json",
    "read_placements",
]

INLINE = 300
"""Nodes whose table stands below the picture; more of them have pages of their own."""
ROWS = 1_000
"""Nodes on one page of the table."""
SCRIPTS = ("graph-model.js", "graph-paint.js", "graph-panel.js", "graph-download.js", "graph.js")
_LIBRARY = "vendor/vis-network/vis-network.min.js"


@dataclass(frozen=True, slots=True)
class Row:
    """A node in the table, with its edges."""

    label: str
    href: str
    type: str
    stores: str
    date: str
    group: str
    degree: int
    linked: str
    """Names of its neighbours, the weight after those joined more than once."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows `start` to `start + len(rows)` of a view's table; `rows` is empty on the graph page when
    the table is long, and `href` leads to it."""

    view: ViewName
    rows: tuple[Row, ...]
    total: int
    edges: int
    omitted: int
    href: str
    part: int = 1
    parts: int = 1
    previous: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class GraphView:
    frame: Frame
    root: str
    first: ViewName
    names: tuple[ViewName, ...]
    scripts: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    frame: Frame
    table: Table
    parts: int
    part: int
    previous: str
    next: str


def graph_files(plan: SitePlan, views: Mapping[ViewName, View]) -> Iterator[tuple[str, bytes]]:
    """Every file of the graph: its page, data, tables, and the pieces for note and concept pages."""
    yield from picture_files(plan, views)
    yield from local_graph_files(views["notes"], plan)
    yield PICTURE_URL, home_picture(views["notes"])


def picture_files(plan: SitePlan, views: Mapping[ViewName, View]) -> Iterator[tuple[str, bytes]]:
    """The graph page with its data and its tables."""
    desk = desk_of(plan)
    yield "graph.html", _graph_page(desk, views)
    for view in views.values():
        yield from view_files(view)
        yield from _table_pages(desk, view)


def _graph_page(desk: Desk, views: Mapping[ViewName, View]) -> bytes:
    names = tuple(views)
    first = names[0]
    files = (
        f"static/{_LIBRARY}",
        f"static/{SCRIPTS[0]}",
        f"graph/{first}.model.js",
        f"graph/{first}.points.js",
    )
    view = GraphView(
        frame=desk.frame(Page("graph.html", "graph"), desk.templates.texts.graph, description=desk.summary()),
        root="",
        first=first,
        names=names,
        scripts=(*files, *(f"static/{name}" for name in SCRIPTS[1:])),
        tables=tuple(_inline_table(view, desk) for view in views.values()),
    )
    return _rendered(desk, "graph.html", view)


def _rendered(desk: Desk, template: str, view: GraphView | TableView) -> bytes:
    text = desk.templates.get(template).render(view=view, frame=view.frame, site=desk.site)
    return text.encode("utf-8", "replace")


# The table ------------------------------------------------------------------------------------------


def _table_url(view: View) -> str:
    return f"graph/{view.name}.html"


def _inline_table(view: View, desk: Desk) -> Table:
    """All rows, or the address of the pages that hold them."""
    if len(view.dots) <= INLINE:
        return _table(view, tuple(_rows(view, "")), "")
    return _table(view, (), desk.plan.href(_table_url(view)))


def _table(view: View, rows: tuple[Row, ...], href: str, *, part: int = 1) -> Table:
    parts = max(1, -(-len(view.dots) // ROWS))
    name = f"{view.name}.html"
    return Table(
        view=view.name,
        rows=rows,
        total=len(view.dots),
        edges=len(view.strokes),
        omitted=view.omitted,
        href=href,
        part=part,
        parts=parts,
        previous=part_url(name, part - 1) if part > 1 else "",
        next=part_url(name, part + 1) if part < parts else "",
    )


def _table_pages(desk: Desk, view: View) -> Iterator[tuple[str, bytes]]:
    if len(view.dots) <= INLINE:
        return
    url = _table_url(view)
    title = getattr(desk.templates.texts, f"graph_view_{view.name}")
    rows = list(_rows(view, root_of(url)))
    for part in range(1, -(-len(rows) // ROWS) + 1):
        here = part_url(url, part)
        table = _table(view, tuple(rows[(part - 1) * ROWS : part * ROWS]), "", part=part)
        crumb = Crumb(desk.templates.texts.graph, f"{root_of(url)}graph.html")
        frame = desk.frame(Page(here, "graph"), title, crumbs=(crumb,))
        page = TableView(frame, table, table.parts, table.part, table.previous, table.next)
        yield here, _rendered(desk, "graph_table.html", page)


def _rows(view: View, root: str | None) -> Iterator[Row]:
    """All rows of a view, as seen from a page with this `root`; without one, nothing is linked."""
    linked: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for stroke in view.strokes:
        linked[stroke.major].append((stroke.minor, stroke.weight))
        linked[stroke.minor].append((stroke.major, stroke.weight))
    labels = [dot.label for dot in view.dots]
    for position, dot in enumerate(view.dots):
        near = sorted(linked[position], key=lambda pair: (-pair[1], pair[0]))
        names = (f"{labels[node]} ×{weight}" if weight > 1 else labels[node] for node, weight in near)
        yield _row(view, dot, root, ", ".join(names))


def _row(view: View, dot: Dot, root: str | None, linked: str) -> Row:
    return Row(
        label=dot.label,
        href=root + dot.url if root is not None and dot.url else "",
        type=dot.type,
        stores=", ".join(dot.stores),
        date=iso_day(dot.day) if dot.day is not None else "",
        group=view.communities[dot.community] if dot.community >= 0 else "",
        degree=dot.degree,
        linked=linked,
    )


def iso_day(day: int) -> str:
    """`day` counted from 1970-01-01 as a date."""
    from datetime import date, timedelta

    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()


# One file -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentView:
    title: str
    first: ViewName
    names: tuple[ViewName, ...]
    root: str
    styles: tuple[Markup, ...]
    scripts: tuple[Markup, ...]
    policy: str
    tables: tuple[Table, ...]


def graph_document(plan: SitePlan, views: Mapping[ViewName, View]) -> bytes:
    """The graph as one HTML file that needs no other: for sending to somebody.

    Its links lead nowhere, as the pages are not in it, so there are none. The policy lists the hash of
    every script and style in the file: nothing else can run.
    """
    from markupsafe import Markup

    desk = desk_of(plan)
    apart = {name: _unlinked(view) for name, view in views.items()}
    static = templates_folder() / "static"
    sources = [texts_script(desk).rstrip("\n"), _source(static, _LIBRARY), _source(static, SCRIPTS[0])]
    sources += [text for view in apart.values() for _, text in view_scripts(view)]
    sources += [_source(static, name) for name in SCRIPTS[1:]]
    styles = [_source(static, name) for name in ("memsite.css", "local-graph.css", "graph.css")]
    view = DocumentView(
        title=f"{desk.templates.texts.graph} · {desk.site.title}",
        first=next(iter(apart)),
        names=tuple(apart),
        root="",
        styles=tuple(Markup(style) for style in styles),  # noqa: S704  (memsite's own files)
        scripts=tuple(Markup(script) for script in sources),  # noqa: S704  (own files and script_json)
        policy=_policy(sources, styles),
        tables=tuple(_table(one, tuple(_rows(one, None)), "") for one in apart.values()),
    )
    return (
        desk.templates.get("graph_document.html").render(view=view, site=desk.site).encode("utf-8", "replace")
    )


def _source(static: object, name: str) -> str:
    from pathlib import Path

    return Path(str(static), name).read_text(encoding="utf-8").rstrip("\n").replace("\r\n", "\n")


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)


def _unlinked(view: View) -> View:
    from dataclasses import replace

    return replace(
        view, dots=tuple(dot if dot.kind == "community" else replace(dot, url="") for dot in view.dots)
    )
