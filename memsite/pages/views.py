"""The small values that many pages show: links with names, sentences with links, lists of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the navigation."""

    label: str
    href: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """A link with a visible name. `kind` is its class: `note`, `concept`, `missing` ..."""

    label: str
    href: str | None
    kind: str = "note"
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence with a link in it, and where it stands."""

    before: str
    link: str
    after: str
    heading: str
    href: str
    relation: str


@dataclass(frozen=True, slots=True)
class Mentioning:
    """A note that links here, with the sentences in which it does."""

    title: str
    href: str
    count: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The linking notes of one store."""

    store: str
    count: int
    entries: tuple[Mentioning, ...]
