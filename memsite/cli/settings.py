"""All settings of memsite.toml with their types, defaults and meanings, read from the types themselves."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from itertools import pairwise
from typing import Any, get_args, get_type_hints

from memsite import config

_KINDS = {str: "text", bool: "true or false", int: "whole number", float: "number"}
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a table of memsite.toml."""

    table: str
    key: str
    kind: str
    """What a value is, for people."""
    default: str
    """As TOML; empty where the default follows from something else."""
    meaning: str
    """Markdown."""


def all_settings() -> tuple[Setting, ...]:
    """Every setting, table by table, in the order of the types."""
    return tuple(
        Setting(table, key, kind, default, field_meanings(section)[key])
        for table, section in config.SECTIONS.items()
        for key, kind, default in _keys(section)
    )


def table_meanings() -> Mapping[str, str]:
    """What each table is for, by its name."""
    told = {table: inspect.cleandoc(section.__doc__ or "") for table, section in config.SECTIONS.items()}
    meanings = {table: text.partition(": ")[2] for table, text in told.items()}
    return {table: meaning[:1].upper() + meaning[1:] for table, meaning in meanings.items()}


def _keys(section: Any) -> Iterator[tuple[str, str, str]]:
    hints = get_type_hints(section)
    for each in fields(section):
        if section is not config.StoreConfig or each.name != "name":
            default = each.default if each.default_factory is MISSING else each.default_factory()
            yield each.name, _kind(hints[each.name]), "" if default is MISSING else toml(default)


def _kind(hint: Any) -> str:
    if hint in _KINDS:
        return _KINDS[hint]
    inner = get_args(hint)
    if str(hint).startswith("typing.Literal"):
        return " or ".join(f"`{each}`" for each in inner)
    return "list of text" if inner[0] is str and inner[-1] is Ellipsis else "table"


@cache
def field_meanings(section: type) -> Mapping[str, str]:
    """The text under each field of a dataclass: documentation that Python itself does not keep."""
    tree = ast.parse(inspect.getsource(sys.modules[section.__module__]))
    classes = (each for each in tree.body if isinstance(each, ast.ClassDef))
    body = next(each.body for each in classes if each.name == section.__name__)
    return {
        field.target.id: inspect.cleandoc(ast.literal_eval(text.value))
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
    }


def toml(value: object) -> str:
    """A setting's value as TOML."""
    if isinstance(value, Mapping):
        return "{}"
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def toml_key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
