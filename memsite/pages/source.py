"""The raw Markdown of a note, as far as it is published."""

from __future__ import annotations

from memsite.markdown import without_comments


def published_source(raw: bytes) -> bytes:
    """The bytes of a note without its comments (`%%…%%`, `<!--…-->`), which no page shows either.
    A note without comments, and one that is not UTF-8, comes back as it is."""
    if b"%%" not in raw and b"<!--" not in raw:
        return raw
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw
    return without_comments(text).encode("utf-8")
