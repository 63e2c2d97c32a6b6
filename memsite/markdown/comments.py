"""`%%comments%%`: where they stand, how the parser is kept from seeing them, and text without any."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

GONE = "\x01"
"""Stands for a character of a comment; no note holds it, since control characters are neutral by then."""

_GONE_LINE = re.compile(rf"^[ \t]*{GONE}[ \t{GONE}]*$", re.MULTILINE)
_SPAN = r"(?<!`)(?P<ticks>`++)(?:(?!\n[ \t]*\n).){1,2000}?(?<!`)(?P=ticks)(?!`)"
_SPAN_OR_MARK = re.compile(rf"{_SPAN}|%%", re.DOTALL)
_SPAN_OR_ANY_MARK = re.compile(rf"{_SPAN}|%%|<!--", re.DOTALL)


def blank_comments(text: str, md: MarkdownIt) -> str:
    """`text` with `%%comments%%` outside code turned to `GONE` or blank lines, character for character.

    A comment may run over several lines and hold code; one without a partner is text. Blanks would
    not do within a line: four of them at its start make it code.
    """
    if text.count("%%") < 2:
        return text
    pieces: list[str] = []
    position = 0
    for start, end in _comments(text, _code(text, md)):
        pieces += [text[position:start], re.sub(r"[^\n]", GONE, text[start:end])]
        position = end
    return _GONE_LINE.sub("", "".join([*pieces, text[position:]]))


def uncommented(text: str, md: MarkdownIt) -> str:
    """Markdown without its `%%comments%%` and `<!--comments-->`, all else as it was."""
    if "%%" not in text and "<!--" not in text:
        return text
    code = _code(text.replace("\r\n", " \n"), md)
    pieces: list[str] = []
    position = 0
    for start, end in _comments(text, code, marks=_SPAN_OR_ANY_MARK):
        pieces.append(text[position:start])
        position = end
    return "".join([*pieces, text[position:]])


def _comments(
    text: str, code: Sequence[tuple[int, int]], *, marks: re.Pattern[str] = _SPAN_OR_MARK
) -> Iterator[tuple[int, int]]:
    position = 0
    alone: set[str] = set()  # what has no partner here has none further on either
    while found := marks.search(text, position):
        if end := _code_end(found.start(), code):
            position = end
        elif found["ticks"]:
            leads_into_block = _code_end(found.end() - 1, code)
            position = found.start() + len(found["ticks"]) if leads_into_block else found.end()
        elif found[0] not in alone and (end := _partner_end(text, found, code)):
            position = end
            yield found.start(), end
        else:
            alone.add(found[0])
            position = found.end()


def _partner_end(text: str, mark: re.Match[str], code: Sequence[tuple[int, int]]) -> int:
    """Where the comment ends that `mark` opens; 0 where nothing closes it."""
    closing = "-->" if mark[0] == "<!--" else "%%"
    partner = text.find(closing, mark.end())
    while partner >= 0 and (end := _code_end(partner, code)):
        partner = text.find(closing, end)
    return partner + len(closing) if partner >= 0 else 0


def _code(text: str, md: MarkdownIt) -> list[tuple[int, int]]:
    """Ranges of `text` that are fenced or indented code, in order."""
    tokens: list[Token] = []
    md.block.parse(text, md, {}, tokens)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    blocks = (token.map for token in tokens if token.type in ("fence", "code_block") and token.map)
    return [(starts[first], starts[min(after, len(starts) - 1)]) for first, after in blocks]


def _code_end(offset: int, code: Sequence[tuple[int, int]]) -> int:
    """The end of the code that `offset` lies in, 0 where it lies in none."""
    place = bisect_right(code, (offset, len(code) and code[-1][1])) - 1
    return code[place][1] if place >= 0 and offset < code[place][1] else 0
