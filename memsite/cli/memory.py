"""The commands that read the memory: list, search, view, sync, context."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import click

from memsite.cli.options import examples, invocation, output_options
from memsite.cli.shapes import note_value
from memsite.cli.terminal import echo, echo_json, note_line, print_rows, style, visible

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.note import Note, StoreKind

_HEADINGS: dict[StoreKind, tuple[str, ...]] = {
    "workflow": ("ID", "TYPE", "DATE", "TAGS", "TITLE"),
    "system": ("FILE", "LINES", "MODIFIED", "TITLE"),
    "vault": ("PATH", "DATE", "TAGS", "TITLE"),
}


class Day(click.ParamType[date]):
    """A calendar day, `YYYY-MM-DD`."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2026-03-18.", param, ctx)


@click.command("list", epilog=examples("memsite list --tag auth --after 2026-01-01", "memsite list --json"))
@click.option("--store", help="Only this store.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag; given twice, with both.")
@click.option("--type", "type_", help="Only notes of this type.")
@click.option("--before", type=Day(), help="Only notes from before this day.")
@click.option("--after", type=Day(), help="Only notes from after this day.")
@output_options
def list_command(
    store: str | None, tags: tuple[str, ...], type_: str | None, before: date | None, after: date | None
) -> None:
    """List the notes of the stores, newest first."""
    options = invocation()
    memory = options.memory()
    notes = memory.list(store=store, tags=tags, type=type_, before=before, after=after)
    options.save_cache()
    if options.format == "json":
        echo_json({"notes": [note_value(note) for note in notes]})
        return
    for problem in (problem for each in memory.stores for problem in each.view().problems):
        note_line(f"{style('warning', fg='yellow')} {visible(f'{problem.path}: {problem.message}')}")
    plain = options.format == "plain"
    for each in memory.stores:
        rows = [_row(memory, note) for note in notes if note.store == each.name]
        if rows or (store in (None, each.name) and not plain):
            if not plain:
                echo(style(visible(f"{each.name} ({each.kind}, {len(rows)} notes)"), bold=True))
            print_rows(_HEADINGS[each.kind], rows, plain=plain)
            if not plain:
                echo()


def _row(memory: Memory, note: Note) -> tuple[str, ...]:
    day = note.date.date().isoformat() if note.date else "-"
    tags = ", ".join(note.tags)
    if note.kind == "workflow":
        return (note.id or note.path, note.type or "-", day, tags, note.title)
    if note.kind == "system":
        source = memory.source(note.address)
        lines = source.content.count(b"\n")
        modified = datetime.fromtimestamp(note.modified, UTC).date().isoformat()
        return (note.path, str(lines), modified, note.title)
    return (note.path, day, tags, note.title)
