"""All that the bytes of a note say: parsed, and looked through for what they hide or give away."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from memsite.beside import beside
from memsite.cache import packed, unpacked
from memsite.note import Checksum, Document

_MANY = 400
"""Notes; fewer are parsed faster than a second process can begin and hand them over."""


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
