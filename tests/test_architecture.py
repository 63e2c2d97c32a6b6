"""The rules of the house that a program can check: imports, sizes, words, where the templates are."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "memsite").rglob("*.py"))
MAX_FUNCTION_LINES = 60
MAX_MODULE_LINES = 600
EMPTY_WORDS = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "base",
    "core",
    "manager",
    "service",
    "processor",
}
EMPTY_WORDS |= {"handler", "misc", "tools"}
EMPTY_NAMES = {"data", "obj", "item"}
# Booleans that a library hands over in its own order: the rules of markdown-it.
GIVEN_BOOLEANS = {"silent"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and decorators."""
    docstring = 0
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        docstring = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def test_there_are_modules_to_check() -> None:
    assert len(MODULES) > 5


def test_imports_go_down_only() -> None:
    program = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
    ]
    run = subprocess.run(
        program,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 broken" in run.stdout


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_function_is_long(path: Path) -> None:
    long = {f"{f.name}:{f.lineno}": lines_of(f) for f in functions(path) if lines_of(f) > MAX_FUNCTION_LINES}
    assert not long


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_module_is_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_module_starts_with_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_bytes()))


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_module_has_an_empty_name(path: Path) -> None:
    assert not EMPTY_WORDS & set(
        re.split(r"[_/.]", relative(path).removeprefix("memsite/").removesuffix(".py"))
    )


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_name_says_nothing(path: Path) -> None:
    found = {}
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = []
        if isinstance(node, ast.arg):
            names = [(node.arg, node.lineno)]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [(node.id, node.lineno)]
        for name, line in names:
            if name in EMPTY_NAMES:
                found[line] = name
    assert not found


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_boolean_is_positional(path: Path) -> None:
    """A call such as `build(memory, True)` says nothing: booleans are keyword-only."""
    found = []
    for function in functions(path):
        arguments = function.args
        for argument in [*arguments.posonlyargs, *arguments.args]:
            is_bool = isinstance(argument.annotation, ast.Name) and argument.annotation.id == "bool"
            if is_bool and argument.arg not in GIVEN_BOOLEANS:
                found.append(f"{function.name}:{argument.lineno}")
    assert not found


TRACES = re.compile(
    r"(?<![\w/.])/(?:work|tmp)/|design/\d|issues? \d|\bsession(s)? of the project\b", re.IGNORECASE
)


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_comment_tells_how_it_was_made(path: Path) -> None:
    found = []
    for token in tokenize.tokenize(io.BytesIO(path.read_bytes()).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) and TRACES.search(token.string):
            found.append((token.start[0], token.string[:80]))
    assert not found


PURE = ("note.py", "errors.py", "edit.py", "leaks.py", "check.py", "markdown", "graph", "check", "leaks")
IMPURE = {
    "os",
    "pathlib",
    "shutil",
    "tempfile",
    "time",
    "random",
    "secrets",
    "subprocess",
    "socket",
    "uuid",
    "io",
}


def pure_modules() -> list[Path]:
    return [path for path in MODULES if path.relative_to(ROOT / "memsite").parts[0] in PURE]


@pytest.mark.parametrize("path", pure_modules(), ids=relative)
def test_pure_modules_touch_no_disk_clock_or_chance(path: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "open", f"open() at line {node.lineno}"
    assert not imported & IMPURE


def test_templates_are_found() -> None:
    from memsite.templates import templates_folder

    assert (templates_folder() / "static").is_dir()


def test_public_api_is_sorted_and_there() -> None:
    import memsite

    assert list(memsite.__all__) == sorted(memsite.__all__)
    for name in memsite.__all__:
        assert getattr(memsite, name) is not None


def test_start_loads_nothing_heavy() -> None:
    """`memsite --help` must be quick: no engine, no template engine, no server at the top of any module."""
    program = "import sys; import memsite.cli; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    heavy = {
        "jinja2",
        "markdown_it",
        "networkx",
        "numpy",
        "pyvis",
        "starlette",
        "uvicorn",
        "yaml",
        "memsite.memory",
    }
    assert "memsite.cli" in loaded
    assert not loaded & heavy
