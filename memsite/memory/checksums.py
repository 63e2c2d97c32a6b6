"""Checksums as people and programs hand them in."""

from __future__ import annotations

import base64
import binascii
import re

from memsite.errors import BadArgument
from memsite.note import Checksum

_HEX = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


def parse_checksum(text: str) -> Checksum:
    """SHA-256 as hex, with or without `sha256:`, or as Base64. Raises BadArgument (E019) for all else.

    What is no checksum never means that nothing is to be compared.
    """
    found = _HEX.fullmatch(text.strip())
    if found:
        return found[1].lower()
    try:
        digest = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != 32:
        raise BadArgument(
            f"'{text}' is not a checksum.", hint="Give the SHA-256 that reading the note showed."
        )
    return digest.hex()
