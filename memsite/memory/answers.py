"""What the operations of a memory answer: everything that is shown or printed as JSON, and no more.

`as_json` turns any of them into plain values. Times are aware, checksums are SHA-256 in hex.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from memsite.note import Address, Backlink, Checksum, Problem, StoreKind

HitKind: TypeAlias = Literal["title", "heading", "body"]


@dataclass(frozen=True, slots=True)
class Row:
    """A note in a list: what its front matter, index row and first lines say."""

    address: Address
    store: str
    kind: StoreKind
    path: str
    id: str | None
    type: str | None
    title: str
    date: datetime | None
    date_text: str
    tags: tuple[str, ...]
    status: str | None
    lines: int
    """Lines by line feeds, a last one without counts too."""
    size: int
    """Bytes."""
    modified: datetime
    checksum: Checksum


@dataclass(frozen=True, slots=True)
class Reading:
    """A note as it stands, or one section of it."""

    row: Row
    text: str
    """Characters that are no UTF-8 are replaced; `content` has the exact bytes."""
    content: bytes
    section: str | None = None
    line: int = 1
    """Line of the file that `text` begins on."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A line of a note around a match, cut where it is long."""

    line: int
    before: str
    match: str
    after: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that a search found. `where` is the best place of a match, `count` how many there are."""

    row: Row
    where: HitKind
    exact: bool
    """The whole title is what was looked for."""
    count: int
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The best hits, and of how many notes they are."""

    query: str
    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did, or would do (`dry_run`), to one note."""

    operation: str
    address: Address
    store: str
    path: str
    """As shown to people."""
    old_checksum: Checksum | None
    """None for a note that was made."""
    new_checksum: Checksum | None
    """None for a note that was deleted."""
    changed: bool
    dry_run: bool
    count: int = 1
    """In how many places the text changed."""
    diff: str = ""
    """Unified."""
    tx: str | None = None
    """What `undo` takes; None where nothing was written."""
    remarks: tuple[str, ...] = ()
    linked_from: tuple[Backlink, ...] = ()
    """For a deletion: the links that lead to the note."""
    problems: tuple[Problem, ...] = ()
    """What the integrity check found afterwards."""
    appeared: tuple[Problem, ...] = ()
    """Those of `problems` that were not there before."""
    fixed: tuple[Problem, ...] = ()
    """Those that were there before and are gone."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """The notes that fit the filters, those without a date among the rest, and the writes done."""

    candidates: tuple[Row, ...]
    undated: tuple[Row, ...]
    dry_run: bool
    transactions: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Undoable:
    """A transaction in the trash. `undone` when it was taken back already."""

    tx: str
    store: str
    time: datetime
    operation: str
    addresses: tuple[Address, ...]
    paths: tuple[str, ...]
    undone: bool


@dataclass(frozen=True, slots=True)
class Undone:
    """What `undo` brought back."""

    undoes: Undoable
    tx: str | None
    dry_run: bool
    paths: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    removed: tuple[str, ...] = ()
    """Those of `paths` that the write had made and that are gone again."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a memory holds."""

    notes: int
    by_store: Mapping[str, int]
    links: int
    concepts: int
    relations: int
    """Pairs of concepts that occur together in a note."""
    communities: int
    modularity: float
    problems: Mapping[str, int]
    """By severity."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A concept beside another: in how many notes both occur, and in which."""

    key: str
    name: str
    count: int
    notes: tuple[Address, ...]
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Preview:
    address: Address
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ConceptContext:
    """A concept and what lies around it."""

    key: str
    name: str
    address: Address | None
    """The note of this name, where the concept is one."""
    notes: tuple[Address, ...]
    relations: tuple[Relation, ...]
    expanded: tuple[Relation, ...]
    community: int
    siblings: tuple[str, ...]
    """Members of the same community without a direct relation."""
    previews: tuple[Preview, ...] = ()


@dataclass(frozen=True, slots=True)
class Mend:
    """One thing that `repair` did or would do."""

    store: str
    path: str
    action: str
    tx: str | None = None


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was mended, and what a person has to look at."""

    mends: tuple[Mend, ...]
    rest: tuple[Problem, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    output: str
    """The folder of the site."""
    stopped: bool
    """`strict` met a warning: nothing was written."""
    notes: int
    """Notes that are published."""
    private: int
    """Notes that are left out because they or their store say so."""
    pages: int
    written: tuple[str, ...]
    """Files of the site that changed; the tool of an agent names the first 100."""
    unchanged: int
    """Files that were equal already."""
    removed: tuple[str, ...]
    """Files of an earlier build that are gone; the tool of an agent names the first 100."""
    since: Mapping[str, int]
    """Notes added, edited and removed since the last build; at first none."""
    links: int
    """Links that were followed."""
    bytes: int
    """Size of all files."""
    problems: Mapping[str, int]
    """By severity."""
    faults: tuple[str, ...]
    """What is wrong with the site itself: faults of memsite."""
    seconds: Mapping[str, float]
    """Wall time by stage."""


def as_json(answer: object) -> Any:
    """`answer` as dicts, lists, strings and numbers. Bytes are left out, times are ISO 8601."""
    if is_dataclass(answer) and not isinstance(answer, type):
        named = ((each.name, getattr(answer, each.name)) for each in fields(answer))
        return {name: as_json(value) for name, value in named if not isinstance(value, bytes)}
    if isinstance(answer, Mapping):
        return {str(key): as_json(value) for key, value in answer.items()}
    if isinstance(answer, tuple | list):
        return [as_json(each) for each in answer]
    return answer.isoformat() if isinstance(answer, datetime) else answer
