"""Which pages a site has and where each of them lies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memsite.check.diff import MemoryDiff
from memsite.config import Config
from memsite.markdown import match_key
from memsite.note import Address, Asset, Found, Graph, Note, Problem
from memsite.pages.publish import published_graph, published_problems
from memsite.pages.urls import Wanted, allot, encoded, segment, wanted_path

PageKind: TypeAlias = Literal[
    "home", "note", "concept", "ambiguous", "store", "folder", "tag", "type", "concepts", "tags", "types",
    "notes", "timeline", "health", "rule", "changes", "search", "graph", "missing",
    "feed", "sitemap", "robots", "llms", "texts", "api-notes", "api-graph", "api-health",
]  # fmt: skip
"""`missing` is 404.html; `graph` is made elsewhere. Those of the last line are files for programs."""

CHANGES = "health/changes.html"

ROWS = 500
"""Rows on one page of a listing; a longer one goes on at `<name>.2.html`."""

# What is published of the files that notes point to. No file here can run anything in a browser.
ASSET_TYPES = frozenset("png jpg jpeg gif webp avif pdf txt csv".split())
PICTURE_TYPES = frozenset("png jpg jpeg gif webp avif".split())

_FRAME = (
    "concept",
    "ambiguous",
    "store",
    "tag",
    "type",
    "files",
    "api",
    "static",
    "search",
    "graph",
    "health",
)


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the site that `render` makes."""

    url: str
    """Below the root of the site: posix, decoded."""
    kind: PageKind
    subject: str = ""
    """What it is about: an address, a concept key, a store name, `store/folder`, a tag, a rule code."""
    part: int = 1
    """Which page of a long listing, from 1."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in the published part of the memory."""

    since: str
    """The earlier state, as it was asked for."""
    diff: MemoryDiff


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a store that holds notes, itself or further down. `path` is empty for the store."""

    store: str
    path: str
    url: str
    notes: tuple[Address, ...]
    folders: tuple[str, ...]
    """Paths of the folders right below, sorted."""
    total: int
    """Notes here and below."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2] or self.store


@dataclass(frozen=True, slots=True)
class SitePlan:
    """Everything that rendering needs, worked out once. URLs are decoded; `hrefs` are encoded."""

    graph: Graph
    """The published part of the memory."""
    problems: tuple[Problem, ...]
    config: Config
    pages: tuple[Page, ...]
    notes: Mapping[Address, str]
    """The page of each published note."""
    sources: Mapping[str, Address]
    """Raw Markdown files beside the pages: URL -> note."""
    assets: Mapping[tuple[str, str], str]
    """Files that notes point to and that are copied: (store, path) -> URL."""
    concepts: Mapping[str, str]
    ambiguous: Mapping[str, str]
    tags: Mapping[str, str]
    types: Mapping[str, str]
    stores: Mapping[str, str]
    folders: Mapping[tuple[str, str], Folder]
    tagged: Mapping[str, tuple[Address, ...]]
    tag_names: Mapping[str, str]
    """The spelling of each tag that is used most."""
    typed: Mapping[str, tuple[Address, ...]]
    order: tuple[Address, ...]
    """All notes, newest first; those without a date last, by title."""
    neighbours: Mapping[Address, tuple[Address | None, Address | None]]
    """The note before and after a dated note in its store."""
    problems_of: Mapping[Address, tuple[Problem, ...]]
    rules: Mapping[str, tuple[Problem, ...]]
    """Problems by rule code."""
    hrefs: Mapping[str, str]
    """The encoded form of each URL of the site."""
    hidden: int = 0
    """How many notes are private."""
    changes: Changes | None = None
    """What changed since an earlier state, where one was named."""
    memory_files: Mapping[Address, bytes] = field(default_factory=dict)
    """The bytes of each MEMORY.md, for the picture of its budget."""

    def href(self, url: str) -> str:
        return self.hrefs.get(url) or encoded(url)


