"""The commands that change the memory: new, edit, delete, prune, undo."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memsite.cli import completion
from memsite.cli.options import date_options, examples, filter_options, invocation, output_options
from memsite.cli.terminal import echo, echo_answer, note_line, print_rows, style, visible, visible_block, warn
from memsite.errors import BadArgument, BadEncoding
from memsite.wording import plural, system_reason

if TYPE_CHECKING:
    from memsite.edit import Operation
    from memsite.memory import Memory
    from memsite.memory.answers import Pruned, Undone, Written
    from memsite.memory.creating import NewKind
    from memsite.note import Problem

Command = TypeVar("Command", bound=Callable[..., Any])

_OPERATIONS = ("append", "prepend", "find_replace", "replace_section")
_MOST_LINKS = 10
_MAKES = {"new": "make", "find_replace": "replace text in", "replace_section": "replace a section of"}
"""Operations whose names are no verbs."""


class NotConfirmed(BadArgument):
    """Nobody said yes. A refusal, not a wrong call."""

    exit_code = 1


def text_options(command: Command) -> Command:
    """`--content` and `--content-file`: where the text comes from."""
    command = click.option("--content-file", metavar="FILE", help="Text of a file; - for standard input.")(
        command
    )
    return click.option("--content", metavar="TEXT", help="Text as it is; - for standard input.")(command)


def given_text(content: str | None, content_file: str | None) -> str | None:
    """The text that the options name; None when they name none.

    Raises BadArgument (E019) for an empty standard input or a file that is not there, BadEncoding
    (E012) for what is no UTF-8.
    """
    if content is not None and content_file is not None:
        raise click.UsageError("Give --content or --content-file, not both.")
    if "-" in (content, content_file):
        return _standard_input()
    if content_file is None:
        return content
    try:
        raw = Path(content_file).read_bytes()
    except OSError as error:
        raise BadArgument(
            f"'{content_file}' cannot be read: {system_reason(error)}.",
            hint="Give a file that exists, or the text with --content.",
        ) from error
    return _decoded(raw, content_file)


def _standard_input() -> str:
    if sys.stdin.isatty():
        note_line("Waiting for the text; end it with Ctrl-D.")
    raw = sys.stdin.buffer.read()
    if not raw.strip():
        raise BadArgument("Standard input is empty.", hint="Pipe the text in, or give it with --content.")
    return _decoded(raw, "standard input")


def _decoded(raw: bytes, name: str) -> str:
    """The text, without a final line end: an edit brings its own."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadEncoding(
            f"{name} is not UTF-8 (byte {error.start}).", hint="Convert it: iconv -f ENCODING -t UTF-8."
        ) from error
    if "\0" in text:
        raise BadEncoding(f"{name} holds a NUL byte, so it is not text.", hint="Give a text file.")
    return text.removesuffix("\n").removesuffix("\r")


@click.command(
    "edit",
    epilog=examples(
        'memsite edit TIP-20260318-001 --operation append --content "See [[Retry]]."',
        "memsite edit MEMORY --operation replace_section --section-name Commands --content-file new.md",
        'memsite edit Auth --operation find_replace --find-text "v1" --content "[[v2]]" --expected-count 2',
        "memsite edit MEMORY                  (opens $EDITOR)",
    ),
)
@click.argument("note", shell_complete=completion.notes)
@click.option("--operation", type=click.Choice(_OPERATIONS), help="Without one, $EDITOR opens the note.")
@text_options
@click.option("--find-text", metavar="TEXT", help="find_replace: what to replace, literally, everywhere.")
@click.option(
    "--expected-count",
    type=click.IntRange(0),
    metavar="N",
    help="find_replace: refuse any other number of places.",
)
@click.option(
    "--section-name",
    "--section",
    "section_name",
    metavar="HEADING",
    help="replace_section: `Name`, `## Name` or `Parent/Name`.",
)
@click.option(
    "--nth", type=click.IntRange(1), metavar="N", help="replace_section: which one of several equal headings."
)
@click.option("--checksum", metavar="SHA256", help="Refuse if the note is not what `view --checksum` named.")
@click.option("--allow-unlinked", is_flag=True, help="Take text without a [[WikiLink]] as well.")
@click.option("--dry-run", is_flag=True, help="Show the difference, write nothing.")
@output_options
def edit_command(
    note: str,
    operation: Operation | None,
    content: str | None,
    content_file: str | None,
    checksum: str | None,
    *,
    dry_run: bool,
    **how: Any,
) -> None:
    """Edit a note. NOTE must be its exact address, id, file name, path, title or alias.

    append and prepend add text at the end or the beginning, find_replace replaces text wherever it
    stands, replace_section replaces what stands under a heading. The new text must hold a
    [[WikiLink]], see --allow-unlinked. What was replaced comes back with `memsite undo`.
    """
    text = given_text(content, content_file)
    memory = invocation().memory()
    if operation is None:
        if text is not None or any(how[name] is not None for name in ("find_text", "section_name")):
            raise click.UsageError("Say what to do with the text: --operation.")
        written = _edit_in_editor(
            memory, note, checksum, allow_unlinked=how["allow_unlinked"], dry_run=dry_run
        )
    elif text is None:
        raise click.UsageError("Give the text with --content or --content-file.")
    else:
        written = memory.edit(note, operation, text, expected=checksum, dry_run=dry_run, **how)
    print_written(written)


