"""Options that commands share: which project, how to print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from memsite.cli.completion import stores
from memsite.cli.terminal import note_line, visible

if TYPE_CHECKING:
    from memsite.cache import Documents
    from memsite.memory import Memory

Command = TypeVar("Command", bound=Callable[..., Any])
Format = Literal["table", "json", "plain"]


@dataclass(slots=True)
class Invocation:
    """What the options that every command has say."""

    project: Path | None = None
    system_dir: Path | None = None
    vaults: list[tuple[str, Path]] = field(default_factory=list)
    quiet: bool = False
    verbose: bool = False
    debug: bool = False
    form: Format | None = None
    _documents: Documents | None = None

    @property
    def format(self) -> Format:
        """The format that was asked for, else columns for a person and plain lines for a pipe."""
        return self.form or ("table" if sys.stdout.isatty() else "plain")

    def memory(self, *, cached: bool = True) -> Memory:
        """The memory of the project. Raises NoStore (E001), BadConfig (E015)."""
        from memsite.cache import Documents
        from memsite.memory import open_memory
        from memsite.stores import project_root

        root = self.project.resolve() if self.project else project_root(Path.cwd())
        self._documents = Documents(root) if cached else None
        memory = open_memory(root, system_dir=self.system_dir, vaults=self.vaults, documents=self._documents)
        memory.here = Path.cwd()
        if self.verbose and click.get_current_context().info_name != "stores":
            for store in memory.stores:
                note_line(visible(f"store {store.name} ({store.kind}): {store.root}"))
        return memory

    def save_cache(self, *, make: bool = False) -> None:
        """Keep what was parsed for the next run; `make` a cache where there is none yet.

        Only after all notes were read: what this run did not use is forgotten.
        """
        if self._documents is not None:
            self._documents.save(make=make)


def invocation() -> Invocation:
    """The options of the command that runs now."""
    found = click.get_current_context().find_object(Invocation)
    assert found is not None
    return found


def _store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Remember an option wherever it stands, before or after the command."""
    found = context.find_object(Invocation)
    if found is None or parameter.name is None or value in (None, False, ()):
        return
    if parameter.name == "vaults":
        found.vaults += [_vault(each) for each in value]
    else:
        setattr(found, parameter.name, value)


def _vault(text: str) -> tuple[str, Path]:
    """`NAME=FOLDER`, or a folder, which then names the store (an empty name)."""
    name, _, folder = text.rpartition("=")
    return (name, Path(folder))


FOLDER = click.Path(file_okay=False, path_type=Path)


def _shared(*names: str, **how: Any) -> Callable[[Command], Command]:
    """An option that ends in the Invocation instead of the function's parameters."""
    return click.option(*names, expose_value=False, callback=_store, **how)


_PROJECT_OPTIONS = (
    _shared(
        "--project",
        type=FOLDER,
        metavar="FOLDER",
        help="Folder of the project [default: found from here upwards].",
    ),
    _shared(
        "--system-dir", type=FOLDER, metavar="FOLDER", help="Folder of the system store (with MEMORY.md)."
    ),
    _shared(
        "--vault",
        "vaults",
        multiple=True,
        metavar="[NAME=]FOLDER",
        help="One more store: any folder of Markdown.",
    ),
    _shared("-q", "--quiet", is_flag=True, help="Print results and errors only."),
    _shared(
        "-v", "--verbose", is_flag=True, help="Say which stores are read; with `stores` and `build` more."
    ),
    _shared("--debug", is_flag=True, help="Show the traceback of an error."),
)

_OUTPUT_OPTIONS = (
    _shared("--table", "form", flag_value="table", help="Columns [default on a terminal]."),
    _shared("--plain", "form", flag_value="plain", help="One line each, fields between tabs, no headings."),
    _shared("--json", "form", flag_value="json", help="One JSON document on standard output, nothing else."),
)


def project_options(command: Command) -> Command:
    """`--project --system-dir --vault --quiet --verbose --debug`, on memsite itself and on each command."""
    for option in reversed(_PROJECT_OPTIONS):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """`--table`, `--plain` and `--json`: how results come out. Goes with `project_options`."""
    for option in reversed(_OUTPUT_OPTIONS):
        command = option(command)
    return project_options(command)


def filter_options(what: str) -> Callable[[Command], Command]:
    """`--store`, `--tag` and `--type`: which `what` are meant."""

    def add(command: Command) -> Command:
        for option in (
            click.option(
                "--type",
                "types",
                multiple=True,
                metavar="TYPE",
                help=f"Only {what} of this type; given twice, of either.",
            ),
            click.option(
                "--tag",
                "tags",
                multiple=True,
                metavar="TAG",
                help=f"Only {what} with this tag; given twice, with both.",
            ),
            click.option("--store", metavar="NAME", shell_complete=stores, help="Only this store."),
        ):
            command = option(command)
        return command

    return add


def date_options(command: Command) -> Command:
    """`--before` and `--after`: calendar days, both left out themselves."""
    command = click.option("--after", metavar="DAY", help="Only what is newer than this day.")(command)
    return click.option("--before", metavar="DAY", help="Only what is older than this day (YYYY-MM-DD).")(
        command
    )


def examples(*lines: str) -> str:
    """The epilog of a command's help: one example a line, as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
