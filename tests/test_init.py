"""memsite init: the configuration it writes, what it leaves alone, and the CI job run step by step."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from git_history import git, make_history

from memsite.cli.app import run
from memsite.cli.settings import all_settings, table_meanings
from memsite.cli.start import CI_FILES
from memsite.config import SECTIONS, Config, load_config
from tests.conftest import write_tree

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ".github/workflows/memory.yml"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "board", {"notes/a.md": "# A\n\nSee [[b]].\n"})


def init(root: Path, *options: str) -> int:
    return run(["init", "--project", str(root), *options])


def test_it_writes_a_configuration_that_changes_nothing_but_what_it_names(empty: Path) -> None:
    assert init(empty, "--vault", f"docs={empty / 'notes'}") == 0
    config = load_config(empty)
    assert config.site.title == "board"
    assert [(store.name, store.kind, store.path) for store in config.stores] == [("docs", "vault", "notes")]
    plain = Config()
    assert (config.check, config.leaks, config.graph) == (plain.check, plain.leaks, plain.graph)
    assert run(["check", "--project", str(empty)]) == 0


def test_every_default_it_shows_is_one(empty: Path) -> None:
    assert init(empty, "--vault", f"docs={empty / 'notes'}", "--title", 'A "board"') == 0
    file = empty / "memsite.toml"
    config = load_config(empty)
    assert config.site.title == 'A "board"'
    shown = re.sub(r"(?m)^# ([a-z_]+ = )", r"\1", file.read_text(encoding="utf-8"))
    assert {key for table in tomllib.loads(shown).values() for key in table} > {"footer", "seed", "redact"}
    file.write_text(shown, encoding="utf-8")
    assert load_config(empty) == config


def test_it_writes_no_store_that_lies_elsewhere(empty: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "elsewhere", {"MEMORY.md": "# Memory\n"})
    assert init(empty, "--system-dir", str(tmp_path / "elsewhere")) == 0
    assert load_config(empty).stores == ()
    assert str(tmp_path) not in (empty / "memsite.toml").read_text(encoding="utf-8")


def test_it_finds_the_stores_and_says_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(tmp_path, {".workflow/memory/TIP-20260318-001.md": "# Tip\n\n[[X]]\n"})
    assert init(tmp_path) == 0
    told = capsys.readouterr().out
    assert "found workflow (workflow, 1 note)" in told
    assert "wrote memsite.toml" in told
    assert "next: memsite check" in told
    assert [store.path for store in load_config(tmp_path).stores] == [".workflow/memory"]


def test_it_never_overwrites(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = '[site]\ntitle = "Mine"\n\n[stores.docs]\nkind = "vault"\npath = "notes"\n'
    write_tree(empty, {"memsite.toml": mine, ".pre-commit-config.yaml": "repos: []\n"})
    assert init(empty, "--hook", "--ci", "github") == 0
    assert "kept memsite.toml" in capsys.readouterr().out
    assert (empty / "memsite.toml").read_text(encoding="utf-8") == mine
    assert (empty / ".pre-commit-config.yaml").read_text(encoding="utf-8") == "repos: []\n"
    assert (empty / WORKFLOW).is_file()


def test_settings_in_pyproject_are_settings(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(empty, {"pyproject.toml": '[tool.memsite.stores.docs]\nkind = "vault"\npath = "notes"\n'})
    assert init(empty) == 0
    assert "kept pyproject.toml" in capsys.readouterr().out
    assert not (empty / "memsite.toml").exists()


def test_without_a_store_it_says_how_to_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(tmp_path) == 2
    told = capsys.readouterr().err
    assert "E001" in told
    assert "memsite init --vault FOLDER" in told
    assert not (tmp_path / "memsite.toml").exists()


def test_on_a_terminal_it_asks(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    asked: list[str] = []

    def prompt(question: str, **_: Any) -> object:
        asked.append(question)
        return Path("notes") if "folder" in question else "The board"

    monkeypatch.setattr("memsite.cli.start.sys.stdin", Terminal())
    monkeypatch.setattr("memsite.cli.start.click.prompt", prompt)
    assert init(empty) == 0
    assert len(asked) == 2
    config = load_config(empty)
    assert config.site.title == "The board"
    assert [(store.name, store.path) for store in config.stores] == [("notes", "notes")]


@pytest.mark.parametrize("form", ["memsite.toml", "yaml"])
def test_what_it_writes_is_well_formed(empty: Path, form: str) -> None:
    assert init(empty, "--vault", f"docs={empty / 'notes'}", "--hook", "--ci", "gitlab") == 0
    if form == "memsite.toml":
        assert set(tomllib.loads((empty / form).read_text(encoding="utf-8"))) == set(SECTIONS)
        return
    for name in (".gitlab-ci.yml", ".pre-commit-config.yaml"):
        assert yaml.safe_load((empty / name).read_text(encoding="utf-8"))


def test_every_setting_says_what_it_means() -> None:
    settings = all_settings()
    assert len(settings) > 20
    assert all(each.meaning.endswith(".") for each in settings)
    assert all(table_meanings().values())
    assert {each.table for each in settings} == set(SECTIONS)


def test_a_configuration_that_is_there_is_told_what_it_lacks(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty / "memsite.toml").write_text("[site]\ntitle = 'Old'\n")
    assert init(empty, "--vault", str(empty / "notes"), "--title", "New") == 0
    told = capsys.readouterr().out
    assert '  [stores.notes]\n  kind = "vault"\n  path = "notes"\n' in told
    assert 'its title is "Old": change it there, under [site]\n' in told
    with (empty / "memsite.toml").open("a") as file:
        file.write('[stores.notes]\nkind = "vault"\npath = "notes"\n')
    assert init(empty) == 0
    assert "[stores" not in capsys.readouterr().out


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_the_ci_job_installs_memsite_from_where_it_came(
    empty: Path, host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = {"url": "https://git.example/u/memsite", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    for origin, wanted in (
        (json.dumps(url), "memsite @ git+https://git.example/u/memsite@abc"),
        ('{"url": "file:///x", "dir_info": {}}', "memsite"),
        (json.dumps({**url, "url": "file:///x"}), "memsite"),
        (None, "memsite"),
    ):
        known = SimpleNamespace(read_text=lambda _, text=origin: text)
        monkeypatch.setattr("importlib.metadata.distribution", lambda _, known=known: known)
        assert init(empty, "--vault", str(empty / "notes"), "--ci", host) == 0
        file = empty / CI_FILES[host]
        job = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert (job["env"] if host == "github" else job["memory"]["variables"])["MEMSITE"] == wanted
        assert ("MEMSITE in " in capsys.readouterr().err) == (wanted == "memsite")
        file.unlink()


# The CI job ---------------------------------------------------------------------------------


def steps_of(workflow: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (step for step in workflow["jobs"]["memory"]["steps"] if "run" in step)


def run_steps(steps: Iterator[Mapping[str, Any]], project: Path) -> dict[str, int]:
    """What a runner does with the steps that run commands: exit code by name of each that ran."""
    bin_folder = Path(sys.executable).parent
    environ = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(project / "job-summary.md"),
    }
    codes: dict[str, int] = {}
    for step in steps:
        failed = any(codes.values())
        if step["name"] == "Install" or (failed and step.get("if") != "always()"):
            continue
        given = {name: "" if "${{" in value else value for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=project,
            env={**environ, **given},
            capture_output=True,
        )
        codes[step["name"]] = done.returncode
    return codes


@pytest.fixture
def copied(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return Path(
        shutil.copytree(ROOT / request.param, tmp_path / "copy", ignore=shutil.ignore_patterns("site"))
    )


@pytest.mark.parametrize("copied", ["examples"], indirect=True)
def test_the_github_job_is_green_on_a_healthy_memory(copied: Path) -> None:
    assert init(copied, "--ci", "github") == 0
    workflow = yaml.safe_load((copied / WORKFLOW).read_text(encoding="utf-8"))
    assert run_steps(steps_of(workflow), copied) == {"Check": 0, "Report": 0, "Build": 0}
    assert (copied / "_site/index.html").is_file()
    summary = (copied / "job-summary.md").read_text(encoding="utf-8")
    assert summary == (copied / "memory-report/summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("copied", ["examples/broken"], indirect=True)
def test_the_github_job_is_red_on_a_broken_one_and_still_reports(copied: Path) -> None:
    assert init(copied, "--ci", "github") == 0
    workflow = yaml.safe_load((copied / WORKFLOW).read_text(encoding="utf-8"))
    assert run_steps(steps_of(workflow), copied) == {"Check": 1, "Report": 0}
    assert (copied / "memory-report/report.sarif").is_file()
    assert "W007" in (copied / "job-summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("copied", "code"),
    [("examples", 0), ("examples/broken", 1)],
    indirect=["copied"],
    ids=["clean", "broken"],
)
def test_the_action_runs(copied: Path, code: int) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    defaults = {name: str(each["default"]) for name, each in action["inputs"].items()} | {"output": "wiki"}
    steps = [step for step in action["runs"]["steps"] if "run" in step]
    for step in steps:
        env = step.setdefault("env", {})
        for name, value in env.items():
            wanted = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)
            assert wanted is not None
            given = defaults[wanted[1]]
            env[name] = "" if "${{" in given else given
    codes = run_steps(iter(steps), copied)
    assert codes["Report"] == 0
    assert codes["Check"] == code
    assert ("Build" in codes) == (code == 0)


def test_the_action_gets_the_base_into_a_shallow_clone(tmp_path: Path) -> None:
    history = make_history(tmp_path / "board")
    git(history, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{history}", str(clone))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = {"PROJECT": ".", "REPORT": "out", "OUTPUT": "wiki", "FAIL_ON": "error"}
    steps = [step for step in action["runs"]["steps"] if "run" in step]
    for step in steps:
        step["env"] = {**given, "AGAINST": git(history, "rev-parse", "HEAD~1")}
    assert run_steps(iter(steps), clone) == {"Report": 0, "Check": 0, "Build": 0}
    assert "What changed" in (clone / "out/summary.md").read_text(encoding="utf-8")
    assert (clone / "wiki/health/changes.html").is_file()


@pytest.mark.parametrize(
    ("copied", "code"),
    [("examples", 0), ("examples/broken", 1)],
    indirect=["copied"],
    ids=["clean", "broken"],
)
def test_the_gitlab_job_runs(copied: Path, code: int) -> None:
    assert init(copied, "--ci", "gitlab") == 0
    job = yaml.safe_load((copied / ".gitlab-ci.yml").read_text(encoding="utf-8"))["memory"]
    script = "\n".join(line for line in job["script"] if not line.startswith("pip "))
    assert run_steps(iter([{"name": "script", "run": script}]), copied) == {"script": code}
    assert (copied / job["artifacts"]["reports"]["junit"]).is_file()
    assert (copied / "public/index.html").exists() == (code == 0)


@pytest.mark.parametrize(
    "file", [".pre-commit-hooks.yaml", "templates/init/pre-commit.yaml"], ids=["ours", "written"]
)
@pytest.mark.parametrize(
    ("copied", "code"),
    [("examples", 0), ("examples/broken", 1)],
    indirect=["copied"],
    ids=["clean", "broken"],
)
def test_the_pre_commit_hook_refuses_a_broken_memory(copied: Path, code: int, file: str) -> None:
    written = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    hook = written[0] if isinstance(written, list) else written["repos"][0]["hooks"][0]
    assert run_steps(iter([{"name": "hook", "run": hook["entry"]}]), copied) == {"hook": code}
