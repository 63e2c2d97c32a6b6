"""Whole builds: what is written, what stays, and that a warm build equals a cold one."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memsite import BuildResult, build_site, open_memory
from memsite.build.output import LOCK, MARK
from memsite.cache import Documents
from memsite.errors import ForeignOutput

Tree = dict[str, bytes]
WORDS = ("tide", "gauge", "curve", "datum", "harbour", "pilot", "storm", "mussel")
FILES = {
    "notes/a.md": "---\ntitle: Alpha\ntags: [x, y]\n---\n# Alpha\n\nSee [[b]] and [[tide]].\n\n## More\n\ntext\n",
    "notes/b.md": "# B\n\n[[a#More]] and ![[c]] and [[missing.md]]\n",
    "notes/sub/c.md": "# C\n\nAlpha is named here, [[tide]], [[datum]].\n",
    "notes/sub/d.md": "# D\n\n[[datum]] [[tide]] ![](p.png)\n",
    "notes/sub/p.png": b"\x89PNG\r\n\x1a\n1",
}


def tree(root: Path) -> Tree:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != LOCK
    }


def build(root: Path, site: Path, **how: Any) -> BuildResult:
    """A build as a process of its own would do it, with what an earlier one kept."""
    documents = Documents(root)
    result = build_site(open_memory(root, documents=documents), site, **how)
    documents.save(make=True)
    return result


def cold(root: Path, tmp_path: Path) -> Tree:
    site = tmp_path / "cold"
    shutil.rmtree(site, ignore_errors=True)
    result = build_site(open_memory(root), site, cached=False)
    assert not result.faults
    return tree(site)


def test_a_site_is_built_and_every_link_leads_somewhere(project: Any, tmp_path: Path) -> None:
    result = build(project(FILES), tmp_path / "site")
    assert not result.faults
    assert result.links > 20
    assert result.notes == 4
    site = tree(tmp_path / "site")
    assert {
        "index.html",
        "notes/a.html",
        "notes/sub/c.html",
        "concept/tide.html",
        ".nojekyll",
        "_headers",
    } <= set(site)
    assert result.bytes == sum(len(written) for url, written in site.items() if url != MARK)


def test_the_second_build_writes_nothing(project: Any, tmp_path: Path) -> None:
    root, site = project(FILES), tmp_path / "site"
    first = build(root, site)
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    second = build(root, site)
    assert (second.written, second.removed) == ((), ())
    assert (second.pages, second.links, second.bytes, second.notes) == (
        first.pages, first.links, first.bytes, first.notes
    )  # fmt: skip
    assert second.problems == first.problems
    assert second.unchanged == len(first.written)
    del before[site / LOCK]
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_nothing_is_read_from_the_pages_when_nothing_has_changed(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, site = project(FILES), tmp_path / "site"
    build(root, site)
    monkeypatch.setattr("memsite.pages.render", lambda *_: pytest.fail("rendered"))
    monkeypatch.setattr("memsite.markdown.parse", lambda *_: pytest.fail("parsed"))
    assert build(root, site).written == ()


def test_one_edit_parses_one_note(project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import memsite.memory.understanding as understanding
    from memsite.pages import rendering

    root, site = project(FILES), tmp_path / "site"
    build(root, site)
    parsed: list[bytes] = []
    real = understanding.understood
    monkeypatch.setattr(
        "memsite.memory.understanding.understood", lambda content: (parsed.append(content), real(content))[1]
    )
    rendered: list[str] = []
    draw = rendering.render
    monkeypatch.setattr(
        "memsite.pages.render", lambda page, plan: (rendered.append(page.url), draw(page, plan))[1]
    )
    (root / "notes/sub/d.md").write_text("# D\n\nchanged [[tide]] [[datum]] ![](p.png)\n")
    result = build(root, site)
    assert parsed == [b"# D\n\nchanged [[tide]] [[datum]] ![](p.png)\n"]
    keyed = {url for url in rendered if url.startswith(("notes/", "concept/")) and "index" not in url}
    assert keyed == {"notes/sub/d.html", "concept/tide.html", "concept/datum.html"}
    assert "notes/sub/d.html" in result.written
    assert "notes/b.html" not in result.written


def test_an_unrelated_note_leaves_other_pages_alone(project: Any, tmp_path: Path) -> None:
    root, site = project({**FILES, "notes/other/old.md": "# Old\n"}), tmp_path / "site"
    build(root, site)
    (root / "notes/other/new.md").write_text("# Something else\n\nplain words\n")
    written = build(root, site).written
    assert "notes/other/new.html" in written
    assert not {"notes/a.html", "notes/b.html", "notes/sub/c.html", "concept/tide.html"} & set(written)


def edit(root: Path, rng: random.Random) -> None:
    path = rng.choice(sorted((root / "notes").rglob("*.md")))
    names = [*WORDS, *(path.stem for path in (root / "notes").rglob("*.md"))]
    ways = ("{}", "{}", "[[{}]]", "[[{}]]", "![[{}]]", "[[{}#More]]", "![[{}#More]]", "[x](<{}.md>)", "#{}")
    text = " ".join(rng.choice(ways).format(rng.choice(names)) for _ in range(12))
    path.write_text(f"{path.read_text()}\n{text}\n\n## {rng.choice(['More', 'Less'])}\n")


def cut(root: Path, rng: random.Random) -> None:
    path = rng.choice(sorted((root / "notes").rglob("*.md")))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(
        "".join(lines[: rng.randrange(len(lines))] if not lines or lines[0] != "---\n" else lines[:-1])
    )


def describe(root: Path, rng: random.Random) -> None:
    """Other words above the text of a note: what it is called, what it is, what came after it."""
    path = rng.choice(sorted((root / "notes").rglob("*.md")))
    text = path.read_text()
    if not text.startswith("---\n"):
        lines = (
            f"title: {rng.choice(WORDS).title()}",
            f"aliases: [{rng.choice(WORDS)}]",
            f"type: {rng.choice(['fact', 'plan'])}",
            f"description: {rng.choice(WORDS)} and {rng.choice(WORDS)}",
            f"date: 2026-02-{rng.randrange(1, 28):02d}",
            f"status: deprecated\nsuperseded_by: {rng.choice(WORDS)}",
            f"related: ['[[{rng.choice(WORDS)}]]']",
        )
        path.write_text("\n".join(("---", *rng.sample(lines, 3), "---", text)))


def add(root: Path, rng: random.Random) -> None:
    name = f"{rng.choice(WORDS)}-{rng.randrange(6)}.md"
    (root / "notes" / rng.choice(["", "sub", "deep/er"])).mkdir(parents=True, exist_ok=True)
    path = root / "notes" / rng.choice(["", "sub", "deep/er"]) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\ntags: [{rng.choice(WORDS)}]\ndate: 2026-01-{rng.randrange(1, 28):02d}\n---\n# {name}\n\n[[a]]\n"
    )


def rename(root: Path, rng: random.Random) -> None:
    path = rng.choice(sorted((root / "notes").rglob("*.md")))
    path.rename(path.with_name(f"{rng.choice(WORDS)} {rng.randrange(9)}.md"))


def delete(root: Path, rng: random.Random) -> None:
    paths = sorted((root / "notes").rglob("*.md"))
    if len(paths) > 2:
        rng.choice(paths).unlink()


def hide(root: Path, rng: random.Random) -> None:
    path = rng.choice(sorted((root / "notes").rglob("*.md")))
    text = path.read_text()
    path.write_text(text.removeprefix("---\npublish: false\n---\n") if text.startswith("---\npublish") else
                    f"---\npublish: false\n---\n{text}")  # fmt: skip


def configure(root: Path, rng: random.Random) -> None:
    (root / "memsite.toml").write_text(
        f'[site]\ntitle = "{rng.choice(WORDS)}"\ntemplates = "own"\n[stores.notes]\nkind = "vault"\npath = "notes"\n'
        f'[check.severities]\nW005 = "{rng.choice(["off", "error"])}"\n'
    )


def restyle(root: Path, rng: random.Random) -> None:
    """A template of the user's own, which comes, changes and goes."""
    folder = root / "own"
    if rng.random() < 0.3:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        folder.mkdir(exist_ok=True)
        (folder / "texts.toml").write_text(f'home = "{rng.choice(WORDS)}"\n')


