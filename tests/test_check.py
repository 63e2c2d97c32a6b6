"""Every rule, its place and its severity, on real files and on hand-made graphs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import FrameType

import pytest
from broken_memory import BROKEN, EXPECTED, FIXED, INDEX, SYSTEM
from conftest import WriteTree

from memsite.check import (
    RULES,
    Budget,
    accepted_by,
    baseline_text,
    budgets,
    check,
    documentation,
    find_rule,
    fingerprints,
    named_files,
    unaccepted,
)
from memsite.config import CheckConfig
from memsite.errors import BadConfig
from memsite.graph import resolve
from memsite.markdown import describe, parse
from memsite.memory import Memory, open_memory
from memsite.memory.surroundings import project_files
from memsite.note import Graph, Problem, Severity, Source, StoreView


def places(problems: tuple[Problem, ...]) -> list[tuple[str, str, int]]:
    return sorted((problem.code, problem.path, problem.line) for problem in problems)


def replaced(memory: Memory, config: CheckConfig) -> Memory:
    return Memory(replace(memory.config, check=config), memory.project, discovery=memory.discovery)


def mend(root: Path) -> None:
    for name, written in FIXED.items():
        path = root / name
        if written is None:
            path.unlink()
        else:
            path.write_bytes(written.encode() if isinstance(written, str) else written)


@pytest.fixture
def broken(project: WriteTree) -> Path:
    return project(BROKEN)


def test_each_rule_is_found_once_at_its_place(broken: Path) -> None:
    memory = open_memory(broken, system_dir=broken / SYSTEM)
    assert places(memory.problems()) == sorted(EXPECTED)


def test_nothing_is_left_after_mending(broken: Path) -> None:
    mend(broken)
    memory = open_memory(broken, system_dir=broken / SYSTEM)
    assert places(memory.problems()) == []


def test_every_rule_is_covered_and_documented() -> None:
    assert [code for code, _, _ in EXPECTED] == [rule.code for rule in RULES]
    text = documentation()
    for rule in RULES:
        assert f"## {rule.code} {rule.name}" in text
        assert rule.explanation
        assert rule.fix
        assert rule.example
        assert find_rule(rule.code.lower()) is find_rule(rule.name) is rule
    assert find_rule("W999") is None


def test_same_memory_same_problems(broken: Path) -> None:
    one, two = (open_memory(broken, system_dir=broken / SYSTEM) for _ in range(2))
    assert one.problems() == two.problems()


# Configuration -------------------------------------------------------------------------------


def test_severities_ignores_and_limits(broken: Path) -> None:
    memory = open_memory(broken, system_dir=broken / SYSTEM)
    config = CheckConfig(
        severities={"W005": "error", "orphan-note": "off"},
        ignore=("W006 notes/links.md", "W012 notes/other/*", "W014 notes/*"),
        memory_lines=500,
    )
    found = {problem.code: problem.severity for problem in replaced(memory, config).problems()}
    assert found["W005"] == "error"
    assert found.keys().isdisjoint({"W003", "W006", "W011", "W014"})
    assert "W012" in found


def test_a_costly_rule_that_is_off_costs_nothing(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Graph] = []
    monkeypatch.setattr("memsite.graph.similar", lambda graph: asked.append(graph) or ())
    memory = open_memory(broken, system_dir=broken / SYSTEM)
    replaced(memory, CheckConfig(severities={"duplicate-note": "off"})).problems()
    assert asked == []
    replaced(memory, CheckConfig()).problems()
    assert len(asked) == 1


def graph_of(files: Mapping[str, str], **view: object) -> Graph:
    """A graph of one vault, or of what `view` says, with nothing on a disk."""
    settings: dict[str, object] = {"name": "notes", "kind": "vault", "location": "notes", "prefix": "notes/"}
    store = StoreView(**{**settings, **view})  # type: ignore[arg-type]
    notes = []
    for path, text in files.items():
        content = text.encode()
        source = Source(store.name, store.kind, path, content, f"{hash(text):064x}"[:64], 0.0)
        notes.append(describe(source, parse(content)))
    return resolve(notes, [store])


def codes(graph: Graph, **settings: object) -> list[str]:
    return [problem.code for problem in check(graph, **settings)]  # type: ignore[arg-type]


def test_a_store_has_its_own_severities() -> None:
    files = {"a.md": "[[b.md]] [[c]]"}
    assert codes(graph_of(files)) == ["W005"]
    assert codes(graph_of(files, severities={"missing-note": "off"})) == []
    (problem,) = check(
        graph_of(files, severities={"W005": "info"}), config=CheckConfig(severities={"W005": "error"})
    )
    assert problem.severity == "info"


def test_a_path_has_its_own_severities() -> None:
    graph = graph_of(
        {"a.md": "[[gone.md]] [[c]]", "drafts/b.md": "[[gone.md]] [[c]]"}, severities={"W005": "info"}
    )
    paths: dict[str, dict[str, Severity]] = {
        "notes/drafts/*": {"missing-note": "off", "W006": "error"},
        "notes/*": {"W005": "error"},
    }

    def found(paths: Mapping[str, Mapping[str, Severity]]) -> list[tuple[str, str]]:
        return [(each.path, each.severity) for each in check(graph, config=CheckConfig(paths=paths))]

    assert found({}) == [("notes/a.md", "info"), ("notes/drafts/b.md", "info")]
    assert found({"notes/drafts/*": paths["notes/drafts/*"]}) == [("notes/a.md", "info")]
    assert found(paths) == [("notes/a.md", "error"), ("notes/drafts/b.md", "error")], "the last one wins"
    assert found(dict(reversed(paths.items()))) == [("notes/a.md", "error")]


@pytest.mark.parametrize(
    ("glob", "left"),
    [
        ("notes/a.md", ["notes/x/a.md", "notes/x/y/b.md"]),
        ("a.md", ["notes/x/y/b.md"]),
        ("*.md", []),
        ("x", ["notes/a.md"]),
        ("notes/x/*.md", ["notes/a.md", "notes/x/y/b.md"]),
        ("notes/x/**", ["notes/a.md"]),
        ("notes/**/a.md", ["notes/x/y/b.md"]),
        ("**/b.md", ["notes/a.md", "notes/x/a.md"]),
    ],
)
def test_globs_mean_what_they_mean_for_stores(glob: str, left: list[str]) -> None:
    graph = graph_of(
        dict.fromkeys(("a.md", "x/a.md", "x/y/b.md"), "[[gone.md]] [[c]]"), severities={"W009": "off"}
    )
    for config in (CheckConfig(ignore=(f"W005 {glob}",)), CheckConfig(paths={glob: {"W005": "off"}})):
        assert [problem.path for problem in check(graph, config=config) if problem.code == "W005"] == left


@pytest.mark.parametrize(
    ("config", "place"),
    [
        (CheckConfig(severities={"W099": "off"}), r"\[check.severities\]: there is no rule `W099`\.$"),
        (CheckConfig(severities={"missing-nots": "off"}), "there is no rule `missing-nots`"),
        (CheckConfig(ignore=("W777 a/*",)), r"\[check\] ignore: there is no rule `W777`"),
        (CheckConfig(paths={"a/*": {"W033": "off"}}), r'\[check.paths."a/\*"\]: there is no rule `W033`'),
    ],
)
def test_a_rule_that_there_is_none_of_is_refused(config: CheckConfig, place: str) -> None:
    with pytest.raises(BadConfig, match=place) as refusal:
        check(graph_of({"a.md": "[[c]]"}), config=config)
    assert "Known: W001, " in refusal.value.hint
    assert "missing-nots" not in place or "Did you mean `missing-note`?" in refusal.value.hint


def test_a_mild_finding_stays_mild() -> None:
    """A folder is there, though no page is: an error for dead links does not make it one."""
    graph = graph_of({"a.md": "[x](sub/) [y](gone.md) [[c]]", "sub/b.md": "[[c]]"})
    found = check(graph, config=CheckConfig(severities={"W005": "error"}))
    assert [(problem.code, problem.severity) for problem in found] == [("W005", "info"), ("W005", "error")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<!-- memsite-ignore W005 -->\n\n[[gone.md]] [[c]]\n", []),
        ("# A\n\n[[c]]\n<!-- memsite-ignore missing-note -->\n[[gone.md]]\n", []),
        ("# A\n\n[[c]] [[gone.md]] <!-- memsite-ignore W005 -->\n", []),
        ("# A\n\n[[c]] [[gone.md]] <!-- memsite-ignore w005 -->\n", []),
        ("# A\n\n[[c]] [[gone.md]] <!-- memsite-ignore Missing-Note -->\n", []),
        ("# A\n\n[[c]] [[gone.md]] <!-- memsite-ignore W006 -->\n", ["W005"]),
        ("# A\n\n[[c]] [[gone.md]]\n\nmore\n\n<!-- memsite-ignore W005 -->\n", ["W005"]),
    ],
)
def test_a_comment_silences_its_line_or_the_note(text: str, left: list[str]) -> None:
    assert codes(graph_of({"a.md": text})) == left


def test_no_comment_silences_what_a_note_hides() -> None:
    text = "<!-- memsite-ignore W012 W013 W014 -->\n\n[[c]] a\u202eb\n"
    assert codes(graph_of({"a.md": text})) == ["W012"]


# Single rules --------------------------------------------------------------------------------


def memory_of_lines(text: str, **limits: int) -> list[Problem]:
    graph = graph_of({"MEMORY.md": text}, kind="system", name="system", prefix="")
    bytes_of = {"memory://system/MEMORY": text.encode()}
    found = check(graph, config=CheckConfig(**limits), bytes_of=bytes_of)  # type: ignore[arg-type]
    return [problem for problem in found if problem.code == "W003"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x\n" * 200, None),
        ("x\n" * 200 + "y", 201),
        ("x\r\n" * 200, None),
        ("x\u2028" * 300 + "\n", None),
        ("x\x0b\x0c\x85\n" * 200, None),
        ("\u8a18" * 9000 + "\n", 1),
        ("\u8a18" * 50 + "\n" + "\u8a18" * 9000 + "\n", 2),
        ("", None),
        ("x" * 24_999 + "\n", None),
        ("x" * 24_999 + "\ny", 2),
    ],
)
def test_length_of_memory_md(text: str, line: int | None) -> None:
    assert [problem.line for problem in memory_of_lines(text)] == ([] if line is None else [line])


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("\n", 1), ("x", 1), ("x\n", 1), ("x\ny", 2)])
def test_how_full_memory_md_is(text: str, lines: int) -> None:
    files = {"MEMORY.md": text, "sub/MEMORY.md": "[[x]]", "a.md": "[[x]]"}
    graph = graph_of(files, kind="system", name="system", prefix="at/")
    bytes_of = dict.fromkeys(graph.notes, text.encode())
    assert budgets(graph, config=CheckConfig(memory_lines=9), bytes_of=bytes_of) == (
        Budget("at/MEMORY.md", lines, 9, len(text), 25_000),
    )
    assert budgets(graph, config=CheckConfig(), bytes_of={}) == ()


def test_what_falls_off_is_named() -> None:
    (problem,) = memory_of_lines("# A\n\n## Kept\n\n## Late\n[[x]]\n[[y]]\n", memory_lines=4)
    assert problem.line == 5
    assert "7 lines, only the first 4" in problem.message
    assert "'Late'" in problem.message
    assert "2 links" in problem.message
    assert "Kept" not in problem.message


def test_a_topic_file_has_no_limit() -> None:
    graph = graph_of({"MEMORY.md": "[a](a.md)", "a.md": "x\n" * 900}, kind="system", name="system", prefix="")
    assert codes(graph, bytes_of={"memory://system/MEMORY": b"[a](a.md)"}) == []


def test_an_id_twice_is_told_once(project: WriteTree) -> None:
    index = '[{"id": "MEM-1", "file": "MEM-1.md"},\n {"id": "MEM-1", "file": "MEM-1.md"}]'
    root = project({INDEX: index, ".workflow/memory/MEM-1.md": "[[x]]\n"})
    found = [problem for problem in open_memory(root).problems() if problem.code == "W001"]
    assert [(problem.path, problem.line) for problem in found] == [(INDEX, 2)]


@pytest.mark.parametrize(
    ("paths", "count"),
    [
        (("my note.md", "my-note.md", "my_note.md"), 2),
        (("Cafe\u0301.md", "Caf\u00e9.md"), 1),
        (("a/x.md", "b/x.md"), 0),
        (("x2.md", "x\u00b2.md"), 0),
        (("!!!.md", "???.md"), 0),
    ],
)
def test_names_that_collide(paths: tuple[str, ...], count: int) -> None:
    graph = graph_of({path: f"# {number}\n\n[[c]]" for number, path in enumerate(paths)})
    assert codes(graph) == ["W015"] * count


def test_same_file_name_in_two_folders_is_no_duplicate() -> None:
    assert codes(graph_of({"a/index.md": "[[c]]", "b/index.md": "[[c]]"})) == []


def test_hidden_characters_in_names() -> None:
    assert codes(graph_of({"a\u202eb.md": "[[c]]"})) == ["W012"]


def test_a_link_to_a_project_file_outside_the_store_is_no_problem() -> None:
    graph = graph_of({"a.md": "[x](../src/app.py) [y](../src/gone.py) [[c]]"})
    assert codes(graph) == ["W005", "W005"]
    (problem,) = check(graph, project_files=frozenset({"src/app.py"}))
    assert problem.column == 20


@pytest.mark.parametrize(
    "target", ["{{ page.cover }}", "<% tp.file.title %>.md", "img/${name}.png", "{% url %}"]
)
def test_a_place_for_a_template_to_fill_is_no_dead_link(target: str) -> None:
    assert codes(graph_of({"a.md": f"![x](<{target}>) and ![x]({target}) [[c]]"})) == []


def test_age_by_type() -> None:
    graph = graph_of(
        {"a.md": "---\ntype: plan\ndate: 2026-01-01\n---\n[[c]]", "b.md": "---\ndate: 2026-01-01\n---\n[[c]]"}
    )
    config = CheckConfig(stale_days={"plan": 30})
    assert codes(graph, config=config) == []
    assert codes(graph, config=config, today=date(2026, 1, 31)) == []
    (problem,) = check(graph, config=config, today=date(2026, 2, 1))
    assert (problem.code, problem.line, problem.column) == ("W017", 1, 1)
    assert problem.message == "not touched for 31 days, more than the 30 of its type"


def test_a_path_is_of_the_project_when_its_first_folder_is_there() -> None:
    graph = graph_of({"a.md": "`src/gone.py` `else/gone.py` `deep/app.py` `src/deep/gone.py` [[c]]"})
    (problem,) = check(graph, project_files=frozenset({"src/deep/app.py", "top.py"}))
    assert problem.message == "names project files that are not there: src/gone.py, src/deep/gone.py"


# Baseline ------------------------------------------------------------------------------------


def test_the_baseline_survives_moved_lines() -> None:
    before = check(graph_of({"a.md": "[[x.md]] [[c]]\n"}))
    after = check(graph_of({"a.md": "# New\n\nmore\n\n[[x.md]] [[c]]\n\n[[y.md]]\n"}))
    accepted = accepted_by(baseline_text(before))
    assert unaccepted(before, accepted) == ()
    assert [problem.message.split("'")[1] for problem in unaccepted(after, accepted)] == ["y.md"]


def test_the_baseline_survives_other_numbers() -> None:
    before, after = (memory_of_lines("x\n" * count) for count in (201, 240))
    assert before[0].message != after[0].message
    assert fingerprints(before) == fingerprints(after)


def test_a_baseline_of_long_ago_still_holds() -> None:
    """Such files are kept beside the notes: a fingerprint must never be made in another way."""
    found = check(graph_of({"a.md": "[[x.md]] [[x.md]] [[c]]\n", "b\u202e.md": "[[c]]"}))
    lines = baseline_text([replace(problem, message="12 words of 345!") for problem in found]).splitlines()
    assert lines == [
        "# Findings that memsite check accepts. Written by --update-baseline.",
        "629a1320d614a9c1 W005 notes/a.md",
        "820a4cde26ab6fce W005 notes/a.md",
        "41d109120c8ea228 W012 notes/b\\u202e.md",
    ]


def test_what_is_no_fingerprint_is_a_remark() -> None:
    lines = "0123456789abcdef W005 a.md\n# 0123456789abcdee\n0123456789ABCDEF x\n0123456789abcde\n0123456789abcdeff\n\nfedcba9876543210"
    assert accepted_by(lines) == {"0123456789abcdef", "fedcba9876543210"}


def test_equal_findings_have_their_own_fingerprints() -> None:
    found = check(graph_of({"a.md": "[[x.md]] [[x.md]] [[c]]\n"}))
    assert len(set(fingerprints(found))) == 2


def test_a_baseline_is_one_line_a_finding_and_sorted() -> None:
    lines = baseline_text(check(graph_of({"b\u202e.md": "[[x.md]]", "a.md": "[[y.md]]"}))).splitlines()
    assert lines[0].startswith("#")
    assert len(lines) == 1 + len(check(graph_of({"b\u202e.md": "[[x.md]]", "a.md": "[[y.md]]"})))
    assert all(line.isprintable() for line in lines)


# Speed ---------------------------------------------------------------------------------------


def test_the_check_is_linear() -> None:
    """Ten times the notes take ten times the work: nothing compares all with all. Work is lines that
    Python runs, loops of one line included, so that no busy machine makes this fail.
    """

    def work(count: int) -> int:
        files = {f"n{number}.md": f"# Note {number}\n\n[[n{number - 1}]] [[x.md]]" for number in range(count)}
        graph = graph_of(files)
        lines = 0

        def count_lines(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
            nonlocal lines
            lines += event == "line"
            return count_lines

        before = sys.gettrace()
        sys.settrace(count_lines)
        try:
            check(graph)
        finally:
            sys.settrace(before)
        return lines

    work(5)
    assert work(400) < 12 * work(40)


def test_files_of_the_project_are_asked_for_by_name(broken: Path) -> None:
    """Only what notes name is looked at; nothing outside the project ever is."""
    graph = graph_of(
        {
            "a.md": "`src/app.py` `../x/y.py` `/etc/pass.wd` `a/../../b.py` [u](../up.md) [v](../../../out.md) [w](in.md) [[c]]"
        }
    )
    named = named_files(graph)
    assert named == {"src/app.py", "up.md"}
    for elsewhere in ("/mnt/notes/", "~/notes/", "../notes/"):
        assert named_files(graph_of({"a.md": "[u](../up.md) [[c]]"}, prefix=elsewhere)) == frozenset()
    assert project_files(broken, [*named, "src/gone.py", "x" * 5000 + "/y", "a\0b/c"]) == {
        "src/app.py",
        "src/",
    }


def test_no_rule_fires_on_the_example() -> None:
    examples = Path(__file__).parents[1] / "examples"
    memory = open_memory(examples)
    assert places(memory.problems()) == []
    assert len(memory.graph().notes) > 30
