"""Reads the tokens of a note: headings and anchors, links with line and column, plain text.

The renderer needs what is found here: each link token learns its number in `Document.links`, each
heading its anchor.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from html import unescape
from urllib.parse import unquote

from markdown_it.token import Token

from memsite.markdown.comments import GONE
from memsite.markdown.names import slug
from memsite.markdown.raw_html import is_a_word, text_of
from memsite.markdown.syntax import relation_of
from memsite.markdown.wikilink import is_file
from memsite.note import Context, Finding, Heading, Link, Severity

_EXTERNAL = re.compile(r"(?:https?:|mailto:|//|\?)", re.IGNORECASE)
_REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_NOTE_FILE = re.compile(r"(?!//|\?)[^:#?]+\.md(?:[#?].*)?$", re.IGNORECASE)
_ALT_SIZE = re.compile(r"(.*?)\|(\d{1,5}(?:x\d{1,5})?)$", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_SPACE_IN_LINK = re.compile(r"\[[^\[\]\n]*\]\((?![<\s])[^()<>\n]*? [^()<>\n]*\.md(?:#[^()\s]*)?\)")
_RAW_LINK = re.compile(r"<(img|a)\b([^<>]*)>", re.IGNORECASE)
_LEADS_OUT = re.compile(r"[a-z][a-z0-9+.-]*:|//|[?#]", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x20]")
_ATTRIBUTE = re.compile(
    r"""(?<![\w-])(src|href|alt|width|height)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE
)
_IGNORE = re.compile(r"memsite-ignore((?:[\s,]+[A-Za-z]\w*(?:-\w+)*)+)")
_CONTEXT = 160
_MOST_FINDINGS = 200
_FRAME_PREFIX = "ms-"


