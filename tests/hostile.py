"""A memory with hostile text in every field, and what a browser does with the pages that come of it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memsite.markdown import parse, render

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

_FILE = Path(__file__).parent / "payloads" / "html.tsv"
_ESCAPE = re.compile(r"\\(n|t|\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_NO_FILE_NAME = re.compile(r"[/\x00-\x1f]|^\.+")
_PROBE = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll("dialog:not([open])")) one.remove();
  for (const one of document.querySelectorAll(".ms-body *, .ms-title *, .ms-aside *, .ms-after *, .ms-nav *")) {
    for (const kind of ["pointerenter", "pointerover", "mouseover", "mouseenter", "focus", "toggle", "load", "error", "animationstart", "submit"]) one.dispatchEvent(new Event(kind));
    const href = one.getAttribute && (one.getAttribute("href") || one.getAttribute("xlink:href"));
    if (href && !/^(https?|file):/.test(new URL(href, document.baseURI).protocol)) one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    if (one.localName === "button" || one.localName === "summary") one.click();
  }
}"""


def payloads() -> dict[str, str]:
    """Hostile Markdown by id."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if line and not line.startswith("#"))
    return {name: _ESCAPE.sub(_unescaped, text) for name, text in pairs}


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    plain = {"n": "\n", "t": "\t", "\\": "\\"}
    return plain.get(sign) or chr(int(sign[1:], 16))


def note_of(payload: str) -> str:
    """A note with the payload in each field of it and in each kind of Markdown."""
    line = " ".join(payload.split())
    quoted = json.dumps(line)
    label = line.replace("]", "").replace("|", "")
    front = "".join(
        f"{key}: {quoted}\n"
        for key in ("title", "type", "description", "status", "supersededBy", "custom", "date")
    )
    return (
        f"---\n{front}tags: [{quoted}]\naliases: [{quoted}]\nlist: [{quoted}, x]\n{quoted}: x\n---\n"
        f"# {line}\n\n## {line}\n\n[[b|{label}]] [[{label}]] [[b#{label}]] ![[{label}]] ![[b|{label}]]\n\n"
        f'[x](b.md "{line}") ![{label}](p.png "{line}") [{label}](b.md) [y](<{line}>) #{line}\n\n`{line}` ==**{line}**==\n\n'
        f"> [!note] {line}\n> {line}\n\n- [ ] {line}\n- {line} ^{label}\n\n| {label} | x |\n|---|---|\n| {label} | y |\n\n"
        f"text[^1]\n\n[^1]: {line}\n\n```{line}\n{payload}\n```\n\nrel:: [[{label}]]\n\n%%{line}%%\n\n{payload}\n"
    )


def hostile_memory(root: Path, chosen: Mapping[str, str]) -> Path:
    """Writes a project with every payload in every field: two notes, a file name, a folder and an index row each."""
    vault = root / "vault"
    memory = root / ".workflow" / "memory"
    for folder in (vault / "bodies", vault / "fields", memory):
        folder.mkdir(parents=True)
    (root / "memsite.toml").write_text(
        '[stores.vault]\nkind = "vault"\npath = "vault"\n\n[stores.workflow]\nkind = "workflow"\npath = ".workflow/memory"\n\n'
        "[site]\ntitle = '\"><img src=x onerror=alert(9301)>'\nfooter = '</footer><script>alert(9302)</script>'\n",
        encoding="utf-8",
    )
    (vault / "b.md").write_text("# B\n\n## x\n\ntext\n", encoding="utf-8")
    rows = []
    for name, payload in chosen.items():
        (vault / "bodies" / f"{name}.md").write_text(
            f"{payload}\n\n[[{name}]] end\n", encoding="utf-8", errors="surrogatepass"
        )
        (vault / "fields" / f"{name}.md").write_text(
            note_of(payload), encoding="utf-8", errors="surrogatepass"
        )
        line = " ".join(payload.split())
        file_name = _NO_FILE_NAME.sub("_", line).encode()[:120].decode("utf-8", "ignore").strip(" ~") or "x"
        (vault / f"{name} {file_name}").mkdir()
        (vault / f"{name} {file_name}" / f"{file_name}.md").write_text(
            f"[[{name}]] [[bodies/{name}]]\n", encoding="utf-8"
        )
        (memory / f"{name}.md").write_text("x [[b]]\n", encoding="utf-8")
        rows.append(
            {"id": f"{name} {line}", "title": line, "type": line, "tags": [line], "date": line, "description": line,
             "source": line, "file": f"{name}.md", line: line}
        )  # fmt: skip
    (memory / "memory-index.json").write_text(json.dumps(rows), encoding="utf-8")
    return root


class _Nothing:
    """A sanitiser that is none."""

    @staticmethod
    def clean(html: str) -> str:
        return html


@contextmanager
def without_sanitiser() -> Iterator[None]:
    """Raw HTML of notes reaches the page as it was written."""
    kept = render._cleaner, render._math_cleaner
    render._cleaner = render._math_cleaner = _Nothing()  # type: ignore[assignment]
    _forget()
    try:
        yield
    finally:
        render._cleaner, render._math_cleaner = kept
        _forget()


def _forget() -> None:
    parse.cache_clear()
    render._mathml.cache_clear()


class Watched:
    """A browser tab on a site: what ran, and what left the site. `policy` says whether the CSP holds."""

    def __init__(self, browser: Browser, base: str, *, policy: bool) -> None:
        self.base = base
        self.faults: list[str] = []
        self.context: BrowserContext = browser.new_context(bypass_csp=not policy, reduced_motion="reduce")
        self.context.route(re.compile("^https?:"), self._route)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.context.add_init_script("alert = confirm = prompt = (said) => console.info(`ran ${said}`)")
        self.page.on("console", lambda said: self._note(said.text) if said.text.startswith("ran ") else None)
        self.context.on(
            "page", lambda opened: self._note(f"opened {opened.url}") if opened != self.page else None
        )
        self.url = ""

    def _note(self, fault: str) -> None:
        self.faults.append(f"{self.url}: {fault}")

    def _route(self, route: Route) -> None:
        """What is stopped by the policy never comes here: only what really leaves."""
        if route.request.url.startswith(self.base):
            route.continue_()
        else:
            self._note(f"called {route.request.url}")
            route.abort()

    def visit(self, url: str) -> None:
        """Opens a page, then hovers, focuses, opens and clicks all that the note brought."""
        from playwright.sync_api import Error

        self.url = url
        for _ in range(3):
            # A click on the page before may have led on just now; that is no fault as long as it leads nowhere else.
            with contextlib.suppress(Error):
                self.page.goto(self.base + url, wait_until="load")
                self.page.evaluate(_PROBE)
                return
        self._note("does not open")

    def close(self) -> None:
        self.page.wait_for_timeout(50)
        self.context.close()
