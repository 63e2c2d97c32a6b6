"""The rules of kingfisher-secret-scanner, which know far more kinds than ours; an optional package.

Scanning is local: nothing is validated, nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memsite.leaks.patterns import REDACTED, Confidence
from memsite.leaks.scan import Engine, Leak

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

_CONFIDENCE: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}


def available() -> bool:
    """Whether the package is installed: it has no wheel for some systems."""
    return find_spec("kingfisher_sdk") is not None


def kingfisher_engine(cache_dir: str) -> Engine | None:
    """The scanner, or None without the package.

    `cache_dir` is a folder for the compiled rules (9 MB): making them takes up to ten seconds,
    reading them half a second.
    """
    if not available():
        return None
    from kingfisher_sdk import DetectionPolicy, Rules, Scanner

    policy = DetectionPolicy(inline_ignores=False, markup_context=False)
    scanner = Scanner(Rules(confidence="low", cache_dir=cache_dir), policy=policy)
    return lambda text: _leaks(scanner, text)


def _leaks(scanner: Scanner, text: str) -> Iterator[Leak]:
    encoded = text.encode("utf-8", "replace")
    for finding in scanner.scan(encoded):
        if finding.visible and REDACTED not in finding.secret:
            start, end = finding.location["start_offset"], finding.location["end_offset"]
            kind = finding.rule_id.rpartition(".")[2]
            confidence = _CONFIDENCE.get(finding.confidence, "medium")
            yield Leak(
                kind, finding.secret, _characters(encoded, start), _characters(encoded, end), confidence
            )


def _characters(encoded: bytes, offset: int) -> int:
    """The character offset of a byte offset."""
    return len(encoded[:offset].decode("utf-8", "ignore"))
