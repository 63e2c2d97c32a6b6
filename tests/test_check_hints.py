"""Every command that a rule, a hint or a refusal names is one that the command line has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import memsite
from memsite.cli.app import memsite as root_command

PACKAGE = Path(memsite.__file__).parent
SOURCES = [*PACKAGE.glob("check/*.py"), *PACKAGE.glob("leaks/*.py"), *PACKAGE.glob("report/*.py")]
NAMED = sorted(
    {
        found
        for path in SOURCES
        for found in re.findall(r"`memsite ([^`\n]+)`", path.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize("line", NAMED)
def test_the_command_exists_with_its_options(line: str) -> None:
    words = shlex.split(line.split(" | ")[0])
    command: click.Command = root_command
    while words and isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None, line
        command = found
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_there_are_some() -> None:
    assert len(NAMED) > 5
