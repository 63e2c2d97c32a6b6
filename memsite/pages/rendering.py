"""From a page of the plan to its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from memsite.pages import changes_page, concept_page, health_pages, listings, machine
from memsite.pages.frame import Desk
from memsite.pages.note_page import note_view
from memsite.pages.plan import Page, SitePlan, draws_diagrams
from memsite.pages.search_page import plain_view
from memsite.templates import templates_folder

# For each kind of page: its template and the function that gathers what it shows.
_VIEWS: dict[str, tuple[str, Callable[[Page, Desk], object]]] = {
    "home": ("home.html", listings.home_view),
    "note": ("note.html", note_view),
    "concept": ("concept.html", concept_page.concept_view),
    "ambiguous": ("ambiguous.html", concept_page.ambiguous_view),
    "store": ("listing.html", listings.listing_view),
    "folder": ("listing.html", listings.listing_view),
    "tag": ("listing.html", listings.listing_view),
    "type": ("listing.html", listings.listing_view),
    "notes": ("listing.html", listings.listing_view),
    "concepts": ("names.html", listings.names_view),
    "tags": ("names.html", listings.names_view),
    "types": ("names.html", listings.names_view),
    "timeline": ("timeline.html", listings.timeline_view),
    "health": ("health.html", health_pages.health_view),
    "rule": ("rule.html", health_pages.rule_view),
    "changes": ("changes.html", changes_page.changes_view),
    "search": ("search.html", plain_view),
    "missing": ("404.html", plain_view),
}
_FILES: dict[str, Callable[[Desk], str]] = {
    "feed": machine.feed,
    "sitemap": machine.sitemap,
    "robots": machine.robots,
    "llms": machine.llms,
    "texts": machine.texts_script,
    "api-notes": machine.notes_json,
    "api-graph": machine.graph_json,
    "api-health": machine.health_json,
}


def render(page: Page, plan: SitePlan) -> bytes:
    """The bytes of `page`: the same for the same plan, whatever was rendered before."""
    return drawn(page, desk_of(plan))


def drawn(page: Page, desk: Desk) -> bytes:
    """The bytes of `page`, made at `desk`."""
    if page.kind in _FILES:
        return _FILES[page.kind](desk).encode("utf-8", "replace")
    name, view_of = _VIEWS[page.kind]
    view = view_of(page, desk)
    text = desk.templates.get(name).render(view=view, frame=view.frame, site=desk.site)  # type: ignore[attr-defined]
    return text.encode("utf-8", "replace")


def prepare(plan: SitePlan) -> None:
    """Make the tables that pages and graph share, before several processes make each its own."""
    _ = desk_of(plan).relations.network


def desk_of(plan: SitePlan) -> Desk:
    """The desk of a plan, which keeps what many pages share. One is kept: builds come one by one."""
    return _desk(_Same(plan))


class _Same:
    """A plan compared by being the same one; comparing its contents would cost more than rendering."""

    __slots__ = ("plan",)

    def __init__(self, plan: SitePlan) -> None:
        self.plan = plan

    def __hash__(self) -> int:
        return id(self.plan)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.plan is self.plan


@lru_cache(maxsize=1)
def _desk(same: _Same) -> Desk:
    return Desk(same.plan)


_DRAWING = ("diagrams", "vendor/mermaid/")
"""How the names begin of what draws diagrams: megabytes that few sites need."""


def static_files(plan: SitePlan) -> Iterator[tuple[str, Path]]:
    """URL and path of every file that is copied as it is: memsite's, and the own style sheet."""
    folder = templates_folder() / "static"
    draws = draws_diagrams(plan.graph)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_needed = draws or not name.startswith(_DRAWING)
        if is_needed and path.is_file() and not path.name.startswith("."):
            yield f"static/{name}", path
    if plan.config.site.css:
        home = plan.config.file.parent if plan.config.file else Path()
        yield "static/own.css", home / plan.config.site.css
