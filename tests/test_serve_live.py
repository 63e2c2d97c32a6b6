"""What open pages are told, and the page of a saved note before the build that follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memsite import build_site, open_memory
from memsite.serve.app import Live
from memsite.serve.sketches import Sketches

FILES = {
    "notes/a.md": "# A\n\nfirst [[b]] [[b#More]]\n\n## Here\n\n[[#Here]]\n",
    "notes/b.md": "---\ntags: [known]\ntype: fact\n---\n# B\n\n## More\n\nand [[tide]]\n",
    "notes/secret.md": "---\npublish: false\n---\n# Secret\n",
}


@pytest.fixture
def live(tmp_path: Path) -> Live:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(f"old {name}")
    live = Live(tmp_path)
    live.built(["a.html", "b.html"], {})
    return live


def version(live: Live, url: str) -> str:
    return str(json.loads(live.state(url))["version"])


def write(live: Live, name: str, text: str) -> str:
    (live.root / name).write_text(text)
    return name


def test_only_pages_that_changed_are_loaded_again(live: Live) -> None:
    a, b = version(live, "a.html"), version(live, "b.html")
    live.built(["a.html", "search/t/1.js"], {})
    assert version(live, "a.html") != a
    assert version(live, "b.html") == b


@pytest.mark.parametrize(
    ("changed", "page"), [("static/memsite.css", "b.html"), ("graph/notes.model.js", "graph.html")]
)
def test_what_a_page_loads_counts_as_the_page(live: Live, changed: str, page: str) -> None:
    before = version(live, page)
    live.built([changed], {})
    assert version(live, page) != before


def test_the_first_build_reaches_every_page_even_where_it_wrote_nothing(tmp_path: Path) -> None:
    live = Live(tmp_path)
    before = version(live, "any.html")
    live.built([], {})
    assert version(live, "any.html") != before
    assert version(live, "") != "0"


def test_a_build_without_changes_loads_nothing(live: Live) -> None:
    before = (live.version, version(live, "a.html"))
    live.built([], {})
    assert (live.version, version(live, "a.html")) == before


def test_a_draft_that_was_right_is_loaded_once(live: Live) -> None:
    live.draft("a.html", b"new")
    seen = version(live, "a.html")
    before = dict(live.drafts)
    live.built([write(live, "a.html", "new")], before)
    assert version(live, "a.html") == seen
    assert not live.drafts


def test_a_draft_that_was_not_right_gives_way(live: Live) -> None:
    live.draft("a.html", b"nearly new")
    seen, before = version(live, "a.html"), dict(live.drafts)
    live.built([write(live, "a.html", "new")], before)
    assert version(live, "a.html") != seen


def test_a_draft_of_what_was_taken_back_gives_way(live: Live) -> None:
    live.draft("a.html", b"changed and changed back")
    seen, before = version(live, "a.html"), dict(live.drafts)
    live.built([], before)
    assert version(live, "a.html") != seen
    assert not live.drafts


def test_a_draft_that_is_younger_than_the_build_stays(live: Live) -> None:
    live.draft("a.html", b"first")
    before = dict(live.drafts)
    live.draft("a.html", b"second")
    seen = version(live, "a.html")
    live.built([write(live, "a.html", "first")], before)
    assert live.drafts == {"a.html": b"second"}
    assert version(live, "a.html") == seen


def test_the_same_draft_twice_is_one(live: Live) -> None:
    live.draft("a.html", b"new")
    seen = live.version
    live.draft("a.html", b"new")
    assert live.version == seen


# Sketches ---------------------------------------------------------------------------------------


@pytest.fixture
def sketches(project: Any) -> Sketches:
    root = project(FILES)
    memory = open_memory(root)
    result = build_site(memory, root / "site", leaks="publish")
    return Sketches(memory, result.plan)


def of(sketches: Sketches, path: Path, text: str | bytes) -> dict[str, str]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return {url: page.decode() for url, page in sketches.of([path])}


def test_a_sketch_is_the_page_that_a_build_makes(project: Any, sketches: Sketches, tmp_path: Path) -> None:
    root = tmp_path / "project"
    text = "# A\n\nsecond words, [[b|so]] [[b#More]] [[tide]] [[#There]]\n\n## There\n"
    drawn = of(sketches, root / "notes/a.md", text)
    build_site(open_memory(root), root / "site", leaks="publish")
    assert drawn == {"notes/a.html": (root / "site/notes/a.html").read_text()}


def test_it_can_be_drawn_again_and_again(sketches: Sketches, tmp_path: Path) -> None:
    path = tmp_path / "project/notes/a.md"
    for words in ("one", "two", "three"):
        assert words in of(sketches, path, f"# A\n\n{words}\n")["notes/a.html"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("new.md", "# New\n"),
        ("secret.md", "# Secret, still\n"),
        ("a.md", "---\npublish: false\n---\n# A\n"),
        ("a.md", "# A\n\n[[secret]]\n"),
        ("a.md", "# A\n\n#newtag\n"),
        ("a.md", "---\ntype: never-seen\n---\n# A\n"),
        ("a.txt", "no note"),
    ],
)
def test_what_only_a_build_can_say_waits_for_it(
    sketches: Sketches, tmp_path: Path, name: str, text: str
) -> None:
    assert of(sketches, tmp_path / "project/notes" / name, text) == {}


def test_a_note_that_is_gone_or_a_link_out_is_no_sketch(sketches: Sketches, tmp_path: Path) -> None:
    path = tmp_path / "project/notes/a.md"
    path.unlink()
    assert sketches.of([path]) == []
    (tmp_path / "out.md").write_text("# Out\n")
    path.symlink_to(tmp_path / "out.md")
    assert sketches.of([path]) == []


def test_bytes_that_are_no_text_do_no_harm(sketches: Sketches, tmp_path: Path) -> None:
    assert "notes/a.html" in of(sketches, tmp_path / "project/notes/a.md", b"# A\n\xff\xfe\n")
