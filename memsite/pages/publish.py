"""What of a memory may be published: the graph without private notes, and without a trace of them.

A note is private when it says so (`publish: false`, `draft: true`) or when its store does. What is
left must not name it either: contexts, plain text and properties of the notes that link to it lose
the words that were only its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from memsite.markdown import match_key, slug
from memsite.note import (
    Address,
    Ambiguous,
    Backlink,
    Concept,
    Context,
    Found,
    Graph,
    Heading,
    Link,
    Note,
    Problem,
    PropertyValue,
    StoreView,
    Target,
)

PRIVATE = "(private)"

Hidden: TypeAlias = Mapping[Address, frozenset[str]]
"""The private notes, each with the keys of its names."""


def published_graph(graph: Graph) -> Graph:
    """The part of `graph` that the site may show. Links to private notes stay in `targets` as they
    are: a `Found` whose address is not in `notes` is a private one. `graph` itself when nothing is
    private."""
    hidden = {
        address: frozenset(map(match_key, _names_of(note)))
        for address, note in graph.notes.items()
        if not _is_public(note, graph.stores)
    }
    stores = {name: store for name, store in graph.stores.items() if store.publish}
    if not hidden and len(stores) == len(graph.stores):
        return graph
    notes = {
        address: _without_names(note, graph.targets[address], hidden)
        for address, note in graph.notes.items()
        if address not in hidden
    }
    return Graph(
        stores=stores,
        notes=notes,
        targets={address: tuple(_open(t, hidden) for t in graph.targets[address]) for address in notes},
        backlinks={
            address: kept
            for address, backlinks in graph.backlinks.items()
            if address in notes and (kept := _from(backlinks, hidden))
        },
        concepts=_open_concepts(graph.concepts, hidden),
        ambiguous={
            key: Ambiguous(found.name, candidates)
            for key, found in graph.ambiguous.items()
            if len(candidates := tuple(one for one in found.candidates if one not in hidden)) > 1
        },
    )


def published_problems(problems: Iterable[Problem], graph: Graph, public: Graph) -> tuple[Problem, ...]:
    """The problems that name nothing private: neither their note, nor their store, nor in words."""
    if graph is public:
        return tuple(problems)
    hidden = [note for address, note in graph.notes.items() if address not in public.notes]
    paths = {f"{graph.stores[note.store].prefix}{note.path}" for note in hidden}
    words = {word for note in hidden for word in _names_of(note)}
    addresses = {note.address for note in hidden}

    def harmless(problem: Problem) -> bool:
        if problem.address in addresses or problem.path in paths or not paths.isdisjoint(problem.related):
            return False
        if problem.store and problem.store not in public.stores:
            return False
        said = f"{problem.message} {problem.hint}"
        return not any(word in said for word in words)

    return tuple(problem for problem in problems if harmless(problem))


def _is_public(note: Note, stores: Mapping[str, StoreView]) -> bool:
    return note.published and stores[note.store].publish


def _names_of(note: Note) -> tuple[str, ...]:
    stem = note.path.removesuffix(".md").rpartition("/")[2]
    return tuple(name for name in (stem, note.title, note.id or "", *note.names) if len(name) > 1)


def _from(backlinks: Sequence[Backlink], hidden: Hidden) -> tuple[Backlink, ...]:
    return tuple(backlink for backlink in backlinks if backlink.address not in hidden)


def _open(target: Target, hidden: Hidden) -> Target:
    """`target` as far as it may be known: of an ambiguous name's candidates only the public ones."""
    if not isinstance(target, Ambiguous):
        return target
    candidates = tuple(one for one in target.candidates if one not in hidden)
    if len(candidates) > 1:
        return Ambiguous(target.name, candidates)
    return Found(candidates[0] if candidates else target.candidates[0])


def _open_concepts(concepts: Mapping[str, Concept], hidden: Hidden) -> dict[str, Concept]:
    kept = {key: _from(concept.mentions, hidden) for key, concept in concepts.items()}
    return {key: replace(concepts[key], mentions=mentions) for key, mentions in kept.items() if mentions}


def _without_names(note: Note, targets: Sequence[Target], hidden: Hidden) -> Note:
    """`note` with the words gone that only name a private note. Ranges of the text keep their place."""
    links = tuple(
        _unlabelled(link, target, hidden) for link, target in zip(note.document.links, targets, strict=True)
    )
    shown = sorted(
        {
            name
            for link, target in zip(links, targets, strict=True)
            for name in _given_away(link, target, hidden)
        },
        key=lambda name: (-len(name), name),
    )
    if not shown:
        return note
    document = note.document
    headings = tuple(
        _masked_heading(heading, place, shown) for place, heading in enumerate(document.headings)
    )
    return replace(
        note,
        title=_masked(note.title, shown),
        description=_masked(note.description, shown),
        document=replace(
            document,
            fragments=tuple(_with_anchors(html, document.headings, headings) for html in document.fragments),
            text=_blotted(document.text, shown),
            lead=_masked(document.lead, shown),
            links=tuple(replace(link, context=_masked_context(link.context, shown)) for link in links),
            headings=headings,
            properties={key: _masked_value(value, shown) for key, value in document.properties.items()},
        ),
    )


def _unlabelled(link: Link, target: Target, hidden: Hidden) -> Link:
    """`link` as one without words of its own, where these are only the name of a private note."""
    if not (isinstance(target, Found) and target.address in hidden and link.label is not None):
        return link
    is_its_name = match_key(link.label) in hidden[target.address] or link.label == link.target
    return replace(link, label=None) if is_its_name else link


def _given_away(link: Link, target: Target, hidden: Hidden) -> tuple[str, ...]:
    """What `link` shows of a private note: its target and the words that stand for it."""
    is_private = isinstance(target, Found) and target.address in hidden
    if not is_private:
        return ()
    words = (link.target,) if link.label is not None else (link.target, link.context.link)
    return tuple(word for word in words if word.strip())


def _masked_heading(heading: Heading, place: int, words: Sequence[str]) -> Heading:
    """A heading without private names. Its anchor was made of them and gets another name."""
    text = _masked(heading.text, words)
    return heading if text == heading.text else replace(heading, text=text, anchor=f"{slug(text)}-{place}")


def _with_anchors(html: str, before: Sequence[Heading], after: Sequence[Heading]) -> str:
    for old, new in zip(before, after, strict=True):
        if old.anchor != new.anchor:
            html = html.replace(f'id="{old.anchor}"', f'id="{new.anchor}"')
    return html


def _masked(text: str, words: Sequence[str]) -> str:
    for word in words:
        text = text.replace(word, PRIVATE)
    return text


def _blotted(text: str, words: Sequence[str]) -> str:
    """`text` with the words painted over, each character by one, so that offsets stay true."""
    for word in words:
        text = text.replace(word, "\u2592" * len(word))
    return text


def _masked_context(context: Context, words: Sequence[str]) -> Context:
    return Context(*(_masked(part, words) for part in (context.before, context.link, context.after)))


def _masked_value(value: PropertyValue, words: Sequence[str]) -> PropertyValue:
    if isinstance(value, str):
        return _masked(value, words)
    if isinstance(value, Mapping):
        return {key: _masked_value(part, words) for key, part in value.items()}
    return tuple(_masked_value(part, words) for part in value)