def picture(root: Path, rng: random.Random) -> None:
    path = root / "notes/sub/p.png"
    path.write_bytes(rng.choice([b"\x89PNG\r\n\x1a\n22", b"\x89PNG\r\n\x1a\n1", b"<script>"]))


CHANGES: tuple[Callable[[Path, random.Random], None], ...] = (
    edit, edit, cut, describe, add, rename, delete, hide, configure, picture, restyle,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_a_warm_build_equals_a_cold_one(project: Any, tmp_path: Path, seed: int) -> None:
    """Whatever is done to the memory between two builds, the tree is that of a first build."""
    rng = random.Random(seed)
    root, site = project(FILES), tmp_path / "site"
    build(root, site)
    for _ in range(5):
        for _ in range(rng.randrange(1, 3)):
            rng.choice(CHANGES)(root, rng)
        build(root, site)
        assert tree(site) == cold(root, tmp_path)


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "gone"])
def test_a_damaged_cache_does_no_harm(project: Any, tmp_path: Path, damage: str) -> None:
    root, site = project(FILES), tmp_path / "site"
    build(root, site)
    for path in (root / ".memsite/cache").iterdir():
        whole = path.read_bytes()
        path.write_bytes({"empty": b"", "cut": whole[:-7], "other": whole[::-1], "gone": b""}[damage])
        if damage == "gone":
            path.unlink()
    edit(root, random.Random(1))
    build(root, site)
    assert tree(site) == cold(root, tmp_path)


