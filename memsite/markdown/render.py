"""Tokens -> sanitised HTML, cut into fragments at the slots of its links.

What our own rules make is told from what the note wrote by a marker: a word taken from the checksum
of the note's bytes, which no note can hold. Only ids, classes and slots that carry it survive; code,
math and diagrams are written by us with everything escaped and put in after the sanitiser, so that
it has less to do.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memsite.markdown.comments import GONE
from memsite.markdown.names import slug
from memsite.markdown.raw_html import contained

if TYPE_CHECKING:
    from pygments.formatters import HtmlFormatter
    from pygments.lexer import Lexer

_TAGS = set(
    "a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i"
    " img ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th"
    " thead tr u ul var".split()
)
_WITH_ID = (
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "p",
    "ul",
    "ol",
    "blockquote",
    "div",
    "details",
    "table",
    "a",
    "hr",
)
_WITH_CLASS = (
    "div",
    "details",
    "summary",
    "p",
    "section",
    "ul",
    "ol",
    "li",
    "span",
    "sup",
    "a",
    "blockquote",
    "th",
    "td",
)
_CELL = {"align", "colspan", "rowspan", "scope"}
_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title"},
    "img": {"src"},
    "ol": {"start"},
    "td": _CELL,
    "th": _CELL,
    "details": {"open"},
    "abbr": {"title"},
}
for _tag in _WITH_ID:
    _ATTRIBUTES[_tag] = _ATTRIBUTES.get(_tag, set()) | {"id"}
for _tag in _WITH_CLASS:
    _ATTRIBUTES[_tag] = _ATTRIBUTES.get(_tag, set()) | {"class"}
_OUTWARD = re.compile(r"(?:https?:|mailto:)", re.IGNORECASE)
_OWN_PAGE = re.compile(r'(<a href="#[^"]*"[^>]*?) rel="[^"]*"')
_SLOT = re.compile(r'<(?:a|img)\b[^>]*?"(m[0-9a-f]{24})/([a-z])(\d+)"[^>]*>')
_HIGHLIGHT_LIMIT = 50_000
_current = threading.local()


def _attribute(_: str, name: str, value: str) -> str | None:
    """Keeps what carries the note's marker and what can do no harm; takes the marker off."""
    marker: str = _current.marker
    if name == "class" or name == "id":
        return value[len(marker) + 1 :] if value.startswith(marker) else None
    if name == "href":
        if value.startswith(marker) or _OUTWARD.match(value):
            return value
        if value.startswith("#" + marker):
            return "#" + value[len(marker) + 2 :]
        own = value.startswith("?") or (value[:1] == "#" and value[1:] in _current.anchors)
        return value if own else None
    if name == "src":
        return value if value.startswith(marker) else None
    return value


_cleaner = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)
_math_cleaner = nh3.Cleaner(
    tags=set(
        "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub"
        " msup msubsup munder mover munderover mtable mtr mtd".split()
    ),
    attributes={
        "*": {
            "mathvariant",
            "stretchy",
            "fence",
            "form",
            "separator",
            "accent",
            "accentunder",
            "displaystyle",
            "scriptlevel",
            "lspace",
            "rspace",
            "linethickness",
            "columnalign",
            "minsize",
            "maxsize",
            "width",
            "notation",
        },
        "math": {"display"},
    },
)


def marker_of(checksum: str) -> str:
    return "m" + checksum[:24]


def render(tokens: Sequence[Token], md: MarkdownIt, env: dict[str, Any]) -> tuple[list[str], list[int]]:
    """Fragments and slots of `Document`. `env` holds `marker` and `anchors` from the outline."""
    env["chunks"] = []
    dirty = str(md.renderer.render(tokens, md.options, env)).replace(GONE, "")
    _current.marker, _current.anchors = env["marker"], env["anchors"]
    html = _cleaner.clean(dirty)
    return _cut(html, env["marker"], env["chunks"])


def _cut(html: str, marker: str, chunks: list[str]) -> tuple[list[str], list[int]]:
    """`html` cut at the tags that stand for slots, with our own pieces in their places."""
    html = html.replace(
        '<div class="table-scroll">',
        '<div class="table-scroll" tabindex="0" role="group" aria-label="Table">',
    )
    if 'href="#' in html:
        html = _OWN_PAGE.sub(r"\1", html)
    fragments: list[str] = []
    slots: list[int] = []
    pieces: list[str] = []
    position = 0
    for found in _SLOT.finditer(html):
        if found[1] != marker:
            continue
        pieces.append(html[position : found.start()])
        position = found.end()
        kind, number = found[2], int(found[3])
        if kind == "c":
            pieces.append(chunks[number])
        else:
            fragments.append("".join(pieces))
            pieces = []
            slots.append(-1 - number if kind == "t" else number)
    return [*fragments, "".join(pieces) + html[position:]], slots


