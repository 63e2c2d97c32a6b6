"""The Mermaid export, drawn by Mermaid itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memsite.templates import templates_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

# Labels that a grammar stumbles over: brackets, quotes, key words, its own codes, its comments and commands.
LABELS = (
    'say "hi"', "a [b] (c) {d}", "end", "subgraph", "click here", "%% not a comment", "#35; and #quot;", "x --> y",
    "<b>bold</b> <script>alert(1)</script>", "back\\slash", "semi; colon: pipe|", "`code` **strong** _it_", "graph LR",
    "日本語 العربية 🌊", "style n1 fill:#f00", "linkStyle", "a&amp;b & c", "1. first", "- item", "~~gone~~", "$x^2$",
)  # fmt: skip
# As it is set up where people paste such a text.
DRAW = """async text => {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  const { svg } = await mermaid.render("drawn", text);
  document.body.innerHTML = svg;
  return {
    labels: [...document.querySelectorAll("g.node")].map(node => node.textContent),
    edges: document.querySelectorAll("path.flowchart-link").length,
    scripts: document.body.querySelectorAll("script, b, strong, em, code").length,
  };
}"""


def exported(root: Path, *options: str) -> str:
    command = [sys.executable, "-m", "memsite", "graph", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def test_mermaid_draws_every_node_and_link_with_its_label(browser: Browser, project: Any) -> None:
    links = " ".join(f"[[n{number}]]" for number in range(len(LABELS)))
    notes = {
        f"notes/n{number}.md": f"---\ntitle: {json.dumps(label)}\n---\n[[hub]]\n"
        for number, label in enumerate(LABELS)
    }
    root = project({**notes, "notes/hub.md": f"# Hub\n\n{links}\n"})
    text = exported(root, "--format", "mermaid", "--view", "notes")
    network = json.loads(exported(root, "--format", "json", "--view", "notes"))
    page = browser.new_page()
    page.add_script_tag(path=templates_folder() / "static/vendor/mermaid/mermaid.min.js")
    drawn = page.evaluate(DRAW, text)
    page.close()
    assert len(drawn["labels"]) == len(network["nodes"]) == len(LABELS) + 1
    assert drawn["edges"] == len(network["edges"])
    assert drawn["scripts"] == 0
    shown = {"".join(label.split()) for label in drawn["labels"]}
    assert shown == {"".join(node["label"].split()) for node in network["nodes"]}
