"""The page of a note that was changed since the site was built, before the rest of the site is built anew."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

from memsite.markdown import match_key, visible
from memsite.note import Found, Note, Target
from memsite.pages.plan import Page, SitePlan, tags_of
from memsite.pages.rendering import desk_of, drawn


class Drafts:
    """Makes such pages for one site. What they show of other notes is as that site has it."""

    def __init__(self, plan: SitePlan) -> None:
        self._plan = plan
        self._desk = desk_of(plan)
        # Tables that all pages share take seconds to make: now, not when somebody waits for a page.
        for address, url in list(plan.notes.items())[:1]:
            drawn(Page(url, "note", address), self._desk)

    def of(self, note: Note, targets: Sequence[Target]) -> tuple[str, bytes] | None:
        """URL and bytes of the page of `note`, whose links lead to `targets`; None where only a whole
        build can say what the page shows: a new or private note, a tag or type that has no page yet."""
        plan = self._plan
        if note.address not in plan.notes or not self._is_plain(note, targets):
            return None
        notes = {**plan.graph.notes, note.address: note}
        leads = {**plan.graph.targets, note.address: tuple(targets)}
        desk = copy.copy(self._desk)
        desk.plan = replace(plan, graph=replace(plan.graph, notes=notes, targets=leads))
        desk.__dict__["titles"] = {**self._desk.titles, note.address: visible(note.title)}
        url = plan.notes[note.address]
        return url, drawn(Page(url, "note", note.address), desk)

    def _is_plain(self, note: Note, targets: Sequence[Target]) -> bool:
        plan = self._plan
        private = any(isinstance(one, Found) and one.address not in plan.notes for one in targets)
        tagged = all(match_key(tag) in plan.tags for tag in tags_of(note))
        return note.published and not private and tagged and (not note.type or note.type in plan.types)
