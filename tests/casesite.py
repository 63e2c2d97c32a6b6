"""Actions of the cases that build the site and look at what was written."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from caseactions import World, action, note_of

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
    world.kept["built"] = result
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
    found = site(world).glob(pattern) if "/" in pattern else site(world).rglob(pattern)
    for path in sorted(p for p in found if p.is_file()):
        yield path.relative_to(site(world)).as_posix()


@action
def same_site(world: World) -> Iterator[str]:
    """Remembers the files of the site, or says which differ from those remembered."""
    now = {
        p.relative_to(site(world)).as_posix(): p.read_bytes() for p in site(world).rglob("*") if p.is_file()
    }
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


@action
def build_into(world: World, folder: str) -> Iterator[str]:
    """Build into any folder; says how many notes the site has."""
    target = Path.home() if folder == "~" else world.root / folder
    world.forget()
    result = build_site(world.memory, target)
    yield f"built {result.notes}"
    yield from result.faults


@action
def written(world: World) -> Iterator[str]:
    world.forget()
    result = build_site(world.memory, site(world))
    yield f"{len(result.written)} written, {len(result.removed)} removed"


@action
def written_pages(world: World) -> Iterator[str]:
    """What the last `build` wrote."""
    yield from world.kept["built"].written


@action
def own_path(world: World) -> Iterator[str]:
    """Files of the site that name the folder they were built from."""
    return grep(world, str(world.root))


@action
def shuffle(world: World) -> Iterator[str]:
    """Write all notes of the vault again in another order, so that the folder lists them otherwise."""
    notes = sorted((world.root / "vault").rglob("*.md"), key=lambda path: path.name[::-1])
    contents = [(path, path.read_bytes()) for path in notes]
    for path in notes:
        path.unlink()
    for path, content in contents:
        path.write_bytes(content)
    world.forget()
    return iter(())


@action
def json_files(world: World) -> Iterator[str]:
    """JSON files that do not load strictly."""
    for path in site(world).rglob("*.json"):
        try:
            json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
        except ValueError as error:
            yield f"{path.name}: {error}"


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


@action
def script_data(world: World) -> Iterator[str]:
    """Characters in written scripts and inline JSON that could end a script or a line of it."""
    found = [(url, inner) for url, text in _pages(world) for inner in SCRIPT.findall(text)]
    data = site(world).rglob("*.js")
    found += [(p.name, p.read_text(encoding="utf-8")) for p in data if "vendor" not in p.parts]
    for name, script in found:
        if re.search(r"</script|<!--|[\u2028\u2029]", script, re.IGNORECASE):
            yield name


SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)


@action
def one_frame(world: World) -> Iterator[str]:
    """Pages with other than one each of html, head, body, main and h1."""
    for url, text in _pages(world):
        counts = Counter(tag for tag, _ in Html(text).elements)
        yield from (
            f"{url}: {counts[tag]} <{tag}>" for tag in ("html", "head", "body", "main") if counts[tag] != 1
        )
        for tag in ("html", "body", "main", "article", "div", "section"):
            if len(re.findall(rf"<{tag}[\s>]", text)) != len(re.findall(rf"</{tag}>", text)):
                yield f"{url}: <{tag}> opened and closed unevenly"


@action
def without_policy(world: World) -> Iterator[str]:
    """Pages whose first element after the charset is not the strict policy."""
    policy = re.compile(
        r"<head>\s*<meta charset=\"utf-8\"\s*/?>\s*<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'",
        re.IGNORECASE,
    )
    for url, text in _pages(world):
        if not policy.search(text) or re.search(r"Security-Policy\"[^>]*unsafe", text):
            yield url


@action
def hidden_in_site(world: World) -> Iterator[str]:
    """Pages and scripts that hold a control, bidi or tag character."""
    for path in sorted(site(world).rglob("*")):
        if path.suffix not in (".html", ".js", ".json", ".xml", ".txt") or "vendor" in path.parts:
            continue
        found = re.findall(
            r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]",
            path.read_text("utf-8"),
        )
        if found:
            yield f"{path.relative_to(site(world))}: {sorted(set(found))!r}"


# The graph and the server --------------------------------------------------------------------


def _network(network: Any, arrow: str) -> Iterator[str]:
    yield from (node.id for node in network.nodes)
    for edge in network.edges:
        yield " ".join([edge.source, arrow, edge.target, str(edge.weight), *edge.relations])


@action
def note_graph(world: World) -> Iterator[str]:
    """Nodes, then edges with their weight and kinds."""
    from memsite.graph import note_network

    return _network(note_network(world.memory.graph()), "->")


@action
def concept_graph(world: World) -> Iterator[str]:
    from memsite.graph import concept_network

    return _network(concept_network(world.memory.graph()), "--")


@action
def mentions(world: World, name: str) -> Iterator[str]:
    """Notes that name a note without a link, how they spell it first, and how often."""
    from memsite.graph.mentions import mentions as find_mentions

    graph = world.memory.graph()
    for mention in find_mentions(graph).get(note_of(world, name).address, ()):
        yield f"{graph.notes[mention.address].path} {mention.name} {mention.count}"


@action
def get(world: World, target: str, *options: str) -> Iterator[str]:
    """A raw request: status and the text of the page."""
    status, _, text = _asked(world, target, *options)
    yield f"{status} {Html(text).text}".strip()


@action
def headers(world: World, target: str) -> Iterator[str]:
    yield from _asked(world, target)[1]


def _asked(world: World, target: str, *options: str) -> tuple[int, list[str], str]:
    words = dict(option.split("=", 1) for option in options)
    path, _, query = target.partition("?")
    asked = [(b"host", words.get("host", "127.0.0.1:8000").encode())]
    asked += [(b"origin", words["origin"].encode())] if "origin" in words else []
    scope = {"type": "http", "method": words.get("method", "GET"), "path": path, "raw_path": path.encode()}
    scope |= {
        "query_string": query.encode(),
        "headers": asked,
        "scheme": "http",
        "server": ("127.0.0.1", 8000),
    }
    scope |= {"root_path": "", "http_version": "1.1", "client": ("127.0.0.1", 1)}
    # In a thread of its own: a browser test before this one may have left a loop running here.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, _answer(world, scope)).result()


async def _answer(world: World, scope: dict[str, Any]) -> tuple[int, list[str], str]:
    from memsite.serve.app import Live, PreviewServer

    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await PreviewServer(Live(site(world).resolve(), version=1))(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent)
    headers = [f"{name.decode()}: {value.decode()}" for name, value in sent[0]["headers"]]
    return sent[0]["status"], headers, body.decode()


@action
def longest_path(world: World) -> Iterator[str]:
    """How many bytes the longest path of the site has."""
    size = max(len(p.relative_to(site(world)).as_posix().encode()) for p in site(world).rglob("*"))
    yield "under 240" if size < 240 else str(size)


@action
def xml_files(world: World) -> Iterator[str]:
    """Feeds and site maps that are not well-formed."""
    from xml.etree import ElementTree

    for path in site(world).rglob("*.xml"):
        try:
            ElementTree.fromstring(path.read_text(encoding="utf-8"))
        except ElementTree.ParseError as error:
            yield f"{path.name}: {error}"


@action
def same_as_clean(world: World) -> Iterator[str]:
    """Files in which the site differs from one that is built anew elsewhere. Where the nodes of the graph
    lie does not count: a picture starts from the last one, so that it stays familiar."""
    world.forget()
    elsewhere = world.root.parent / "anew"
    build_site(world.memory, elsewhere, clean=True)
    both = [
        {p.relative_to(f).as_posix(): p for p in f.rglob("*") if p.is_file()}
        for f in (site(world), elsewhere)
    ]
    yield from sorted(both[0].keys() ^ both[1].keys())
    shared = sorted(both[0].keys() & both[1].keys() - {".memsite-site"})
    differing = [name for name in shared if both[0][name].read_bytes() != both[1][name].read_bytes()]
    yield from [name for name in differing if not name.startswith("graph/")] or ["the same"]
