"""What comes after the `#` of a link: headings, nested headings, blocks, anchors."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Sequence

from memsite.markdown.names import match_key, slug
from memsite.note import Document

_HTML_ID = re.compile(r"""\sid="([^"]+)\"""")


class Fragments:
    """The places inside one note that a link can lead to. Built once a note, when first asked."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._blocks = {match_key(block): block for block in reversed(document.blocks)}
        self._headings: dict[str, list[int]] = defaultdict(list)
        self._anchors = {heading.anchor for heading in document.headings}
        for position, heading in enumerate(document.headings):
            for key in self._keys(heading.text):
                self._headings[key].append(position)
        self._parents = _parents([heading.level for heading in document.headings])
        self._html_ids: frozenset[str] | None = None

    def anchor(self, fragment: str, *, anchors_first: bool) -> str | None:
        """The id on the page that `fragment` means, None when there is no such place.

        `fragment` is what stands after the `#`: `Setup`, `Setup#Linux` (Linux below Setup), `^block`.
        WikiLinks write heading texts, Markdown links write anchors: each is tried first in its own way.
        """
        if fragment.startswith("^"):
            return self.block(fragment[1:])
        if anchors_first and fragment in self._anchors:
            return fragment
        position = self._heading(fragment)
        if position is not None:
            return self._document.headings[position].anchor
        if fragment in self._anchors or fragment in self._ids():
            return fragment
        last = fragment.rpartition("#")[2].strip()
        return self.block(last[1:]) if last.startswith("^") else None

    def block(self, name: str) -> str | None:
        """The id on the page of the block `^name`."""
        block = self._blocks.get(match_key(name))
        return None if block is None else f"^{block}"

    def _heading(self, fragment: str) -> int | None:
        if whole := self._positions(fragment):
            return whole[0]
        *outer, last = [part for part in fragment.split("#") if part.strip()] or [""]
        if not outer:
            return next(iter(self._positions(last)), None)
        wanted = [frozenset(self._positions(part)) for part in outer]
        return next((found for found in self._positions(last) if self._is_below(found, wanted)), None)

    def _positions(self, text: str) -> Sequence[int]:
        """Headings of that text, else headings whose text makes the same anchor."""
        return next((found for key in self._keys(text) if (found := self._headings.get(key))), ())

    @staticmethod
    def _keys(text: str) -> list[str]:
        """The text, our anchor of it, and the anchor of hosts that drop punctuation (`32-sleep` for
        `3.2 Sleep`), the best match first.
        """
        anchor = slug(text)
        return (
            [f"={match_key(text)}", f"~{anchor}", f"-{anchor.replace('-', '')}"]
            if anchor
            else [f"={match_key(text)}"]
        )

    def _is_below(self, position: int, wanted: Sequence[frozenset[int]]) -> bool:
        """Whether the headings around `position` hold one of each of `wanted`, in that order."""
        missing = list(wanted)
        around = self._parents[position]
        while missing and around is not None:
            if around in missing[-1]:
                missing.pop()
            around = self._parents[around]
        return not missing

    def _ids(self) -> frozenset[str]:
        """Ids that raw HTML of the note gives to other elements."""
        if self._html_ids is None:
            found = (match for piece in self._document.fragments for match in _HTML_ID.findall(piece))
            self._html_ids = frozenset(map(html.unescape, found))
        return self._html_ids


def _parents(levels: Sequence[int]) -> list[int | None]:
    """For each heading the nearest earlier one of a higher rank."""
    parents: list[int | None] = []
    for position, level in enumerate(levels):
        parent: int | None = position - 1 if position else None
        while parent is not None and levels[parent] >= level:
            parent = parents[parent]
        parents.append(parent)
    return parents
