"""All that the bytes of a note say: parsed, and looked through for what they hide or give away."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from memsite.beside import beside
from memsite.cache import packed, unpacked
from memsite.note import Address, Checksum, Document, Note, Source

_MANY = 400
"""Notes; fewer are parsed faster than a second process can begin and hand them over."""

Vetting: TypeAlias = Callable[[Source, Document], Document]
"""Adds findings to a document that do not depend on its bytes alone."""


class Understanding:
    """What notes say, found out once for each checksum."""

    def __init__(self, documents: MutableMapping[Checksum, Document] | None = None) -> None:
        self._documents: MutableMapping[Checksum, Document] = {} if documents is None else documents
        self._of: dict[Address, Checksum] = {}
        self._notes: dict[Address, tuple[object, Note]] = {}
        self._vetting: Vetting | None = None

    def shared(self) -> Understanding:
        """For a memory that reads the same notes from elsewhere: what is parsed already is known to both."""
        other = Understanding(self._documents)
        other._notes = dict(self._notes)
        other._vetting = self._vetting
        return other

    def vet(self, vetting: Vetting) -> None:
        """From now on, add to each note the findings of `vetting`."""
        self._vetting = vetting
        self._notes.clear()

    def knows(self, checksum: Checksum) -> bool:
        """Whether a note of these bytes is parsed already."""
        return checksum in self._documents

    def parse(self, sources: Sequence[Source], *, jobs: int) -> None:
        """Parse what is not known yet, in `jobs` processes."""
        new = {_key(each): each.content for each in sources if _key(each) not in self._documents}
        self._documents.update(all_understood(new, jobs=jobs))

    def note(self, source: Source) -> Note:
        """What `source` says."""
        from memsite.markdown import describe

        key = _key(source)
        facts = (key, source.checksum, source.modified, source.entry)
        known = self._notes.get(source.address)
        if known and known[0] == facts:
            return known[1]
        document = self._documents.get(key)
        if document is None:
            document = self._documents[key] = understood(source.content)
        # One document an address: a process that lives long must not keep every version it saw.
        before = self._of.get(source.address, key)
        if before != key:
            self._documents.pop(before, None)
        self._of[source.address] = key
        note = describe(source, self._vetting(source, document) if self._vetting else document)
        self._notes[source.address] = (facts, note)
        return note


def understood(content: bytes) -> Document:
    """The document of `content` with every finding that depends on the bytes alone."""
    from memsite.check import unseen
    from memsite.leaks import leak_findings
    from memsite.markdown import parse

    document = parse(content)
    return replace(document, findings=(*document.findings, *unseen(content), *leak_findings(content)))


def all_understood(contents: Mapping[Checksum, bytes], *, jobs: int) -> Iterator[tuple[Checksum, Document]]:
    """The documents of many notes, shared out among `jobs` processes where that pays."""
    shares = [list(contents.items())[start::jobs] for start in range(jobs if len(contents) >= _MANY else 1)]
    others = [beside(partial(_parsed, share), jobs=jobs) for share in shares[1:]]
    for checksum, content in shares[0]:
        yield checksum, understood(content)
    for other in others:
        for checksum, record in marshal.loads(other()):  # noqa: S302 - from our own process
            yield checksum, unpacked(record)


def _parsed(contents: Sequence[tuple[Checksum, bytes]]) -> bytes:
    return marshal.dumps([(checksum, packed(understood(content))) for checksum, content in contents])


def _key(source: Source) -> Checksum:
    """The checksum of the bytes that are parsed."""
    return source.altered or source.checksum
