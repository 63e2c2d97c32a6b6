"""Actions of the cases that build the site and look at what was written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from caseactions import World, action

from memsite.build import build_site
from memsite.note import Address
from memsite.pages import plan

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
REMEMBERED = "remembered-urls"


class Html(HTMLParser):
    """What a page holds: its elements with attributes, and its visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style", "title"} & set(self.open):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts)).strip()


def site(world: World) -> Path:
    return world.root / "site"


def _pages(world: World) -> Iterator[tuple[str, str]]:
    for path in sorted(site(world).rglob("*.html")):
        yield path.relative_to(site(world)).as_posix(), path.read_text(encoding="utf-8")


def _urls(world: World) -> dict[Address, str]:
    memory = world.memory
    return dict(plan(memory.graph(), memory.problems(), memory.config).notes)


@action
def urls(world: World) -> Iterator[str]:
    """Where the page of each note lies."""
    for address, url in _urls(world).items():
        yield f"{address.removeprefix('memory://')}.md -> {url}"


@action
def distinct_urls(world: World) -> Iterator[str]:
    """How many notes there are and how many files their pages are on a disk that knows no case."""
    planned = _urls(world)
    yield f"{len(planned)} notes, {len({url.casefold() for url in planned.values()})} files"


@action
def remember_urls(world: World) -> Iterator[str]:
    world.kept[REMEMBERED] = _urls(world)
    yield f"{len(world.kept[REMEMBERED])} notes"


@action
def same_urls(world: World) -> Iterator[str]:
    before, now = world.kept[REMEMBERED], _urls(world)
    same = sum(now[address] == url for address, url in before.items())
    yield f"{same} the same, {len(before) - same} moved, {len(now.keys() - before.keys())} new"


@action
def build(world: World, *options: str) -> Iterator[str]:
    """Build into `site`; says faults that the audit of the written files found."""
    world.forget()
    result = build_site(world.memory, site(world), strict="strict" in options, clean="clean" in options)
    yield "stopped" if result.stopped else "built"
    yield from result.faults


@action
def audit(world: World) -> Iterator[str]:
    """Every href and src of every page leads to a file and an id that are there; names what does not."""
    pages = {url: Html(text) for url, text in _pages(world)}
    ids = {url: {attrs["id"] for _, attrs in page.elements if "id" in attrs} for url, page in pages.items()}
    from urllib.parse import unquote, urldefrag, urljoin

    for url, page in pages.items():
        for tag, attrs in page.elements:
            target = attrs.get("href") or attrs.get("src")
            if not target or re.match(r"(?:https?|mailto|data):", target):
                continue
            where, fragment = urldefrag(urljoin(f"http://x/{url}", target))
            name = unquote(where.removeprefix("http://x/").split("?")[0])
            if not (site(world) / name).is_file():
                yield f"{url}: <{tag}> {target}: no such file"
            elif fragment and name in ids and unquote(fragment) not in ids[name]:
                yield f"{url}: <{tag}> {target}: no such id"


@action
def duplicate_ids(world: World) -> Iterator[str]:
    for url, text in _pages(world):
        counts = Counter(attrs["id"] for _, attrs in Html(text).elements if "id" in attrs)
        yield from (f"{url}: {id} {count}" for id, count in counts.items() if count > 1 or not id)


@action
def rooted(world: World) -> Iterator[str]:
    """Links that only work when the site lies at the root of a host, or that leave the host by themselves."""
    for url, text in _pages(world):
        for tag, attrs in Html(text).elements:
            for name in ("href", "src", "srcset", "action", "poster", "data"):
                value = attrs.get(name, "")
                loads = tag not in ("a",) and re.match(r"(?:https?:)?//", value)
                if tag == "base" or loads or (value.startswith("/") and not value.startswith("//")):
                    yield f"{url}: <{tag} {name}={value!r}>"


