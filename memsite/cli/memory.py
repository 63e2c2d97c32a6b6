"""The commands that read the memory: list, search, view, sync, context."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from memsite.cli import completion
from memsite.cli.options import date_options, examples, filter_options, invocation, output_options
from memsite.cli.terminal import echo, echo_answer, note_line, print_rows, style, visible, visible_block, warn
from memsite.wording import plural

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.memory.answers import ConceptContext, Hit, Row
    from memsite.note import StoreKind

_FEW = 12
"""Tags or types that are all named to somebody who asked for one that is not there."""
_HEADINGS: dict[StoreKind, tuple[str, ...]] = {
    "workflow": ("ID", "TYPE", "DATE", "TAGS", "TITLE"),
    "system": ("FILE", "LINES", "MODIFIED", "TITLE"),
    "vault": ("PATH", "DATE", "TAGS", "TITLE"),
}


@click.command("list", epilog=examples("memsite list --tag auth --after 2026-01-01", "memsite list --json"))
@filter_options("notes")
@date_options
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Most notes to show [default: all].")
@output_options
def list_command(
    store: str | None,
    tags: tuple[str, ...],
    types: tuple[str, ...],
    before: str | None,
    after: str | None,
    limit: int | None,
) -> None:
    """List the notes of the stores, newest first."""
    options = invocation()
    memory = options.memory()
    fitting = memory.list(store=store, tags=tags, types=types, before=before, after=after)
    rows = fitting[:limit]
    _say_what_reading_found(memory)
    if options.format == "json":
        echo_answer({"notes": rows})
        return
    if not rows:
        _say_why_none(memory, tags, types)
        return
    for each in memory.stores:
        of_store = [row for row in rows if row.store == each.name]
        if options.format == "plain":
            print_rows((), [_fields(row) for row in of_store], plain=True)
        elif of_store or store in (None, each.name):
            notes = plural(len(of_store), "note")
            echo(style(visible(f"{each.name} ({each.kind}, {notes})"), bold=True))
            print_rows(_HEADINGS[each.kind], [_fields(row) for row in of_store], plain=False)
            echo()
    if len(fitting) > len(rows):
        note_line(f"{plural(len(fitting) - len(rows), 'older note')} not shown (--limit).")


def _say_why_none(memory: Memory, tags: tuple[str, ...], types: tuple[str, ...]) -> None:
    """No list at all looks like a fault: is the memory empty, or a tag or type misspelt?"""
    known = memory.list()
    if not known:
        note_line("There are no notes yet. `memsite new tip TITLE --content TEXT` makes one.")
        return
    note_line("No note fits.")
    for what, wanted, there in (
        ("tag", tags, {tag for row in known for tag in row.tags}),
        ("type", types, {row.type for row in known if row.type}),
    ):
        folded = {each.casefold(): each for each in there}
        for word in wanted:
            if word.lstrip("#").casefold() not in folded:
                near = get_close_matches(word.lstrip("#").casefold(), folded, 5, 0.5)
                such = f" Near: {', '.join(folded[each] for each in near)}." if near else ""
                if not near and len(folded) <= _FEW:
                    such = f" There are: {', '.join(sorted(there))}." if there else f" No note has a {what}."
                note_line(visible(f"There is no {what} '{word}'.{such}"))


def _say_what_reading_found(memory: Memory) -> None:
    """An index that cannot be read and the like: the list comes from the files then."""
    for store in memory.stores:
        for problem in store.view().problems:
            if problem.severity in ("error", "warning"):
                warn(f"{problem.path}: {problem.message}")


def _fields(row: Row) -> tuple[str, ...]:
    file_day = row.modified.date().isoformat()
    day = row.date.date().isoformat() if row.date else row.date_text or file_day
    if row.kind == "workflow":
        return (row.id or row.path, row.type or "-", day, ", ".join(row.tags), row.title)
    if row.kind == "system":
        return (row.path, str(row.lines), file_day, row.title)
    return (row.path, day, ", ".join(row.tags), row.title)


@click.command(
    "search",
    epilog=examples(
        'memsite search "token refresh"', "memsite search --regex 'retry|backoff' --store workflow"
    ),
)
@click.argument("query", nargs=-1, required=True)
@filter_options("notes")
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", default=20, help="Most notes to show [default: 20]."
)
@click.option("--regex", is_flag=True, help="QUERY is a regular expression.")
@output_options
def search_command(
    query: tuple[str, ...],
    store: str | None,
    tags: tuple[str, ...],
    types: tuple[str, ...],
    limit: int,
    *,
    regex: bool,
) -> int:
    """Search the full text of all notes, best hits first. Case does not matter.

    Notes that hold the words in a row come first, then those that hold each of them somewhere, parts
    of words included. Among these, titles go before headings and headings before text.

    Exits with 1 when nothing is found, as grep does.
    """
    options = invocation()
    words = " ".join(query)
    answer = options.memory().search(words, store=store, tags=tags, types=types, limit=limit, regex=regex)
    if options.format == "json":
        echo_answer(answer)
        return int(not answer.hits)
    for hit in answer.hits:
        _print_hit(hit, plain=options.format == "plain")
    more = answer.total - len(answer.hits)
    note_line(
        plural(answer.total, "note") + (f", {more:,} of them not shown (--limit)" if more > 0 else "") + "."
    )
    return int(not answer.hits)


def _print_hit(hit: Hit, *, plain: bool) -> None:
    if plain:
        print_rows((), [(hit.row.address, hit.where, str(hit.count), hit.row.title)], plain=True)
        return
    matches = f"{hit.count} match{'es' * (hit.count != 1)}"
    echo(f"{style(visible(hit.row.title), bold=True)}  {visible(hit.row.address)}  ({hit.where}, {matches})")
    for snippet in hit.snippets:
        before, match, after = map(visible, (snippet.before, snippet.match, snippet.after))
        echo(f"  {snippet.line}: {before}{style(match, fg='yellow', bold=True)}{after}")


@click.command(
    "view",
    epilog=examples("memsite view TIP-20260318-001", "memsite view MEMORY --section Commands --json"),
)
@click.argument("note", shell_complete=completion.notes)
@click.option(
    "--section", "--section-name", metavar="HEADING", help="Only this section: `Name` or `Parent/Name`."
)
@click.option(
    "--checksum", "checksum_only", is_flag=True, help="Only the SHA-256 that `edit --checksum` takes."
)
@click.option("--raw", is_flag=True, help="The bytes of the file as they are.")
@output_options
def view_command(note: str, section: str | None, *, checksum_only: bool, raw: bool) -> None:
    """Show a note, with its checksum. NOTE is an address, id, file name, path, title or alias."""
    if raw and section:
        raise click.UsageError("--raw shows the whole file: leave out --section.")
    options = invocation()
    reading = options.memory().read(note, section=section)
    if options.format == "json":
        echo_answer(reading)
    elif checksum_only:
        echo(reading.row.checksum)
    elif raw:
        sys.stdout.buffer.write(reading.content)
    else:
        if not options.quiet:
            note_line(visible(f"{reading.row.address}  sha256 {reading.row.checksum}"))
        click.echo(visible_block(reading.text), nl=not reading.text.endswith("\n"))


@click.command("sync", epilog=examples("memsite sync --json"))
@output_options
def sync_command() -> None:
    """Count notes, links, concepts, relations, communities and findings.

    Nothing waits for this: every command reads what has changed by itself.
    """
    from memsite.build.secrets import vet

    options = invocation()
    memory = options.memory()
    vet(memory)
    counts = memory.sync()
    options.save_cache(make=True)
    if options.format == "json":
        echo_answer(counts)
        return
    rows = [(each.name.replace("_", " "), _counted(getattr(counts, each.name))) for each in fields(counts)]
    print_rows(("WHAT", "HOW MANY"), rows, plain=options.format == "plain")


def _counted(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


@click.command("context", epilog=examples('memsite context "machine learning" --depth 2 --content'))
@click.argument("concept")
@click.option(
    "--depth",
    type=click.IntRange(1, 5),
    metavar="N",
    default=1,
    help="Steps away from the concept [default: 1].",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1),
    metavar="N",
    default=20,
    help="Most relations a step [default: 20].",
)
@click.option("--content", is_flag=True, help="Show the beginning of the notes as well.")
@output_options
def context_command(concept: str, depth: int, most: int, *, content: bool) -> None:
    """Show what a concept is connected with: concepts that share notes with it, and its community.

    A concept is what a [[WikiLink]] names, whether there is a note of that name or not.
    """
    options = invocation()
    answer = options.memory().context(concept, depth=depth, max_results=most, content=content)
    options.save_cache()
    if options.format == "json":
        echo_answer(answer)
        return
    _print_context(answer, plain=options.format == "plain")


def _print_context(answer: ConceptContext, *, plain: bool) -> None:
    related = [*answer.relations, *answer.expanded]
    rows = [(each.name, str(each.count), str(each.depth), ", ".join(each.notes[:3])) for each in related]
    if not plain:
        where = f"in {plural(len(answer.notes), 'note')}, community {answer.community}"
        echo(f"{style(visible(answer.name), bold=True)}  {where}")
    print_rows(("CONCEPT", "NOTES", "STEPS", "WHERE"), rows, plain=plain)
    if not related:
        note_line(visible(f"{answer.name} is named with nothing else."))
    if answer.siblings and not plain:
        echo(visible(f"Same community, no relation: {', '.join(answer.siblings)}"))
    for preview in answer.previews:
        echo(f"\n{style(visible(preview.title), bold=True)}  {visible(preview.address)}")
        echo(visible_block(preview.text))
