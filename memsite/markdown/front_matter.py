"""Front matter: where it ends, and what it says, however broken it is.

The block is cut off by the rules here, then read through python-frontmatter with a handler of our
own: every scalar stays the text that was written (`1.10`, `on`, `2026-03-15`), anchors, aliases and
tags that make objects are refused, and depth and size are bounded, so that no block can run code,
expand without end or break JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from memsite.markdown.flat import flat_properties
from memsite.markdown.hidden import neutral
from memsite.note import Finding, PropertyValue

_MAX_BYTES = 64 * 1024
_MAX_DEPTH = 20
_MAX_KEYS = 2_000
_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"([A-Za-z_][\w .\-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?$")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`end` is the offset of the body in the text; `block` what stands between the fences."""

    end: int = 0
    block: str = ""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    ok: bool = True
    findings: tuple[Finding, ...] = ()


def split(text: str) -> tuple[int, str] | None:
    """The offset of the body and the block of `text`, or None where it has no closed block.

    `text` has no BOM and its lines end in LF. A first line `---` that is followed by a blank line
    is a horizontal rule.
    """
    opened = _OPEN.match(text)
    if opened is None or text.startswith("\n", opened.end()):
        return None
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        return None
    return closed.end(), text[opened.end() : closed.start()]


def read(text: str) -> FrontMatter:
    """The front matter of `text` (as `split`); never raises, never loses the body."""
    parts = split(text)
    if parts is None:
        return FrontMatter(findings=tuple(_unclosed(text)))
    end, block = parts
    if len(block.encode()) > _MAX_BYTES:
        return _broken(
            end, block, 1, 1, f"front matter of more than {_MAX_BYTES // 1024} KB is not read", salvage=False
        )
    try:
        properties, findings = _load(block)
    except _Refused as refusal:
        return _broken(end, block, refusal.line, refusal.column, str(refusal), salvage=refusal.salvage)
    if properties is None:
        note = Finding(
            "W010", 1, 1, "the block at the top is not front matter: it is shown as text", severity="info"
        )
        return FrontMatter(findings=(note,))
    return FrontMatter(end, block, properties, ok=not findings, findings=(*findings, *_second(text, end)))


def key_line(block: str, key: str) -> int:
    """The line (of the file) on which the top-level `key` of `block` stands; 2 when it is not found."""
    for number, line in enumerate(block.split("\n"), start=2):
        if line.startswith((f"{key}:", f'"{key}"', f"'{key}'", f"{key} ")):
            return number
    return 2


def _unclosed(text: str) -> Iterator[Finding]:
    opened = _OPEN.match(text)
    if opened and _KEY_LINE.match(text, opened.end(), _line_end(text, opened.end())):
        yield Finding("W010", 1, 1, "front matter is not closed", "Add a line `---` below its last key.")


def _second(text: str, end: int) -> Iterator[Finding]:
    """Some writers put a block of their own before the one that is there; the first counts."""
    start = end + len(text[end:]) - len(text[end:].lstrip("\n"))
    again = split(text[start:])
    if (
        again
        and again[1].strip()
        and all(_KEY_LINE.match(line) for line in again[1].splitlines() if line[:1].strip())
    ):
        line = text.count("\n", 0, start) + 1
        message = "a second front-matter block is text: only the first counts"
        yield Finding("W010", line, 1, message, "Move its keys into the first block.")


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _broken(end: int, block: str, line: int, column: int, reason: str, *, salvage: bool) -> FrontMatter:
    found = Finding(
        "W010",
        line,
        column,
        f"front matter is not valid YAML: {reason}",
        "Quote the value or correct the line.",
    )
    properties = _salvaged(block) if salvage else {}
    if salvage and not properties:
        prose = Finding(
            "W010", 1, 1, "the block at the top is not front matter: it is shown as text", severity="info"
        )
        return FrontMatter(findings=(prose,))
    return FrontMatter(end, block, properties, ok=False, findings=(found,))


