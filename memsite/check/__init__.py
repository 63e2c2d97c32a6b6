"""The rules of a whole memory, and the pure check of one against them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from memsite.check.baseline import accepted_by, baseline_text, fingerprints, unaccepted
from memsite.check.diff import MemoryDiff, State, compare, moves
from memsite.check.index import index_problems
from memsite.check.links import link_problems
from memsite.check.memory_file import Budget, budgets, memory_problems
from memsite.check.names import name_problems
from memsite.check.problems import ORDER, SEVERITIES, by_severity, in_note, sorted_problems, weigh
from memsite.check.reach import named_files, orphan_problems, stale_problems, twin_problems
from memsite.check.rules import BY_CODE, BY_NAME, RULES, Rule, documentation, explain, find_rule
from memsite.check.unseen import unseen
from memsite.config import CheckConfig
from memsite.note import Address, Graph, Problem

__all__ = [
    "BY_CODE",
    "BY_NAME",
    "ORDER",
    "RULES",
    "SEVERITIES",
    "Budget",
    "MemoryDiff",
    "Rule",
    "State",
    "accepted_by",
    "baseline_text",
    "budgets",
    "by_severity",
    "check",
    "compare",
    "documentation",
    "explain",
    "find_rule",
    "fingerprints",
    "moves",
    "named_files",
    "sorted_problems",
    "unaccepted",
    "unseen",
]


def check(
    graph: Graph,
    *,
    config: CheckConfig = CheckConfig(),  # noqa: B008 - frozen
    bytes_of: Mapping[Address, bytes] | None = None,
    twins: Iterable[tuple[Address, Address, float]] = (),
    project_files: frozenset[str] = frozenset(),
    today: date | None = None,
) -> tuple[Problem, ...]:
    """All that is wrong with a memory, sorted by path, line, column and code. Linear.

    What the graph does not know may be handed in, else the rule says nothing: `bytes_of` each
    MEMORY.md (W003), `twins` with their likeness from 0 to 1 (W018), which of the files that
    `named_files` lists are in the project, and which folders, these with `/` at the end (W005, W017),
    the day it is (W017).
    """
    found: list[Problem] = [
        in_note(graph, note, finding) for note in graph.notes.values() for finding in note.findings
    ]
    for view in graph.stores.values():
        found += view.problems
    found += index_problems(graph)
    found += link_problems(graph, project_files=project_files)
    found += memory_problems(graph, config=config, bytes_of=bytes_of or {})
    found += name_problems(graph)
    found += orphan_problems(graph)
    found += stale_problems(graph, config=config, project_files=project_files, today=today)
    found += twin_problems(graph, twins)
    return sorted_problems(weigh(found, graph, config=config))
