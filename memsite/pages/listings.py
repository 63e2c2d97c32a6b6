"""Pages that list: home, stores, folders, tags, types, concepts, the timeline, all notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from memsite.markdown import visible
from memsite.note import Address
from memsite.pages.fill import Filler, has_diagrams
from memsite.pages.frame import Crumb, Desk, Frame
from memsite.pages.note_page import day_of, description_of
from memsite.pages.plan import ROWS, Folder, Page, part_url, tags_of
from memsite.pages.urls import root_of
from memsite.pages.views import Named

_SHORT = 8
"""Entries of a list on the home page."""
_START_NOTES = ("index", "memory", "readme")


@dataclass(frozen=True, slots=True)
class Row:
    """A note in a table."""

    title: str
    href: str
    store: str
    type: str
    date: str
    tags: str
    words: int
    links: int
    findings: int
    description: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A page with a table of notes."""

    frame: Frame
    kind: str
    title: str
    total: int
    facts: tuple[tuple[str, str], ...]
    folders: tuple[Named, ...]
    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    part: int
    parts: int
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class NamesView:
    """A page with a list of names: concepts, tags, types."""

    frame: Frame
    title: str
    noun: str
    names: tuple[Named, ...]
    total: int
    part: int
    parts: int
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class Month:
    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    frame: Frame
    title: str
    months: tuple[Month, ...]
    total: int
    part: int
    parts: int
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class StoreCard:
    name: str
    href: str
    kind: str
    location: str
    notes: int
    words: int
    newest: str
    findings: int


@dataclass(frozen=True, slots=True)
class HomeView:
    frame: Frame
    title: str
    stores: tuple[StoreCard, ...]
    notes: int
    concepts: int
    links: int
    words: int
    newest: tuple[Row, ...]
    hubs: tuple[Row, ...]
    top_concepts: tuple[Named, ...]
    severities: tuple[tuple[str, int], ...]
    start: Named | None
    body: str
    """The start note as sanitised HTML; empty when there is none."""
    diagrams: bool
    """Whether the body holds any that the browser has to draw."""


def row_of(address: Address, desk: Desk, root: str) -> Row:
    note = desk.plan.graph.notes[address]
    return Row(
        desk.titles[address],
        desk.note_href(address, root),
        visible(note.store),
        visible(note.type or ""),
        day_of(note),
        visible(", ".join(tags_of(note)[:6])),
        note.document.words,
        len(desk.plan.graph.backlinks.get(address, ())),
        len(desk.plan.problems_of.get(address, ())),
        description_of(note),
    )


def home_view(page: Page, desk: Desk) -> HomeView:
    plan = desk.plan
    graph = plan.graph
    start = start_note(desk)
    body = Filler(plan, "", own=start).body(start) if start else ""
    hubs = sorted(graph.backlinks, key=lambda address: (-len(graph.backlinks[address]), address))[:_SHORT]
    by_mentions = sorted(graph.concepts.values(), key=lambda concept: (-len(concept.mentions), concept.key))
    counts = Counter(problem.severity for problem in plan.problems)
    return HomeView(
        frame=desk.frame(page, desk.site.title, description=desk.summary()),
        title=desk.site.title,
        stores=tuple(_store_card(name, desk) for name in plan.stores),
        notes=len(graph.notes),
        concepts=len(graph.concepts),
        links=sum(map(len, graph.targets.values())),
        words=sum(note.document.words for note in graph.notes.values()),
        newest=tuple(row_of(address, desk, "") for address in plan.order[:_SHORT]),
        hubs=tuple(row_of(address, desk, "") for address in hubs),
        top_concepts=tuple(
            Named(visible(one.name), desk.href(plan.concepts[one.key], ""), "concept", len(one.mentions))
            for one in by_mentions[: 2 * _SHORT]
        ),
        severities=tuple((name, counts[name]) for name in ("error", "warning", "info") if counts[name]),
        start=Named(visible(graph.notes[start].title), desk.note_href(start, "")) if start else None,
        body=body,
        diagrams=has_diagrams(body),
    )


