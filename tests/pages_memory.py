"""Small memories as published sites, for the tests of the pages: real parsing, no disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from urllib.parse import unquote, urljoin

import html5lib

from memsite.config import Config
from memsite.graph import resolve
from memsite.markdown import describe, parse
from memsite.note import Asset, Graph, Note, Problem, Source, StoreView
from memsite.pages import SitePlan, plan, render, search_files

HTML = "{http://www.w3.org/1999/xhtml}"


def note(path: str, text: str, *, store: str = "vault") -> Note:
    content = text.encode("utf-8", "surrogatepass")
    checksum = hashlib.sha256(content).hexdigest()
    source = Source(store, "vault", path, content, checksum, 0.0)
    return describe(source, parse(content))


def graph_of(
    files: Mapping[str, str], *, assets: Iterable[str] = (), publish: Mapping[str, bool] | None = None
) -> Graph:
    """`files` maps `store/path.md` to text. `publish` says which stores are published."""
    notes = [note(name.partition("/")[2], text, store=name.partition("/")[0]) for name, text in files.items()]
    names = sorted({one.store for one in notes})
    views = [
        StoreView(
            name, "vault", name, f"{name}/", files=frozenset(assets), publish=(publish or {}).get(name, True)
        )
        for name in names
    ]
    return resolve(notes, views)


def site_of(
    files: Mapping[str, str],
    *,
    config: Config | None = None,
    problems: Iterable[Problem] = (),
    assets: Iterable[str] = (),
    publish: Mapping[str, bool] | None = None,
    refused: Iterable[Asset] = (),
    settled: Mapping[str, str] | None = None,
) -> SitePlan:
    graph = graph_of(files, assets=assets, publish=publish)
    return plan(graph, tuple(problems), config or Config(), refused=tuple(refused), settled=settled)


def written(site: SitePlan) -> dict[str, str]:
    """Every file that the plan and the search index make."""
    files = {page.url: render(page, site).decode() for page in site.pages}
    return files | {url: content.decode() for url, content in search_files(site)}


def page(site: SitePlan, url: str) -> str:
    return next(render(one, site).decode() for one in site.pages if one.url == url)


@cache
def tree(text: str) -> html5lib.treebuilders.etree:  # type: ignore[name-defined]
    """What a browser makes of a page."""
    return html5lib.parse(text)


def elements(text: str, name: str = "*", **attributes: str) -> list[object]:
    wanted = {key.rstrip("_"): value for key, value in attributes.items()}
    found = tree(text).iter(HTML + name if name != "*" else None)
    return [
        one
        for one in found
        if isinstance(one.tag, str) and all(one.get(key) == value for key, value in wanted.items())
    ]


def body_of(text: str) -> str:
    """The source of the note's body on a page."""
    return text.partition('id="ms-body">')[2].partition("</div>\n</article>")[0]


def text_of(element: object) -> str:
    return "".join(element.itertext())  # type: ignore[attr-defined]


def broken_links(files: Mapping[str, str], known: Iterable[str] = ()) -> list[str]:
    """Links of pages that lead to no file or anchor among `files` and `known`."""
    urls = {*files, *known}
    pages = {url: text for url, text in files.items() if url.endswith(".html")}
    anchors = {url: {one.get("id") for one in elements(text)} for url, text in pages.items()}  # type: ignore[attr-defined]
    broken = []
    for url, text in pages.items():
        for one in elements(text):
            link = one.get("href") or one.get("src")  # type: ignore[attr-defined]
            if not link or ":" in link.split("/")[0]:
                continue
            target, _, anchor = urljoin(f"/{url}", link).lstrip("/").partition("#")
            target, anchor = unquote(target), unquote(anchor)
            if target not in urls or (anchor and target in anchors and anchor not in anchors[target]):
                broken.append(f"{url}: {link}")
    return broken
