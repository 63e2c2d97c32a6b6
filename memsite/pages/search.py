"""The search index: small classic scripts that a page loads as a query needs them.

`fetch` and WASM do not work from a disk under the site's policy, classic scripts do. The terms,
sorted, are cut into shards; the index names the first term of each, so that a word or the start of
one lies in a shard that is known without looking. Where the cuts fall depends on the terms alone:
one note more or less leaves most shards as they were. Postings hold, for each document, the gap to
the one before (base 36) and how much the term weighs in it (`A` little to `Z` much): BM25 without
the rarity of the term, which the reader's side multiplies in. `static/search.js` is that side and
must cut words as `words_of` does.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import TypeAlias

from memsite.markdown import match_key, visible
from memsite.note import Concept, Note
from memsite.pages.note_page import day_of
from memsite.pages.plan import SitePlan, tags_of
from memsite.pages.templating import templates_of

EXCERPT = 900
"""Characters of a note's text that its excerpts are cut from."""
_DOCUMENTS = 10
"""Documents in one shard of excerpts at most, about."""
_SHARD_SIZES = 2_000, 14_000
"""Characters of a shard of terms, at least and at most."""
_CUT_EVERY = 12
"""A shard between these sizes ends before one term in so many."""
_MOST_POSTINGS = 1_500
"""A term in more notes than this says little; the notes in which it weighs most are kept."""
_LONGEST_WORD = 40
_WEIGHTS = {"title": 3.0, "names": 3.0, "tags": 3.0, "headings": 2.0, "text": 1.0}
_SATURATION, _LENGTH_SHARE = 1.2, 0.7
_USUAL_LENGTH = 250
"""Words of a usual note. A true mean would change every posting with every edit."""
_LEVELS = 15
_IN_TITLE = 10
"""Levels that a word of the title has before all others, to `Z`."""

