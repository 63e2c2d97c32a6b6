"""The page of a note: everything it shows, as one plain value."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memsite.graph.mentions import Mention
from memsite.markdown import match_key, visible
from memsite.note import (
    Address,
    Ambiguous,
    Asset,
    Backlink,
    ConceptTarget,
    Context,
    External,
    Found,
    Note,
    Problem,
    PropertyValue,
)
from memsite.pages.fill import Filler, has_diagrams
from memsite.pages.frame import Desk, Frame
from memsite.pages.plan import Page, tags_of
from memsite.pages.publish import PRIVATE
from memsite.pages.urls import root_of
from memsite.pages.views import Group, Mentioning, Named, Quote

CONTEXT = 150
"""Characters of a context shown before and after the link."""
FULL_ENTRIES = 100
"""Linking notes shown with their sentences; a hub's further ones are only named."""
_SENTENCES = 20
"""Sentences shown of one linking note; of the others, their number."""
LISTED = 60
"""Outgoing links shown at most."""
_RELATED = 6
_MENTIONS = 20
_DESCRIPTION = 160
_SHOWN = frozenset({"title", "tags", "tag", "date", "status"})


@dataclass(frozen=True, slots=True)
class PlainMention:
    """A note that names this one without a link, and the command that would link it."""

    title: str
    href: str
    before: str
    words: str
    after: str
    command: str


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    rule: str
    severity: str
    line: int
    message: str
    hint: str
    href: str
    """The page of its rule."""


@dataclass(frozen=True, slots=True)
class Property:
    """A front-matter value as text, or as the links that stand in it."""

    name: str
    text: str
    links: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Banner:
    """Said above a note that no longer holds."""

    status: str
    successor: Named | None


@dataclass(frozen=True, slots=True)
class NoteView:
    frame: Frame
    title: str
    title_anchor: str
    """The id of the first heading of the text where the title stands in its place, else empty."""
    body: str
    """Sanitised HTML."""
    diagrams: bool
    """Whether the body holds any that the browser has to draw."""
    store: Named
    type: Named | None
    date: str
    words: int
    tags: tuple[Named, ...]
    banner: Banner | None
    status: str
    address: Address
    checksum: str
    size: int
    source: str | None
    """The raw Markdown beside the page."""
    command: str
    contents: tuple[tuple[int, str, str], ...]
    """Level, text and anchor of each heading."""
    properties: tuple[Property, ...]
    backlinks: tuple[Group, ...]
    backlink_count: int
    outgoing: tuple[Named, ...]
    related: tuple[Named, ...]
    mentions: tuple[PlainMention, ...]
    findings: tuple[Finding, ...]
    older: Named | None
    newer: Named | None
    shard: str
    """The script with the graph around this note."""


def note_view(page: Page, desk: Desk) -> NoteView:
    """Everything the page of a note shows."""
    plan = desk.plan
    note = plan.graph.notes[page.subject]
    root = root_of(page.url)
    filler = Filler(plan, root, own=note.address)
    older, newer = plan.neighbours.get(note.address, (None, None))
    body = filler.body(note.address, without_lead=_shows_title(note))
    groups = quoted_by(plan.graph.backlinks.get(note.address, ()), desk, root)
    return NoteView(
        frame=desk.note_frame(page, note, description=description_of(note)),
        title=desk.titles[note.address],
        title_anchor=note.document.headings[0].anchor if _shows_title(note) else "",
        body=body,
        diagrams=has_diagrams(body),
        store=Named(visible(note.store), desk.href(plan.stores[note.store], root)),
        type=Named(visible(note.type), desk.href(plan.types[note.type], root)) if note.type else None,
        date=day_of(note),
        words=note.document.words,
        tags=tag_links(note, desk, root),
        banner=_banner(note, desk, root),
        status=visible(note.status or ""),
        address=note.address,
        checksum=note.checksum,
        size=note.size,
        source=desk.href(f"{page.url.removesuffix('.html')}.md", root)
        if f"{page.url[:-5]}.md" in plan.sources
        else None,
        command=edit_command(note),
        contents=_contents(note),
        properties=tuple(_properties(note, desk, filler)),
        backlinks=groups,
        backlink_count=sum(group.count for group in groups),
        outgoing=_outgoing(note, desk, filler),
        related=_related(note, desk, root),
        mentions=_mentions(note, desk, root),
        findings=tuple(finding_of(problem, desk, root) for problem in plan.problems_of.get(note.address, ())),
        older=_neighbour(older, desk, root),
        newer=_neighbour(newer, desk, root),
        shard=desk.shard(page.url, root),
    )


