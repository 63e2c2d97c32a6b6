"""What is read of front matter without YAML is what YAML reads."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memsite.markdown import visible
from memsite.markdown.flat import flat_properties
from memsite.markdown.front_matter import _load_yaml
from memsite.markdown.names import _CONTROL

PIECES = st.sampled_from(
    [
        "a", "b1", "title", "tags", "null", "~", "yes", "1.10", "2026-03-18T10:00:00Z", "é", "漢", " ", "  ", ":",
        ": ", ":\n", "\n", "\n- ", "\n  - ", "- ", "[", "]", ", ", ",", "'", '"', "#", " #", "&", "*", "!", "|", ">",
        "{", "}", "?", "%", "@", "`", "\\", "\t", "=", "<<", "---", "...", "\u2028", "\x85", "\ufeff", "_", "-", "/",
    ]
)  # fmt: skip
LINES = st.sampled_from(
    [
        "title: A note",
        "tags: [a, b c]",
        "tags:",
        "- a",
        "  - b",
        "x: 'it, is'",
        'y: "no: so"',
        "e:",
        "n: null",
        "",
    ]
)


@given(st.one_of(st.lists(PIECES).map("".join), st.lists(LINES, max_size=5).map("\n".join)))
@example('a: "x" y')
@example("a: 'it''s'")
@example("a: [x, 'y]']")
@example("a: b\n- c")
def test_what_is_read_flat_is_what_yaml_reads(block: str) -> None:
    flat = flat_properties(block)
    if flat is not None:
        assert _load_yaml(block) == (flat, [])


@pytest.mark.parametrize(
    ("block", "properties"),
    [
        ("", {}),
        ("title: A note, no more\ntags: [a, b-c]\ndate: 2026-03-18T10:00:00Z\n",
         {"title": "A note, no more", "tags": ["a", "b-c"], "date": "2026-03-18T10:00:00Z"}),
        ("tags:\n  - one\n  - \"two: three\"\nempty:\nnone: []\n",
         {"tags": ["one", "two: three"], "empty": "", "none": []}),
        ("metadata:\n  type: user\n", None),
        ("title: Notes: Admin\n", None),
        ("a: 1\na: 2\n", None),
        ("a: &x 1\n", None),
        ("a: b # c\n", None),
        ("a: null\n", None),
    ],
)  # fmt: skip
def test_the_usual_is_read_flat_and_the_rest_is_left(
    block: str, properties: dict[str, object] | None
) -> None:
    assert flat_properties(block) == properties


@given(st.text())
def test_what_can_be_printed_needs_no_spelling_out(text: str) -> None:
    assert visible(text) == text or _CONTROL.search(text)
    assert not _CONTROL.search(visible(text))
