"""Pages of names that are no note: concepts, and names that fit several notes."""

from __future__ import annotations

from dataclasses import dataclass

from memsite.graph import CONCEPT
from memsite.markdown import visible
from memsite.note import Backlink
from memsite.pages.frame import Crumb, Desk, Frame
from memsite.pages.listings import Row, row_of
from memsite.pages.note_page import quoted_by
from memsite.pages.plan import Page
from memsite.pages.urls import root_of
from memsite.pages.views import Group, Named

_MEMBERS = 24
"""Concepts of a group that are shown at most."""


@dataclass(frozen=True, slots=True)
class ConceptView:
    frame: Frame
    title: str
    mentions: tuple[Group, ...]
    notes: int
    links: int
    related: tuple[Named, ...]
    """Concepts and notes that occur in the same notes, most often first."""
    community: str
    """What the group of concepts is called that this one belongs to; empty when there are no others."""
    members: tuple[Named, ...]
    """The other concepts of the group, most mentioned first."""
    spellings: tuple[str, ...]
    shard: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that an ambiguous name may mean, with the address that tells it from its namesakes."""

    row: Row
    address: str


@dataclass(frozen=True, slots=True)
class AmbiguousView:
    frame: Frame
    title: str
    candidates: tuple[Candidate, ...]
    uses: tuple[Group, ...]


def concept_view(page: Page, desk: Desk) -> ConceptView:
    root = root_of(page.url)
    concept = desk.plan.graph.concepts[page.subject]
    addresses = dict.fromkeys(mention.address for mention in concept.mentions)
    crumbs = (Crumb(desk.templates.texts.concepts, f"{root}concept/index.html"),)
    title = visible(concept.name)
    community, members = community_of(page.subject, desk, root)
    return ConceptView(
        frame=desk.frame(
            page, title, description=f"{desk.templates.texts.kind_concept}: {title}", crumbs=crumbs
        ),
        title=title,
        mentions=quoted_by(concept.mentions, desk, root),
        notes=len(addresses),
        links=len(concept.mentions),
        related=_together(page.subject, desk, root),
        community=community,
        members=members,
        spellings=_spellings(concept.mentions, desk, title),
        shard=desk.shard(page.url, root),
    )


def community_of(key: str, desk: Desk, root: str) -> tuple[str, tuple[Named, ...]]:
    """What the group of a concept is called, and its other concepts. Nothing when there are no others."""
    concepts = desk.plan.graph.concepts
    name, members = desk.relations.company(key)
    others = [one for one in members[: _MEMBERS + 1] if one != key][:_MEMBERS]
    named = (
        Named(visible(concepts[one].name), desk.node_href(CONCEPT + one, root), "concept") for one in others
    )
    return (visible(name) if others else ""), tuple(named)


def _spellings(mentions: tuple[Backlink, ...], desk: Desk, shown: str) -> tuple[str, ...]:
    notes = desk.plan.graph.notes
    written = (visible(notes[one.address].document.links[one.position].target.strip()) for one in mentions)
    return tuple(sorted(set(written) - {shown}))[:8]


def _together(key: str, desk: Desk, root: str) -> tuple[Named, ...]:
    return tuple(
        Named(
            visible(desk.relations.name_of(node)),
            desk.node_href(node, root),
            "concept" if node.startswith(CONCEPT) else "note",
            count,
        )
        for node, count in desk.relations.together(key)
    )


def ambiguous_view(page: Page, desk: Desk) -> AmbiguousView:
    root = root_of(page.url)
    meant = desk.plan.graph.ambiguous[page.subject]
    title = visible(meant.name)
    return AmbiguousView(
        frame=desk.frame(page, title, description=desk.templates.texts.ambiguous_intro),
        title=title,
        candidates=tuple(Candidate(row_of(one, desk, root), visible(one)) for one in meant.candidates),
        uses=quoted_by(desk.relations.uses(meant.name), desk, root),
    )
