"""WikiLinks as an inline rule of markdown-it: `[[target#heading|alias]]`, `![[embed|300x200]]`.

The parser is the only thing that finds links. The rule leaves a `wikilink` token whose `meta` says
what was written; malformed brackets stay text, in a `malformed` token or beside a `remark`, whose
`meta` says what is wrong and where (`pos`, an offset in the inline text).
"""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from memsite.note import Severity

_WELL_FORMED = re.compile(r"\[\[([^\[\]\n]*)\]\]")
_OVER_LINES = re.compile(r"\[\[[^\[\]\n]{1,120}\n[^\[\]\n]{1,120}\]\]")
# What follows an opening that never becomes a link: another bracket, the end of the line or text.
_UNCLOSED = re.compile(r"\[\[[^\[\]\n]*(?:\](?!\(|[^\[\]\n]*\][(\[])|\[|\n|\Z)")
_URL_AFTER = re.compile(r"\((?:https?|mailto):")
_RUN = re.compile(r"\[+|\]+")
_REST_OF_SCAR = re.compile(r"[^\[\]\n]*\]{2,}")
_BAR = re.compile(r"\\?\|")
_REACH = 500
"""Characters before a link in which the partner of a bracket behind it is looked for."""
_SIZE = re.compile(r"\d{1,5}(?:x\d{1,5})?$")
_FILE = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|bmp|pdf|txt|csv|canvas|base|excalidraw|mp[34]|webm|ogv|ogg|wav|m4a|flac|mov|mkv|zip)$",
    re.IGNORECASE,
)


def wikilink_plugin(md: MarkdownIt) -> None:
    """Puts the rule before markdown-it's own links, so that neither a reference definition nor
    emphasis wins over `[[x]]` and `[[a*b*]]`."""
    md.inline.ruler.before("link", "wikilink", _wikilink)


def is_file(target: str) -> bool:
    """Whether an embed of `target` can only be a picture or another file, by its name."""
    return _FILE.search(target.partition("#")[0]) is not None


def _wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    source, start = state.src, state.pos
    embed = source[start] == "!"
    opening = start + embed
    if not source.startswith("[[", opening) or (
        opening and source[opening - 1] == "[" and not _escaped(source, opening - 1)
    ):
        return False
    run = _RUN.match(source, opening)
    if run is None or run.end() - opening > 2:
        return not embed and _brackets(state, run, silent=silent)
    found = _WELL_FORMED.match(source, opening)
    if found is None:
        return _malformed(state, opening, silent=silent)
    if source.startswith("]", found.end()) and not _closes_another(source, opening, found.end()):
        closing = _RUN.match(source, found.end() - 2)
        end = closing.end() if closing else found.end()
        return _text(state, end, "a link with one bracket too many is text", silent=silent)
    link = _split(found[1], embed=embed)
    if link is None:
        return _text(state, found.end(), "an empty link is text", silent=silent)
    if _URL_AFTER.match(source, found.end()):
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = source[start : found.end()]
        token.meta = {**link, "pos": start, "embed": embed}
    state.pos = found.end()
    return True


def _split(inner: str, *, embed: bool) -> dict[str, Any] | None:
    """Target, label and size of what stands between the brackets; None when there is no target."""
    target, *rest = (part.strip() for part in _BAR.split(inner))
    if not target or not target.strip("#"):
        return None
    size = rest.pop() if embed and rest and _SIZE.match(rest[-1]) else None
    return {"target": target, "label": "|".join(rest).strip() or None, "size": size}


def _escaped(source: str, position: int) -> bool:
    """Whether the character at `position` stands behind an odd number of backslashes."""
    count = 0
    while position - count > 0 and source[position - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _closes_another(source: str, opening: int, end: int) -> bool:
    """Whether the one bracket at `end` belongs to one that stands open before the link: `[see [[x]]]`,
    `^[see [[x]]]`."""
    if source.startswith("]]", end):
        return False
    start = max(source.rfind("\n", 0, opening) + 1, opening - _REACH)
    return source.count("[", start, opening) - source.count("]", start, opening) == 1


def _brackets(state: StateInline, run: re.Match[str] | None, *, silent: bool) -> bool:
    """Three or more brackets are the scar of a bad edit: the whole run stays text."""
    if run is None:
        return False
    end = run.end()
    # `[[[[x]]]]` is one scar, not two: up to its closing brackets nothing in it is a link.
    if inner := _REST_OF_SCAR.match(state.src, end):
        end = inner.end()
    return _text(state, end, "nested brackets: the link is text", silent=silent)


def _malformed(state: StateInline, opening: int, *, silent: bool) -> bool:
    """Remarks on brackets that open no link, and leaves them to the other rules."""
    if silent:
        return False
    if _OVER_LINES.match(state.src, opening):
        _remark(state, "remark", "", opening, "the link is broken over two lines", "info")
    elif (unclosed := _UNCLOSED.match(state.src, opening)) and not unclosed.group().startswith("[[^"):
        _remark(state, "remark", "", opening, "the link is not closed", None)
    return False


def _text(state: StateInline, end: int, message: str, *, silent: bool) -> bool:
    if not silent:
        _remark(state, "malformed", state.src[state.pos : end], state.pos, message, None)
    state.pos = end
    return True


def _remark(
    state: StateInline, kind: str, written: str, pos: int, message: str, severity: Severity | None
) -> None:
    token = state.push(kind, "", 0)
    token.content = written
    token.meta = {"pos": pos, "message": message, "severity": severity}
