"""How text leaves the program: results to standard output, everything else to standard error.

Text that comes from a note, a file name or the configuration goes through `visible` first, which shows
control and bidirectional characters as escapes: none of it can steer a terminal. Colours come from
here alone.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from memsite.errors import MemsiteError

# Everything that a terminal or an editor could take for more than a letter. JSON loads it back.
_UNSAFE = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_MOST_DIFF_LINES = 40
"""Lines shown of what changed in a note meanwhile."""
_BREAKS = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def visible(text: str) -> str:
    """`text` as one line without anything that a terminal would obey."""
    from memsite.markdown import visible as shown

    return shown(_BREAKS.sub(" ", text))


def visible_block(text: str) -> str:
    """`text` with its lines and tabs, without anything else that a terminal would obey."""
    from memsite.markdown import visible as shown

    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in lines)


def json_text(document: object) -> str:
    """`document` as JSON that holds no control or hidden character as such."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def echo(text: str = "") -> None:
    """A line of the result."""
    click.echo(text, color=_color(sys.stdout))


def echo_json(document: object) -> None:
    echo(json_text(document))


def echo_answer(answer: object) -> None:
    """An answer of the engine as the JSON document that docs/json.md describes."""
    from memsite.memory.answers import as_json

    echo_json(as_json(answer))


def note_line(text: str) -> None:
    """A line of narration, a warning or an error."""
    click.echo(text, err=True, color=_color(sys.stderr))


def warn(text: str) -> None:
    """A warning, about something that may come from a note."""
    note_line(f"{style('warning', fg='yellow')} {visible(text)}")


def style(text: str, **how: Any) -> str:
    return click.style(text, **how)


def _color(stream: Any) -> bool:
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_error(error: MemsiteError, *, in_json: bool) -> None:
    """What is wrong, where, and what to do next, in at most three lines; as JSON on demand."""
    if in_json:
        shown = {"code": error.code, "rule": error.rule, "message": error.message, "hint": error.hint}
        echo_json({"error": {**shown, "details": jsonable(error.details)}})
    note_line(f"{style('error', fg='red', bold=True)} {error.code} {visible(error.message)}")
    if error.hint:
        note_line(f"  {visible(error.hint)}")
    if difference := str(error.details.get("diff", "")):
        lines = difference.splitlines()
        note_line("\n".join(visible_block(line) for line in lines[:_MOST_DIFF_LINES]))
        if len(lines) > _MOST_DIFF_LINES:
            note_line(f"… and {len(lines) - _MOST_DIFF_LINES} more lines")


def jsonable(value: object) -> Any:
    """`value` with everything JSON does not know turned to text, bytes included."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def print_rows(headings: Sequence[str], rows: Iterable[Sequence[str]], *, plain: bool) -> None:
    """Rows of fields: tab-separated when `plain`, else in columns under their headings."""
    shown = [[visible(field) for field in row] for row in rows]
    if plain:
        if shown:
            echo("\n".join(map("\t".join, shown)))
        return
    table = [list(headings), *shown]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    room = _line_width()
    lines = [
        cut("  ".join(padded(field, size) for field, size in zip(row, widths, strict=True)).rstrip(), room)
        for row in table
    ]
    echo("\n".join([style(lines[0], bold=True), *lines[1:]]))


def _line_width() -> int:
    """Columns of the terminal; without one nothing is cut."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1 << 20


def width(text: str) -> int:
    """Terminal columns that `text` takes: wide letters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """`text` shortened to `columns`, the last one an ellipsis."""
    if width(text) <= columns:
        return text
    taken = 0
    for position, letter in enumerate(text):
        taken += width(letter)
        if taken > columns - 1:
            return text[:position] + "…"
    return text
