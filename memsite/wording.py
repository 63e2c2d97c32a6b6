"""Numbers and errors of the system in sentences for people."""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """`1 note`, `2 notes`, `3,176 notes`; `many` where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def system_reason(error: OSError) -> str:
    """What the system says, as the end of a sentence: `no such file or directory`."""
    return (error.strerror or "unknown error").lower()
