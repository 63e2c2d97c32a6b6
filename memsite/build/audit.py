"""The built site checked on its own: every link leads to a file and an anchor, nothing comes from elsewhere.

What is found here is a fault of memsite, never of a note: a note's dead link has no `href` at all.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import unquote

# Quoted values may hold `>`: a tag ends at the first one outside quotes. Possessive, hence linear.
_TAG = re.compile(r"""<([a-zA-Z][a-zA-Z0-9-]*+)((?:[^"'<>]++|"[^"]*+"|'[^']*+')*+)>""")
# Every attribute is consumed whole, so that nothing inside a value is taken for another one.
_ATTRIBUTE = re.compile(r"""([a-zA-Z:-]++)=(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
_CSS_URL = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])([^'\")]+)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LOADED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"}
_LEADING_OUT = ("http:", "https:", "mailto:")


@dataclass(frozen=True, slots=True)
class Traces:
    """What the audit has to know of one page: its anchors and where it leads.

    `links` are pairs of a file of the site and the anchor on it ('' for none), `faults` what is wrong
    whatever other files there are.
    """

    anchors: frozenset[str]
    links: frozenset[tuple[str, str]]
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class Audit:
    """Collects the traces of all files of a site; `faults` tells what does not fit."""

    traces: dict[str, Traces] = field(default_factory=dict)

    def add(self, url: str, text: str) -> Traces:
        traces = traces_of_css(url, text) if url.endswith(".css") else traces_of(url, text)
        self.traces[url] = traces
        return traces

    def links(self) -> int:
        """How many different links the pages of the site hold, counted page by page."""
        return sum(len(traces.links) for traces in self.traces.values())

    def faults(self, files: Collection[str]) -> tuple[str, ...]:
        """One line for each fault, sorted by page. `files` are the URLs of all files of the site."""
        pages = sorted(self.traces.items())
        return tuple(f"{url}: {fault}" for url, traces in pages for fault in self._faults_of(traces, files))

    def _faults_of(self, traces: Traces, files: Collection[str]) -> Iterable[str]:
        yield from traces.faults
        for target, anchor in sorted(traces.links):
            if target not in files:
                yield f"link to {target}, which is not there"
            elif anchor and target in self.traces and anchor not in self.traces[target].anchors:
                yield f"link to {target}#{anchor}, an anchor that is not there"


def traces_of(url: str, html: str) -> Traces:
    """What the page at `url` says about itself."""
    anchors: set[str] = set()
    links: set[tuple[str, str]] = set()
    faults: list[str] = []
    folder = posixpath.dirname(url)
    seen: set[tuple[str, str]] = set()
    for tag, attributes in _TAG.findall(html):
        if "=" not in attributes:
            continue
        found = {name: unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(attributes)}
        anchor = found.get("id")
        if anchor:
            if anchor in anchors:
                faults.append(f"the id {anchor!r} stands twice")
            anchors.add(anchor)
        for name in ("href", "src", "srcset", "poster"):
            target = found.get(name)
            if target is None or (tag, target) in seen:
                continue
            seen.add((tag, target))
            loads = name != "href" or (tag == "link" and bool(_LOADED & set(found.get("rel", "").split())))
            _follow(target, folder, url, loads="loads" if loads else "", links=links, faults=faults)
    return Traces(frozenset(anchors), frozenset(links), tuple(faults))


def traces_of_css(url: str, css: str) -> Traces:
    """What a style sheet loads."""
    links: set[tuple[str, str]] = set()
    faults: list[str] = []
    for target in _CSS_URL.findall(css):
        if not target.startswith(("data:", "#")):
            _follow(target.strip(), posixpath.dirname(url), url, loads="loads", links=links, faults=faults)
    return Traces(frozenset(), frozenset(links), tuple(faults))


def _follow(
    target: str, folder: str, url: str, *, loads: str, links: set[tuple[str, str]], faults: list[str]
) -> None:
    """Put one `href` or `src` where it belongs: among the links, or among the faults."""
    if _SCHEME.match(target) or target.startswith("//"):
        if loads and not target.startswith("data:image/"):
            faults.append(f"loads {target!r}")
        elif not loads and not target.lower().startswith(_LEADING_OUT):
            faults.append(f"leads to {target!r}")
        return
    path, _, anchor = target.partition("#")
    path = unquote(path.partition("?")[0])
    anchor = unquote(anchor)
    if not path:
        links.add((url, anchor))
        return
    place = posixpath.normpath(posixpath.join(folder, path))
    if path.startswith("/") or place.startswith(".."):
        faults.append(f"link to {target!r}, which depends on where the site stands")
    else:
        links.add((place + "/" if path.endswith("/") else place, anchor))
