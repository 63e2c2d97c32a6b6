"""The command line: the only place that prints, asks or exits."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from memsite.cli.app import run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run memsite with `arguments` (default: those of the process) and exit.

    Exit codes: 0 done, 1 findings or a refused operation, 2 could not run at all.
    """
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))
