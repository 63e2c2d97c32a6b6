"""What changed between two memories, and that it reads well."""

from __future__ import annotations

import json
from collections.abc import Mapping

import jsonschema
import pytest
from markdown_it import MarkdownIt

from memsite.check import Budget, check
from memsite.graph import resolve
from memsite.markdown import describe, parse
from memsite.note import Source, StoreView
from memsite.report import (
    Health,
    MemoryDiff,
    State,
    compare,
    diff_line,
    diff_markdown,
    json_report,
    json_schema,
    report,
)

LONG = " ".join(f"word{number}" for number in range(60))


def state(files: Mapping[str, str], *budgets: Budget) -> State:
    notes = []
    for path, text in files.items():
        content = text.encode()
        notes.append(
            describe(
                Source("notes", "vault", path, content, text[:200] + str(len(text)), 0.0), parse(content)
            )
        )
    graph = resolve(notes, [StoreView("notes", "vault", "notes", "notes/")])
    return State(graph, check(graph), budgets)


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> MemoryDiff:
    return compare(state(before), state(after))


def paths(rows: tuple[object, ...]) -> list[str]:
    return [row.path for row in rows]  # type: ignore[attr-defined]


def test_nothing_changed() -> None:
    files = {"a.md": "[[b]]", "b.md": "[[c]]"}
    same = diff(files, files)
    assert same.empty
    assert diff_line(same) == "Nothing."


def test_added_removed_changed() -> None:
    found = diff(
        {"a.md": "# A\n\n[[x]]", "b.md": "# B\n\n[[x]] old"},
        {"b.md": "# B\n\n[[x]] new and more", "c.md": "# C\n\n[[x]]"},
    )
    assert paths(found.added) == ["notes/c.md"]
    assert paths(found.removed) == ["notes/a.md"]
    assert [(change.path, change.words) for change in found.changed] == [("notes/b.md", 2)]
    assert found.moved == ()
    assert not found.empty
    assert not diff({"a.md": "# A\n\n[[x]]"}, {"a.md": "# A\n\n[[x]] more"}).empty


def test_moved_with_the_same_bytes_and_with_edits() -> None:
    before = {"a.md": f"# A\n\n{LONG} [[x]]", "b.md": f"# B\n\nquite another {LONG[::-1]} [[x]]"}
    after = {"new/a.md": f"# A\n\n{LONG} [[x]]", "z.md": f"# B\n\nquite another {LONG[::-1]} [[x]] and a bit"}
    found = diff(before, after)
    assert [(change.before, change.path, change.edited) for change in found.moved] == [
        ("notes/a.md", "notes/new/a.md", False),
        ("notes/b.md", "notes/z.md", True),
    ]
    assert (found.added, found.removed, found.changed) == ((), (), ())


def test_a_move_within_text_without_blanks() -> None:
    text = "系统记忆的整理方法需要长期坚持并且不断复盘才能形成真正有用的知识网络结构" * 2
    found = diff({"a.md": f"{text}[[x]]"}, {"b.md": f"{text}补充一句[[x]]"})
    assert [change.path for change in found.moved] == ["notes/b.md"]


@pytest.mark.parametrize("other", [LONG[::-1], " ".join(LONG.split()[::-1])])
def test_unlike_notes_are_not_a_move(other: str) -> None:
    found = diff({"a.md": f"{LONG} [[x]]"}, {"b.md": f"{other} [[x]]"})
    assert (len(found.added), len(found.removed), found.moved) == (1, 1, ())


def moves(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str]]:
    moved = diff(before, after).moved
    return [(change.before.removeprefix("notes/"), change.path.removeprefix("notes/")) for change in moved]


def test_of_several_places_a_note_went_to_the_likeliest() -> None:
    near, far, other = f"{LONG} one", f"{LONG} one two three four five", f"{LONG[::-1]} x"
    assert moves({"a.md": LONG, "b.md": other}, {"z.md": LONG, "b2.md": other, "copy.md": near}) == [
        ("b.md", "b2.md"),
        ("a.md", "z.md"),
    ], "equal bytes go before likeness; in the order of the new paths"
    assert moves({"a.md": LONG}, {"c.md": far, "d.md": near, "e.md": far}) == [("a.md", "d.md")]
    words = LONG.split()
    late, early = " ".join(words[9:]), " ".join(words[:-9])
    assert moves({"a.md": LONG}, {"c.md": late, "d.md": early}) == [("a.md", "c.md")], "then by path"
    assert moves({"a.md": LONG, "b.md": far}, {"c.md": near, "d.md": f"{far} six"}) == [
        ("a.md", "c.md"),
        ("b.md", "d.md"),
    ], "each place is taken once"


