"""What a page shows, as one checksum: where it is what it was, the page need not be made again.

A key stands for everything its page takes from the memory and nothing else, so that an edit changes the
keys of the pages that show it: the note's own, those that quote it, those that list it. What is the same
for all pages of a build (configuration, templates, memsite itself) is not in here. Pages that list notes
(home, listings, health, files for programs) have no key: they are few, and made every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from memsite.graph.network import node_id
from memsite.markdown import match_key
from memsite.note import (
    Address,
    Ambiguous,
    Asset,
    Backlink,
    Concept,
    ConceptTarget,
    Document,
    Found,
    Note,
    Target,
)
from memsite.pages.concept_page import community_of
from memsite.pages.fill import ambiguous_key
from memsite.pages.graph_pictures import excerpt_of
from memsite.pages.plan import Page, SitePlan, tags_of
from memsite.pages.relations import Record
from memsite.pages.rendering import desk_of
from memsite.pages.urls import root_of

_BYTES = 16


class Keys:
    """The keys of the pages of one plan. What the last build knew of its notes' relations is taken from
    `relations` as far as it still holds."""

    def __init__(self, plan: SitePlan, *, relations: Record | None = None) -> None:
        self._plan = plan
        self._desk = desk_of(plan)
        if relations:
            self._desk.relations.recall(relations)
        self._cards: dict[Address, str] = {}
        self._ends: dict[Target, str] = {}
        self._bodies: dict[Address, str] = {}

    def of(self, page: Page) -> str | None:
        """The key of `page`; None for one that is made every time."""
        match page.kind:
            case "note":
                return _digest(page.url, *self._note(page))
            case "concept":
                return _digest(page.url, *self._concept(page))
        return None

    def of_source(self, address: Address) -> str:
        """The key of a note's raw Markdown."""
        note = self._plan.graph.notes[address]
        return note.altered or note.checksum

    def of_graph(self) -> str:
        """The key of all files of the graph together."""
        graph = self._plan.graph
        notes = map(self._drawn, graph.notes.values())
        concepts = map(self._named_thing, graph.concepts.values())
        return _digest(self._desk.summary(), self._desk.navigation(""), *notes, *concepts)

    def relations(self) -> Record:
        """What the next build takes as `relations`."""
        return self._desk.relations.record()

    # Pages -----------------------------------------------------------------------------------

    def _note(self, page: Page) -> Iterator[object]:
        plan, desk = self._plan, self._desk
        note = plan.graph.notes[page.subject]
        yield self._body(note.address)
        yield from self._embedded(note.address)
        frame = desk.note_frame(page, note, description="")
        yield frame.navigation
        yield frame.crumbs
        yield frame.siblings
        yield frame.more_siblings
        yield plan.types.get(note.type or "")
        yield [plan.tags.get(match_key(tag)) for tag in tags_of(note)]
        yield f"{page.url.removesuffix('.html')}.md" in plan.sources
        yield plan.problems_of.get(note.address)
        yield [self._named(one) if one else "" for one in plan.neighbours.get(note.address, ())]
        yield from self._quoting(plan.graph.backlinks.get(note.address, ()))
        for one in desk.relations.related(note.address):
            yield self._named(one.address)
            yield [desk.relations.name_of(node) for node in one.shared]
        for mention in desk.relations.mentions(note.address):
            yield self._card(mention.address)
            yield (mention.start, mention.end, mention.count)

    def _concept(self, page: Page) -> Iterator[object]:
        desk = self._desk
        concept = self._plan.graph.concepts[page.subject]
        yield concept.name
        yield desk.navigation(root_of(page.url))
        yield from self._quoting(concept.mentions)
        for node, count in desk.relations.together(page.subject):
            yield (desk.relations.name_of(node), desk.node_href(node, ""), count)
        yield community_of(page.subject, desk, "")

    # Parts -----------------------------------------------------------------------------------

    def _drawn(self, note: Note) -> str:
        """What a picture tells of a note, and whom it joins the note to."""
        ends = [node_id(target) for target in self._plan.graph.targets[note.address]]
        return repr(
            (
                self._named(note.address),
                note.type,
                tags_of(note),
                excerpt_of(note),
                len(self._plan.graph.backlinks.get(note.address, ())),
                ends,
            )
        )

    def _named_thing(self, concept: Concept) -> str:
        first = concept.mentions[:1]
        quotes = [self._plan.graph.notes[one.address].document.links[one.position].context for one in first]
        return repr((concept.name, self._plan.concepts[concept.key], quotes))

    def _card(self, address: Address) -> str:
        """All that can be said of a note without the others."""
        card = self._cards.get(address)
        if card is None:
            note = self._plan.graph.notes[address]
            targets = self._plan.graph.targets[address]
            # The words that name a private note are taken out of what is said of the notes that link to it.
            private = [
                one for one in targets if isinstance(one, Found) and one.address not in self._plan.notes
            ]
            words = note.document.links if private else ()
            card = _digest(
                self._plan.notes[address], note.checksum, note.altered, note.kind, note.entry, private, words
            )
            self._cards[address] = card
        return card

    def _named(self, address: Address) -> tuple[str, str, str]:
        note = self._plan.graph.notes[address]
        return (note.title, self._plan.notes[address], note.date_text)

    def _quoting(self, backlinks: Iterable[Backlink]) -> Iterator[object]:
        for backlink in backlinks:
            yield self._card(backlink.address)
            yield backlink.position

    def _body(self, address: Address) -> str:
        """A note and what its links and tags lead to."""
        body = self._bodies.get(address)
        if body is None:
            note = self._plan.graph.notes[address]
            ends = map(self._end, self._plan.graph.targets[address])
            tags = (self._plan.tags.get(match_key(tag)) for tag in note.document.tags)
            body = self._bodies[address] = _digest(self._card(address), *ends, *tags)
        return body

    def _embedded(self, address: Address) -> Iterator[str]:
        """The bodies of all notes that stand on the page of this one, those inside others included."""
        seen = {address}
        waiting = [address]
        while waiting:
            one = waiting.pop()
            note = self._plan.graph.notes[one]
            for inner in self._embeds(note.document, self._plan.graph.targets[one]):
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
                    yield self._body(inner)

    def _embeds(self, document: Document, targets: Iterable[Target]) -> Iterator[Address]:
        if any(link.embed for link in document.links):
            for link, target in zip(document.links, targets, strict=True):
                if link.embed and isinstance(target, Found) and target.address in self._plan.notes:
                    yield target.address

    def _end(self, target: Target) -> str:
        """What a link shows of where it leads: address on the site, name, or why it leads nowhere."""
        end = self._ends.get(target)
        if end is None:
            end = self._ends[target] = repr((target, *self._shown(target)))
        return end

    def _shown(self, target: Target) -> Iterator[object]:
        plan = self._plan
        match target:
            case Found(address):
                yield plan.notes.get(address)
                yield plan.graph.notes[address].title if address in plan.graph.notes else ""
            case ConceptTarget(key):
                yield plan.concepts.get(key)
                yield plan.graph.concepts[key].name if key in plan.graph.concepts else ""
            case Ambiguous(name, candidates):
                yield plan.ambiguous.get(ambiguous_key(name)) or plan.notes.get(candidates[0])
            case Asset(store, path):
                yield plan.assets.get((store, path))


def _digest(*parts: object) -> str:
    shown = "\0".join(part if isinstance(part, str) else repr(part) for part in parts)
    return blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()