_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_WORDS = re.compile(r"[^\W_]+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUNS = re.compile(f"([{_CJK}]+)")
_SIGNS = frozenset('[]{}<>*+#$%&@=~^|\\/"`_')
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


_Placed: TypeAlias = tuple[str, Note | Concept]
"""The encoded URL of a document, and what it is about."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A document of the index: a note or a concept."""

    url: str
    title: str
    store: str
    type: str
    date: str
    tags: tuple[str, ...]
    text: str
    weights: Mapping[str, float]
    """How often each term occurs, by field weight."""
    heads: frozenset[str]
    """Terms of the title."""
    length: int


def folded(text: str) -> str:
    """`text` as it is compared: compatibility forms, accents and case laid aside."""
    if text.isascii():
        return text.lower()
    decomposed = _marks().sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", decomposed).lower()


@cache
def _marks() -> re.Pattern[str]:
    """Matches runs of combining marks (Mn)."""
    marks = [char for char in map(chr, range(0x300, 0x20000)) if unicodedata.category(char) == "Mn"]
    return re.compile(f"[{''.join(marks)}]+")


def words_of(text: str) -> list[str]:
    """The terms of a text. Scripts written without blanks give pairs of neighbouring characters, and
    the last character of each run on its own, so that any single one is found as the start of a term."""
    plain = folded(text)
    if plain.isascii():
        return [word[:_LONGEST_WORD] for word in _ASCII_WORDS.findall(plain)]
    found: list[str] = []
    for word in _WORDS.findall(plain):
        if word.isascii():
            found.append(word[:_LONGEST_WORD])
            continue
        for position, run in enumerate(_CJK_RUNS.split(word)):
            if position % 2:
                found += [run[i : i + 2] for i in range(len(run))]
            elif run:
                found.append(run[:_LONGEST_WORD])
    return found


def search_files(plan: SitePlan) -> Iterator[tuple[str, bytes]]:
    """URL and bytes of every file of the index."""
    shards = _document_shards(plan)
    terms = _Terms()
    for number, shard in enumerate(shards):
        entries = [_entry(subject, plan) for _, subject in shard]
        for entry in entries:
            terms.add(entry)
        rows = [[e.url, e.title, e.store, e.type, e.date, list(e.tags), e.text] for e in entries]
        yield f"search/d/{number}.js", _script("d", number, rows)
    chunks = list(_chunks(terms.postings()))
    for number, chunk in enumerate(chunks):
        yield f"search/t/{number}.js", _script("t", number, [part for pair in chunk for part in pair])
    lengths = _by_length(terms.in_titles)
    for size, words in lengths.items():
        yield f"search/w/{size}.js", _script("w", size, words)
    yield "search/index.js", _script("index", 0, _index(plan, shards, chunks, lengths))


def _index(
    plan: SitePlan,
    shards: Sequence[Sequence[_Placed]],
    chunks: list[list[tuple[str, str]]],
    lengths: Mapping[int, list[str]],
) -> dict[str, object]:
    popular = sorted(plan.tagged, key=lambda tag: (-len(plan.tagged[tag]), tag))[:100]
    return {
        "sizes": [len(shard) for shard in shards],
        "terms": [chunk[0][0] for chunk in chunks],
        "lengths": sorted(lengths),
        "stores": [visible(name) for name in plan.stores],
        "types": [visible(name) for name in sorted(plan.typed)],
        "tags": sorted(visible(plan.tag_names[tag]) for tag in popular),
    }


def _entry(subject: Note | Concept, plan: SitePlan) -> _Entry:
    if isinstance(subject, Note):
        return _note_entry(subject, plan)
    return _concept_entry(subject, plan.href(plan.concepts[subject.key]), plan)


def _pictures(title: str) -> list[str]:
    """The emoji of a title, which people remember notes by."""
    return [] if title.isascii() else [char for char in title if unicodedata.category(char) == "So"]


def _concept_entry(concept: Concept, href: str, plan: SitePlan) -> _Entry:
    weights = dict.fromkeys(words_of(concept.name), _WEIGHTS["title"])
    said = templates_of(plan.config).count(len(concept.mentions), "mentions")
    return _Entry(
        url=href,
        title=visible(concept.name),
        store="",
        type="concept",
        date="",
        tags=(),
        text=said,
        weights=weights,
        heads=frozenset(weights),
        length=_USUAL_LENGTH,
    )


def _note_entry(note: Note, plan: SitePlan) -> _Entry:
    document = note.document
    weights: defaultdict[str, float] = defaultdict(float)
    text = words_of(document.text)
    fields = {
        "title": words_of(note.title),
        "names": words_of(" ".join((*note.names, note.id or "", note.description))),
        "tags": words_of(" ".join(tags_of(note))),
        "headings": words_of(" ".join(heading.text for heading in document.headings)),
    }
    for word, times in Counter(text).items():
        weights[word] = times * _WEIGHTS["text"]
    for name, words in fields.items():
        for word in words:
            weights[word] += _WEIGHTS[name]
    for sign in (*_SIGNS.intersection(document.text), *_pictures(note.title)):
        weights[sign] = 1.0
    shown = document.text.removeprefix(document.lead) if document.lead else document.text
    excerpt = visible(" ".join(shown[: EXCERPT + 200].split()))[:EXCERPT]
    return _Entry(
        url=plan.href(plan.notes[note.address]),
        title=visible(note.title),
        store=visible(note.store),
        type=visible(note.type or ""),
        date=day_of(note),
        tags=tuple(map(visible, tags_of(note)[:6])),
        text=excerpt,
        weights=weights,
        heads=frozenset(fields["title"]),
        length=len(text),
    )


def _document_shards(plan: SitePlan) -> list[list[_Placed]]:
    """Documents spread by a hash of their URL, so that a preview finds its document by the URL alone.
    The number of shards is a power of two: it changes rarely."""
    graph = plan.graph
    known: list[_Placed] = [(plan.href(plan.notes[one.address]), one) for one in graph.notes.values()]
    known += ((plan.href(url), graph.concepts[key]) for key, url in plan.concepts.items())
    amount = 1
    while amount * _DOCUMENTS < len(known):
        amount *= 2
    shards: list[list[_Placed]] = [[] for _ in range(amount)]
    for placed in known:
        shards[url_hash(placed[0]) % amount].append(placed)
    for shard in shards:
        shard.sort(key=itemgetter(0))
    return shards


def url_hash(url: str) -> int:
    """A small hash that is as easy in JavaScript: FNV-1a over the ASCII of an encoded URL."""
    value = 0x811C9DC5
    for code in url.encode("ascii"):
        value = ((value ^ code) * 0x01000193) & 0xFFFFFFFF
    return value


class _Terms:
    """Collects the terms of all documents, one after the other.

    A posting is one number, that of the document times 32 plus the level.
    """

    def __init__(self) -> None:
        self.in_titles: set[str] = set()
        """Words of titles, without short ones and numbers, which have too many neighbours."""
        self._found: defaultdict[str, array[int]] = defaultdict(_numbers)
        self._documents = 0

    def add(self, entry: _Entry) -> None:
        found, number = self._found, self._documents << 5
        self._documents += 1
        base = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * entry.length / _USUAL_LENGTH)
        for term, weight in entry.weights.items():
            found[term].append(number | int(_LEVELS * weight / (weight + base)))
        for term in entry.heads:
            found[term][-1] += _IN_TITLE
        for facet in _facets(entry):
            found[facet].append(number)
        self.in_titles.update(
            word
            for word in words_of(entry.title)
            if len(word) > 3 and not word.isdigit() and not _CJK_RUNS.search(word)
        )

    def postings(self) -> dict[str, str]:
        """Each term with its postings as text, terms sorted. Facets are terms behind a control character."""
        return {term: _encoded(self._found[term], whole=term[0] == "\x01") for term in sorted(self._found)}


