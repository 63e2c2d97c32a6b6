"""The built site checked on its own: every link leads to a file and an anchor, nothing comes from elsewhere.

What is found here is a fault of memsite, never of a note: a note's dead link has no `href` at all.
"""

from __future__ import annotations

import posixpath
import re
from array import array
from collections import defaultdict
from collections.abc import Collection
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
# How nearly all links are written. Nothing in them is encoded, and dots stand inside names only.
_PLAIN = re.compile(r"((?:\.\./)*+)(\w[\w-]*+(?:[/.]\w[\w-]*+)*+)(?:#([\w-]*+))?")
_LOADED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"}
_LEADING_OUT = ("http:", "https:", "mailto:")

Link: TypeAlias = tuple[str, str]
Record: TypeAlias = tuple[list[Link], dict[str, tuple[tuple[str, ...], bytes]]]
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


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one tag means on the pages of one folder."""

    anchor: str = ""
    links: tuple[int, ...] = ()
    """As in `Traces`."""
    here: tuple[str, ...] = ()
    """Anchors of its own page that it leads to."""
    faults: tuple[str, ...] = ()


_MEANS_NOTHING = Meaning()


@dataclass(slots=True)
class Audit:
    """Collects the traces of all files of a site; `faults` tells what does not fit."""

    traces: dict[str, Traces] = field(default_factory=dict)
    _places: dict[Link, int] = field(default_factory=dict)
    _tags: dict[str, Tag | None] = field(default_factory=dict)
    _meanings: defaultdict[str, dict[str, Meaning]] = field(default_factory=lambda: defaultdict(dict))
    """By folder and tag."""
    _known: int = 0
    """How many meanings there are."""
    _recalled: dict[str, Traces] = field(default_factory=dict)
    """Of the last build, whose table of places this one goes on with."""

    def recall(self, record: Record) -> None:
        """Take up what an earlier audit, which found no fault, learnt of its files."""
        places, traces = record
        self._places = {place: number for number, place in enumerate(places)}
        self._recalled = {
            url: Traces(frozenset(anchors), array("I", links)) for url, (anchors, links) in traces.items()
        }

    def record(self) -> Record:
        """What `recall` of a later audit takes: the places that links lead to, and for each file its
        anchors and the positions of its links among the places, as plain values."""
        used = sorted({place for traces in self.traces.values() for place in traces.links})
        position = {place: number for number, place in enumerate(used)}
        places = list(self._places)
        traces = {
            url: (tuple(traces.anchors), array("I", map(position.__getitem__, traces.links)).tobytes())
            for url, traces in self.traces.items()
        }
        return [places[place] for place in used], traces

    def keep(self, url: str) -> None:
        """Take the file at `url` for what it was in the earlier audit."""
        if url in self._recalled:
            self.traces[url] = self._recalled[url]

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
        # `#view=concepts&group=3` is no anchor: it tells the graph what to show. No id holds a `=`.
        is_place = anchor and "=" not in anchor
        if is_place and target in self.traces and anchor not in self.traces[target].anchors:
            return f"link to {target}#{anchor}, an anchor that is not there"
        return ""

    def _page(self, url: str, html: str) -> Traces:
        anchors: set[str] = set()
        links: dict[int, None] = {}
        faults: dict[str, None] = {}
        folder = posixpath.dirname(url)
        meanings = self._meanings[folder]
        for written in _TAG.findall(html):
            tag = meanings.get(written) or self._learnt(written, folder)
            if tag.anchor:
                if tag.anchor in anchors:
                    faults[f"the id {tag.anchor!r} stands twice"] = None
                anchors.add(tag.anchor)
            for link in tag.links:
                links[link] = None
            for anchor in tag.here:
                links[self._place((url, anchor))] = None
            for fault in tag.faults:
                faults[fault] = None
        return Traces(frozenset(anchors), array("I", links), tuple(faults))

    def _style_sheet(self, url: str, css: str) -> Traces:
        targets = (target.strip() for target in _CSS_URL.findall(css))
        loads = tuple(target for target in targets if target[:1] != "#")
        tag = self._meaning(Tag("", (), loads), posixpath.dirname(url))
        links = (*tag.links, *(self._place((url, anchor)) for anchor in tag.here))
        return Traces(frozenset(), array("I", dict.fromkeys(links)), tuple(dict.fromkeys(tag.faults)))

    def _learnt(self, written: str, folder: str) -> Meaning:
        if self._known > _KEPT:
            self._tags.clear()
            for meanings in self._meanings.values():
                meanings.clear()
            self._known = 0
        self._known += 1
        if written not in self._tags:
            self._tags[written] = tag_of(written)
        meaning = self._meanings[folder][written] = self._meaning(self._tags[written], folder)
        return meaning

    def _meaning(self, tag: Tag | None, folder: str) -> Meaning:
        if tag is None:
            return _MEANS_NOTHING
        targets = (*tag.leads, *tag.loads)
        links, here, faults = [], [], []
        for position, target in enumerate(targets):
            if not target or target[0] in "#?":
                here.append(unquote(target.partition("#")[2]))
                continue
            outcome = follow(target, folder, loads=position >= len(tag.leads))
            if isinstance(outcome, str):
                faults.append(outcome)
            elif outcome != _NOWHERE:
                links.append(self._place(outcome))
        return Meaning(tag.anchor, tuple(links), tuple(here), tuple(faults))

    def _place(self, link: Link) -> int:
        return self._places.setdefault(link, len(self._places))


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
    if (plain := _PLAIN.fullmatch(target)) and len(plain[1]) <= 3 * (folder.count("/") + bool(folder)):
        up = len(plain[1]) // 3
        home = "/".join(folder.split("/")[: -up or None]) if folder else ""
        return (f"{home}/{plain[2]}" if home else plain[2], plain[3] or "")
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
