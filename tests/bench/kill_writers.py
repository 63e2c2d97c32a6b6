"""Writers of one note are killed at random; no write that was acknowledged may be missing.

    python tests/bench/kill_writers.py [seconds] [writers] [folder]

Each writer appends numbered lines and says each number once it is written. It is killed after a while
and begun again. At the end the note must hold every line that was said, `repair` must end clean, and
no file may be left over. Exits 1 otherwise.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from memsite.memory import Memory, open_memory

WRITER = """
import sys
from pathlib import Path
from memsite.memory import open_memory
root, name = Path(sys.argv[1]), sys.argv[2]
memory = open_memory(root, vaults=[("vault", root / "vault")])
number = 0
while True:
    line = f"{name}-{number}"
    memory.edit(f"memory://vault/log-{number % 20}", "append", line, tight=True, allow_unlinked=True)
    print(line, flush=True)
    number += 1
"""


def opened(root: Path) -> Memory:
    return open_memory(root, vaults=[("vault", root / "vault")])


def write_and_kill(root: Path, name: str, until: float, said: list[str]) -> None:
    """Begin a writer, kill it within two seconds, and again until the time is over."""
    turn = 0
    chance = random.Random(name)
    while time.monotonic() < until:
        command = [sys.executable, "-c", WRITER, str(root), f"{name}.{turn}"]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        killer = threading.Timer(0.5 + chance.random() * 1.5, writer.kill)
        killer.start()
        assert writer.stdout is not None
        # A line that was cut off by the kill was not said.
        said += [line.strip() for line in writer.stdout if line.endswith("\n")]
        writer.wait()
        killer.cancel()
        turn += 1


def main(seconds: float = 60, writers: int = 4, folder: str = "") -> int:
    with tempfile.TemporaryDirectory(dir=folder or None) as place:
        root = Path(place)
        (root / "vault").mkdir()
        for number in range(20):
            (root / "vault" / f"log-{number}.md").write_text("- first\n", encoding="utf-8")
        said: list[list[str]] = [[] for _ in range(writers)]
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=write_and_kill, args=(root, f"w{each}", until, said[each]))
            for each in range(writers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        mends = opened(root).repair().mends
        there = {line for path in (root / "vault").glob("*.md") for line in path.read_text().split("\n")}
        missing = [line for lines in said for line in lines if line not in there]
        left = [path.name for path in (root / "vault/.memsite").iterdir() if path.name.startswith("tmp-")]
        again = opened(root).repair().mends
        print(
            f"{sum(map(len, said))} writes acknowledged, {len(missing)} missing, {len(mends)} things mended"
        )
        return 1 if missing or left or again else 0


if __name__ == "__main__":
    given = dict(enumerate(sys.argv[1:]))
    raise SystemExit(main(float(given.get(0, 60)), int(given.get(1, 4)), given.get(2, "")))