@pytest.mark.parametrize(("left", "moved"), [(48, True), (35, False)])
def test_how_much_must_stay_of_a_note_that_moved(left: int, moved: bool) -> None:
    """60 words make 57 runs of four, so 0.6 of them are in 38 words."""
    assert bool(moves({"a.md": LONG}, {"b.md": " ".join(LONG.split()[:left])})) == moved


def test_a_move_makes_no_links_and_no_problems() -> None:
    before = {"a.md": f"{LONG} [[gone.md]] [[b]]", "b.md": "[[c]]"}
    after = {"sub/a.md": f"{LONG} [[gone.md]] [[b]]", "b.md": "[[c]]"}
    found = diff(before, after)
    assert (found.links_made, found.links_gone, found.new, found.fixed) == ((), (), (), ())
    assert [problem.code for problem in found.still] == ["W005"]


def test_links_and_concepts() -> None:
    before = {"a.md": "[[b]] [[old]] [[c.md]]", "b.md": "[[old]]", "c.md": "[[x]]"}
    after = {"a.md": "[[fresh]] [[c.md]]", "b.md": "[[a]]"}
    found = diff(before, after)
    assert [(link.path, link.target) for link in found.links_made] == [
        ("notes/a.md", "[[fresh]]"),
        ("notes/b.md", "notes/a.md"),
    ]
    assert [(link.path, link.target) for link in found.links_gone] == [
        ("notes/a.md", "[[old]]"),
        ("notes/a.md", "notes/b.md"),
        ("notes/a.md", "notes/c.md"),
        ("notes/b.md", "[[old]]"),
    ]
    assert [(link.path, link.target) for link in found.links_broken] == [("notes/a.md", "c.md")]
    assert found.concepts_came == ("fresh",)
    assert found.concepts_went == ("old", "x")
    assert [problem.code for problem in found.new] == ["W005"]


def test_problems_new_fixed_still() -> None:
    found = diff({"a.md": "[[x.md]] [[y.md]] [[c]]"}, {"a.md": "# More\n\n[[y.md]] [[z.md]] [[c]]"})
    names = [
        [problem.message.split("'")[1] for problem in side] for side in (found.new, found.fixed, found.still)
    ]
    assert names == [["z.md"], ["x.md"], ["y.md"]]


def test_budgets_are_paired() -> None:
    one, two = Budget("MEMORY.md", 100, 200, 5000, 25000), Budget("MEMORY.md", 210, 200, 6000, 25000)
    found = compare(state({"a.md": "[[b]]"}, one), state({"a.md": "[[b]]"}, two))
    assert found.budgets == ((one, two),)
    assert "100 → 210 of 200 ⚠️" in diff_markdown(found)
    also = [Budget(f"{name}/MEMORY.md", 1, 200, 5, 25000) for name in "fbdaec"]
    found = compare(state({"a.md": "[[b]]"}, *also[:3]), state({"a.md": "[[b]]"}, *also[2:]))
    assert [(was and was.path[0], now and now.path[0]) for was, now in found.budgets] == [
        (None, "a"), ("b", None), (None, "c"), ("d", "d"), (None, "e"), ("f", None),
    ]  # fmt: skip
    gone = compare(state({"a.md": "[[b]]"}, one), state({"a.md": "[[b]]"}))
    assert "100 → gone" in diff_markdown(gone)


def test_the_comment_reads_well() -> None:
    before = {"a.md": "# A\n\n[[b]] [[old]]", "b.md": "# B\n\n[[old]]", "gone.md": "# Gone | away\n\n[[old]]"}
    after = {"a.md": "# A\n\n[[b]] [[fresh]] [[lost.md]]", "b.md": "# B\n\n[[old]]"}
    text = diff_markdown(diff(before, after))
    assert text.startswith(
        "### What changed\n\n2 notes (1 removed, 1 changed), 1 link made, 1 gone, 0 broken; "
        "findings: 1 new, 0 fixed, 0 still there.\n"
    )
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<code>notes/gone.md</code> Gone | away" in html
    assert html.index("New findings") < html.index("Notes removed") < html.index("New concepts")


def test_it_is_part_of_every_report() -> None:
    found = diff({"a.md": "[[b]]"}, {"a.md": "[[b]]", "n.md": "# New\n\n[[lost.md]]"})
    files = report(Health((), diff=found))
    jsonschema.Draft202012Validator(json_schema()).validate(json.loads(files["report.json"]))
    for name in ("summary.md", "report.json", "report.html"):
        assert "notes/n.md" in files[name].decode()
    assert json.loads(json_report(Health(())))["diff"] is None
