"""Filling the link slots of a note's body: from what a link leads to, to the HTML that stands there.

The fragments of a document are sanitised and free of links; everything put between them is made
here, of escaped text and of URLs that the plan gave out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from memsite.markdown import concept_key, match_key, visible
from memsite.note import (
    Address,
    Ambiguous,
    Asset,
    ConceptTarget,
    Document,
    External,
    Found,
    Link,
    Missing,
    Target,
)
from memsite.pages.plan import PICTURE_TYPES, SitePlan, suffix_of
from memsite.pages.publish import PRIVATE
from memsite.pages.snippets import Snippet, block, prefixed, section, whole
from memsite.pages.templating import templates_of

MAX_DEPTH = 5
"""Embeds within embeds; deeper ones become links."""
MAX_EMBEDS = 60
"""Embeds on one page, so that notes which embed each other widely stay pages of a bounded size."""

_SIZE = re.compile(r"([1-9]\d{0,4})(?:x([1-9]\d{0,4}))?")
_DEAD = 'role="link" aria-disabled="true"'
"""A link that leads nowhere is still announced as one."""
_FOREIGN = 'rel="noopener noreferrer nofollow"'


def has_diagrams(html: str) -> bool:
    """Whether the body of a page, with what is embedded in it, holds a diagram to draw."""
    return '<pre class="mermaid">' in html


class Filler:
    """Fills the slots of notes for one page. `root` leads from that page to the site's root."""

    def __init__(self, plan: SitePlan, root: str, *, own: Address | None = None) -> None:
        self._plan = plan
        self._root = root
        self._texts = templates_of(plan.config).texts
        self.own = own
        self._embeds = 0
        self._open: list[Address] = []

    def body(self, address: Address, *, without_lead: bool = False) -> str:
        """The whole body of a note as HTML; `without_lead` leaves out its first heading."""
        document = self._plan.graph.notes[address].document
        shown = whole(document) if without_lead else Snippet(document.fragments, document.slots)
        self._open.append(address)
        html = self._filled(address, shown.fragments, shown.slots)
        self._open.pop()
        return html

    def href(self, target: Target) -> str | None:
        """Where a link to `target` leads on this page; None when it leads nowhere."""
        match target:
            case Found(address, anchor):
                url = self._plan.notes.get(address)
                if url is None:
                    return None
                fragment = f"#{quote(anchor, safe='^-._~')}" if anchor else ""
                return fragment if fragment and address == self.own else self._to(url) + fragment
            case ConceptTarget(key):
                return self._to(self._plan.concepts[key]) if key in self._plan.concepts else None
            case Ambiguous(name, candidates):
                url = self._plan.ambiguous.get(ambiguous_key(name)) or self._plan.notes.get(candidates[0])
                return self._to(url) if url else None
            case Asset(store, path):
                url = self._plan.assets.get((store, path))
                return self._to(url) if url else None
            case External(url):
                return url
        return None

    def _to(self, url: str) -> str:
        return self._root + self._plan.href(url)

    def _filled(self, address: Address, fragments: Sequence[str], slots: Sequence[int]) -> str:
        document = self._plan.graph.notes[address].document
        targets = self._plan.graph.targets[address]
        pieces = [fragments[0]]
        linked = _in_link(fragments[0], before=False)  # a picture in a link must be none itself
        muted = False  # inside a link whose words name a private note
        for slot, fragment in zip(slots, fragments[1:], strict=True):
            if not muted and slot < 0:
                pieces.append(self._tag(document.tags[-1 - slot]))
            elif not muted:
                link, target = document.links[slot], targets[slot]
                if link.embed:
                    pieces += (self._embed(link, target, linked=linked), fragment)
                    linked = _in_link(fragment, before=linked)
                    continue
                pieces.append(self._opening(link, target))
                muted = self._is_private(target) and link.label is None
            if muted:
                _, end, rest = fragment.partition("</a>")
                if not end:
                    continue
                muted, fragment = False, f"{PRIVATE}</a>{rest}"
            pieces.append(fragment)
            linked = _in_link(fragment, before=True)
        return "".join(pieces)

    def _tag(self, tag: str) -> str:
        url = self._plan.tags.get(match_key(tag))
        return f'<a class="tag" href="{self._to(url)}">' if url else '<a class="tag">'

    def _is_private(self, target: Target) -> bool:
        return isinstance(target, Found) and target.address not in self._plan.notes

    def _opening(self, link: Link, target: Target) -> str:
        """The opening `<a>` tag for `link`."""
        if self._is_private(target):
            return f'<a class="ms-private" {_DEAD}>'
        href = self.href(target)
        if href is None:
            kind = "unpublished" if isinstance(target, Asset) else "missing"
            return f'<a class="ms-{kind}" {_DEAD} title="{_attribute(self._reason(target))}">'
        if isinstance(target, External):
            return f'<a class="ms-external" href="{escape(href)}"{_title(link)} {_FOREIGN}>'
        if isinstance(target, Found):
            if target.broken:
                said = self._texts.anchor_missing.format(anchor=target.broken)
                return f'<a class="ms-note ms-broken" href="{href}" title="{_attribute(said)}">'
            return f'<a class="ms-note" href="{href}"{_title(link)}>'
        return f'<a class="{_CLASSES[type(target)]}" href="{href}"{_title(link)}>'

    def _reason(self, target: Target) -> str:
        """Why a link leads nowhere."""
        if isinstance(target, Missing):
            return target.reason
        if not isinstance(target, Asset):
            return str(self._texts.name_unpublished)
        is_board = suffix_of(target.path) in _BOARDS
        return str(self._texts.canvas_unshown if is_board else self._texts.file_unpublished)

    def _embed(self, link: Link, target: Target, *, linked: bool) -> str:
        """The element for an embed. The parser gives an embedded note a place between blocks; pictures
        and other files stand in a line, which may be that of a link."""
        if link.image:
            return self._inline(link, target, linked=linked)
        whole_element = self._block(target) if isinstance(target, Found) else None
        return whole_element or f"<p>{self._inline(link, target, linked=False)}</p>"

    def _inline(self, link: Link, target: Target, *, linked: bool) -> str:
        """An embed as something that may stand in a line of text: picture, link, or a mark."""
        if self._is_private(target):
            return f'<span class="ms-private">{PRIVATE}</span>'
        label = escape(visible(link.label or link.context.link or link.target))
        if (
            isinstance(target, Asset)
            and suffix_of(target.path) in PICTURE_TYPES
            and (source := self.href(target))
        ):
            return self._picture(link, source)
        if isinstance(target, External) and link.image and self._plan.config.site.remote_images:
            return self._picture(link, escape(target.url))
        return label if linked else f"{self._opening(link, target)}{label or 'picture'}</a>"

    def _picture(self, link: Link, source: str) -> str:
        size = _SIZE.fullmatch(link.size or "")
        width = f' width="{size[1]}"' if size else ""
        height = f' height="{size[2]}"' if size and size[2] else ""
        alternative = link.label if link.label is not None else _stem(link.target)
        return (
            f'<img src="{source}" alt="{_attribute(alternative)}"{_title(link)}{width}{height}'
            ' loading="lazy" decoding="async">'
        )

    def _block(self, target: Found) -> str | None:
        """The embedded note, section or block; None where a link has to do."""
        note = self._plan.graph.notes.get(target.address)
        too_deep = target.address in self._open or len(self._open) > MAX_DEPTH or self._embeds >= MAX_EMBEDS
        if note is None or too_deep or target.broken:
            return None
        snippet = _snippet(note.document, target.anchor)
        if snippet is None:
            return None
        self._embeds += 1
        snippet = prefixed(snippet, f"ms-e{self._embeds}-", page=self._to(self._plan.notes[target.address]))
        self._open.append(target.address)
        inside = self._filled(target.address, snippet.fragments, snippet.slots)
        self._open.pop()
        title = escape(visible(note.title))
        return (
            f'<div class="ms-embed"><div class="ms-embed-title">'
            f'<a class="ms-note" href="{self.href(target)}" dir="auto">{title}</a></div>'
            f'<div class="ms-embed-body" dir="auto">{inside}</div></div>'
        )


_BOARDS = ("canvas", "excalidraw")
_CLASSES: dict[type[Target], str] = {
    ConceptTarget: "ms-concept",
    Ambiguous: "ms-ambiguous",
    Asset: "ms-asset",
}


def ambiguous_key(name: str) -> str:
    """The key of an ambiguous name's page in `Graph.ambiguous`."""
    return concept_key(name)


def _in_link(fragment: str, *, before: bool) -> bool:
    """Whether a link stands open at the end of `fragment`, before which one stood open or not."""
    opened, closed = fragment.rfind("<a "), fragment.rfind("</a>")
    return before if opened == closed else opened > closed


def _snippet(document: Document, anchor: str | None) -> Snippet | None:
    if anchor is None:
        return whole(document)
    return block(document, anchor) if anchor.startswith("^") else section(document, anchor)


def _title(link: Link) -> str:
    return f' title="{_attribute(link.title)}"' if link.title else ""


def _attribute(text: str) -> str:
    return escape(visible(text))


def _stem(target: str) -> str:
    return target.rpartition("/")[2].rpartition(".")[0] or target
