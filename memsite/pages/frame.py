"""What stands around every page: head, breadcrumb, navigation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from memsite.graph import CONCEPT
from memsite.markdown import visible
from memsite.note import Address, Note
from memsite.pages.local_graph import shard_url
from memsite.pages.plan import Folder, Page, SitePlan
from memsite.pages.relations import Relations
from memsite.pages.templating import Templates, templates_of
from memsite.pages.urls import root_of
from memsite.pages.views import Entry

if TYPE_CHECKING:
    from markupsafe import Markup

SIBLINGS = 13
"""Notes of the own folder that the navigation shows around the current one."""


_PLACES = {
    "home": "index.html", "graph": "graph.html", "notes": "notes.html", "timeline": "timeline.html",
    "concepts": "concept/index.html", "concept": "concept/index.html",
    "tags": "tag/index.html", "tag": "tag/index.html",
    "health": "health.html", "rule": "health.html", "changes": "health.html",
}  # fmt: skip
"""Kind of page -> the page that the navigation names for it, and marks when one of the kind is open."""


@dataclass(frozen=True, slots=True)
class Crumb:
    label: str
    href: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder in the navigation, open when the page is in it."""

    label: str
    href: str
    open: bool
    current: bool
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What the frame template needs of one page."""

    root: str
    url: str
    kind: str
    title: str
    description: str
    crumbs: tuple[Crumb, ...]
    navigation: Markup
    siblings: tuple[Entry, ...] = ()
    siblings_title: str = ""
    siblings_href: str = ""
    more_siblings: bool = False
    features: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same on all pages."""

    title: str
    language: str
    footer: str
    own_css: str
    base_url: str
    remote_images: bool