def start_note(desk: Desk) -> Address | None:
    """The note that opens the site: `index.md` at the root of a store, else MEMORY.md, else README.md."""
    notes = desk.plan.graph.notes.values()
    at_root = {
        note.path.removesuffix(".md").casefold(): note.address for note in notes if "/" not in note.path
    }
    return next((at_root[name] for name in _START_NOTES if name in at_root), None)


def _store_card(name: str, desk: Desk) -> StoreCard:
    plan = desk.plan
    notes = [note for note in plan.graph.notes.values() if note.store == name]
    view = plan.graph.stores[name]
    return StoreCard(
        visible(name),
        desk.href(plan.stores[name], ""),
        view.kind,
        shown_place(view.location),
        len(notes),
        sum(note.document.words for note in notes),
        max(map(day_of, notes), default=""),
        sum(problem.store == name and problem.severity != "info" for problem in plan.problems),
    )


def listing_view(page: Page, desk: Desk) -> Listing:
    """A table of notes: all of them, or those of a store, folder, tag or type."""
    match page.kind:
        case "store" | "folder":
            return _folder_listing(page, desk)
        case "tag":
            name = desk.plan.tag_names[page.subject]
            crumb = Crumb(desk.templates.texts.tags, f"{root_of(page.url)}tag/index.html")
            return _listing(
                page,
                desk,
                f"#{name}",
                desk.plan.tagged[page.subject],
                first=desk.plan.tags[page.subject],
                crumbs=(crumb,),
            )
        case "type":
            crumb = Crumb(desk.templates.texts.types, f"{root_of(page.url)}type/index.html")
            members = desk.plan.typed[page.subject]
            return _listing(
                page, desk, page.subject, members, first=desk.plan.types[page.subject], crumbs=(crumb,)
            )
    return _listing(page, desk, desk.templates.texts.all_notes, desk.plan.order, first="notes.html")


def _folder_listing(page: Page, desk: Desk) -> Listing:
    store, _, path = page.subject.partition("/") if page.kind == "folder" else (page.subject, "", "")
    folder = desk.plan.folders[store, path]
    root = root_of(page.url)
    frame = Frame(
        root=root,
        url=desk.plan.href(page.url),
        kind=page.kind,
        title=visible(folder.name),
        description="",
        crumbs=desk.folder_crumbs(store, folder.path.rpartition("/")[0], root)
        if path
        else (desk.home_crumb(root),),
        navigation=desk.navigation(root, store=store, folder=path, url=folder.url),
    )
    facts = () if path else _store_facts(store, desk)
    return _listing(
        page,
        desk,
        folder.name,
        folder.notes,
        first=folder.url,
        frame=frame,
        facts=facts,
        folders=_subfolders(folder, desk, root),
        total=folder.total,
    )


def _store_facts(store: str, desk: Desk) -> tuple[tuple[str, str], ...]:
    view, texts = desk.plan.graph.stores[store], desk.templates.texts
    facts = [(texts.column_type, view.kind), (texts.store_location, shown_place(view.location))]
    if view.index_path:
        facts.append((texts.index_file, visible(view.index_path)))
    return tuple(facts)


def shown_place(location: str) -> str:
    """Where a store lies, without what only concerns the machine that built the site: of an absolute
    path the last part is told."""
    path = location.replace("\\", "/").rstrip("/")
    is_absolute = path.startswith("/") or path[1:2] == ":"
    return f"…/{visible(path.rpartition('/')[2])}" if is_absolute else visible(location)


def _subfolders(folder: Folder, desk: Desk, root: str) -> tuple[Named, ...]:
    below = (desk.plan.folders[folder.store, path] for path in folder.folders)
    return tuple(Named(visible(one.name), desk.href(one.url, root), "folder", one.total) for one in below)