def test_the_same_bytes_whatever_is_around(project: Any, tmp_path: Path) -> None:
    """Another folder, time zone, language, umask, hash seed and order of files: the same site."""
    root = project(FILES)
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_file():
            copy = elsewhere / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            os.utime(copy, (1, 1))
    here = cold(root, tmp_path)
    program = "import os; os.umask(0o077); from memsite.cli import main; main()"
    around = {**os.environ, "TZ": "Pacific/Chatham", "LANG": "C", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", program, "build", "--no-cache", "-o", str(tmp_path / "there")]
    subprocess.run(command, cwd=elsewhere, env=around, check=True, capture_output=True)
    assert tree(tmp_path / "there") == here


def test_strict_leaves_the_old_site(project: Any, tmp_path: Path) -> None:
    root, site = project({"notes/a.md": "# A\n"}), tmp_path / "site"
    build(root, site, strict=True)
    before = tree(site)
    (root / "notes/a.md").write_text("# A\n\n[[gone.md]]\n")
    result = build(root, site, strict=True)
    assert result.stopped
    assert "W005" in {problem.code for problem in result.problems}
    assert tree(site) == before


def test_a_site_inside_a_vault_is_no_input(project: Any) -> None:
    root = project({"notes/a.md": "# A\n"})
    first = build(root, root / "notes/site")
    second = build(root, root / "notes/site")
    assert first.notes == second.notes == 1
    assert second.written == ()


@pytest.mark.parametrize("name", ["notes", "."])
def test_a_store_or_what_holds_it_is_no_output(project: Any, name: str) -> None:
    root = project({"notes/a.md": "# A\n"})
    with pytest.raises(ForeignOutput):
        build(root, root / name)
    assert (root / "notes/a.md").read_text() == "# A\n"


def test_a_build_leaves_nothing_in_the_project_but_its_two_folders(project: Any, tmp_path: Path) -> None:
    root = project({"notes/a.md": "# A\n\n[[x]]\n"})
    before = {path.name for path in root.iterdir()}
    build(root, root / "site")
    assert {path.name for path in root.iterdir()} - before == {"site", ".memsite"}
    assert (root / ".memsite/.gitignore").read_text() == "*\n"


def test_one_note_is_one_note(project: Any, tmp_path: Path) -> None:
    build(project({"notes/a.md": "# A\n\n[[x]] [y](gone.md)\n"}), tmp_path / "site")
    home = (tmp_path / "site/index.html").read_text()
    for figure in ("1</strong> note", "1</strong> concept", "2</strong> links", "1</strong> warning"):
        assert f"<strong>{figure}</a>" in home


def test_no_notes_left_is_a_site_too(project: Any, tmp_path: Path) -> None:
    root, site = project({"notes/a.md": "# A\n"}), tmp_path / "site"
    build(root, site)
    (site / "CNAME").write_text("example.org")
    (root / "notes/a.md").unlink()
    result = build(root, site)
    assert not result.faults
    assert "notes/a.html" in result.removed
    assert (site / "CNAME").read_text() == "example.org"


def test_no_page_moves_when_a_namesake_comes_or_goes(project: Any, tmp_path: Path) -> None:
    root, site = project({"notes/A B.md": "one\n"}), tmp_path / "site"
    build(root, site)
    (root / "notes/a-b.md").write_text("two\n")
    (root / "notes/a_b.md").write_text("three\n")
    build(root, site)
    assert b"one" in (site / "notes/a-b.html").read_bytes()
    before = {path.name: path.read_bytes() for path in (site / "notes").glob("*.md")}
    assert len(before) == 3
    shutil.rmtree(site)
    build(root, site)
    assert {path.name: path.read_bytes() for path in (site / "notes").glob("*.md")} == before
    (root / "notes/A B.md").unlink()
    build(root, site)
    assert {path.name: path.read_bytes() for path in (site / "notes").glob("*.md")}.items() < before.items()
    build_site(open_memory(root), site, clean=True)
    assert b"two" in (site / "notes/a-b.html").read_bytes()


def test_a_graph_that_begins_with_its_groups_is_a_sound_page(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does in a memory of more than 50,000 nodes."""
    monkeypatch.setattr("memsite.pages.graph_pictures.CROWDED", 2)
    result = build(project(FILES), tmp_path / "site")
    assert result.faults == ()
    assert "#view=" in (tmp_path / "site/graph.html").read_text()
