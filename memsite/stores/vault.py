"""Names for vaults: derived from their folders, unique, fit to stand in an address."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from unicodedata import normalize

from memsite.config import STORE_NAMES


def vault_name(folder: Path, taken: Collection[str]) -> str:
    """A name for the vault in `folder` that is not taken: `My Notes` -> `my-notes`, then `my-notes-2`."""
    words = re.sub(r"[^\w.]+", "-", normalize("NFC", folder.name).lower())
    name = words.strip("-.") or "vault"
    used = {other.casefold() for other in taken} | STORE_NAMES.keys()
    number, unique = 1, name
    while unique.casefold() in used:
        number += 1
        unique = f"{name}-{number}"
    return unique
