"""A project in which every rule is broken exactly once, where that is, and what mends it."""

from __future__ import annotations

import json

INDEX = ".workflow/memory/memory-index.json"
SYSTEM = ".claude/memory"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4hJ6"  # assembled, so that no scanner finds it in this file

_LONG = "".join(f"- line {number}\n" for number in range(198))
_TWIN = (
    "Restart the worker after the queue was drained, then watch the dashboard for ten minutes. [[queue]]\n"
)


def _index(*names: str) -> str:
    rows = [{"id": name, "type": "tip", "date": "2026-03-18", "file": f"{name}.md"} for name in names]
    return json.dumps({"entries": rows}, indent=1)


BROKEN: dict[str, str | bytes] = {
    "memsite.toml": '[stores.notes]\nkind = "vault"\npath = "notes"\n\n[check.stale_days]\nplan = 30\n',
    "src/app.py": "",
    INDEX: _index("TIP-1", "TIP-2"),
    ".workflow/memory/TIP-1.md": "# Tip\n\nUse [[cache]].\n",
    f"{SYSTEM}/MEMORY.md": f"# Memory\n\n- [Gone](gone.md)\n{_LONG}## Late\n",
    f"{SYSTEM}/lonely.md": "# Lonely\n\nAbout [[cache]].\n",
    "notes/hub.md": "# Hub\n\n[[a/twin]] [[b/twin]] [[orphan-to-be]] [[encoded]] [[cache]]\n",
    "notes/links.md": (
        "# Links\n\nSee [setup](guides/setup.md).\n\nSee [[twin]].\n\nSee [[[cache]]].\n\nSee [[hub#Nowhere]].\n"
    ),
    "notes/a/twin.md": "# First\n\n[[cache]]\n",
    "notes/b/twin.md": "# Second\n\n[[cache]]\n",
    "notes/title-1.md": "---\ntitle: Deployment\n---\n[[cache]]\n",
    "notes/title-2.md": "---\ntitle: Deployment\n---\n[[deploy]]\n",
    "notes/matter.md": "---\ntitle: Matter\nsummary: Notes: first\n---\n[[cache]]\n",
    "notes/orphan.md": "# Orphan\n\nAlone.\n",
    "notes/hidden.md": "# Hidden\n\nhello\U000e0069\U000e0067\U000e006e [[cache]]\n",
    "notes/secret.md": f"# Secret\n\n[[cache]]\n\nexport GITHUB_TOKEN={TOKEN}\n",
    "notes/personal.md": "# Personal\n\n[[cache]] in /home/marta/work\n",
    "notes/Case.md": "# Upper\n\n[[cache]]\n",
    "notes/case.md": "# Lower\n\n[[cache]]\n",
    "notes/encoded.md": b"# Caf\xe9\n\n[[cache]]\n",
    "notes/stale.md": "# Stale\n\nSee `src/gone.py`. [[cache]]\n",
    "notes/same-1.md": f"# One\n\n{_TWIN * 3}",
    "notes/same-2.md": f"# Two\n\n{_TWIN * 3}",
}

EXPECTED: tuple[tuple[str, str, int], ...] = (
    ("W001", INDEX, 9),
    ("W002", f"{SYSTEM}/MEMORY.md", 3),
    ("W003", f"{SYSTEM}/MEMORY.md", 201),
    ("W004", f"{SYSTEM}/lonely.md", 1),
    ("W005", "notes/links.md", 3),
    ("W006", "notes/links.md", 5),
    ("W007", "notes/links.md", 7),
    ("W008", "notes/links.md", 9),
    ("W009", "notes/title-2.md", 1),
    ("W010", "notes/matter.md", 3),
    ("W011", "notes/orphan.md", 1),
    ("W012", "notes/hidden.md", 3),
    ("W013", "notes/secret.md", 5),
    ("W014", "notes/personal.md", 3),
    ("W015", "notes/case.md", 1),
    ("W016", "notes/encoded.md", 1),
    ("W017", "notes/stale.md", 1),
    ("W018", "notes/same-2.md", 1),
)

FIXED: dict[str, str | bytes | None] = {
    INDEX: _index("TIP-1"),
    f"{SYSTEM}/MEMORY.md": "# Memory\n\n- [Lonely](lonely.md)\n",
    "notes/links.md": "# Links\n\n[setup](hub.md) [[a/twin]] [[cache]] [[hub#Hub]]\n",
    "notes/title-2.md": "---\ntitle: Deployment of the site\n---\n[[deploy]]\n",
    "notes/matter.md": '---\ntitle: Matter\nsummary: "Notes: first"\n---\n[[cache]]\n',
    "notes/orphan.md": "# Orphan\n\nNo longer: [[cache]].\n",
    "notes/hidden.md": "# Hidden\n\nhello [[cache]]\n",
    "notes/secret.md": "# Secret\n\n[[cache]]\n\nexport GITHUB_TOKEN=<token>\n",
    "notes/personal.md": "# Personal\n\n[[cache]] in ~/work\n",
    "notes/case.md": None,
    "notes/encoded.md": "# Café\n\n[[cache]]\n",
    "notes/stale.md": "# Stale\n\nSee `src/app.py`. [[cache]]\n",
    "notes/same-2.md": "# Two\n\nSomething else. [[cache]]\n",
}
"""What changes to mend it all; None: the file goes."""
