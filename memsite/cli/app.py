"""The command group: which commands there are, where they live, and how errors come out.

A command's module is imported when the command is run or its help is shown, so that `memsite --help`
costs the import of click and nothing else.
"""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from memsite import __version__
from memsite.cli.options import Invocation, examples, output_options
from memsite.cli.terminal import note_line, print_error, visible
from memsite.errors import BadArgument, MemsiteError

# Name, module, one line for --help. The help of a command itself comes from its docstring.
COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "The memory": {
        "list": ("memory", "List the notes of the stores, newest first."),
        "search": ("memory", "Search the full text of all notes."),
        "view": ("memory", "Show a note, with its checksum."),
        "new": ("writing", "Make a note: an entry or a topic, with its line in the index."),
        "edit": ("writing", "Edit a note: append, prepend, find_replace, replace_section, or $EDITOR."),
        "delete": ("writing", "Delete a note together with its line in the index."),
        "prune": ("writing", "Delete many entries: by tag, type or date."),
        "undo": ("writing", "Take back the last write, or an earlier one."),
        "sync": ("memory", "Count notes, links, concepts and relations."),
        "context": ("memory", "Show what a concept is connected with."),
    },
    "Its health": {
        "check": ("health", "Say what is wrong with the memory."),
        "repair": ("health", "Mend what can be mended in one way only."),
        "report": ("health", "Write reports: Markdown, JSON, SARIF, JUnit, HTML and a badge."),
        "diff": ("health", "Say what changed since a git revision or another folder."),
        "leaks": ("health", "Accept a harmless value that looks like a secret."),
    },
    "The site": {
        "build": ("site", "Build the memory as a wiki of static files."),
        "serve": ("site", "Build, watch and show the wiki while you edit."),
        "graph": ("site", "Write the concept graph as JSON, GraphML, Mermaid, DOT or CSV."),
        "stores": ("site", "Say which stores were found, and where memsite looked."),
        "init": ("start", "Write a commented memsite.toml; a CI job and a hook on demand."),
    },
    "For agents": {
        "mcp": ("agent", "Offer the same operations as MCP tools."),
    },
}

EXAMPLES = examples(
    "memsite                                  what is remembered, in all stores",
    "memsite build                            the wiki, in site/",
    "memsite serve                            the same, live, in the browser",
    "memsite check                            what is wrong with it",
    'memsite edit NOTE --operation append --content "see [[Retry]]"',
)


class Commands(click.Group):
    """Loads each command from its module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for family in COMMANDS.values() for name in family]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for family in COMMANDS.values():
            if cmd_name in family:
                module = import_module(f"memsite.cli.{family[cmd_name][0]}")
                command: click.Command = getattr(module, f"{cmd_name}_command")
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=2)
            note = f" To show a note: memsite view '{args[0]}'."
            also = f" Did you mean {' or '.join(near)}?" if near else note
            raise click.UsageError(error.message + also, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for family, commands in COMMANDS.items():
            with formatter.section(family):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


@click.group(
    cls=Commands,
    name="memsite",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
@output_options
@click.version_option(__version__, "-V", "--version", prog_name="memsite")
@click.pass_context
def memsite(context: click.Context) -> None:
    """See, check, edit and publish what your agents remember.

    Without a command: list the notes of all stores.
    """
    if context.invoked_subcommand is None:
        command = context.command
        assert isinstance(command, Commands)
        listing = command.get_command(context, "list")
        assert listing is not None
        context.invoke(listing)


def run(arguments: list[str]) -> int:
    """Run the command that `arguments` name; the exit code."""
    options = Invocation()
    try:
        outcome = memsite.main(args=arguments, prog_name="memsite", standalone_mode=False, obj=options)
    except click.UsageError as error:
        return _usage(error, in_json="--json" in arguments)
    except (click.Abort, KeyboardInterrupt):
        note_line("Stopped.")
        return 130
    except BrokenPipeError:
        # The reader of the pipe went away, as `head` does. Nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if options.debug:
            raise
        return _refused(error, in_json=options.form == "json")
    return outcome if isinstance(outcome, int) else 0


def _usage(error: click.UsageError, *, in_json: bool) -> int:
    if in_json:
        called = error.ctx.command_path if error.ctx else "memsite"
        print_error(BadArgument(error.format_message(), hint=f"See `{called} --help`."), in_json=True)
    else:
        error.show()
    return 2


def _refused(error: Exception, *, in_json: bool) -> int:
    """Say what was refused; what nothing below understood comes in one line too, without a traceback."""
    if isinstance(error, MemsiteError):
        print_error(error, in_json=in_json)
        return error.exit_code
    if isinstance(error, OSError):
        name = f" '{error.filename}'" if error.filename else ""
        said = f"{error.strerror or error}{name}"
    elif isinstance(error, click.ClickException):
        said = error.format_message()
    else:
        said = f"memsite failed, please report it: {type(error).__name__}: {error}"
    note_line(f"error: {visible(said)} (--debug shows where)")
    return 2
