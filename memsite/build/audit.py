"""The built site checked on its own: every link leads to a file and an anchor, nothing comes from elsewhere.

What is found here is a fault of memsite, never of a note: a note's dead link has no `href` at all.
"""

from __future__ import annotations

import posixpath
import re
from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import TypeAlias
from urllib.parse import unquote

# A tag with an attribute. Quoted values may hold `>`: it ends at the first one outside quotes.
# Possessive, hence linear.
_TAG = re.compile(r"""<[a-zA-Z][^"'<>=]*+=(?:[^"'<>]++|"[^"]*+"|'[^']*+')*+>""")
# Every attribute is consumed whole, so that nothing inside a value is taken for another one.
_ATTRIBUTE = re.compile(r"""([a-zA-Z:-]++)=(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
_CSS_URL = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])([^'\")]+)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LOADED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"}
_LEADING_OUT = ("http:", "https:", "mailto:")

Link: TypeAlias = tuple[str, str]
_NOWHERE: Link = ("", "")


_KEPT = 200_000
"""Tags whose meaning is remembered: pages of a site are made of the same few thousand."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What the audit has to know of one page: its anchors, where it leads, and its own faults.

    `links` are positions in the table of places that all pages share.
    """

    anchors: frozenset[str]
    links: array[int]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tag:
    """What one tag says: its id, and the addresses it leads to or loads."""

    anchor: str
    leads: tuple[str, ...]
    loads: tuple[str, ...]


@dataclass(slots=True)
class Audit:
    """Collects the traces of all files of a site; `faults` tells what does not fit."""

    traces: dict[str, Traces] = field(default_factory=dict)
    _places: dict[Link, int] = field(default_factory=dict)
    _tags: dict[str, Tag | None] = field(default_factory=dict)
    _followed: dict[tuple[str, str, bool], Link | str] = field(default_factory=dict)

    def add(self, url: str, text: str) -> None:
        """Take note of the page or style sheet at `url`."""
        self.traces[url] = self._style_sheet(url, text) if url.endswith(".css") else self._page(url, text)

    def links(self) -> int:
        """How many different links the pages of the site hold, counted page by page."""
        return sum(len(traces.links) for traces in self.traces.values())

    def faults(self, files: Collection[str]) -> tuple[str, ...]:
        """One line for each fault, sorted by page. `files` are the URLs of all files of the site."""
        wrong = {place: why for link, place in self._places.items() if (why := self._wrong(link, files))}
        return tuple(
            f"{url}: {fault}"
            for url, traces in sorted(self.traces.items())
            for fault in (*traces.faults, *sorted(wrong[place] for place in traces.links if place in wrong))
        )

    def _wrong(self, link: Link, files: Collection[str]) -> str:
        """What is wrong with a place that a link leads to, or an empty text."""
        target, anchor = link
        if target not in files:
            return f"link to {target}, which is not there"
        if anchor and target in self.traces and anchor not in self.traces[target].anchors:
            return f"link to {target}#{anchor}, an anchor that is not there"
        return ""

    def _page(self, url: str, html: str) -> Traces:
        anchors: set[str] = set()
        outcomes: dict[Link | str, None] = {}
        for written in _TAG.findall(html):
            tag = self._tag(written)
            if tag is None:
                continue
            if tag.anchor:
                if tag.anchor in anchors:
                    outcomes[f"the id {tag.anchor!r} stands twice"] = None
                anchors.add(tag.anchor)
            for target in tag.leads:
                outcomes[self._follow(target, url, loads=False)] = None
            for target in tag.loads:
                outcomes[self._follow(target, url, loads=True)] = None
        return self._traces(anchors, outcomes)

    def _style_sheet(self, url: str, css: str) -> Traces:
        targets = (target.strip() for target in _CSS_URL.findall(css))
        outcomes = dict.fromkeys(self._follow(each, url, loads=True) for each in targets if each[:1] != "#")
        return self._traces((), outcomes)

    def _traces(self, anchors: Iterable[str], outcomes: Iterable[Link | str]) -> Traces:
        places = self._places
        links, faults = array("I"), []
        for outcome in outcomes:
            if isinstance(outcome, str):
                faults.append(outcome)
            elif outcome != _NOWHERE:
                links.append(places.setdefault(outcome, len(places)))
        return Traces(frozenset(anchors), links, tuple(faults))

    def _tag(self, written: str) -> Tag | None:
        try:
            return self._tags[written]
        except KeyError:
            if len(self._tags) > _KEPT:
                self._tags.clear()
                self._followed.clear()
            tag = self._tags[written] = tag_of(written)
            return tag

    def _follow(self, target: str, url: str, *, loads: bool) -> Link | str:
        """Where a link on the page at `url` leads, or what is wrong with it."""
        if not target or target[0] in "#?":
            return (url, unquote(target.partition("#")[2]))
        key = (posixpath.dirname(url), target, loads)
        outcome = self._followed.get(key)
        if outcome is None:
            outcome = self._followed[key] = follow(target, key[0], loads=loads)
        return outcome


def tag_of(written: str) -> Tag | None:
    """What a tag says, or None when it says nothing that the audit wants to know."""
    found = {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(written)}
    loads = [found[name] for name in ("src", "srcset", "poster") if name in found]
    leads = [found["href"]] if "href" in found else []
    if leads and written[1:5].lower() == "link" and _LOADED & set(found.get("rel", "").split()):
        loads, leads = [*loads, *leads], []
    anchor = found.get("id", "")
    return Tag(anchor, tuple(leads), tuple(loads)) if anchor or leads or loads else None


def follow(target: str, folder: str, *, loads: bool) -> Link | str:
    """The file and anchor that `target` means on a page in `folder`, or what is wrong with it.

    An address on another host is no link of the site; it comes out as the empty one.
    """
    if _SCHEME.match(target) or target.startswith("//"):
        if loads:
            return _NOWHERE if target.startswith("data:image/") else f"loads {target!r}"
        return _NOWHERE if target.lower().startswith(_LEADING_OUT) else f"leads to {target!r}"
    path, _, anchor = target.partition("#")
    path = unquote(path.partition("?")[0])
    place = posixpath.normpath(posixpath.join(folder, path))
    if path.startswith("/") or place.startswith(".."):
        return f"link to {target!r}, which depends on where the site stands"
    return (place + "/" if path.endswith("/") else place, unquote(anchor))
