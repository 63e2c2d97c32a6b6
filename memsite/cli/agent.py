"""The command for agents: mcp."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memsite.cli.options import examples, invocation, project_options
from memsite.errors import BadArgument

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.note import Document


@click.command("mcp", epilog=examples("memsite mcp", "memsite mcp --read-only --project ~/board"))
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@project_options
def mcp_command(*, read_only: bool) -> None:
    """Offer the memory to an agent as MCP tools, over standard input and output.

    An agent's host starts this command; there is nothing to see when you start it yourself.
    """
    try:
        from memsite.mcp import serve_stdio
    except ModuleNotFoundError as error:
        raise BadArgument(
            f"`memsite mcp` needs {error.name}, which is not installed.",
            hint="`pip install 'memsite[mcp]'` installs it.",
        ) from error
    from memsite.memory import open_memory
    from memsite.stores import project_root

    options = invocation()
    root = options.project.resolve() if options.project else project_root(Path.cwd())
    documents: dict[str, Document] = {}

    def opened() -> Memory:
        return open_memory(root, system_dir=options.system_dir, vaults=options.vaults, documents=documents)

    serve_stdio(opened, read_only=read_only)
