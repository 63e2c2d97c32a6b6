"""Files that need not be made again: which are kept, which are made, and what is known of those kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from memsite.build.audit import Audit
from memsite.build.kept import Kept
from memsite.build.last import LastBuild, files_of
from memsite.build.output import MARK, open_output

Site = Mapping[str, tuple[str | None, str]]
"""Key and text of each file."""
PAGE = '<a href="sub/b.html#x">b</a><a href="#here">h</a><p id="here"></p>'
SITE: Site = {
    "a.html": ("1", PAGE),
    "sub/b.html": ("2", '<h2 id="x">x</h2>'),
    "list.html": (None, "made every time"),
}
GROUP = {"graph/one.js": "1", "graph/two.js": "2"}


@dataclass
class Built:
    last: LastBuild
    made: set[str]
    faults: tuple[str, ...]
    since: dict[str, int]
    links: int
    relations: object


def build(
    root: Path,
    files: Site,
    last: LastBuild | None = None,
    *,
    settings: str = "s",
    group: tuple[str, Mapping[str, str]] | None = None,
    relations: object = None,
) -> Built:
    """Do what a build does with the files of a site, of which one `group` is made together."""
    made = set()

    def make(url: str, text: str) -> None:
        made.add(url)
        site.put(url, text.encode())
        kept.audit.add(url, text)

    with open_output(root, stores=()) as site:
        kept = Kept(site, Audit(), settings, jobs=1)
        kept.begin(last)
        known = kept.relations
        for url, (key, text) in files.items():
            if not kept.keep(url, key):
                make(url, text)
        if group is not None and not kept.keep_group("all", group[0]):
            for url, text in group[1].items():
                make(url, text)
            kept.grouped("all", group[1])
        kept.relations = relations
        urls = {*site.kept, *site.staged}
        faults, since, links = kept.audit.faults(urls), kept.notes_since(), kept.audit.links()
        site.swap()
        record = LastBuild("", (), (), "", files_of(root, urls), {}, kept.record())
    return Built(record, made, faults, since, links, known)


def test_what_is_the_same_is_kept(tmp_path: Path) -> None:
    first = build(tmp_path, SITE)
    assert (first.made, first.faults, first.links) == ({*SITE}, (), 2)
    second = build(tmp_path, SITE, first.last)
    assert (second.made, second.faults, second.links) == ({"list.html"}, (), 2)
    third = build(tmp_path, SITE, second.last)
    assert (third.made, third.faults, third.links) == ({"list.html"}, (), 2)


@pytest.mark.parametrize(
    "what", ["nothing known", "another key", "other settings", "edited", "gone", "touched", "of two builds"]
)
def test_what_may_differ_is_made(tmp_path: Path, what: str) -> None:
    last = build(tmp_path, SITE).last
    place, files = tmp_path / "a.html", {**SITE}
    if what == "another key":
        files["a.html"] = ("3", PAGE)
    elif what == "edited":
        place.write_text("longer than it was" * 9)
    elif what == "gone":
        place.unlink()
    elif what == "of two builds":  # one of them was killed, and either may have left the file
        manifest = json.loads((tmp_path / MARK).read_text())
        (tmp_path / MARK).write_text(json.dumps({**manifest, "before": {"a.html": ["0" * 64]}}))
    elif what == "touched":
        os.utime(place, ns=(1, 1))
    settings = "t" if what == "other settings" else "s"
    again = build(tmp_path, files, None if what == "nothing known" else last, settings=settings)
    all_of_it = what in ("nothing known", "other settings")
    assert again.made == ({*SITE} if all_of_it else {"a.html", "list.html"})
    assert place.read_text() == PAGE


def test_a_key_without_a_file_of_ours_keeps_nothing(tmp_path: Path) -> None:
    """The same record, but another folder: nothing in it was written by us."""
    last = build(tmp_path / "one", SITE).last
    assert build(tmp_path / "two", SITE, last).made == {*SITE}


def test_a_group_is_kept_or_made_as_a_whole(tmp_path: Path) -> None:
    last = build(tmp_path, {}, group=("1", GROUP)).last
    kept = build(tmp_path, {}, last, group=("1", GROUP))
    assert kept.made == set()
    again = build(tmp_path, {}, kept.last, group=("2", GROUP))
    assert again.made == {*GROUP}
    (tmp_path / "graph/two.js").write_text("by hand")
    assert build(tmp_path, {}, again.last, group=("2", GROUP)).made == {*GROUP}


def test_a_kept_page_is_followed_like_a_new_one(tmp_path: Path) -> None:
    last = build(tmp_path, SITE).last
    without_place = build(tmp_path, {**SITE, "sub/b.html": ("3", "<p>")}, last)
    assert without_place.faults == ("a.html: link to sub/b.html#x, an anchor that is not there",)
    without_page = build(tmp_path, {"a.html": SITE["a.html"]}, last)
    assert without_page.faults == ("a.html: link to sub/b.html, which is not there",)
    more = {**SITE, "sub/c.html": (None, '<a href="../a.html#here"></a><a href="../a.html#gone"></a>')}
    assert build(tmp_path, more, last).faults == (
        "sub/c.html: link to a.html#gone, an anchor that is not there",
    )


def test_relations_are_handed_on_under_the_same_settings(tmp_path: Path) -> None:
    last = build(tmp_path, SITE, relations={"a": 1}).last
    assert build(tmp_path, SITE, last).relations == {"a": 1}
    assert build(tmp_path, SITE, last, settings="t").relations is None


def test_notes_are_counted_by_their_markdown(tmp_path: Path) -> None:
    def notes(**keys: str) -> Site:
        return {f"{name}.md": (key, key) for name, key in keys.items()} | {"x.html": ("".join(keys), "<p>")}

    first = build(tmp_path, notes(a="1", b="1", c="1"))
    assert first.since == {}
    second = build(tmp_path, notes(b="1", c="2", d="1", e="1"), first.last)
    assert second.since == {"added": 2, "edited": 1, "removed": 1}
    same = build(tmp_path, notes(b="1", c="2", d="1", e="1"), second.last)
    assert same.since == {"added": 0, "edited": 0, "removed": 0}
