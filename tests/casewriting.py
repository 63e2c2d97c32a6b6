"""Actions of the cases that write: edits, new notes, deletion, pruning, repair, the index."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from caseactions import World, action

from memsite.edit import Edit

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)


@action
def edit(world: World, identifier: str, operation: str, text: str, *options: str) -> Iterator[str]:
    """Edit a note and say: done, (in how many places), what is remarked, which problems came with it."""
    words = dict(option.split("=", 1) if "=" in option else (option, "") for option in options)
    asked = Edit(
        operation,  # type: ignore[arg-type]
        text,
        find=words.get("find"),
        expected_count=int(words["expect"]) if "expect" in words else None,
        section=words.get("section"),
        nth=int(words["nth"]) if "nth" in words else None,
        tight="tight" in words,
        own_text_only="own" in words,
        whole_file="whole" in words,
        allow_unlinked="unlinked" in words,
    )
    written = world.memory.edit(
        identifier, asked, expected=words.get("checksum"), dry_run="dry" in words, now=NOW
    )
    if not written.changed:
        yield "unchanged"
    elif written.dry_run:
        yield "would change"
        yield from written.diff.split("\n")
    else:
        parts = ["done"] + [f"({written.count})"] * (written.count != 1) + list(written.remarks)
        yield " ".join(parts + [f"{p.code} {p.line}:{p.column}" for p in written.appeared if p.code == "W007"])
