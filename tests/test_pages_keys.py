"""The key of a page changes with all that the page shows, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memsite import open_memory
from memsite.build import planned
from memsite.pages import Keys, SitePlan, graph_files, graph_views, published_source, render

LONG = "The gauge at the pier was read every hour of the day, and the curve that came of it was drawn by hand twice."
GRAPH = "all files of the graph"
BASE = {
    "notes/a.md": "---\ntitle: Alpha\ndate: 2026-01-02\n---\n# Alpha\n\n[[b]] and [[tide]] and [[moon]]\n",
    "notes/b.md": f"# Beta\n\n{LONG}\n\n## More\n\ntext\n",
    "notes/c.md": "---\ndate: 2026-01-03\n---\n# Gamma\n\n[[tide]] [[moon]]\n",
    "notes/sub/d.md": "# Delta\n\nplain\n",
    "notes/aa/z.md": "# Zeta\n\nplain\n",
    "notes/shown/f.md": "# Phi\n\n![[chi]]\n",
    "notes/shown/chi.md": "# Chi\n\n![[psi]]\n",
    "notes/shown/psi.md": "# Psi\n\nwords\n",
    "notes/far/says.md": "# Says\n\nAs Gamma Delta knows well, and so does Gamma.\n",
    "notes/far/kind.md": "---\ntype: kind of\ntags: [tag of, own]\n---\n# Kind\n\nplain #other_tag\n",
}


def planned_of(root: Path, files: dict[str, str]) -> SitePlan:
    for path in sorted((root / "notes").rglob("*.md")):
        path.unlink()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return planned(open_memory(root), settled={})


def states(plan: SitePlan) -> dict[str, tuple[str | None, bytes]]:
    keys, views = Keys(plan), graph_views(plan)
    graph = b"".join(url.encode() + written for url, written in graph_files(plan, views))
    texts = {
        url: (keys.of_source(address), published_source(plan.graph.notes[address].document.text.encode()))
        for url, address in plan.sources.items()
    }
    pages = {page.url: (keys.of(page), render(page, plan)) for page in plan.pages}
    return pages | texts | {GRAPH: (keys.of_graph(), graph)}


# What changes, and a page that shows it though its own note stays as it is.
REASONS = {
    "the sentence of a backlink": ({"notes/a.md": BASE["notes/a.md"].replace("and [[tide]]", "or [[tide]]")}, "notes/b.html"),
    "the sentence of a concept": ({"notes/a.md": BASE["notes/a.md"].replace("and [[tide]]", "or [[tide]]")}, "concept/tide.html"),
    "a new backlink": ({"notes/sub/d.md": "# Delta\n\n[[b]]\n"}, "notes/b.html"),
    "a link that finds its note": ({"notes/tide.md": "# Tide\n"}, "notes/a.html"),
    "a name that fits two notes": ({"notes/sub/b.md": "# Other\n", "notes/x/b.md": "# B\n", "notes/sub/e.md": "# E\n[[beta]]\n"}, "notes/b.html"),
    "the title of a note that is linked": ({"notes/b.md": BASE["notes/b.md"].replace("# Beta", "# Bravo")}, "notes/a.html"),
    "the title of a neighbour in time": ({"notes/c.md": BASE["notes/c.md"].replace("Gamma", "Kappa")}, "notes/a.html"),
    "another neighbour in time": ({"notes/sub/d.md": "---\ndate: 2026-01-01\n---\n# Delta\n"}, "notes/a.html"),
    "a note beside it": ({"notes/e.md": "# Epsilon\n"}, "notes/b.html"),
    "a mention in plain text": ({"notes/sub/d.md": "# Delta\n\nas Alpha says\n"}, "notes/a.html"),
    "more relatives": ({"notes/sub/d.md": "# Delta\n\n[[tide]] [[moon]]\n"}, "notes/c.html"),
    "a problem that others make": ({"notes/aa/z.md": f"# Zeta\n\n{LONG}\n"}, "notes/b.html"),
    "the spelling of a concept": ({"notes/c.md": "# Gamma\n\n[[Tide]] [[Tide]] [[Tide]]\n"}, "concept/tide.html"),
    "what occurs with a concept": ({"notes/c.md": BASE["notes/c.md"].replace("[[moon]]", "[[star]]")}, "concept/tide.html"),
    "the text of a note within a note within it": ({"notes/shown/psi.md": "# Psi\n\nothers\n"}, "notes/shown/f.html"),
    "a mention with other words around it": ({"notes/shown/psi.md": "# Psi\n\nsee Delta here\n"}, "notes/sub/d.html"),
    "a mention that another name takes": ({"notes/far/other.md": "---\naliases: [Gamma Delta]\n---\n# Other\n"}, "notes/c.html"),
    "an embedded note that becomes private": ({"notes/shown/psi.md": "---\npublish: false\n---\n# Psi\n"}, "notes/shown/chi.html"),
    "an embedded note that is not there": ({"notes/shown/chi.md": "# Chi\n\n![[psi]] ![[gone]]\n"}, "notes/shown/f.html"),
    "the group of a concept": ({"notes/sub/d.md": "# Delta\n\n[[moon]] [[star]]\n"}, "concept/tide.html"),
    "a new folder": ({"notes/new/e.md": "# Epsilon\n"}, "notes/a.html"),
    "a linked note that becomes private": ({"notes/b.md": "---\npublish: false\n---\n# Beta\n"}, "notes/a.html"),
    "a tag that gets another page": ({"notes/sub/d.md": "---\ntags: [tag-of]\n---\n# Delta\n"}, "notes/far/kind.html"),
    "a tag in the text that gets another page": ({"notes/sub/d.md": "---\ntags: [other-tag]\n---\n# Delta\n"}, "notes/far/kind.html"),
    "a type that gets another page": ({"notes/sub/d.md": "---\ntype: kind-of\n---\n# Delta\n"}, "notes/far/kind.html"),
    "the title of a note in the graph": ({"notes/sub/d.md": "# Dorado\n\nplain\n"}, GRAPH),
    "the type of a note in the graph": ({"notes/sub/d.md": "---\ntype: fact\n---\n# Delta\n\nplain\n"}, GRAPH),
    "the tags of a note in the graph": ({"notes/sub/d.md": "---\ntags: [one]\n---\n# Delta\n\nplain\n"}, GRAPH),
    "the text of a note in the graph": ({"notes/sub/d.md": "# Delta\n\nanother\n"}, GRAPH),
    "the date of a note in the graph": ({"notes/sub/d.md": "---\ndate: 2026-01-01\n---\n# Delta\n\nplain\n"}, GRAPH),
    "a link of a note in the graph": ({"notes/sub/d.md": "# Delta\n\n[plain](../c.md)\n"}, GRAPH),
    "the first sentence on a concept": ({"notes/a.md": BASE["notes/a.md"].replace("and [[tide]]", "or [[tide]]")}, GRAPH),
    "the spelling of a concept in the graph": ({"notes/a.md": BASE["notes/a.md"].replace("[[moon]]", "[[Moon]]")}, GRAPH),
}  # fmt: skip


@pytest.mark.parametrize("reason", REASONS)
def test_equal_keys_mean_equal_pages(project: Any, reason: str) -> None:
    root = project(BASE)
    changes, shows = REASONS[reason]
    before, after = states(planned_of(root, BASE)), states(planned_of(root, {**BASE, **changes}))
    if shows:
        assert before[shows][1] != after[shows][1], "the page shows the change"
    for url in before.keys() & after.keys():
        key, page = before[url]
        if key is not None and key == after[url][0]:
            assert page == after[url][1], url


@pytest.mark.parametrize(
    ("changes", "stays"),
    [
        (
            {"notes/sub/d.md": "# Delta\n\nother words\n"},
            ["notes/a.html", "notes/b.html", "concept/tide.html"],
        ),
        (
            {"notes/b.md": BASE["notes/b.md"] + "\nmore words\n"},
            ["notes/a.html", "notes/c.html", "notes/a.md"],
        ),
        (
            {"notes/sub/d.md": "---\nown: 1\n---\n# Delta\n\nplain\n"},
            [GRAPH, "notes/a.html"],
        ),
        ({"notes/sub/e.md": "# Epsilon\n\nalone\n"}, ["notes/a.html", "notes/b.html", "concept/tide.html"]),
    ],
)
def test_pages_that_show_nothing_of_it_keep_their_key(
    project: Any, changes: dict[str, str], stays: list[str]
) -> None:
    root = project(BASE)
    before, after = states(planned_of(root, BASE)), states(planned_of(root, {**BASE, **changes}))
    assert {url: before[url][0] for url in stays} == {url: after[url][0] for url in stays}
    assert all(before[url][0] for url in stays)


def test_a_source_is_what_is_published_of_it(project: Any) -> None:
    plan = planned_of(project(BASE), BASE)
    address = plan.sources["notes/a.md"]
    note = plan.graph.notes[address]
    assert Keys(plan).of_source(address) == note.checksum
    notes = {**plan.graph.notes, address: replace(note, altered="blacked out")}
    changed = replace(plan, graph=replace(plan.graph, notes=notes))
    assert Keys(changed).of_source(address) == "blacked out"
