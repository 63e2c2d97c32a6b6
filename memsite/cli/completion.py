"""What the shell completes besides commands and options: notes, stores and codes.

A completion never fails: where there is no memory there is nothing to offer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from memsite.errors import MemsiteError

if TYPE_CHECKING:
    import click

    from memsite.stores import Store


def notes(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Paths of notes without `.md`, which are the ids of entries too; else the shell's own file names."""
    names = (path.removesuffix(".md") for store in _stores() for path in store.paths())
    # A shell would take a name with a blank for two words; as a file name it is quoted.
    fitting = sorted({name for name in names if name.startswith(begun) and not any(map(str.isspace, name))})
    return [CompletionItem(begun, type="file"), *map(CompletionItem, fitting)]


def stores(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(store.name) for store in _stores() if store.name.startswith(begun)]


def codes(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from memsite.check import RULES
    from memsite.errors import refusals

    known = {rule.code: rule.meaning for rule in RULES}
    known |= {each.code: (each.__doc__ or "").splitlines()[0] for each in refusals()}
    return [
        CompletionItem(code, help=meaning)
        for code, meaning in known.items()
        if code.startswith(begun.upper())
    ]


def _stores() -> tuple[Store, ...]:
    from memsite.config import load_config
    from memsite.stores import find_stores, project_root

    root = project_root(Path.cwd())
    try:
        return find_stores(load_config(root), root).stores
    except MemsiteError:
        return ()
