"""The graph as one file to send to somebody: it leaves the house, so it passes the same gate as a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memsite.build.secrets import Leaks, guarded

if TYPE_CHECKING:
    from memsite.memory import Memory

_NAME = "graph.html"


def graph_file(memory: Memory, *, leaks: Leaks | None = None) -> bytes:
    """The published part of the memory's graph as one HTML file that asks no other for anything.

    `leaks` is as in `build_site`. Raises Leak (E017).
    """
    from memsite.pages import graph_document, graph_views, plan

    policy: Leaks = leaks or ("redact" if memory.config.leaks.redact else "refuse")
    sources = tuple(source for store in memory.stores for source in store.sources())
    memory, guard = guarded(memory, policy, sources)
    planned = plan(memory.graph(), (), memory.config)
    document = graph_document(planned, graph_views(planned))
    if guard:
        guard.places += (*guard.output(_NAME, document), *guard.rest())
        guard.refuse(among=planned.graph.notes)
    return document
