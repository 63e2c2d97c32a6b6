"""The preview in a real browser: a saved note is on the open page, which stays where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

LONG = "# A\n\n[[b]]\n\n" + "\n\n".join(f"Paragraph {number}." for number in range(200)) + "\n"


@pytest.fixture
def served(project: Any) -> Iterator[tuple[Any, str]]:
    """A project and the address it is served at."""
    root = project({"notes/a.md": LONG, "notes/b.md": "# B\n"})
    command = [sys.executable, "-m", "memsite", "serve", "--output", "site", "--quiet"]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        yield root, address
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0


def test_a_save_is_seen_and_the_page_stays_where_it_was(browser: Browser, served: tuple[Any, str]) -> None:
    root, address = served
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    for _ in range(100):
        answer = page.goto(f"{address}notes/a.html")
        if answer is not None and answer.status == 200:
            break
        page.wait_for_timeout(200)
    faults.clear()
    page.evaluate("scrollTo(0, 1500)")
    page.wait_for_timeout(300)
    (root / "notes/a.md").write_text(LONG.replace("Paragraph 3.", "Paragraph three is new."))
    page.get_by_text("Paragraph three is new.").wait_for(timeout=30_000)
    page.wait_for_function("Math.abs(scrollY - 1500) < 5", timeout=10_000)
    (root / "memsite.toml").write_text("[nonsense]\n")
    page.get_by_role("alert").get_by_text("E015").wait_for(timeout=30_000)
    assert "Paragraph three is new." in page.content()
    assert not faults
    page.close()
