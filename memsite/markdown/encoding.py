"""Which encoding a file says it has."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE


def encoding_of(content: bytes) -> str:
    """The encoding that the first bytes of a file name; UTF-8 where they name none."""
    if content.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8"
