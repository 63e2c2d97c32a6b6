"""The graph page in a real browser, from file://: search, filter, hover, panel, open, path, URL, keyboard, download."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from memsite.build import build_site
from memsite.memory import open_memory
from memsite.pages import graph_document, graph_views, plan

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=alert(1)>"
NOTES = {
    "tides.md": "---\ntags: [sea]\ndate: 2026-03-01\n---\n# Tides\nHow water comes and goes. [[moon]] [[gravity]] [[Harbour]]\n",
    "harbour.md": "---\ntags: [sea, stone]\ndate: 2026-03-05\n---\n# Harbour\n[[Tides]] [[moon]] [[quay]] [[Lighthouse]]\n",
    "lighthouse.md": "---\ntags: [stone]\n---\n# Lighthouse\n[[Harbour]] [[lamp]] [[Parser]]\n",
    "parser.md": "---\ntags: [code]\ndate: 2026-01-05\n---\n# Parser\n[[lexer]] [[token]] [[Renderer]] [[grammar]]\n",
    "renderer.md": "---\ntags: [code]\n---\n# Renderer\n[[Parser]] [[token]] [[template]] [[lexer]]\n",
    "alone.md": "# Alone\nNothing links here.\n",
    "bad.md": f'---\ntitle: "{HOSTILE}"\ntags: ["{HOSTILE}"]\n---\n{HOSTILE} [[Tides]] [[x"><img src=x onerror=alert(2)>]]\n',
}
Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; `one.html` in it is the graph as one file."""
    root = tmp_path_factory.mktemp("graph")
    (root / "notes").mkdir()
    (root / "memsite.toml").write_text('[stores.notes]\nkind = "vault"\npath = "notes"\n', encoding="utf-8")
    for name, text in NOTES.items():
        (root / "notes" / name).write_text(text, encoding="utf-8")
    memory = open_memory(root)
    build_site(memory, root / "site")
    planned = plan(memory.graph(), (), memory.config)
    (root / "one.html").write_bytes(graph_document(planned, graph_views(planned)))
    return root / "site"


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Open]:
    """Opens a page of the site. Afterwards: no error, no dialog, nothing asked of another place."""
    faults: list[str] = []
    contexts = []

    def visit(url: str = "graph.html", **options: Any) -> Page:
        wanted = {"viewport": {"width": 1200, "height": 800}, "reduced_motion": "reduce", **options}
        context = browser.new_context(**wanted)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on(
            "console",
            lambda message: faults.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                faults.append(request.url)
                if not request.url.startswith(("file:", "blob:", "data:"))
                else None
            ),
        )
        page.goto(f"{site.as_uri()}/{url}")
        if "graph" in url.split("#")[0] or "one" in url:
            wait(
                lambda: (
                    wanted.get("java_script_enabled") is False
                    or page.locator("#ms-graph[data-ready]").count()
                )
            )
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not faults


