"""The documentation: generated pages are current, commands and examples run, the vault has no problems."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from memsite.check import RULES
from memsite.cli.app import COMMANDS, memsite, run
from memsite.memory import open_memory

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
SHOWN = [*PAGES, ROOT / "README.md", ROOT / "CHANGELOG.md"]
# Commands that do not end by themselves.
STAYING = ("memsite serve", "memsite mcp")
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`(memsite(?: [^`\n]*)?)`(?!`)")


def name_of(path: Path) -> str:
    return path.name


def blocks(page: Path, language: str) -> list[str]:
    if not page.exists():
        return []
    return [body for found, body in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def generator() -> Any:
    spec = spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example memory, under version control, and the current folder."""
    ignored = shutil.ignore_patterns("site", ".memsite")
    copy = Path(shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=ignored))
    (copy / ".gitignore").write_text(".memsite/\n", encoding="utf-8")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *step], cwd=copy, check=True)
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.parametrize(
    "name", ["cli.md", "configuration.md", "rules.md", "mcp.md", "json.md", "answers.schema.json"]
)
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == generator().pages()[name], (
        "run: python docs/generate.py"
    )


def test_the_documentation_is_a_memory_without_problems(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns(".memsite", "site")))
    memory = open_memory(copy)
    assert len(tuple(memory.notes())) == len(PAGES)
    assert [f"{each.path}:{each.line} {each.code} {each.message}" for each in memory.problems()] == []
    assert run(["build", "--project", str(copy), "--output", str(tmp_path / "site"), "--strict", "-q"]) == 0


def test_every_page_is_reached_from_the_first(tmp_path: Path) -> None:
    graph = open_memory(DOCS).graph()
    reached, left = {"memory://docs/index"}, ["memory://docs/index"]
    while left:
        for target in graph.targets[left.pop()]:
            address = getattr(target, "address", None)
            if address and address not in reached:
                reached.add(address)
                left.append(address)
    assert reached == set(graph.notes)


# Commands -----------------------------------------------------------------------------------


def program_of(page: Path) -> str:
    """The `sh` blocks of a page as one script that stops at the first command that fails."""
    lines = "".join(blocks(page, "sh")).splitlines()
    return "\n".join(line for line in lines if not line.startswith(STAYING))


@pytest.mark.parametrize("page", [page for page in SHOWN if blocks(page, "sh")], ids=name_of)
def test_the_commands_of_a_page_run(example: Path, page: Path) -> None:
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-x", "-c", program_of(page)],
        cwd=example,
        env=environ,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def all_commands() -> list[str]:
    return [name for family in COMMANDS.values() for name in family]


def examples_of(name: str) -> list[str]:
    """The examples at the end of a command's help, or of its parts."""
    command = memsite.get_command(click.Context(memsite), name)
    assert command is not None
    told = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    lines = [line.strip() for each in told for line in (each.epilog or "").splitlines()]
    return [line for line in lines if line.startswith("memsite")]


def commands_shown() -> Iterator[tuple[str, str]]:
    """Every call of memsite in pages and rules, with the place where it stands."""
    for page in SHOWN:
        if not page.exists():
            continue
        text = page.read_text(encoding="utf-8")
        for span in _SPAN.findall(text):
            yield page.name, span
        for language in ("sh", "console"):
            for body in blocks(page, language):
                yield from ((page.name, line) for line in body.splitlines() if line.startswith("memsite"))
    for rule in RULES:
        for span in _SPAN.findall(" ".join((rule.explanation, rule.fix))):
            yield rule.code, span
    for name in all_commands():
        yield from ((f"{name} --help", line) for line in examples_of(name))


@pytest.mark.parametrize(("place", "line"), sorted(set(commands_shown())))
def test_a_command_that_is_shown_exists(place: str, line: str) -> None:
    line = re.split(r" (?:[<|>]|&&|\|\|) ?", line)[0].replace('"$sum"', "0" * 64)
    words = shlex.split(line, comments=True)[1:]
    context = memsite.make_context("memsite", list(words), obj=None, resilient_parsing=True)
    rest = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
    if not rest:
        return
    command = memsite.get_command(context, rest[0])
    assert command is not None, f"no command {rest[0]}"
    if isinstance(command, click.Group) and len(rest) > 1:
        command = command.commands[rest[1]]
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    used = [word.partition("=")[0] for word in rest[1:] if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
    assert set(used) <= known | {"--help", "-h"}


@pytest.mark.parametrize("name", all_commands())
def test_every_command_has_an_example(name: str) -> None:
    assert examples_of(name)


# JSON ---------------------------------------------------------------------------------------

ANSWERS = {
    "list": ["list"],
    "search": ["search", "mussels"],
    "view": ["view", "MEMORY"],
    "new": ["new", "tip", "A tip", "--content", "[[x]]", "--dry-run"],
    "edit": ["edit", "MEMORY", "--operation", "append", "--content", "[[x]]", "--dry-run"],
    "delete": ["delete", "TIP-20260319-001", "--dry-run"],
    "prune": ["prune", "--type", "tip", "--dry-run"],
    "sync": ["sync"],
    "context": ["context", "neap tide", "--content"],
    "repair": ["repair", "--dry-run"],
    "build": ["build"],
    "error": ["view", "no such note"],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_follows_its_schema(name: str, example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads((DOCS / "answers.schema.json").read_bytes())
    assert run([*ANSWERS[name], "--json"]) == (name == "error")
    shape = schema["$defs"][name]
    answer = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(shape).validate(answer)
    assert set(answer) == set(shape["properties"])


def test_the_answer_of_undo_follows_its_schema(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads((DOCS / "answers.schema.json").read_bytes())
    assert run(["edit", "MEMORY", "--operation", "append", "--content", "[[x]]", "-q"]) == 0
    capsys.readouterr()
    assert run(["undo", "--json"]) == 0
    jsonschema.Draft202012Validator(schema["$defs"]["undo"]).validate(json.loads(capsys.readouterr().out))


def test_the_document_of_stores_has_the_fields_told(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["stores", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(generator().STORES)


def test_every_schema_is_tried() -> None:
    schema = json.loads((DOCS / "answers.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["$defs"]) == set(ANSWERS) | {"undo"}


# Python -------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in SHOWN if blocks(page, "pycon")], ids=name_of)
def test_the_examples_in_python_run(example: Path, page: Path) -> None:
    text = "\n".join(blocks(page, "pycon"))
    found = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert found.examples
    told: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(found, out=told.append)
    assert outcome.failed == 0, "".join(told)


def test_the_public_interface_is_what_the_package_lists() -> None:
    package = import_module("memsite")
    assert dir(package) == sorted(package.__all__)
    with pytest.raises(AttributeError):
        _ = package.understood
    star: dict[str, object] = {}
    exec("from memsite import *", star)
    assert set(star) - {"__builtins__"} == set(package.__all__)


def test_the_examples_in_the_package_are_valid() -> None:
    """The example at the top of the package names what is there."""
    package = import_module("memsite")
    for name in re.findall(r"from memsite import (.+)", package.__doc__ or ""):
        assert {each.strip() for each in name.split(",")} <= set(package.__all__)
