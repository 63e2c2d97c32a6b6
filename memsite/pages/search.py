"""The search index."""

from __future__ import annotations

from collections.abc import Iterator

from memsite.pages.plan import SitePlan


def search_files(plan: SitePlan) -> Iterator[tuple[str, bytes]]:
    return iter(())
