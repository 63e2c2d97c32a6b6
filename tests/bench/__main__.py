"""The table of speeds: python -m tests.bench [--notes 1000,10000] [--peers] [--keep FOLDER].

Each line is a process of its own, measured from outside: wall time, processor time (user and system), peak
memory. Ratios are processor time against two floors measured in the same run: parsing every note and
nothing else, and reading every note and writing as many files as the site has. `--peers` also runs the site
generators of peers.py that are installed, in turn with memsite.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMSITE = (sys.executable, "-m", "memsite")
CONFIGURATION = """\
[stores.system]
kind = "system"
path = "../system"

[stores.vault]
kind = "vault"
path = "../vault"
"""
PARSE = """\
import sys
from pathlib import Path
from memsite.markdown import parse
for path in Path(sys.argv[1]).rglob("*.md"):
    parse(path.read_bytes())
"""
COPY = """\
import sys
from pathlib import Path
source, target, sample = map(Path, sys.argv[1:])
target.mkdir()
for path in source.rglob("*.md"):
    path.read_bytes()
written = b"x" * 15_000
for number in range(sum(1 for path in sample.rglob("*") if path.is_file())):
    (target / str(number)).write_bytes(written)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall and processor time, megabytes of memory at the peak of the largest process."""

    wall: float
    processor: float
    memory: float
    said: str = ""
    """What the command printed."""


def measure(command: Sequence[str | Path], folder: Path) -> Cost:
    """Run a command and say what it cost. Stops the bench when it fails."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        process = subprocess.Popen([*map(str, command)], cwd=folder, stdout=printed, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            said.seek(0)
            sys.exit(f"{' '.join(map(str, command))}\n{said.read().decode()}")
        wall = time.perf_counter() - start
        printed.seek(0)
        output = printed.read().decode()
    scale = 1 if sys.platform == "darwin" else 1024
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale / 1e6, output)


def corpus(folder: Path, notes: int) -> Path:
    """A project with `notes` notes, and its folder."""
    root = folder / f"corpus-{notes}"
    project = root / "project"
    if not (project / "memsite.toml").exists():
        program = [sys.executable, HERE / "make_corpus.py", "--notes", str(notes), "--flat", "--out", root]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        (project / "memsite.toml").write_text(CONFIGURATION, encoding="utf-8")
    shutil.rmtree(project / ".memsite", ignore_errors=True)
    return project


def a_note(project: Path) -> Path:
    return sorted((project / ".workflow/memory").glob("MEM-*.md"))[7]


def edited(project: Path, text: str) -> Callable[[], None]:
    """Adds `text` to one note: what a person does between two builds."""

    def edit() -> None:
        with a_note(project).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def forget(project: Path, site: Path) -> None:
    """Everything that earlier builds left."""
    shutil.rmtree(site, ignore_errors=True)
    shutil.rmtree(project / ".memsite", ignore_errors=True)


def table(project: Path, site: Path) -> dict[str, Cost]:
    """Everything that is measured on one corpus, in order."""
    forget(project, site)
    build = (*MEMSITE, "build", "--quiet", "--json", "--output", site)
    steps: list[tuple[str, Callable[[], None], Sequence[str | Path]]] = [
        ("build, cold", lambda: None, build),
        ("build, cold, one process", lambda: forget(project, site), (*build, "--jobs", "1")),
        ("build, nothing changed", lambda: None, build),
        ("build, one note reworded", edited(project, "\nmore words\n"), build),
        ("build, one link more", edited(project, "\n[[agent]] [[memory]]\n"), build),
        ("memsite --help", lambda: None, (*MEMSITE, "--help")),
        ("memsite list", lambda: None, (*MEMSITE, "list", "--plain")),
        ("memsite view", lambda: None, (*MEMSITE, "view", a_note(project).stem)),
        ("memsite search", lambda: None, (*MEMSITE, "search", "cache checksum")),
        ("memsite check, after an edit", lambda: None, (*MEMSITE, "check")),
        ("memsite check", lambda: None, (*MEMSITE, "check")),
    ]
    costs = {}
    for name, prepare, command in steps:
        prepare()
        costs[name] = measure(command, project)
        print(f"  {name}: {costs[name].wall:.2f} s", file=sys.stderr)
    flat = project.parent / "flat"
    with tempfile.TemporaryDirectory() as folder:
        costs["floor: parse"] = measure((sys.executable, "-c", PARSE, flat), project)
        copy = (sys.executable, "-c", COPY, flat, Path(folder) / "out", site)
        costs["floor: read and write"] = measure(copy, project)
    return costs


def show(notes: int, costs: dict[str, Cost]) -> None:
    parse, copy = costs["floor: parse"].processor, costs["floor: read and write"].processor
    print(f"\n{notes:,} notes\n")
    print(f"| {'':28} | wall s | CPU s | peak MB | x parse | x read+write |")
    print(f"|{'-' * 30}|-------:|------:|--------:|--------:|-------------:|")
    for name, cost in costs.items():
        ratios = f"{cost.processor / parse:7.2f} | {cost.processor / copy:12.2f}"
        print(f"| {name:28} | {cost.wall:6.2f} | {cost.processor:5.2f} | {cost.memory:7.0f} | {ratios} |")
    print("\nWall seconds by stage\n")
    for name, cost in costs.items():
        if cost.said.startswith("{"):
            stages = json.loads(cost.said)["seconds"].items()
            print(f"- {name}: {', '.join(f'{stage} {seconds:.2f}' for stage, seconds in stages)}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", default="1000,10000", help="sizes, separated by commas")
    options.add_argument("--peers", action="store_true", help="also run other generators that are installed")
    options.add_argument("--keep", type=Path, help="folder for the corpora, kept for the next run")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="memsite-bench-") as temporary:
        folder = chosen.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for notes in map(int, chosen.notes.split(",")):
            project = corpus(folder, notes)
            costs = table(project, folder / f"site-{notes}")
            if chosen.peers:
                from tests.bench.peers import peers

                costs.update(peers(project, folder / f"peers-{notes}", measure))
            show(notes, costs)


if __name__ == "__main__":
    main()
