"""The example memory is without fault and uses every feature; the broken one has a note for every rule."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memsite import build_site, open_memory
from memsite.memory import Memory
from memsite.note import Ambiguous, Asset, ConceptTarget, Found, Missing

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Memory]:
    """A memory of the examples, on a copy."""

    def copy(name: str) -> Memory:
        where = tmp_path / "examples"
        shutil.copytree(EXAMPLES, where, ignore=shutil.ignore_patterns("site", ".memsite"))
        return open_memory(where / name)

    return copy


def test_the_example_has_no_fault(copied: Callable[[str], Memory]) -> None:
    problems = copied(".").problems()
    assert [p for p in problems if p.severity in ("warning", "error")] == []


def test_the_example_builds_without_fault(copied: Callable[[str], Memory], tmp_path: Path) -> None:
    result = build_site(copied("."), tmp_path / "site", strict=True)
    assert result.faults == ()
    assert not result.stopped
    assert result.private == 1
    page = (tmp_path / "site" / "handbook" / "tides" / "spring-and-neap.html").read_text(encoding="utf-8")
    assert 'width="480"' in page


def test_the_example_uses_what_memsite_understands(copied: Callable[[str], Memory]) -> None:
    graph = copied(".").graph()
    notes = graph.notes.values()
    links = [link for note in notes for link in note.document.links]
    targets = [target for leads in graph.targets.values() for target in leads]
    assert {link.kind for link in links} == {"wiki", "markdown", "property"}
    assert {type(target) for target in targets} == {Found, ConceptTarget, Asset}
    assert not [target for target in targets if isinstance(target, Missing | Ambiguous)]
    assert any(link.embed and not link.image for link in links)
    assert any(link.size for link in links)
    assert any(link.relation and link.kind == "wiki" for link in links)
    assert any(isinstance(target, Found) and (target.anchor or "").startswith("^") for target in targets)
    assert {note.status for note in notes} >= {"active", "deprecated"}
    assert any(note.superseded_by for note in notes)
    assert {feature for note in notes for feature in note.document.features} >= {"code", "math", "mermaid"}
    assert all(note.date for note in notes if note.kind == "workflow")


def test_the_broken_example_has_a_note_for_every_rule(copied: Callable[[str], Memory]) -> None:
    seen = {problem.code for problem in copied("broken").problems()}
    # W013 would need something that looks like a key, which no repository should hold.
    assert {f"W{number:03}" for number in range(1, 19)} - seen == {"W013"}
