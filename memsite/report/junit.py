"""JUnit XML, which nearly every CI server shows as test results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from memsite.check import RULES, Rule
from memsite.note import Problem
from memsite.report.health import Health
from memsite.report.lines import one_line

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(health: Health) -> str:
    """A suite for each rule; a rule without problems passes with one case, infos pass as well."""
    by_rule = health.by_rule
    suites = "".join(_suite(rule, by_rule.get(rule.code, [])) for rule in RULES)
    tests = sum(max(len(by_rule.get(rule.code, [])), 1) for rule in RULES)
    head = f'<testsuites name="memsite" tests="{tests}" failures="{_failures(health.problems)}" errors="0">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{suites}</testsuites>\n'


def _failures(problems: Iterable[Problem]) -> int:
    return sum(problem.severity != "info" for problem in problems)


def _suite(rule: Rule, problems: list[Problem]) -> str:
    cases = (
        "".join(map(_case, problems))
        or f"    <testcase classname={_attribute(rule.name)} name={_attribute(rule.meaning)}/>\n"
    )
    head = f'name={_attribute(f"{rule.code} {rule.name}")} tests="{max(len(problems), 1)}"'
    return f'  <testsuite {head} failures="{_failures(problems)}" errors="0">\n{cases}  </testsuite>\n'


def _case(problem: Problem) -> str:
    name = f"{problem.path}:{problem.line}:{problem.column} {problem.message}"
    head = f"    <testcase classname={_attribute(problem.path)} name={_attribute(name)}"
    body = f"{problem.path}:{problem.line}:{problem.column} {problem.message}\n{problem.hint}".rstrip()
    if problem.severity == "info":
        return f"{head}><system-out>{_text(body)}</system-out></testcase>\n"
    kind = f"message={_attribute(problem.message)} type={_attribute(f'{problem.code} {problem.severity}')}"
    return f"{head}><failure {kind}>{_text(body)}</failure></testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", one_line(text)))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", "\n".join(map(one_line, text.split("\n")))))
