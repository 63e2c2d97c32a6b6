"""From a raw request path to one file of the site, or to nothing.

A path is decoded exactly once, must name every folder plainly, and is opened only where its real path is
the very path that was asked for: no link, no dot file, no folder beside the site with a longer name.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

TYPES = {
    "avif": "image/avif",
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "gif": "image/gif",
    "html": "text/html; charset=utf-8",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "md": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml",
}
MAX_PATH = 4096
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Found:
    """A file to send."""

    path: Path
    media_type: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with an index page, asked for without its final slash."""


def decoded(raw: bytes) -> str | None:
    """The path that a request names, decoded once; None for one that is malformed."""
    path = raw.partition(b"?")[0]
    if len(path) > MAX_PATH or not path.startswith(b"/") or _BAD_ESCAPE.search(path):
        return None
    try:
        return unquote_to_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return None


def file_at(root: Path, path: str) -> Found | Folder | None:
    """What of the site below `root` the decoded request path names."""
    steps = path.split("/")[1:]
    wants_index = steps[-1] == ""
    if wants_index:
        steps = [*steps[:-1], "index.html"]
    if any(step == "" or step.startswith(".") or "\\" in step or "\0" in step for step in steps):
        return None
    place = os.path.join(root, *steps)  # noqa: PTH118 - Path would tidy the name
    if os.path.realpath(place) != place:
        return None
    try:
        mode = os.lstat(place).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(mode) and not wants_index:
        return Folder() if isinstance(file_at(root, f"{path}/"), Found) else None
    if not stat.S_ISREG(mode):
        return None
    return Found(Path(place), TYPES.get(place.rpartition(".")[2].lower(), "application/octet-stream"))
