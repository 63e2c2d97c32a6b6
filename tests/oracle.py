"""What must not be in a page, as html5lib reads it, which reads like a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import html5lib

from memsite.note import Document

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
MATH = "{http://www.w3.org/1998/Math/MathML}"

ELEMENTS = frozenset(
    "a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i"
    " img ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th"
    " thead tr u ul var math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom"
    " menclose msub msup msubsup munder mover munderover mtable mtr mtd".split()
)
"""What the text of a note may be made of."""
ATTRIBUTES = frozenset(
    "href title id class align start open colspan rowspan scope rel tabindex role aria-label data-language"
    " display mathvariant stretchy fence form separator accent accentunder displaystyle scriptlevel lspace"
    " rspace linethickness columnalign minsize maxsize width notation".split()
)

# What else the frame of a page is made of. Vector pictures of ours are shapes and text.
_FRAME = frozenset(
    "html head meta title link script body header nav main aside footer article section input label button form"
    " select option noscript time small strong output details summary svg".split()
)
_SHAPES = frozenset("svg path circle rect line text g title polyline".split())
_URLS = (
    "href",
    "src",
    "srcset",
    "action",
    "formaction",
    "data",
    "poster",
    "background",
    "ping",
    "cite",
    "xlink:href",
)
_POLICY = "Content-Security-Policy"
_OUTWARD = ("http:", "https:", "mailto:")


def page_faults(html: str) -> list[str]:
    """What is wrong with a whole page: an element or attribute that is none of ours, a script or style
    in the page, an address that runs or loads something from elsewhere, a frame that is not whole."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    tree = parser.parse(html)
    parents = {child: parent for parent in tree.iter() for child in parent}
    found = [fault for element in tree.iter() for fault in _element(element)]
    head = tree.find(f"{XHTML}head")
    if [one.get("charset") or one.get("http-equiv") for one in list(head)[:2]] != ["utf-8", _POLICY]:
        found.append("the policy does not come first")
    for tag in ("html", "head", "body", "main"):
        if sum(one.tag == XHTML + tag for one in tree.iter()) != 1:
            found.append(f"not one <{tag}>")
    for element in tree.iter():
        if element.get("id") in ("ms-body", "ms-status") and not _in_place(element, parents):
            found.append(f"#{element.get('id')} lies in a wrong place")
    named = [one.get("id") for one in tree.iter() if isinstance(one.tag, str) and one.get("id") is not None]
    found += [f"id {name!r} twice" for name in sorted({one for one in named if named.count(one) > 1})]
    return found


def _in_place(element: Any, parents: dict[Any, Any]) -> bool:
    above = []
    while element in parents:
        element = parents[element]
        above.append((element.tag.rpartition("}")[2], element.get("class")))
    if above[0] == ("body", None):
        return True
    return [name for name, _ in above] in (
        ["article", "main", "div", "body", "html"],
        ["section", "main", "div", "body", "html"],
    )


def _element(element: Any) -> Iterator[str]:
    if not isinstance(element.tag, str):
        yield "a comment"
        return
    name = element.tag.rpartition("}")[2]
    allowed = _SHAPES if element.tag.startswith(SVG) else ELEMENTS | _FRAME
    if name not in allowed:
        yield f"<{name}>"
    if name == "script" and ("src" not in element.attrib or (element.text or "").strip()):
        yield "a script in the page"
    if name == "meta" and element.get("http-equiv") not in (None, _POLICY):
        yield f"<meta {element.get('http-equiv')}>"
    for attribute, value in element.attrib.items():
        key = str(attribute).rpartition("}")[2].lower()
        if key.startswith("on") or key in ("style", "srcdoc", "srcset", "ping", "formaction", "background"):
            yield f"<{name} {key}>"
        elif key in _URLS:
            yield from _address(name, key, value)


def _address(name: str, key: str, value: str) -> Iterator[str]:
    """A browser drops control characters and blanks before it looks for a scheme."""
    plain = re.sub(r"[\x00-\x20]", "", value).replace("\\", "/")
    scheme = re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", plain)
    if scheme and scheme[0].lower() not in _OUTWARD:
        yield f"<{name} {key}={value!r}>"
    is_link = name == "a" or name == "link"
    if (scheme or plain.startswith("//")) and not is_link:
        yield f"<{name} {key}={value!r}> from elsewhere"


def filled(document: Document) -> str:
    """The body of a note with harmless slots: what a page would put there, in short."""
    html = document.fragments[0]
    for slot, fragment in zip(document.slots, document.fragments[1:], strict=True):
        embed = slot >= 0 and document.links[slot].embed
        html += ("<span>embed</span>" if embed else '<a href="x.html">') + fragment
    return html


def fragment_faults(html: str) -> list[str]:
    """What is wrong with the text of a note alone: only what is listed may be there."""
    found: list[str] = []
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    for element in tree.iter():
        if not isinstance(element.tag, str):
            found.append("a comment")
            continue
        name = element.tag.rpartition("}")[2]
        if name not in ELEMENTS and name != "DOCUMENT_FRAGMENT":
            found.append(f"<{name}>")
        for attribute, value in element.attrib.items():
            if str(attribute) not in ATTRIBUTES:
                found.append(f"{name} {attribute}")
            if attribute == "href" and not re.match(r"https?:|mailto:|\?|#|x\.html$|//", value):
                found.append(f"href {value}")
            if attribute == "class" and not re.fullmatch(r"[\w -]*", value):
                found.append(f"class {value}")
    return found


def is_balanced(html: str) -> bool:
    """Whether the text of a note stays inside the element it is put into and closes all that it opens."""
    around = f'<main><article><div id="body">{html}</div><p id="after">x</p></article></main>'
    tree = html5lib.parse(f"<!doctype html><title>t</title>{around}")
    body = tree.find(f"{XHTML}body")
    article = body.find(f"{XHTML}main/{XHTML}article") if len(body) == 1 else None
    return (
        article is not None
        and [one.get("id") for one in article] == ["body", "after"]
        and not any((article.text, article[0].tail, article[1].tail))
    )