@dataclass(slots=True)
class Outline:
    """What `outline` finds; `marker` is the note's own unforgeable word (see `render`)."""

    marker: str
    lines: list[str]
    first_line: int
    links: list[Link] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    relations: dict[str, None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ignores: list[tuple[int, str]] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)
    lead: str = ""
    _length: int = 0
    _row: int = 0
    _cell_ends: dict[int, int] = field(default_factory=dict)
    _place: _Place | None = None
    _anchors: dict[str, int] = field(default_factory=dict)

    def read(self, tokens: list[Token]) -> None:
        for index, token in enumerate(tokens):
            if token.map:
                self._row = token.map[0]
            match token.type:
                case "inline":
                    self._inline(token, tokens[index - 1], tokens[index - 2] if index > 1 else None)
                case "heading_open":
                    self._heading(token, tokens[index + 1], first=index == 0)
                case "fence" | "code_block" | "math_block":
                    self._block(token.content.replace(GONE, "").rstrip("\n"), opaque=True)
                case "html_block":
                    self._html(token)
            if (block := token.meta.get("block")) and block in self.blocks:
                del token.meta["block"]  # an id stands on a page once: the first counts
            elif block:
                self.blocks.append(block)

    def _heading(self, token: Token, inline: Token, *, first: bool) -> None:
        text = " ".join(plain(inline.children or []).split())
        anchor = self._anchor(slug(text))
        token.meta["anchor"] = anchor
        line = self.first_line + (token.map[0] if token.map else 0)
        self.headings.append(Heading(int(token.tag[1]), text, anchor, line))
        if first and token.tag == "h1":
            self.lead = text

    def _anchor(self, wanted: str) -> str:
        base = wanted or "section"
        if base.startswith(_FRAME_PREFIX):
            base = f"section-{base}"
        anchor = base
        while anchor in self._anchors:
            self._anchors[base] += 1
            anchor = f"{base}-{self._anchors[base]}"
        self._anchors[anchor] = 0
        return anchor

    def _block(self, text: str, *, opaque: bool = False) -> None:
        if not text:
            return
        if opaque:
            self.opaque.append((self._length, self._length + len(text)))
        self.text.append(text)
        self._length += len(text) + 1

    def _html(self, token: Token) -> None:
        first = not self.text and not self.headings
        self._ignore(token.content, 0 if first else self.first_line + self._row)
        self._block(text_of(token.content))
        token.content = self._raw(token.content, self._row)

    def _ignore(self, html: str, line: int) -> None:
        """Takes note of a comment that accepts findings, by code or rule name."""
        if found := _IGNORE.search(html):
            self.ignores += [(line, word) for word in re.split(r"[\s,]+", found[1].strip(" \t\n,"))]

    def _raw(self, html: str, row: int) -> str:
        """Raw `html` with its pictures and links made ours: they are resolved and checked like others.

        Not those into the own note: what they lead to are ids in raw HTML, which no page keeps.
        """
        return _RAW_LINK.sub(partial(self._numbered, line=self.first_line + row), html)

    def _numbered(self, tag: re.Match[str], line: int) -> str:
        values = {name.lower(): unescape(value.strip("\"'")) for name, value in _ATTRIBUTE.findall(tag[2])}
        is_link = tag[1] in "aA"
        target = unquote(values.get("href" if is_link else "src", "")).strip()
        bare = _CONTROLS.sub("", target)  # which a browser passes over, too
        if not target or (_LEADS_OUT.match(bare) and (is_link or not _REMOTE.match(bare))):
            return tag[0] if is_link else ""
        link = Link("markdown", target, None, line, 1, Context("", "", ""), heading=self._under())
        self.links.append(link if is_link else _as_picture(link, values))
        number = len(self.links) - 1
        return f'<a href="{self.marker}/l{number}">' if is_link else f'<img src="{self.marker}/e{number}">'

    def _under(self) -> int | None:
        return len(self.headings) - 1 if self.headings else None

    def _inline(self, token: Token, opening: Token, parent: Token | None) -> None:
        children = token.children or []
        _join_lines(children)
        # A paragraph with embedded notes comes in pieces: what concerns all of it is done once.
        place, goes_on = self._place, self._place is not None and self._place.is_that_of(token)
        if place is None or not goes_on:
            place = self._place = _Place(self, token, cell=opening.type in ("td_open", "th_open"))
        text, spans = _read_children(children)
        in_item = opening.type == "paragraph_open" and parent is not None and parent.type == "list_item_open"
        for child, start, end in spans:
            if child.type in ("wikilink", "link_open", "image"):
                self._link(child, place, text, (start, end), in_item=in_item)
            elif child.type in ("remark", "malformed"):
                self._remark(child, place)
            elif child.type == "tag":
                child.meta["tag"] = self.tags.setdefault(child.content, len(self.tags))
            elif child.type == "html_inline":
                if "memsite-ignore" in child.content:
                    self._ignore(child.content, place(token.content.find(child.content))[0])
                child.content = self._raw(child.content, place.row(0))
        if not goes_on and ".md)" in token.content and (found := _SPACE_IN_LINK.search(token.content)):
            hint = "Write <...> around the target, or %20 for the blank."
            message = "a blank in the target keeps this from being a link"
            self._add(place(found.start()), message, hint, "info")
        base = self._length
        self.opaque += [
            (base + start, base + end) for child, start, end in spans if child.type in _OPAQUE and end > start
        ]
        self._block(text)
        place.leave()

    def _add(self, place: tuple[int, int], message: str, hint: str, severity: Severity | None) -> None:
        if len(self.findings) < _MOST_FINDINGS:
            self.findings.append(Finding("W007", *place, message, hint, severity))

    def _remark(self, token: Token, place: _Place) -> None:
        hint = "Write [[name]] or [[name|shown text]]."
        self._add(place(token.meta["pos"]), token.meta["message"], hint, token.meta["severity"])

    def _link(self, token: Token, place: _Place, text: str, span: tuple[int, int], *, in_item: bool) -> None:
        written = _written(token, text[span[0] : span[1]])
        if written is None:
            return
        line, column = place(token.meta.get("pos", 0))
        relation = None
        if in_item and token.type == "wikilink":
            start = token.meta["pos"]
            relation = relation_of(place.text, start, start + len(token.content))
        if relation:
            self.relations.setdefault(relation)
        context = _sentence(text, *span)
        if not context.link:
            context = replace(context, link=written.label or written.target)
        token.meta["link"] = len(self.links)
        self.links.append(
            replace(
                written, line=line, column=column, context=context, heading=self._under(), relation=relation
            )
        )


def _as_picture(link: Link, values: Mapping[str, str]) -> Link:
    width, height, alt = values.get("width", ""), values.get("height", ""), values.get("alt", "")
    size = (f"{width}x{height}" if height.isdigit() else width) if width.isdigit() else None
    return replace(link, label=alt or None, context=Context("", alt, ""), embed=True, image=True, size=size)