def _salvaged(block: str) -> dict[str, PropertyValue]:
    """What can be read line by line as `key: value` from a block that is not valid YAML."""
    properties: dict[str, PropertyValue] = {}
    for line in block.split("\n"):
        if (found := _KEY_LINE.match(line)) and found[1] not in properties:
            value = (found[2] or "").strip()
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1]
            flow = re.fullmatch(r"\[([^\[\]]*)\]", value)
            properties[found[1]] = [part.strip(" '\"") for part in flow[1].split(",")] if flow else value
    return properties


class _Mark(Protocol):
    line: int
    column: int


class _Refused(Exception):
    def __init__(self, message: str, mark: _Mark | None = None, *, salvage: bool = True) -> None:
        super().__init__(message)
        # The block begins on line 2 of the file, below its fence.
        self.line = mark.line + 2 if mark else 2
        self.column = mark.column + 1 if mark else 1
        self.salvage = salvage


class _Handler(YAMLHandler):
    """python-frontmatter's YAML handler, split by our rules, with scalars that stay text."""

    def __init__(self, block: str) -> None:
        super().__init__()
        self.block = block
        self.findings: list[Finding] = []
        self.mapping = True

    def split(self, text: str) -> tuple[str, str]:
        return self.block, ""

    def load(self, fm: str, **_: object) -> Any:
        try:
            loaded = _Builder(fm, self.findings).document()
        except yaml.MarkedYAMLError as error:
            raise _Refused(error.problem or "unreadable", error.problem_mark) from None
        except (yaml.YAMLError, ValueError) as error:
            raise _Refused(str(error).partition("\n")[0]) from None
        self.mapping = isinstance(loaded, dict) or loaded == ""
        return loaded


def _load(block: str) -> tuple[dict[str, PropertyValue] | None, list[Finding]]:
    """The mapping in `block`, or None when it holds something else."""
    flat = flat_properties(block)
    return (flat, []) if flat is not None else _load_yaml(block)


def _load_yaml(block: str) -> tuple[dict[str, PropertyValue] | None, list[Finding]]:
    handler = _Handler(block)
    properties, _ = frontmatter.parse(block, handler=handler)
    return (cast("dict[str, PropertyValue]", properties) if handler.mapping else None), handler.findings


class _Builder:
    """Turns YAML events into text, lists and mappings; refuses what could grow or run."""

    def __init__(self, block: str, findings: list[Finding]) -> None:
        self.events = yaml.parse(block, Loader=_Loader)
        self.findings = findings
        self.keys = 0

    def document(self) -> PropertyValue:
        for event in self.events:
            if isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                value = self.value(event, 0)
                # Anything after the first document is no front matter; reading on also finds errors.
                for _ in self.events:
                    pass
                return value
        return ""

    def value(self, event: yaml.Event, depth: int) -> PropertyValue:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _Refused("anchors and aliases are not allowed", event.start_mark)
        tag = getattr(event, "tag", None)
        if tag and not (
            isinstance(tag, str) and tag.startswith("tag:yaml.org,2002:") and "/" not in tag[22:]
        ):
            raise _Refused(f"the tag {tag!r} is not allowed", event.start_mark)
        if depth > _MAX_DEPTH:
            raise _Refused("nested too deeply", event.start_mark, salvage=False)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(depth)
        return self.mapping(depth)

    def sequence(self, depth: int) -> list[PropertyValue]:
        values: list[PropertyValue] = []
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            values.append(self.value(event, depth + 1))
        return values

    def mapping(self, depth: int) -> dict[str, PropertyValue]:
        values: dict[str, PropertyValue] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            self.keys += 1
            if self.keys > _MAX_KEYS:
                raise _Refused(f"more than {_MAX_KEYS} keys", event.start_mark, salvage=False)
            key = self.value(event, depth + 1)
            name = key if isinstance(key, str) else str(key)
            if name in values:
                mark = cast("_Mark", event.start_mark)
                self.findings.append(
                    Finding(
                        "W010",
                        mark.line + 2,
                        mark.column + 1,
                        f"the key {name!r} stands twice; the last one counts",
                    )
                )
            values[name] = self.value(next(self.events), depth + 1)
        return values


def _scalar(event: yaml.ScalarEvent) -> str:
    if event.style is None and event.value in ("~", "null"):
        return ""
    return neutral(event.value)