def install_rules(md: MarkdownIt) -> None:
    """Gives `md` our render rules; everything else is markdown-it's own."""
    for name, rule in _RULES.items():
        md.add_render_rule(name, _bound(rule))


_Rule = Callable[[Token, dict[str, Any]], str]


def _bound(rule: _Rule) -> Callable[..., str]:
    def render_rule(_: object, tokens: Sequence[Token], index: int, __: object, env: dict[str, Any]) -> str:
        return rule(tokens[index], env)

    return render_rule


def _ours(env: dict[str, Any], classes: str) -> str:
    return f' class="{env["marker"]} {classes}"'


def _id(token: Token, env: dict[str, Any]) -> str:
    if anchor := token.meta.get("anchor"):
        return f' id="{env["marker"]} {escape(anchor)}"'
    if block := token.meta.get("block"):
        return f' id="{env["marker"]} ^{escape(block)}"'
    return ""


def _chunk(env: dict[str, Any], html: str) -> str:
    # Where taking a comment out makes code of what was none, its marks are still there.
    env["chunks"].append(html.replace(GONE, ""))
    return f'<img src="{env["marker"]}/c{len(env["chunks"]) - 1}">'


def _wikilink(token: Token, env: dict[str, Any]) -> str:
    number = token.meta["link"]
    if token.meta["embed"]:
        return f'<img src="{env["marker"]}/e{number}">'
    label = escape(token.meta["label"] or token.meta["target"])
    return f'<a href="{env["marker"]}/l{number}">{label}</a>'


def _link_open(token: Token, env: dict[str, Any]) -> str:
    if "link" in token.meta:
        return f'<a href="{env["marker"]}/l{token.meta["link"]}">'
    title = token.attrGet("title")
    shown = f' title="{escape(str(title))}"' if title else ""
    return f'<a href="{escape(str(token.attrGet("href") or ""))}"{shown}>'


def _image(token: Token, env: dict[str, Any]) -> str:
    if "link" not in token.meta:
        return escape(token.content)
    return f'<img src="{env["marker"]}/e{token.meta["link"]}">'


def _tag_rule(token: Token, env: dict[str, Any]) -> str:
    return f'<a href="{env["marker"]}/t{token.meta["tag"]}">#{escape(token.content)}</a>'


def _open(token: Token, env: dict[str, Any]) -> str:
    align = re.search(r"text-align:(left|right|center)", str(token.attrGet("style") or ""))
    classes = " ".join((*str(token.attrGet("class") or "").split(), *((f"to-{align[1]}",) if align else ())))
    start = token.attrGet("start")
    return (
        f"<{token.tag}{_id(token, env)}{_ours(env, classes) if classes else ''}"
        f"{f' start={start}' if start else ''}>"
    )


def _item_open(token: Token, env: dict[str, Any]) -> str:
    if (task := token.meta.get("task")) is None:
        return f"<li{_id(token, env)}>"
    done = task in "xX"
    classes = "task task-done" if done else "task"
    box = "☑" if done else "☐"
    return f"<li{_id(token, env)}{_ours(env, classes)}><span{_ours(env, 'task-box')}>{box}</span> "


def _list_open(token: Token, env: dict[str, Any]) -> str:
    start = token.attrGet("start")
    number = f' start="{start}"' if start else ""
    tasks = _ours(env, "task-list") if token.meta.get("tasks") else ""
    return f"<{token.tag}{_id(token, env)}{tasks}{number}>\n"


def _paragraph_open(token: Token, env: dict[str, Any]) -> str:
    return "" if token.hidden else f"<p{_id(token, env)}>"


def _callout_open(token: Token, env: dict[str, Any]) -> str:
    kind = slug(token.meta["kind"]) or "note"
    opened = " open" if token.tag == "details" and token.meta["open"] else ""
    return f"<{token.tag}{_id(token, env)}{_ours(env, f'callout callout-{kind}')}{opened}>\n"


