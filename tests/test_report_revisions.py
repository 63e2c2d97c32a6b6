"""The difference to a git revision: in a full history, and in a clone that has a part of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_history import git, make_history, write

from memsite import open_memory
from memsite.cli.earlier import difference
from memsite.errors import BadArgument
from memsite.report import diff_markdown


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return make_history(tmp_path / "board")


def cloned(history: Path, *how: str) -> Path:
    clone = history.parent / "clone"
    git(history.parent, "clone", "-q", *how, f"file://{history}", str(clone))
    return clone


def told(root: Path, against: str) -> Any:
    return difference(open_memory(root), against)


def test_all_that_happened_between_two_commits_is_told(history: Path) -> None:
    diff = told(history, "HEAD~1")
    assert [note.path for note in diff.added] == ["notes/new.md", ".workflow/memory/TIP-2.md"]
    assert [note.path for note in diff.removed] == ["notes/gone.md"]
    assert [(note.before, note.path) for note in diff.moved] == [("notes/moved.md", "notes/sub/moved.md")]
    changed = [".workflow/memory/TIP-1.md", "notes/hub.md", "notes/old.md"]
    assert [note.path for note in diff.changed] == changed, "one by its row in the index"
    assert [(link.path, link.target) for link in diff.links_broken] == [("notes/hub.md", "gone.md")]
    assert [problem.code for problem in diff.new] == ["W005"]
    text = diff_markdown(diff)
    assert "notes/sub/moved.md" in text
    assert "gone.md" in text


def test_what_is_not_committed_counts(history: Path) -> None:
    assert told(history, "HEAD").empty
    write(history, {"notes/later.md": "# Later\n\n[[hub]]\n"})
    assert [note.path for note in told(history, "HEAD").added] == ["notes/later.md"]


def test_a_shallow_clone_compares_with_what_it_has(history: Path) -> None:
    clone = cloned(history, "--depth", "1")
    assert told(clone, "HEAD").empty
    assert told(clone, "origin/main").empty
    assert told(clone, git(clone, "rev-parse", "HEAD")).empty
    (clone / "notes/new.md").unlink()
    assert [note.path for note in told(clone, "HEAD").removed] == ["notes/new.md"]


def test_a_clone_as_deep_as_needed_is_deep_enough(history: Path) -> None:
    clone = cloned(history, "--depth", "2")
    assert told(clone, "HEAD~1") == told(history, "HEAD~1")


@pytest.mark.parametrize("name", ["HEAD~1", "HEAD^", "origin/side", "{first}", "v1", "{first:.8}"])
def test_what_a_shallow_clone_lacks_comes_with_the_one_command_that_is_named(
    history: Path, name: str
) -> None:
    first = git(history, "rev-parse", "HEAD~1")
    git(history, "branch", "side", "HEAD~1")
    git(history, "tag", "v1", "HEAD~1")
    git(history, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone, wanted = cloned(history, "--depth", "1"), name.format(first=first)
    with pytest.raises(BadArgument) as refusal:
        told(clone, wanted)
    assert "shallow clone" in refusal.value.message
    assert refusal.value.hint.startswith("Get it: git fetch ")
    git(clone, *refusal.value.hint.removeprefix("Get it: git ").split())
    assert told(clone, wanted) == told(history, "HEAD~1")


def test_what_is_no_revision_anywhere(history: Path) -> None:
    with pytest.raises(BadArgument, match="neither a folder nor a git revision"):
        told(history, "no-such")


def test_a_revision_that_looks_like_an_option_is_none(history: Path) -> None:
    with pytest.raises(BadArgument):
        told(history, "--output=/tmp/x")


def test_links_of_git_that_lead_out_of_the_store_are_not_followed(history: Path) -> None:
    (history / "notes/out.md").symlink_to("/etc/hostname")
    git(history, "add", "-A")
    git(history, "commit", "-q", "-m", "third")
    before = told(history, "HEAD~1")
    assert all(note.path != "notes/out.md" for note in before.added)
    (history / "notes/out.md").unlink()
    assert told(history, "HEAD").removed == ()


def test_the_json_of_a_diff_reads_back(history: Path) -> None:
    from memsite.report import diff_value

    value = json.loads(json.dumps(diff_value(told(history, "HEAD~1"))))
    assert value["removed"][0]["path"] == "notes/gone.md"
