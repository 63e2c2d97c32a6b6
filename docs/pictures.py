"""Takes the pictures of the README: python docs/pictures.py (needs Chromium; see `make test`)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from memsite import build_site, open_memory

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 1280, 800
PICTURES = {"site.jpg": "handbook/harbour/gauge.html", "graph.jpg": "graph.html"}
DRAWN_MS = 1500


def main() -> None:
    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build_site(open_memory(HERE.parent / "examples"), folder)
        browser = playwright.chromium.launch(executable_path=own)
        for name, url in PICTURES.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            page.goto((Path(folder) / url).as_uri())
            page.wait_for_timeout(DRAWN_MS)
            page.screenshot(path=HERE / "images" / name, type="jpeg", quality=82)
        browser.close()


if __name__ == "__main__":
    main()
