"""Work in a second process while this one goes on: for what takes seconds and hands back mere bytes."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Protocol

Result = Callable[[], bytes]
"""Waits for the bytes."""


def beside(work: Callable[[], bytes], *, jobs: int) -> Result:
    """Begin `work` in a process of its own, which sees everything as it is now, where `jobs` allow more
    than one; elsewhere it is done when its result is asked for. So it is where a process cannot simply be
    copied: outside Linux, and when threads run. Work that fails beside is done again here, where its error
    can be raised.
    """
    if not _can_be_copied(jobs):
        return work
    reader, writer = os.pipe()
    child = _copied(lambda: _write(writer, work()), closing=(reader,))
    os.close(writer)

    def result() -> bytes:
        made = _read(reader)
        return made if _ended_well(child) else work()

    return result


class Reader(Protocol):
    """Takes pieces of work one by one, and says in the end what came of them."""

    def take(self, piece: bytes) -> None: ...
    def result(self) -> bytes: ...


class Fed:
    """Hands pieces to a reader in a process of its own, under the same conditions as `beside`."""

    def __init__(self, reader: Reader, *, jobs: int) -> None:
        self._reader = reader
        self._child = 0
        if _can_be_copied(jobs):
            taken, given = os.pipe()
            answered, answering = os.pipe()
            self._child = _copied(lambda: _feed(reader, taken, answering), closing=(given, answered))
            os.close(taken)
            os.close(answering)
            self._pieces, self._answer = os.fdopen(given, "wb", buffering=1 << 20), answered

    def take(self, piece: bytes) -> None:
        """Raises ChildProcessError when the other process was ended from outside."""
        if not self._child:
            self._reader.take(piece)
            return
        try:
            self._pieces.write(len(piece).to_bytes(_LENGTH))
            self._pieces.write(piece)
        except BrokenPipeError:
            raise _ended_from_outside() from None

    def result(self) -> bytes:
        """What the reader says. Raises ChildProcessError as `take` does: what it read cannot be had again."""
        if not self._child:
            return self._reader.result()
        try:
            self._pieces.close()
        except BrokenPipeError:
            raise _ended_from_outside() from None
        made = _read(self._answer)
        if not _ended_well(self._child):
            raise _ended_from_outside()
        return made


def _ended_from_outside() -> ChildProcessError:
    # Not the broken pipe itself: to the command line that means a reader who has heard enough, no failure.
    return ChildProcessError("a process of memsite was ended from outside; `--jobs 1` needs no other")


_LENGTH = 8
"""Bytes of the length of a piece."""


def _can_be_copied(jobs: int) -> bool:
    return jobs > 1 and sys.platform == "linux" and threading.active_count() == 1


def _copied(work: Callable[[], None], *, closing: Sequence[int]) -> int:
    """The number of a new process that does `work` and then ends; it never returns into the program."""
    with warnings.catch_warnings():
        # Threads that number libraries keep waiting are no danger to a copy.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        return child
    status = 1
    try:
        for descriptor in closing:
            os.close(descriptor)
        work()
        status = 0
    finally:
        os._exit(status)


def _feed(reader: Reader, taken: int, answering: int) -> None:
    with os.fdopen(taken, "rb", buffering=1 << 20) as pieces:
        while length := pieces.read(_LENGTH):
            reader.take(pieces.read(int.from_bytes(length)))
    _write(answering, reader.result())


def _write(writer: int, made: bytes) -> None:
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(made)


def _read(reader: int) -> bytes:
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


def _ended_well(child: int) -> bool:
    return os.waitpid(child, 0)[1] == 0


def processors() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
