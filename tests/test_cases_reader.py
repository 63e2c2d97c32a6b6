"""The reader of the case files: what it takes for right, and what it does not let pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from casefile import CASES, Step, cases, difference, read, split

TEXT = """# area

## X-1 A title

~~~~file a.md
text
~~~~

~~~~files
== b.md
one
two
== c/d.md
~~~~

~~~~python
{"e.md": b"\\xff" * 2, "f": Link("a.md")}
~~~~

~~~~steps
> do a.md "with blank" key="x\\ny"
first

> again
~~~~

~~~~steps
> other
has: x
~~~~
"""


def test_a_case_is_read_with_its_files_and_scenarios(tmp_path: Path) -> None:
    path = tmp_path / "area.md"
    path.write_text(TEXT, encoding="utf-8")
    first, second = read(path)
    assert (first.id, second.id, first.title) == ("X-1.1", "X-1.2", "A title")
    assert first.files["a.md"] == "text\n"
    assert first.files["b.md"] == "one\ntwo\n"
    assert first.files["c/d.md"] == ""
    assert first.files["e.md"] == b"\xff\xff"
    assert first.steps[0] == Step("do", ("a.md", "with blank", "key=x\ny"), ("first",), 21)
    assert first.steps[1] == Step("again", (), (), 24)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## X-1 t\n\n~~~~steps\n> a\n", "never closes"),
        ("## X-1 t\n\ntext\n", "no steps"),
        ("## X-1 t\n\n~~~~steps\n> a\n~~~~\n\n## X-1 u\n\n~~~~steps\n> a\n~~~~\n", "two cases"),
        ("## X-1 t\n\n~~~~other\n~~~~\n\n~~~~steps\n> a\n~~~~\n", "unknown fence"),
    ],
)
def test_a_fault_in_a_case_file_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "area.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        list(read(path))


@pytest.mark.parametrize(
    ("expected", "got", "right"),
    [
        (("a", "b"), ["a", "b"], True),
        (("a",), ["a", "b"], False),
        ((), [], True),
        ((), ["a"], False),
        (("a…z",), ["a to z"], True),
        (("a…z",), ["a\nz"], False),
        (("…", "z"), ["a", "b", "z"], True),
        (("has: b",), ["abc", "d"], True),
        (("has: x",), ["abc"], False),
        (("no: b",), ["abc"], False),
        (("no: x",), ["abc"], True),
        (("no: x",), [], True),
        (("has: a", "abc"), ["abc"], True),
        (("has: a", "abc"), ["abc", "d"], False),
        (("a.c",), ["abc"], False),
    ],
)
def test_expected_and_got(expected: tuple[str, ...], got: list[str], right: bool) -> None:
    assert (difference(Step("x", (), expected, 1), got) == "") is right


def test_words_are_bare_or_literals() -> None:
    assert split(r"""a "b c" 'd' r"\n" key="e f" b"\xe6" --opt=x""") == [
        "a", "b c", "d", r"\n", "key=e f", "\udce6", "--opt=x",
    ]  # fmt: skip


def test_every_area_is_run_by_one_module() -> None:
    from test_cases_reading import AREAS as READING
    from test_cases_site import AREAS as SITE
    from test_cases_writing import AREAS as WRITING

    run = [*READING, *WRITING, *SITE]
    assert sorted(run) == sorted(path.stem for path in CASES.glob("*.md"))
    ids = [case.id for case in cases(*run)]
    assert len(ids) == len(set(ids))
