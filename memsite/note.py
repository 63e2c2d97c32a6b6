"""The nouns of memsite: the values that the stages of the pipeline hand to each other.

Nothing here touches a disk, a clock or another module of the package.
Lines and columns are 1-based; columns count characters, not bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Address: TypeAlias = str
"""`memory://<store>/<path without .md>`: the one name of a note."""

Checksum: TypeAlias = str
"""SHA-256 of a file's exact bytes, 64 lower-case hex digits: what `sha256sum FILE` prints."""

PropertyValue: TypeAlias = "str | Sequence[PropertyValue] | Mapping[str, PropertyValue]"
"""A front-matter value. Scalars keep the spelling of the source: `1.10` stays `1.10`."""

StoreKind: TypeAlias = Literal["workflow", "system", "vault"]
Severity: TypeAlias = Literal["error", "warning", "info", "off"]
LinkKind: TypeAlias = Literal["wiki", "markdown", "property"]


def address_of(store: str, path: str) -> Address:
    """The address of the note at `path` (posix, relative to the store, with `.md`)."""
    return f"memory://{store}/{path.removesuffix('.md')}"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One row of a store's own index, as far as it could be read.

    `path` is the note's path inside the store, or None where the row names no usable file.
    `position` counts rows from 0 in the order of the file.
    """

    id: str
    position: int
    path: str | None = None
    type: str | None = None
    date: str | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    line: int = 1
    """Line of the index file on which the row begins; 1 when that is not known."""


@dataclass(frozen=True, slots=True)
class Source:
    """A note as it lies on disk, before anything has been understood."""

    store: str
    kind: StoreKind
    path: str
    content: bytes
    checksum: Checksum
    modified: float
    """Time of the file's last change, seconds since the epoch. Never part of a built page."""
    entry: IndexEntry | None = None
    altered: Checksum | None = None
    """Of `content`, where that is no longer what the file holds: secrets blacked out, homes shortened."""

    @property
    def address(self) -> Address:
        return address_of(self.store, self.path)


@dataclass(frozen=True, slots=True)
class Context:
    """The sentence around a link as plain text, cut into what stands before, in and after it."""

    before: str
    link: str
    after: str


@dataclass(frozen=True, slots=True)
class Link:
    """Something in a note that points at a note, a concept, a heading or a file of the store.

    `target` is what was written, without alias, unescaped and percent-decoded once, and still with
    its fragment (`guide#Setup`, `C#`, `#Here`): only resolution knows which `#` belongs to a name.
    `label` is the alias, or None when the target itself is shown.
    """

    kind: LinkKind
    target: str
    label: str | None
    line: int
    column: int
    context: Context
    embed: bool = False
    image: bool = False
    """An embed that can only be a picture or another file, never a note."""
    size: str | None = None
    """`300` or `300x200`, the size asked for an embedded picture, in CSS pixels."""
    title: str | None = None
    """The title of a Markdown link (`[t](u "title")`)."""
    heading: int | None = None
    """Position in `Document.headings` of the heading that the link stands under."""
    relation: str | None = None
    """The type of a typed relation (`- used_by [[X]]`), or the property that holds the link."""


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    """Visible text, markup stripped."""
    anchor: str
    """The id of the heading on the page, unique in its note, never empty."""
    line: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What the parser found wrong in a note; it becomes a Problem once the path is known."""

    code: str
    line: int
    column: int
    message: str
    hint: str = ""
    severity: Severity | None = None
    """Only where one finding is milder than its rule."""


@dataclass(frozen=True, slots=True)
class Document:
    """All that the bytes of a note say on their own. Same bytes, same document.

    The page body is `fragments[0] + slot(0) + fragments[1] + ... + fragments[-1]`: sanitised HTML
    with a slot for each link. `slots[i]` is a position in `links`. Where the link is no embed the
    slot stands for the opening `<a ...>` tag only, and `</a>` is in a fragment that follows;
    an embed's slot stands for the whole element. A negative slot `-1 - i` stands for the opening
    `<a class="tag" ...>` of `tags[i]`.
    """

    properties: Mapping[str, PropertyValue]
    fragments: tuple[str, ...]
    slots: tuple[int, ...]
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[str, ...]
    """Block ids (`^id`) without the caret; on the page their anchor is `^id`."""
    tags: tuple[str, ...]
    """Inline `#tags` of the body, without `#`, in order of appearance, each once."""
    text: str
    """The body's visible text, blocks separated by newlines, for search and excerpts."""
    opaque: tuple[tuple[int, int], ...]
    """Ranges of `text` (start, end) that are code or links: no mention is looked for there."""
    lead: str
    """The first heading's text if it is an H1 and the first block, else empty. `headings[0]` then."""
    after_lead: tuple[int, int] = (0, 0)
    """Where the body goes on after that heading: (fragment, offset in it), for pages that show the
    title themselves: `fragments[i][offset:] + slot(i) + ...`."""
    relations: tuple[str, ...] = ()
    """Types of typed relations used in the body, each once."""
    front_matter: str = ""
    """The raw front-matter block without its fences, empty when there is none."""
    front_matter_ok: bool = True
    words: int = 0
    ignores: tuple[tuple[int, str], ...] = ()
    """`<!-- memsite-ignore W005 -->` comments: (line, code); they count for their own line and the
    next, or for the whole note where they stand before its first line of text (line 0)."""
    features: frozenset[str] = frozenset()
    """What the page needs beside the style sheet: `code`, `math`, `mermaid`."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A note with everything the project knows about it: source, document, index row."""

    address: Address
    store: str
    kind: StoreKind
    path: str
    checksum: Checksum
    size: int
    modified: float
    id: str | None
    """Entry id (`MEM-20260318-001`) of a workflow note, else None."""
    title: str
    type: str | None
    date: datetime | None
    """Aware; None when nothing names a date that can be understood. Values without zone are UTC."""
    date_text: str
    """The date as it was written, for showing; empty when there is none."""
    tags: tuple[str, ...]
    names: tuple[str, ...]
    """Front-matter `name`, `aliases`, `permalink`: what links may call the note beside its title."""
    description: str
    status: str | None
    superseded_by: str | None
    published: bool
    document: Document
    entry: IndexEntry | None = None
    findings: tuple[Finding, ...] = ()
    """The document's findings and those that need the index row as well."""
    altered: Checksum | None = None
    """As in `Source`: of what may be published of it, where that is not the file."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the memory. Sorted by path, line, column, code."""

    code: str
    rule: str
    severity: Severity
    path: str
    """As shown to people: relative to the project where possible, posix separators."""
    line: int
    column: int
    message: str
    hint: str = ""
    related: tuple[str, ...] = ()
    """Paths of other files that have to do with it."""
    store: str = ""
    address: Address | None = None


