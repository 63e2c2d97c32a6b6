"""The cases about the site: what is written, and what it may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from caseactions import World
from casefile import Case, cases, run

AREAS = ("html-safety", "build-incremental", "serve")


@pytest.mark.parametrize("case", cases(*AREAS), ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path) -> None:
    with World(tmp_path, case) as world:
        run(case, world.act)
