"""Front matter that never costs a note anything, and what a note is called."""

from datetime import UTC, datetime

import pytest

from memsite.markdown import concept_key, describe, match_key, parse, slug, visible
from memsite.markdown.metadata import parse_date
from memsite.note import IndexEntry, Note, Source


def note(text: str, path: str = "a.md", *, kind: str = "vault", entry: IndexEntry | None = None) -> Note:
    content = text.encode()
    return describe(Source("s", kind, path, content, "0" * 64, 0.0, entry), parse(content))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "body", "codes"),
    [
        ("---\n", "<hr>\n", []),
        ("---", "<hr>\n", []),
        ("---\n---\n", "", []),
        ("---\n---", "", []),
        ("---\n# note to self\n---\nbody\n", "<p>body</p>\n", []),
        ("---\n\ntext\n", "<hr>\n<p>text</p>\n", []),
        ("---\ntitle: x\n\nLong text.\n", "<hr>\n<p>title: x</p>\n<p>Long text.</p>\n", ["W010"]),
        ("---\ntitle: Notes: Admin\n---\nbody\n", "<p>body</p>\n", ["W010"]),
        ("---\na: 1\na: 2\n---\nbody\n", "<p>body</p>\n", ["W010"]),
        ("---\na: &a [1]\nb: *a\n---\nbody\n", "<p>body</p>\n", ["W010"]),
        ("---\n" + "a: b\n" * 20_000 + "---\nbody\n", "<p>body</p>\n", ["W010"]),
        ("---\na: " + "[" * 50 + "]" * 50 + "\n---\nbody\n", "<p>body</p>\n", ["W010"]),
    ],
)
def test_the_body_survives_any_front_matter(text: str, body: str, codes: list[str]) -> None:
    document = parse(text.encode())
    assert "".join(document.fragments) == body
    assert [found.code for found in document.findings] == codes


@pytest.mark.parametrize("block", ["just prose between rules", "- a list\n- of things", "| table |"])
def test_a_block_that_is_no_mapping_is_text(block: str) -> None:
    document = parse(f"---\n{block}\n---\nafter\n".encode())
    assert block.split()[1] in document.text
    assert document.properties == {}
    assert [(found.code, found.severity) for found in document.findings] == [("W010", "info")]


def test_values_keep_the_spelling_of_the_source() -> None:
    text = "---\ntitle: 1.10\naliases: [on, 0123, 2026-03-15]\ntags: work, deep work #x\ncontent: mine\nhandler: 7\nmetadata:\n  type: user\nlist: [[a], {b: c}]\nempty:\nnan: .nan\n---\nb\n"
    found = note(text)
    assert (found.title, found.type, found.tags, found.names) == (
        "1.10",
        "user",
        ("work", "deep work"),
        ("on", "0123", "2026-03-15"),
    )
    assert found.document.properties["list"] == [["a"], {"b": "c"}]
    assert found.document.properties["nan"] == ".nan"
    assert found.document.front_matter_ok


@pytest.mark.parametrize(
    ("text", "title", "codes"),
    [
        ('---\ntitle: "Tips & *tricks*"\n---\n# Other\n', "Tips & *tricks*", []),
        ("# From **heading** [[f1|one]]\n\nx\n", "From heading one", []),
        ("x\n\n# Late\n", "f3", []),
        ("Setext *T*\n==========\n", "Setext T", []),
        ("~~~\n# in code\n~~~\n", "f3", []),
        ("---\ntitle: [x, y]\n---\n# H\n", "H", ["W010"]),
        ("---\ntitle:\n---\n", "f3", ["W010"]),
        ("---\ntitle: None\n---\n", "None", []),
        ("---\ntitle: 12:30:45\n---\n", "12:30:45", []),
        ("---\nname: topic-name\n---\ntext", "topic-name", []),
        ("", "f3", []),
    ],
)
def test_title(text: str, title: str, codes: list[str]) -> None:
    found = note(text, "sub/f3.md")
    assert found.title == title
    assert [problem.code for problem in found.findings] == codes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-15", datetime(2026, 3, 15, tzinfo=UTC)),
        ("2026-03-15 10:00", datetime(2026, 3, 15, 10, tzinfo=UTC)),
        ("2026-03-15T10:00:00Z", datetime(2026, 3, 15, 10, tzinfo=UTC)),
        ("2026-03-15T23:30:00-05:00", datetime(2026, 3, 16, 4, 30, tzinfo=UTC)),
        ("2026-03-15T10:00:00.123+0200", datetime(2026, 3, 15, 8, 0, 0, 123000, tzinfo=UTC)),
        ("March 15, 2026", None),
        ("2026-02-30", None),
        ("20260315", None),
        ("2026-03-15T99:00", None),
    ],
)
def test_dates(written: str, expected: datetime | None) -> None:
    assert parse_date(written) == expected
    found = note(f"---\ncreated: {written}\n---\n")
    assert (found.date, found.date_text) == (expected, written)
    assert [problem.code for problem in found.findings] == ([] if expected else ["W010"])


def test_index_row_wins_over_front_matter_and_name() -> None:
    entry = IndexEntry("MEM-1", 0, "MEM-20260318-001.md", "session", "2026-01-01", "Listed", ("t",))
    text = "---\ntype: tip\ndate: 2025-05-05\ntags: [T, u]\n---\n# Heading\n"
    found = note(text, "MEM-20260318-001.md", kind="workflow", entry=entry)
    assert (found.id, found.type, found.title, found.tags, found.date_text) == (
        "MEM-1",
        "session",
        "Listed",
        ("T", "u"),
        "2026-01-01",
    )
    bare = note("x", "TIP-20260318-143022-slug.md", kind="workflow")
    assert (bare.id, bare.type, bare.date_text) == ("TIP-20260318-143022-slug", "tip", "2026-03-18T14:30:22Z")


@pytest.mark.parametrize(
    ("block", "published"),
    [
        ("publish: false", False),
        ("publish: no", False),
        ("draft: true", False),
        ('draft: "false"', True),
        ("publish: yes", True),
        ("a: b", True),
    ],
)
def test_publish_and_draft_are_read_as_a_person_would(block: str, published: bool) -> None:
    assert note(f"---\n{block}\n---\n").published is published


def test_keys_and_slugs() -> None:
    assert {
        concept_key(name) for name in ("Machine Learning", "machine_learning", " machine--learning/")
    } == {"machine-learning"}
    assert match_key("STRASSE") == match_key("Straße")
    assert match_key("gui\u00adde\u200b") == "guide"
    assert match_key("my\u00a0note") == "my note"
    assert match_key("x²") != match_key("x2")
    assert match_key("Cafe\u0301") == match_key("Caf\u00e9")
    assert [slug(text) for text in ("会議", "日本語 メモ", "مرحبا", "!!!", "Ünï_cødé", "C++ & D")] == [
        "会議",
        "日本語-メモ",
        "مرحبا",
        "",
        "ünï-cødé",
        "c-d",
    ]
    assert visible("a\x1b[2J\u202eb\tc\n") == "a\\x1b[2J\\u202eb\tc\n"
