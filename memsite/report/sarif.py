"""SARIF 2.1.0, the format that code scanning services read (OASIS, sarif-v2.1.0)."""

from __future__ import annotations

import json
from urllib.parse import quote

from memsite import __version__
from memsite.check import RULES, Rule, fingerprints
from memsite.note import Problem, Severity
from memsite.report.health import Health

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://github.com/memsite/memsite"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note", "off": "none"}
_INDEX = {rule.code: position for position, rule in enumerate(RULES)}


def sarif_report(health: Health) -> str:
    """One run with all rules and a result for each problem."""
    driver = {
        "name": "memsite",
        "version": __version__,
        "informationUri": HOME,
        "rules": [_rule(rule) for rule in RULES],
    }
    marks = fingerprints(health.problems)
    results = [_result(problem, mark) for problem, mark in zip(health.problems, marks, strict=True)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": f"{rule.meaning}."},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": f"{rule.fix} Example: {rule.example}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(problem: Problem, mark: str) -> dict[str, object]:
    advice = f" {problem.hint}" if problem.hint else ""
    result: dict[str, object] = {
        "ruleId": problem.code,
        "ruleIndex": _INDEX[problem.code],
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{problem.message}.{advice}"},
        "locations": [_location(problem.path, problem.line, problem.column)],
        "partialFingerprints": {"memsite/v1": mark},
    }
    if problem.related:
        result["relatedLocations"] = [_location(path, 1, 1) for path in problem.related]
    return result


def _location(path: str, line: int, column: int) -> dict[str, object]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(path),
            "region": {"startLine": max(line, 1), "startColumn": max(column, 1)},
        }
    }


def _artifact(path: str) -> dict[str, object]:
    """Relative to the project, or to the home folder for a store outside."""
    base, _, below = path.partition("/")
    where = (
        {"uri": below, "uriBaseId": "HOME"}
        if base == "~" and below
        else {"uri": path, "uriBaseId": "%SRCROOT%"}
    )
    return {**where, "uri": quote(where["uri"].encode("utf-8", "replace"), safe="/~._-")}