@dataclass
class Desk:
    """The place where pages of one plan are made: templates at hand, repeated parts made once."""

    plan: SitePlan
    templates: Templates = field(init=False)
    site: Site = field(init=False)
    _navigations: dict[tuple[str, str, str], Markup] = field(default_factory=dict)
    _places: dict[Address, int] = field(default_factory=dict)

    @cached_property
    def titles(self) -> dict[Address, str]:
        """The title of each note as it may be shown."""
        return {address: visible(note.title) for address, note in self.plan.graph.notes.items()}

    @cached_property
    def _note_hrefs(self) -> dict[Address, str]:
        """The encoded URL of each note, from the root of the site."""
        return {address: self.plan.href(url) for address, url in self.plan.notes.items()}

    @cached_property
    def relations(self) -> Relations:
        config = self.plan.config.graph
        return Relations(self.plan.graph, resolution=config.resolution, seed=config.seed)

    def __post_init__(self) -> None:
        self.templates = templates_of(self.plan.config)
        config = self.plan.config.site
        self.site = Site(
            title=visible(config.title),
            language=config.language,
            footer=visible(config.footer),
            own_css="static/own.css" if config.css else "",
            base_url=config.base_url.rstrip("/"),
            remote_images=config.remote_images,
        )

    def href(self, url: str, root: str) -> str:
        return root + self.plan.href(url)

    def note_href(self, address: Address, root: str) -> str:
        return root + self._note_hrefs[address]

    def node_href(self, node: str, root: str) -> str:
        """The page of a node of the graph."""
        if node.startswith(CONCEPT):
            return root + self.plan.href(self.plan.concepts[node.removeprefix(CONCEPT)])
        return self.note_href(node, root)

    def navigation(
        self, root: str, *, store: str = "", folder: str = "", url: str = "", current: str = "page"
    ) -> Markup:
        """The tree of stores and folders as seen from a folder. Equal for all notes of a folder.

        `url` is the place that is marked; `current` says whether it is the `page` or one above it (`true`).
        """
        key = (root, store, f"{folder}\0{url}\0{current}")
        made = self._navigations.get(key)
        if made is None:
            from markupsafe import Markup

            branches = tuple(
                self._branch(self.plan.folders[name, ""], root, store=store, folder=folder, url=url)
                for name in self.plan.stores
            )
            text = self.templates.get("navigation.html").render(
                branches=branches, root=root, site=self.site, url=url, current=current
            )
            made = self._navigations[key] = Markup(text)  # noqa: S704  (rendered with autoescape just now)
        return made

    def _branch(self, here: Folder, root: str, *, store: str, folder: str, url: str) -> Branch:
        """A folder as seen from `folder`: open on the way there and with the folders right below it,
        closed elsewhere. How many notes it holds is not said: one note more would change every page."""
        path = here.path
        is_there = here.store == store and folder == path
        on_the_way = here.store == store and (not path or folder.startswith(f"{path}/"))
        shown = here.folders if is_there or not path else ()
        if on_the_way and path:
            shown = tuple(name for name in here.folders if folder == name or folder.startswith(f"{name}/"))
        below = (self.plan.folders[here.store, name] for name in shown)
        return Branch(
            label=visible(here.name),
            href=self.href(here.url, root),
            open=is_there or on_the_way,
            current=here.url == url,
            branches=tuple(self._branch(one, root, store=store, folder=folder, url=url) for one in below),
        )

    def frame(
        self, page: Page, title: str, *, description: str = "", crumbs: tuple[Crumb, ...] = ()
    ) -> Frame:
        """The frame of a page that belongs to no folder."""
        root = root_of(page.url)
        place = _PLACES.get(page.kind, "")
        return Frame(
            root=root,
            url=self.plan.href(page.url),
            kind=page.kind,
            title=title,
            description=description,
            crumbs=(self.home_crumb(root), *crumbs),
            navigation=self.navigation(root, url=place, current="page" if page.url == place else "true"),
        )

    def home_crumb(self, root: str) -> Crumb:
        return Crumb(self.templates.texts.home, f"{root}index.html")

    def folder_crumbs(self, store: str, folder: str, root: str) -> tuple[Crumb, ...]:
        """Home, the store, and each folder down to `folder`."""
        steps = folder.split("/") if folder else []
        paths = ["", *("/".join(steps[: depth + 1]) for depth in range(len(steps)))]
        folders = (self.plan.folders[store, path] for path in paths)
        return (
            self.home_crumb(root),
            *(Crumb(visible(one.name), self.href(one.url, root)) for one in folders),
        )

    def note_frame(self, page: Page, note: Note, *, description: str) -> Frame:
        root = root_of(page.url)
        folder = self.plan.folders[note.store, note.path.rpartition("/")[0]]
        siblings = self._siblings(folder, note.address)
        return Frame(
            root=root,
            url=self.plan.href(page.url),
            kind="note",
            title=self.titles[note.address],
            description=description,
            crumbs=self.folder_crumbs(note.store, folder.path, root),
            navigation=self.navigation(root, store=note.store, folder=folder.path),
            siblings=siblings,
            siblings_title=visible(folder.name),
            siblings_href=self.href(folder.url, root),
            more_siblings=len(folder.notes) > len(siblings),
            features=note.document.features,
        )

    def _siblings(self, folder: Folder, address: Address) -> tuple[Entry, ...]:
        """Notes around this one in its folder. Their pages lie beside its page, unless a long path
        or a namesake moved one elsewhere."""
        if not self._places:
            self._places = {
                one: place for at in self.plan.folders.values() for place, one in enumerate(at.notes)
            }
        position = self._places[address] if len(folder.notes) > SIBLINGS else 0
        start = max(0, min(position - SIBLINGS // 2, len(folder.notes) - SIBLINGS))
        home, _, _ = self.plan.notes[address].rpartition("/")
        shown = folder.notes[start : start + SIBLINGS]
        return tuple(
            Entry(
                self.titles[one],
                self._beside(self.plan.notes[one], home),
                one == address,
            )
            for one in shown
        )

    def _beside(self, url: str, home: str) -> str:
        encoded = self.plan.href(url)
        if url.rpartition("/")[0] == home:
            return encoded.rpartition("/")[2]
        return "../" * (home.count("/") + 1) + encoded

    def summary(self) -> str:
        """One line about the whole memory."""
        count = self.templates.count
        graph = self.plan.graph
        return ", ".join(
            (
                count(len(graph.notes), "notes"),
                count(len(graph.stores), "stores"),
                count(len(graph.concepts), "concepts"),
            )
        )

    def shard(self, url: str, root: str) -> str:
        """The script with the graph around the page at `url`."""
        return root + shard_url(url)
