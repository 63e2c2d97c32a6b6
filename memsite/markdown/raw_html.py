"""Raw HTML of a note, made so that no piece of it reaches over what comes after.

A browser reads on to the end of the page after `<script>`, `<!--` or `<a title="` that nothing closes,
and so would the sanitiser: the rest of the note would be gone. What is not closed in its own piece is
shown as text instead. Safety is the sanitiser's business, not this module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

# After these a parser no longer reads tags, or reads them by other rules.
_SWALLOWING = frozenset(
    "script style textarea title xmp iframe noembed noframes noscript plaintext select template svg math"
    " frameset".split()
)
# Quotes hold no `<`, so that each try ends at the next one and the whole is linear.
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?:[^\"'<>]|\"[^\"<]*\"|'[^'<]*')*+>|<[!?][^<>]*>|<")
_DROPPED = (
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(r"<script\b", re.IGNORECASE), re.compile(r"</script\s*>", re.IGNORECASE)),
    (re.compile(r"<style\b", re.IGNORECASE), re.compile(r"</style\s*>", re.IGNORECASE)),
)


def contained(html: str) -> str:
    """`html` without comments, scripts and styles, and with what reaches beyond it turned to text."""
    if "<" not in html:
        return html
    for opening, closing in _DROPPED:
        html = "".join(_outside(html, opening, closing))
    return _TAG.sub(_closed, html)


def _outside(html: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> Iterator[str]:
    position = 0
    while (start := opening.search(html, position)) and (end := closing.search(html, start.end())):
        yield html[position : start.start()]
        position = end.end()
    yield html[position:]


def _closed(found: re.Match[str]) -> str:
    name = found[1]
    if name:
        return escape(found[0]) if name.lower() in _SWALLOWING else found[0]
    return "" if len(found[0]) > 1 else "&lt;"
