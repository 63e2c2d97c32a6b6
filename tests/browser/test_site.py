"""The example site in a real browser, from a disk and over HTTP below a sub-path."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe

from memsite.build import build_site
from memsite.memory import open_memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTE = "handbook/tides/harmonic-prediction.html"
PAGES = [
    "index.html", NOTE, "handbook/history/المد-والجزر.html", "handbook/tides/潮汐表.html", "concept/m2.html",
    "concept/index.html", "tag/index.html", "tag/tide.html", "store/handbook/index.html", "store/handbook/tides/index.html",
    "timeline.html", "notes.html", "health.html", "search.html", "404.html",
]  # fmt: skip
KINDS = {
    "home", "note", "concept", "ambiguous", "store", "folder", "tag", "type", "concepts", "tags", "types", "notes", "timeline",
    "health", "rule", "search", "graph", "missing",
}  # fmt: skip
LONG = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"
ABORTED = "net::ERR_ABORTED"
"""What was still on its way when the page was left."""
Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example site, at `team/wiki/` below a folder that can be served."""
    root = tmp_path_factory.mktemp("site")
    project = root / "project"
    shutil.copytree(EXAMPLES, project)
    hostile = (
        f"---\ntitle: '{HOSTILE.replace(chr(39), chr(39) * 2)}'\ntags: [img]\n---\n{HOSTILE} [[{HOSTILE}]]\n"
    )
    (project / "vault" / "hostile.md").write_text(hostile, encoding="utf-8")
    long = f"---\ntitle: {LONG}\ntags: [{LONG}]\nkey: {LONG}\n---\n## {LONG}\n\n[[{LONG}x]] `{LONG}` [[twin]] [[gone.md]]\n\n"
    long += f"| {LONG} | b |\n|---|---|\n| `{LONG}` | {LONG} |\n\n- {LONG}\n\n> [!note] {LONG}\n> {LONG}\n"
    (project / "vault" / "long.md").write_text(long, encoding="utf-8")
    for folder in ("code", "tides"):
        (project / "vault" / folder / "twin.md").write_text(f"A twin of {folder}. [[long]]", encoding="utf-8")
    build_site(open_memory(project), root / "team" / "wiki")
    return root / "team" / "wiki"


@pytest.fixture(scope="module")
def host(site: Path, serving: Callable[[Path], str]) -> str:
    """The site over HTTP: a URL that ends in `/team/wiki/`."""
    return f"{serving(site.parents[1])}team/wiki/"


