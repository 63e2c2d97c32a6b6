"""The cases about writing: edits, sections, the index, integrity, the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from caseactions import World
from casefile import Case, cases, run

AREAS = ("edit-op", "section-replace", "index", "integrity", "cli")


@pytest.mark.parametrize("case", cases(*AREAS), ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path) -> None:
    with World(tmp_path, case) as world:
        run(case, world.act)
