"""Full-text search over the notes as they are written: body, front matter, path and index row.

The query is text, not a pattern, unless asked for. A note fits when it holds the query, or else all
of its words. Exact titles come first, then titles, headings and bodies, each by number of matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

from memsite.errors import BadArgument
from memsite.memory.answers import Hit, HitKind, SearchAnswer, Snippet
from memsite.memory.listing import Filter, head, row_of, sources
from memsite.note import Source

if TYPE_CHECKING:
    from memsite.memory import Memory

SNIPPETS = 3
"""Lines shown of a note."""
_AROUND = 60
"""Characters shown on each side of a match."""
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$|^([^\n]+)\n(?:=+|-+)[ \t]*$", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^(?:title|name)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)
_PLACES: tuple[HitKind, ...] = ("title", "heading", "body")


@dataclass(frozen=True, slots=True)
class _Query:
    """`parts` are looked for; a note fits that holds the first, or all of the others."""

    whole: re.Pattern[str]
    folded: str | None
    """The query without case, for a quick look; None for a pattern."""
    words: tuple[str, ...]
    any_word: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A note that fits, ranked by what can be told without parsing it."""

    source: Source
    text: str
    where: HitKind
    exact: bool
    scattered: bool
    """The words are there, but not in a row."""
    count: int

    @property
    def rank(self) -> tuple[bool, bool, int, int, str]:
        place = _PLACES.index(self.where)
        return (not self.exact, self.scattered, place, -self.count, self.source.address)


def search_notes(memory: Memory, query: str, wanted: Filter, *, limit: int, regex: bool) -> SearchAnswer:
    """The best `limit` notes. Raises BadArgument (E019) for nothing to search and for a bad pattern."""
    asked = _query(query, regex=regex)
    found = [each for source in sources(memory, wanted) if (each := _look(source, asked)) is not None]
    hits: list[Hit] = []
    total = 0
    for each in sorted(found, key=lambda each: each.rank):
        if len(hits) >= limit and wanted.is_empty:
            total = len(found)
            break
        row = row_of(head(memory, each.source), each.source.content)
        if wanted.fits(row):
            total += 1
            if len(hits) < limit:
                snippets = tuple(_snippets(each, asked))
                hits.append(Hit(row, each.where, each.exact, each.count, snippets))
    return SearchAnswer(query, total, tuple(hits))


def _query(query: str, *, regex: bool) -> _Query:
    if not query.strip():
        raise BadArgument("There is nothing to search for.", hint="Give some text.")
    text = normalize("NFC", query.strip())
    if regex:
        try:
            pattern = re.compile(text, re.IGNORECASE | re.MULTILINE)
        except re.error as error:
            raise BadArgument(f"The pattern is not valid: {error}.", hint="Leave out --regex.") from error
        return _Query(pattern, None, (), pattern)
    words = text.split()
    any_word = re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)
    folded = tuple(word.casefold() for word in words) if len(words) > 1 else ()
    return _Query(re.compile(re.escape(text), re.IGNORECASE), text.casefold(), folded, any_word)


def _look(source: Source, asked: _Query) -> _Found | None:
    text = _text_of(source)
    labels = _labels(source)
    if asked.folded is None:
        count = sum(1 for _ in asked.whole.finditer(text)) + bool(asked.whole.search(labels))
        return _ranked(source, text, asked, count=count, scattered=False) if count else None
    folded = f"{labels}\n{text}".casefold()
    count = folded.count(asked.folded)
    if count:
        return _ranked(source, text, asked, count=count, scattered=False)
    if asked.words and all(word in folded for word in asked.words):
        count = sum(folded.count(word) for word in asked.words)
        return _ranked(source, text, asked, count=count, scattered=True)
    return None


def _text_of(source: Source) -> str:
    content = source.content
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = content.decode(encoding, "replace").replace("\r\n", "\n")
    return text if text.isascii() else normalize("NFC", text)


def _labels(source: Source) -> str:
    entry = source.entry
    row = (entry.id, entry.title or "", entry.type or "", *entry.tags) if entry else ()
    return "\n".join((source.path, *row))


def _ranked(source: Source, text: str, asked: _Query, *, count: int, scattered: bool) -> _Found:
    titles, headings = _names(source, text)
    pattern = asked.any_word if scattered else asked.whole
    exact = any(_is_whole(pattern, title) for title in titles)
    where: HitKind = "body"
    if any(map(pattern.search, titles)):
        where = "title"
    elif any(map(pattern.search, headings)):
        where = "heading"
    return _Found(source, text, where, exact, scattered, count)


def _is_whole(pattern: re.Pattern[str], title: str) -> bool:
    return pattern.fullmatch(title) is not None


def _names(source: Source, text: str) -> tuple[list[str], list[str]]:
    """What looks like a title, and what looks like a heading outside of code."""
    end = text.find("\n---", 3) if text.startswith("---") else 0
    front, body = text[: max(end, 0)], text[max(end, 0) :]
    headings = [found[1] or found[2] or "" for found in _HEADING.finditer(_FENCED.sub("", body))]
    listed = source.entry.title if source.entry and source.entry.title else None
    stem = source.path.rsplit("/", 1)[-1].removesuffix(".md")
    given = [found[1] for found in _TITLE.finditer(front)]
    titles = [*given, *([listed] if listed else []), *headings[:1], stem]
    return [title.strip() for title in titles if title], headings


def _snippets(found: _Found, asked: _Query) -> Iterator[Snippet]:
    """The first lines with a match; where only the index row fits, none."""
    pattern = asked.any_word if found.scattered else asked.whole
    shown, at, line, counted = 0, 0, 1, 0
    while shown < SNIPPETS and (match := pattern.search(found.text, at)):
        line += found.text.count("\n", counted, match.start())
        counted = match.start()
        start = found.text.rfind("\n", 0, match.start()) + 1
        stop = found.text.find("\n", match.end())
        stop = len(found.text) if stop < 0 else stop
        before, after = found.text[start : match.start()], found.text[match.end() : stop]
        yield Snippet(line, _cut_start(before), match.group(), _cut_end(after))
        shown, at = shown + 1, stop + 1
        if stop >= len(found.text):
            return


def _cut_start(text: str) -> str:
    return text if len(text) <= _AROUND else "…" + text[-_AROUND:]


def _cut_end(text: str) -> str:
    return text if len(text) <= _AROUND else text[:_AROUND] + "…"
