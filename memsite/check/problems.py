"""From a finding to a Problem: where it stands, how much it matters, whether it is accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from memsite.check.rules import BY_CODE, BY_NAME, find_rule
from memsite.config import CheckConfig, any_glob
from memsite.errors import BadConfig
from memsite.note import Finding, Graph, Note, Problem, Severity, StoreView

ORDER: dict[Severity, int] = {"off": 0, "info": 1, "warning": 2, "error": 3}
"""Severities from harmless to grave."""

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""Those that a Problem can have, gravest first."""

_LONGEST = 500
"""Characters of a message: it may quote a link of a hundred thousand."""

NEVER_SILENCED = frozenset({"W012", "W013", "W014"})
"""A note must not be able to hide what it smuggles in or gives away."""


def by_severity(problems: Iterable[Problem]) -> dict[str, int]:
    """How many there are of each severity, gravest first, none left out."""
    found = Counter(problem.severity for problem in problems)
    return {severity: found[severity] for severity in SEVERITIES}


def in_note(graph: Graph, note: Note, finding: Finding, *, related: tuple[str, ...] = ()) -> Problem:
    """`finding` at its place in `note`, not yet weighed."""
    rule = BY_CODE[finding.code]
    return Problem(
        code=rule.code,
        rule=rule.name,
        severity=finding.severity or rule.severity,
        path=shown_path(graph, note),
        line=finding.line,
        column=finding.column,
        message=finding.message,
        hint=finding.hint,
        related=related,
        store=note.store,
        address=note.address,
    )


def in_index(
    view: StoreView, code: str, line: int, message: str, *, hint: str, related: tuple[str, ...] = ()
) -> Problem:
    """A problem of the index file of a store."""
    rule = BY_CODE[code]
    path = view.index_path or view.prefix
    return Problem(code, rule.name, rule.severity, path, line, 1, message, hint, related, view.name)


def sorted_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """`problems` in the one order in which they are shown, each once."""
    return tuple(
        sorted(
            dict.fromkeys(problems),
            key=lambda each: (each.path, each.line, each.column, each.code, each.message),
        )
    )


def shown_path(graph: Graph, note: Note) -> str:
    """The path of `note` as people know it."""
    view = graph.stores.get(note.store)
    return f"{view.prefix if view else ''}{note.path}"


def weigh(problems: Iterable[Problem], graph: Graph, *, config: CheckConfig) -> Iterator[Problem]:
    """`problems` with the severities that the configuration wants, without what it accepts.

    Raises BadConfig (E015) for a rule that there is none of.
    """
    accepted = [_code_and_glob(line) for line in config.ignore]
    _refuse_unknown(config, graph.stores.values(), accepted)
    barred = [(word, any_glob((glob,))) for word, glob in accepted]
    by_path = [(any_glob((glob,)), wanted) for glob, wanted in reversed(tuple(config.paths.items()))]
    for problem in problems:
        fitting = (wanted for fits, wanted in by_path if fits(problem.path))
        view = graph.stores.get(problem.store)
        severity = _severity(problem, (*fitting, view.severities if view else {}, config.severities))
        if severity != "off" and not _accepted(problem, barred) and not _silenced(problem, graph):
            message = (
                problem.message if len(problem.message) <= _LONGEST else f"{problem.message[:_LONGEST]}…"
            )
            weighed = severity == problem.severity and message == problem.message
            yield problem if weighed else replace(problem, severity=severity, message=message)


def _severity(problem: Problem, settings: Iterable[Mapping[str, Severity]]) -> Severity:
    """What the first of the settings that names the rule says."""
    for wanted in settings:
        configured = wanted.get(problem.code, wanted.get(problem.rule))
        if configured is not None:
            return _between(problem, configured)
    return problem.severity


def _refuse_unknown(
    config: CheckConfig, views: Iterable[StoreView], accepted: Iterable[tuple[str, str]]
) -> None:
    """Raise BadConfig for the first name in the configuration that is no rule's."""
    places = [("[check] ignore", [word for word, _ in accepted]), ("[check.severities]", config.severities)]
    places += [(f'[check.paths."{glob}"]', wanted) for glob, wanted in config.paths.items()]
    places += [(f"[stores.{view.name}] severities", view.severities) for view in views]
    for place, words in places:
        for word in words:
            if word not in BY_CODE and word not in BY_NAME:
                near = get_close_matches(word, (*BY_CODE, *BY_NAME), 1, 0.5)
                guess = f"Did you mean `{near[0]}`? " if near else ""
                raise BadConfig(
                    f"{place}: there is no rule `{word}`.", hint=f"{guess}Known: {', '.join(BY_CODE)}."
                )


def _between(problem: Problem, configured: Severity) -> Severity:
    """`configured`, but a finding that is milder than its rule stays as mild."""
    if ORDER[problem.severity] >= ORDER[BY_CODE[problem.code].severity]:
        return configured
    return min(problem.severity, configured, key=lambda severity: ORDER[severity])


def _code_and_glob(line: str) -> tuple[str, str]:
    word, _, glob = line.strip().partition(" ")
    return word, glob.strip() or "*"


def _accepted(problem: Problem, barred: Iterable[tuple[str, Callable[[str], object]]]) -> bool:
    return any(word in (problem.code, problem.rule) and fits(problem.path) for word, fits in barred)


def _silenced(problem: Problem, graph: Graph) -> bool:
    """Whether a comment in the note itself asks for silence, for this line or the whole note."""
    note = graph.notes.get(problem.address) if problem.address else None
    if note is None or problem.code in NEVER_SILENCED:
        return False
    return any(
        find_rule(word) == BY_CODE[problem.code] and line in (0, problem.line, problem.line - 1)
        for line, word in note.document.ignores
    )