def _fence(token: Token, env: dict[str, Any]) -> str:
    language = token.info.strip().split(maxsplit=1)[0].strip("{}.") if token.info.strip() else ""
    if language == "mermaid":
        env["features"].add("mermaid")
        return _chunk(env, f'<pre class="mermaid">{escape(token.content)}</pre>\n')
    if language == "math":
        return _math_block(token, env)
    env["features"].add("code")
    shown = f' data-language="{escape(language)}"' if language else ""
    code = _highlighted(token.content, language)
    return _chunk(env, f'<pre class="highlight" tabindex="0"{shown}><code>{code}</code></pre>\n')


def _highlighted(code: str, language: str) -> str:
    """`code` with Pygments' classes, escaped; plain where the language is unknown or the text long."""
    lexer = _lexer(language.lower()) if language and len(code) < _HIGHLIGHT_LIMIT else None
    if lexer is None:
        return escape(code, quote=False)
    from pygments import highlight

    return str(highlight(code, lexer, _formatter()))


@lru_cache(maxsize=1)
def _formatter() -> HtmlFormatter[str]:
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter(nowrap=True)


@lru_cache(maxsize=128)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None


def _math(source: str, env: dict[str, Any], *, block: bool) -> str:
    env["features"].add("math")
    markup = _mathml(source.strip(), "block" if block else "inline")
    return _chunk(env, f'<span class="math{" math-block" if block else ""}">{markup}</span>')


@lru_cache(maxsize=1024)
def _mathml(source: str, display: str) -> str:
    """MathML for a piece of LaTeX; the source itself where it cannot be read."""
    from latex2mathml.converter import convert

    try:
        converted = convert(source, display=display) if len(source) < 5_000 else ""
    except Exception:  # the converter raises whatever its parser trips over
        converted = ""
    return _math_cleaner.clean(converted) if converted else f"<code>{escape(source)}</code>"


def _math_inline(token: Token, env: dict[str, Any]) -> str:
    return _math(token.content, env, block=False)


def _math_display(token: Token, env: dict[str, Any]) -> str:
    return _math(token.content, env, block=True)


def _math_block(token: Token, env: dict[str, Any]) -> str:
    return f"<p>{_math_display(token, env)}</p>\n"


def _footnote_ref(token: Token, env: dict[str, Any]) -> str:
    number = token.meta["id"] + 1
    again = f":{token.meta['subId']}" if token.meta.get("subId", 0) > 0 else ""
    mark = env["marker"]
    link = f'<a href="#{mark} fn:{number}" id="{mark} fnref:{number}{again}">{number}</a>'
    return f"<sup{_ours(env, 'footnote-ref')}>{link}</sup>"


def _footnote_anchor(token: Token, env: dict[str, Any]) -> str:
    number = token.meta["id"] + 1
    again = f":{token.meta['subId']}" if token.meta.get("subId", 0) > 0 else ""
    return f' <a href="#{env["marker"]} fnref:{number}{again}"{_ours(env, "footnote-backref")}>↩</a>'


_RULES: dict[str, _Rule] = {
    "wikilink": _wikilink,
    "malformed": lambda token, env: f"<span{_ours(env, 'malformed')}>{escape(token.content)}</span>",
    "remark": lambda token, env: "",
    "html_inline": lambda token, env: contained(token.content),
    "html_block": lambda token, env: contained(token.content),
    "link_open": _link_open,
    "image": _image,
    "tag": _tag_rule,
    "heading_open": _open,
    "blockquote_open": _open,
    "th_open": _open,
    "td_open": _open,
    "paragraph_open": _paragraph_open,
    "list_item_open": _item_open,
    "bullet_list_open": _list_open,
    "ordered_list_open": _list_open,
    "table_open": lambda token, env: f"<div{_ours(env, 'table-scroll')}><table{_id(token, env)}>\n",
    "table_close": lambda token, env: "</table></div>\n",
    "callout_open": _callout_open,
    "callout_title_open": lambda token, env: f"<{token.tag}{_ours(env, 'callout-title')}>",
    "callout_body_open": lambda token, env: f"<div{_ours(env, 'callout-body')}>\n",
    "fence": _fence,
    "code_block": _fence,
    "math_inline": _math_inline,
    "math_inline_double": _math_display,
    "math_block": _math_block,
    "math_block_label": _math_block,
    "footnote_ref": _footnote_ref,
    "footnote_anchor": _footnote_anchor,
    "footnote_block_open": lambda token, env: f"<section{_ours(env, 'footnotes')}>\n<ol>\n",
    "footnote_block_close": lambda token, env: "</ol>\n</section>\n",
    "footnote_open": lambda token, env: f'<li id="{env["marker"]} fn:{token.meta["id"] + 1}">',
    "footnote_close": lambda token, env: "</li>\n",
}
