"""Links, headings, tags and text that the parser finds, each at its line and column."""

import time

import pytest

from memsite.markdown import parse
from memsite.note import Document

FRONT = "---\ntitle: x\n---\n"


def places(document: Document) -> list[tuple[str, int, int]]:
    return [(link.target, link.line, link.column) for link in document.links]


@pytest.mark.parametrize(
    "text",
    [
        "[[a]] and [[b|B]]\n",
        "> quote [[a]]\n> more\n>> deep [[b]]\n",
        "- item [[a]]\n  - sub [[b]]\n\n    para [[c]]\n",
        "1. one\n   two [[a]]\n\n   > three `[[no]]` [[b]]\n",
        "| a | b |\n|---|---|\n| [[a\\|A]] x | `[[a]]` [[a]] |\n| [[c]] | [[c]] |\n",
        "Setext [[a]]\n====\n\n## ATX [[b]] ##\n",
        "> [!note] Title [[a]]\n> body [[b]]\n",
        "- [ ] task [[a]]\n- [x] done [[b]] ^id\n",
        "text[^1] [[a]]\n\n[^1]: note [[b]]\n",
        "lazy\n[[a]]\n   indented [[b]]\n",
        "==[[a]]== **[[b]]** ~~[[c]]~~ [t](x.md) ![p](q.png)\n",
    ],
)
@pytest.mark.parametrize("front", ["", FRONT])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_each_link_is_at_its_place(text: str, front: str, newline: str) -> None:
    source = front + text
    lines = source.split("\n")
    document = parse(source.replace("\n", newline).encode())
    assert document.links
    for link in document.links:
        opening = lines[link.line - 1][link.column - 1 :]
        assert opening.startswith(("[[" + link.target, "![[" + link.target, "[t](", "![p]("))
    assert len(set(places(document))) == len(document.links)


def test_column_counts_characters() -> None:
    assert places(parse("会议🚀 [[a]]".encode())) == [("a", 1, 5)]


def test_context_is_the_sentence_around_the_link() -> None:
    document = parse(b"First one. Then **we** saw [[b|the b]] there. Last one.\n")
    (link,) = document.links
    assert (link.context.before, link.context.link, link.context.after) == (
        "Then we saw ",
        "the b",
        " there.",
    )
    long = parse(("word " * 100 + "[[x]]" + " word" * 100).encode()).links[0].context
    assert len(long.before) < 170
    assert long.before.startswith("…")
    assert long.after.endswith("…")


def test_typed_relations() -> None:
    document = parse(
        b"- used_by [[X]] (why)\n- see also [[Y]] and [[Z]]\n- plain text and [[W]]\n\nused_by [[V]]\n"
    )
    assert [link.relation for link in document.links] == ["used_by", "see also", None, "plain text and", None]


def test_links_in_front_matter() -> None:
    text = '---\nup: "[[Index]]"\nrelated: [[note a]]\nseen:\n  - "[[b|Bee]]"\nboth: \'[[c]] and [[d]]\'\nlinks: [e, f-g]\n---\n'
    document = parse(text.encode())
    assert [(link.target, link.label, link.line) for link in document.links] == [
        ("Index", None, 2), ("note a", None, 3), ("b", "Bee", 5), ("c", None, 6), ("d", None, 6),
        ("e", None, 7), ("f-g", None, 7),
    ]  # fmt: skip
    assert {link.kind for link in document.links} == {"property"}
    assert [(found.code, found.line, found.severity) for found in document.findings] == [("W010", 3, "info")]


def test_tags_blocks_and_ignores() -> None:
    text = "<!-- memsite-ignore W011 -->\n\n#one #two/three #1 a#b #四 `#code`\n\n<!-- memsite-ignore W005, W008 -->\ntext ^blk\n"
    document = parse(text.encode())
    assert document.tags == ("one", "two/three", "四")
    assert document.blocks == ("blk",)
    assert document.ignores == ((0, "W011"), (5, "W005"), (5, "W008"))


def test_text_has_no_comment_and_marks_code_and_links() -> None:
    document = parse(b"# Head\n\nvisible %%hidden%% <!-- gone --> `code` and [[a|label]]\n")
    assert document.text == "Head\nvisible   code and label"
    assert [document.text[start:end] for start, end in document.opaque] == ["code", "label"]


def test_pictures_in_html_are_links_like_others() -> None:
    (link,) = parse(b'<img src="img/my%20pic.png" alt="A" width=30>').links
    assert (link.target, link.label, link.size, link.embed, link.image) == (
        "img/my pic.png",
        "A",
        "30",
        True,
        True,
    )


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (b"# Caf\xe9\n", ["W016"]),
        ("\ufeff# T\n".encode("utf-16-le"), ["W016"]),
        (b"a\x00b", ["W012", "W016"]),
        (b"\xef\xbb\xbf# T\n", []),
        ("x\u202ey".encode(), ["W012"]),
        ("fa\u0645\u06cc\u200c\u062e\u0648 👩\u200d🚀".encode(), []),
    ],
)
def test_findings_about_characters(content: bytes, codes: list[str]) -> None:
    assert sorted(found.code for found in parse(content).findings) == codes


HOSTILE = {
    "brackets": "[" * 200_000,
    "unclosed": "[[x" * 50_000,
    "unclosed alias": "[[a|" * 50_000,
    "unclosed alias, closed once": "[[a|" * 50_000 + "]]",
    "long line": "word " * 200_000 + "[[ok]]",
    "embeds": "![[" * 20_000,
    "footnotes": "^[" * 20_000,
    "quotes": ">" * 100_000 + " x",
    "lists": "\n".join("  " * depth + "- x" for depth in range(1_000)),
    "links": "[[a b]] " * 20_000,
    "marks": "==a " * 20_000,
    "comments": "%% " * 30_000,
    "headings": "# a\n" * 20_000,
    "elements": "<div>" * 10_000,
    "table": "|a|b|\n|-|-|\n" + "|[[a]]|[[b\\|c]]|\n" * 5_000,
    "emphasis": "*a_ " * 20_000,
    "dollars": "$a " * 50_000,
    "embedded notes": "![[a]] " * 20_000,
    "pictures that are notes": "![a](b.md) " * 20_000,
    "raw tags": "<div>\n" + "<a " * 200_000,
    "raw links": "<div>\n" + "<a href=b.md>" * 20_000,
    "closing": "[[a]]] " * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sizes_end(name: str) -> None:
    """Quadratic time would take minutes here; the bound is far above what linear time needs."""
    start = time.process_time()
    document = parse(HOSTILE[name].encode())
    assert time.process_time() - start < 20
    assert len(document.links) == {
        "long line": 1,
        "embedded notes": 20_000,
        "pictures that are notes": 20_000,
        "raw links": 20_000,
        "links": 20_000,
        "table": 10_000,
        "unclosed alias, closed once": 1,
    }.get(name, 0)
