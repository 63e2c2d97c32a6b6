"""The links that lead to one note, without parsing all others.

Only a note whose text holds one of the names can link to it, so only those are parsed as a whole;
of the others the first lines tell what they are called, which is what resolving needs of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import unquote

from memsite.memory.listing import head
from memsite.note import Address, Backlink, Note, Source

if TYPE_CHECKING:
    from memsite.memory import Memory

_BETWEEN = re.compile(r"[\s_/\\-]+")


def incoming_links(memory: Memory, address: Address) -> tuple[Backlink, ...]:
    """The links of other notes that lead to the note at `address`, sorted by address."""
    from memsite.graph import resolve

    name, _, inside = address.removeprefix("memory://").partition("/")
    keys = set(_keys(memory.note(memory.store(name).read(f"{inside}.md"))))
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(keys)))})(?!\w)")
    notes = [
        memory.note(source) if named.search(_folded(source)) else head(memory, source)
        for each in memory.stores
        for source in each.sources()
    ]
    graph = resolve(notes, [each.outline() for each in memory.stores])
    return graph.backlinks.get(address, ())


def _keys(note: Note) -> Iterator[str]:
    stem = note.path.rsplit("/", 1)[-1].removesuffix(".md")
    folder = note.path.rpartition("/")[0].rsplit("/", 1)[-1]
    # A note such as `guide/index.md` is meant by the name of its folder too.
    for name in (stem, note.id or "", note.title, *note.names, folder):
        if key := _key(name):
            yield key


def _key(name: str) -> str:
    return _BETWEEN.sub("-", normalize("NFC", name).casefold()).strip("-")


def _folded(source: Source) -> str:
    text = source.content.decode("utf-8", "replace")
    return _key(unquote(text) if "%" in text else text)