_OPAQUE = frozenset(
    {"wikilink", "link_open", "image", "code_inline", "math_inline", "math_inline_double", "tag"}
)


def _written(token: Token, shown: str) -> Link | None:
    """What a link token says, its place still open; None where it leads out and is no link of ours."""
    here = (0, 0, Context("", "", ""))
    meta = token.meta
    if token.type == "wikilink":
        image = meta["embed"] and is_file(meta["target"])
        return Link(
            "wiki", meta["target"], meta["label"], *here, embed=meta["embed"], image=image, size=meta["size"]
        )
    title = str(token.attrGet("title") or "") or None
    if token.type == "image":
        sized = _ALT_SIZE.match(shown)
        alt, size = (sized[1], sized[2]) if sized else (shown, None)
        target, image = _target(str(token.attrGet("src") or ""), image=True), not _is_note_embed(token)
        link = Link("markdown", target, alt or None, *here, embed=True, image=image, size=size, title=title)
    else:
        target = _target(str(token.attrGet("href") or ""), image=False)
        link = Link("markdown", target, shown, *here, title=title)
    return link if target else None


def _target(href: str, *, image: bool) -> str:
    """`href` percent-decoded once; empty where it leads out and needs no resolving."""
    if _EXTERNAL.match(href):
        return href if image and _REMOTE.match(href) else ""
    return unquote(href)


