"""No hostile text runs or calls out: the sanitiser alone holds, and so does the policy alone."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile import Watched, hostile_memory, payloads, without_sanitiser

from memsite.build import build_site
from memsite.memory import open_memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

LISTS = [
    "index",
    "notes",
    "timeline",
    "tag/index",
    "concept/index",
    "type/index",
    "health",
    "search",
    "404",
    "graph",
]
CHOSEN = dict(list(payloads().items())[::6])
"""All payloads on all pages are the business of `python -m tests.bench.hostile_pages`."""


@pytest.mark.parametrize("defence", ["sanitiser", "policy"])
def test_one_defence_alone_holds(browser: Browser, tmp_path: Path, defence: str) -> None:
    project = hostile_memory(tmp_path / "project", CHOSEN)
    with without_sanitiser() if defence == "policy" else contextlib.nullcontext():
        build_site(open_memory(project), tmp_path / "site", cached=False)
    watched = Watched(browser, f"{(tmp_path / 'site').as_uri()}/", policy=defence == "policy")
    for name in CHOSEN:
        watched.visit(f"vault/fields/{name.lower()}.html")
        watched.visit(f"vault/bodies/{name.lower()}.html")
    for name in LISTS:
        watched.visit(f"{name}.html")
    for query in ("%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "alert", "onerror"):
        watched.visit(f"search.html?q={query}")
        watched.page.locator(".ms-said").filter(has_not_text="Type to").wait_for()
    watched.close()
    assert watched.faults == []


def test_the_watch_sees_what_runs_and_what_leaves(browser: Browser, tmp_path: Path) -> None:
    project = hostile_memory(tmp_path / "project", {name: payloads()[name] for name in ("B31", "B34", "L01")})
    with without_sanitiser():
        build_site(open_memory(project), tmp_path / "site", cached=False)
    watched = Watched(browser, f"{(tmp_path / 'site').as_uri()}/", policy=False)
    for name in ("b31", "b34"):
        watched.visit(f"vault/bodies/{name}.html")
    watched.close()
    assert any("ran 1031" in fault for fault in watched.faults)
    assert any("called https://evil.example" in fault for fault in watched.faults)
