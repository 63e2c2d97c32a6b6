"""Diagrams in a real browser: drawn from a disk and over HTTP, hostile ones without effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import fromstring

import pytest

from memsite.build import build_site
from memsite.memory import open_memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SOURCES = {
    "plain": "flowchart LR\n A[Start] --> B{会议}\n B -->|yes| C[المد]",
    "named": "sequenceDiagram\n accTitle: A greeting\n accDescr: Ann greets Bob\n Ann->>Bob: Hello",
    "wide": "flowchart LR\n" + "\n".join(f" n{i}[a long name] --> n{i + 1}" for i in range(12)),
    "faulty": "no such diagram",
}
HOSTILE = {
    "click": 'flowchart LR\n A --> B\n click A href "javascript:alert(1)"\n click B call alert(2)',
    "label": 'flowchart LR\n A["<img src=https://evil.example/x onerror=alert(3)>"] --> B["<script>alert(4)</script>"]',
    "settings": "%%{init: {'securityLevel': 'loose', 'htmlLabels': true, 'theme': 'dark', 'themeCSS': '} * { background: url(https://evil.example/y) } @import \"https://evil.example/z\";'}}%%\n"
    'flowchart LR\n A["<iframe src=javascript:alert(5)></iframe>"] --> B',
    "style": "flowchart LR\n A --> B\n style A fill:url(https://evil.example/w)\n classDef x background:url(https://evil.example/v)\n class A x",
    "frame": "sequenceDiagram\n Ann->>Bob: <svg onload=alert(6)><iframe srcdoc='<script>parent.alert(7)</script>'>\n link Ann: x @ javascript:alert(8)",
    "long": "flowchart LR\n A[" + "x" * 60_000 + "]",
}


def note(sources: dict[str, str]) -> str:
    return "\n\n".join(f"## {name}\n\n```mermaid\n{text}\n```" for name, text in sources.items())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pictures")
    vault = root / "project" / "vault"
    vault.mkdir(parents=True)
    (root / "project" / "memsite.toml").write_text('[stores.vault]\nkind = "vault"\npath = "vault"\n')
    (vault / "d.md").write_text(note(SOURCES), encoding="utf-8")
    (vault / "hostile.md").write_text(note(HOSTILE), encoding="utf-8")
    (vault / "around.md").write_text("![[d#plain]]\n", encoding="utf-8")
    (vault / "without.md").write_text("[[d]]\n", encoding="utf-8")
    build_site(open_memory(root / "project"), root / "wiki")
    return root / "wiki"


@pytest.fixture(params=["file", "http"])
def base(request: pytest.FixtureRequest, site: Path, serving: Callable[[Path], str]) -> str:
    return f"{site.as_uri()}/" if request.param == "file" else f"{serving(site.parent)}wiki/"


def drawn(page: Page, amount: int) -> None:
    page.locator(".ms-diagram:not([hidden])").nth(amount - 1).wait_for(timeout=20_000)


def test_diagrams_are_drawn_named_and_redrawn_with_the_theme(browser: Browser, base: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="light")
    faults: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{base}vault/d.html")
    drawn(page, 3)
    assert page.locator(".ms-diagram img").evaluate_all(
        "all => all.slice(0, 3).every(i => i.naturalWidth > 60)"
    )
    assert page.get_by_role("img", name="A greeting: Ann greets Bob").is_visible()
    assert "cannot be drawn" in page.locator(".ms-body > .ms-quiet").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.locator(".ms-diagram-box").nth(2)
    assert wide.evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")
    before = page.locator(".ms-diagram img").first.get_attribute("src")
    page.keyboard.press("t")
    page.keyboard.press("t")
    page.locator(f".ms-diagram img:not([src='{before}'])").first.wait_for()
    page.locator(".ms-enlarge").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog.ms-enlarged img").is_visible()
    page.keyboard.press("Escape")
    page.locator("dialog.ms-enlarged").wait_for(state="detached")
    page.emulate_media(media="print")
    assert page.locator(".ms-diagram img").first.is_visible()
    assert faults == []
    page.close()


def test_an_embedded_diagram_is_drawn_and_other_pages_load_nothing(browser: Browser, base: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{base}vault/without.html")
    assert not [url for url in asked if "diagram" in url or "mermaid" in url]
    assert "frame-src" not in str(page.locator("meta[http-equiv]").get_attribute("content"))
    page.goto(f"{base}vault/around.html")
    drawn(page, 1)
    page.close()


def test_hostile_diagrams_do_nothing(browser: Browser, base: str) -> None:
    page = browser.new_page()
    faults: list[str] = []
    page.add_init_script(
        "handedBack = []; addEventListener('message', said => said.data.svg && handedBack.push(said.data.svg))"
    )
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: faults.append(request.url) if "evil" in request.url else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{base}vault/hostile.html")
    drawn(page, 4)
    page.locator(".ms-body > .ms-quiet").first.wait_for()
    for frame in page.frames:
        assert frame.locator("iframe, object, embed").count() == (1 if frame == page.main_frame else 0)
    drawings = page.evaluate("handedBack")
    assert drawings
    for markup in drawings:
        for element in fromstring(markup).iter():
            assert element.tag.rpartition("}")[2] not in ("script", "iframe", "img", "image", "object")
            assert not [name for name in element.attrib if name.startswith("on")]
            assert not [link for link in element.attrib.values() if link.startswith("javascript")]
    assert faults == []
    page.close()


def test_without_scripts_the_source_stands(browser: Browser, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}vault/d.html")
    assert page.locator("pre.mermaid").first.inner_text().startswith("flowchart LR")
    context.close()
