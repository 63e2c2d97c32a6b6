"""The cases about reading: links, names, front matter, encodings, paths, rendering, search and graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from caseactions import World
from casefile import Case, cases, run

AREAS = (
    "wikilink-parse",
    "wikilink-resolve",
    "slug-url",
    "frontmatter",
    "encoding",
    "paths-platform",
    "render-markdown",
    "search",
    "graph",
)


@pytest.mark.parametrize("case", cases(*AREAS), ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path) -> None:
    with World(tmp_path, case) as world:
        run(case, world.act)
