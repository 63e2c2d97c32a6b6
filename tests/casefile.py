"""Reads the cases in `cases/*.md`: Markdown files in which input and expected results stand as data.

A file is one area. Each `## ID Title` heading begins a case; prose below it says what is right and why.
The data stand in fences of four or more tildes, told apart by their first word:

    ~~~~file vault/a.md          a file, as it stands
    ~~~~files                    several, each after a line `== path`
    ~~~~python                   a dict {path: text | bytes | special}, one Python expression
    ~~~~steps                    what is done, and what comes of it

Before each `steps` fence all files of the case are written afresh. A line `> action words` does something;
the lines up to the next one are the result expected. Quoted words are Python literals. In an expected line
`…` stands for anything; a line that is only `…` for any lines. Lines `has: text` and `no: text` say what
must and must not occur; beside them the rest of the result is free unless it is spelt out.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases"
_FENCE = re.compile(r"(~{4,})(\w+) ?(.*)")
_WORD = re.compile(
    r"""(?P<key>\w+=)?(?P<quoted>[rb]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))|(?P<bare>\S+)"""
)


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    to: str


@dataclass(frozen=True)
class Mode:
    """A file with permission bits of its own; a folder when `text` is None."""

    bits: int
    text: str | None = ""


@dataclass(frozen=True)
class Fifo:
    """A named pipe that nobody writes to."""


Entry = str | bytes | Link | Mode | Fifo | None
"""What stands at a path; None for an empty folder."""


@dataclass(frozen=True)
class Step:
    action: str
    words: tuple[str, ...]
    expected: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Case:
    """One scenario of a case: fresh files, then steps in order."""

    id: str
    title: str
    files: Mapping[str, Entry]
    steps: tuple[Step, ...]
    path: str


def cases(*areas: str) -> list[Case]:
    """The scenarios of all areas named, in the order of the files. A second one of a case is called `ID.2`."""
    return [case for area in areas for case in read(CASES / f"{area}.md")]


def read(path: Path) -> Iterator[Case]:
    seen: set[str] = set()
    for heading, fences in _blocks(path):
        id, _, title = heading.partition(" ")
        if id in seen:
            raise ValueError(f"{path.name}: two cases called {id}")
        seen.add(id)
        files = {name: entry for kind, info, body, _ in fences for name, entry in _entries(kind, info, body)}
        scenarios = [(body, line) for kind, _, body, line in fences if kind == "steps"]
        if not scenarios:
            raise ValueError(f"{path.name}: {id} has no steps")
        for number, (body, line) in enumerate(scenarios, 1):
            name = id if len(scenarios) == 1 else f"{id}.{number}"
            yield Case(name, title, files, tuple(_steps(body, line)), path.name)


def _blocks(path: Path) -> Iterator[tuple[str, list[tuple[str, str, list[str], int]]]]:
    """Each case's heading and its fences: kind, info, lines, number of the line that opens it."""
    heading, fences, lines = "", [], iter(enumerate(path.read_text(encoding="utf-8").split("\n"), 1))
    for number, line in lines:
        if line.startswith("## "):
            if heading:
                yield heading, fences
            heading, fences = line[3:], []
        elif match := _FENCE.fullmatch(line):
            body: list[str] = []
            for _, inner in lines:
                if inner == match[1]:
                    break
                body.append(inner)
            else:
                raise ValueError(f"{path.name}:{number}: a fence that never closes")
            fences.append((match[2], match[3], body, number))
    yield heading, fences


def _entries(kind: str, info: str, body: list[str]) -> Iterator[tuple[str, Entry]]:
    if kind == "file":
        yield info, "".join(f"{line}\n" for line in body)
    elif kind == "files":
        for part in re.split(r"^== ", "".join(f"{line}\n" for line in body), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            yield name, text
    elif kind == "python":
        names = {
            "__builtins__": {},
            "str": str,
            "Link": Link,
            "Mode": Mode,
            "Fifo": Fifo,
            "bytes": bytes,
            "range": range,
            "chr": chr,
        }
        yield from eval("".join(body), names).items()  # our own data
    elif kind != "steps":
        raise ValueError(f"unknown fence {kind!r}")


def _steps(body: list[str], opening: int) -> Iterator[Step]:
    step: list[str] = []
    for number, line in enumerate([*body, "> "], opening + 1):
        if not line.startswith("> "):
            step.append(line)
            continue
        if step:
            expected = tuple(step[1:])
            while expected and not expected[-1]:
                expected = expected[:-1]
            action, *words = split(step[0][2:])
            yield Step(action, tuple(words), expected, number - len(step))
        step = [line]


def split(line: str) -> list[str]:
    """Words of a line; quoted ones (`"a b"`, `key="a b"`) are Python literals."""
    words = []
    for match in _WORD.finditer(line):
        value = ast.literal_eval(match["quoted"]) if match["quoted"] else match["bare"]
        text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
        words.append((match["key"] or "") + text)
    return words


def write(root: Path, files: Mapping[str, Entry]) -> None:
    """Lay out the files of a case below `root`; permission bits last."""
    for name, entry in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match entry:
            case None | Mode(text=None):
                path.mkdir(exist_ok=True)
            case Link(to):
                path.symlink_to(to)
            case Fifo():
                os.mkfifo(path)
            case Mode(text=str(text)):
                path.write_bytes(text.encode())
            case bytes():
                path.write_bytes(entry)
            case str():
                path.write_bytes(entry.encode("utf-8", "surrogatepass"))
    for name, entry in files.items():
        if isinstance(entry, Mode):
            (root / name).chmod(entry.bits)


def difference(step: Step, got: Iterable[str]) -> str:
    """What is not as expected, for a person; empty when all is well."""
    lines = [line for text in got for line in text.split("\n")]
    has = [line[5:] for line in step.expected if line.startswith("has: ")]
    no = [line[4:] for line in step.expected if line.startswith("no: ")]
    exact = [line for line in step.expected if not line.startswith(("has: ", "no: "))]
    faults = [f"should hold {text!r}" for text in has if not any(text in line for line in lines)]
    faults += [f"should not hold {text!r}" for text in no if any(text in line for line in lines)]
    if (exact or not (has or no)) and not _pattern(exact).fullmatch("".join(f"{line}\n" for line in lines)):
        faults.append("expected:\n    " + "\n    ".join(exact))
    more = [f"... and {len(lines) - 60} more lines"] if len(lines) > 60 else []
    return "\n".join([*faults, "got:", *(f"    {line}" for line in lines[:60]), *more]) if faults else ""


def _pattern(expected: list[str]) -> re.Pattern[str]:
    parts = [
        r"(?:[^\n]*\n)*" if line == "…" else r"[^\n]*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected
    ]
    return re.compile("".join(parts))


def run(case: Case, act: Callable[[Step], Iterable[str]]) -> None:
    """Do all steps of `case`; an AssertionError says which one went wrong."""
    for step in case.steps:
        fault = difference(step, act(step))
        assert not fault, f"{case.path}:{step.line}: {step.action} {' '.join(map(repr, step.words))}\n{fault}"
