"""Pages that hold little of their own: search and 404."""

from __future__ import annotations

from dataclasses import dataclass

from memsite.pages.frame import Desk, Frame
from memsite.pages.plan import Page


@dataclass(frozen=True, slots=True)
class PlainView:
    frame: Frame
    title: str


def plain_view(page: Page, desk: Desk) -> PlainView:
    texts = desk.templates.texts
    title = texts.search_title if page.kind == "search" else texts.missing_title
    return PlainView(desk.frame(page, title), title)
