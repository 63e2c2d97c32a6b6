"""Where a note's title or alias stands in the plain text of another note that does not link to it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memsite.graph.network import node_id
from memsite.markdown.names import match_key
from memsite.note import Address, Ambiguous, Context, Document, Graph, Note

_SHORTEST = 4
_SHORTEST_ACRONYM = 3
_SHORTEST_UNSPACED = 2
_LONGEST = 16
"""Words. A longer title is a sentence that nobody writes out again."""
_COMMON = 0.05
_COMMON_AT_LEAST = 20
_INDEXES = frozenset({"memory.md", "readme.md", "index.md"})
"""Notes whose names are everyday words: nobody means them by saying "memory"."""
_REACH = 90
"""Characters of context on each side."""

# Scripts without blanks between words: every character is a word of its own, so that a name is
# found anywhere in a run of them. Thai to Burmese, Kana, Bopomofo, Han, Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# What parts words. Not simply \W: combining marks and invisible characters belong to their word.
_APART = (
    "\\s!-/:-@\\[-`{-~\u0080-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u200a"
    "\u2010-\u202f\u2030-\u205f\u3000-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_WORD = re.compile(f"[{_UNSPACED}]|[^{_APART}{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_BLANK = re.compile(r"[\s_\-\u2010\u2011]{1,3}")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text of the note at `address`, where it occurs first."""

    address: Address
    name: str
    """As it stands in the text."""
    start: int
    end: int
    """Range in the note's `document.text`."""
    count: int
    """How often the note names it."""
    context: Context


@dataclass(frozen=True, slots=True)
class _Name:
    address: Address
    words: tuple[str, ...]
    gaps: tuple[str, ...]


def mentions(graph: Graph) -> Mapping[Address, tuple[Mention, ...]]:
    """Unlinked mentions by the note that is mentioned, sorted by address; notes without any are absent.

    Whole words only, case and normal form ignored; not in code or links; the longest of two
    overlapping names counts. Not looked for: names of fewer than four letters (three for acronyms,
    two where words are not spaced), names without a letter, names of several notes or of an index
    (MEMORY.md), and names that more than one note in twenty mentions. Each name waits at its rarest
    word, so the cost is that of reading the texts once.
    """
    known: dict[str, str] = {}  # one object a word, however many notes have it
    words = {
        address: {known.setdefault(word, word) for word in set(words_of(note.document.text))}
        for address, note in graph.notes.items()
    }
    spread = Counter(word for found in words.values() for word in found)
    waiting: dict[str, list[_Name]] = defaultdict(list)
    limit = max(_COMMON_AT_LEAST, _COMMON * len(graph.notes))
    for name in _names(graph):
        if len(name.words) == 1 and spread[name.words[0]] > 2 * limit:
            continue  # it would be found everywhere, and then be left out
        waiting[min(name.words, key=lambda word: (spread[word], word))].append(name)
    found: dict[Address, list[Mention]] = defaultdict(list)
    for address, own in words.items():
        linked = {address, *_linked(graph, address)}
        likely = [
            name
            for word in sorted(own & waiting.keys())
            for name in waiting[word]
            if name.address not in linked and own.issuperset(name.words)
        ]
        for target, mention in _in_note(graph.notes[address], likely) if likely else ():
            found[target].append(mention)
    return {target: tuple(found[target]) for target in sorted(found) if len(found[target]) <= limit}


def words_of(text: str) -> list[str]:
    """The words of a text in match form; of scripts without blanks, its characters."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return [match_key(word) for word in _WORD.findall(text)]


def _linked(graph: Graph, address: Address) -> Iterator[str]:
    for target in graph.targets[address]:
        if isinstance(target, Ambiguous):
            yield from target.candidates
        elif named := node_id(target):
            yield named


def _names(graph: Graph) -> list[_Name]:
    """The names that are looked for, each of one note only."""
    owners: dict[tuple[tuple[str, ...], tuple[str, ...]], set[Address]] = defaultdict(set)
    for note in graph.notes.values():
        if note.path.rpartition("/")[2].casefold() in _INDEXES:
            continue
        for name in (note.title, *note.names, note.id or ""):
            words, gaps = _split(name)
            if words and len(words) <= _LONGEST and _is_telling(name, words):
                owners[words, gaps].add(note.address)
    return [_Name(min(of), *name) for name, of in sorted(owners.items()) if len(of) == 1]


def _split(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a name and what stands between them."""
    found = list(_WORD.finditer(name))
    gaps = tuple(_gap(name[one.end() : other.start()]) for one, other in pairwise(found))
    return tuple(match_key(word.group()) for word in found), gaps


def _gap(between: str) -> str:
    return " " if _BLANK.fullmatch(between) else between


def _is_telling(name: str, words: Sequence[str]) -> bool:
    letters = sum(map(len, words))
    if not any(char.isalpha() for char in name):
        return False
    if _IS_UNSPACED.search(name):
        return letters >= _SHORTEST_UNSPACED
    return letters >= (_SHORTEST_ACRONYM if name.isupper() else _SHORTEST)


def _in_note(note: Note, names: Iterable[_Name]) -> list[tuple[Address, Mention]]:
    """Each mentioned note once, with the first place where it is named."""
    text = note.document.text
    found = list(_WORD.finditer(text))
    words = [match_key(word.group()) for word in found]
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    spans: list[tuple[int, int, Address]] = []
    for name in names:
        rarest = min(range(len(name.words)), key=lambda at: len(places[name.words[at]]))
        for place in places[name.words[rarest]]:
            first, last = place - rarest, place - rarest + len(name.words)
            if first >= 0 and tuple(words[first:last]) == name.words:
                inside = found[first:last]
                between = (text[a.end() : b.start()] for a, b in pairwise(inside))
                if all(_gap(gap) == right for gap, right in zip(between, name.gaps, strict=True)):
                    spans.append((inside[0].start(), inside[-1].end(), name.address))
    kept = _longest(span for span in spans if not _is_opaque(note.document, span))
    counts = Counter(target for _, _, target in kept)
    firsts = {target: (start, end) for start, end, target in reversed(kept)}
    return [
        (
            target,
            Mention(note.address, text[start:end], start, end, counts[target], _context(text, start, end)),
        )
        for target, (start, end) in sorted(firsts.items())
    ]


def _longest(spans: Iterable[tuple[int, int, Address]]) -> list[tuple[int, int, Address]]:
    """Spans without those that overlap a longer one, in order of the text."""
    kept: list[tuple[int, int, Address]] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[1] - span[0] > kept[-1][1] - kept[-1][0]:
            kept[-1] = span
    return kept


def _is_opaque(document: Document, span: tuple[int, int, Address]) -> bool:
    """Whether the span touches code or a link."""
    before = bisect_right(document.opaque, (span[1] - 1, len(document.text)))
    return before > 0 and document.opaque[before - 1][1] > span[0]


def _context(text: str, start: int, end: int) -> Context:
    """The sentence around the name, at most `_REACH` characters to each side."""
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    opening = max((found.end() for found in _SENTENCE_END.finditer(before)), default=0)
    closing = _SENTENCE_END.search(after)
    return Context(
        before[opening:].lstrip(), text[start:end], after[: closing.end() if closing else None].rstrip()
    )
