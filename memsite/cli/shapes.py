"""The JSON documents of the command line. Their shape is documented in docs/json.md and tested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsite.build import BuildResult
    from memsite.stores import Discovery


def stores_value(discovery: Discovery, counts: dict[str, int]) -> dict[str, Any]:
    """The stores found, with their notes counted, and the places that were tried."""
    return {
        "stores": [
            {"name": store.name, "kind": store.kind, "path": str(store.root), "notes": counts[store.name]}
            for store in discovery.stores
        ],
        "tried": [
            {"kind": each.kind, "rule": each.rule, "path": str(each.path), "found": each.found}
            for each in discovery.tried
        ],
        "remarks": list(discovery.notes),
    }


def build_value(result: BuildResult) -> dict[str, Any]:
    """What a build did."""
    return {
        "output": str(result.output),
        "stopped": result.stopped,
        "notes": result.notes,
        "private": result.private,
        "pages": result.pages,
        "written": list(result.written),
        "unchanged": result.unchanged,
        "removed": list(result.removed),
        "since": result.since,
        "links": result.links,
        "bytes": result.bytes,
        "problems": counted(problem.severity for problem in result.problems),
        "faults": list(result.faults),
        "seconds": {stage: round(seconds, 4) for stage, seconds in result.seconds.items()},
    }


def counted(severities: Iterable[str]) -> dict[str, int]:
    """How many of each severity, gravest first."""
    found = list(severities)
    return {severity: found.count(severity) for severity in ("error", "warning", "info")}
