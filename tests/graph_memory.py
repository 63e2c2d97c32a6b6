"""Hand-made memories for the tests of the graph: notes without a disk or a parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memsite.graph import resolve
from memsite.markdown.names import slug
from memsite.note import (
    Context,
    Document,
    Graph,
    Heading,
    Link,
    Note,
    StoreKind,
    StoreView,
    Target,
    address_of,
)

_WIKI = re.compile(r"(!?)\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")


def wiki(
    target: str, *, label: str | None = None, embed: bool = False, image: bool = False, line: int = 1
) -> Link:
    return Link("wiki", target, label, line, 1, Context("", label or target, ""), embed=embed, image=image)


def markdown(target: str, *, image: bool = False) -> Link:
    return Link("markdown", target, "t", 1, 1, Context("", "t", ""), embed=image, image=image)


def from_property(target: str, relation: str = "related") -> Link:
    return Link("property", target, None, 1, 1, Context("", target, ""), relation=relation)


def note(
    path: str,
    text: str = "",
    *,
    store: str = "vault",
    kind: StoreKind = "vault",
    title: str | None = None,
    names: Iterable[str] = (),
    links: Iterable[Link] = (),
    id: str | None = None,
    published: bool = True,
) -> Note:
    """A note whose body is `text`: `## ` lines are headings, a final `^id` a block, `[[..]]` links."""
    headings = [
        Heading(len(found[1]), found[2], slug(found[2]) or "section", number)
        for number, line in enumerate(text.splitlines(), 1)
        if (found := re.match(r"(#+) (.*)", line))
    ]
    written = tuple(links) + tuple(
        wiki(found[2].strip(), label=found[3], embed=bool(found[1])) for found in _WIKI.finditer(text)
    )
    document = Document(
        properties={},
        fragments=("",) * (len(written) + 1),
        slots=tuple(range(len(written))),
        links=written,
        headings=tuple(headings),
        blocks=tuple(re.findall(r"(?m)\^([\w-]+)$", text)),
        tags=(),
        text=text,
        opaque=tuple(found.span() for found in re.finditer(r"\[\[.*?\]\]|`[^`]*`", text)),
        lead="",
    )
    return Note(
        address=address_of(store, path), store=store, kind=kind, path=path, checksum="0" * 64, size=len(text),
        modified=0.0, id=id, title=title or path.rpartition("/")[2].removesuffix(".md"), type=None, date=None,
        date_text="", tags=(), names=tuple(names), description="", status=None, superseded_by=None,
        published=published, document=document,
    )  # fmt: skip


def view(name: str = "vault", *, kind: StoreKind = "vault", files: Iterable[str] = ()) -> StoreView:
    return StoreView(name, kind, f"~/{name}", f"{name}/", files=frozenset(files))


def vault(texts: Mapping[str, str], *, files: Iterable[str] = ()) -> Graph:
    return resolve([note(path, text) for path, text in texts.items()], [view(files=files)])


def leads(graph: Graph, path: str, store: str = "vault") -> tuple[Target, ...]:
    return graph.targets[address_of(store, path)]
