"""Cutting a write off at any system call: the process dies there, or the call fails."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CALLS = (
    "open", "write", "read", "fsync", "fchmod", "fchown", "link", "rename", "replace", "unlink", "mkdir", "rmdir",
    "utime", "setxattr", "close", "listdir", "scandir", "stat", "lstat", "fstat",
)  # fmt: skip
"""Everything the write path asks of the system goes through these functions of `os`."""
CHANGING = frozenset(
    {"open", "write", "fsync", "fchmod", "link", "rename", "replace", "unlink", "mkdir", "rmdir", "utime"}
)

Act = Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]
KILLED = 77


@contextmanager
def intercepted(at: int, act: Act, names: frozenset[str] = CHANGING) -> Iterator[list[str]]:
    """Hand call number `at` (from 1) to `act` instead of the system. Yields the calls made so far.

    Flushing is left out: what a dead process wrote, the system still has.
    """
    made: list[str] = []
    real = {name: getattr(os, name) for name in CALLS if name in names and hasattr(os, name)}

    if "fsync" in real:
        flush, real["fsync"] = real["fsync"], lambda _descriptor: None

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            made.append(name)
            if len(made) == at:
                return act(name, lambda: real[name](*args, **options), args)
            return real[name](*args, **options)

        return call

    for name in real:
        setattr(os, name, wrapped(name))
    try:
        yield made
    finally:
        for name, call in (real | ({"fsync": flush} if "fsync" in real else {})).items():
            setattr(os, name, call)


def die(name: str, _call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Die before the call; of a write, half is on the disk."""
    if name == "write":
        _write_half(*args)
    os._exit(KILLED)


_real_write = os.write


def _write_half(descriptor: int, content: bytes) -> None:
    _real_write(descriptor, bytes(content)[: len(content) // 2])


def fail_with(number: int) -> Act:
    """The call fails as on a full disk or a broken one."""

    def fail(_name: str, _call: Callable[..., Any], _args: tuple[Any, ...]) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


FULL, BROKEN = errno.ENOSPC, errno.EIO


def in_child(work: Callable[[], None], at: int, act: Act = die) -> bool:
    """Run `work` in a process of its own that dies at call `at`; whether it died there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        code = 1
        try:
            with intercepted(at, act):
                work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, KILLED), f"the child failed by itself with {code}"
    return code == KILLED
