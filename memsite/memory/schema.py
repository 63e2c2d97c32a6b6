"""The JSON Schemas of the answers, read from their types: what `as_json` makes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def json_schema(answer: Any) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `as_json` makes of a value of the type `answer`.

    Fields may be added later, so that others than these are allowed. Raises TypeError for a type that
    no answer has.
    """
    origin, inner = get_origin(answer), get_args(answer)
    if answer in _SIMPLE:
        return {"type": _SIMPLE[answer]}
    if answer is datetime:
        return {"type": "string", "format": "date-time"}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": json_schema(inner[0])}
    if origin in (Union, UnionType):
        return {"anyOf": [json_schema(each) for each in inner]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": json_schema(inner[1])}
    if is_dataclass(answer):
        hints = get_type_hints(answer)
        named = {
            each.name: json_schema(hints[each.name])
            for each in fields(answer)
            if hints[each.name] is not bytes
        }
        return {"type": "object", "properties": named, "required": list(named)}
    raise TypeError(f"no JSON Schema for {answer!r}")
