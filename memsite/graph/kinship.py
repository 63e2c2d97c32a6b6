"""Notes that belong together though nobody linked them, and notes that stand alone."""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from typing import Any

from memsite.graph.mentions import words_of
from memsite.graph.network import node_id, things_of
from memsite.note import Address, Ambiguous, Graph

_RARE = 50
"""What more notes than this link to says nothing about two of them."""
_SHINGLE = 4
_LEAST_WORDS = 20
_SKETCH = 8
_BUCKET = 24


@dataclass(frozen=True, slots=True)
class Related:
    address: Address
    score: float
    """0 to 1, to four decimals: how much both link to the same, rare things counting more."""
    shared: tuple[str, ...]
    """Nodes that both link to, the rarest first."""


@dataclass(frozen=True, slots=True)
class Similar:
    first: Address
    second: Address
    likeness: float
    """Share of the runs of four words that both have, 1 for the same words; to three decimals."""


def related(graph: Graph, *, most: int = 6) -> Mapping[Address, tuple[Related, ...]]:
    """For each note those that link to the same rare things, most related first.

    The score is the cosine of the two lists of things, each weighing ln(notes / notes that link to
    it), so that an index that links to everything is nobody's closest relative. What more than 50
    notes link to brings no notes together, which also keeps the cost linear. Notes without
    relatives are absent.
    """
    things = {address: frozenset(things_of(graph, address)) - {address} for address in graph.targets}
    holders: dict[str, list[Address]] = defaultdict(list)
    for address, named in things.items():
        for thing in sorted(named):
            holders[thing].append(address)
    weight = {thing: math.log((1 + len(things)) / len(found)) for thing, found in holders.items()}
    length = {address: math.sqrt(_mass(named, weight)) for address, named in things.items()}
    nearest: dict[Address, tuple[Related, ...]] = {}
    for address, named in things.items():
        likely: dict[Address, float] = defaultdict(float)
        for thing in sorted(named):
            if len(holders[thing]) <= _RARE:
                square = weight[thing] ** 2
                for other in holders[thing]:
                    likely[other] += square / length[other]
        likely.pop(address, None)
        best = nsmallest(2 * most, [(-round(score, 9), other) for other, score in likely.items()])
        ranked = [
            _related(other, named & things[other], weight, length[address] * length[other])
            for _, other in best
        ]
        if ranked:
            nearest[address] = tuple(sorted(ranked, key=lambda each: (-each.score, each.address))[:most])
    return nearest


def _mass(things: Iterable[str], weight: Mapping[str, float]) -> float:
    """Sum of the squared weights, exact, so that no order of adding changes a digit."""
    return math.fsum(weight[thing] ** 2 for thing in things)


def _related(other: Address, shared: frozenset[str], weight: Mapping[str, float], lengths: float) -> Related:
    ordered = sorted(shared, key=lambda thing: (-weight[thing], thing))
    return Related(other, round(_mass(shared, weight) / lengths, 4), tuple(ordered))


def orphans(graph: Graph) -> tuple[Address, ...]:
    """Notes that nothing links to and that link to nothing: no note, no concept, no name of several notes."""
    linked: set[Address] = set(graph.backlinks)
    for address, leads in graph.targets.items():
        for target in leads:
            if isinstance(target, Ambiguous):
                linked.update((address, *target.candidates))
            elif (named := node_id(target)) and named != address:
                linked.add(address)
    return tuple(address for address in graph.notes if address not in linked)


# Almost the same text ---------------------------------------------------------------------------


def similar(graph: Graph, *, least: float = 0.8) -> tuple[Similar, ...]:
    """Pairs of notes with at least `least` of their runs of four words in common, most alike first.

    Texts under 20 words are left out. Of many equal notes each is named with the next one only.
    Candidates share some of their smallest hashes (a bottom-k sketch), so not every pair is
    compared; the likeness of those that are is exact.
    """
    shingles = _all_shingles(graph)
    groups: dict[bytes, list[Address]] = defaultdict(list)
    for address, hashes in shingles.items():
        groups[hashes.tobytes()].append(address)
    same = [Similar(one, other, 1.0) for group in groups.values() for one, other in pairwise(group)]
    firsts = [group[0] for group in groups.values()]
    near = [
        Similar(one, other, likeness)
        for one, other in sorted(_candidates(firsts, shingles))
        if (likeness := _likeness(shingles[one], shingles[other])) >= least
    ]
    return tuple(sorted(same + near, key=lambda pair: (-pair.likeness, pair.first, pair.second)))


def _all_shingles(graph: Graph) -> dict[Address, Any]:
    """For each note the sorted hashes of its runs of four words, as uint64."""
    numbers: dict[str, int] = {}
    shingles: dict[Address, Any] = {}
    for address, note in graph.notes.items():
        words = words_of(note.document.text)
        if len(words) >= _LEAST_WORDS:
            shingles[address] = _shingles([_number(word, numbers) for word in words])
    return shingles


def _number(word: str, numbers: dict[str, int]) -> int:
    found = numbers.get(word)
    if found is None:
        found = numbers[word] = zlib.crc32(word.encode("utf-8", "surrogatepass"))
    return found


def _shingles(words: Sequence[int]) -> Any:
    import numpy as np

    row = np.array(words, dtype=np.uint64)
    hashes = np.zeros(len(row) - _SHINGLE + 1, dtype=np.uint64)
    for step in range(_SHINGLE):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + row[step : len(row) - _SHINGLE + 1 + step]
        hashes ^= hashes >> np.uint64(29)
    return np.unique(hashes * np.uint64(0xBF58476D1CE4E5B9))


def _candidates(
    addresses: Sequence[Address], shingles: Mapping[Address, Any]
) -> set[tuple[Address, Address]]:
    """Pairs that have one of their smallest hashes in common. Where a whole crowd does (a template),
    each note is compared with the next 24 only, in order of length.
    """
    buckets: dict[int, list[Address]] = defaultdict(list)
    for address in sorted(addresses, key=lambda address: (len(shingles[address]), address)):
        for smallest in shingles[address][:_SKETCH].tolist():
            buckets[smallest].append(address)
    pairs: set[tuple[Address, Address]] = set()
    for crowd in buckets.values():
        for place, one in enumerate(crowd):
            pairs.update(
                (min(one, other), max(one, other)) for other in crowd[place + 1 : place + 1 + _BUCKET]
            )
    return pairs


def _likeness(one: Any, other: Any) -> float:
    import numpy as np

    if 2 * min(len(one), len(other)) < max(len(one), len(other)):
        return 0.0
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return round(shared / (len(one) + len(other) - shared), 3)