@pytest.fixture(params=["file", "http"])
def opened(browser: Browser, site: Path, host: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens pages both ways. Afterwards: no error, no dialog, no request that failed or left the site."""
    base = f"{site.as_uri()}/" if request.param == "file" else host
    faults: list[str] = []
    contexts = []

    def visit(url: str, **options: Any) -> Page:
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(f"dialog {dialog.message}"))
        page.on(
            "requestfailed",
            lambda asked: faults.append(f"{asked.failure} {asked.url}") if asked.failure != ABORTED else None,
        )
        # A drawn diagram is an image out of the page's own memory: a `blob:`.
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith((base, "blob:")) else faults.append(f"left {asked.url}")
            ),
        )
        page.goto(base + url)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []


def one_of_each_kind(site: Path) -> dict[str, str]:
    """The URL of a page of every kind."""
    found: dict[str, str] = {}
    for path in sorted(site.rglob("*.html")):
        kind = re.search(r'data-kind="([\w-]+)"', path.read_text(encoding="utf-8"))
        if kind:
            found.setdefault(kind[1], quote(path.relative_to(site).as_posix()))
    return found


def results(page: Page, query: str, field: str = ".ms-palette input") -> list[str]:
    """Titles that a search finds."""
    page.locator(field).fill(query)
    page.wait_for_timeout(260)
    page.locator(".ms-said").filter(has_text="found").first.wait_for()
    return page.locator(".ms-results a").all_inner_texts()


def test_every_kind_of_page_opens_and_fits_a_narrow_screen(opened: Open, site: Path) -> None:
    page = opened("index.html", viewport={"width": 320, "height": 640})
    base = page.url.removesuffix("index.html")
    kinds = one_of_each_kind(site)
    assert kinds.keys() >= KINDS
    for url in {*PAGES, *kinds.values(), "handbook/long.html"}:
        page.goto(base + url)
        assert page.locator("h1").first.inner_text().strip()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, url


def test_search_from_any_page(opened: Open) -> None:
    page = opened(NOTE)
    page.keyboard.press("/")
    page.locator(".ms-palette input").wait_for()
    assert results(page, "harmonic predic")[0] == "Harmonic prediction"
    assert results(page, "harmnic")[0] == "Harmonic prediction"
    assert "潮汐表" in results(page, "潮汐")
    assert "潮汐表" in results(page, "汐")
    assert HOSTILE in results(page, "img")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hostile*")


def test_the_search_page_keeps_its_query_and_filters(opened: Open) -> None:
    page = opened("search.html?q=board")
    page.locator(".ms-results a").first.wait_for()
    everywhere = page.locator(".ms-said").inner_text()
    page.get_by_label("Store").select_option("system")
    page.wait_for_timeout(300)
    about = page.locator(".ms-result-about span:first-child").all_inner_texts()
    assert set(about) == {"system"}
    assert page.locator(".ms-said").inner_text() != everywhere


@pytest.mark.parametrize("query", ["C++", "(v1", "[", "a\\b", '"quoted"', "*", "100%", "zzzzzz", "  "])
def test_a_query_is_text_and_no_pattern(browser: Browser, site: Path, query: str) -> None:
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{site.as_uri()}/search.html")
    page.locator(".ms-field").fill(query)
    page.wait_for_timeout(350)
    assert page.locator(".ms-said").inner_text()
    assert faults == []
    page.close()


def test_the_theme_is_remembered(opened: Open) -> None:
    page = opened("index.html", color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.locator(".ms-theme").click()
    page.locator(".ms-theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("link", name="Notes", exact=True).first.click()
    page.wait_for_url("**/notes.html")
    assert page.evaluate(colour) != before


def test_previews_by_mouse_and_by_keyboard(opened: Open) -> None:
    page = opened(NOTE)
    link = page.locator(".ms-body a.ms-note").first
    link.hover()
    page.locator(".ms-preview").wait_for()
    assert "Chart datum" in page.locator(".ms-preview h2").inner_text()
    assert len(page.locator(".ms-preview p").first.inner_text()) > 40
    page.keyboard.press("Escape")
    assert page.locator(".ms-preview").count() == 0
    page.mouse.move(0, 0)
    page.locator(".ms-crumbs a").last.focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate(
            "document.activeElement.classList.contains('ms-note') && !!document.activeElement.closest('.ms-body')"
        ):
            break
    page.locator(".ms-preview").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "ms-preview"


def test_keys_lead_around_and_help_lists_them(opened: Open) -> None:
    page = opened(NOTE)
    page.keyboard.press("?")
    assert page.locator("dialog.ms-help kbd").count() >= 8
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_url("**/notes.html")
    page.keyboard.press("Control+k")
    page.locator(".ms-palette input").wait_for()


def test_without_scripts_everything_is_there_to_read(browser: Browser, site: Path) -> None:
    """What needs a script says so and leads to what does not."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/{NOTE}")
    assert page.locator(".ms-contents a").count() >= 3
    assert page.locator(".ms-mentions a").count() >= 10
    assert page.locator("details.callout").count() >= 1
    assert not page.locator(".ms-copy, .ms-theme").count()
    page.locator(".ms-search-open").click()
    page.wait_for_url("**/search.html")
    assert page.locator("noscript a").count() == 4
    page.goto(f"{site.as_uri()}/graph.html")
    page.locator("noscript p").wait_for()
    assert page.locator(".mg-tables tbody tr").count() > 40
    context.close()