def _listing(
    page: Page,
    desk: Desk,
    title: str,
    members: Sequence[Address],
    *,
    first: str,
    frame: Frame | None = None,
    crumbs: tuple[Crumb, ...] = (),
    facts: tuple[tuple[str, str], ...] = (),
    folders: tuple[Named, ...] = (),
    total: int = 0,
) -> Listing:
    root = root_of(page.url)
    shown = visible(title)
    previous, following, parts = around(page, first, len(members), desk)
    rows = tuple(
        row_of(address, desk, root) for address in members[(page.part - 1) * ROWS : page.part * ROWS]
    )
    return Listing(
        frame=frame or desk.frame(page, shown, crumbs=crumbs),
        kind=page.kind,
        title=shown,
        total=total or len(members),
        facts=facts,
        folders=folders,
        rows=rows,
        columns=_columns(rows, desk),
        part=page.part,
        parts=parts,
        previous=previous,
        next=following,
    )


def _columns(rows: Iterable[Row], desk: Desk) -> tuple[str, ...]:
    """The columns that say something: not the store when there is one, not the type when none has any."""
    rows = tuple(rows)
    wanted = {
        "title": True,
        "store": len({row.store for row in rows}) > 1,
        "type": any(row.type for row in rows),
        "date": any(row.date for row in rows),
        "tags": any(row.tags for row in rows),
        "words": True,
        "links": True,
    }
    return tuple(name for name, worth in wanted.items() if worth)


def around(page: Page, first: str, rows: int, desk: Desk) -> tuple[str | None, str | None, int]:
    """The pages before and after this part of a listing, and how many parts there are."""
    root = root_of(page.url)
    parts = max(1, -(-rows // ROWS))
    before = desk.href(part_url(first, page.part - 1), root) if page.part > 1 else None
    after = desk.href(part_url(first, page.part + 1), root) if page.part < parts else None
    return before, after, parts


def names_view(page: Page, desk: Desk) -> NamesView:
    """All concepts, tags or types, those used most first."""
    plan, texts, root = desk.plan, desk.templates.texts, root_of(page.url)
    if page.kind == "concepts":
        title, noun = texts.all_concepts, "concepts"
        names = [
            Named(visible(one.name), desk.href(plan.concepts[one.key], root), "concept", len(one.mentions))
            for one in plan.graph.concepts.values()
        ]
    elif page.kind == "tags":
        title, noun = texts.all_tags, "tags"
        names = [
            Named(f"#{visible(plan.tag_names[tag])}", desk.href(url, root), "tag", len(plan.tagged[tag]))
            for tag, url in plan.tags.items()
        ]
    else:
        title, noun = texts.all_types, "types"
        names = [
            Named(visible(name), desk.href(url, root), "type", len(plan.typed[name]))
            for name, url in plan.types.items()
        ]
    names.sort(key=lambda one: (-one.count, one.label.casefold(), one.href or ""))
    size = ROWS if page.kind == "concepts" else max(1, len(names))
    before, after, parts = around(
        page, "concept/index.html", len(names) if page.kind == "concepts" else 0, desk
    )
    shown = tuple(names[(page.part - 1) * size : page.part * size])
    return NamesView(desk.frame(page, title), title, noun, shown, len(names), page.part, parts, before, after)


def timeline_view(page: Page, desk: Desk) -> Timeline:
    """Dated notes by month, newest first."""
    notes, root = desk.plan.graph.notes, root_of(page.url)
    dated = [address for address in desk.plan.order if notes[address].date is not None]
    shown = dated[(page.part - 1) * ROWS : page.part * ROWS]
    before, after, parts = around(page, "timeline.html", len(dated), desk)
    months = tuple(
        Month(name, tuple(row_of(address, desk, root) for address in members))
        for name, members in groupby(shown, key=lambda address: day_of(notes[address])[:7])
    )
    title = desk.templates.texts.timeline
    return Timeline(desk.frame(page, title), title, months, len(dated), page.part, parts, before, after)
