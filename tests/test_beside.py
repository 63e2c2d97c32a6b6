"""Work in a second process: the same result as in one, and the same errors. Each test begins without threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memsite.beside import beside

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


def alone(program: str, *, cwd: Path | None = None) -> str:
    """What a program prints that runs in a fresh process."""
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=False
    )
    return run.stdout + run.stderr.rpartition("\n\n")[2]


@linux
def test_work_is_done_in_another_process() -> None:
    program = """
import os
from memsite.beside import beside
here = os.getpid()
other = beside(lambda: str(os.getpid()).encode(), jobs=2)
print(int(other()) != here)
"""
    assert alone(program) == "True\n"


@linux
def test_more_than_a_pipe_holds_comes_through() -> None:
    program = """
from memsite.beside import beside
print(len(beside(lambda: b"x" * 5_000_000, jobs=2)()))
"""
    assert alone(program) == "5000000\n"


@linux
@pytest.mark.parametrize("end", ["raise ValueError('no')", "__import__('os')._exit(3)"])
def test_what_fails_beside_is_done_here(end: str) -> None:
    program = f"""
import os
from memsite.beside import beside
here = os.getpid()
def work():
    if os.getpid() != here:
        {end}
    return b"made here"
print(beside(work, jobs=2)())
"""
    assert alone(program) == "b'made here'\n"


def test_its_error_is_raised_here() -> None:
    program = """
from memsite.beside import beside
from memsite.errors import NotFound
def work():
    raise NotFound("nothing there")
try:
    beside(work, jobs=2)()
except NotFound as error:
    print(error.message)
"""
    assert alone(program) == "nothing there\n"


def test_one_job_is_this_process() -> None:
    seen: list[int] = []
    result = beside(lambda: (seen.append(1), b"")[1], jobs=1)
    assert not seen
    result()
    assert seen


@linux
def test_two_processes_build_the_site_of_one(project: Any, tmp_path: Path) -> None:
    notes = {
        f"notes/{number}.md": f"# Note {number}\n\n[[{number * 7 % 450}]] and [[thing {number % 40}]]\n"
        for number in range(450)
    }
    root = project({**notes, "notes/bad.md": b"\xff\xfe not text"})
    for jobs in (1, 2):
        command = [sys.executable, "-m", "memsite", "build", "-q", "--no-cache", "--jobs", str(jobs)]
        subprocess.run([*command, "-o", str(tmp_path / f"site{jobs}")], cwd=root, check=True)
    first, second = (
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        for site in (tmp_path / "site1", tmp_path / "site2")
    )
    assert first == second
    assert len(first) > 450


@linux
def test_pieces_are_read_in_another_process_in_order() -> None:
    program = """
import os
from memsite.beside import Fed
class Reader:
    def __init__(self):
        self.found = []
    def take(self, piece):
        self.found.append(piece)
    def result(self):
        return b"|".join([str(os.getpid()).encode(), *self.found])
fed = Fed(Reader(), jobs=2)
for number in range(3):
    fed.take(str(number).encode())
fed.take(b"")
fed.take(b"x" * 3_000_000)
said = fed.result().split(b"|")
print(int(said[0]) != os.getpid(), said[1:5], len(said[5]))
"""
    assert alone(program) == "True [b'0', b'1', b'2', b''] 3000000\n"


@linux
def test_a_reader_that_is_ended_from_outside_is_an_error_and_not_silence() -> None:
    program = """
import os
from memsite.beside import Fed
class Reader:
    def take(self, piece):
        os._exit(3)
    def result(self):
        return b""
try:
    fed = Fed(Reader(), jobs=2)
    for _ in range(100):
        fed.take(b"x" * 100_000)
    print(fed.result())
except ChildProcessError:
    print("an error")
"""
    assert alone(program) == "an error\n"


@linux
def test_secrets_are_found_by_several_processes_too(project: Any) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    notes = {f"notes/{number}.md": f"# Note {number}\n\nwords\n" for number in range(420)}
    root = project({**notes, "notes/x.md": f"# X\n\n{token[:9]}<b></b>{token[9:]}\n"})
    said = [
        subprocess.run(
            [sys.executable, "-m", "memsite", "build", "-q", "--no-cache", "--jobs", jobs, "-o", f"site{jobs}"],
            cwd=root, capture_output=True, text=True, check=False,
        )
        for jobs in ("1", "2")
    ]  # fmt: skip
    assert said[0].returncode == said[1].returncode
    assert said[0].stderr.replace("site1", "") == said[1].stderr.replace("site2", "")


@linux
def test_a_build_whose_look_for_secrets_is_killed_fails_and_says_so(project: Any) -> None:
    """As it happens where memory runs out: nothing is published that nobody has looked at."""
    root = project({f"notes/{number}.md": f"# Note {number}\n\nwords\n" for number in range(420)})
    program = """
import os, sys
from memsite.leaks import Guard
Guard.output = lambda *_: os._exit(9)
from memsite.cli import main
main()
"""
    command = [sys.executable, "-c", program, "build", "-q", "--jobs", "2", "-o", "site"]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert run.returncode not in (0, None)
    assert "ended from outside" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (root / "site/index.html").exists()
