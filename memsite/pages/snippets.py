"""Pieces of a note's HTML for embedding: a whole body, a section, a block.

Works on the sanitiser's output, in which tags are lower case and attribute values quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import unquote

from memsite.note import Document

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?:\s+[^\s=>\"]+(?:=\"[^\"]*\")?)*)\s*/?>")
_ID = re.compile(r"(\s(?:id|aria-describedby|for)=\")([^\"]*)\"")
_OWN_ANCHOR = re.compile(r"(\shref=\"#)([^\"]*)\"")
_VOID = frozenset("area br col hr img input wbr".split())
_MARK = re.compile("\x00(-?[0-9]+)\x00")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a document with its slots: like `Document.fragments` and `Document.slots`."""

    fragments: tuple[str, ...]
    slots: tuple[int, ...]


def whole(document: Document) -> Snippet:
    """The body without the heading that names the note."""
    if not document.lead:
        return Snippet(document.fragments, document.slots)
    position, offset = document.after_lead
    fragments = (document.fragments[position][offset:], *document.fragments[position + 1 :])
    return Snippet(fragments, document.slots[position:])


def section(document: Document, anchor: str) -> Snippet | None:
    """From the heading with this anchor to the next of the same or a higher level. None when there
    is no such heading, or when it stands inside something that the cut would tear."""
    position = next((i for i, heading in enumerate(document.headings) if heading.anchor == anchor), None)
    if position is None:
        return None
    marked = _marked(document)
    start = _heading_start(marked, document.headings[position].level, anchor)
    if start is None:
        return None
    end = len(marked)
    for heading in document.headings[position + 1 :]:
        if heading.level <= document.headings[position].level:
            end = _heading_start(marked, heading.level, heading.anchor) or end
            break
    return _unmarked(marked[start:end]) if _balanced(marked[start:end]) else None


def block(document: Document, anchor: str) -> Snippet | None:
    """The element with this id, whole."""
    marked = _marked(document)
    depth = 0
    start: int | None = None
    for tag in _TAG.finditer(marked):
        if start is None and f' id="{escape(anchor)}"' in tag[3]:
            start = tag.start()
        if start is None or tag[2] in _VOID or tag[2] == "a":  # an `</a>` belongs to a slot
            continue
        depth += -1 if tag[1] else 1
        if depth == 0:
            return _unmarked(_unlisted(marked[start : tag.end()]))
    return None


def prefixed(snippet: Snippet, prefix: str, *, page: str) -> Snippet:
    """The snippet with other ids, so that they do not repeat those of the page it is put into.
    References from one to another (footnotes) follow; those to what was cut off lead to `page`."""
    ids = {
        found[2]
        for html in snippet.fragments
        for tag in _TAG.finditer(html)
        for found in _ID.finditer(tag[3])
    }

    def anchor(found: re.Match[str]) -> str:
        inside = unescape(unquote(found[2])) in ids or found[2] in ids
        return f' href="#{prefix}{found[2]}"' if inside else f' href="{page}#{found[2]}"'

    def renamed(tag: re.Match[str]) -> str:
        if "=" not in tag[3]:
            return tag[0]
        attributes = _OWN_ANCHOR.sub(anchor, _ID.sub(rf'\1{prefix}\2"', tag[3]))
        return tag[0].replace(tag[3], attributes, 1)

    return Snippet(tuple(_TAG.sub(renamed, fragment) for fragment in snippet.fragments), snippet.slots)


def _heading_start(marked: str, level: int, anchor: str) -> int | None:
    found = re.search(rf'<h{level}(?:\s[^>]*?)?\sid="{re.escape(escape(anchor))}"', marked)
    return found.start() if found else None


def _unlisted(html: str) -> str:
    """A list entry alone is no list: its element becomes a `div`."""
    if not html.startswith("<li"):
        return html
    return f"<div{html[3:-5]}</div>"


def _marked(document: Document) -> str:
    """The body as one string, each slot a mark that no HTML can hold."""
    pieces = [document.fragments[0].replace("\x00", "")]
    for slot, fragment in zip(document.slots, document.fragments[1:], strict=True):
        pieces += (f"\x00{slot}\x00", fragment.replace("\x00", ""))
    return "".join(pieces)


def _unmarked(marked: str) -> Snippet:
    parts = _MARK.split(marked)
    return Snippet(tuple(parts[::2]), tuple(int(slot) for slot in parts[1::2]))


def _balanced(html: str) -> bool:
    """Whether every element that begins in `html` ends in it. Closing `</a>` belong to slots."""
    open_tags: list[str] = []
    for tag in _TAG.finditer(html):
        if tag[2] in _VOID or tag[2] == "a":
            continue
        if not tag[1]:
            open_tags.append(tag[2])
        elif not open_tags or open_tags.pop() != tag[2]:
            return False
    return not open_tags
