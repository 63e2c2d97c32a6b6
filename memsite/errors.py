"""What memsite refuses to do, one class a code (docs/rules.md lists them)."""

from __future__ import annotations

from typing import ClassVar


class MemsiteError(Exception):
    """A refusal with a code: what is wrong, where, and what to do next.

    `message` is one sentence without the code; `hint` says the next step, in a sentence too; `details`
    holds what a program wants to know (JSON-able), such as both checksums of a stale edit.
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

    @property
    def phrase(self) -> str:
        """The message as a finding says it behind a place: no capital at the start, no full stop."""
        return f"{self.message[:1].lower()}{self.message[1:].removesuffix('.')}"


class NoStore(MemsiteError):
    """There is no store here, or none of the kind that is needed."""

    code, rule, exit_code = "E001", "no-store", 2


class NotFound(MemsiteError):
    """No note, store, concept or transaction of this name, or a file that cannot be read."""

    code, rule = "E002", "not-found"


class PruneNeedsFilter(MemsiteError):
    """Prune without a filter would delete everything."""

    code, rule = "E003", "prune-needs-filter"


class MemoryProtected(MemsiteError):
    """MEMORY.md is what an agent reads first: it is edited, never deleted."""

    code, rule = "E004", "memory-md-protected"


class AmbiguousName(MemsiteError):
    """Several notes bear the name; their addresses are given."""

    code, rule = "E005", "ambiguous"


class StaleChecksum(MemsiteError):
    """The note changed since it was read; its checksum and text now are given."""

    code, rule = "E006", "stale-checksum"


class WikiLinkRequired(MemsiteError):
    """The text of an edit, or the note that it would leave, holds no WikiLink."""

    code, rule = "E007", "wikilink-required"


class MatchCount(MemsiteError):
    """The text to replace is not there, or not as often as was expected."""

    code, rule = "E008", "match-count"


class SectionNotFound(MemsiteError):
    """The note has no heading of this name."""

    code, rule = "E009", "section-not-found"


class SectionAmbiguous(MemsiteError):
    """Several headings bear the name; their lines are given."""

    code, rule = "E010", "section-ambiguous"


class OutsideStore(MemsiteError):
    """The name or path leads out of the store."""

    code, rule = "E011", "outside-store"


class BadEncoding(MemsiteError):
    """The text is not valid UTF-8, or not text at all."""

    code, rule = "E012", "bad-encoding"


class Locked(MemsiteError):
    """Somebody else is writing to the store or the site, or a write there was interrupted."""

    code, rule = "E013", "locked"


class IndexUnreadable(MemsiteError):
    """The index cannot be understood, so it is not rewritten."""

    code, rule = "E014", "index-unreadable"


class BadConfig(MemsiteError):
    """The configuration is not understood."""

    code, rule, exit_code = "E015", "bad-config", 2


class ForeignOutput(MemsiteError):
    """The folder for the site holds something that memsite did not make."""

    code, rule = "E016", "foreign-output"


class Leak(MemsiteError):
    """The site would publish a secret."""

    code, rule = "E017", "leak"


class ReadOnly(MemsiteError):
    """The file or folder cannot be written, or the server is read-only."""

    code, rule = "E018", "read-only"


class BadArgument(MemsiteError):
    """The call is not understood, or something it names is not there."""

    code, rule, exit_code = "E019", "bad-argument", 2


def refusals() -> tuple[type[MemsiteError], ...]:
    """Every kind of refusal, by code."""
    found = (each for each in MemsiteError.__subclasses__() if each.__module__ == __name__)
    return tuple(sorted(found, key=lambda each: each.code))
