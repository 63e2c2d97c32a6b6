"""Writes the pages of the documentation that follow from the program: python docs/generate.py.

`cli.md` from the help of each command, `configuration.md` from the types of the configuration, `rules.md`
from the table of rules and the errors, `json.md` and `answers.schema.json` from the types of the answers.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click

from memsite import errors
from memsite.check import RULES, explain
from memsite.cli.app import COMMANDS, memsite
from memsite.cli.settings import all_settings, field_meanings, table_meanings
from memsite.mcp import TOOLS
from memsite.mcp.operations import Checked, Listing
from memsite.memory import answers
from memsite.memory.schema import json_schema

HERE = Path(__file__).resolve().parent
COLUMNS = 100
NOTICE = "*This page is written by `docs/generate.py`: change what it is made from, not the page.*\n"

# The one document that the command line makes itself, by field: type and meaning.
STORES = {
    "stores": "list of object | `name`, `kind`, `path` and the number of `notes` of each.",
    "tried": "list of object | `kind`, `rule` and `path` of each place, and whether it was `found`.",
    "remarks": "list of string | What a person should know about them.",
}

# What each command prints with --json, and each tool of the MCP server answers.
SHOWN = {
    "list": "notes",
    "search": answers.SearchAnswer,
    "view": answers.Reading,
    "new": answers.Written,
    "edit": answers.Written,
    "delete": answers.Written,
    "prune": answers.Pruned,
    "undo": answers.Undone,
    "sync": answers.Counts,
    "context": answers.ConceptContext,
    "repair": answers.Repaired,
    "build": answers.Built,
}


def main() -> None:
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8", newline="\n")


def pages() -> dict[str, str]:
    """Every generated file by its name."""
    made = {
        "cli.md": cli_page(),
        "configuration.md": configuration_page(),
        "rules.md": rules_page(),
        "mcp.md": mcp_page(),
        "json.md": json_page(),
    }
    return {
        **{name: f"{text.rstrip()}\n\n---\n\n{NOTICE}" for name, text in made.items()},
        "answers.schema.json": json.dumps(answers_schema(), indent=1) + "\n",
    }


# Commands -----------------------------------------------------------------------------------


def cli_page() -> str:
    root = click.Context(memsite, info_name="memsite", terminal_width=COLUMNS, **memsite.context_settings)
    parts = [
        "# Command line\n",
        "Every command takes `--project FOLDER`, `--system-dir FOLDER` and `--vault [NAME=]FOLDER`, before "
        "or after its name. Results go to standard output, everything else to standard error. How an answer "
        "looks with `--json` is told in [JSON](json.md), every finding in [Rules](rules.md).\n",
        "**Exit codes.** 0: done. 1: findings at or above `--fail-on`, a search without hits, or an "
        "operation that was refused. 2: memsite could not run: a wrong call, a wrong configuration, no "
        "store.\n",
        _help(root),
    ]
    for family, commands in COMMANDS.items():
        parts.append(f"## {family}\n")
        for name in commands:
            command = memsite.get_command(root, name)
            assert command is not None, name
            context = click.Context(command, parent=root, info_name=name)
            parts.append(f"### {name}\n\n{_help(context)}")
            for inner in command.list_commands(context) if isinstance(command, click.Group) else ():
                part = command.get_command(context, inner)
                assert part is not None, inner
                parts.append(_help(click.Context(part, parent=context, info_name=inner)))
    return "\n".join(parts)


def _help(context: click.Context) -> str:
    lines = (line.rstrip() for line in context.command.get_help(context).splitlines())
    return "```text\n" + "\n".join(lines) + "\n```\n"


# Configuration ------------------------------------------------------------------------------


def configuration_page() -> str:
    parts = [
        "# Configuration\n",
        "Settings stand in `memsite.toml` in the folder of the project, or under `[tool.memsite]` in "
        "`pyproject.toml`. None is needed: [`memsite init`](cli.md#init) writes a file that shows them all. "
        "A key that is not understood is an error (E015) that names the near one; no setting is ever "
        "passed over.\n",
    ]
    meanings = table_meanings()
    for table in meanings:
        shown = "stores.NAME" if table == "stores" else table
        parts.append(f"## {shown}\n\n{meanings[table]}\n")
        parts.append("| key | value | default | meaning |\n|---|---|---|---|")
        parts += [
            f"| `{each.key}` | {each.kind} | {f'`{each.default}`' if each.default else ''} "
            f"| {_cell(each.meaning)} |"
            for each in all_settings()
            if each.table == table
        ]
        parts.append("")
    parts.append(
        '## Example\n\n```toml\n[site]\ntitle = "Slackwater"\nbase_url = "https://example.org/memory/"\n\n'
        '[stores.handbook]\nkind = "vault"\npath = "docs"\nexclude = ["drafts/*"]\n\n'
        "[stores.workflow]\npublish = false\n\n"
        '[check]\nignore = ["W011 journal/*"]\n\n'
        '[check.severities]\nW005 = "error"\norphan-note = "off"\n\n'
        '[check.paths."docs/drafts/*"]\nW005 = "info"\n```\n'
    )
    return "\n".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# Rules --------------------------------------------------------------------------------------


def rules_page() -> str:
    found = [
        f"| [{r.code}](#{r.code.lower()}-{r.name}) | `{r.name}` | {r.severity} | {_cell(r.meaning)} |"
        for r in RULES
    ]
    refused = [
        f"| {each.code} | `{each.rule}` | {_cell(each.__doc__ or '')} | {each.exit_code} |"
        for each in errors.refusals()
    ]
    return "\n".join(
        [
            "# Rules\n",
            "What `memsite check` finds. Severities can be changed for the project or for one store, see "
            "[Configuration](configuration.md#check); `<!-- memsite-ignore W005 -->` in a note silences a "
            "rule for the next line, or for the whole note when it stands before its text. Secrets are never "
            "silenced that way. `memsite check --explain W003` prints one of the sections below.\n",
            "| code | rule | severity | meaning |\n|---|---|---|---|",
            *found,
            "",
            *map(explain, RULES),
            "## Refusals\n",
            "An operation that is refused names one of these codes, says what to do next, and "
            "changes nothing. `memsite check --explain E006` says what one means. A question that nobody "
            "answers with yes is E019 too, with exit code 1.\n",
            "| code | name | meaning | exit code |\n|---|---|---|---|",
            *refused,
            "",
        ]
    )


# JSON ---------------------------------------------------------------------------------------


def answers_schema() -> dict[str, Any]:
    """One JSON Schema: `$defs` holds what each command answers."""
    shapes = {name: json_schema(shown) for name, shown in SHOWN.items() if not isinstance(shown, str)}
    row = json_schema(answers.Row)
    shapes["list"] = {
        "type": "object",
        "properties": {"notes": {"type": "array", "items": row}},
        "required": ["notes"],
    }
    error = {name: {"type": "string"} for name in ("code", "rule", "message", "hint")}
    shapes["error"] = {
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {**error, "details": {"type": "object"}},
                "required": [*error, "details"],
            }
        },
        "required": ["error"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memsite answers",
        "description": "What each command prints with --json. Fields may be added.",
        "$defs": dict(sorted(shapes.items())),
    }


def json_page() -> str:
    parts = [
        "# JSON\n",
        "With `--json` a command prints one JSON document on standard output and nothing else. The tables "
        "name every field; [answers.schema.json](answers.schema.json) says the same as a JSON Schema, with "
        "one definition for each command. Fields may be added; none goes or changes its meaning without a "
        "new major version. Times are ISO 8601 with their zone, checksums SHA-256 in hex, paths posix.\n",
        "| command | answer |\n|---|---|",
        "| `list` | an object with `notes`, a list of [Row](#row) |",
        *(
            f"| `{name}` | [{shown.__name__}](#{shown.__name__.lower()}) |"
            for name, shown in SHOWN.items()
            if not isinstance(shown, str)
        ),
        "| `undo --list` | an object with `transactions`, a list of [Undoable](#undoable) |",
        "| `check`, `report` | the report, with its [schema](#report) |",
        "| `diff` | the `diff` of the report, under `$defs` in its schema |",
        "| `stores` | [Stores](#stores) |",
        "| `graph` | the graph itself, in the form that `--format` names |",
        "",
        "## Errors\n",
        "A refusal is a document too, with the exit code of the [command line](cli.md):\n",
        '```json\n{"error": {"code": "E006", "rule": "stale-checksum", "message": "...", "hint": "...", '
        '"details": {"expected": "...", "actual": "...", "diff": "...", "text": "..."}}}\n```\n',
        "`details` differ by code: E002 has `near`, E005 `candidates`, E006 both checksums, the difference "
        "and the current text, E008 both counts.\n",
    ]
    for shape in _shapes():
        parts.append(_shape_section(shape))
    lines = [f"| `{field}` | {told} |" for field, told in STORES.items()]
    parts.append("\n".join(["## Stores\n", "| field | type | meaning |\n|---|---|---|", *lines, ""]))
    parts.append(
        "## Report\n\nWhat `check --format json` and `report.json` hold follows the schema that is part of "
        'the package: `from memsite.report import json_schema`. Its `format` is `"memsite-report/1"`.\n'
    )
    return "\n".join(parts)


def _shapes() -> list[type]:
    """The types of all answers, those that they hold included, in the order in which they appear."""
    found: dict[type, None] = {answers.Row: None}

    def add(shape: Any) -> None:
        if is_dataclass(shape) and isinstance(shape, type):
            found[shape] = None
            for each in get_type_hints(shape).values():
                add(each)
        for inner in get_args(shape):
            add(inner)

    for shown in (*SHOWN.values(), answers.Undoable):
        add(shown)
    return list(found)


def _shape_section(shape: Any) -> str:
    hints, meanings = get_type_hints(shape), field_meanings(shape)
    rows = [
        f"| `{each.name}` | {_type_name(hints[each.name])} | {_cell(meanings.get(each.name, ''))} |"
        for each in fields(shape)
        if hints[each.name] is not bytes
    ]
    meaning = (shape.__doc__ or "").strip()
    head = (
        f"## {shape.__name__}\n"
        if meaning.startswith(f"{shape.__name__}(")
        else f"## {shape.__name__}\n\n{meaning}\n"
    )
    return "\n".join([head, "| field | type | meaning |\n|---|---|---|", *rows, ""])


def _type_name(hint: Any) -> str:
    schema = json_schema(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    inner = [each for each in get_args(hint) if each is not Ellipsis]
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_type_name, inner))
    if schema.get("type") == "array":
        return f"list of {_type_name(inner[0])}"
    if schema.get("type") == "object":
        return f"object of {_type_name(inner[1])}"
    return "time" if "format" in schema else str(schema["type"])


# MCP ----------------------------------------------------------------------------------------


def mcp_page() -> str:
    parts = [
        "# MCP tools\n",
        "What `memsite mcp` offers; [Agents](agents.md) says how to set it up. Answers are the shapes of "
        "[JSON](json.md), as structured content and as text. A refusal has `isError` and the document that "
        "the command line prints. A tool marked *writes* is not there with `--read-only`.\n",
    ]
    for tool in TOOLS:
        shape = tool.answer
        linked = (
            f"`{shape.__name__}`"
            if shape in (Checked, Listing)
            else f"[{shape.__name__}](json.md#{shape.__name__.lower()})"
        )
        parts.append(f"## {tool.name}\n\n{tool.text.replace('[[', '`[[').replace(']]', ']]`')}\n")
        parts.append(f"Answers {linked}.{' *Writes.*' if tool.writes else ''}\n")
        if tool.parameters:
            parts.append("| parameter | type | meaning |\n|---|---|---|")
            parts += [
                f"| `{name}`{' (needed)' if name in tool.required else ''} | {_parameter(schema)} | "
                f"{_cell(schema['description']).replace('[[', '`[[').replace(']]', ']]`')} |"
                for name, schema in tool.parameters.items()
            ]
            parts.append("")
    return "\n".join(parts)


def _parameter(schema: dict[str, Any]) -> str:
    kind = " or ".join(f"`{each}`" for each in schema["enum"]) if "enum" in schema else str(schema["type"])
    default = schema.get("default")
    return kind if default in (None, False, "") else f"{kind}, default `{json.dumps(default)}`"


if __name__ == "__main__":
    main()
