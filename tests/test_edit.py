"""The four edit operations on text: what changes, what stays, what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memsite.edit import Edit, apply, apply_to_bytes, line_end, with_time
from memsite.errors import (
    BadArgument,
    BadEncoding,
    MatchCount,
    MemsiteError,
    SectionAmbiguous,
    SectionNotFound,
    WikiLinkRequired,
)
from memsite.markdown import body_start, sections

NOW = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
LITERAL = r"$& $1 \1 \n \g<0> $$5 C:\new\table %s {0} &amp;"


def edited(text: str, operation: str, new: str, **options) -> str:
    options.setdefault("allow_unlinked", True)
    return apply(text, Edit(operation, new, **options)).text


# append and prepend


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        ("---\ntitle: T\n---", "b", "---\ntitle: T\n---\n\nb\n"),
        ("a  \n", "b", "a  \n\nb\n"),
        ("a", "\n\nb\n\n", "a\n\nb\n"),
        ("a\n", "    code\n", "a\n\n    code\n"),
        ("a\r\n", "b", "a\r\n\r\nb\r\n"),
        ("---\n", "b", "---\n\nb\n"),
        ("---", "b", "---\n\nb\n"),
        ("---\n---\n", "b", "---\n---\n\nb\n"),
        ("---\n---", "b", "---\n---\n\nb\n"),
        ("---\n# note to self\n---\nbody\n", "b", "---\n# note to self\n---\nbody\n\nb\n"),
        ("---\ntitle: x\n\nLong text.\n", "b", "---\ntitle: x\n\nLong text.\n\nb\n"),
        ("---\n\ntext\n", "b", "---\n\ntext\n\nb\n"),
        ("\ufeff", "b", "\ufeffb\n"),
        ("\ufeff---\ntitle: T\n---\n# H\n", "b", "\ufeff---\ntitle: T\n---\n# H\n\nb\n"),
        ("a\n", "\ufeffb", "a\n\nb\n"),
        (
            "---\ntitle: Notes: Admin\ncreated: 2026-01-02\n---\n\nbody\n",
            "more",
            "---\ntitle: Notes: Admin\ncreated: 2026-01-02\n---\n\nbody\n\nmore\n",
        ),
        ("a\u3000\n", "b", "a\u3000\n\nb\n"),
        ("text\x00more\n", "b", "text\x00more\n\nb\n"),
        ("\n  ", "b", "b\n"),
        ("a\nb\r\n", "c", "a\nb\r\n\nc\n"),
    ],
)
def test_append(old: str, new: str, right: str) -> None:
    assert edited(old, "append", new) == right


@pytest.mark.parametrize(
    ("old", "right"),
    [
        ("a", "b\n\na"),
        ("\n\na\n", "\n\nb\n\na\n"),
        ("---\nt: 1\n---\na\n", "---\nt: 1\n---\nb\n\na\n"),
        ("---\nt: 1\n---\n\na\n", "---\nt: 1\n---\n\nb\n\na\n"),
        ("---\r\nt: 1\r\n---\r\na\r\n", "---\r\nt: 1\r\n---\r\nb\r\n\r\na\r\n"),
        ("\ufeffa\n", "\ufeffb\n\na\n"),
        ("---\nt: 1\n---\n", "---\nt: 1\n---\n\nb\n"),
        ("    code\n", "b\n\n    code\n"),
        ("\n\t", "b\n"),
    ],
)
def test_prepend(old: str, right: str) -> None:
    assert edited(old, "prepend", "b") == right


def test_tight_text_keeps_list_items_together() -> None:
    assert edited("- a\n", "append", "- b", tight=True) == "- a\n- b\n"
    assert edited("- a", "append", "- b", tight=True) == "- a\n- b\n"
    assert edited("- a\n", "prepend", "- b", tight=True) == "- b\n- a\n"


@pytest.mark.parametrize("operation", ["append", "prepend"])
@pytest.mark.parametrize("blank", ["", "  ", "\n\t\n", "\ufeff"])
def test_nothing_to_add_is_refused(operation: str, blank: str) -> None:
    with pytest.raises(BadArgument, match="nothing to add"):
        edited("a [[x]]\n", operation, blank)


# find_replace


@pytest.mark.parametrize(
    ("find", "expected", "found"), [("two", 1, 2), ("three", None, 0), ("two", 0, 2), ("three", 2, 0)]
)
def test_another_count_is_refused(find: str, expected: int | None, found: int) -> None:
    with pytest.raises(MatchCount) as refused:
        edited("one two two\n", "find_replace", "x", find=find, expected_count=expected)
    assert refused.value.details == {"found": found, "expected": expected}
    assert str(found) in refused.value.message


@pytest.mark.parametrize(
    ("old", "find", "new", "right"),
    [
        ("abc a.c\n", "a.c", "x", "abc x\n"),
        ("aaaa\n", "aa", "a", "aa\n"),
        ("price: X\n", "X", LITERAL, f"price: {LITERAL}\n"),
        ("see [[x\n", "[[x", "y", "see y\n"),
        ("a\nb\nc\n", "b\n", "", "a\nc\n"),
    ],
)
def test_find_text_and_new_text_are_literal(old: str, find: str, new: str, right: str) -> None:
    assert edited(old, "find_replace", new, find=find) == right


def test_front_matter_is_out_of_reach() -> None:
    old = "---\ntitle: foo\ntags: [foo]   # foo\n---\n\nfoo\n"
    result = apply(old, Edit("find_replace", "bar", find="foo", allow_unlinked=True))
    assert (result.text, result.count) == (old.replace("\n\nfoo", "\n\nbar"), 1)
    whole = Edit("find_replace", "bar", find="foo", allow_unlinked=True, whole_file=True)
    with pytest.raises(MatchCount):
        apply(old, whole)
    assert apply(old, replace(whole, expected_count=4)).text == old.replace("foo", "bar")


def test_text_to_find_is_needed() -> None:
    for find in (None, ""):
        with pytest.raises(BadArgument):
            edited("a\n", "find_replace", "b", find=find)


@pytest.mark.parametrize("expected", [None, 2])
def test_replacing_inside_a_link_is_done_and_reported(expected: int | None) -> None:
    edit = Edit("find_replace", "[[guide]]", find="guide", expected_count=expected)
    result = apply("see [[guide]] and guide\n", edit)
    assert result.text == "see [[[[guide]]]] and [[guide]]\n"
    (finding,) = result.findings
    assert (finding.code, finding.line, finding.column) == ("W007", 1, 5)
    assert "find '[[guide]]'" in finding.hint


def test_replacing_inside_the_only_link_goes_through() -> None:
    result = apply("a [[machine learning]]\n", Edit("find_replace", "[[ML]]", find="machine learning"))
    assert result.text == "a [[[[ML]]]]\n"
    assert [finding.code for finding in result.findings] == ["W007"]


@pytest.mark.parametrize(
    ("old", "find", "new"),
    [
        ("[[guide]] x\n", "guide", "manual"),
        ("x ]] [[c]]\n", "x", "[[z]]"),
        ("[[c]] x ]]\n", "x", "[[z]]"),
        ("[[ x\n[[c]]\n", "x", "[[z]]"),
    ],
)
def test_a_link_that_stays_whole_is_not_reported(old: str, find: str, new: str) -> None:
    assert apply(old, Edit("find_replace", new, find=find, allow_unlinked=True)).findings == ()


def test_nested_links_are_placed_in_the_new_text() -> None:
    edit = Edit("find_replace", "[[z]]\n[[w]]", find="x")
    result = apply("\nx\n [[x]]\n[[a|x b]]\n", edit)
    assert result.text == "\n[[z]]\n[[w]]\n [[[[z]]\n[[w]]]]\n[[a|[[z]]\n[[w]] b]]\n"
    assert [(each.line, each.column) for each in result.findings] == [(4, 2), (6, 1)]
    assert [each.hint.partition("find ")[2] for each in result.findings] == ["'[[x]]'.", "'[[a|x b]]'."]


def test_a_nested_link_is_placed_after_replaced_lines_are_gone() -> None:
    edit = Edit("find_replace", "[[z]]", find="x\ny")
    result = apply("x\ny\n[[x\ny]]\n[[x\ny]]\n", edit)
    assert result.text == "[[z]]\n[[[[z]]]]\n[[[[z]]]]\n"
    assert [(each.line, each.column) for each in result.findings] == [(2, 1), (3, 1)]


def test_in_the_whole_file_several_matches_need_a_count() -> None:
    assert edited("x\n[[y]]\n", "find_replace", "z", find="x", whole_file=True) == "z\n[[y]]\n"
    with pytest.raises(MatchCount, match=r"occurs 2 times, expected a count\."):
        edited("x [[y]] x\n", "find_replace", "z", find="x", whole_file=True)
    with pytest.raises(MatchCount, match=r"occurs 0 times, expected at least 1\."):
        edited("x [[y]] x\n", "find_replace", "z", find="q")


def test_a_refused_edit_names_what_the_note_links_to() -> None:
    with pytest.raises(WikiLinkRequired) as refused:
        edited("[[a#b]] [[c]]\n", "append", "no link", allow_unlinked=False)
    assert refused.value.hint.startswith("Name a concept, such as [[c]], [[a#b]]; ")
    with pytest.raises(WikiLinkRequired) as refused:
        edited("none\n", "append", "no link", allow_unlinked=False)
    assert refused.value.hint.startswith("Add [[a concept]]; ")


def test_without_a_time_the_front_matter_stays() -> None:
    old = "---\nmodified: 2020-01-01\n---\na\n"
    assert edited(old, "append", "b") == old + "\nb\n"


def test_replacing_beside_a_link_is_not_reported() -> None:
    result = apply("[[guide]] and guide\n", Edit("find_replace", "and [[guide]]", find="and guide"))
    assert (result.text, result.findings) == ("[[guide]] and [[guide]]\n", ())


# replace_section


@pytest.mark.parametrize(
    ("old", "section", "new", "right"),
    [
        (
            "# Ops\n\n## Setup\n\nold text\n\n### Linux\n\napt\n\n## Use\n\nrun it\n",
            "Setup",
            "new text",
            "# Ops\n\n## Setup\n\nnew text\n\n## Use\n\nrun it\n",
        ),
        ("## Setup\n\na\n\n## Setup notes\n\nb\n", "Setup", "X", "## Setup\n\nX\n\n## Setup notes\n\nb\n"),
        (
            "## Linux\n\n### Install\n\na\n\n## Mac\n\n### Install\n\nb\n",
            "Mac/Install",
            "X",
            "## Linux\n\n### Install\n\na\n\n## Mac\n\n### Install\n\nX\n",
        ),
        (
            "## Plan\n\nold\n\n## Next\n\nn\n",
            "Plan",
            "## Plan\n\nnew\n\n## Risks\n\nr",
            "## Plan\n\nnew\n\n## Risks\n\nr\n\n## Next\n\nn\n",
        ),
        (
            "Intro\n=====\n\nhi\n\nSetup\n-----\n\nold\n\nUse\n---\n\nu\n",
            "Setup",
            "new",
            "Intro\n=====\n\nhi\n\nSetup\n-----\n\nnew\n\nUse\n---\n\nu\n",
        ),
        (
            "## Log\n\n- item\n  ## in list\n\n> ## in quote\n\n<!--\n## hidden\n-->\n\nend\n\n## Next\n\nn\n",
            "Log",
            "fresh",
            "## Log\n\nfresh\n\n## Next\n\nn\n",
        ),
        ("## Count\n\nold\n", "Count", "5 items cost $1", "## Count\n\n5 items cost $1\n"),
        (
            "## **Setup** with [[guide|how-to]] & `make`\n\nold\n",
            "Setup with how-to & make",
            "new",
            "## **Setup** with [[guide|how-to]] & `make`\n\nnew\n",
        ),
        (
            "## **Setup** with [[guide|how-to]] & `make`\n\nold\n",
            "**Setup** with [[guide|how-to]] & `make`",
            "new",
            "## **Setup** with [[guide|how-to]] & `make`\n\nnew\n",
        ),
        (
            "\ufeff## A\r\n\r\nold\r\n\r\n## B\r\n\r\nb\r\n",
            "A",
            "one\ntwo",
            "\ufeff## A\r\n\r\none\r\ntwo\r\n\r\n## B\r\n\r\nb\r\n",
        ),
        ("## A\n\n## B\n", "A", "x", "## A\n\nx\n\n## B\n"),
        ("## A\n## B\n", "A", "x", "## A\n\nx\n\n## B\n"),
        ("## A", "A", "x", "## A\n\nx"),
        ("## A\n", "A", "x", "## A\n\nx\n"),
        ("## A\n\nold", "A", "x", "## A\n\nx"),
        ("## A ##\n\nold\n", "A", "x", "## A ##\n\nx\n"),
        ("   ## A\n\nold\n", "A", "x", "   ## A\n\nx\n"),
        ("```\n## A\n```\n\n## A\n\nold\n", "A", "x", "```\n## A\n```\n\n## A\n\nx\n"),
        ("# A/B\n\na\n\n# A\n\n## B\n\nb\n", "A/B", "x", "# A/B\n\nx\n\n# A\n\n## B\n\nb\n"),
        ("# A\n\na\n\n## A\n\nb\n", "## A", "x", "# A\n\na\n\n## A\n\nx\n"),
        ("---\nA: 1\n---\n# A\n\na\n", "A", "x", "---\nA: 1\n---\n# A\n\nx\n"),
        ("## A\n\nold\n\n## B\n", "A", "", "## A\n\n## B\n"),
        ("## A\n\nold\n\n## B\n", "A", "### A\n\nx", "## A\n\n### A\n\nx\n\n## B\n"),
        ("## A\n\nold\n", "A", LITERAL, f"## A\n\n{LITERAL}\n"),
    ],
)
def test_replace_section(old: str, section: str, new: str, right: str) -> None:
    assert edited(old, "replace_section", new, section=section) == right


def test_removed_and_added_sections_are_told() -> None:
    old = "## A\n\na\n\n### A1\n\nb\n"
    result = apply(old, Edit("replace_section", "x\n\n## C\n\ny", section="A", allow_unlinked=True))
    assert result.remarks == ("removes section A1", "adds section C")
    kept = Edit("replace_section", "x", section="A", allow_unlinked=True, own_text_only=True)
    assert apply(old, kept).text == "## A\n\nx\n\n### A1\n\nb\n"
    assert apply(old, kept).remarks == ()


def test_text_that_swallows_what_follows_is_told() -> None:
    old = "## A\n\na\n\n## B\n\nb\n"
    result = apply(old, Edit("replace_section", "```\nopen", section="A", allow_unlinked=True))
    assert result.text == "## A\n\n```\nopen\n\n## B\n\nb\n"
    assert result.remarks == ("hides section B: the new text leaves a block open",)


def test_one_of_several_equal_sections() -> None:
    old = "# T\n\n## A\n\na\n\n## A\n\nb\n"
    with pytest.raises(SectionAmbiguous) as refused:
        edited(old, "replace_section", "x", section="A")
    assert refused.value.details["lines"] == [3, 7]
    assert edited(old, "replace_section", "x", section="A", nth=2) == "# T\n\n## A\n\na\n\n## A\n\nx\n"
    with pytest.raises(SectionNotFound):
        edited(old, "replace_section", "x", section="A", nth=3)


def test_equal_sections_are_listed_with_place_and_line() -> None:
    old = "## Linux\n\n### Install\n\na\n\n## Mac\n\n### Install\n\nb\n"
    for before in ("", "# Guide\n"):
        with pytest.raises(SectionAmbiguous, match="2 sections are called 'Install'") as refused:
            edited(before + old, "replace_section", "x", section="Install")
        assert refused.value.details["candidates"] == ["Linux/Install", "Mac/Install"]
    assert "Linux/Install line 4, Mac/Install line 10." in refused.value.message


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Open items", "Did you mean 'Open items #urgent'?"),
        ("open items #urgent", "Did you mean 'Open items #urgent'?"),
        ("in quote", "Line 7 stands inside a quote"),
        ("hidden", "Line 10 stands inside a quote, list, code or comment"),
        ("nothing like it", "Headings: 'Setup', 'Open items #urgent'."),
        ("Setup/", "Headings: 'Setup', 'Open items #urgent'."),
        ("Setpu", "Did you mean 'Setup'?"),
    ],
)
def test_a_missing_section_is_explained(name: str, hint: str) -> None:
    old = "## Setup\n\na\n\n## Open items #urgent\n\n> ## in quote\n\n<!--\n## hidden\n-->\n"
    with pytest.raises(SectionNotFound) as refused:
        edited(old, "replace_section", "x", section=name)
    assert refused.value.hint.startswith(hint)


def test_of_several_near_sections_each_is_named_once() -> None:
    with pytest.raises(SectionNotFound) as refused:
        edited("# Setup a\n\n# Setup b\n\n# Sets\n", "replace_section", "x", section="setup")
    assert refused.value.hint == "Did you mean 'Setup a' or 'Setup b' or 'Sets'?"
    assert refused.value.details["near"] == ["Setup a", "Setup b", "Sets"]


def test_of_many_headings_the_first_eight_are_named() -> None:
    old = "".join(f"# h{number}\n\n" for number in range(9))
    with pytest.raises(SectionNotFound) as refused:
        edited(old, "replace_section", "x", section="nothing like it")
    assert refused.value.hint == "Headings: 'h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'."
    assert len(refused.value.details["sections"]) == 9


def test_a_note_without_headings_has_no_section() -> None:
    with pytest.raises(SectionNotFound, match="no section"):
        edited("text\n", "replace_section", "x", section="A")
    with pytest.raises(BadArgument):
        edited("text\n", "replace_section", "x", section="  ")


# The rule that a note is linked


@pytest.mark.parametrize("new", ["plain", "`[[x]]`", "[[]]", "[[[[x]]]]", "```\n[[x]]\n```"])
def test_new_text_without_a_link_is_refused(new: str) -> None:
    with pytest.raises(WikiLinkRequired) as refused:
        apply("a [[one]] [[two]] [[three]] [[four]]\n", Edit("append", new))
    assert refused.value.details == {"concepts": ["one", "two", "three"]}
    assert "[[one]], [[two]], [[three]]" in refused.value.hint
    assert apply("a\n", Edit("append", new, allow_unlinked=True)).text == f"a\n\n{new}\n"


def test_a_note_is_not_left_without_a_link() -> None:
    with pytest.raises(WikiLinkRequired, match="left without"):
        apply("```\nold\n```\n", Edit("find_replace", "[[x]]", find="old"))


def test_a_check_that_changes_nothing_needs_no_link() -> None:
    edit = Edit("find_replace", "3", find="three", expected_count=0)
    assert apply("one\n", edit, now=NOW).text == "one\n"


def test_unknown_operation() -> None:
    with pytest.raises(BadArgument):
        apply("a", Edit("sing", "b"))  # type: ignore[arg-type]


# The time of the change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('modified: "2026-01-05"   # by hand', 'modified: "2026-03-04"   # by hand'),
        ("modified: 2026-01-05", "modified: 2026-03-04"),
        ("updated: 2026-01-05T10:00:00Z", "updated: 2026-03-04T05:06:07Z"),
        ("updated: '2026-01-05 10:00'", "updated: '2026-03-04 05:06'"),
        ("modified: 2026-01-05T10:00:00.123+02:00", "modified: 2026-03-04T05:06:07.890+00:00"),
        ("modified: March 5", "modified: 2026-03-04T05:06:07Z"),
        ("modified:", "modified: 2026-03-04T05:06:07Z"),
        ("modified: |\n  text", "modified: |\n  text"),
        ("created: 2026-01-05", "created: 2026-01-05"),
        ("meta:\n  modified: 2026-01-05", "meta:\n  modified: 2026-01-05"),
        ("modified: 2026-01-05\nbad: a: b", "modified: 2026-01-05\nbad: a: b"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_a_key_that_is_there_gets_the_time(old: str, new: str, end: str) -> None:
    frame = "---\ntitle: T\n{}\n---\n\nmodified: 2026-01-05\n"
    before, after = (frame.format(block).replace("\n", end) for block in (old, new))
    assert with_time(before, NOW) == after
    assert with_time("\ufeff" + before, NOW) == "\ufeff" + after


def test_an_edit_moves_the_time_only_if_it_changes_something() -> None:
    old = "---\nmodified: 2026-01-05\n---\nsame [[x]]\n"
    assert "2026-03-04" in apply(old, Edit("append", "b [[x]]"), now=NOW).text
    same = Edit("find_replace", "same [[x]]", find="same [[x]]")
    assert apply(old, same, now=NOW).text == old


# Bytes


@pytest.mark.parametrize(
    "content",
    [b"# Caf\xe9\n\nnot utf-8: \xff\xfe and \xed\xa0\x80\n", "\ufeff# T\n".encode("utf-16-le"), b"\0" * 4096],
)
def test_other_encodings_are_refused(content: bytes) -> None:
    with pytest.raises(BadEncoding):
        apply_to_bytes(content, Edit("append", "[[x]]"))


def test_new_text_that_is_no_unicode_is_refused() -> None:
    for edit in (Edit("append", "[[x]] \udcff"), Edit("append", "\udcff", allow_unlinked=True)):
        with pytest.raises(BadEncoding):
            apply_to_bytes(b"a\n", edit)


def test_bytes_in_bytes_out() -> None:
    assert (
        apply_to_bytes(b"\xef\xbb\xbfa\r\n", Edit("append", "[[x]]"))[0] == b"\xef\xbb\xbfa\r\n\r\n[[x]]\r\n"
    )


# Properties

LINES = st.sampled_from(
    ["", "text", "  ", "# One", "## Two", "### Three", "Setext", "---", "===", "> ## quoted", "- item", "```", "[[x]]",
     "title: a", "<!--", "-->", "    code", "\ttab", "caf\u00e9 \U0001f600", "\u2028", "a\x0bb", "\r", "| a | b |"]
)  # fmt: skip
NOTES = st.builds(
    lambda bom, lines, end, last: bom + end.join(lines) + last,
    st.sampled_from(["", "\ufeff"]),
    st.lists(LINES, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\r\n"]),
)
NEW = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff"), max_size=12).filter(
    lambda s: s.strip()
)


@given(NOTES, NEW)
def test_append_keeps_all_but_blank_lines_at_the_end(old: str, new: str) -> None:
    result = edited(old, "append", new)
    assert result.startswith(old[: body_start(old)])
    assert result.startswith(old.rstrip(" \t\r\n"))
    assert result.endswith(line_end(old))


@given(NOTES, NEW)
def test_prepend_keeps_everything(old: str, new: str) -> None:
    result = edited(old, "prepend", new)
    assume(old[body_start(old) :].strip(" \t\r\n"))
    common = len(result) - len(old)
    places = [
        at for at in range(len(old) + 1) if result[:at] == old[:at] and result[at + common :] == old[at:]
    ]
    assert places
    assert places[-1] >= body_start(old)


@given(NOTES, NEW)
def test_append_and_find_replace_back_gives_the_old_text(old: str, new: str) -> None:
    # Of a file with both line ends the new text takes one, and a search for it finds either.
    assume("\r" not in old.replace("\r\n", "") and old.count("\r\n") in (0, old.count("\n")))
    assume(body_start(old + "\n\n") == body_start(old))
    old = edited(old, "append", "base")
    end = line_end(old)
    grown = edited(old, "append", new)
    assume(body_start(grown) == body_start(old))
    addition = grown[len(old) :]
    assume(grown.count(end + addition) == 1 and grown.endswith(end + addition))
    assert edited(grown, "find_replace", end, find=end + addition) == old


@given(NOTES, NEW, st.text(min_size=1, max_size=2, alphabet="text\n#- "))
def test_find_replace_changes_the_matches_only(old: str, new: str, find: str) -> None:
    start = body_start(old)
    assume("\r" not in old)
    try:
        result = edited(old, "find_replace", new, find=find)
    except MatchCount:
        assert find not in old[start:]
        return
    assert result == old[:start] + new.replace("\r\n", "\n").join(old[start:].split(find))


@given(NOTES, NEW, st.integers(0, 20), st.booleans())
def test_replace_section_changes_that_section_only(old: str, new: str, which: int, own: bool) -> None:
    outline = sections(old)
    assume(outline)
    section = outline[which % len(outline)]
    same = [each for each in outline if each.heading.text == section.heading.text]
    options = {"section": section.heading.text, "nth": same.index(section) + 1, "own_text_only": own}
    try:
        result = edited(old, "replace_section", new, **options)
    except MemsiteError:
        assert not section.heading.text.strip() or "/" in section.heading.text
        return
    stop = min([each.start for each in outline if each.start > section.start], default=len(old))
    rest = old[stop if own else section.end :]
    assert result.startswith(old[: section.body_start])
    assert result.endswith(rest)


@given(NOTES, st.sampled_from(["append", "prepend", "find_replace", "replace_section"]), NEW)
def test_operations_end_in_text_or_a_refusal(old: str, operation: str, new: str) -> None:
    edit = Edit(operation, new, find="t", section="One", allow_unlinked=True)
    try:
        content, _ = apply_to_bytes(old.encode(), edit, now=NOW)
    except MemsiteError:
        return
    assert content.decode().startswith("\ufeff") == old.startswith("\ufeff")
