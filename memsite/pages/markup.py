"""Template filters that write the long lists of a page: links, sentences, neighbours.

A template loop costs several times as much for each of the dozens of links that a page has, and there
are ten thousand pages. Every value is escaped here, at the one place where it is put in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING

from memsite.pages.views import Entry, Group, Mentioning, Named, Quote

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_FOREIGN = ' rel="noopener noreferrer nofollow"'


def add_filters(environment: Environment, texts: SimpleNamespace) -> None:
    """Put the filters of this module into `environment`; `texts` are the words they use."""

    def mentioning(groups: Sequence[Group]) -> Markup:
        return _safe("".join(_group(group, texts, headed=len(groups) > 1) for group in groups))

    def figure(amount: int, noun: str) -> Markup:
        """`amount` with its noun, the number strong."""
        strong = f"<strong>{number(amount)}</strong>"
        form = vars(texts)[f"count_{noun}"]["one" if amount == 1 else "other"]
        return _safe(escape(form).replace("{n}", strong))

    environment.globals["figure"] = figure
    environment.filters["link"] = lambda named: _safe(_link(named))
    environment.filters["chips"] = lambda names: _safe("\n".join(map(_chip, names)))
    environment.filters["entries"] = lambda entries: _safe("\n".join(map(_entry, entries)))
    environment.filters["codes"] = lambda text: _safe(_codes(text))
    environment.filters["mentioning"] = mentioning


def _safe(html: str) -> Markup:
    from markupsafe import Markup

    return Markup(html)  # noqa: S704  (made of escaped parts only)


def _codes(text: str) -> str:
    """Our own advice uses no markup but code spans."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts))


def _link(to: Named) -> str:
    """A link; that to a note needs no class, it is what links look like."""
    if to.href is None:
        return f'<span class="ms-{to.kind}">{escape(to.label)}</span>'
    if to.kind == "note":
        return f'<a href="{escape(to.href)}">{escape(to.label)}</a>'
    foreign = _FOREIGN if to.kind == "external" else ""
    return f'<a class="ms-{to.kind}" href="{escape(to.href)}"{foreign}>{escape(to.label)}</a>'


def _chip(to: Named) -> str:
    """A list entry: the link, how often, and what there is to say about it."""
    count = f' <span class="ms-count">{to.count:,}</span>' if to.count > 1 else ""
    detail = f' <span class="ms-quiet">{escape(to.detail)}</span>' if to.detail else ""
    return f"<li>{_link(to)}{count}{detail}</li>"


def _entry(entry: Entry) -> str:
    current = ' aria-current="page"' if entry.current else ""
    return f'<li><a href="{escape(entry.href)}"{current}>{escape(entry.label)}</a></li>'


def _group(group: Group, texts: SimpleNamespace, *, headed: bool) -> str:
    count = f'<span class="ms-count">{group.count:,}</span>'
    head = f'<h3 class="ms-label" dir="auto">{escape(group.store)} {count}</h3>' if headed else ""
    entries = "\n".join(_mentioning(entry, texts) for entry in group.entries)
    return f'{head}<ul class="ms-mentions">\n{entries}\n</ul>\n'


def _mentioning(entry: Mentioning, texts: SimpleNamespace) -> str:
    count = f' <span class="ms-count">{entry.count:,}</span>' if entry.count > 1 else ""
    link = f'<a href="{escape(entry.href)}">{escape(entry.title)}</a>'
    unquoted = entry.count - len(entry.quotes) if entry.quotes else 0
    more = f'<p class="ms-quiet">{escape(counted(unquoted, texts.count_more))}</p>' if unquoted else ""
    return f"<li><p>{link}{count}</p>{_quotes(entry.quotes, texts.under)}{more}</li>"


def _quotes(quotes: Iterable[Quote], under: str) -> str:
    return "".join(
        f'<blockquote dir="auto">{_words(quote)}{_place(quote, under)}</blockquote>' for quote in quotes
    )


def _words(quote: Quote) -> str:
    """The sentence; where the link stands alone there is nothing to read."""
    if not quote.before.strip() and not quote.after.strip() and quote.heading:
        return ""
    return f"{escape(quote.before)}<mark>{escape(quote.link)}</mark>{escape(quote.after)}"


def _place(quote: Quote, under: str) -> str:
    """The kind of the link, unless the sentence begins with it, and the heading it stands under."""
    is_said = quote.before.lstrip().startswith(quote.relation)
    relation = "" if is_said else f'<span class="ms-chip">{escape(quote.relation)}</span> '
    heading = ""
    if quote.heading:
        heading = f'{escape(under)} <a href="{escape(quote.href)}">{escape(quote.heading)}</a>'
    return f"<footer>{relation}{heading}</footer>" if relation or heading else ""


def number(amount: int) -> str:
    """`12345` as `12,345`."""
    return f"{amount:,}"


def counted(amount: int, forms: Mapping[str, str]) -> str:
    """`amount` with its noun: `1 note`, `2 notes`."""
    return (forms["one"] if amount == 1 else forms["other"]).format(n=number(amount))