def wait(until: Callable[[], Any]) -> Any:
    """Polls: `wait_for_function` needs eval, which the pages' policy forbids."""
    end = time.monotonic() + 15
    while not (found := until()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


def search(page: Page, words: str) -> None:
    page.fill("#ms-graph-search", words)
    page.locator("#ms-graph-results li").first.wait_for()
    page.press("#ms-graph-search", "Enter")


def chosen(page: Page) -> str:
    return str(page.inner_text("#ms-graph-panel h2"))


def choose(page: Page, words: str, title: str) -> None:
    search(page, words)
    wait(lambda: page.locator("#ms-graph-panel h2").count() and chosen(page) == title)


def a_node(page: Page) -> tuple[float, float]:
    """Some place of the screen where a node is, with the pointer on it."""
    place = page.evaluate(
        """async () => {
          const stage = document.getElementById("ms-graph-stage");
          const box = stage.getBoundingClientRect();
          for (let step = 0; step < 3000; step++) {
            const clientX = box.left + box.width * (0.32 + 0.4 * (step * 0.618 % 1));
            const clientY = box.top + box.height * (0.1 + 0.8 * (step * 0.382 % 1));
            stage.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", clientX, clientY }));
            await new Promise(requestAnimationFrame);
            if (stage.classList.contains("mg-over")) return [clientX, clientY];
          }
        }"""
    )
    page.mouse.move(*place)
    return tuple(place)


def test_search_flies_to_a_node_and_opens_its_panel(opened: Open) -> None:
    page = opened()
    before = page.screenshot()
    page.fill("#ms-graph-search", "harb")
    page.locator("#ms-graph-results li").first.wait_for()
    assert page.get_attribute("#ms-graph-search", "aria-expanded") == "true"
    page.press("#ms-graph-search", "Enter")
    wait(lambda: page.locator("#ms-graph-panel h2").count())
    assert chosen(page) == "Harbour"
    assert "node=memory" in page.url
    assert page.inner_text("#ms-graph-live").startswith("Harbour, note, ")
    assert page.locator("#ms-graph-panel .mg-open").get_attribute("href") == "notes/harbour.html"
    assert page.screenshot() != before


def test_hover_lights_and_fades(opened: Open) -> None:
    page = opened()
    dark = page.locator("#ms-graph-stage").screenshot()
    a_node(page)
    lit = page.locator("#ms-graph-stage").screenshot()
    page.mouse.move(5, 5)
    wait(lambda: not page.locator(".mg-over").count())
    assert lit != dark


def test_a_click_chooses_and_a_double_click_opens(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    x, y = a_node(page)
    page.mouse.click(x, y)
    page.locator("#ms-graph-panel h2").wait_for()
    href = page.get_attribute("#ms-graph-panel .mg-open", "href")
    page.locator(".mg-close").click()
    wait(lambda: not page.locator("#ms-graph-panel h2").count())
    x, y = a_node(page)
    page.mouse.dblclick(x, y)
    page.wait_for_url(f"**/{href}")


def test_the_legend_filters_and_the_state_is_in_the_url(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    all_nodes = page.inner_text("#ms-graph-count")
    group = page.locator("#ms-graph-legend button").first
    group.click()
    wait(lambda: page.inner_text("#ms-graph-count") != all_nodes)
    some = page.inner_text("#ms-graph-count")
    assert page.locator("#ms-graph-legend button").first.get_attribute("aria-pressed") == "false"
    again = opened(f"graph.html#{page.url.split('#')[1]}")
    assert again.inner_text("#ms-graph-count") == some
    page.click("#ms-graph-reset")
    wait(lambda: page.inner_text("#ms-graph-count") == all_nodes)


def test_filters_by_tag_date_and_orphans(opened: Open) -> None:
    page = opened("graph.html#view=notes&tag=code")
    assert " 6 of 16," in page.inner_text("#ms-graph-count")
    page = opened("graph.html#view=notes&since=2026-02-01&until=2026-03-04")
    assert " 2 of 16," in page.inner_text("#ms-graph-count")
    page = opened("graph.html#view=notes")
    page.click(".mg-more-filters summary")
    page.uncheck("#ms-graph-orphans")
    wait(lambda: " 15 of 16," in page.inner_text("#ms-graph-count"))


def test_colours_by_store_type_and_age(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    seen = set()
    for facet in ("community", "store", "type", "age"):
        page.select_option("#ms-graph-colour", facet)
        seen.add(
            wait(
                lambda: (
                    page.locator("#ms-graph-legend").inner_text() not in seen
                    and page.locator("#ms-graph-legend").inner_text()
                )
            )
        )
    assert len(seen) == 4
    assert "colour=age" in page.url


def test_expand_shows_what_lies_around(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    choose(page, "lamp", "lamp")
    page.click("#ms-graph-panel .mg-depths button:has-text('1')")
    wait(lambda: " 2 of 16," in page.inner_text("#ms-graph-count"))
    page.click("#ms-graph-panel .mg-depths button:has-text('2')")
    wait(lambda: " 4 of 16," in page.inner_text("#ms-graph-count"))
    page.click("#ms-graph-panel .mg-depths button:has-text('All')")
    wait(
        lambda: (
            " 16," in page.inner_text("#ms-graph-count") and "of" not in page.inner_text("#ms-graph-count")
        )
    )


def test_the_shortest_path_between_two_nodes(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    choose(page, "moon", "moon")
    page.click("text=Path to…")
    search(page, "template")
    page.locator(".mg-path").wait_for()
    steps = page.locator(".mg-path li").all_inner_texts()
    assert [step.split("\n")[-1] for step in steps] == [
        "moon",
        "Harbour",
        "Lighthouse",
        "Parser",
        "Renderer",
        "template",
    ]
    assert page.inner_text("#ms-graph-live").startswith("Path, 5 steps: moon, Harbour")
    again = opened(f"graph.html#{page.url.split('#')[1]}")
    assert again.locator(".mg-path li").count() == 6


def test_the_keyboard_walks_opens_and_leaves(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    page.focus("#ms-graph-stage")
    page.keyboard.press("ArrowRight")
    first = wait(lambda: page.locator("#ms-graph-panel h2").count() and chosen(page))
    neighbours = set(page.locator("#ms-graph-panel section li").all_inner_texts())
    walked = ""
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        said = page.inner_text("#ms-graph-live")
        page.keyboard.press(key)
        wait(lambda before=said: page.inner_text("#ms-graph-live") != before)
        if chosen(page) != first:
            walked = chosen(page)
            break
    assert walked in {name.split("\n")[0] for name in neighbours}
    page.keyboard.press("Escape")
    wait(lambda: not page.locator("#ms-graph-panel h2").count())
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "ms-graph-search"
    choose(page, "tides", "Tides")
    page.focus("#ms-graph-stage")
    page.keyboard.press("Enter")
    page.wait_for_url("**/notes/tides.html")


def downloaded(page: Page, kind: str) -> bytes:
    with page.expect_download() as waiting:
        page.click(f"[data-mg-download={kind}]")
    assert waiting.value.suggested_filename.startswith("notes-graph.")
    return Path(waiting.value.path()).read_bytes()


def test_downloads_hold_the_graph_and_nothing_that_runs(opened: Open) -> None:
    page = opened("graph.html#view=notes")
    page.click(".mg-downloads summary")
    assert downloaded(page, "png").startswith(b"\x89PNG")
    picture = ElementTree.fromstring(downloaded(page, "svg"))
    assert len(picture.findall("{*}circle")) == 16
    assert HOSTILE in {title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")}
    assert not {element.tag.split("}")[1] for element in picture.iter()} & {
        "script",
        "img",
        "image",
        "foreignObject",
    }
    xml = ElementTree.fromstring(downloaded(page, "graphml"))
    assert len(list(xml.iter("{http://graphml.graphdrawing.org/xmlns}node"))) == 16
    values = json.loads(downloaded(page, "json"))
    assert HOSTILE in {node["label"] for node in values["nodes"]}
    assert {"source", "target", "weight", "both"} == set(values["edges"][0])
    mermaid = downloaded(page, "mermaid").decode()
    assert mermaid.startswith("flowchart LR\n")
    assert "<" not in mermaid.replace("<-->", "")


def test_a_hostile_title_is_text_everywhere(opened: Open) -> None:
    page = opened("graph.html#view=notes&tag=" + "%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    choose(page, "onerror=alert(1)", HOSTILE)
    assert page.locator("#ms-graph img, #ms-main table img").count() == 0
    assert HOSTILE in page.locator("#ms-graph-notes-table ~ div table").inner_text()


def test_going_to_the_table_keeps_the_state(opened: Open) -> None:
    page = opened("graph.html#view=notes&tag=code")
    shown = page.inner_text("#ms-graph-count")
    page.click("#ms-graph-to-table")
    assert page.evaluate("document.activeElement.id") == "ms-graph-table"
    page.evaluate("location.hash = '#ms-main'")
    page.click("#ms-graph-in")
    wait(lambda: "tag=code" in page.evaluate("location.hash"))
    assert page.inner_text("#ms-graph-count") == shown


def test_the_table_is_there_without_scripts(opened: Open) -> None:
    page = opened(java_script_enabled=False)
    assert page.locator("noscript .mg-empty").is_visible() or page.locator(".mg-empty").first.is_visible()
    assert page.locator("#ms-graph-notes-table ~ div tbody tr").count() == 16


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 390)])
def test_axe_finds_nothing(opened: Open, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(
        "graph.html#view=notes",
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
        bypass_csp=True,
    )
    choose(page, "harbour", "Harbour")
    found = Axe().run(page, options={"preload": False})
    assert found.violations_count == 0, found.generate_report()


def test_the_local_graph_of_a_note(opened: Open) -> None:
    page = opened("notes/parser.html")
    page.locator(".ms-local-graph").scroll_into_view_if_needed()
    page.locator(".ms-local-graph svg").wait_for()
    near = page.locator(".ms-local-graph a.mg-node")
    assert near.count() == 5
    page.click(".mg-local-bar button:has-text('2')")
    wait(lambda: near.count() > 5)
    page.click(".mg-local-bar a")
    wait(lambda: page.locator("#ms-graph-panel h2").count())
    assert chosen(page) == "Parser"


def test_the_keyboard_walks_through_the_local_graph(opened: Open) -> None:
    page = opened("notes/parser.html")
    page.locator(".ms-local-graph").scroll_into_view_if_needed()
    near = page.locator(".ms-local-graph a.mg-node")
    near.first.focus()
    walked = [page.evaluate("document.activeElement.querySelector('title').textContent")]
    for _ in range(near.count() - 1):
        page.keyboard.press("Tab")
        walked.append(page.evaluate("document.activeElement.querySelector('title').textContent"))
        assert page.locator(".ms-local-graph .mg-lit:is(a, g)").count() == 1
        assert page.evaluate("document.activeElement.matches('.mg-lit')")
    assert len(set(walked)) == near.count()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.mg-local-bar') !== null")


def test_the_graph_as_one_file(opened: Open) -> None:
    page = opened("../one.html#view=notes")
    choose(page, "harbour", "Harbour")
    assert page.locator("#ms-graph-panel .mg-open").count() == 0
    assert page.locator("#ms-graph-panel section li").count() > 3