def test_print_shows_the_text_and_no_controls(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"{site.as_uri()}/{NOTE}")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".ms-body").is_visible()
    for hidden in (".ms-header", ".ms-nav", ".ms-copy", ".ms-edit", ".ms-local", ".ms-footer"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.close()


def test_no_preview_opens_by_touch(browser: Browser, site: Path) -> None:
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{site.as_uri()}/{NOTE}")
    page.locator(".ms-body a.ms-note").first.tap()
    page.wait_for_url("**/datum.html")
    assert page.locator(".ms-preview").count() == 0
    context.close()


def test_contents_follow_the_reader(opened: Open) -> None:
    page = opened(NOTE, viewport={"width": 1440, "height": 700})
    page.evaluate("document.getElementById('shallow-water').scrollIntoView()")
    page.locator(".ms-contents a[aria-current='location']").filter(has_text="Shallow water").wait_for()


def test_tables_sort_and_filter(opened: Open) -> None:
    page = opened("notes.html")

    def words() -> list[int]:
        cells = page.locator("tbody tr td:nth-last-child(2)").all_inner_texts()
        return [int(cell.replace(",", "")) for cell in cells]

    page.get_by_role("button", name="Words").click()
    assert words() == sorted(words())
    page.get_by_role("button", name="Words").click()
    assert words() == sorted(words(), reverse=True)
    page.get_by_label("Filter this list").fill("gauge")
    shown = page.locator("tbody tr:visible").all_inner_texts()
    assert shown
    assert all("gauge" in row.lower() for row in shown)


def test_copy_buttons_copy_what_stands_beside_them(opened: Open) -> None:
    page = opened(NOTE, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy: Checksum").click()
    page.locator(".ms-status.ms-shown").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator(".ms-hash").inner_text()


def test_the_drawer_on_a_phone_works_without_scripts(browser: Browser, site: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/{NOTE}")
    assert not page.locator(".ms-nav").is_visible()
    page.locator(".ms-menu").click()
    page.wait_for_timeout(300)
    page.locator(".ms-nav").get_by_role("link", name="Notes", exact=True).click()
    page.wait_for_url("**/notes.html")
    assert page.locator("tbody tr").count() > 30
    page.goto(f"{site.as_uri()}/search.html")
    assert page.locator("noscript").inner_text()
    context.close()


@pytest.mark.parametrize("url", [NOTE, "graph.html"])
def test_the_drawer_opens_by_keyboard_on_every_kind_of_page(opened: Open, url: str) -> None:
    page = opened(url, viewport={"width": 390, "height": 800})
    page.locator("#ms-drawer").focus()
    page.keyboard.press("Space")
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.closest('.ms-nav') !== null")
    page.keyboard.press("Escape")
    page.locator(".ms-nav").wait_for(state="hidden")


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing(browser: Browser, site: Path, theme: str, width: int) -> None:
    context = browser.new_context(
        color_scheme=theme, bypass_csp=True, reduced_motion="reduce", viewport={"width": width, "height": 800}
    )  # type: ignore[arg-type]
    page = context.new_page()
    axe = Axe()
    found = {}
    for url in (*PAGES, "handbook/long.html"):
        page.goto(f"{site.as_uri()}/{url}")
        violations = axe.run(page).response["violations"]
        if violations:
            found[url] = [(one["id"], one["nodes"][0]["target"]) for one in violations]
    context.close()
    assert found == {}


def test_the_policy_blocks_nothing_and_nothing_hostile_runs(opened: Open) -> None:
    page = opened("handbook/hostile.html")
    assert page.locator("h1").inner_text() == HOSTILE
    for url in ("notes.html", "search.html?q=img", "tag/img.html", "concept/index.html"):
        page.goto(
            page.url.partition("handbook/")[0] + url
            if "handbook/" in page.url
            else page.url.rpartition("/wiki/")[0] + "/wiki/" + url
        )
        page.wait_for_timeout(150)
    assert page.locator("img[src='x']").count() == 0
