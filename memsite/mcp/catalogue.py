"""The tools: what each is called, what it takes, what it answers, and which operation it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import mcp_types as types

from memsite.mcp import operations
from memsite.mcp.operations import Arguments, Checked, Listing
from memsite.memory import Memory
from memsite.memory.answers import Built, ConceptContext, Counts, Reading, SearchAnswer, Undone, Written
from memsite.memory.schema import json_schema

Schema: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """One tool: what it is called, what it takes, what it does.

    `parameters` are JSON Schemas by name; those in `required` must be given. A tool that `writes` is
    not there on a read-only server.
    """

    name: str
    text: str
    run: Callable[[Memory, Arguments], object]
    answer: type
    parameters: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    writes: bool = False
    destroys: bool = False

    @property
    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": dict(self.parameters),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def declared(self) -> types.Tool:
        """The tool as clients see it."""
        hints = types.ToolAnnotations(
            read_only_hint=not self.writes, destructive_hint=self.destroys, open_world_hint=False
        )
        return types.Tool(
            name=self.name,
            description=self.text,
            input_schema=self.schema,
            output_schema=json_schema(self.answer),
            annotations=hints,
        )


def _text(meaning: str, **more: Any) -> Schema:
    return {"type": "string", "description": meaning, **more}


def _number(meaning: str, default: int | None = None, *, least: int = 1, most: int = 1000) -> Schema:
    schema: Schema = {"type": "integer", "description": meaning, "minimum": least, "maximum": most}
    return schema if default is None else {**schema, "default": default}


def _switch(meaning: str, *, default: bool = False) -> Schema:
    return {"type": "boolean", "description": meaning, "default": default}


def _texts(meaning: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": meaning}


_NOTE = _text("Address (memory://store/path), entry id, file name, path, title or alias of the note.")
_EXACT = _text("Exact address, entry id, file name, path, title or alias; only one note may bear it.")
_CHECKSUM = _text("SHA-256 from ReadMemory; the call is refused (E006) when the note changed since.")
_STORE = _text("Only this store.")
_FOLDER = _text("Only notes below this folder.")
_TAGS = _texts("Only notes with all of these tags.")
_TYPES = _texts("Only notes of one of these types.")
_DRY_RUN = _switch("Answer what would happen, write nothing.")
_PAGE = _number("Which page.", 1, most=10**6)

TOOLS: Final[tuple[MemoryTool, ...]] = (
    MemoryTool(
        "ReadMemory",
        "Read a note, or one section of it, with the checksum that EditMemory takes.",
        operations.read_note,
        Reading,
        {
            "identifier": _NOTE,
            "sectionName": _text("Only this section: `Name`, `## Name` or `Parent/Name`."),
            "includeChecksum": _switch("Whether to answer the checksum; else it is empty.", default=True),
        },
        ("identifier",),
    ),
    MemoryTool(
        "EditMemory",
        "Change a note. append and prepend add to its body; find_replace replaces findText literally, "
        "everywhere, and is refused (E008) when it is not there or not expectedCount times; replace_section "
        "replaces what stands under a heading. content needs at least one [[WikiLink]] (E007). To replace a "
        "link, find it with its brackets, or brackets are nested.",
        operations.edit_note,
        Written,
        {
            "identifier": _EXACT,
            "operation": _text("What to do.", enum=["append", "prepend", "find_replace", "replace_section"]),
            "content": _text("The new text, with at least one [[WikiLink]]."),
            "checksum": _CHECKSUM,
            "findText": _text("For find_replace: what to replace."),
            "expectedCount": _number("For find_replace: how often it must be there.", least=0, most=10**6),
            "sectionName": _text("For replace_section: `Name`, `## Name` or `Parent/Name`."),
            "dryRun": _DRY_RUN,
        },
        ("identifier", "operation", "content"),
        writes=True,
        destroys=True,
    ),
    MemoryTool(
        "WriteMemory",
        "Make a note: a tip or compact entry with its index row, or a topic with its line in MEMORY.md. "
        "Never overwrites one.",
        operations.write_note,
        Written,
        {
            "title": _text("What the note is called."),
            "content": _text("Its text, with at least one [[WikiLink]]."),
            "kind": _text("Which kind of note.", enum=["tip", "compact", "topic"], default="tip"),
            "tags": _texts("Its tags."),
            "type": _text("For a topic: user, feedback, project or reference."),
            "description": _text("For a topic: one line for MEMORY.md."),
            "store": _text("Where it goes, if there are several stores of the kind."),
            "dryRun": _DRY_RUN,
        },
        ("title", "content"),
        writes=True,
    ),
    MemoryTool(
        "DeleteMemory",
        "Delete a note together with its index row. Without confirm: true it only says what would go. "
        "MEMORY.md cannot be deleted (E004). UndoMemory brings a deleted note back.",
        operations.delete_note,
        Written,
        {"identifier": _EXACT, "confirm": _switch("Must be true to delete."), "checksum": _CHECKSUM},
        ("identifier",),
        writes=True,
        destroys=True,
    ),
    MemoryTool(
        "UndoMemory",
        "Bring back what an edit or a deletion replaced, if nobody has written there since.",
        operations.undo_write,
        Undone,
        {"transaction": _text("The `tx` of a write; without it the last one."), "dryRun": _DRY_RUN},
        writes=True,
        destroys=True,
    ),
    MemoryTool(
        "SearchMemories",
        "Search the full text of all notes: best hits first, with the lines that fit.",
        operations.search_notes,
        SearchAnswer,
        {
            "query": _text("Words to look for."),
            "pageSize": _number("Notes a page.", 10, most=200),
            "page": _PAGE,
            "folder": _FOLDER,
            "tags": _TAGS,
            "types": _TYPES,
            "store": _STORE,
            "regex": _switch("Whether query is a regular expression."),
        },
        ("query",),
    ),
    MemoryTool(
        "ListMemories",
        "List notes, newest first.",
        operations.list_notes,
        Listing,
        {
            "store": _STORE,
            "folder": _FOLDER,
            "tags": _TAGS,
            "types": _TYPES,
            "before": _text("Only notes from before this day, YYYY-MM-DD."),
            "after": _text("Only notes from after this day, YYYY-MM-DD."),
            "pageSize": _number("Notes a page.", 50),
            "page": _PAGE,
        },
    ),
    MemoryTool(
        "BuildContext",
        "Show what a concept is connected with: the concepts it shares notes with, their neighbours, its "
        "community.",
        operations.build_context,
        ConceptContext,
        {
            "conceptName": _text("The concept, as in [[concept]]."),
            "depth": _number("Steps away from the concept.", 2, most=5),
            "maxEntities": _number("Most relations a step.", 20),
            "includeContent": _switch("Whether to answer the beginning of the notes as well."),
        },
        ("conceptName",),
    ),
    MemoryTool(
        "Sync",
        "Read everything again and count notes, links, concepts, relations, communities and findings.",
        operations.sync,
        Counts,
        {},
    ),
    MemoryTool(
        "CheckMemory",
        "Say what is wrong with the memory, each with its place and what to do.",
        operations.check_memory,
        Checked,
        {
            "severity": _text("The mildest to show.", enum=["error", "warning", "info"], default="info"),
            "store": _STORE,
            "limit": _number("Most findings to show.", 100),
        },
    ),
    MemoryTool(
        "BuildSite",
        "Build the memory as a wiki of static files, in the folder that the configuration names.",
        operations.build,
        Built,
        {"strict": _switch("Write nothing when the memory has warnings.")},
        writes=True,
    ),
)