@action
def unsafe(world: World) -> Iterator[str]:
    """Scripts in the page, handlers, styles, other schemes, frames and forms."""
    for url, text in _pages(world):
        page = Html(text)
        for tag, attrs in page.elements:
            if tag in ("iframe", "object", "embed", "base", "frame", "applet", "template", "portal"):
                yield f"{url}: <{tag}>"
            if tag == "script" and "src" not in attrs and attrs.get("type") != "application/json":
                yield f"{url}: inline script"
            if tag == "style" or (tag == "meta" and attrs.get("http-equiv", "").lower() == "refresh"):
                yield f"{url}: <{tag}>"
            for name, value in attrs.items():
                scheme = re.match(r"\s*([a-z][a-z0-9+.\-]*):", value, re.IGNORECASE)
                if name.startswith("on") or name in ("style", "srcdoc", "formaction"):
                    yield f"{url}: <{tag} {name}>"
                bad = name in ("href", "src", "action") and scheme
                if bad and scheme[1].lower() not in ("http", "https", "mailto"):
                    yield f"{url}: <{tag} {name}={value!r}>"
                if name == "src" and (re.match(r"\s*(?:[a-z]+:)?//", value) or scheme):
                    yield f"{url}: <{tag} src={value!r}>"
        if page.open:
            yield f"{url}: open at the end: {page.open}"


@action
def page(world: World, url: str) -> Iterator[str]:
    """The visible text of a page, in one line."""
    yield Html((site(world) / url).read_text(encoding="utf-8")).text


@action
def page_has(world: World, url: str, *texts: str) -> Iterator[str]:
    """Which of the texts are not on the page."""
    shown = Html((site(world) / url).read_text(encoding="utf-8")).text
    yield from (text for text in texts if text not in shown)


@action
def title_of(world: World, url: str) -> Iterator[str]:
    """The page's `<title>` and first heading."""
    text = (site(world) / url).read_text(encoding="utf-8")
    for tag in ("title", "h1"):
        found = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", text, re.DOTALL)
        yield f"{tag}: {Html(f'<p>{found[1]}</p>').text if found else None}"


@action
def html(world: World, url: str) -> Iterator[str]:
    yield from (site(world) / url).read_text(encoding="utf-8").split("\n")


@action
def elements(world: World, url: str, tag: str) -> Iterator[str]:
    for name, attrs in Html((site(world) / url).read_text(encoding="utf-8")).elements:
        if name == tag:
            yield f"<{name}{''.join(f' {key}={value!r}' for key, value in attrs.items())}>"


@action
def grep(world: World, *texts: str) -> Iterator[str]:
    """Files of the site that hold a text, in any case."""
    for path in sorted(p for p in site(world).rglob("*") if p.is_file()):
        content = path.read_bytes().lower()
        name = path.relative_to(site(world)).as_posix()
        for text in texts:
            if text.lower().encode() in content or text.lower() in name.lower():
                yield f"{name}: {text}"


@action
def site_files(world: World, pattern: str = "*") -> Iterator[str]:
    for path in sorted(p for p in site(world).rglob(pattern) if p.is_file()):
        yield path.relative_to(site(world)).as_posix()


@action
def same_site(world: World) -> Iterator[str]:
    """Remembers the files of the site, or says which differ from those remembered."""
    now = {p.relative_to(site(world)).as_posix(): p.read_bytes() for p in site(world).rglob("*") if p.is_file()}
    before = world.kept.setdefault("site", now)
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    yield from changed or ["the same"]


@action
def foreign_names(world: World) -> Iterator[str]:
    """Files of the site that Windows or macOS cannot unpack."""
    devices = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
    seen: set[str] = set()
    for path in sorted(site(world).rglob("*")):
        name = path.name
        bad = devices.fullmatch(name) or re.search(r"[<>:\"\\|?*\x00-\x1f\u202a-\u202e]|[. ]$", name)
        folded = path.relative_to(site(world)).as_posix().casefold()
        if bad or folded in seen or len(name.encode()) > 250:
            yield repr(name)
        seen.add(folded)


@action
def headings_shown(world: World, url: str) -> Iterator[str]:
    """Headings of the note's own part of the page (the frame's ids begin with `ms-`)."""
    text = (site(world) / url).read_text(encoding="utf-8")
    main = re.search(r"<article\b.*?</article>", text, re.DOTALL)
    for tag, inner in re.findall(r"<(h[1-6])\b[^>]*>(.*?)</\1>", main[0] if main else text, re.DOTALL):
        yield f"{tag} {Html(f'<p>{inner}</p>').text}"