_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Letters and signs of Chinese and Japanese, which no blank separates."""


def _join_lines(children: list[Token]) -> None:
    """A line that ends in the middle of Chinese or Japanese text ends without a blank."""
    for before, token, after in zip(children, children[1:], children[2:], strict=False):
        if token.type == "softbreak" and before.type == after.type == "text":
            ends = before.content[-1:] + after.content[:1]
            if len(_UNSPACED.findall(ends)) == 2:
                token.type, token.content = "text", ""


_SHOWN = frozenset({"code_inline", "malformed", "math_inline", "math_inline_double", "text_special"})


def plain(children: list[Token]) -> str:
    """The visible text of inline tokens."""
    return _read_children(children)[0]


def _read_children(children: list[Token]) -> tuple[str, list[tuple[Token, int, int]]]:
    """The visible text of `children`, and where in it each token of interest stands."""
    pieces: list[str] = []
    spans: list[tuple[Token, int, int]] = []
    length = 0
    opened: list[tuple[int, Token, int]] = []
    for token in children:
        kind = token.type
        if kind == "text":
            piece = token.content.replace(GONE, "")
        elif kind in ("softbreak", "hardbreak"):
            piece = "\n" if kind == "hardbreak" else " "
        elif kind == "wikilink":
            piece = token.meta["label"] or ("" if token.meta["embed"] else token.meta["target"])
        elif kind == "image":
            piece = plain(token.children or [])
        elif kind == "tag":
            piece = "#" + token.content
        elif kind in _SHOWN or (kind == "html_inline" and is_a_word(token.content)):
            piece = token.content
        else:
            piece = ""
        if kind == "link_open":
            opened.append((len(spans), token, length))
            spans.append((token, length, length))
        elif kind == "link_close" and opened:
            position, opening, start = opened.pop()
            spans[position] = (opening, start, length)
        elif kind not in ("text", "softbreak", "hardbreak"):
            spans.append((token, length, length + len(piece)))
        if piece:
            pieces.append(piece)
            length += len(piece)
    return "".join(pieces), spans


def _sentence(text: str, start: int, end: int) -> Context:
    """The sentence of `text` around `text[start:end]`, at most 160 characters on each side."""
    floor, ceiling = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    before, after = text[floor:start], text[end:ceiling]
    for stop in _SENTENCE_END.finditer(before):
        floor = start - len(before) + stop.end()
    if following := _SENTENCE_END.search(after):
        ceiling = end + following.start()
    head = ("…" if floor and floor == start - _CONTEXT else "") + text[floor:start]
    tail = text[end:ceiling] + ("…" if ceiling == end + _CONTEXT < len(text) else "")
    return Context(head.lstrip(), text[start:end], tail.rstrip())


class _Place:
    """Turns an offset in an inline text into line and column of the file.

    Block parsing took quote marks, list indents and table bars off the lines; what is left of a line
    is found again in the line it came from.
    """

    def __init__(self, outline: Outline, token: Token, *, cell: bool) -> None:
        self.outline = outline
        self.text = token.content
        self.map = token.map
        self.first_row = token.map[0] if token.map else outline._row
        self.cell = cell
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        # For each line that was asked for: how far its text stands to the right in the file.
        self.shifts: dict[int, int | None] = {}

    def is_that_of(self, token: Token) -> bool:
        return self.text is token.content and self.map is token.map is not None

    def row(self, number: int) -> int:
        return min(self.first_row + number, len(self.outline.lines) - 1)

    def __call__(self, offset: int) -> tuple[int, int]:
        number = bisect_right(self.starts, offset) - 1
        start = self.starts[number]
        if number not in self.shifts:
            self.shifts[number] = self._shift(number)
        shift = self.shifts[number]
        if shift is None:
            column = 1
        else:
            column = offset - start + shift + 1
            if self.cell:
                column += self.text.count("|", start, offset)
        return self.outline.first_line + self.row(number), max(1, column)

    def _shift(self, number: int) -> int | None:
        start = self.starts[number]
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else None
        piece = self.text[start:end]
        bare = piece.lstrip()
        line = self.outline.lines[self.row(number)]
        after = self.outline._cell_ends.get(self.row(number), 0) if self.cell else 0
        found = line.find(_escaped(bare) if self.cell else bare, after)
        return found - (len(piece) - len(bare)) if found >= 0 else None

    def leave(self) -> None:
        """Remembers where a table cell ended, so that the next one is looked for behind it."""
        if not self.cell or not self.text:
            return
        row = self.row(0)
        written = _escaped(self.text)
        found = self.outline.lines[row].find(written, self.outline._cell_ends.get(row, 0))
        if found >= 0:
            self.outline._cell_ends[row] = found + len(written)


def _escaped(cell: str) -> str:
    """A table cell as it stands in the file: there its bars are escaped."""
    return cell.replace("|", "\\|")


def embeds_apart(tokens: list[Token]) -> list[Token]:
    """`tokens` with each embedded note in a paragraph made a block of its own: `<p>` may hold no
    block. Where an embed stands inside a heading, a table cell or emphasis it becomes a link."""
    made: list[Token] = []
    closing: Token | None = None
    for index, token in enumerate(tokens):
        if token is closing:
            continue
        if token.type != "inline" or not any(_is_note_embed(child) for child in token.children or []):
            made.append(token)
        elif tokens[index - 1].type == "paragraph_open":
            closing = tokens[index + 1]
            made += _apart(token, made.pop(), closing)
        else:
            _demote(token.children or [])
            made.append(token)
    return made


def _is_note_embed(token: Token) -> bool:
    """`![[note]]`, or `![](note.md)`, which Obsidian shows alike."""
    if token.type == "image":
        return token.meta.get("embed", True) and _NOTE_FILE.match(str(token.attrGet("src"))) is not None
    return token.type == "wikilink" and bool(token.meta["embed"]) and not is_file(token.meta["target"])


def _demote(children: list[Token]) -> None:
    for child in children:
        if _is_note_embed(child):
            child.meta["embed"] = False


_SILENT = frozenset({"text", "softbreak", "hardbreak", "remark"})


def _says_something(run: list[Token]) -> bool:
    return any(child.content.strip() or child.type not in _SILENT for child in run)


def _apart(inline: Token, opening: Token, closing: Token) -> Iterator[Token]:
    """One paragraph as several: its text before, between and after the embedded notes."""
    runs: list[list[Token]] = [[]]
    depth = 0
    for child in inline.children or []:
        if depth == 0 and _is_note_embed(child):
            runs += [[child], []]
        else:
            _demote([child])
            runs[-1].append(child)
        depth += child.nesting
    last = max((n for n, run in enumerate(runs) if n % 2 == 0 and _says_something(run)), default=0)
    for number, run in enumerate(runs):
        text = replace(inline, children=run)
        if number % 2:
            yield text
        elif _says_something(run):
            # The block id stands at the end of a paragraph, so it is that of the last piece.
            begin = opening if number == last else replace(opening, meta={})
            yield from (begin, text, closing)
