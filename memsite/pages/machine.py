"""Files of the site that programs read: feed, sitemap, robots.txt, llms.txt, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from memsite.markdown import visible
from memsite.note import Address, ConceptTarget, Found, Note
from memsite.pages.frame import Desk
from memsite.pages.note_page import description_of
from memsite.pages.plan import SitePlan, draws_diagrams, tags_of
from memsite.templates import templates_folder

API_VERSION = 1
_FEED_ENTRIES = 50
_LLMS_ENTRIES = 500
_SCRIPTS_TEXT = re.compile(r"\btexts\.(\w+)")
_EPOCH = "1970-01-01T00:00:00Z"


def feed(desk: Desk) -> str:
    """The newest dated notes as Atom. A feed needs absolute URLs: without a base URL its ids are
    addresses and its links relative."""
    plan, base = desk.plan, desk.site.base_url
    notes = [plan.graph.notes[address] for address in plan.order if plan.graph.notes[address].date][
        :_FEED_ENTRIES
    ]
    home = f"{base}/" if base else "index.html"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_xml(desk.site.title)}</title>",
        f"<id>{_xml(home if base else 'urn:memsite:' + _urn(desk.site.title))}</id>",
        f"<link href={quoteattr(home)}/>",
        f'<link rel="self" href={quoteattr(f"{base}/feed.xml" if base else "feed.xml")}/>',
        f"<updated>{_moment(notes[0]) if notes else _EPOCH}</updated>",
        f"<author><name>{_xml(desk.site.title)}</name></author>",
        *(_entry(note, desk) for note in notes),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(note: Note, desk: Desk) -> str:
    url = desk.plan.href(desk.plan.notes[note.address])
    base = desk.site.base_url
    link = f"{base}/{url}" if base else url
    name = link if base else f"urn:memsite:{_urn(note.address)}"
    return (
        f"<entry><title>{_xml(note.title)}</title><id>{_xml(name)}</id>"
        f"<link href={quoteattr(link)}/><updated>{_moment(note)}</updated>"
        f"<summary>{_xml(description_of(note))}</summary></entry>"
    )


def _urn(text: str) -> str:
    from memsite.pages.urls import encoded

    return encoded(text.removeprefix("memory://"))


def _moment(note: Note) -> str:
    moment = note.date or datetime.fromtimestamp(0, UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _xml(text: str) -> str:
    """`text` for XML: control characters, which XML cannot hold, are spelled out before escaping."""
    spelled = visible(text).replace("\ufffe", "").replace("\uffff", "")
    return escape(spelled)


def sitemap(desk: Desk) -> str:
    """All pages for people. Absolute where the configuration knows the base URL."""
    base = f"{desk.site.base_url}/" if desk.site.base_url else ""
    urls = (
        base + desk.plan.href(page.url)
        for page in desk.plan.pages
        if page.url.endswith(".html") and page.kind != "missing"
    )
    rows = "".join(f"<url><loc>{_xml(url)}</loc></url>\n" for url in urls)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )


def robots(desk: Desk) -> str:
    sitemap_line = f"Sitemap: {desk.site.base_url}/sitemap.xml\n" if desk.site.base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap_line}"


def llms(desk: Desk) -> str:
    """What the site holds, for language models: one line a note, by store, with a link to its Markdown."""
    plan = desk.plan
    lines = [f"# {_line(desk.site.title)}", "", f"> {desk.summary()}", ""]
    for store in plan.stores:
        notes = [plan.graph.notes[a] for a in plan.order if plan.graph.notes[a].store == store]
        lines += [f"## {_line(store)}", ""]
        lines += [_llms_line(note, desk) for note in notes[:_LLMS_ENTRIES]]
        if len(notes) > _LLMS_ENTRIES:
            lines.append(f"- [{len(notes) - _LLMS_ENTRIES} more]({plan.href(plan.stores[store])})")
        lines.append("")
    return "\n".join(lines)


def _llms_line(note: Note, desk: Desk) -> str:
    url = desk.plan.notes[note.address]
    source = f"{url.removesuffix('.html')}.md"
    said = description_of(note)
    link = desk.plan.href(source if source in desk.plan.sources else url)
    return f"- [{_line(note.title)}]({link})" + (f": {_line(said)}" if said else "")


def _line(text: str) -> str:
    """`text` as one line of Markdown in which nothing is markup."""
    flat = " ".join(visible(text).split())
    return "".join(f"\\{char}" if char in "\\[]<>`*_" else char for char in flat)


def texts_script(desk: Desk) -> str:
    """The words that the site's scripts show, as a script: those that they call `texts.<name>`."""
    static = templates_folder() / "static"
    used = {name for path in static.glob("*.js") for name in _SCRIPTS_TEXT.findall(path.read_text("utf-8"))}
    words = {name: text for name, text in vars(desk.templates.texts).items() if name in used}
    return f"memsiteTexts = {_json({name: words[name] for name in sorted(words)}).strip()};\n"


