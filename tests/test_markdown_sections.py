"""Sections as offsets into the text as it is on disk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsite.markdown import body_start, sections


def cut(text: str) -> list[tuple[str, int, str, str]]:
    """Name, level, heading line and body of each section."""
    return [
        (
            part.heading.text,
            part.heading.level,
            text[part.start : part.body_start],
            text[part.body_start : part.end],
        )
        for part in sections(text)
    ]


def test_a_section_ends_at_the_next_heading_of_its_level_or_above() -> None:
    text = "# Ops\n\n## Setup\n\nold\n\n### Linux\n\napt\n\n## Use\n\nrun\n"
    assert cut(text) == [
        ("Ops", 1, "# Ops\n", text[6:]),
        ("Setup", 2, "## Setup\n", "\nold\n\n### Linux\n\napt\n\n"),
        ("Linux", 3, "### Linux\n", "\napt\n\n"),
        ("Use", 2, "## Use\n", "\nrun\n"),
    ]
    assert [part.parents for part in sections(text)] == [(), ("Ops",), ("Ops", "Setup"), ("Ops",)]


def test_setext_crlf_bom_and_front_matter() -> None:
    text = "\ufeff---\r\ntitle: x\r\n---\r\nIntro\r\n=====\r\n\r\nhi\r\n\r\n## **B** [[c|d]] ##\r\n\r\nb"
    assert body_start(text) == text.index("Intro")
    assert cut(text) == [
        ("Intro", 1, "Intro\r\n=====\r\n", "\r\nhi\r\n\r\n## **B** [[c|d]] ##\r\n\r\nb"),
        ("B d", 2, "## **B** [[c|d]] ##\r\n", "\r\nb"),
    ]
    assert [part.source for part in sections(text)] == ["Intro", "**B** [[c|d]]"]


def test_only_top_level_headings_count() -> None:
    text = "## Log\n\n- item\n  ## in list\n\n> ## in quote\n\n<!--\n## hidden\n-->\n\n```\n# code\n```\n\n## Next\n"
    assert [part.heading.text for part in sections(text)] == ["Log", "Next"]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", 0),
        ("a", 0),
        ("---\n", 0),
        ("---\na: 1\n---", 12),
        ("\ufeffx", 1),
        ("---\nunclosed", 0),
        ("---\r\na: 1\r\n---\r\nb", 16),
    ],
)
def test_body_start(text: str, start: int) -> None:
    assert body_start(text) == start


@given(
    st.lists(
        st.sampled_from(["# a", "## b", "### a", "text", "", "```", "> # q", "Setext\n---", "- x"]),
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_sections_lie_in_order_inside_the_text(lines: list[str], newline: str) -> None:
    text = "\n".join(lines).replace("\n", newline)
    found = sections(text)
    for part in found:
        assert 0 <= part.start < part.body_start <= part.end <= len(text)
        assert part.heading.text.split()[-1] in text[part.start : part.body_start]
    assert [part.start for part in found] == sorted(part.start for part in found)