def _edit_in_editor(
    memory: Memory, note: str, checksum: str | None, *, allow_unlinked: bool, dry_run: bool
) -> Written:
    """Open a copy in $EDITOR and write what comes back, if nobody else has written meanwhile."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise NotConfirmed("There is no terminal for an editor.", hint="Say what to do with --operation.")
    store, path = memory.locate_exactly(note)
    source = store.read(path)
    with tempfile.TemporaryDirectory(prefix="memsite-") as folder:
        copy = Path(folder) / Path(path).name
        copy.write_bytes(source.content)
        try:
            click.edit(filename=str(copy))
        except click.ClickException as error:
            raise NotConfirmed(
                f"The editor failed, nothing was changed: {error.format_message()}",
                hint="$VISUAL or $EDITOR names the editor.",
            ) from error
        edited = copy.read_bytes()
        try:
            return memory.edit_whole(
                source.address,
                edited,
                expected=checksum or source.checksum,
                allow_unlinked=allow_unlinked,
                dry_run=dry_run,
            )
        except Exception:
            kept = Path(tempfile.mkdtemp(prefix="memsite-kept-")) / copy.name
            kept.write_bytes(edited)
            note_line(visible(f"What you wrote is kept in '{kept}'."))
            raise


@click.command(
    "new",
    epilog=examples(
        'memsite new tip "Retry with jitter" --tag http --content "Use [[Backoff]]."',
        'memsite new topic "Deploy" --type project --content-file deploy.md',
    ),
)
@click.argument("kind", type=click.Choice(("tip", "compact", "topic")))
@click.argument("title")
@text_options
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag, or several with commas.")
@click.option("--type", "type_", metavar="TYPE", help="topic: user, feedback, project or reference.")
@click.option("--description", default="", metavar="TEXT", help="topic: one line for MEMORY.md.")
@click.option(
    "--store",
    metavar="NAME",
    shell_complete=completion.stores,
    help="Where it goes [default: the workflow store, for a topic the system store].",
)
@click.option("--dry-run", is_flag=True, help="Show what would be made, write nothing.")
@output_options
def new_command(
    kind: NewKind,
    title: str,
    content: str | None,
    content_file: str | None,
    tags: tuple[str, ...],
    type_: str | None,
    description: str,
    store: str | None,
    *,
    dry_run: bool,
) -> None:
    """Make a memory entry with its index row, or a topic with its line in MEMORY.md."""
    text = given_text(content, content_file) or ""
    written = (
        invocation()
        .memory()
        .new(kind, title, text, tags=tags, type=type_, description=description, store=store, dry_run=dry_run)
    )
    print_written(written)


@click.command("delete", epilog=examples("memsite delete TIP-20260318-001 --dry-run"))
@click.argument("note", shell_complete=completion.notes)
@click.option("--checksum", metavar="SHA256", help="Refuse if the note is not what `view --checksum` named.")
@click.option("--confirm", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show what would go, write nothing.")
@output_options
def delete_command(note: str, checksum: str | None, *, confirm: bool, dry_run: bool) -> None:
    """Delete a note together with its line in the index. `memsite undo` brings it back."""
    memory = invocation().memory()
    planned = memory.delete(note, expected=checksum, dry_run=True)
    for link in planned.linked_from[:_MOST_LINKS]:
        warn(f"{link.address} links to it")
    if len(planned.linked_from) > _MOST_LINKS:
        warn(f"and {len(planned.linked_from) - _MOST_LINKS} more")
    if dry_run:
        print_written(planned)
        return
    _ask(f"Delete {planned.address}?", confirmed=confirm)
    print_written(memory.delete(note, expected=checksum or planned.old_checksum))


@click.command("prune", epilog=examples("memsite prune --type compact --before 2026-01-01 --dry-run"))
@filter_options("entries")
@date_options
@click.option("--confirm", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="List the candidates, write nothing.")
@output_options
def prune_command(*, confirm: bool, dry_run: bool, **wanted: Any) -> None:
    """Delete the entries of workflow stores that fit all of the filters; at least one is needed.

    `memsite undo` brings them back.
    """
    options = invocation()
    memory = options.memory()
    planned = memory.prune(**wanted, dry_run=True)
    if dry_run or not planned.candidates:
        _print_pruned(planned)
        return
    if options.format != "json":
        _print_candidates(planned)
    _ask(f"Delete {plural(len(planned.candidates), 'entry', 'entries')}?", confirmed=confirm)
    done = memory.prune(**wanted)
    if options.format == "json":
        _print_pruned(done)
        return
    deleted = plural(len(done.candidates), "entry", "entries")
    note_line(
        f"{deleted} deleted; `memsite undo` brings {'it' if len(done.candidates) == 1 else 'them'} back."
    )
    _print_problems(done.problems)


def _print_pruned(pruned: Pruned) -> None:
    if invocation().format == "json":
        echo_answer(pruned)
        return
    _print_candidates(pruned)
    fitting = plural(len(pruned.candidates), "entry fits", "entries fit")
    note_line(f"{fitting}; nothing was written.")


def _print_candidates(pruned: Pruned) -> None:
    rows = [
        (row.id or row.path, row.type or "-", row.date.date().isoformat() if row.date else "-", row.title)
        for row in pruned.candidates
    ]
    print_rows(("ID", "TYPE", "DATE", "TITLE"), rows, plain=invocation().format == "plain")
    if pruned.undated:
        undated = plural(len(pruned.undated), "entry without a date", "entries without a date")
        note_line(f"{undated} that can be understood: not selected.")


@click.command("undo", epilog=examples("memsite undo --list", "memsite undo", "memsite undo --dry-run"))
@click.argument("transaction", required=False)
@click.option("--list", "list_", is_flag=True, help="List what can be undone.")
@click.option(
    "--store", metavar="NAME", shell_complete=completion.stores, help="Only what was written in this store."
)
@click.option("--dry-run", is_flag=True, help="Say what would come back, write nothing.")
@output_options
def undo_command(transaction: str | None, store: str | None, *, list_: bool, dry_run: bool) -> None:
    """Take back the last write, or the one called TRANSACTION: the exact bytes come back.

    An edit, a delete, a prune, a repair or a new note can be taken back for 30 days, if nobody has
    written there since.
    """
    memory = invocation().memory()
    if list_:
        _print_undoable(memory, store)
        return
    _print_undone(memory.undo(transaction, store=store, dry_run=dry_run))


def _print_undoable(memory: Memory, store: str | None) -> None:
    if store is not None:
        memory.store(store)
    known = [each for each in memory.undo_list() if store in (None, each.store)]
    if invocation().format == "json":
        echo_answer({"transactions": known})
        return
    if not known:
        note_line("There is nothing to undo.")
    rows = [
        (each.tx, each.time.isoformat(" ", "seconds"), each.operation, "undone" * each.undone or "-")
        for each in known
    ]
    files = [", ".join(each.paths) for each in known]
    if invocation().format == "plain":
        print_rows((), [(*row, paths) for row, paths in zip(rows, files, strict=True)], plain=True)
    elif rows:
        # The files are what a person looks for; the transaction begins with the time already.
        shown = [
            (tx, f"{operation} ({state})" if state != "-" else operation, paths)
            for (tx, _, operation, state), paths in zip(rows, files, strict=True)
        ]
        print_rows(("TRANSACTION", "OPERATION", "FILES"), shown, plain=False)


def _print_undone(undone: Undone) -> None:
    if invocation().format == "json":
        echo_answer(undone)
        return
    for path in undone.paths:
        echo(visible(path))
    gone = len(undone.removed)
    back = len(undone.paths) - gone
    parts = [f"{plural(back, 'file')} {'would come' if undone.dry_run else 'came'} back"] if back else []
    parts += [f"{plural(gone, 'new file')} {'would be ' * undone.dry_run}removed"] if gone else []
    said = ", ".join(parts) or "nothing to do"
    note_line(visible(f"{undone.undoes.operation} {undone.undoes.tx}: {said}."))
    for remark in undone.remarks:
        note_line(visible(remark))
    _print_problems(undone.problems)


def _ask(question: str, *, confirmed: bool) -> None:
    """Raises NotConfirmed when nobody says yes, or nobody can be asked."""
    if confirmed:
        return
    if not sys.stdin.isatty():
        raise NotConfirmed(f"{question} Nobody can be asked here.", hint="Confirm it with --confirm.")
    if not click.confirm(visible(question), err=True):
        raise NotConfirmed("Nothing was changed.")


def print_written(written: Written) -> None:
    """What a write did or would do, and what it changed in the check."""
    options = invocation()
    if options.format == "json":
        echo_answer(written)
        return
    if written.dry_run and written.diff:
        click.echo(visible_block(written.diff), nl=not written.diff.endswith("\n"))
    if not written.changed:
        note_line(visible(f"{written.address} stays as it is: the edit changes nothing."))
        return
    did = (
        written.operation
        if not written.dry_run
        else f"would {_MAKES.get(written.operation, written.operation)}"
    )
    place = f" in {written.count} places" if written.count > 1 else ""
    echo(visible(f"{did} {written.address}{place}"))
    if written.new_checksum and not written.dry_run:
        echo(f"sha256 {written.new_checksum}")
    if written.tx and not options.quiet:
        note_line(f"`memsite undo {written.tx}` takes it back.")
    for remark in written.remarks:
        note_line(visible(remark))
    _print_problems(written.appeared)
    for problem in written.fixed:
        note_line(f"{style('fixed', fg='green')} {visible(f'{problem.code} {problem.message}')}")


def _print_problems(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        place = f"{problem.path}:{problem.line}"
        hint = f". {problem.hint}" if problem.hint else ""
        warn(f"{place} {problem.code} {problem.message}{hint}")
