"""A memory of files that a test names: `vault/` is a vault, `.workflow/memory` and `system` the other stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import write_tree

from memsite.memory import Memory, open_memory

Make = Callable[..., Memory]


def memory_of(root: Path, **named: str | bytes) -> Memory:
    """The memory at `root` after `named` files, by their paths below it, have been written."""
    for folder in (".workflow/memory", "system", "vault"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    return opened(write_tree(root, named))


def opened(root: Path) -> Memory:
    return open_memory(root, system_dir=root / "system", vaults=[("vault", root / "vault")])
