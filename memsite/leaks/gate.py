"""The last look at what is going to be written: thirty times as much text as there is in the notes.

The files of a site are made of the same lines, tags and words. Only lines that no file before had are
looked at, many files at a time, and our own patterns, the slower scanner, see only those runs of
characters in them that are new.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memsite.leaks.scan import (
    NOTHING_ALLOWED,
    AllowList,
    Engine,
    Leak,
    blocks,
    find_secrets,
    runs,
    tokens,
    undisguised,
    without_hidden,
    without_tags,
)

_MARKUP = (".html", ".svg", ".xml")
_CODED = ("%", "\\", "&", "*")
"""One of these is in every run whose characters are written in another way."""
_BATCH = 2_000_000
"""Characters that are looked at together."""


@dataclass(slots=True)
class _New:
    """Which of many texts were not there before, by their hashes."""

    known: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)

    def among(self, texts: Iterable[str]) -> list[str]:
        """Those that are new; from now on they wait."""
        found = [
            text for text in texts if (mark := hash(text)) not in self.known and mark not in self.waiting
        ]
        self.waiting.update(map(hash, found))
        return found

    def settle(self, *, clean: bool) -> None:
        """What waits is known when it was clean; else it is new once more."""
        if clean:
            self.known |= self.waiting
        self.waiting.clear()


@dataclass(slots=True)
class Gate:
    """Looks through the files of one site."""

    engine: Engine | None = None
    allow: AllowList = NOTHING_ALLOWED
    _files: list[tuple[str, str]] = field(default_factory=list, repr=False)
    """URL and text of those that wait."""
    _plain: list[str] = field(default_factory=list, repr=False)
    """Their new lines as they are."""
    _shown: list[str] = field(default_factory=list, repr=False)
    """What a page shows of them."""
    _size: int = 0
    _lines: _New = field(default_factory=_New, repr=False)
    _runs: _New = field(default_factory=_New, repr=False)

    def take(self, url: str, text: str) -> Iterator[tuple[str, int, Leak]]:
        """What must not get out of this file and those that waited: URL, line and leak.

        Nothing is said before there is enough to look at: call `rest` in the end.
        """
        new = without_hidden("\n".join((undisguised(url), *self._lines.among(text.split("\n")))))
        self._files.append((url, text))
        self._plain.append(new)
        if url.endswith(_MARKUP):
            self._shown.append(html.unescape(without_tags(new)))
        self._size += len(new)
        if self._size > _BATCH:
            yield from self.rest()

    def rest(self) -> Iterator[tuple[str, int, Leak]]:
        """What must not get out of the files that wait."""
        grave = list(self._named()) if self._alarming() else []
        for seen in (self._lines, self._runs):
            seen.settle(clean=not grave)
        for waiting in (self._files, self._plain, self._shown):
            waiting.clear()
        self._size = 0
        yield from grave

    def _alarming(self) -> bool:
        """The views: bytes as they are; what a page shows, without tags and with entities decoded; and
        every run with percent signs, escapes of scripts or Base64 taken off."""
        views = ["\n".join(self._plain), "\n".join(self._shown)]
        if any(self._known(view) or self._grave(blocks(view)) for view in views):
            return True
        new = self._runs.among(set().union(*map(runs, views)))
        coded = "\n".join(_decoded(run) for run in new if any(sign in run for sign in _CODED))
        return self._known(coded) or any(self._grave(tokens(text)) for text in ("\n".join(new), coded))

    def _known(self, text: str) -> bool:
        """Whether the second scanner finds something."""
        return self.engine is not None and bool(self._grave(self.engine(text)))

    def _named(self) -> Iterator[tuple[str, int, Leak]]:
        """The secrets of all files that wait, each value once a file."""
        for url, text in self._files:
            found = [(1, leak) for leak in self._all(undisguised(url))]
            text = without_hidden(text)
            found += [(text.count("\n", 0, leak.start) + 1, leak) for leak in self._all(text)]
            for number, line in enumerate(text.split("\n"), start=1):
                shown = html.unescape(without_tags(line)) if url.endswith(_MARKUP) else ""
                for view in (shown, *map(_decoded, runs(line))):
                    found += [(number, leak) for leak in self._all(view)]
            first = {leak.value: (url, line, leak) for line, leak in reversed(found)}
            yield from reversed(first.values())

    def _all(self, text: str) -> list[Leak]:
        return self._grave(find_secrets(text, engine=self.engine))

    def _grave(self, found: Iterable[Leak]) -> list[Leak]:
        return [leak for leak in found if leak.stops and leak.value not in self.allow]


def _decoded(run: str) -> str:
    """`run` without any disguise; a line end of JSON parts words as a real one does."""
    return undisguised(run.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\n"))
