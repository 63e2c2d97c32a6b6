"""Pages about what is wrong: the overview with the context budget, and one page a rule."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memsite.check.diff import MemoryDiff
from memsite.check.rules import RULES, Rule
from memsite.markdown import visible
from memsite.note import Address, Heading, Problem
from memsite.pages.frame import Crumb, Desk, Frame
from memsite.pages.note_page import shortened
from memsite.pages.plan import CHANGES, Page
from memsite.pages.urls import root_of

_BAR_BYTES = 240
_BAR_PERCENT = 62.0
"""A line of so many bytes fills so much of the width of the picture; the rest is for labels."""
_LABEL_LINES = 4
"""Lines between two labels at least, else they would overlap."""
_NUMBERED = 25
"""Every so many lines the number of the line is written."""
_DRAWN_LINES = 1000
"""Lines drawn at most; what comes after them is far beyond every limit."""
_FULL = 100.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of MEMORY.md in the picture of its budget."""

    line: int
    width: float
    """Percent of the picture's width."""
    state: str
    """`loaded` or `lost`, and `heading` for a heading's line."""
    label: str = ""
    """The text of a heading, where there is room."""
    number: bool = False
    """The number of the line is shown."""


@dataclass(frozen=True, slots=True)
class Gauge:
    used: int
    limit: int
    percent: float
    """At most 100."""
    over: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent loads of a MEMORY.md."""

    title: str
    href: str
    lines: Gauge
    bytes: Gauge
    bars: tuple[Bar, ...]
    cut: int | None
    """The first line that is not loaded, from 1; None when all fits."""
    lost_headings: tuple[tuple[int, str, str], ...]
    """Line, text and href of headings below the cut."""


@dataclass(frozen=True, slots=True)
class RuleRow:
    code: str
    name: str
    severity: str
    meaning: str
    href: str
    counts: tuple[int, ...]
    """By store, in the order of `HealthView.stores`."""
    total: int


@dataclass(frozen=True, slots=True)
class HealthView:
    frame: Frame
    title: str
    severities: tuple[tuple[str, int], ...]
    stores: tuple[str, ...]
    rules: tuple[RuleRow, ...]
    budgets: tuple[Budget, ...]
    changes: tuple[tuple[str, int], ...] = ()
    """How much of what changed, where an earlier state was named."""
    changes_href: str | None = None


@dataclass(frozen=True, slots=True)
class FindingRow:
    place: str
    line: int
    href: str | None
    title: str
    severity: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class RuleView:
    frame: Frame
    title: str
    code: str
    severity: str
    meaning: str
    explanation: str
    """With code spans in backticks, as `fix` is."""
    fix: str
    groups: tuple[tuple[str, tuple[FindingRow, ...]], ...]
    total: int


def health_view(page: Page, desk: Desk) -> HealthView:
    plan, texts = desk.plan, desk.templates.texts
    counts = Counter(problem.severity for problem in plan.problems)
    stores = tuple(plan.graph.stores)
    by_code = {rule.code: rule for rule in RULES}
    rows = [
        _rule_row(by_code.get(code), problems, stores, desk, root_of(page.url))
        for code, problems in plan.rules.items()
    ]
    rows.sort(key=lambda row: (("error", "warning", "info", "off").index(row.severity), row.code))
    return HealthView(
        frame=desk.frame(page, texts.health, description=texts.health_intro),
        title=texts.health,
        severities=tuple((name, counts[name]) for name in ("error", "warning", "info")),
        stores=tuple(map(visible, stores)),
        rules=tuple(rows),
        budgets=tuple(
            _budget(address, raw, desk, root_of(page.url)) for address, raw in plan.memory_files.items()
        ),
        changes=change_counts(plan.changes.diff, texts) if plan.changes else (),
        changes_href=desk.href(CHANGES, root_of(page.url)) if plan.changes else None,
    )


def change_counts(diff: MemoryDiff, texts: object) -> tuple[tuple[str, int], ...]:
    """What changed and how much of it: the words of the site, and a number."""
    counts = {
        "added": diff.added,
        "removed": diff.removed,
        "moved": diff.moved,
        "edited": diff.changed,
        "new": diff.new,
        "fixed": diff.fixed,
    }
    return tuple((getattr(texts, f"changes_{name}"), len(rows)) for name, rows in counts.items())


def _rule_row(
    rule: Rule | None, problems: Sequence[Problem], stores: Sequence[str], desk: Desk, root: str
) -> RuleRow:
    code, name = problems[0].code, problems[0].rule
    counts = Counter(problem.store for problem in problems)
    worst = min((p.severity for p in problems), key=("error", "warning", "info", "off").index)
    href = desk.href(f"health/{code.lower()}.html", root)
    return RuleRow(
        code, name, worst, rule.meaning if rule else "", href, tuple(counts[s] for s in stores), len(problems)
    )


def _budget(address: Address, raw: bytes, desk: Desk, root: str) -> Budget:
    note = desk.plan.graph.notes[address]
    limits = desk.plan.config.check
    lines = raw.removesuffix(b"\n").split(b"\n")
    cut = cut_line([len(line) + 1 for line in lines], lines=limits.memory_lines, size=limits.memory_bytes)
    href = desk.note_href(address, root)
    lost = [
        (h.line, visible(h.text), f"{href}#{h.anchor}")
        for h in note.document.headings
        if cut and h.line >= cut
    ]
    return Budget(
        visible(note.title) if len(desk.plan.memory_files) == 1 else visible(f"{note.store}: {note.title}"),
        href,
        _gauge(len(lines) if raw else 0, limits.memory_lines),
        _gauge(len(raw), limits.memory_bytes),
        _bars([len(line) for line in lines[:_DRAWN_LINES]], note.document.headings, cut),
        cut,
        tuple(lost),
    )


def _bars(sizes: Sequence[int], headings: Sequence[Heading], cut: int | None) -> tuple[Bar, ...]:
    texts = {heading.line: visible(heading.text) for heading in headings}
    bars: list[Bar] = []
    labelled = -_LABEL_LINES
    for number, size in enumerate(sizes, start=1):
        state = "loaded" if cut is None or number < cut else "lost"
        label = texts.get(number, "") if number - labelled >= _LABEL_LINES else ""
        labelled = number if label else labelled
        width = round(min(_BAR_PERCENT, _BAR_PERCENT * size / _BAR_BYTES), 1)
        kind = f"{state} heading" if number in texts else state
        bars.append(Bar(number, width, kind, shortened(label, 40), number % _NUMBERED == 0))
    return tuple(bars)


def cut_line(sizes: Sequence[int], *, lines: int, size: int) -> int | None:
    """The number of the first line, from 1, that goes beyond `lines` lines or `size` bytes."""
    total = 0
    for number, length in enumerate(sizes, start=1):
        total += length
        # The last line may lack its line feed; one byte over by that alone is not over.
        if number > lines or total - (number == len(sizes)) > size:
            return number
    return None


def _gauge(used: int, limit: int) -> Gauge:
    return Gauge(used, limit, round(min(_FULL, _FULL * used / max(1, limit)), 1), used > limit)


def rule_view(page: Page, desk: Desk) -> RuleView:
    root = root_of(page.url)
    problems = desk.plan.rules[page.subject]
    rule = next((rule for rule in RULES if rule.code == page.subject), None)
    title = f"{page.subject} {problems[0].rule}"
    crumb = Crumb(desk.templates.texts.health, f"{root}health.html")
    stores = sorted({problem.store for problem in problems})
    return RuleView(
        frame=desk.frame(page, title, description=rule.meaning if rule else "", crumbs=(crumb,)),
        title=problems[0].rule,
        code=page.subject,
        severity=rule.severity if rule else problems[0].severity,
        meaning=rule.meaning if rule else "",
        explanation=rule.explanation if rule else "",
        fix=rule.fix if rule else "",
        groups=tuple(
            (visible(store), tuple(finding_row(p, desk, root) for p in problems if p.store == store))
            for store in stores
        ),
        total=len(problems),
    )


def finding_row(problem: Problem, desk: Desk, root: str) -> FindingRow:
    """A problem with a link to the heading above its place, where its note is published."""
    note = desk.plan.graph.notes.get(problem.address) if problem.address else None
    href = None
    if note is not None:
        starts = [heading.line for heading in note.document.headings]
        place = bisect_right(starts, problem.line) - 1
        anchor = f"#{note.document.headings[place].anchor}" if place > 0 else ""
        href = desk.note_href(note.address, root) + anchor
    return FindingRow(
        visible(problem.path),
        problem.line,
        href,
        visible(note.title) if note else visible(problem.path),
        problem.severity,
        visible(problem.message),
        visible(problem.hint),
    )
