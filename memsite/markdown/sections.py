"""Where the body and the sections of a note begin and end, as offsets into its text as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memsite.markdown import front_matter
from memsite.markdown.comments import uncommented
from memsite.markdown.document import markdown, parse
from memsite.markdown.hidden import neutral
from memsite.markdown.names import slug
from memsite.markdown.outline import plain
from memsite.note import Heading, Link

_HASHES = re.compile(r" {0,3}#{1,6}[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a top-level heading, up to the next one of the same or a higher level.

    `text[start:body_start]` is the heading, `text[body_start:end]` what stands below it; all are
    offsets in characters into the whole text, with BOM, front matter and line ends as they are.
    """

    heading: Heading
    source: str
    """The heading as written, without hashes, underline and blanks around it."""
    start: int
    body_start: int
    end: int
    parents: tuple[str, ...]
    """Texts of the headings above, outermost first."""


def body_start(text: str) -> int:
    """Where the body begins: behind a BOM and behind front matter."""
    bom = text.startswith("\ufeff")
    plain_text = text[bom:]
    if "\r" in plain_text:
        starts = _line_starts(text)
        front = front_matter.read(plain_text.replace("\r\n", "\n").replace("\r", "\n"))
        if not front.end:
            return int(bom)
        lines = front.block.count("\n") + 2
        return starts[lines] if lines < len(starts) else len(text)
    return bom + front_matter.read(plain_text).end


def without_comments(text: str) -> str:
    """A whole note's text without the `%%comments%%` and `<!--comments-->` of its body outside code."""
    start = body_start(text)
    return text[:start] + uncommented(text[start:], markdown())


def sections(text: str) -> tuple[Section, ...]:
    """The sections of `text`, in order. Headings inside quotes, lists, HTML and code make none."""
    offset = body_start(text)
    body = text[offset:]
    starts = [offset + start for start in _line_starts(body)]
    tokens = markdown().parse(
        neutral(body.replace("\r\n", "\n").replace("\r", "\n")), {"marker": "", "features": set()}
    )
    found: list[tuple[int, int, int, str, str]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            first, last = token.map
            shown = " ".join(plain(tokens[index + 1].children or []).split())
            written = _source(text[starts[first] : _at(starts, last, text)], token.markup)
            found.append((int(token.tag[1]), first, last, shown, written))
    return tuple(_section(text, starts, found, number) for number in range(len(found)))


def wikilinks(text: str) -> tuple[Link, ...]:
    """The valid WikiLinks in a piece of Markdown: none in code, none malformed."""
    return tuple(link for link in parse(text.encode()).links if link.kind == "wiki")


def _section(
    text: str, starts: list[int], found: list[tuple[int, int, int, str, str]], number: int
) -> Section:
    level, first, last, shown, written = found[number]
    below = next((later for later in found[number + 1 :] if later[0] <= level), None)
    parents: list[str] = []
    ceiling = level
    for earlier in reversed(found[:number]):
        if earlier[0] < ceiling:
            ceiling = earlier[0]
            parents.insert(0, earlier[3])
    line = text.count("\n", 0, starts[first]) + 1
    return Section(
        Heading(level, shown, slug(shown), line),
        written,
        starts[first],
        _at(starts, last, text),
        starts[below[1]] if below else len(text),
        tuple(parents),
    )


def _source(written: str, markup: str) -> str:
    lines = written.splitlines() or [""]
    if markup.startswith("#"):
        found = _HASHES.match(lines[0])
        return found[1].strip() if found else lines[0].strip()
    return "\n".join(line.strip() for line in lines[:-1])


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts += [found.end() for found in re.finditer(r"\r\n|\n|\r", text)]
    return starts


def _at(starts: list[int], row: int, text: str) -> int:
    return starts[row] if row < len(starts) else len(text)
