"""Finding stores: the order of the rules, slugs, worktrees, settings, names of vaults."""

from __future__ import annotations

import json
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from memsite.config import Config, StoreConfig, load_config
from memsite.errors import BadArgument, BadConfig, NoStore
from memsite.stores import Discovery, find_stores, project_root
from memsite.stores.system import literal_slugs, slug_of, wide_slug_of
from memsite.stores.vault import vault_name

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX paths")


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


class Machine:
    """A home with an agent's folder, and projects beside it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root).resolve()
        self.home = folder(self.root / "home")
        self.config = self.home / ".claude"
        self.environ = {"HOME": str(self.home)}

    def store(self, slug: str) -> Path:
        return folder(self.config / "projects" / slug / "memory")

    def find(self, project: Path, **options: object) -> Discovery:
        config = options.pop("config", Config())
        return find_stores(config, project, environ=self.environ, **options)  # type: ignore[arg-type]

    def system(self, project: Path) -> Path:
        (store,) = self.find(project).stores
        assert (store.name, store.kind) == ("system", "system")
        return store.root


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# Slugs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        (PurePosixPath("/home/u/my_app"), "-home-u-my-app"),
        (PurePosixPath("/home/ana/my_proj.v2"), "-home-ana-my-proj-v2"),
        (PurePosixPath("/Users/me/.agents"), "-Users-me--agents"),
        (PurePosixPath("/tmp/a b"), "-tmp-a-b"),
        (PurePosixPath("/home/ana/プロジェクト"), "-home-ana-------"),
        (PurePosixPath("/x/cafe\u0301"), "-x-caf-"),
        (PureWindowsPath(r"C:\git\ai-p_sandbox"), "C--git-ai-p-sandbox"),
        (PureWindowsPath(r"D:\work\app"), "D--work-app"),
        (PurePosixPath("/"), "-"),
    ],
)
def test_slug_on_disk(path: PurePosixPath, slug: str) -> None:
    assert slug_of(path) == slug


def test_slug_counts_utf16_units_in_its_wide_form() -> None:
    assert slug_of(PurePosixPath("/a/🗒")) == "-a--"
    assert wide_slug_of(PurePosixPath("/a/🗒")) == "-a---"


@pytest.mark.parametrize(
    ("path", "slugs"),
    [
        (PurePosixPath("/home/u/p"), ("--home--u--p", "home--u--p", "home-u-p")),
        (
            PurePosixPath("/home/ana/my_proj.v2"),
            ("--home--ana--my_proj.v2", "home--ana--my_proj.v2", "home-ana-my_proj.v2"),
        ),
        (PureWindowsPath(r"D:\maestro2"), ("D--maestro2", "D-maestro2")),
        (PureWindowsPath(r"D:\a\b"), ("D--a--b", "D-a-b")),
    ],
)
def test_literal_slugs(path: PurePosixPath, slugs: tuple[str, ...]) -> None:
    assert literal_slugs(path) == slugs


# The system store ---------------------------------------------------------------------------


@posix_only
class TestSystemStore:
    def test_rules_in_their_order(self, machine: Machine) -> None:
        git = folder(machine.root / "git")
        folder(git / ".git")
        project = folder(git / "my_app")
        folder(project / ".workflow")
        exact, root = slug_of(project), slug_of(git)
        doubled = "--" + "--".join(project.parts[1:])
        configured = folder(machine.root / "configured")
        (folder(project / ".claude") / "settings.json").write_text(
            json.dumps({"autoMemoryDirectory": str(configured)})
        )
        places = [
            machine.store(exact),
            machine.store(root),
            machine.store(doubled),
            machine.store(doubled.removeprefix("--")),
            machine.store("-".join(project.parts[1:])),
            configured,
            folder(project / ".claude" / "memory"),
        ]
        for place in places:
            discovery = machine.find(project)
            assert discovery.stores[0].root == place
            others = places[places.index(place) + 1 :]
            assert len(discovery.notes) == len(others)
            assert all(str(other) in note for other, note in zip(others, discovery.notes, strict=True))
            place.rmdir()
        with pytest.raises(NoStore):
            machine.find(project)

    def test_what_was_tried_says_why(self, machine: Machine) -> None:
        project = folder(machine.root / "app")
        machine.store(slug_of(project))
        tried = [place for place in machine.find(project).tried if place.found]
        assert [(place.kind, place.rule) for place in tried] == [("system", "folder named after the project")]

    def test_sub_folder_and_worktree_lead_to_the_main_checkout(self, machine: Machine) -> None:
        app = folder(machine.root / "app")
        folder(app / ".git" / "worktrees" / "app-wt")
        (app / ".git/worktrees/app-wt/commondir").write_text("../..\n")
        worktree = folder(machine.root / "app-wt")
        (worktree / ".git").write_text(f"gitdir: {app}/.git/worktrees/app-wt\n")
        place = machine.store(slug_of(app))
        assert machine.system(folder(app / "pkg" / "ui")) == place
        assert machine.system(worktree) == place
        assert machine.system(folder(worktree / "pkg")) == place
        own = machine.store(slug_of(worktree))
        assert machine.system(worktree) == own

    def test_a_worktree_with_relative_paths(self, machine: Machine) -> None:
        app = folder(machine.root / "app")
        folder(app / ".git" / "worktrees" / "wt")
        (app / ".git/worktrees/wt/commondir").write_text("../..\n")
        worktree = folder(app / "trees" / "wt")
        (worktree / ".git").write_text("gitdir: ../../.git/worktrees/wt\n")
        place = machine.store(slug_of(app))
        assert machine.system(worktree) == place

    @pytest.mark.parametrize(
        "pointer", ["", "gitdir: ", "gitdir: /nowhere", "x" * 300_000, "\0", "gitdir: a\0b"]
    )
    def test_a_broken_git_file_does_no_harm(self, machine: Machine, pointer: str) -> None:
        project = folder(machine.root / "app")
        (project / ".git").write_text(pointer)
        place = machine.store(slug_of(project))
        assert machine.system(project) == place

    def test_a_submodule_is_a_project_of_its_own(self, machine: Machine) -> None:
        outer = folder(machine.root / "outer")
        folder(outer / ".git" / "modules" / "sub")
        sub = folder(outer / "sub")
        (sub / ".git").write_text("gitdir: ../.git/modules/sub\n")
        machine.store(slug_of(outer))
        with pytest.raises(NoStore):
            machine.find(sub)

    def test_a_link_leads_to_the_store_of_its_real_path_first(self, machine: Machine) -> None:
        app = folder(machine.root / "app")
        (machine.root / "link").symlink_to(app)
        textual = machine.store(slug_of(machine.root / "link"))
        assert machine.system(machine.root / "link") == textual
        real = machine.store(slug_of(app))
        assert machine.system(machine.root / "link") == real

    def test_the_home_folder_has_a_store_too(self, machine: Machine) -> None:
        place = machine.store(slug_of(machine.home))
        assert machine.system(machine.home) == place

    def test_config_folder_of_the_environment(self, machine: Machine) -> None:
        project = folder(machine.root / "app")
        machine.store(slug_of(project))
        machine.environ["CLAUDE_CONFIG_DIR"] = "~/other"
        place = folder(machine.home / "other" / "projects" / slug_of(project) / "memory")
        assert machine.system(project) == place

    def test_long_paths_are_found_by_the_start_of_their_slug(self, machine: Machine) -> None:
        project = folder(machine.root / ("x" * 120) / ("y" * 120))
        slug = slug_of(project)
        assert len(slug) > 200
        machine.store(slug[:200])
        machine.store(slug[:199] + "z-abc")
        place = machine.store(slug[:200] + "-1k2j3h")
        assert machine.system(project) == place
        machine.store(slug[:200] + "-zzz")
        discovery = machine.find(project)
        assert discovery.stores[0].root == place
        assert "-zzz" in discovery.notes[0]

    def test_settings_of_the_project_come_before_those_of_the_user(self, machine: Machine) -> None:
        project = folder(machine.root / "app")
        for name in ("local", "own", "user"):
            folder(machine.home / name)
        settings = folder(project / ".claude")
        folder(machine.config)
        (machine.config / "settings.json").write_text('{"autoMemoryDirectory": "~/user"}')
        assert machine.system(project) == machine.home / "user"
        (settings / "settings.json").write_text('\ufeff{"autoMemoryDirectory": "~/own"}')
        assert machine.system(project) == machine.home / "own"
        (settings / "settings.local.json").write_text('{"autoMemoryDirectory": "../home/local"}')
        assert machine.system(project).resolve() == machine.home / "local"

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", '{"autoMemoryDirectory": 7}', '{"autoMemoryDirectory": "\\u0000"}']
    )
    def test_broken_settings_do_no_harm(self, machine: Machine, text: str) -> None:
        project = folder(machine.root / "app")
        (folder(project / ".claude") / "settings.json").write_text(text)
        place = machine.store(slug_of(project))
        assert machine.system(project) == place

    def test_a_store_that_two_paths_share_is_named(self, machine: Machine) -> None:
        project = folder(machine.root / "a-b")
        place = machine.store(slug_of(project))
        (place.parent / "1.jsonl").write_text(
            json.dumps({"cwd": str(machine.root / "a" / "b")})
            + "\n"
            + json.dumps({"cwd": str(project / "sub")})
            + '\n{"cwd": "cut \\'
        )
        (note,) = machine.find(project).notes
        assert f"may belong to {machine.root / 'a' / 'b'} as well" in note

    def test_system_dir_takes_the_place_of_all_others(self, machine: Machine) -> None:
        project = folder(machine.root / "app")
        machine.store(slug_of(project))
        chosen = folder(machine.root / "-starts-with-a-dash")
        other = StoreConfig("system", "system", path="elsewhere", publish=False)
        discovery = machine.find(project, system_dir=chosen, config=Config(stores=(other,)))
        assert [store.root for store in discovery.stores] == [chosen]
        assert discovery.stores[0].settings.publish is False
        with pytest.raises(BadArgument, match="does not exist"):
            machine.find(project, system_dir=machine.root / "nowhere")
        assert not (machine.root / "nowhere").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the file system sees no case")
def test_drive_letters_are_compared_case_blind() -> None:
    from memsite.stores.system import _exact_slugs

    assert list(_exact_slugs(PureWindowsPath(r"c:\git"))) == ["c--git", "C--git"]
    assert list(_exact_slugs(PurePosixPath("/c/git"))) == ["-c-git"]


# All stores ---------------------------------------------------------------------------------


def test_nothing_found_lists_what_was_tried_and_makes_nothing(machine: Machine) -> None:
    project = folder(machine.root / "app")
    with pytest.raises(NoStore) as refusal:
        machine.find(project)
    assert (refusal.value.code, refusal.value.exit_code) == ("E001", 2)
    assert ".workflow/memory" in refusal.value.hint
    tried = refusal.value.details["tried"]
    assert isinstance(tried, list)
    assert len(tried) >= 6
    assert list(project.iterdir()) == []
    assert not machine.config.exists()


def test_a_project_that_does_not_exist_is_refused(machine: Machine) -> None:
    with pytest.raises(BadArgument, match="does not exist"):
        machine.find(machine.root / "nowhere")


def test_names_of_workflow_stores(machine: Machine) -> None:
    project = machine.root / "app"
    folder(project / ".workflow" / "knowhow")
    (only,) = machine.find(project).stores
    assert (only.name, only.root.name) == ("workflow", "knowhow")
    folder(project / ".workflow" / "memory")
    first, second = machine.find(project).stores
    assert [(store.name, store.kind, store.root.name) for store in (first, second)] == [
        ("workflow", "workflow", "memory"),
        ("knowhow", "workflow", "knowhow"),
    ]


def test_settings_reach_stores_that_discovery_finds(machine: Machine) -> None:
    project = machine.root / "app"
    folder(project / ".workflow" / "memory")
    (project / "memsite.toml").write_text(
        "[stores.workflow]\npublish = false\nrequire_wikilink = false\nseverities = { W001 = 'error' }\n"
        "[stores.knowhow]\npublish = false\n"
    )
    discovery = machine.find(project, config=load_config(project))
    (store,) = discovery.stores
    view = store.view()
    assert (view.publish, view.require_wikilink, view.severities) == (False, False, {"W001": "error"})
    assert discovery.notes == ("[stores.knowhow] names no store that was found",)


def test_configured_path_takes_the_place_of_discovery(machine: Machine) -> None:
    project = machine.root / "app"
    folder(project / ".workflow" / "memory")
    team = folder(machine.root / "team" / "memory")
    config = Config(stores=(StoreConfig("workflow", "workflow", path="../team/memory"),))
    (store,) = machine.find(project, config=config).stores
    assert store.root == team
    assert store.view().prefix == "workflow/"


def test_configured_folder_that_is_gone_is_refused(machine: Machine) -> None:
    project = folder(machine.root / "app")
    config = Config(stores=(StoreConfig("notes", "vault", path="gone"),))
    with pytest.raises(BadConfig, match="'gone' does not exist"):
        machine.find(project, config=config)


def test_several_vaults_get_unique_names(machine: Machine) -> None:
    project = folder(machine.root / "app")
    roots = [
        folder(machine.root / name)
        for name in ("My Notes", "a/docs", "b/docs", "system", "日本 語", "🗒", "c/..hidden")
    ]
    discovery = machine.find(project, vaults=[("", root) for root in roots])
    assert [store.name for store in discovery.stores] == [
        *("my-notes", "docs", "docs-2", "system-2", "日本-語", "vault", "hidden"),
    ]
    assert {store.kind for store in discovery.stores} == {"vault"}


def test_vaults_of_the_command_line_and_the_configuration(machine: Machine) -> None:
    project = folder(machine.root / "app")
    docs, other = folder(project / "docs"), folder(project / "other")
    config = Config(stores=(StoreConfig("notes", "vault", path="docs", publish=False),))

    def stores(*vaults: tuple[str, Path]) -> list[tuple[str, Path]]:
        found = machine.find(project, config=config, vaults=vaults).stores
        return [(store.name, store.root) for store in found]

    assert stores(("", docs)) == [("notes", docs)]
    assert stores(("", other)) == [("notes", docs), ("other", other)]
    assert stores(("notes", other)) == [("notes", other)]
    for name in ("a/b", "", "system", "..", "a b"):
        if name:
            with pytest.raises(BadArgument):
                stores((name, other))
    with pytest.raises(BadArgument, match="does not exist"):
        stores(("", project / "gone"))


def test_vault_names_are_fit_for_addresses() -> None:
    names: list[str] = []
    for text in (
        "Foo Bar",
        "foo-bar",
        "FOO BAR",
        "a%b",
        "x:y",
        "...",
        "-",
        "cafe\u0301",
        "caf\u00e9",
        "workflow",
    ):
        names.append(vault_name(Path("/x") / text, names))
    assert names == [
        "foo-bar",
        "foo-bar-2",
        "foo-bar-3",
        "a-b",
        "x-y",
        "vault",
        "vault-2",
        "café",
        "café-2",
        "workflow-2",
    ]


def test_where_a_store_is_shown(machine: Machine) -> None:
    project = folder(machine.root / "app")
    place = machine.store(slug_of(project))
    folder(project / ".workflow" / "memory")
    outside = folder(machine.root / "vault")
    stores = machine.find(project, vaults=[("", outside), ("all", project)]).stores
    assert [(store.view().location, store.view().prefix) for store in stores] == [
        (".workflow/memory", ".workflow/memory/"),
        (f"~/.claude/projects/{place.parent.name}/memory", "system/"),
        (outside.as_posix(), "vault/"),
        (".", ""),
    ]


@posix_only
def test_a_store_that_is_a_link_out_of_the_project_is_named(machine: Machine) -> None:
    project = folder(machine.root / "app")
    private = folder(machine.root / "private")
    folder(project / ".workflow")
    (project / ".workflow" / "memory").symlink_to(private)
    assert machine.find(project).notes == (f"the store workflow is a link out of the project, to {private}",)


def test_project_root_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    deep = folder(tmp_path / "a" / "b" / "c")
    folder(tmp_path / "a" / ".git")
    assert project_root(deep) == tmp_path / "a"
    (tmp_path / "a" / "b" / "memsite.toml").write_text("")
    assert project_root(deep) == tmp_path / "a" / "b"
    folder(deep / ".workflow")
    assert project_root(deep) == deep
    alone = folder(tmp_path / "alone")
    assert project_root(alone) in (alone, *tmp_path.parents)
