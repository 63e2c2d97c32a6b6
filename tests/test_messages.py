"""How messages are worded: a refusal and a hint are sentences, a finding is a phrase behind its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import memsite
from memsite.check import RULES, Rule
from memsite.errors import MemsiteError, refusals

PACKAGE = Path(memsite.__file__).parent
REFUSALS = {each.__name__ for each in refusals()} | {"NotConfirmed"}
VALUE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for what is put into a message when it is made."""


def calls(names: set[str]) -> Iterator[tuple[str, ast.Call]]:
    """Every call of one of `names` in the package, with its place."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in names:
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def words(node: ast.expr | None) -> Iterator[str]:
    """The texts that stand in `node` as they are written, values as `VALUE`; none where it is computed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else VALUE for part in node.values)
        yield "".join(map(str, parts))
    elif isinstance(node, ast.IfExp):
        yield from (*words(node.body), *words(node.orelse))


def written(names: set[str], position: int | None, keyword: str) -> list[tuple[str, str]]:
    """The argument of each call, where it is written out."""
    found = []
    for place, call in calls(names):
        given: list[ast.expr | None] = [each.value for each in call.keywords if each.arg == keyword]
        if position is not None and position < len(call.args):
            given.append(call.args[position])
        found += [(place, text) for node in given for text in words(node) if text]
    return found


MESSAGES = written(REFUSALS, 0, "message")
HINTS = written(REFUSALS, None, "hint") + written({"Finding"}, 4, "hint") + written({"_Fault"}, 2, "hint")
PHRASES = written({"Finding"}, 3, "message") + written({"_Fault"}, 1, "message")


def test_there_are_messages() -> None:
    assert (len(MESSAGES) > 100, len(HINTS) > 80, len(PHRASES) > 20) == (True, True, True)


@pytest.mark.parametrize(("place", "text"), [*MESSAGES, *HINTS])
def test_a_refusal_and_a_hint_are_sentences(place: str, text: str) -> None:
    assert re.match(rf"[A-Z'\[`$-]|{VALUE}|\w+_\w+ |git ", text), f"{place}: {text}"
    assert re.search(rf"[.?]$|{VALUE}$|`$", text), f"{place}: {text}"


@pytest.mark.parametrize(("place", "text"), PHRASES)
def test_a_finding_is_a_phrase(place: str, text: str) -> None:
    assert not re.match(r"[A-Z][a-z]", text), f"{place}: {text}"
    assert not text.endswith("."), f"{place}: {text}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_texts_of_a_rule_end_in_one_way(rule: Rule) -> None:
    assert not rule.meaning.endswith(".")
    assert rule.explanation.endswith(".")
    assert rule.fix.endswith(".")


@pytest.mark.parametrize("refusal", refusals(), ids=lambda refusal: refusal.code)
def test_a_refusal_says_what_it_is_for(refusal: type[MemsiteError]) -> None:
    assert (refusal.__doc__ or "").endswith(".")