# What a link leads to -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """A note; `anchor` is an id on its page, `broken` the fragment that is not there."""

    address: Address
    anchor: str | None = None
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class ConceptTarget:
    key: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several notes fit equally, best guess first."""

    name: str
    candidates: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """Can only mean a note or file, and there is none. `reason` is a clause for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the store that is no note: picture, PDF, canvas. `path` is relative to the store."""

    store: str
    path: str
    others: tuple[str, ...] = ()
    """Other files of that name, where the file was found by its name alone."""


@dataclass(frozen=True, slots=True)
class External:
    """Leads out of the memory: another host, mail, or a query on the page itself."""

    url: str


Target: TypeAlias = Found | ConceptTarget | Ambiguous | Missing | Asset | External


@dataclass(frozen=True, slots=True)
class Backlink:
    """One link seen from where it leads: `links[position]` of the note at `address`."""

    address: Address
    position: int


@dataclass(frozen=True, slots=True)
class Concept:
    key: str
    name: str
    """The spelling used most, ties by first appearance."""
    mentions: tuple[Backlink, ...]


@dataclass(frozen=True, slots=True)
class StoreView:
    """What checks and pages need to know of a store, without its disk."""

    name: str
    kind: StoreKind
    location: str
    """The folder as shown to people (home shortened to `~`)."""
    prefix: str
    """What goes before a note's path to make `Problem.path`."""
    entries: tuple[IndexEntry, ...] | None = None
    """Rows of its index file; None when it has no index file."""
    index_path: str | None = None
    """The index file as shown to people, e.g. `.workflow/memory/memory-index.json`."""
    writable_index: bool = True
    files: frozenset[str] = frozenset()
    """Paths of all files of the store that are no notes, for assets."""
    problems: tuple[Problem, ...] = ()
    """What reading the store itself found: unreadable files, bad index rows."""
    skipped: int = 0
    """How many files and folders were left out by rule: hidden, backups, built sites."""
    publish: bool = True
    require_wikilink: bool = True
    severities: Mapping[str, Severity] = field(default_factory=dict)
    """Severities of this store by code or rule name; they win over the project's."""


@dataclass(frozen=True, slots=True)
class Graph:
    """All notes of a memory and how they hang together. Iteration order is sorted by address."""

    stores: Mapping[str, StoreView]
    notes: Mapping[Address, Note]
    targets: Mapping[Address, tuple[Target, ...]]
    """For each note, one target for each of its `document.links`, in the same order."""
    backlinks: Mapping[Address, tuple[Backlink, ...]]
    """Links from other notes, sorted by address and position. Notes without any are absent."""
    concepts: Mapping[str, Concept]
    """Concepts that are no notes, by key, sorted."""
    ambiguous: Mapping[str, Ambiguous] = field(default_factory=dict)
    """Ambiguous names by concept key; each gets a page that lists its candidates."""
