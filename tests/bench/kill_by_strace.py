"""Kill a write at its n-th system call of each kind, with strace, on the real disk.

    python tests/bench/kill_by_strace.py [operation ...]

The tests cut writes off at the functions of `os`; here the kernel's own calls are counted, those of
the lock, of folders and of the C library too. Prints the number of points tried; exits 1 when a state
was neither old nor new, lost something, or was not mended by `repair`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from test_write_faults import OPERATIONS, assert_mended, assert_whole, copied, laid_out, opened, state

CALLS = (
    "fsync", "rename,renameat,renameat2", "link,linkat", "unlink,unlinkat,rmdir", "mkdir,mkdirat",
    "fchmod", "utimensat", "flock", "pwrite64", "write", "ftruncate",
)  # fmt: skip
PROGRAM = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from test_write_faults import OPERATIONS, opened
memory = opened(Path({root!r}))
list(memory.notes())
OPERATIONS[{name!r}](memory)
"""


def killed(name: str, root: Path, calls: str, at: int) -> bool:
    """Whether the operation was killed at call number `at` of this kind; False when it made fewer."""
    program = PROGRAM.format(path=sys.path, root=str(root), name=name)
    inject = f"inject={calls}:signal=KILL:when={at}"
    tracing = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", inject]
    command = [*tracing, sys.executable, "-B", "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, -9, 137):
        raise SystemExit(done.stderr)
    return done.returncode != 0


def main(names: list[str]) -> int:
    folder = Path(tempfile.mkdtemp())
    before = laid_out(folder / "before")
    tried = bad = 0
    try:
        for name in names or list(OPERATIONS):
            after = copied(before, folder / "after")
            OPERATIONS[name](opened(after))
            new = state(after)
            for calls in CALLS:
                at = 1
                while killed(name, copied(before, folder / "project"), calls, at):
                    tried, at = tried + 1, at + 1
                    try:
                        assert_whole(folder / "project", state(before), new)
                        assert_mended(folder / "project", OPERATIONS[name])
                    except AssertionError as error:
                        bad += 1
                        print(f"{name}, {calls} number {at - 1}: {error}", flush=True)
            print(f"{name}: {tried} points so far, {bad} bad", flush=True)
    finally:
        shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
