"""Notes as resources, each under its address."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from memsite.errors import MemsiteError
from memsite.memory import Memory
from memsite.memory.identifiers import SCHEME
from memsite.note import Address, Note

Opener: TypeAlias = Callable[[], Memory]
"""Opens the memory anew."""

RESOURCES_A_PAGE: Final = 500
_MARKDOWN: Final = "text/markdown"
TEMPLATE: Final = types.ResourceTemplate(
    name="note",
    title="A note of the memory",
    uri_template="memory://{store}/{+path}",
    description="The text of a note; its checksum stands in _meta.",
    mime_type=_MARKDOWN,
)


def _uri(address: Address) -> str:
    return SCHEME + quote(address.removeprefix(SCHEME), safe="/")


def listed_resources(open_memory: Opener, cursor: str) -> types.ListResourcesResult:
    """A page of notes, sorted by address; `cursor` is the address of the last one of the page before."""
    try:
        notes = sorted(open_memory().notes(), key=lambda note: note.address)
    except MemsiteError as error:
        raise _protocol_error(error) from error
    after = unquote(cursor)
    page = list(islice((note for note in notes if note.address > after), RESOURCES_A_PAGE + 1))
    more = _uri(page[-2].address) if len(page) > RESOURCES_A_PAGE else None
    shown = [_listed(note) for note in page[:RESOURCES_A_PAGE]]
    return types.ListResourcesResult(resources=shown, next_cursor=more)


def _listed(note: Note) -> types.Resource:
    return types.Resource(
        uri=_uri(note.address),
        name=note.path,
        title=note.title,
        description=note.description or None,
        mime_type=_MARKDOWN,
        size=note.size,
    )


def read_resource(open_memory: Opener, uri: str) -> types.ReadResourceResult:
    try:
        reading = open_memory().read(uri)
    except MemsiteError as error:
        raise _protocol_error(error) from error
    return types.ReadResourceResult(
        contents=[
            types.TextResourceContents(
                uri=uri, mime_type=_MARKDOWN, text=reading.text, _meta={"checksum": reading.row.checksum}
            )
        ]
    )


def _protocol_error(error: MemsiteError) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"{error.code} {error.message}", {"code": error.code})
