"""parse: the bytes of a note -> Document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from memsite.markdown import front_matter, render
from memsite.markdown.comments import blank_comments
from memsite.markdown.encoding import encoding_of
from memsite.markdown.hidden import hidden, neutral, suspicious
from memsite.markdown.outline import Outline, embeds_apart
from memsite.markdown.syntax import syntax_plugin
from memsite.markdown.wikilink import wikilink_plugin
from memsite.note import Context, Document, Finding, Link, PropertyValue

_LINK_KEYS = frozenset({"related", "up", "parent", "links", "supersededBy", "superseded_by"})
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|]+?)(?:\\?\|([^\[\]]*))?\]\]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_SAFE_SCHEMES = ("http:", "https:", "mailto:", "memory:")
# Beyond this a page is of no use to anybody, and no parser is fast any more.
_MAX_TEXT = 2_500_000


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """The one parser: CommonMark, tables, strikethrough, footnotes, math, and what notes add."""
    md = MarkdownIt("js-default", {"html": True, "linkify": False, "typographer": False})
    md.use(footnote_plugin)
    md.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    md.use(wikilink_plugin)
    md.use(syntax_plugin)
    md.disable(["replacements", "smartquotes", "linkify"])
    md.validateLink = _is_safe  # type: ignore[method-assign]
    render.install_rules(md)
    return md


def _is_safe(url: str) -> bool:
    """Only http(s), mail, memory:// and what has no scheme; control characters hide no scheme.

    `[source]: [[x]]` and `[t]([[x]])` are text with a WikiLink in it, no link to a place called `[[x]]`.
    """
    bare = re.sub(r"[\x00-\x20]", "", unquote(url))
    if bare.startswith("[["):
        return False
    scheme = _SCHEME.match(bare)
    return scheme is None or scheme.group().lower() in _SAFE_SCHEMES


# An edit asks about the same text three times: for its links, for what was wrong, for what is now.
@lru_cache(maxsize=4)
def parse(content: bytes) -> Document:
    """All that `content`, the exact bytes of a note, says on its own. Never raises."""
    checksum = hashlib.sha256(content).hexdigest()
    text, findings = _decoded(content)
    front = front_matter.read(text)
    body = text[front.end :]
    first_line = text.count("\n", 0, front.end) + 1
    if len(body) > _MAX_TEXT:
        findings.append(Finding("W016", first_line, 1, f"the text is cut off after {_MAX_TEXT:,} characters"))
        body = body[:_MAX_TEXT]
    outline, fragments, slots = _body(body, first_line, checksum)
    properties = _property_links(front)
    return Document(
        properties=front.properties,
        fragments=tuple(fragments),
        slots=tuple(slots),
        links=(*outline.links, *(link for link, _ in properties)),
        headings=tuple(outline.headings),
        blocks=tuple(outline.blocks),
        tags=tuple(outline.tags),
        text="\n".join(outline.text),
        opaque=tuple(outline.opaque),
        lead=outline.lead,
        after_lead=_after_lead(fragments) if outline.lead else (0, 0),
        relations=tuple(outline.relations),
        front_matter=front.block,
        front_matter_ok=front.ok,
        words=_words(outline.text),
        ignores=tuple(outline.ignores),
        features=frozenset(outline.features),
        findings=tuple(sorted(
            (*findings, *front.findings, *outline.findings, *(found for _, found in properties if found)),
            key=lambda found: (found.line, found.column, found.code),
        )),
    )  # fmt: skip


def parse_front_matter(content: bytes) -> Document:
    """What the front matter of `content` says, without a look at its text. Never raises."""
    front = front_matter.read(_decoded(content)[0])
    return Document(
        properties=front.properties,
        fragments=("",),
        slots=(),
        links=(),
        headings=(),
        blocks=(),
        tags=(),
        text="",
        opaque=(),
        lead="",
        front_matter=front.block,
        front_matter_ok=front.ok,
    )


def _decoded(content: bytes) -> tuple[str, list[Finding]]:
    """The text of `content` with LF line ends and nothing hidden in it, and what was wrong."""
    findings: list[Finding] = []
    encoding = encoding_of(content)
    if encoding != "utf-8":
        text = content.decode(encoding, errors="replace")
        message = f"the file is {encoding.upper()}, not UTF-8"
        findings.append(Finding("W016", 1, 1, message, "Convert it to UTF-8."))
    else:
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            text = content.decode(errors="replace")
            line = content.count(b"\n", 0, error.start) + 1
            column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
            message = f"the file is not UTF-8, first bad byte at offset {error.start}"
            findings.append(
                Finding("W016", line, column, message, "Convert it to UTF-8, naming its present encoding.")
            )
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if suspicious(text):
        findings += hidden(text)
        if "\x00" in text:
            offset = text.index("\x00")
            line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
            findings.append(Finding("W016", line, column, "the file holds NUL bytes", "Remove them."))
        text = neutral(text)
    return text, findings


def _body(body: str, first_line: int, checksum: str) -> tuple[Outline, list[str], list[int]]:
    md = markdown()
    body = blank_comments(body, md)
    outline = Outline(render.marker_of(checksum), body.split("\n"), first_line)
    env: dict[str, Any] = {"marker": outline.marker, "features": outline.features}
    tokens = embeds_apart(md.parse(body, env))
    outline.read(tokens)
    env["anchors"] = {heading.anchor for heading in outline.headings}
    fragments, slots = render.render(tokens, md, env)
    return outline, fragments, slots


def _after_lead(fragments: list[str]) -> tuple[int, int]:
    for number, fragment in enumerate(fragments):
        if (end := fragment.find("</h1>")) >= 0:
            return number, end + len("</h1>")
    return 0, 0


_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _words(blocks: list[str]) -> int:
    """Words of the body; each CJK character counts as one."""
    total = 0
    for block in blocks:
        total += (
            len(block.split())
            if block.isascii()
            else len(_CJK.sub(" ", block).split()) + len(_CJK.findall(block))
        )
    return total


def _property_links(front: front_matter.FrontMatter) -> list[tuple[Link, Finding | None]]:
    """Links in front matter: values that are WikiLinks, and names listed under `related` and its like."""
    found: list[tuple[Link, Finding | None]] = []
    for key, value in front.properties.items():
        line = front_matter.key_line(front.block, key)
        named = key in _LINK_KEYS
        for written, nested in _values(value):
            matches = list(_WIKILINK.finditer(written))
            if nested and len(value) == 1 and not matches:
                warning = Finding(
                    "W010",
                    line,
                    1,
                    f'quote this value: `{key}: "[[{written}]]"`, YAML reads a list here',
                    severity="info",
                )
                found.append((_property_link(key, written, None, front.block, line), warning))
            elif matches:
                found += [
                    (_property_link(key, match[2].strip(), match[3], front.block, line), None)
                    for match in matches
                ]
            elif named and written.strip():
                found.append((_property_link(key, written.strip(), None, front.block, line), None))
    return found


def _property_link(key: str, target: str, label: str | None, block: str, line: int) -> Link:
    rows = block.split("\n")
    row = next((number for number in range(line - 2, len(rows)) if target in rows[number]), line - 2)
    column = rows[row].find(target) + 1 if 0 <= row < len(rows) else 1
    context = Context(f"{key}: ", (label or "").strip() or target, "")
    return Link(
        "property", target, (label or "").strip() or None, row + 2, max(1, column), context, relation=key
    )


def _values(value: PropertyValue, depth: int = 0) -> Iterator[tuple[str, bool]]:
    """The scalars in `value`, each with whether it is the only one of a list in a list (`[[x]]`)."""
    if isinstance(value, str):
        yield value, False
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _values(inner, depth + 1)
    else:
        for inner in value:
            if depth == 0 and isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], str):
                yield inner[0], True
            else:
                yield from _values(inner, depth + 1)