def response_headers(plan: SitePlan) -> bytes:
    """`_headers` for hosts that read such a file (Netlify, Cloudflare Pages). The pages carry the same policy
    or a narrower one themselves; who may frame them can be said in a header only. The frame that draws
    diagrams styles what it draws, and is framed by the site's own pages."""
    draws = draws_diagrams(plan.graph)
    remote = " https: http:" if plan.config.site.remote_images else ""
    policy = "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'" if draws else "style-src 'self'",
            f"img-src 'self'{remote}{' blob:' if draws else ''}",
            "font-src 'self'",
            "connect-src 'self'",
            *(("frame-src 'self'",) if draws else ()),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'" if draws else "frame-ancestors 'none'",
        )
    )
    lines = (
        "/*",
        f"  Content-Security-Policy: {policy}",
        "  X-Content-Type-Options: nosniff",
        f"  X-Frame-Options: {'SAMEORIGIN' if draws else 'DENY'}",
        "  Referrer-Policy: no-referrer",
    )
    return ("\n".join(lines) + "\n").encode()


def notes_json(desk: Desk) -> str:
    plan = desk.plan
    return _json(
        {"version": API_VERSION, "notes": [_note_json(plan.graph.notes[a], desk) for a in plan.graph.notes]}
    )


def _note_json(note: Note, desk: Desk) -> dict[str, object]:
    return {
        "address": note.address,
        "store": note.store,
        "path": note.path,
        "url": desk.plan.href(desk.plan.notes[note.address]),
        "title": note.title,
        "type": note.type,
        "date": note.date.isoformat() if note.date else None,
        "tags": list(tags_of(note)),
        "status": note.status,
        "description": note.description,
        "checksum": note.checksum,
        "bytes": note.size,
        "words": note.document.words,
        "backlinks": len(desk.plan.graph.backlinks.get(note.address, ())),
    }


def graph_json(desk: Desk) -> str:
    """Links between notes and from notes to concepts, each pair once with its count."""
    plan = desk.plan
    nodes: list[dict[str, object]] = [
        {"id": note.address, "kind": "note", "label": note.title, "url": plan.href(plan.notes[note.address])}
        for note in plan.graph.notes.values()
    ]
    nodes += [
        {
            "id": f"concept:{one.key}",
            "kind": "concept",
            "label": one.name,
            "url": plan.href(plan.concepts[one.key]),
        }
        for one in plan.graph.concepts.values()
    ]
    edges = [
        {"source": source, "target": target, "count": count}
        for address in plan.graph.notes
        for (source, target), count in _counted(_edges(address, desk)).items()
    ]
    return _json({"version": API_VERSION, "nodes": nodes, "edges": edges})


def _edges(address: Address, desk: Desk) -> Iterator[tuple[Address, str]]:
    for target in desk.plan.graph.targets[address]:
        if isinstance(target, Found) and target.address in desk.plan.notes and target.address != address:
            yield address, target.address
        elif isinstance(target, ConceptTarget) and target.key in desk.plan.concepts:
            yield address, f"concept:{target.key}"


def _counted(pairs: Iterator[tuple[str, str]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def health_json(desk: Desk) -> str:
    problems = [
        {
            "code": problem.code,
            "rule": problem.rule,
            "severity": problem.severity,
            "store": problem.store,
            "path": problem.path,
            "line": problem.line,
            "column": problem.column,
            "message": problem.message,
            "hint": problem.hint,
            "address": problem.address,
        }
        for problem in desk.plan.problems
    ]
    return _json({"version": API_VERSION, "problems": problems})


def _json(value: object) -> str:
    """Strict JSON in ASCII, so that lone surrogates and line separators are escapes."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n"
