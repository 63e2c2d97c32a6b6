"""What memsite refuses to do, one class a code (listed in the README)."""

from __future__ import annotations

from typing import ClassVar


class MemsiteError(Exception):
    """A refusal with a code: what is wrong, where, and what to do next.

    `message` is one sentence without the code; `hint` says the next step; `details` holds what a
    program wants to know (JSON-able), such as both checksums of a stale edit.
    `exit_code` is 1 for a refused operation and 2 when the command could not run at all.
    """

    code: ClassVar[str] = "E000"
    rule: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class NoStore(MemsiteError):
    code, rule, exit_code = "E001", "no-store", 2


class NotFound(MemsiteError):
    code, rule = "E002", "not-found"


class PruneNeedsFilter(MemsiteError):
    code, rule = "E003", "prune-needs-filter"


class MemoryProtected(MemsiteError):
    code, rule = "E004", "memory-md-protected"


class AmbiguousName(MemsiteError):
    code, rule = "E005", "ambiguous"


class StaleChecksum(MemsiteError):
    code, rule = "E006", "stale-checksum"


class WikiLinkRequired(MemsiteError):
    code, rule = "E007", "wikilink-required"


class MatchCount(MemsiteError):
    code, rule = "E008", "match-count"


class SectionNotFound(MemsiteError):
    code, rule = "E009", "section-not-found"


class SectionAmbiguous(MemsiteError):
    code, rule = "E010", "section-ambiguous"


class OutsideStore(MemsiteError):
    code, rule = "E011", "outside-store"


class BadEncoding(MemsiteError):
    code, rule = "E012", "bad-encoding"


class Locked(MemsiteError):
    code, rule = "E013", "locked"


class IndexUnreadable(MemsiteError):
    code, rule = "E014", "index-unreadable"


class BadConfig(MemsiteError):
    code, rule, exit_code = "E015", "bad-config", 2


class ForeignOutput(MemsiteError):
    code, rule = "E016", "foreign-output"


class Leak(MemsiteError):
    code, rule = "E017", "leak"


class ReadOnly(MemsiteError):
    code, rule = "E018", "read-only"


class BadArgument(MemsiteError):
    code, rule, exit_code = "E019", "bad-argument", 2
