"""Problems and diff as JSON, after `report.schema.json` beside this module."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files

from memsite import __version__
from memsite.check import Budget, fingerprints
from memsite.check.diff import MemoryDiff
from memsite.note import Problem
from memsite.report.health import Health

FORMAT = "memsite-report/1"
"""Raised when a field goes or changes its meaning; new fields may come without."""


def json_report(health: Health) -> str:
    """Keys in a fixed order, two blanks of indent, a final newline."""
    return json_text(report_value(health))


def json_text(value: object) -> str:
    """`value` as strict JSON that can be encoded whatever the memory holds."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")


def json_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of the report."""
    text = files("memsite.report").joinpath("report.schema.json").read_text(encoding="utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def report_value(health: Health) -> dict[str, object]:
    marks = fingerprints(health.problems)
    return {
        "format": FORMAT,
        "version": __version__,
        "title": health.title,
        "summary": {"notes": health.notes, "accepted": health.accepted, **health.counts},
        "stores": [asdict(store) for store in health.stores],
        "budgets": [asdict(budget) for budget in health.budgets],
        "problems": [
            {**problem_value(problem), "fingerprint": mark}
            for problem, mark in zip(health.problems, marks, strict=True)
        ],
        "diff": diff_value(health.diff) if health.diff else None,
    }


def problem_value(problem: Problem) -> dict[str, object]:
    """One problem for a program, in the report and in the diff."""
    return {**asdict(problem), "related": list(problem.related)}


def diff_value(diff: MemoryDiff) -> dict[str, object]:
    """The memory diff; lists are sorted, problems in the order of the report."""
    listed = ("added", "removed", "changed", "moved", "links_made", "links_gone", "links_broken")
    return {
        **{name: [asdict(each) for each in getattr(diff, name)] for name in listed},
        "concepts_came": list(diff.concepts_came),
        "concepts_went": list(diff.concepts_went),
        "budgets": [{"before": _budget(before), "after": _budget(after)} for before, after in diff.budgets],
        **{name: [problem_value(each) for each in getattr(diff, name)] for name in ("new", "fixed", "still")},
    }


def _budget(budget: Budget | None) -> dict[str, object] | None:
    return asdict(budget) if budget else None
