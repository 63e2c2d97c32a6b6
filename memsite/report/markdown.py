"""A summary in GitHub's Markdown: a job summary or a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from memsite.check import BY_CODE, Budget
from memsite.check.diff import LinkChange, MemoryDiff, NoteChange
from memsite.note import Problem
from memsite.report.health import Health, summary
from memsite.report.lines import one_line
from memsite.wording import plural

ROWS = 25
"""Rows of one list before the rest is only counted."""
LIMIT = 60_000
"""Characters of a report: a comment on GitHub holds 65,536."""
_CELL = 300
"""Characters of one text out of the memory."""
_SYMBOLS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}
_WAKES = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=:)(?=//)|(?<=www)(?=\.)")
"""Where GitHub would see a person, an issue or an address in plain text."""


def markdown_report(health: Health) -> str:
    """Title, one line of figures, problems by rule, budget, and what changed when that is known."""
    parts = [f"## {_title(health)}\n\n{plain(summary(health))}.\n"]
    parts += [_budget_table([(None, budget) for budget in health.budgets])] if health.budgets else []
    parts += [_rule_section(code, problems) for code, problems in health.by_rule.items()]
    parts += _diff_parts(health.diff) if health.diff else []
    return _fitting(parts)


def _fitting(parts: Sequence[str]) -> str:
    """The parts one after the other; of those for which there is no room only how many they are."""
    kept, left = [], LIMIT
    for part in parts:
        if len(part) < left:
            kept.append(part)
            left -= len(part) + 1
    more = len(parts) - len(kept)
    note = f"{plural(more, 'section')} left out for want of room: the full report has all.\n"
    return "\n".join((*kept, note) if more else kept)


def _title(health: Health) -> str:
    worst = next((severity for severity, count in health.counts.items() if count), None)
    return f"{_SYMBOLS[worst] if worst else '✅'} {plain(health.title)}"


def _short(text: str) -> str:
    shown = one_line(text[: _CELL + 1])
    return f"{shown[:_CELL]}…" if len(shown) > _CELL else shown


def plain(text: str) -> str:
    """Text from a memory as text: no markup, and nobody is mentioned by it."""
    escaped = re.sub(r"([\\`*_\[\]~])", r"\\\1", _short(text).replace("&", "&amp;"))
    tame = escaped.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&vert;")
    return _WAKES.sub("<!-- -->", tame)


def code(text: str) -> str:
    """Text from a memory as a code span."""
    shown = _short(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    blank = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"


def _row(*cells: str) -> str:
    """A table row of finished Markdown; a bar would end the cell even inside a code span."""
    bounded = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"| {bounded} |"


def _rule_section(rule_code: str, problems: Sequence[Problem]) -> str:
    rule = BY_CODE[rule_code]
    head = f"{rule.code} {rule.name} — {rule.meaning}"
    rows = [
        _row(
            f"{_SYMBOLS.get(problem.severity, '')} {problem.severity}",
            _place(problem),
            plain(problem.message),
        )
        for problem in problems[:ROWS]
    ]
    table = "\n".join(["| | where | what |", "|---|---|---|", *rows])
    opened = " open" if any(problem.severity != "info" for problem in problems) else ""
    title = f"<summary>{escape(head)} ({len(problems):,})</summary>"
    return f"<details{opened}>{title}\n\n{table}\n{_more(len(problems))}\n</details>\n"


def _place(problem: Problem) -> str:
    return code(f"{problem.path}:{problem.line}:{problem.column}")


def _more(count: int) -> str:
    return f"\n… and {count - ROWS:,} more.\n" if count > ROWS else ""


def _budget_table(pairs: Sequence[tuple[Budget | None, Budget | None]]) -> str:
    rows = []
    for before, after in pairs:
        here = after or before
        if here is not None:
            rows.append(_row(code(here.path), _used(before, after, "lines"), _used(before, after, "bytes")))
    return "\n".join(["| context budget | lines | bytes |", "|---|---|---|", *rows, ""])


def _used(before: Budget | None, after: Budget | None, unit: str) -> str:
    limit = getattr(after or before, f"max_{unit}")
    figures = [f"{getattr(budget, unit):,}" for budget in (before, after) if budget]
    over = " ⚠️" if after and getattr(after, unit) > limit else ""
    gone = " → gone" if after is None else ""
    return f"{' → '.join(dict.fromkeys(figures))}{gone} of {limit:,}{over}"


# What changed --------------------------------------------------------------------------------


def diff_markdown(diff: MemoryDiff) -> str:
    """The memory diff as a section that reads on its own."""
    return _fitting(_diff_parts(diff))


def _diff_parts(diff: MemoryDiff) -> list[str]:
    parts = [f"### What changed\n\n{diff_line(diff)}\n"]
    if diff.budgets:
        parts.append(_budget_table(diff.budgets))
    parts += [
        _list("New findings", [_problem(problem) for problem in diff.new]),
        _list("Fixed", [_problem(problem) for problem in diff.fixed]),
        _list("Notes added", [f"{code(note.path)} {plain(note.title)}" for note in diff.added]),
        _list("Notes removed", [f"{code(note.path)} {plain(note.title)}" for note in diff.removed]),
        _list("Notes moved", [_moved(change) for change in diff.moved]),
        _list("Notes changed", [f"{code(change.path)} {_words(change)}" for change in diff.changed]),
        _list("Links broken", [_link(link) for link in diff.links_broken]),
        _list("Links made", [_link(link) for link in diff.links_made]),
        _list("Links gone", [_link(link) for link in diff.links_gone]),
        _list("New concepts", [code(name) for name in diff.concepts_came]),
        _list("Concepts no longer named", [code(name) for name in diff.concepts_went]),
    ]
    return [part for part in parts if part]


def diff_line(diff: MemoryDiff) -> str:
    """One sentence: how many notes, links and findings."""
    if diff.empty:
        return "Nothing."
    kinds = ("added", "removed", "changed", "moved")
    notes = [f"{len(getattr(diff, kind))} {kind}" for kind in kinds if getattr(diff, kind)]
    total = sum(len(getattr(diff, kind)) for kind in kinds)
    named = f" ({', '.join(notes)})" if notes else ""
    made, gone, broken = len(diff.links_made), len(diff.links_gone), len(diff.links_broken)
    links = f"{plural(made, 'link')} made, {gone} gone, {broken} broken"
    problems = f"findings: {len(diff.new)} new, {len(diff.fixed)} fixed, {len(diff.still)} still there"
    return f"{plural(total, 'note')}{named}, {links}; {problems}."


def _list(head: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    lines = "".join(f"- {row}\n" for row in rows[:ROWS])
    return f"**{head}** ({len(rows):,})\n\n{lines}{_more(len(rows))}"


def _problem(problem: Problem) -> str:
    return f"{_place(problem)} {problem.code} {plain(problem.message)}"


def _moved(change: NoteChange) -> str:
    return f"{code(change.before)} → {code(change.path)}{f' {_words(change)}' if change.edited else ''}"


def _words(change: NoteChange) -> str:
    return (
        f"({change.words:+,} {'word' if abs(change.words) == 1 else 'words'})"
        if change.words
        else "(same length)"
    )


def _link(link: LinkChange) -> str:
    return f"{code(link.path)} → {code(link.target)}"
