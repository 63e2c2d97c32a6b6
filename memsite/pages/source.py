"""The raw Markdown of a note, as far as it is published."""

from __future__ import annotations

import re

# Code comes first in the alternatives: a comment inside it is text.
_CODE_OR_COMMENT = re.compile(
    r"^(?P<fence>[ >]*(?P<marks>`{3,}|~{3,}))[^\n]*\n(?:.*?\n)??[ >]*(?P=marks)[`~]*[ \t]*$"
    r"|(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).){1,2000}?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<comment>%%.*?%%|<!--.*?-->)",
    re.MULTILINE | re.DOTALL,
)


def published_source(content: bytes) -> bytes:
    """The bytes of a note without its comments (`%%…%%`, `<!--…-->`), which no page shows either.
    A note without comments, and one that is not UTF-8, comes back as it is."""
    if b"%%" not in content and b"<!--" not in content:
        return content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    kept = _CODE_OR_COMMENT.sub(lambda found: "" if found["comment"] else found[0], text)
    return kept.encode("utf-8")
