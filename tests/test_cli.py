"""The command line as a person, a script and an agent see it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memsite.cli import _take_any_letter, main
from memsite.cli.app import COMMANDS
from memsite.memory import answers
from memsite.memory.schema import json_schema

MEMORY = "# Memory\n\nSee [[Retry]] and [tips](tips.md).\n"
TIP = "---\ntitle: Jitter\ntags: [http, retry]\n---\n# Jitter\n\nUse [[Retry]] with care.\n"
INDEX = {"entries": [{"id": "TIP-20260318-001", "type": "tip", "date": "2026-03-18", "title": "Jitter",
                      "tags": ["http", "retry"], "file": "TIP-20260318-001.md"}]}  # fmt: skip
FILES = {
    "memsite.toml": '[stores.system]\nkind = "system"\npath = "sys"\n[stores.notes]\nkind = "vault"\npath = "notes"\n',
    "sys/MEMORY.md": MEMORY,
    "sys/tips.md": "# Tips\n\n[[Retry]]\n",
    "notes/Deploy.md": "# Deploy\n\nBy [[Blue Green]]; [[Retry]].\n\n## Steps\n\none\n",
    ".workflow/memory/memory-index.json": json.dumps(INDEX, indent=2),
    ".workflow/memory/TIP-20260318-001.md": TIP,
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs memsite in this process, in the folder of a project."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
        self._monkeypatch.chdir(self.root)
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        out, err = contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1])
        with out, err, pytest.raises(SystemExit) as ended:
            main(arguments)
        for stream in streams:
            stream.flush()
        printed = [stream.buffer.getvalue().decode() for stream in streams]  # type: ignore[attr-defined]
        return Ran(int(ended.value.code or 0), *printed)


@pytest.fixture
def memsite(project: Any, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(project(FILES), monkeypatch)


# Help and refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for family in COMMANDS.values() for name in family])
def test_every_command_has_help_with_an_example(memsite: Shell, name: str) -> None:
    ran = memsite(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert f"memsite {name}" in ran.out


def test_help_names_every_command(memsite: Shell) -> None:
    shown = memsite("--help").out
    assert all(f"  {name} " in shown for family in COMMANDS.values() for name in family)


def test_version(memsite: Shell) -> None:
    from memsite import __version__

    assert memsite("--version").out.strip().endswith(__version__)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["serch"], 2, "Did you mean search"),
        (["Deploy"], 2, "memsite view 'Deploy'"),
        (["list", "--nonsense"], 2, "No such option"),
        (["diff", "HEAD"], 2, "not in a git repository"),
        (["serve", "--output", "."], 1, "E016"),
        (["list", "--before", "soon"], 2, "E019"),
        (["view", "nothing"], 1, "E002"),
        (["view", "../x"], 1, "E011"),
        (["prune"], 1, "E003"),
        (["delete", "MEMORY", "--confirm"], 1, "E004"),
        (["delete", "Deploy"], 1, "--confirm"),
        (["edit", "Deploy"], 1, "--operation"),
        (["edit", "Deploy", "--operation", "append"], 2, "--content"),
        (["edit", "Deploy", "--content", "x"], 2, "--operation"),
        (["edit", "Deploy", "--operation", "append", "--content", "plain"], 1, "E007"),
        (
            ["edit", "Deploy", "--operation", "append", "--content", "[[a]]", "--content-file", "x"],
            2,
            "not both",
        ),
        (["edit", "Deploy", "--operation", "append", "--content-file", "missing.txt"], 2, "missing.txt"),
        (["edit", "nosuch", "--operation", "append", "--content", "[[x]]"], 1, "E002"),
        (
            ["edit", "Deploy", "--operation", "append", "--content", "[[x]]", "--checksum", "0" * 64],
            1,
            "E006",
        ),
        (["check", "--explain", "W999"], 2, "W999"),
        (["check", "--baseline", "missing.txt"], 2, "missing.txt"),
        (["diff", "nothing"], 2, "E019"),
        (["build", "-o", "notes"], 1, "E016"),
        (["undo"], 1, "E002"),
        (["--project", "/nonexistent"], 2, "nonexistent"),
        (["leaks", "allow", "--reason", "x"], 2, "allow"),
        (["build", "--base-url", "example.org"], 2, "https://"),
        (["graph", "--depth", "2"], 2, "--concept"),
        (["graph", "--html", "g.html", "--format", "dot"], 2, "leave the other options out"),
        (["graph", "--concept", "Blue Grin"], 1, "Near: Blue Green."),
        (["edit", "Deploy", "--find-text", "x"], 2, "--operation"),
        (["edit", "Deploy", "--operation", "find_replace", "--content", "[[x]]"], 2, "--find-text"),
        (
            ["edit", "Deploy", "--operation", "append", "--content", "[[x]]", "--find-text", "x"],
            2,
            "find_replace",
        ),
        (
            ["edit", "Deploy", "--operation", "prepend", "--content", "[[x]]", "--nth", "1"],
            2,
            "replace_section",
        ),
        (["new", "tip", "T", "--content", "[[x]]", "--type", "user"], 2, "topic"),
        (["undo", "--store", "nosuch"], 1, "Stores: "),
        (["undo", "--list", "--store", "nosuch"], 1, "Stores: "),
        (["context", "zzzz"], 1, "memsite search"),
    ],
)
def test_refusals_say_what_to_do_in_three_lines(
    memsite: Shell, arguments: list[str], code: int, said: str
) -> None:
    ran = memsite(*arguments)
    assert ran.code == code
    assert ran.out == ""
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) <= (3 if "Usage:" not in ran.err else 5)


def test_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Shell(tmp_path, monkeypatch)("list", "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "E001"
    assert not list(tmp_path.iterdir())


def test_where_memsite_looked_is_told_above_all_where_it_found_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = Shell(tmp_path, monkeypatch)("stores", "--verbose")
    assert (ran.code, ran.out) == (2, "")
    assert f"tried {tmp_path / '.workflow/memory'} (workflow folder of the project): not there\n" in ran.err
    assert "mkdir -p .workflow/memory" in ran.err


def test_a_folder_of_markdown_is_offered_as_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memsite = Shell(tmp_path, monkeypatch)
    for folder in (".cache", "node_modules", "my notes"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text("[[x]]")
    assert "memsite init --vault 'my notes'" in memsite("list").err
    (tmp_path / "a.md").write_text("[[x]]")
    assert "memsite init --vault ." in memsite("list").err


def test_a_preview_without_its_extra_says_how_to_install_it(memsite: Shell) -> None:
    memsite._monkeypatch.setattr("memsite.cli.site.find_spec", lambda name: None)
    ran = memsite("serve")
    assert (ran.code, "pip install 'memsite[serve]'" in ran.err) == (2, True)


def test_an_unknown_key_of_the_configuration(memsite: Shell) -> None:
    (memsite.root / "memsite.toml").write_text("[site]\ntitel = 'x'\n")
    ran = memsite("list")
    assert (ran.code, "title" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[check]\n[check]\n", "the table [check] stands there twice (at line 2, column 7)."),
        ("[stores.a]\n[stores.a]\n", "the table [stores.a] stands there twice (at line 2, column 10)."),
        ("[site]\ntitle = 'a'\ntitle = 'b'\n", "a key stands there twice (at line 3, column 12)."),
    ],
)
def test_what_stands_twice_in_the_configuration(memsite: Shell, text: str, said: str) -> None:
    (memsite.root / "memsite.toml").write_text(text)
    assert memsite("list").err == f"error E015 memsite.toml is not valid TOML: {said}\n"


def test_debug_shows_where(memsite: Shell) -> None:
    from memsite.errors import NotFound

    memsite._monkeypatch.chdir(memsite.root)
    with pytest.raises(NotFound):
        main(["view", "nothing", "--debug"])


@pytest.mark.parametrize(
    "fault", [ValueError("odd\x1b[2J"), PermissionError(13, "Permission denied", "x.md")]
)
def test_a_fault_of_ours_is_one_line(
    memsite: Shell, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("memsite.memory.Memory.list", fail)
    ran = memsite("list")
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert "--debug" in ran.err
    assert "\x1b" not in ran.err


def test_options_may_stand_before_the_command(memsite: Shell, tmp_path: Path) -> None:
    memsite._monkeypatch.chdir(tmp_path)
    shown = memsite("list", "--plain").out
    memsite.root, root = tmp_path, memsite.root
    assert memsite("--project", str(root), "list", "--plain").out == shown
    assert memsite("--project", str(root), "--plain").out == shown


# JSON ------------------------------------------------------------------------------------------


def schema_of(shape: Any) -> dict[str, Any]:
    return json_schema(shape)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        (["search", "Retry"], answers.SearchAnswer),
        (["view", "Deploy"], answers.Reading),
        (["view", "Deploy", "--section", "Steps"], answers.Reading),
        (["sync"], answers.Counts),
        (["context", "Retry", "--content"], answers.ConceptContext),
        (["new", "tip", "A title", "--content", "[[x]]"], answers.Written),
        (["edit", "Deploy", "--operation", "append", "--content", "[[x]]"], answers.Written),
        (["delete", "Deploy", "--confirm"], answers.Written),
        (["delete", "Deploy", "--dry-run"], answers.Written),
        (["prune", "--type", "tip", "--dry-run"], answers.Pruned),
        (["prune", "--type", "tip", "--confirm"], answers.Pruned),
        (["repair", "--dry-run"], answers.Repaired),
    ],
)
def test_json_has_its_documented_shape(memsite: Shell, arguments: list[str], shape: type) -> None:
    ran = memsite(*arguments, "--json")
    assert ran.code == 0
    jsonschema.validate(ran.json, schema_of(shape))


def test_json_of_list_stores_and_build(memsite: Shell) -> None:
    rows = memsite("list", "--json").json["notes"]
    assert {row["address"] for row in rows} == {
        "memory://workflow/TIP-20260318-001", "memory://system/MEMORY", "memory://system/tips", "memory://notes/Deploy"
    }  # fmt: skip
    jsonschema.validate(rows[0], schema_of(answers.Row))
    assert [store["notes"] for store in memsite("stores", "--json").json["stores"]] == [1, 2, 1]
    built = memsite("build", "--json").json
    jsonschema.validate(built, schema_of(answers.Built))
    assert (built["faults"], built["notes"]) == ([], 4)


def test_errors_come_as_json_too(memsite: Shell) -> None:
    ran = memsite("view", "Deplyo", "--json")
    assert ran.code == 1
    error = ran.json["error"]
    assert (error["code"], error["rule"]) == ("E002", "not-found")
    assert "Deploy" in error["details"]["near"]
    assert memsite("list", "--nonsense", "--json").json["error"]["code"] == "E019"


# Text in and out -------------------------------------------------------------------------------


def test_a_value_that_looks_like_an_option_is_text(memsite: Shell) -> None:
    memsite("edit", "Deploy", "--operation", "append", "--allow-unlinked", "--content", "--help")
    memsite("edit", "Deploy", "--operation", "append", "--allow-unlinked", "--content", r"a\nb @notes.txt")
    text = (memsite.root / "notes/Deploy.md").read_text()
    assert text.endswith("\n\n--help\n\na\\nb @notes.txt\n")


@pytest.mark.parametrize("how", [["--content", "-"], ["--content-file", "-"]])
def test_standard_input(memsite: Shell, how: Sequence[str]) -> None:
    ran = memsite("edit", "Deploy", "--operation", "append", *how, stdin=b"see [[x]]\r\nmore\r\n")
    assert ran.code == 0
    assert (memsite.root / "notes/Deploy.md").read_bytes().endswith(b"\n\nsee [[x]]\nmore\n")


@pytest.mark.parametrize(
    ("stdin", "code"), [(b"", "E019"), (b" \n", "E019"), (b"\xff[[x]]", "E012"), (b"\0[[x]]", "E012")]
)
def test_what_is_no_text_is_refused_before_writing(memsite: Shell, stdin: bytes, code: str) -> None:
    before = (memsite.root / "notes/Deploy.md").read_bytes()
    ran = memsite("edit", "Deploy", "--operation", "append", "--content", "-", stdin=stdin)
    assert ran.code
    assert code in ran.err
    assert (memsite.root / "notes/Deploy.md").read_bytes() == before


def test_raw_gives_the_exact_bytes(memsite: Shell) -> None:
    raw = "\ufeff# T\r\n\x1b[31mx".encode()
    (memsite.root / "notes/T.md").write_bytes(raw)
    assert memsite("view", "T", "--raw").out.encode() == raw


def test_control_characters_never_reach_the_terminal(memsite: Shell) -> None:
    hostile = '---\ntitle: "\\e[2J\\e]0;pwn\\a click"\n---\nline \x1b[31mred \x9b2J \u202egnp.exe\r over\n'
    (memsite.root / "notes/a.md").write_text(hostile, newline="")
    (memsite.root / "notes/\x1b[2Jx.md").write_text("[[gone.md]]\n")
    for arguments in (
        ["list"],
        ["search", "line"],
        ["check"],
        ["view", "a"],
        ["view", "\x1b[2Jnothing"],
        ["stores"],
    ):
        ran = memsite(*arguments)
        shown = ran.out + ran.err
        assert not {"\x1b", "\x9b", "\u202e", "\r", "\x07"} & set(shown), arguments
    rows = memsite("list", "--json")
    assert not {"\x1b", "\x9b", "\u202e"} & set(rows.out)
    assert "\x1b[2Jx.md" in {row["path"] for row in rows.json["notes"]}


def test_an_edit_its_checksum_and_its_undo(memsite: Shell) -> None:
    path = memsite.root / "notes/Deploy.md"
    before = path.read_bytes()
    checksum = memsite("view", "Deploy", "--checksum").out.strip()
    arguments = [
        "edit",
        "Deploy",
        "--operation",
        "replace_section",
        "--section-name",
        "Steps",
        "--content",
        "[[two]]",
    ]
    dry = memsite(*arguments, "--checksum", checksum, "--dry-run")
    assert "+[[two]]" in dry.out
    assert path.read_bytes() == before
    assert memsite(*arguments, "--checksum", checksum).code == 0
    assert b"## Steps\n\n[[two]]" in path.read_bytes()
    assert memsite(*arguments, "--checksum", checksum).code == 1
    assert (
        "edit" in memsite("undo", "--list", "--plain").out
        or "replace_section" in memsite("undo", "--list").out
    )
    assert memsite("undo").code == 0
    assert path.read_bytes() == before


def test_a_stale_edit_shows_what_changed_meanwhile(memsite: Shell) -> None:
    old = memsite("view", "Deploy", "--checksum").out.strip()
    edit = ("edit", "Deploy", "--operation", "append", "--content", "by me [[x]]")
    assert memsite(*edit).code == 0
    ran = memsite(*edit, "--checksum", old)
    assert (ran.code, ran.out, "E006" in ran.err) == (1, "", True)
    assert "\n+by me [[x]]\n" in ran.err


def test_what_a_build_accepts_is_no_finding_anywhere(memsite: Shell) -> None:
    token = "ghp_" + "q7Wm3ZkP9rTy2LxVb8NcD4fGh6JsK1aQe5Ru"
    with (memsite.root / "memsite.toml").open("a") as file:
        file.write('[leaks]\nallow = "allowed.txt"\n')
    (memsite.root / "allowed.txt").touch()
    (memsite.root / "notes/a.md").write_text(f"{token} [[x]]\n")
    assert memsite("sync", "--json").json["problems"]["warning"] == 1
    assert memsite("leaks", "allow", "--reason", "test", stdin=token.encode()).code == 0
    assert sum(memsite("sync", "--json").json["problems"].values()) == 0
    assert memsite("repair").err == "nothing to mend.\n"


def test_what_links_to_a_note_is_told_before_it_goes_and_in_a_dry_run(memsite: Shell) -> None:
    for number in range(12):
        (memsite.root / f"notes/n{number:02}.md").write_text("[[Deploy]]\n")
    ran = memsite("delete", "Deploy", "--dry-run")
    assert ran.err.splitlines() == [
        *(f"warning memory://notes/n{number:02} links to it" for number in range(10)),
        "warning and 2 more",
    ]
    assert ran.out.endswith("would delete memory://notes/Deploy\n")


def test_no_list_says_why(memsite: Shell, tmp_path: Path) -> None:
    ran = memsite("list", "--tag", "retri", "--type", "tipp", "--store", "workflow")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines() == [
        "No note fits.",
        "There is no tag 'retri'. Near: retry.",
        "There is no type 'tipp'. Near: tip.",
    ]
    assert memsite("list", "--tag", "retry", "--before", "2000-01-01").err == "No note fits.\n"
    (tmp_path / "empty").mkdir()
    none = Shell(tmp_path, memsite._monkeypatch)("list", "--vault", "empty")
    assert (none.code, none.out, "memsite new tip" in none.err) == (0, "", True)


def test_a_list_may_be_short(memsite: Shell) -> None:
    assert len(memsite("list", "--json", "--limit", "2").json["notes"]) == 2
    ran = memsite("list", "--limit", "1")
    assert (len(ran.out.splitlines()), ran.err) == (1, "3 older notes not shown (--limit).\n")


def test_a_check_says_how_to_mend_what_it_found(memsite: Shell) -> None:
    (memsite.root / "notes/a.md").write_text("[[gone.md]] [[x]]\n\n[[gone.md]]\n")
    ran = memsite("check")
    assert ran.err == (
        "W005 missing-note, 2 findings. "
        "Correct the target, restore the note, or write the note: `memsite new`.\n"
    )
    assert memsite("check", "--quiet").err == memsite("check", "--json").err == ""


def test_a_check_may_show_the_graver_findings_alone(memsite: Shell) -> None:
    (memsite.root / "notes/a.md").write_text("[[gone.md]] [[x]]\n")
    (memsite.root / "notes/b.md").write_text("alone\n")
    ran = memsite("check", "--severity", "warning", "--fail-on", "info")
    assert (ran.code, "W005" in ran.out, "W011" in ran.out + ran.err) == (1, True, False)
    assert ran.err.endswith("\n1 milder finding not shown (--severity).\n")
    ran = memsite("check", "--severity", "error", "--fail-on", "warning", "--json")
    assert (ran.code, ran.json["problems"]) == (1, [])


@pytest.mark.parametrize("word", ["E006", "e006", "stale-checksum"])
def test_refusals_are_explained_too(memsite: Shell, word: str) -> None:
    assert memsite("check", "--explain", word).out.startswith("## E006 stale-checksum\n\nThe note changed")


def test_a_section_has_the_same_name_in_view_and_edit(memsite: Shell) -> None:
    for option in ("--section", "--section-name"):
        assert memsite("view", "Deploy", option, "Steps").out == "## Steps\n\none\n"
        arguments = ("--operation", "replace_section", option, "Steps", "--content", "[[x]]", "--dry-run")
        assert "+[[x]]" in memsite("edit", "Deploy", *arguments).out


def test_a_path_may_count_from_the_current_folder(memsite: Shell) -> None:
    folder = memsite.root / "notes/sub"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/a.md").write_text("A [[x]]\n")
    (folder / "deep/b.txt").write_text("no note")
    inside = Shell(folder, memsite._monkeypatch)
    assert inside("view", "deep/a.md").out == "A [[x]]\n"
    assert inside("edit", "./deep/a.md", "--operation", "append", "--content", "[[y]]").code == 0
    assert inside("view", "../sub/deep/a.md").code == 0
    assert inside("view", "../../sys/tips.md").code == 0
    for name in ("deep/b.txt", "deep/../deep/a.md", "../../memsite.toml", "../../../x.md"):
        assert inside("view", name).code == 1
    assert memsite("view", "deep/a.md").code == 1


def test_a_pipe_gets_utf8_and_a_terminal_what_it_can_show(memsite: Shell) -> None:
    (memsite.root / "notes/潮.md").write_text("# 潮汐 \U0001f30a [[x]]\n", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "memsite", "view", "潮", "--project", str(memsite.root)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    )
    assert (run.returncode, run.stdout.decode()) == (0, "# 潮汐 \U0001f30a [[x]]\n")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    memsite._monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    _take_any_letter(screen)
    screen.write("潮")
    screen.flush()
    assert screen.buffer.getvalue() == b"\\u6f6e"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("memsite view De", ["file,De", "plain,Deploy"]),
        ("memsite edit TIP", ["file,TIP", "plain,TIP-20260318-001"]),
        ("memsite list --store s", ["plain,system"]),
        ("memsite check --explain w01", [f"plain,W0{number}" for number in range(10, 19)]),
        ("memsite undo --store x", []),
    ],
)
def test_the_shell_completes_names(memsite: Shell, words: str, offered: list[str], tmp_path: Path) -> None:
    (memsite.root / "notes/Deep down.md").write_text("a blank in a name")
    asked = {"_MEMSITE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}

    def lines(folder: Path) -> list[str]:
        program = [sys.executable, "-m", "memsite"]
        return subprocess.run(
            program, cwd=folder, env={**os.environ, **asked}, capture_output=True, text=True, check=True
        ).stdout.split()

    assert lines(memsite.root) == offered
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    assert len(lines(nowhere)) == (1 if "view" in words or "edit" in words else 9 * ("w01" in words))


def test_verbose_says_which_stores_are_read(memsite: Shell) -> None:
    assert f"store notes (vault): {memsite.root / 'notes'}\n" in memsite("list", "--verbose").err
    assert "Time: " in memsite("build", "--verbose").err


def test_repair_points_to_what_it_does_not_do_by_itself(memsite: Shell) -> None:
    assert memsite("repair").err == "nothing to mend.\n"
    (memsite.root / ".workflow/memory/memory-index.json").write_text("{")
    ran = memsite("repair")
    assert "nothing to mend; 1 finding left for you" in ran.err
    assert "`memsite repair --rebuild-index`" in ran.err
    assert memsite("repair", "--rebuild-index").err == "1 mended.\n"


def test_an_undone_new_note_is_removed_and_not_brought_back(memsite: Shell) -> None:
    memsite("new", "tip", "A", "--content", "[[x]]", "--tag", "a, b c", "--tag", "#d")
    assert 'tags: ["a", "b c", "d"]\n' in memsite("view", "A", "--raw").out
    would, did = memsite("undo", "--dry-run"), memsite("undo")
    assert ": 1 file would come back, 1 new file would be removed.\n" in would.err
    assert ": 1 file came back, 1 new file removed.\n" in did.err
    assert memsite("undo", "--list", "--table").out.splitlines()[2].split()[1:4] == [
        "new",
        "(undone)",
        ".workflow/memory/TIP-" + did.out.split("TIP-")[1].split()[0] + ",",
    ]


def test_an_edit_of_memory_md_knows_the_titles_and_entries_of_other_notes(memsite: Shell) -> None:
    text = "[[Deploy#Steps]] [[TIP-20260318-001]] [gone](gone.md)"
    ran = memsite("edit", "MEMORY", "--operation", "append", "--content", text)
    assert [line for line in ran.err.splitlines() if "W002" in line] == [
        "warning sys/MEMORY.md:5 W002 'gone.md' leads nowhere: there is no note at that path. "
        "`memsite undo --list` shows deleted notes; else correct the link."
    ]


def test_results_go_to_standard_output_and_talk_to_standard_error(memsite: Shell) -> None:
    ran = memsite("view", "Deploy")
    assert ran.out == FILES["notes/Deploy.md"]
    assert "sha256" in ran.err
    assert memsite("view", "Deploy", "--quiet").err == ""


def test_check_fails_on_what_it_is_told(memsite: Shell) -> None:
    (memsite.root / "notes/bad.md").write_text("[[gone.md]] [[Retry]]\n")
    assert memsite("check").code == 1
    assert memsite("check", "--fail-on", "error").code == 0
    assert memsite("check", "--fail-on", "never").code == 0
    assert memsite("check", "--update-baseline", "--baseline", "known.txt").code == 0
    assert memsite("check", "--baseline", "known.txt").code == 0
    assert memsite("check", "--json").json["summary"]["warning"] == 1
    assert "## W003" in memsite("check", "--explain", "w003").out


def test_report_and_diff(memsite: Shell) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(memsite.root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    (memsite.root / "notes/Deploy.md").unlink()
    (memsite.root / "sys/new.md").write_text("# New\n\n[[Retry]]\n")
    diff = memsite("diff", "HEAD", "--json").json
    assert [note["path"] for note in diff["removed"]] == ["notes/Deploy.md"]
    assert [note["path"] for note in diff["added"]] == ["sys/new.md"]
    assert "notes/Deploy.md" in memsite("diff", "HEAD").out
    assert memsite("report", "out", "--against", "HEAD").code == 0
    assert len([path for path in (memsite.root / "out").iterdir() if path.suffix]) == 6
    assert "notes/Deploy.md" in (memsite.root / "out/summary.md").read_text()


@pytest.mark.parametrize("kind", ["json", "graphml", "mermaid", "dot", "csv"])
@pytest.mark.parametrize("view", ["concepts", "notes"])
def test_graph(memsite: Shell, kind: str, view: str) -> None:
    assert "Retry" in memsite("graph", "--format", kind, "--view", view).out
    assert "Retry" in memsite("graph", "--format", kind, "--view", view, "--concept", "retry").out


def test_on_a_terminal() -> None:
    """Columns with headings and colours, unless NO_COLOR says otherwise."""
    program = (
        "import sys; from memsite.cli.terminal import echo, print_rows, style; echo(style('x', bold=True)); "
    )
    program += "print_rows(('A', 'B'), [('日本', 'y')], plain=False)"

    def shown(**environment: str) -> bytes:
        leader, follower = pty.openpty()
        around = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        subprocess.run(
            [sys.executable, "-c", program], stdout=follower, env={**around, **environment}, check=True
        )
        os.close(follower)
        try:
            return os.read(leader, 4096)
        finally:
            os.close(leader)

    assert b"\x1b[1mx" in shown(TERM="xterm")
    assert b"\x1b" not in shown(NO_COLOR="1", TERM="xterm")
    assert "日本  y".encode() in shown(NO_COLOR="1", TERM="xterm")


def test_a_reader_that_goes_away_is_no_error(memsite: Shell) -> None:
    program = "from memsite.cli import main; main()"
    command = f"{sys.executable} -c '{program}' list --json | head -c 1"
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=memsite.root, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_reports_are_no_notes_of_the_store_they_lie_in(memsite: Shell) -> None:
    before = memsite("check", "--json").json["summary"]["notes"]
    assert memsite("report", "notes/out").code == 0
    assert (memsite.root / "notes/out/summary.md").is_file()
    assert memsite("check", "--json").json["summary"]["notes"] == before
    refused = memsite("report", "notes")
    assert refused.code == 2
    assert "would become notes" in refused.err
    assert not (memsite.root / "notes/summary.md").exists()


def test_nothing_is_compared_with_an_empty_name(memsite: Shell) -> None:
    assert "E019" in memsite("diff", "").err


def test_a_concept_that_stands_alone_says_so(memsite: Shell) -> None:
    (memsite.root / "notes/alone.md").write_text("# Alone\n\n[[tide]]\n")
    ran = memsite("context", "tide")
    assert ran.out == ""
    assert "tide is named with nothing else." in ran.err
