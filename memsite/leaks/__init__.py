"""Secrets and personal data: found in what is published, shown by kind only, blacked out on request.

Pure functions over text. Three views of a memory are to be looked at: the source of each note (file
and line), the visible text of each page, and every file that is written.
"""

from __future__ import annotations

from memsite.leaks.findings import Vetting, leak_finding, leak_findings
from memsite.leaks.guard import Guard, Place, longest_first
from memsite.leaks.kingfisher import available, kingfisher_engine
from memsite.leaks.personal import shorten_homes
from memsite.leaks.scan import (
    NOTHING_ALLOWED,
    AllowList,
    Engine,
    Leak,
    find,
    find_secrets,
    fingerprint,
    read_allow_list,
    redact,
    undisguised,
)

__all__ = [
    "NOTHING_ALLOWED",
    "AllowList",
    "Engine",
    "Guard",
    "Leak",
    "Place",
    "Vetting",
    "available",
    "find",
    "find_secrets",
    "fingerprint",
    "kingfisher_engine",
    "leak_finding",
    "leak_findings",
    "longest_first",
    "read_allow_list",
    "redact",
    "shorten_homes",
    "undisguised",
]
