"""A memory's health and its changes for people and machines: text, JSON, SARIF, JUnit, Markdown, HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memsite.check.diff import MemoryDiff, State, compare
from memsite.report.health import Health, health_of, summary
from memsite.report.json_report import diff_value, json_report, json_schema, json_text, problem_value
from memsite.report.junit import junit_report
from memsite.report.lines import github_report, text_line, text_report
from memsite.report.markdown import diff_line, diff_markdown, markdown_report
from memsite.report.page import badge, html_report
from memsite.report.sarif import sarif_report

__all__ = [
    "FORMATS",
    "Health",
    "MemoryDiff",
    "State",
    "badge",
    "compare",
    "diff_line",
    "diff_markdown",
    "diff_value",
    "health_of",
    "html_report",
    "json_report",
    "json_schema",
    "json_text",
    "markdown_report",
    "problem_value",
    "report",
    "summary",
    "text_line",
]

FORMATS: Mapping[str, Callable[[Health], str]] = {
    "text": text_report,
    "json": json_report,
    "github": github_report,
    "sarif": sarif_report,
    "junit": junit_report,
    "markdown": markdown_report,
}
"""The formats of `memsite check --format`."""

_FILES: Mapping[str, Callable[[Health], str]] = {
    "summary.md": markdown_report,
    "report.json": json_report,
    "report.sarif": sarif_report,
    "junit.xml": junit_report,
    "report.html": html_report,
    "badge.svg": badge,
}


def report(health: Health) -> dict[str, bytes]:
    """Every file of `memsite report DIR`, by name. Equal health, equal bytes."""
    return {name: write(health).encode("utf-8", "replace") for name, write in _FILES.items()}
