"""Work in a second process while this one goes on: for what takes seconds and hands back mere bytes."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable

Result = Callable[[], bytes]
"""Waits for the bytes."""


def beside(work: Callable[[], bytes], *, jobs: int) -> Result:
    """Begin `work` in a process of its own, which sees everything as it is now, where `jobs` allow more
    than one; elsewhere it is done when its result is asked for. So it is where a process cannot simply be
    copied: outside Linux, and when threads run. Work that fails beside is done again here, where its error
    can be raised.
    """
    if jobs < 2 or sys.platform != "linux" or threading.active_count() > 1:
        return work
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Threads that number libraries keep waiting are no danger to a copy.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _hand_over(work, writer)
    os.close(writer)

    def result() -> bytes:
        with os.fdopen(reader, "rb") as pipe:
            made = pipe.read()
        _, status = os.waitpid(child, 0)
        return made if status == 0 else work()

    return result


def _hand_over(work: Callable[[], bytes], writer: int) -> None:
    """What the second process does; it never returns into the program of the first."""
    status = 1
    try:
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(work())
        status = 0
    finally:
        os._exit(status)


def processors() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
