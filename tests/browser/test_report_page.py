"""The report as one file, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from memsite.check import BY_CODE, Budget
from memsite.note import Problem
from memsite.report import Health, report
from memsite.report.health import StoreCount

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_report_reads_on_a_phone_and_axe_finds_nothing(
    browser: Browser, tmp_path: Path, theme: str
) -> None:
    path = "a-folder/with-a-long-name/" * 4 + "note.md"
    found = [
        Problem(
            code, BY_CODE[code].name, BY_CODE[code].severity, path, 3, 2, "a message", "a hint", store="notes"
        )
        for code in ("W001", "W005", "W011")
    ]
    health = Health(
        problems=tuple(found),
        stores=(StoreCount("notes", "vault", "notes", 7),),
        budgets=(Budget(path, 240, 200, 9000, 25000),),
    )
    file = tmp_path / "report.html"
    file.write_bytes(report(health)["report.html"])
    context = browser.new_context(color_scheme=theme, bypass_csp=True, viewport={"width": 390, "height": 800})  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(file.as_uri())
    violations = Axe().run(page).response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert (
        page.evaluate(
            "Math.min(...Array.from(document.querySelectorAll('details[open] td'), (cell) => cell.offsetWidth))"
        )
        > 60
    )
    context.close()
    assert [(one["id"], one["nodes"][0]["target"]) for one in violations] == []
