"""The command line: the only place that prints, asks or exits."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from memsite.cli.app import run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run memsite with `arguments` (default: those of the process) and exit.

    Exit codes: 0 done, 1 findings, a search without hits or a refused operation, 2 could not run at all.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            _take_any_letter(stream)
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def _take_any_letter(stream: io.TextIOWrapper) -> None:
    """Pipes and files get UTF-8 whatever the system's encoding is: it is what JSON is read as. A terminal
    keeps its own, and shows as an escape what that does not have."""
    if stream.isatty():
        stream.reconfigure(errors="backslashreplace")
    else:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
