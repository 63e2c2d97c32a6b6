"""Hostile text in every field, in Chromium: did any of it run, did anything leave the site?

    python -m tests.bench.hostile_pages [every n-th page]

Twice: as built, with the Content-Security-Policy off; and built without the sanitiser, with only the policy and
the containment of raw HTML left. Each page is opened, hovered, focused and clicked. Exits 1 when anything
ran or called out. Needs a minute or two for all pages.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile import Watched, hostile_memory, payloads, without_sanitiser
from oracle import page_faults

from memsite.build import build_site
from memsite.memory import open_memory


def main() -> int:
    from playwright.sync_api import sync_playwright

    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    bad = 0
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        root = Path(made)
        project = hostile_memory(root / "project", payloads())
        browser = playwright.chromium.launch(executable_path=own)
        for name, bare in (("sanitiser, no policy", False), ("policy, no sanitiser", True)):
            site = root / ("bare" if bare else "clean")
            with without_sanitiser() if bare else contextlib.nullcontext():
                build_site(open_memory(project), site, cached=False)
            pages = [path for path in sorted(site.rglob("*.html")) if path.parent.name != "static"]
            if not bare:
                wrong = sum(bool(page_faults(page.read_text(encoding="utf-8"))) for page in pages)
                print(f"html5lib: {len(pages)} pages, {wrong} with faults")
                bad += wrong
            start = time.perf_counter()
            faults = run(browser, site, pages[::step], policy=bare)
            print(
                f"{name}: {len(pages[::step])} pages, {len(faults)} faults, {time.perf_counter() - start:.0f} s"
            )
            print(*faults[:20], sep="\n")
            bad += len(faults)
        browser.close()
    return 1 if bad else 0


def run(browser: object, site: Path, pages: list[Path], *, policy: bool) -> list[str]:
    watched = Watched(browser, f"{site.as_uri()}/", policy=policy)  # type: ignore[arg-type]
    for page in pages:
        watched.visit(quote(page.relative_to(site).as_posix()))
    watched.close()
    return watched.faults


if __name__ == "__main__":
    sys.exit(main())