def description_of(note: Note) -> str:
    """One plain line about a note: its own description, else how its text begins."""
    text = note.description or note.document.text[: 3 * _DESCRIPTION]
    if not note.description and note.document.lead and text.startswith(note.document.lead):
        text = text[len(note.document.lead) :]
    return shortened(visible(" ".join(text.split())), _DESCRIPTION)


def shortened(text: str, size: int) -> str:
    """`text` with at most `size` characters, cut at a blank where there is one near."""
    if len(text) <= size:
        return text
    cut = text[:size]
    blank = cut.rfind(" ", size * 2 // 3)
    return f"{cut[:blank] if blank > 0 else cut}…"


def day_of(note: Note) -> str:
    """The day of a note as `2026-03-18`; the written form where no date was understood."""
    return note.date.date().isoformat() if note.date else ""


def edit_command(note: Note) -> str:
    """The command that appends to the note as it is now, for a POSIX shell."""
    return (
        f"memsite edit {shlex.quote(visible(note.address))} --operation append --checksum {note.checksum} "
        f"--content {shlex.quote('New text with a [[concept]].')}"
    )


def spelled(value: PropertyValue) -> str:
    """A front-matter value as one line of text."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {spelled(part)}" for key, part in value.items())
    return ", ".join(spelled(part) for part in value)


def _properties(note: Note, desk: Desk, filler: Filler) -> Iterator[Property]:
    """The front matter without what the head of the page shows already."""
    links: defaultdict[str, list[Named]] = defaultdict(list)
    for link, target in zip(note.document.links, desk.plan.graph.targets[note.address], strict=True):
        if link.kind == "property" and link.relation:
            named = _named(link.label or link.target, target, desk, filler)
            links[link.relation].append(named or Named(PRIVATE, None, "private"))
    for key, value in note.document.properties.items():
        if key.casefold() not in _SHOWN and spelled(value).strip():
            yield Property(visible(key), visible(spelled(value)), tuple(links.get(key, ())))


def tag_links(note: Note, desk: Desk, root: str) -> tuple[Named, ...]:
    urls = desk.plan.tags
    return tuple(Named(visible(tag), desk.href(urls[match_key(tag)], root), "tag") for tag in tags_of(note))


def finding_of(problem: Problem, desk: Desk, root: str) -> Finding:
    return Finding(
        problem.code,
        problem.rule,
        problem.severity,
        problem.line,
        visible(problem.message),
        visible(problem.hint),
        desk.href(f"health/{problem.code.lower()}.html", root),
    )


def quoted_by(backlinks: Iterable[Backlink], desk: Desk, root: str) -> tuple[Group, ...]:
    """Where links come from: by store, then by note, each with its sentences."""
    by_note: defaultdict[Address, list[int]] = defaultdict(list)
    for backlink in backlinks:
        by_note[backlink.address].append(backlink.position)
    by_store: defaultdict[str, list[Address]] = defaultdict(list)
    for address in by_note:
        by_store[desk.plan.graph.notes[address].store].append(address)
    return tuple(
        Group(
            visible(store),
            sum(len(by_note[address]) for address in addresses),
            tuple(
                _mentioning(address, by_note[address], desk, root, quotes=place < FULL_ENTRIES)
                for place, address in enumerate(addresses)
            ),
        )
        for store, addresses in by_store.items()
    )


def _mentioning(address: Address, positions: list[int], desk: Desk, root: str, *, quotes: bool) -> Mentioning:
    note = desk.plan.graph.notes[address]
    href = desk.note_href(address, root)
    shown = tuple(_quotes(note, positions[:_SENTENCES], href)) if quotes else ()
    return Mentioning(desk.titles[address], href, len(positions), shown)


def _quotes(note: Note, positions: Iterable[int], href: str) -> Iterator[Quote]:
    for position in positions:
        link = note.document.links[position]
        heading = note.document.headings[link.heading] if link.heading is not None else None
        before, after = trimmed(link.context)
        yield Quote(
            before,
            visible(link.context.link) or visible(link.target),
            after,
            visible(heading.text) if heading else "",
            f"{href}#{heading.anchor}" if heading else href,
            visible(link.relation or ""),
        )


def trimmed(context: Context) -> tuple[str, str]:
    """What stands before and after a link, cut to a line or two."""
    before, after = visible(context.before), visible(context.after)
    if len(before) > CONTEXT:
        before = f"…{before[-CONTEXT:].partition(' ')[2] or before[-CONTEXT:]}"
    return before, shortened(after, CONTEXT)


def _shows_title(note: Note) -> bool:
    """Whether the first heading only says the title again, which may be written with its markup."""
    lead, title = (
        " ".join(re.sub(r"[*_`~=]", "", text).split()).casefold() for text in (note.document.lead, note.title)
    )
    return bool(lead) and lead == title


def _contents(note: Note) -> tuple[tuple[int, str, str], ...]:
    headings = note.document.headings[1:] if _shows_title(note) else note.document.headings
    top = min((heading.level for heading in headings), default=1)
    return tuple(
        (heading.level - top + 1, visible(heading.text), heading.anchor)
        for heading in headings
        if heading.level - top < 3 and heading.text.strip()
    )


def _banner(note: Note, desk: Desk, root: str) -> Banner | None:
    if note.status not in ("deprecated", "tombstoned") and not note.superseded_by:
        return None
    # The property may be written as a WikiLink: `"[[New]]"`, `"[[New|the new one]]"`.
    successor = (note.superseded_by or "").removeprefix("[[").removesuffix("]]").partition("|")[0].strip()
    links = zip(note.document.links, desk.plan.graph.targets[note.address], strict=True)
    target = next((t for link, t in links if link.target == successor and isinstance(t, Found)), None)
    if successor and target and target.address in desk.plan.notes:
        known = desk.plan.graph.notes[target.address]
        return Banner(
            visible(note.status or ""), Named(visible(known.title), desk.note_href(known.address, root))
        )
    is_private = target is not None and target.address not in desk.plan.notes
    is_named = successor and not is_private and "[[" not in successor
    named = Named(visible(successor), None) if is_named else None
    return Banner(visible(note.status or ""), named)


def _outgoing(note: Note, desk: Desk, filler: Filler) -> tuple[Named, ...]:
    """What the note links to, each once, in order of first appearance."""
    found: dict[tuple[str, str], Named] = {}
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for link, target in zip(note.document.links, desk.plan.graph.targets[note.address], strict=True):
        named = _named(link.context.link or link.target, target, desk, filler)
        if named is not None:
            key = (named.kind, named.href or named.label)
            found.setdefault(key, named)
            counts[key] += 1
    return tuple(
        Named(named.label, named.href, named.kind, counts[key], named.detail)
        for key, named in list(found.items())[:LISTED]
    )


def _named(words: str, target: object, desk: Desk, filler: Filler) -> Named | None:
    graph = desk.plan.graph
    match target:
        case Found(address):
            if address not in graph.notes or address == filler.own:
                return None
            return Named(desk.titles[address], filler.href(Found(address)))
        case ConceptTarget(key):
            if key not in graph.concepts:
                return None
            return Named(visible(graph.concepts[key].name), filler.href(target), "concept")
        case Ambiguous(name):
            return Named(visible(name), filler.href(target), "ambiguous")
        case External(url):
            return Named(visible(words) or visible(url), url, "external", detail=_host(url))
        case Asset(_, path):
            href = filler.href(target)
            return Named(visible(path.rpartition("/")[2]), href, "asset" if href else "unpublished")
    return Named(visible(words), None, "missing")


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return visible(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _related(note: Note, desk: Desk, root: str) -> tuple[Named, ...]:
    relations = desk.relations
    return tuple(
        Named(
            desk.titles[one.address],
            desk.note_href(one.address, root),
            detail=visible(", ".join(name for name in map(relations.name_of, one.shared[:4]) if name)),
        )
        for one in relations.related(note.address)[:_RELATED]
    )


def _mentions(note: Note, desk: Desk, root: str) -> tuple[PlainMention, ...]:
    return tuple(_mention(note, one, desk, root) for one in desk.relations.mentions(note.address)[:_MENTIONS])


def _mention(note: Note, mention: Mention, desk: Desk, root: str) -> PlainMention:
    other = desk.plan.graph.notes[mention.address]
    before, after = trimmed(mention.context)
    name = visible(mention.name)
    target = note.path.removesuffix(".md").rpartition("/")[2]
    link = f"[[{target}]]" if target == mention.name else f"[[{target}|{name}]]"
    command = (
        f"memsite edit {shlex.quote(visible(other.address))} --operation find_replace "
        f"--checksum {other.checksum} --find-text {shlex.quote(name)} "
        f"--content {shlex.quote(visible(link))} --expected-count {mention.count}"
    )
    return PlainMention(
        visible(other.title), desk.note_href(other.address, root), before, name, after, command
    )


def _neighbour(address: Address | None, desk: Desk, root: str) -> Named | None:
    if address is None:
        return None
    note = desk.plan.graph.notes[address]
    return Named(visible(note.title), desk.note_href(address, root), detail=day_of(note))
