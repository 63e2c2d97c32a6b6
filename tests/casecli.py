"""Actions of the cases that call the command line, in this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from caseactions import World, action

from memsite.cli import main


@dataclass(frozen=True)
class Ran:
    stdout: bytes
    stderr: bytes
    code: int

    @property
    def text(self) -> str:
        return (self.stdout + self.stderr).decode("utf-8", "backslashreplace")


def run(world: World, *arguments: str) -> Ran:
    """Run `memsite` in the project with nothing on standard input but what `stdin` left."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(world.kept.pop("stdin", b"")), encoding="utf-8")
    os.chdir(world.root)
    saved, sys.stdin = sys.stdin, given
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            try:
                main(list(arguments))
                code = 0
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdin = saved
        world.forget()
    for stream in streams:
        stream.flush()
    stdout, stderr = (stream.buffer.getvalue() for stream in streams)  # type: ignore[attr-defined]
    return Ran(stdout, stderr, code)


@action
def memsite(world: World, *arguments: str) -> Iterator[str]:
    """What the command prints, standard output first, and its exit code."""
    ran = run(world, *arguments)
    yield from ran.text.splitlines()
    yield f"exit {ran.code}"


@action
def stdin(world: World, text: str) -> Iterator[str]:
    """What the next command finds on its standard input."""
    world.kept["stdin"] = text.encode("utf-8", "surrogateescape")
    return iter(())


@action
def raw_controls(world: World, *arguments: str) -> Iterator[str]:
    """Control and bidi characters that the command lets through; none is right."""
    for character in sorted(set(run(world, *(a.replace("\\x1b", "\x1b") for a in arguments)).text)):
        code = ord(character)
        if (code < 32 and character not in "\n\t") or 0x7F <= code < 0xA0 or 0x202A <= code <= 0x202E:
            yield f"U+{code:04X}"


@action
def json_loads(world: World, *arguments: str) -> Iterator[str]:
    """Whether standard output is one JSON document."""
    ran = run(world, *arguments)
    document = ran.stdout if ran.stdout.strip() else ran.stderr
    try:
        json.loads(document.decode(), parse_constant=lambda name: name / 0)  # type: ignore[operator]
        yield "loads"
    except ValueError as error:
        yield f"{error}: {ran.text[:500]}"


@action
def raw_bytes(world: World, *arguments: str) -> Iterator[str]:
    ran = run(world, *arguments)
    same = ran.stdout == world.path(f"{arguments[1]}.md").read_bytes()
    yield "the bytes of the file" if same else repr(ran.stdout)


@action
def error_lines(world: World, *arguments: str) -> Iterator[str]:
    ran = run(world, *arguments)
    lines = ran.text.strip().splitlines()
    good = ran.code != 0 and 0 < len(lines) <= 3 and "Traceback" not in ran.text
    yield "at most 3, no traceback" if good else ran.text


@action
def columns(world: World, *arguments: str) -> Iterator[str]:
    counts = {line.count("\t") for line in run(world, *arguments).stdout.decode().splitlines()}
    yield "the same in each line" if len(counts) == 1 and counts != {0} else str(counts)


@action
def closed_pipe(world: World, *arguments: str) -> Iterator[str]:
    """A reader takes a few bytes and goes away."""
    command = [sys.executable, "-m", "memsite", *arguments]
    with subprocess.Popen(command, cwd=world.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
    yield said if "Traceback" in said or "Exception" in said else "no traceback"
