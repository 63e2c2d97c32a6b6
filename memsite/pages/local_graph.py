"""The graph around one page: a few dozen nodes in a small script file.

Files hold the pages whose URLs share a hash, so that ten thousand pages need no ten thousand files, and
so that a new note changes the files of its neighbours only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memsite.pages.graph_model import COLOURS, View, script_json
from memsite.pages.urls import encoded

SHARDS = 1024
NEAREST = 24
"""Neighbours shown at depth 1, the most tightly linked first."""
FURTHER = 30
"""Nodes added at depth 2."""


def shard_url(url: str) -> str:
    """The script file, below the site's root, that holds the graph around the page at `url` (decoded)."""
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()
    return f"graph/local/{int.from_bytes(digest[:4]) % SHARDS:03x}.js"


def shard_href(url: str, root: str) -> str:
    """What `data-shard` holds on the page at `url`: the file, and after `#` the page's name in it."""
    return f"{root}{shard_url(url)}#{encoded(url)}"
