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

if TYPE_CHECKING:
    from markupsafe import Markup

SIBLINGS = 24
"""Notes of the own folder that the navigation shows around the current one."""


@dataclass(frozen=True, slots=True)
class Crumb:
    label: str
    href: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the navigation."""

    label: str
    href: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder in the navigation, open when the page is in it."""

    label: str
    href: str
    total: int
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
    siblings_left: int = 0
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
    health: int
    """Findings that are more than information."""


@dataclass
class Desk:
    """The place where pages of one plan are made: templates at hand, repeated parts made once."""

    plan: SitePlan
    templates: Templates = field(init=False)
    site: Site = field(init=False)
    _navigations: dict[tuple[str, str, str], Markup] = field(default_factory=dict)
    _places: dict[Address, int] = field(default_factory=dict)

    @cached_property
    def relations(self) -> Relations:
        return Relations(self.plan.graph)

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
            health=sum(problem.severity in ("error", "warning") for problem in self.plan.problems),
        )

    def href(self, url: str, root: str) -> str:
        return root + self.plan.href(url)

    def note_href(self, address: Address, root: str) -> str:
        return root + self.plan.href(self.plan.notes[address])

    def node_href(self, node: str, root: str) -> str:
        """The page of a node of the graph."""
        if node.startswith(CONCEPT):
            return root + self.plan.href(self.plan.concepts[node.removeprefix(CONCEPT)])
        return self.note_href(node, root)

    def navigation(self, root: str, *, store: str = "", folder: str = "", url: str = "") -> Markup:
        """The tree of stores and folders as seen from a folder. Equal for all notes of a folder."""
        key = (root, store, f"{folder}\0{url}")
        made = self._navigations.get(key)
        if made is None:
            from markupsafe import Markup

            branches = tuple(
                self._branch(self.plan.folders[name, ""], root, store=store, folder=folder, url=url)
                for name in self.plan.stores
            )
            text = self.templates.get("navigation.html").render(
                branches=branches, root=root, site=self.site, url=url
            )
            made = self._navigations[key] = Markup(text)  # noqa: S704  (rendered with autoescape just now)
        return made

    def _branch(self, folder_here: Folder, root: str, *, store: str, folder: str, url: str) -> Branch:
        path = folder_here.path
        inside = folder_here.store == store and (not path or folder == path or folder.startswith(f"{path}/"))
        below = (self.plan.folders[folder_here.store, name] for name in folder_here.folders)
        return Branch(
            label=visible(folder_here.name),
            href=self.href(folder_here.url, root),
            total=folder_here.total,
            open=inside,
            current=folder_here.url == url,
            branches=tuple(self._branch(one, root, store=store, folder=folder, url=url) for one in below)
            if inside or not path
            else (),
        )

    def frame(
        self, page: Page, title: str, *, description: str = "", crumbs: tuple[Crumb, ...] = ()
    ) -> Frame:
        """The frame of a page that belongs to no folder."""
        root = root_of(page.url)
        return Frame(
            root=root,
            url=self.plan.href(page.url),
            kind=page.kind,
            title=title,
            description=description,
            crumbs=(self.home_crumb(root), *crumbs),
            navigation=self.navigation(root, url=page.url),
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
        siblings = self._siblings(folder, note.address, root)
        return Frame(
            root=root,
            url=self.plan.href(page.url),
            kind="note",
            title=visible(note.title),
            description=description,
            crumbs=self.folder_crumbs(note.store, folder.path, root),
            navigation=self.navigation(root, store=note.store, folder=folder.path),
            siblings=siblings,
            siblings_title=visible(folder.name),
            siblings_href=self.href(folder.url, root),
            siblings_left=len(folder.notes) - len(siblings),
            features=note.document.features,
        )

    def _siblings(self, folder: Folder, address: Address, root: str) -> tuple[Entry, ...]:
        if not self._places:
            self._places = {
                one: place for here in self.plan.folders.values() for place, one in enumerate(here.notes)
            }
        position = self._places[address] if len(folder.notes) > SIBLINGS else 0
        start = max(0, min(position - SIBLINGS // 2, len(folder.notes) - SIBLINGS))
        return tuple(
            Entry(visible(self.plan.graph.notes[one].title), self.note_href(one, root), one == address)
            for one in folder.notes[start : start + SIBLINGS]
        )

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
