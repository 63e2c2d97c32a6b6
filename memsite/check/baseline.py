"""The baseline: findings that are known and accepted, by fingerprints that survive moved lines."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memsite.note import Problem

_HEADER = "# Findings that memsite check accepts. Written by --update-baseline.\n"
_PLACES = re.compile(r"\d+")


def fingerprints(problems: Sequence[Problem]) -> tuple[str, ...]:
    """One for each problem, in their order: 16 hex digits.

    Line, column and every number of the message are left out, for they move with unrelated edits;
    equal findings of one file are told apart by their count.
    """
    seen: Counter[str] = Counter()
    prints = []
    for problem in problems:
        key = "\0".join((problem.code, problem.path, _PLACES.sub("#", problem.message)))
        seen[key] += 1
        prints.append(hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "replace")).hexdigest()[:16])
    return tuple(prints)


def baseline_text(problems: Sequence[Problem]) -> str:
    """The baseline file that accepts `problems`: one line each, sorted, so that it merges well."""
    lines = {
        f"{known} {problem.code} {_on_one_line(problem.path)}"
        for known, problem in zip(fingerprints(problems), problems, strict=True)
    }
    return _HEADER + "".join(
        f"{line}\n" for line in sorted(lines, key=lambda line: (line.split(" ", 1)[1], line))
    )


def accepted_by(text: str) -> frozenset[str]:
    """The fingerprints in a baseline file; other lines are remarks."""
    words = (line.split(" ", 1)[0] for line in text.splitlines())
    return frozenset(word for word in words if re.fullmatch(r"[0-9a-f]{16}", word))


def unaccepted(problems: Sequence[Problem], accepted: Iterable[str]) -> tuple[Problem, ...]:
    """The problems that no line of the baseline accepts."""
    known = frozenset(accepted)
    return tuple(
        problem for mark, problem in zip(fingerprints(problems), problems, strict=True) if mark not in known
    )


def _on_one_line(path: str) -> str:
    return path.encode("unicode_escape").decode("ascii") if not path.isprintable() else path
