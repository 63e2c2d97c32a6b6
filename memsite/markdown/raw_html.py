"""Raw HTML of a note, made so that no piece of it reaches over what comes after.

A browser reads on to the end of the page after `<script>`, `<!--` or `<a title="` that nothing closes,
and so would the sanitiser: the rest of the note would be gone. What is not closed in its own piece is
shown as text instead, and so is what looks like a tag and is none. Safety is the sanitiser's business,
not this module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape

# After these a parser no longer reads tags, or reads them by other rules.
_SWALLOWING = frozenset(
    "script style textarea title xmp iframe noembed noframes noscript plaintext select template svg math"
    " frameset".split()
)
# These speak to the browser, not to the reader, and act before any policy of the page does.
_SILENT = frozenset({"meta", "base", "link"})
# What the sanitiser takes for HTML: it keeps the element or drops its tags. Whatever else stands between
# angle brackets is a word of the author, such as `<path>`. Names of SVG and MathML it would drop with all
# that comes after them.
_HTML = frozenset(
    "a abbr acronym address applet area article aside audio b bdi bdo big blink blockquote body br"
    " button canvas caption center cite code col colgroup datalist dd del details dfn dialog dir div dl"
    " dt em embed fieldset figcaption figure font footer form frame h1 h2 h3 h4 h5 h6 head header hgroup"
    " hr html i img input ins kbd keygen label legend li main map mark marquee menu meter nav nobr"
    " object ol optgroup option output p param picture pre progress q rb rp rt rtc ruby s samp search"
    " section small source span strike strong sub summary sup table tbody td tfoot th thead time tr"
    " track tt u ul var video wbr".split()
)
_KNOWN = _HTML | _SWALLOWING | _SILENT
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


def is_a_word(tag: str) -> bool:
    """Whether a whole tag is of no element that HTML knows: a word between angle brackets."""
    found = _TAG.match(tag)
    return found is not None and found[1] is not None and found[1].lower() not in _KNOWN


def text_of(html: str) -> str:
    """What a reader sees of raw HTML: its words without tags, blanks made one."""
    return unescape(" ".join(_TAG.sub(" ", contained(html)).split()))


def _outside(html: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> Iterator[str]:
    position = 0
    while (start := opening.search(html, position)) and (end := closing.search(html, start.end())):
        yield html[position : start.start()]
        position = end.end()
    yield html[position:]


def _closed(found: re.Match[str]) -> str:
    name = found[1]
    if name:
        if name.lower() in _SILENT:
            return ""
        return found[0] if name.lower() in _HTML else escape(found[0])
    return "" if len(found[0]) > 1 else "&lt;"
