"""What stands between a memory and the public: notes go in, what may be published comes out.

Two of the three views are looked at here: the source of each note, as it is and with every disguise
taken off, and each file that is going to be written.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from memsite import errors
from memsite.leaks.findings import row_words
from memsite.leaks.gate import Gate
from memsite.leaks.personal import shorten_homes
from memsite.leaks.scan import (
    NOTHING_ALLOWED,
    AllowList,
    Engine,
    Leak,
    find_secrets,
    mark,
    redact,
)
from memsite.markdown.encoding import encoding_of
from memsite.note import Address, IndexEntry, Source
from memsite.wording import plural

_TEXT_FILES = (
    ".html",
    ".js",
    ".json",
    ".md",
    ".txt",
    ".xml",
    ".css",
    ".svg",
    ".csv",
    ".graphml",
    ".webmanifest",
)
_NAMED_AT_MOST = 20
_TELLING = 8
"""A shorter value may be an ordinary word elsewhere."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands that must not be published, and of what kind it is."""

    path: str
    line: int
    kind: str
    hint: str
    """As much of the secret as may be shown."""
    address: Address | None = None
    """Of the note; None for a file of the site."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind} ({self.hint})"


@dataclass(frozen=True, slots=True)
class _Origin:
    path: str
    address: Address | None = None


@dataclass(slots=True)
class Guard:
    """Collects what must not get out; `refuse` then stops the build. One build, one guard."""

    allow: AllowList = NOTHING_ALLOWED
    engine: Engine | None = None
    redacts: bool = False
    """Black out secrets in notes instead of stopping."""
    homes: tuple[str, ...] = ()
    """Home folders of the builder, for the case that they are no usual ones; longest first."""
    places: list[Place] = field(default_factory=list)
    """What stops the build."""
    left_out: list[str] = field(default_factory=list)
    """Notes whose very names hold a secret, which only `redacts` leaves out."""
    _gate: Gate = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._gate = Gate(self.engine, self.allow)

    def source(self, source: Source, *, shown: str) -> Source | None:
        """The note as it may be published, None when it must be left out. `shown` is its path for people."""
        if named := self._stopping(source.path):
            if self.redacts:
                self.left_out.append(shown)
                return None
            masked = shown.replace(source.path, redact(source.path, named))
            self.places += (Place(masked, 1, leak.kind, "in the file name", source.address) for leak in named)
        encoding = encoding_of(source.content)
        faults = "surrogateescape" if encoding == "utf-8" else "replace"
        text = source.content.decode(encoding, faults)
        found = self._stopping(text)
        origin = _Origin(shown, source.address)
        published = self._cleaned(text, found, origin)
        known = {leak.value: leak for leak in found if len(leak.value) >= _TELLING}
        entry = self._entry(source.entry, known, origin) if source.entry else None
        if published == text:
            return replace(source, entry=entry)
        content = published.encode(encoding, faults)
        return replace(source, content=content, entry=entry, altered=sha256(content).hexdigest())

    def must_clean(self, source: Source) -> bool:
        """Whether a note in which no secret was found must be cleaned all the same: of home folders."""
        names = "\n".join((source.path, *row_words(source.entry)))
        if shorten_homes(names) != names:
            return True
        text = source.content.decode(encoding_of(source.content), "replace") if self.homes else ""
        return any(home in text or home in names for home in self.homes)

    def output(self, url: str, written: bytes) -> Iterator[Place]:
        """What must not get out of a file that is going to be written, and of others before it: the last
        gate. Nothing is said before there is enough to look at: ask `rest` in the end."""
        if not url.endswith(_TEXT_FILES):
            return
        text = written.decode("utf-8", "replace")
        yield from map(_at_the_gate, self._gate.take(url, text))
        yield from (Place(url, 1, "home-path", home) for home in self.homes if home in text)

    def rest(self) -> Iterator[Place]:
        """What must not get out of the files that were not looked at yet."""
        return map(_at_the_gate, self._gate.rest())

    def refuse(self, *, among: Container[Address] | None = None) -> None:
        """Raises Leak (E017) with every place when anything was found that must not get out.

        `among` are the notes that are published; what others hold does no harm.
        """
        grave = [
            each for each in self.places if among is None or each.address is None or each.address in among
        ]
        if not grave:
            return
        listed = [str(place) for place in grave]
        more = f" and {len(listed) - _NAMED_AT_MOST} more" if len(listed) > _NAMED_AT_MOST else ""
        raise errors.Leak(
            f"{plural(len(listed), 'secret')} would be published: "
            f"{'; '.join(listed[:_NAMED_AT_MOST])}{more}.",
            hint="Revoke it, or build with --redact; `memsite leaks allow` accepts a value that is harmless.",
            places=listed,
        )

    def _cleaned(self, text: str, found: list[Leak], origin: _Origin) -> str:
        if self.redacts:
            text = _without({leak.value: leak for leak in found}, redact(text, found))
        else:
            self.places += (_place(leak, text, origin) for leak in found)
        for home in self.homes:
            text = text.replace(home, "~")
        return shorten_homes(text)

    def _entry(self, entry: IndexEntry, known: Mapping[str, Leak], origin: _Origin) -> IndexEntry:
        """The row of the index, whose words come on pages too; `known` are the secrets of the note."""

        def clean(word: str) -> str:
            bare = _without(known, word) if self.redacts else word
            return self._cleaned(bare, self._stopping(bare), origin)

        return replace(
            entry,
            title=None if entry.title is None else clean(entry.title),
            type=None if entry.type is None else clean(entry.type),
            tags=tuple(map(clean, entry.tags)),
        )

    def _stopping(self, text: str) -> list[Leak]:
        return [leak for leak in find_secrets(text, allow=self.allow, engine=self.engine) if leak.stops]


def _without(known: Mapping[str, Leak], text: str) -> str:
    """`text` without the secrets that stand elsewhere in the note, where their name gives them away."""
    for value, leak in known.items():
        if len(value) >= _TELLING and value in text:
            text = text.replace(value, mark(leak))
    return text


def _place(leak: Leak, text: str, origin: _Origin) -> Place:
    return Place(origin.path, text.count("\n", 0, leak.start) + 1, leak.kind, leak.hint, origin.address)


def _at_the_gate(found: tuple[str, int, Leak]) -> Place:
    url, line, leak = found
    return Place(url.replace(leak.value, mark(leak)), line, leak.kind, leak.hint)


def longest_first(folders: Iterable[str]) -> tuple[str, ...]:
    """Folders in the order in which they are to be replaced; the root folder is no home."""
    return tuple(
        sorted({folder for folder in folders if len(folder) > 1}, key=lambda folder: (-len(folder), folder))
    )
