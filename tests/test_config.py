"""memsite.toml and [tool.memsite]: what is understood, and one clear message for everything else."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from itertools import pairwise
from pathlib import Path

import pytest

from memsite.config import SECTIONS, Config, StoreConfig, load_config
from memsite.errors import BadConfig

FULL = """
[site]
title = "Ana's memory"
base_url = "https://example.org/wiki/"
language = "zh-Hans"
output = "public"
remote_images = true

[stores.workflow]
require_wikilink = false

[stores.notes]
kind = "vault"
path = "docs"
include = ["**/*.md"]
exclude = ["drafts"]
publish = false
severities = { W005 = "off" }

[check]
severities = { missing-note = "error" }
ignore = ["W005 drafts/*"]
memory_lines = 150
stale_days = { feedback = 90 }

[leaks]
redact = true

[graph]
resolution = 2
"""


def written(folder: Path, text: str, name: str = "memsite.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path, text: str) -> str:
    with pytest.raises(BadConfig) as refusal:
        load_config(written(folder, text))
    assert (refusal.value.code, refusal.value.exit_code) == ("E015", 2)
    assert str(folder) not in refusal.value.message
    assert refusal.value.message.endswith(".")
    return f"{refusal.value.message} {refusal.value.hint}"


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path) == Config()


def test_every_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    config = load_config(written(tmp_path, FULL))
    assert config.file == tmp_path / "memsite.toml"
    assert (config.site.title, config.site.language, config.site.output) == (
        "Ana's memory",
        "zh-Hans",
        "public",
    )
    assert config.site.remote_images is True
    assert config.stores == (
        StoreConfig("workflow", "workflow", require_wikilink=False),
        StoreConfig(
            "notes",
            "vault",
            path="docs",
            include=("**/*.md",),
            exclude=("drafts",),
            publish=False,
            severities={"W005": "off"},
        ),
    )
    assert config.check.severities == {"missing-note": "error"}
    assert config.check.ignore == ("W005 drafts/*",)
    assert (config.check.memory_lines, config.check.memory_bytes) == (150, 25_000)
    assert config.check.stale_days == {"feedback": 90}
    assert config.leaks.redact is True
    assert config.graph.resolution == 2.0
    assert isinstance(config.graph.resolution, float)


def test_pyproject_is_read_and_gives_way_to_memsite_toml(tmp_path: Path) -> None:
    written(tmp_path, '[project]\nname = "x"\n[tool.memsite.site]\ntitle = "P"\n', "pyproject.toml")
    assert load_config(tmp_path).site.title == "P"
    assert load_config(tmp_path).file == tmp_path / "pyproject.toml"
    written(tmp_path, '[site]\ntitle = "M"\n')
    assert load_config(tmp_path).site.title == "M"


def test_pyproject_without_our_table_is_none_of_our_business(tmp_path: Path) -> None:
    written(tmp_path, '[tool.other]\ntitel = "P"\n', "pyproject.toml")
    assert load_config(tmp_path) == Config()


def test_byte_order_mark_and_crlf_are_read(tmp_path: Path) -> None:
    (tmp_path / "memsite.toml").write_bytes(b'\xef\xbb\xbf[site]\r\ntitle = "T"\r\n')
    assert load_config(tmp_path).site.title == "T"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[site]\ntitel = "x"', "unknown key `titel` in [site]. Did you mean `title`?"),
        (
            "[site]\nremote-images = true",
            "unknown key `remote-images` in [site]. Did you mean `remote_images`?",
        ),
        ("[chek]", "unknown table [chek]. Did you mean `check`?"),
        ("[qqqq]", "unknown table [qqqq]"),
        ("title = 'x'", "unknown table [title]"),
        ("[stores.a]\npath = '.'\nname = 'b'", "unknown key `name` in [stores.a]"),
    ],
)
def test_unknown_key_names_the_near_one(tmp_path: Path, text: str, message: str) -> None:
    found = refused(tmp_path, text)
    assert found.startswith("memsite.toml: ")
    assert message in found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[site]\ntitle = 3", ["`title` in [site]", "a string"]),
        ("[site]\nremote_images = 'yes'", ["`remote_images`", "true or false"]),
        ("site = 3", ["`site` must be a table"]),
        ("stores = []", ["`stores` must be a table", "a list"]),
        ("[stores]\na = 1", ["`stores.a` must be a table"]),
        ("[stores.a]\npath = '.'\ninclude = '*.md'", ["`include` in [stores.a]", "list of strings"]),
        ("[stores.a]\npath = '.'\nexclude = [1]", ["`exclude` in [stores.a]", "list of strings"]),
        ("[check]\nmemory_lines = true", ["`memory_lines`", "whole number"]),
        ("[check]\nmemory_lines = 1979-05-27", ["`memory_lines`", "a date or time"]),
        ("[check]\nmemory_bytes = 2.5", ["`memory_bytes`", "whole number"]),
        ("[check.severities]\nW001 = 1", ["`W001` in [check.severities]", "one of error"]),
        ("[check]\npaths = ['a/*']", ["`check.paths` must be a table", "a list"]),
        ("[check.paths]\n'a/*' = 'off'", ['`check.paths."a/*"` must be a table', "a string"]),
        ("[check.paths.'a/*']\nW001 = 1", ['`W001` in [check.paths."a/*"]', "one of error"]),
    ],
)
def test_wrong_types(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refused(tmp_path, text)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[check.severities]\nW001 = 'warn'", ["not `warn`", "Did you mean `warning`?"]),
        ("[check.severities]\nw1 = 'off'", ["`w1`", "neither a code"]),
        ("[check.paths.'a/*']\nW001 = 'of'", ['[check.paths."a/*"]', "not `of`", "Did you mean `off`?"]),
        ("[check.paths.'a/*']\nw1 = 'off'", ['[check.paths."a/*"]', "`w1`", "neither a code"]),
        ("[check]\nmemory_lines = 0", ["at least 1"]),
        ("[check.stale_days]\nuser = 0", ["`user` in [check.stale_days]", "at least 1"]),
        ("[check]\nignore = ['W005']", ["`ignore`", "CODE path-glob"]),
        ("[site]\nbase_url = 'example.org'", ["`base_url`", "absolute"]),
        ("[site]\nbase_url = 'javascript:alert(1)'", ["`base_url`", "absolute"]),
        ("[site]\nlanguage = 'e n'", ["`language`"]),
        ("[site]\noutput = ' '", ["`output`", "empty"]),
        ("[graph]\nresolution = nan", ["`resolution`", "greater than 0"]),
        ("[graph]\nresolution = inf", ["`resolution`", "greater than 0"]),
        ("[graph]\nseed = -1", ["`seed`", "negative"]),
    ],
)
def test_bad_values(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refused(tmp_path, text)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[stores.a]\nkind = 'vualt'\npath = '.'", ["`kind` in [stores.a]", "Did you mean `vault`?"]),
        ("[stores.a]\nkind = 'vault'", ["[stores.a] needs `path`"]),
        ("[stores.a]\npath = 'nope'", ["[stores.a]", "`nope`", "is not a folder"]),
        ("[stores.a]\npath = 'memsite.toml'", ["[stores.a]", "is not a folder"]),
        ("[stores.system]\nkind = 'vault'\npath = '.'", ["[stores.system]", "kind `system`"]),
        ("[stores.'a/b']\npath = '.'", ["[stores.a/b]", "is not a store name"]),
        ("[stores.Notes]\npath = '.'\n[stores.notes]\npath = '..'", ["Notes", "notes", "one name"]),
        ("[stores.a]\npath = '.'\n[stores.b]\npath = './'", ["[stores.a]", "[stores.b]", "same folder"]),
        ("[stores.a]\npath = '.'\n[stores.a]\npath = '.'", ["not valid TOML", "line 3"]),
    ],
)
def test_bad_stores(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refused(tmp_path, text)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("name", ["workflow", "knowhow", "system"])
def test_known_names_give_the_kind(tmp_path: Path, name: str) -> None:
    (store,) = load_config(written(tmp_path, f"[stores.{name}]\npublish = false")).stores
    assert store.kind == ("system" if name == "system" else "workflow")
    assert store.path == ""


def test_broken_files_are_named(tmp_path: Path) -> None:
    assert "line 2" in refused(tmp_path, "[site]\ntitle = x")
    (tmp_path / "memsite.toml").write_bytes(b"[site]\ntitle = '\xe9'")
    with pytest.raises(BadConfig, match="not UTF-8: bad byte at offset 16"):
        load_config(tmp_path)
    (tmp_path / "memsite.toml").unlink()
    (tmp_path / "memsite.toml").mkdir()
    with pytest.raises(BadConfig, match=r"memsite\.toml cannot be read"):
        load_config(tmp_path)


def test_path_of_a_store_counts_from_the_file_and_knows_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    project = tmp_path / "p"
    for folder in (project, tmp_path / "beside", tmp_path / "own"):
        folder.mkdir()
    config = load_config(written(project, "[stores.a]\npath = '../beside'\n[stores.b]\npath = '~/own'"))
    assert [store.path for store in config.stores] == ["../beside", "~/own"]


def test_every_key_has_a_text_for_the_reference() -> None:
    tree = ast.parse(Path(inspect.getfile(Config)).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for section in SECTIONS.values():
        body = classes[section.__name__].body
        explained = [
            first.target.id
            for first, second in pairwise(body)
            if isinstance(first, ast.AnnAssign)
            and isinstance(first.target, ast.Name)
            and isinstance(second, ast.Expr)
        ]
        assert explained == [one.name for one in dataclasses.fields(section)]
