"""Finding, listing, searching and looking around: what a memory answers without writing."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_memory import Make

from memsite.errors import AmbiguousName, BadArgument, NotFound, OutsideStore, SectionNotFound
from memsite.memory import open_memory
from memsite.memory.answers import as_json
from memsite.memory.identifiers import Named, choose, choose_exactly, near_names, parse_identifier
from memsite.memory.writing import unified
from memsite.note import Document

# Finding


def a_note(address: str, *names: str) -> Named:
    store, _, path = address.removeprefix("memory://").partition("/")
    kind = store if store in ("workflow", "system") else "vault"
    return Named(address, kind, f"{path}.md", names)


NOTES = [
    a_note("memory://vault/guide/Setup", "How to set up", "HowTo"),
    a_note("memory://vault/notes/café", "Café au lait"),
    a_note("memory://system/setup", "System set-up"),
    a_note("memory://workflow/TIP-20260301-001", "TIP-20260301-001", "A tip"),
    a_note("memory://vault/a/same", "Same title"),
    a_note("memory://vault/b/same", "Same title"),
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("memory://vault/guide/Setup", "memory://vault/guide/Setup"),
        ("memory://guide/Setup", "memory://vault/guide/Setup"),
        ("guide/Setup.md", "memory://vault/guide/Setup"),
        ("Setup", "memory://vault/guide/Setup"),
        ("setup", "memory://system/setup"),
        ("SETUP", "memory://system/setup"),
        ("GUIDE/SETUP", "memory://vault/guide/Setup"),
        ("howto", "memory://vault/guide/Setup"),
        ("how_to_set-up", "memory://vault/guide/Setup"),
        ("cafe\u0301", "memory://vault/notes/café"),
        ("tip-20260301-001", "memory://workflow/TIP-20260301-001"),
        ("a tip", "memory://workflow/TIP-20260301-001"),
        ("system set up", "memory://system/setup"),
    ],
)
def test_reading_forgives(name: str, found: str) -> None:
    assert choose(parse_identifier(name), NOTES) == found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Setup", "memory://vault/guide/Setup"),
        ("setup", "memory://system/setup"),
        ("How to set up", "memory://vault/guide/Setup"),
        ("A tip", "memory://workflow/TIP-20260301-001"),
        ("cafe\u0301", "memory://vault/notes/café"),
    ],
)
def test_writing_takes_the_exact_name(name: str, found: str) -> None:
    assert choose_exactly(parse_identifier(name), NOTES) == found


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("SETUP", ""),
        ("a tip", "Did you mean 'A tip'"),
        ("How to set u", "Near: How to set up"),
        ("qqq", "memsite list"),
    ],
)
def test_writing_does_not_guess(name: str, hint: str) -> None:
    with pytest.raises((NotFound, AmbiguousName)) as refused:
        choose_exactly(parse_identifier(name), NOTES)
    assert hint in refused.value.hint


def test_near_names_are_one_for_each_note() -> None:
    notes = [
        a_note("memory://vault/tide-gauge", "Tide gauge", "The tide gauge"),
        a_note("memory://vault/tide-pole"),
    ]
    assert near_names("tide guage", notes) == ["tide-gauge"]
    assert near_names("tide", notes) == ["The tide gauge", "tide-pole"]


@pytest.mark.parametrize("look", [choose, choose_exactly])
@pytest.mark.parametrize("name", ["same", "Same title", "same.md"])
def test_two_that_fit_are_named(look: Callable[..., str], name: str) -> None:
    with pytest.raises(AmbiguousName) as refused:
        look(parse_identifier(name), NOTES)
    assert refused.value.details["candidates"] == ["memory://vault/a/same", "memory://vault/b/same"]


@given(st.text(max_size=30))
def test_any_identifier_is_found_or_refused(name: str) -> None:
    for look in (choose, choose_exactly):
        with contextlib.suppress(NotFound, AmbiguousName, OutsideStore):
            assert look(parse_identifier(name), NOTES) in {note.address for note in NOTES}


def test_an_absolute_path_names_a_note_of_a_store_and_nothing_else(make: Make) -> None:
    memory = make(**{"vault/sub/n.md": "[[x]]", "secret.md": "s"})
    root = memory.store("vault").root
    assert memory.find(str(root / "sub/n.md")).path == "sub/n.md"
    assert memory.locate_exactly(str(root / "sub/n.md"))[1] == "sub/n.md"
    for name in (root.parent / "secret.md", f"{root}/../secret.md", root / "sub/../../secret.md"):
        with pytest.raises(OutsideStore):
            memory.find(str(name))
    with pytest.raises(NotFound, match="gone"):
        memory.find(str(root / "gone.md"))


def test_titles_may_hold_colons_and_slashes(make: Make) -> None:
    memory = make(**{"vault/n.md": "---\ntitle: 'x: a/b'\n---\nt\n", "vault/m.md": "# A // B?\n"})
    assert memory.find("x: a/b").path == "n.md"
    assert memory.find("A // B?").path == "m.md"


def test_a_percent_encoded_address(make: Make) -> None:
    memory = make(**{"vault/build notes.md": "t\n", "vault/100%.md": "p\n"})
    assert memory.find("memory://vault/build%20notes").path == "build notes.md"
    assert memory.find("memory://vault/100%").path == "100%.md"


# Reading and lists


def test_a_section_is_read_with_its_heading(make: Make) -> None:
    memory = make(**{"vault/a.md": "---\nt: 1\n---\n# T\n\n## A\n\na\n\n### A1\n\nb\n\n## B\n"})
    reading = memory.read("a", section="A")
    assert (reading.text, reading.line) == ("## A\n\na\n\n### A1\n\nb\n\n", 6)
    with pytest.raises(SectionNotFound):
        memory.read("a", section="C")


DATES = {
    "n1": "created: 2026-03-15",
    "n2": "created: 2026-03-15 10:00",
    "n3": "created: 2026-03-15T10:00:01Z",
    "n4": "created: 2026-03-15T23:30:00-05:00",
    "n6": "created: March 15, 2026",
    "n7": "created: 2026-02-30",
    "n8": "created: 20260315",
}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_newest_first_in_every_zone(make: Make, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    memory = make(**{f"vault/{name}.md": f"---\n{line}\n---\nt\n" for name, line in DATES.items()})
    assert [row.path[:2] for row in memory.list()] == ["n4", "n3", "n2", "n1", "n6", "n7", "n8"]
    assert [row.path[:2] for row in memory.list(after="2026-03-15")] == ["n4"]
    assert [row.path[:2] for row in memory.list(before="2026-03-16")] == ["n3", "n2", "n1"]
    monkeypatch.undo()
    time.tzset()


def test_a_note_without_a_date_is_from_the_time_of_its_file(make: Make) -> None:
    memory = make(**{"system/a.md": "a\n", "system/b.md": "---\ndate: 2026-03-01\n---\n"})
    os.utime(memory.project / "system/a.md", (1_767_225_600, 1_767_225_600))
    assert [row.path for row in memory.list(store="system")] == ["b.md", "a.md"]
    assert [row.path for row in memory.list(before="2026-02-01")] == ["a.md"]


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\ntext #inline\n",
        "---\ntitle: T\ntags: [a]\n---\n\n# Other\n\nmore\n",
        "\ufeff---\r\ntitle: T\r\n---\r\n\r\ntext\r\n\r\n#late tag\r\n",
        "Setext\n===\n\ntext (#in) brackets\n",
        "<!-- c -->\n\n# After a comment\n\ntext\n",
        "<div>\n\n# In HTML\n\n</div>\n",
        "```\ncode\n\n# no title\n```\n",
        "---\nnot closed\n\n# T\n",
        "---\ntitle: bad: yaml\n---\n# T\n\ntext\n",
        "",
        "\n\n\n",
        "---\n---\n---\nx: 1\n---\n",
        "> quoted\n\n# later\n",
    ],
)
def test_a_list_says_what_the_whole_note_says(make: Make, text: str) -> None:
    memory = make(**{"vault/a.md": text})
    quick = memory.list()
    next(memory.notes())
    assert memory.list() == quick


def test_rows_hold_what_json_needs(make: Make) -> None:
    memory = make(**{"vault/a.md": "---\ndate: 2026-03-15\ntags: [x]\n---\n# T\n\none\ntwo"})
    row = as_json(memory.list())[0]
    assert json.loads(json.dumps(row)) == {
        "address": "memory://vault/a",
        "store": "vault",
        "kind": "vault",
        "path": "a.md",
        "id": None,
        "type": None,
        "title": "T",
        "date": "2026-03-15T00:00:00+00:00",
        "date_text": "2026-03-15",
        "tags": ["x"],
        "status": None,
        "lines": 8,
        "size": 47,
        "modified": row["modified"],
        "checksum": memory.read("a").row.checksum,
    }


def test_an_unknown_store_is_named(make: Make) -> None:
    with pytest.raises(NotFound, match="no store 'nowhere'"):
        make().list(store="nowhere")


# Search

LINE = 'C++ (v1.2) costs $5 [draft] a\\b "quoted" --help * 100%'


@pytest.mark.parametrize(
    "query", ["C++", "(v1", "[", "a\\b", '"quoted"', "*", "100%", "--help", "c++ (V1.2)"]
)
def test_the_query_is_text(make: Make, query: str) -> None:
    (hit,) = make(**{"vault/a.md": f"x\n{LINE}\n"}).search(query).hits
    (snippet,) = hit.snippets
    assert (snippet.line, snippet.match.lower()) == (2, query.lower())
    assert snippet.before + snippet.match + snippet.after == LINE


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_nothing_to_search(make: Make, query: str) -> None:
    with pytest.raises(BadArgument, match="nothing to search"):
        make().search(query)


def test_no_hits(make: Make) -> None:
    assert make(**{"vault/a.md": f"{LINE}\n"}).search("zzz").hits == ()


def test_titles_before_headings_before_bodies(make: Make) -> None:
    memory = make(
        **{
            "vault/exact.md": "---\ntitle: Lock\n---\nnothing\n",
            "vault/part.md": "# The lock of files\n",
            "vault/head.md": "# T\n\n## On a lock\n\nx\n",
            "vault/much.md": "# T\n\nlock lock lock\n",
            "vault/some.md": "# T\n\nlock\n",
            "vault/code.md": "# T\n\n```\n# lock lock\n```\n",
            "vault/none.md": "# T\n",
        }
    )
    answer = memory.search("LOCK")
    assert [(hit.row.path, hit.where, hit.exact, hit.count) for hit in answer.hits] == [
        ("exact.md", "title", True, 1),
        ("part.md", "title", False, 1),
        ("head.md", "heading", False, 1),
        ("much.md", "body", False, 3),
        ("code.md", "body", False, 2),
        ("some.md", "body", False, 1),
    ]
    assert (memory.search("lock", limit=2).total, len(memory.search("lock", limit=2).hits)) == (6, 2)


def test_words_apart_come_after_words_together(make: Make) -> None:
    memory = make(
        **{
            "vault/apart.md": "red and then blue\n",
            "vault/together.md": "red blue\n",
            "vault/one.md": "red\n",
        }
    )
    assert [hit.row.path for hit in memory.search("Red Blue").hits] == ["together.md", "apart.md"]


def test_search_in_front_matter_path_and_index(make: Make) -> None:
    index = '{"entries": [{"id": "MEM-7", "title": "Listed so", "tags": ["tagged"], "file": "MEM-7.md"}]}'
    memory = make(
        **{
            ".workflow/memory/MEM-7.md": "m\n",
            ".workflow/memory/memory-index.json": index,
            "vault/deep/folder name/n.md": "---\nowner: Ana\n---\nx\n",
        }
    )
    for query, path in (("ana", "n"), ("folder name", "n"), ("listed", "MEM-7"), ("tagged", "MEM-7")):
        assert [hit.row.path.rsplit("/", 1)[-1] for hit in memory.search(query).hits] == [f"{path}.md"], query


def test_search_takes_every_script(make: Make) -> None:
    memory = make(
        **{
            "vault/a.md": "\u8a18\u61b6\u306e\u30e1\u30e2\n",
            "vault/b.md": "Cafe\u0301 und STRASSE\n",
            "vault/c.md": "stra\u00dfe\n",
            "vault/d.md": "\u0130stanbul\n",
        }
    )
    for query, found in (
        ("\u61b6\u306e", ["a.md"]),
        ("CAF\u00c9", ["b.md"]),
        ("strasse", ["b.md", "c.md"]),
        ("stanbul", ["d.md"]),
    ):
        assert [hit.row.path for hit in memory.search(query).hits] == found, query


def test_search_filters(make: Make) -> None:
    memory = make(
        **{
            "vault/a.md": "---\ntags: [x, y]\ntype: tip\n---\nword\n",
            "vault/b.md": "---\ntags: [x]\n---\nword\n",
            "system/c.md": "word\n",
        }
    )
    assert [hit.row.path for hit in memory.search("word", tags=["x", "y"]).hits] == ["a.md"]
    assert [hit.row.path for hit in memory.search("word", types=["TIP"]).hits] == ["a.md"]
    assert [hit.row.path for hit in memory.search("word", store="system").hits] == ["c.md"]
    assert memory.search("word", tags=["x"], limit=1).total == 2


def test_a_pattern_only_when_asked(make: Make) -> None:
    memory = make(**{"vault/a.md": "abc\n", "vault/b.md": "a.c\n"})
    assert [hit.row.path for hit in memory.search("a.c").hits] == ["b.md"]
    assert [hit.row.path for hit in memory.search("^a.c$", regex=True).hits] == ["a.md", "b.md"]
    with pytest.raises(BadArgument, match="pattern"):
        memory.search("(", regex=True)


def test_long_lines_are_cut(make: Make) -> None:
    (hit,) = make(**{"vault/a.md": f"{'a ' * 100}needle{' b' * 100}\n"}).search("needle").hits
    (snippet,) = hit.snippets
    assert snippet.before.startswith("…")
    assert snippet.after.endswith("…")
    assert len(snippet.before) == len(snippet.after) == 61


def test_other_encodings_are_searched_as_far_as_they_can_be_read(make: Make) -> None:
    memory = make(**{"vault/a.md": b"Caf\xe9 needle\n", "vault/b.md": "\ufeffneedle\n".encode("utf-16-le")})
    assert [hit.row.path for hit in memory.search("needle").hits] == ["a.md", "b.md"]


# Counting and context


def test_sync_reads_everything_again(make: Make) -> None:
    memory = make(**{"vault/a.md": "[[x]] [[y]]\n"})
    first = memory.sync()
    assert (first.notes, first.links, first.concepts, first.relations) == (1, 2, 2, 1)
    (memory.project / "vault/b.md").write_text("[[x]] [[z]]\n")
    assert memory.sync().notes == 2
    assert dict(memory.sync().by_store) == {"workflow": 0, "system": 0, "vault": 2}


def test_what_lies_around_a_concept(make: Make) -> None:
    memory = make(
        **{
            "vault/1.md": "[[a]] [[b]]\n",
            "vault/2.md": "[[A]] [[b]] [[c]]\n",
            "vault/3.md": "[[c]] [[d]]\n",
        }
    )
    around = memory.context("A", depth=2, content=True)
    assert (around.key, around.notes) == ("a", ("memory://vault/1", "memory://vault/2"))
    assert [(each.key, each.count) for each in around.relations] == [("b", 2), ("c", 1)]
    assert around.relations[0].notes == ("memory://vault/1", "memory://vault/2")
    assert [(each.key, each.depth) for each in around.expanded] == [("d", 2)]
    assert [each.text for each in around.previews] == ["a b", "A b c"]
    assert memory.context("[[a]]", max_results=1).relations == around.relations[:1]
    assert json.dumps(as_json(around))


def test_a_note_is_a_concept_too(make: Make) -> None:
    memory = make(**{"vault/Guide.md": "# The guide\n", "vault/1.md": "[[guide]] [[b]]\n"})
    around = memory.context("guide")
    assert (around.address, around.name) == ("memory://vault/Guide", "The guide")
    assert [each.key for each in around.relations] == ["b"]


def test_an_unknown_concept_names_near_ones(make: Make) -> None:
    memory = make(**{"vault/1.md": "[[machine learning]]\n"})
    with pytest.raises(NotFound) as refused:
        memory.context("machine lerning")
    assert refused.value.hint == "Near: machine learning."
    with pytest.raises(BadArgument):
        memory.context("machine learning", depth=0)


# Diffs


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_a_diff_says_all_that_changed(old: list[str], new: list[str], old_end: bool, new_end: bool) -> None:
    """Applied to the old text by its own words, it gives the new one."""
    before, after = "\n".join(old) + "\n" * old_end, "\n".join(new) + "\n" * new_end
    assert patched(before, unified("a.md", before.encode(), after.encode())) == after


@pytest.mark.parametrize("changed", range(20))
def test_a_diff_of_one_line_among_many_equal_ones(changed: int) -> None:
    lines = [f"at {number} -5 +7 of it\n" for number in range(20)]
    after = "".join([*lines[:changed], "new\n", *lines[changed + 1 :]])
    diff = unified("a.md", "".join(lines).encode(), after.encode())
    assert patched("".join(lines), diff) == after
    assert diff.count("\n") <= 2 + 1 + 2 + 2 * 3


def patched(text: str, diff: str) -> str:
    lines, made, done, last = text.splitlines(keepends=True), [], 0, ""
    for line in diff.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            made += lines[done:first]
            done = first
        elif line.startswith("\\"):
            if last != "-":
                made[-1] = made[-1].removesuffix("\n")
        else:
            if line[0] in " -":
                assert lines[done].removesuffix("\n") == line[1:].removesuffix("\n")
                done += 1
            if line[0] in " +":
                made.append(line[1:])
            last = line[0]
    return "".join([*made, *lines[done:]])


def test_a_memory_that_lives_long_keeps_one_document_a_note(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "log.md").write_text("# Log [[x]]\n")
    documents: dict[str, Document] = {}
    memory = open_memory(tmp_path, vaults=[("vault", vault)], documents=documents)
    for number in range(5):
        memory.edit("memory://vault/log", "append", f"line {number} [[x]]")
    assert len(documents) == 1