def plan(
    graph: Graph,
    problems: Sequence[Problem],
    config: Config,
    *,
    memory_files: Mapping[Address, bytes] | None = None,
    refused: Collection[Asset] = (),
    settled: Mapping[Address, str] | None = None,
    changes: Changes | None = None,
) -> SitePlan:
    """Decide every page and URL. `refused` are files that must not be copied whatever their name;
    `settled` are the pages that notes have in the site that is there already: they stay."""
    public = published_graph(graph)
    known = published_problems(problems, graph, public)
    names = _Names.of(public, settled or {})
    folders = _folders(public, names)
    order = _newest_first(public.notes.values())
    tagged = _tagged(public)
    typed = _grouped((note.type, note.address) for note in map(public.notes.__getitem__, order) if note.type)
    rules = _grouped((problem.code, problem) for problem in known)
    tag_urls = _flat_names("tag", tagged)
    type_urls = _flat_names("type", typed)
    assets = _assets(public, names.stores, refused)
    pages = (
        *_frame_pages(public, order),
        *(Page(f"{url}.html", "note", address) for address, url in names.notes.items()),
        *(Page(f"{url}.html", "concept", key) for key, url in names.concepts.items()),
        *(Page(f"{url}.html", "ambiguous", key) for key, url in names.ambiguous.items()),
        *(page for folder in folders.values() for page in _folder_pages(folder)),
        *(page for tag, url in tag_urls.items() for page in parts("tag", tag, url, len(tagged[tag]))),
        *(page for name, url in type_urls.items() for page in parts("type", name, url, len(typed[name]))),
        *(Page(f"health/{code.lower()}.html", "rule", code) for code in sorted(rules)),
        *([Page(CHANGES, "changes")] if changes else ()),
    )
    return SitePlan(
        graph=public,
        problems=known,
        config=config,
        pages=pages,
        notes=_with_suffix(names.notes),
        sources={f"{url}.md": address for address, url in names.notes.items() if not _hides(public, address)},
        assets=assets,
        concepts=_with_suffix(names.concepts),
        ambiguous=_with_suffix(names.ambiguous),
        tags=_with_suffix(tag_urls),
        types=_with_suffix(type_urls),
        stores={name: folders[name, ""].url for name in public.stores if (name, "") in folders},
        folders=folders,
        tagged=tagged,
        tag_names=_tag_names(public),
        typed=typed,
        order=order,
        neighbours=_neighbours(public, order),
        problems_of=_grouped((problem.address, problem) for problem in known if problem.address),
        rules=rules,
        hrefs={url: encoded(url) for url in (*(page.url for page in pages), *assets.values())},
        hidden=len(graph.notes) - len(public.notes),
        changes=changes,
        memory_files={a: text for a, text in (memory_files or {}).items() if a in public.notes},
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """URLs without suffix."""

    stores: Mapping[str, str]
    notes: Mapping[Address, str]
    concepts: Mapping[str, str]
    ambiguous: Mapping[str, str]

    @classmethod
    def of(cls, graph: Graph, settled: Mapping[Address, str]) -> _Names:
        wanted = (
            Wanted(name, segment(name, name, empty="store"), name, segment(name, name) == name)
            for name in graph.stores
        )
        stores = allot(wanted, reserved=_FRAME)
        notes = allot(
            (
                wanted_path(address, note.path.removesuffix(".md").split("/"), home=stores[note.store])
                for address, note in graph.notes.items()
            ),
            settled={address: url.removesuffix(".html") for address, url in settled.items()},
        )
        return cls(
            stores, notes, _flat_names("concept", graph.concepts), _flat_names("ambiguous", graph.ambiguous)
        )


def _flat_names(home: str, keys: Iterable[str]) -> dict[str, str]:
    return allot(
        (wanted_path(key, (key,), home=home, empty=home) for key in keys), reserved=(f"{home}/index",)
    )


def _with_suffix(urls: Mapping[str, str]) -> dict[str, str]:
    return {key: f"{url}.html" for key, url in urls.items()}


def parts(kind: PageKind, subject: str, stem: str, rows: int) -> Iterator[Page]:
    """The pages of a listing of `rows` rows: `<stem>.html`, `<stem>.2.html`, ... No slug holds a
    dot, so the further pages cannot meet another name."""
    yield Page(f"{stem}.html", kind, subject)
    for part in range(2, -(-rows // ROWS) + 1):
        yield Page(f"{stem}.{part}.html", kind, subject, part)


def part_url(first: str, part: int) -> str:
    """The URL of page `part` of the listing that begins at `first`."""
    return first if part == 1 else f"{first.removesuffix('.html')}.{part}.html"


def _folder_pages(folder: Folder) -> Iterator[Page]:
    kind: PageKind = "folder" if folder.path else "store"
    subject = f"{folder.store}/{folder.path}" if folder.path else folder.store
    return parts(kind, subject, folder.url.removesuffix(".html"), len(folder.notes))


def _frame_pages(graph: Graph, order: Sequence[Address]) -> Iterator[Page]:
    yield Page("index.html", "home")
    yield from parts("notes", "", "notes", len(graph.notes))
    yield from parts("timeline", "", "timeline", sum(graph.notes[a].date is not None for a in order))
    yield from parts("concepts", "", "concept/index", len(graph.concepts))
    yield Page("tag/index.html", "tags")
    yield Page("type/index.html", "types")
    yield Page("health.html", "health")
    yield Page("search.html", "search")
    yield Page("404.html", "missing")
    yield Page("feed.xml", "feed")
    yield Page("sitemap.xml", "sitemap")
    yield Page("robots.txt", "robots")
    yield Page("llms.txt", "llms")
    yield Page("static/texts.js", "texts")
    yield Page("api/notes.json", "api-notes")
    yield Page("api/graph.json", "api-graph")
    yield Page("api/health.json", "api-health")


def _folders(graph: Graph, names: _Names) -> dict[tuple[str, str], Folder]:
    """Every folder with notes, stores first, each store's in path order."""
    notes: defaultdict[tuple[str, str], list[Address]] = defaultdict(list)
    totals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for address, note in graph.notes.items():
        parents = note.path.split("/")[:-1]
        notes[note.store, "/".join(parents)].append(address)
        for depth in range(len(parents) + 1):
            totals[note.store, "/".join(parents[:depth])] += 1
    below: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for store, path in totals:
        if path:
            below[store, path.rpartition("/")[0]].append(path)
    urls = _folder_urls(totals, names)
    return {
        (store, path): Folder(
            store, path, f"{urls[store, path]}/index.html",
            tuple(notes.get((store, path), ())), tuple(sorted(below[store, path])), totals[store, path],
        )
        for store, path in sorted(totals)
    }  # fmt: skip


def _folder_urls(keys: Iterable[tuple[str, str]], names: _Names) -> dict[tuple[str, str], str]:
    return allot(
        wanted_path((store, path), path.split("/"), home=f"store/{names.stores[store]}", empty="folder")
        if path
        else Wanted((store, path), f"store/{names.stores[store]}", "", exact=True)
        for store, path in keys
    )


def _newest_first(notes: Iterable[Note]) -> tuple[Address, ...]:
    def place(note: Note) -> tuple[float, str, str]:
        return (-note.date.timestamp() if note.date else float("inf"), match_key(note.title), note.address)

    return tuple(note.address for note in sorted(notes, key=place))


def _neighbours(
    graph: Graph, order: Sequence[Address]
) -> dict[Address, tuple[Address | None, Address | None]]:
    around: dict[Address, tuple[Address | None, Address | None]] = {}
    newer: dict[str, Address] = {}
    for address in order:
        note = graph.notes[address]
        if note.date is None:
            continue
        after = newer.get(note.store)
        around[address] = (None, after)
        if after is not None:
            around[after] = (address, around[after][1])
        newer[note.store] = address
    return around


def tags_of(note: Note) -> tuple[str, ...]:
    """Tags of the front matter, the index and the text, each once whatever its case."""
    spelled = {match_key(tag): tag for tag in reversed((*note.tags, *note.document.tags))}
    return tuple(reversed(spelled.values()))


def _tagged(graph: Graph) -> dict[str, tuple[Address, ...]]:
    pairs = ((match_key(tag), address) for address, note in graph.notes.items() for tag in tags_of(note))
    return dict(sorted(_grouped(pairs).items()))


def _tag_names(graph: Graph) -> dict[str, str]:
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for note in graph.notes.values():
        for tag in tags_of(note):
            counts[match_key(tag)][tag] += 1
    return {key: max(sorted(spelled), key=spelled.__getitem__) for key, spelled in counts.items()}


def _grouped(pairs: Iterable[tuple[str, object]]) -> dict[str, tuple]:  # type: ignore[type-arg]
    groups: defaultdict[str, list[object]] = defaultdict(list)
    for key, member in pairs:
        groups[key].append(member)
    return {key: tuple(members) for key, members in groups.items()}


def _assets(
    graph: Graph, stores: Mapping[str, str], refused: Collection[Asset]
) -> dict[tuple[str, str], str]:
    barred = {(asset.store, asset.path) for asset in refused}
    linked = {(asset.store, asset.path) for asset in linked_assets(graph) if publishable(asset)} - barred
    wanted, suffixes = [], {}
    for store, path in sorted(linked):
        stem, _, suffix = path.rpartition(".")
        name = wanted_path((store, path), stem.split("/"), home=f"files/{stores[store]}", empty="file")
        # The extension takes part in the comparison, so that `a.png` and `a.pdf` both stay plain.
        suffixes[store, path] = f".{suffix.lower()}"
        wanted.append(Wanted(name.key, name.plain + suffixes[store, path], path, name.exact))
    return {key: _suffix_last(url, suffixes[key]) for key, url in allot(wanted).items()}


def _suffix_last(url: str, suffix: str) -> str:
    """`a.png-1f2e3d` as `a-1f2e3d.png`. Slugs hold no dot."""
    stem, _, added = url.rpartition(suffix)
    return f"{stem}{added}{suffix}"


def linked_assets(graph: Graph) -> Iterator[Asset]:
    """The files that published notes point to, as often as they do."""
    for targets in published_graph(graph).targets.values():
        yield from (target for target in targets if isinstance(target, Asset))


def draws_diagrams(graph: Graph) -> bool:
    """Whether any note holds a diagram that the browser has to draw."""
    return any("mermaid" in note.document.features for note in graph.notes.values())


def publishable(asset: Asset) -> bool:
    """Whether the name alone allows to publish the file: a listed type and no hidden part."""
    hidden = any(part.startswith(".") for part in asset.path.split("/"))
    return suffix_of(asset.path) in ASSET_TYPES and not hidden


def suffix_of(path: str) -> str:
    """The extension in lower case without its dot."""
    return path.rpartition(".")[2].lower()


def _hides(graph: Graph, address: Address) -> bool:
    """Whether the note links to a private one, so that its source would name it."""
    return any(isinstance(t, Found) and t.address not in graph.notes for t in graph.targets[address])
