"""The page about what changed since an earlier state of the memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memsite.check.diff import LinkChange, NoteChange
from memsite.check.problems import shown_path
from memsite.markdown import visible
from memsite.note import Problem
from memsite.pages.frame import Crumb, Desk, Frame
from memsite.pages.health_pages import FindingRow, change_counts, finding_row
from memsite.pages.plan import Page
from memsite.pages.urls import root_of

_ROWS = 500
"""Rows of one list; the report for programs has all."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    title: str
    place: str
    href: str | None
    """None for a note that is gone."""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ChangeList:
    title: str
    total: int
    rows: tuple[ChangeRow, ...]


@dataclass(frozen=True, slots=True)
class FindingList:
    title: str
    total: int
    rows: tuple[FindingRow, ...]


@dataclass(frozen=True, slots=True)
class ChangesView:
    frame: Frame
    title: str
    since: str
    """What the memory is compared with, as it was asked for."""
    tiles: tuple[tuple[str, int], ...]
    notes: tuple[ChangeList, ...]
    findings: tuple[FindingList, ...]
    links: tuple[ChangeList, ...]
    concepts: tuple[ChangeList, ...]


class _Rows:
    """Rows with links into the site, for everything that is still there."""

    def __init__(self, page: Page, desk: Desk) -> None:
        self._desk, self._root = desk, root_of(page.url)
        graph = desk.plan.graph
        self._notes = {shown_path(graph, note): address for address, note in graph.notes.items()}
        self._concepts = {concept.name: key for key, concept in graph.concepts.items()}

    def note(self, path: str, title: str, remark: str = "") -> ChangeRow:
        address = self._notes.get(path)
        href = self._desk.note_href(address, self._root) if address else None
        return ChangeRow(visible(title), visible(path), href, remark)

    def changed(self, change: NoteChange) -> ChangeRow:
        moved = visible(f"{change.before} → {change.path}") if change.before != change.path else ""
        words = f"{change.words:+,} {self._desk.templates.texts.changes_words}" if change.words else ""
        return self.note(change.path, change.title, " · ".join(filter(None, (moved, words))))

    def link(self, link: LinkChange) -> ChangeRow:
        row = self.note(link.path, link.path)
        return ChangeRow(row.title, row.place, row.href, f"→ {visible(link.target)}")

    def concept(self, name: str) -> ChangeRow:
        key = self._concepts.get(name)
        url = self._desk.plan.concepts.get(key) if key else None
        return ChangeRow(visible(name), visible(name), self._desk.href(url, self._root) if url else None)

    def findings(self, title: str, problems: Sequence[Problem]) -> FindingList:
        rows = tuple(finding_row(problem, self._desk, self._root) for problem in problems[:_ROWS])
        return FindingList(title, len(problems), rows)


def changes_view(page: Page, desk: Desk) -> ChangesView:
    changes, texts = desk.plan.changes, desk.templates.texts
    assert changes is not None, "the page is planned where something is compared"
    diff, rows = changes.diff, _Rows(page, desk)
    title = texts.changes_title
    crumb = Crumb(texts.health, f"{root_of(page.url)}health.html")
    return ChangesView(
        frame=desk.frame(page, title, description=texts.changes_intro, crumbs=(crumb,)),
        title=title,
        since=visible(changes.since),
        tiles=change_counts(diff, texts),
        notes=(
            _list(texts.changes_added, [rows.note(each.path, each.title) for each in diff.added]),
            _list(texts.changes_removed, [rows.note(each.path, each.title) for each in diff.removed]),
            _list(texts.changes_moved, map(rows.changed, diff.moved)),
            _list(texts.changes_edited, map(rows.changed, diff.changed)),
        ),
        findings=(rows.findings(texts.changes_new, diff.new), rows.findings(texts.changes_fixed, diff.fixed)),
        links=(
            _list(texts.changes_links_broken, map(rows.link, diff.links_broken)),
            _list(texts.changes_links_made, map(rows.link, diff.links_made)),
            _list(texts.changes_links_gone, map(rows.link, diff.links_gone)),
        ),
        concepts=(
            _list(texts.changes_concepts_came, map(rows.concept, diff.concepts_came)),
            _list(texts.changes_concepts_went, map(rows.concept, diff.concepts_went)),
        ),
    )


def _list(title: str, rows: Iterable[ChangeRow]) -> ChangeList:
    found = tuple(rows)
    return ChangeList(title, len(found), found[:_ROWS])
