"""How long a saved note takes to be seen: python -m tests.bench.live_preview [--notes 10000] [--saves 20].

`memsite serve` on a generated memory, a page of it open in Chromium: from the moment a note is saved to
the moment its page shows the new words, and from there to the build that brings all other pages up to date.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.__main__ import a_note, corpus

BETWEEN_SECONDS = 0.7
PATIENCE_MS = 120_000
_SEEN = "words => { if (document.body?.innerText.includes(words)) return Date.now(); }"


def saved(page: Page, note: Path, words: str) -> float:
    """Milliseconds from saving `words` to seeing them."""
    start = time.time()
    with note.open("a", encoding="utf-8") as file:
        file.write(f"\n{words}\n")
    seen = page.wait_for_function(_SEEN, arg=words, polling=5, timeout=PATIENCE_MS)
    return float(seen.json_value()) - start * 1000


def watch(page: Page, url: str, note: Path, saves: int) -> None:
    """Open the page when the site is there, save the note again and again, and say what it took."""
    while (answer := page.goto(url)) and answer.status != 200:
        time.sleep(1)
    begun = f"{time.time():.0f}"
    print(f"first save: {saved(page, note, f'the first words of {begun}'):,.0f} ms")
    times = []
    for number in range(saves):
        time.sleep(BETWEEN_SECONDS)
        times.append(saved(page, note, f"words {number} of {begun}"))
    print(f"{saves} saves: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--saves", type=int, default=20)
    options.add_argument("--keep", type=Path, help="folder for the corpora, kept for the next run")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="memsite-bench-") as temporary, sync_playwright() as playwright:
        folder = chosen.keep or Path(temporary)
        project = corpus(folder, chosen.notes)
        note = a_note(project)
        command = [sys.executable, "-m", "memsite", "serve", "--output", folder / "served"]
        with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                address = next(line for line in process.stdout if "http" in line).split()[-1]
                page = playwright.chromium.launch(executable_path=shutil.which("chromium")).new_page()
                watch(page, f"{address}workflow/{note.stem.lower()}.html", note, chosen.saves)
            finally:
                process.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