def _numbers() -> array[int]:
    return array("L")


def _facets(entry: _Entry) -> Iterator[str]:
    yield f"\x01s{match_key(entry.store)}"
    yield f"\x01t{match_key(entry.type)}"
    for tag in entry.tags:
        yield f"\x01g{match_key(tag)}"


def _encoded(postings: Sequence[int], *, whole: bool) -> str:
    """Gaps and levels as text. A list that was cut begins with `!` and the true number of notes."""
    parts = []
    if len(postings) > _MOST_POSTINGS and not whole:
        parts.append(f"!{len(postings)}!")
        postings = _heaviest(postings)
    last = -1
    for posting in postings:
        number = posting >> 5
        gap = number - last - 1
        last = number
        parts.append((_DIGITS[gap] if gap < 36 else _base36(gap)) + chr(65 + (posting & 31)))
    return "".join(parts)


def _heaviest(postings: Sequence[int]) -> list[int]:
    """The postings of the highest levels, as many as are kept, still in order of documents."""
    amounts = Counter(posting & 31 for posting in postings)
    level, left = 31, _MOST_POSTINGS
    while amounts[level] < left:
        left -= amounts[level]
        level -= 1
    kept = []
    for posting in postings:
        if posting & 31 == level:
            left -= 1
        if posting & 31 > level or (posting & 31 == level and left >= 0):
            kept.append(posting)
    return kept


def _base36(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text


def _chunks(postings: Mapping[str, str]) -> Iterator[list[tuple[str, str]]]:
    """Shards of neighbouring terms. A term's own hash says whether a shard may begin at it, so that
    the cuts stay where they are when other terms come and go."""
    chunk: list[tuple[str, str]] = []
    size = 0
    least, most = _SHARD_SIZES
    for pair in postings.items():
        added = len(pair[0]) + len(pair[1]) + 6
        may_begin = zlib.crc32(pair[0].encode("utf-8", "replace")) % _CUT_EVERY == 0
        if chunk and (size + added > most or (size > least and may_begin)):
            yield chunk
            chunk, size = [], 0
        chunk.append(pair)
        size += added
    if chunk:
        yield chunk


def _by_length(words: Iterable[str]) -> dict[int, list[str]]:
    """Words by their length, for forgiving a slip."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for word in sorted(words):
        found[len(word)].append(word)
    return dict(sorted(found.items()))


def _script(kind: str, key: int, value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return f'memsiteSearch("{kind}",{key},{text})\n'.encode("utf-8", "replace")
