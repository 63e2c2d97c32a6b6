"""The output folder: what is refused, what stays, what goes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memsite.build.output import LOCK, MARK, STAGE, Swap, guarded, is_ours, open_output
from memsite.errors import ForeignOutput, Locked, ReadOnly


def build(root: Path, files: Mapping[str, str], *, stores: tuple[Path, ...] = ()) -> Swap:
    with open_output(root, stores=stores) as site:
        for url, text in files.items():
            site.put(url, text.encode())
        return site.swap()


def tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name not in (MARK, LOCK)
    }


def test_first_build_into_a_new_folder(tmp_path: Path) -> None:
    swap = build(tmp_path / "site", {"a.html": "a", "deep/er/b.html": "b"})
    assert swap.written == ("a.html", "deep/er/b.html")
    assert tree(tmp_path / "site") == {"a.html": "a", "deep/er/b.html": "b"}
    assert not (tmp_path / "site" / STAGE).exists()


def test_equal_bytes_are_not_touched(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a", "b.html": "b"})
    before = (tmp_path / "a.html").stat()
    swap = build(tmp_path, {"a.html": "a", "b.html": "new"})
    after = (tmp_path / "a.html").stat()
    assert (swap.written, swap.unchanged) == (("b.html",), 1)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_stale_files_go_and_foreign_files_stay(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a", "old/er/b.html": "b", "c.html": "c"})
    (tmp_path / "CNAME").write_text("example.org")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("x")
    (tmp_path / "c.html").write_text("edited by hand")
    swap = build(tmp_path, {"a.html": "a"})
    assert swap.removed == ("old/er/b.html",)
    assert tree(tmp_path) == {
        "a.html": "a",
        "CNAME": "example.org",
        ".git/HEAD": "x",
        "c.html": "edited by hand",
    }
    assert not (tmp_path / "old").exists()


def test_a_changed_page_of_ours_is_mended(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    (tmp_path / "a.html").write_text("tampered")
    assert build(tmp_path, {"a.html": "a"}).written == ("a.html",)
    assert tree(tmp_path) == {"a.html": "a"}


def test_a_foreign_file_is_never_overwritten(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    (tmp_path / "robots.txt").write_text("mine")
    with pytest.raises(ForeignOutput, match=r"robots\.txt"):
        build(tmp_path, {"a.html": "new", "robots.txt": "ours"})
    assert tree(tmp_path) == {"a.html": "a", "robots.txt": "mine"}


def test_a_page_becomes_a_folder_and_back(tmp_path: Path) -> None:
    build(tmp_path, {"x": "page"})
    build(tmp_path, {"x/y": "inside"})
    assert tree(tmp_path) == {"x/y": "inside"}
    build(tmp_path, {"x": "page"})
    assert tree(tmp_path) == {"x": "page"}


def test_the_manifest_names_every_file(tmp_path: Path) -> None:
    build(tmp_path, {"b.html": "b", "a.html": "a"})
    manifest = json.loads((tmp_path / MARK).read_text())
    assert list(manifest) == ["version", "files"]
    assert manifest["version"] == 1
    assert list(manifest["files"]) == ["a.html", "b.html"]
    assert manifest["files"]["a.html"] == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


def refused(output: Path, store: Path) -> str:
    with pytest.raises(ForeignOutput) as caught:
        guarded(output, stores=(store,))
    return caught.value.message


def test_dangerous_folders_are_refused(tmp_path: Path) -> None:
    vault = tmp_path / "p" / "vault"
    (vault / "sub").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(vault / "sub")
    (tmp_path / "alias").symlink_to(vault)
    assert "store itself" in refused(vault, vault)
    assert "store itself" in refused(vault, tmp_path / "alias")
    assert "holds the memory store" in refused(tmp_path / "p", vault)
    assert "holds the memory store" in refused(vault / "sub" / ".." / "..", vault)
    assert "root of the file system" in refused(Path("/"), vault)
    assert "home folder" in refused(Path.home(), vault)
    assert "not a folder" in refused(tmp_path / "file", vault)
    assert "link into" in refused(tmp_path / "link", vault)
    assert guarded(vault / "site", stores=(vault,)) == vault / "site"


def test_a_folder_with_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ForeignOutput):
        build(tmp_path, {"a.html": "a"})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert not is_ours(tmp_path)
    build(tmp_path / "site", {})
    assert is_ours(tmp_path / "site")


@pytest.mark.parametrize("name", [".gitignore", ".gitkeep", ".git"])
def test_a_folder_that_only_git_needs_counts_as_empty(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("*\n")
    build(tmp_path, {"a.html": "a"})
    assert tree(tmp_path) == {name: "*\n", "a.html": "a"}


def test_a_mark_that_is_a_link_is_no_mark(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    site = tmp_path / "site"
    site.mkdir()
    (site / MARK).symlink_to(tmp_path / "elsewhere")
    (site / "thesis.txt").write_text("x")
    with pytest.raises(ForeignOutput):
        build(site, {"a.html": "a"})


@pytest.mark.parametrize(
    "written",
    [
        "{",
        "[]",
        "{}",
        '{"files": 3}',
        '{"files": {}, "before": []}',
        '{"files": {}, "before": {"a.html": 3}}',
        "\xff",
    ],
)
def test_a_damaged_manifest_is_refused(tmp_path: Path, written: str) -> None:
    build(tmp_path, {"a.html": "a"})
    (tmp_path / MARK).write_text(written)
    with pytest.raises(ForeignOutput, match="damaged"):
        build(tmp_path, {"a.html": "b"})
    assert tree(tmp_path) == {"a.html": "a"}


def test_a_manifest_cannot_reach_outside(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (tmp_path / "thesis.txt").write_text("x")
    build(site, {"a.html": "a"})
    manifest = json.loads((site / MARK).read_text())
    known = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    manifest["files"]["../thesis.txt"] = known
    manifest["files"][str(tmp_path / "thesis.txt")] = known
    (site / MARK).write_text(json.dumps(manifest))
    build(site, {"a.html": "a"})
    assert (tmp_path / "thesis.txt").read_text() == "x"


def test_a_linked_folder_inside_the_output_is_not_followed(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    outside.mkdir()
    build(site, {"a.html": "a"})
    (site / "deep").symlink_to(outside)
    with pytest.raises(ForeignOutput, match="deep"):
        build(site, {"a.html": "a", "deep/b.html": "b"})
    assert not list(outside.iterdir())
    (outside / "b.html").write_text("b")
    with pytest.raises(ForeignOutput, match="deep"):
        build(site, {"a.html": "a", "deep/b.html": "b"})


def test_nothing_is_removed_through_a_linked_folder(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    build(site, {"a.html": "a", "deep/er/b.html": "b"})
    (site / "deep").rename(outside)
    (site / "deep").symlink_to(outside)
    with open_output(site, stores=()) as output:
        assert not output.holds("deep/er/b.html")
    assert build(site, {"a.html": "a"}).removed == ()
    assert tree(outside) == {"er/b.html": "b"}


def test_foreign_folders_and_links_are_in_the_way(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("nowhere")
    for url in ("folder", "file/b.html", "link", "link/b.html"):
        with pytest.raises(ForeignOutput, match="is in the way") as caught:
            build(tmp_path, {"a.html": "a", url: "b"})
        assert url.partition("/")[0] in caught.value.message
    assert tree(tmp_path) == {"a.html": "a", "folder/mine": "x", "file": "x"}
    assert (tmp_path / "link").readlink() == Path("nowhere")


def test_clearing_takes_what_is_still_as_we_wrote_it(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a", "sub/b.html": "b", "sub/er/c.html": "c"})
    (tmp_path / "a.html").write_text("mine now")
    (tmp_path / "sub" / "mine").write_text("x")
    with open_output(tmp_path, stores=()) as site:
        site.clear()
    assert tree(tmp_path) == {"a.html": "mine now", "sub/mine": "x"}
    assert not (tmp_path / "sub" / "er").exists()


def test_what_it_holds_can_be_kept(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a", "sub/b.html": "b"})
    (tmp_path / "mine").write_text("x")
    with open_output(tmp_path, stores=()) as site:
        assert [site.holds(url) for url in ("a.html", "sub/b.html", "mine", "gone")] == [
            True,
            True,
            False,
            False,
        ]
        site.keep("sub/b.html")
        swap = site.swap()
    assert (swap.written, swap.unchanged, swap.removed) == ((), 1, ("a.html",))
    assert list(json.loads((tmp_path / MARK).read_text())["files"]) == ["sub/b.html"]


def test_what_may_be_of_two_builds_is_not_held(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    manifest = json.loads((tmp_path / MARK).read_text())
    manifest["before"] = {"a.html": ["0" * 64], "b.html": ["1" * 64, "2" * 64]}
    (tmp_path / MARK).write_text(json.dumps(manifest))
    with open_output(tmp_path, stores=()) as site:
        assert not site.holds("a.html")
        assert site.known["b.html"] == {"1" * 64, "2" * 64}


def test_pages_have_the_rights_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("x")
    build(tmp_path / "site", {"a.html": "a"})
    assert (tmp_path / "site" / "a.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("precious", ["x", "a"])
def test_a_linked_file_is_replaced_not_written_through(tmp_path: Path, precious: str) -> None:
    site = tmp_path / "site"
    (tmp_path / "precious").write_text(precious)
    build(site, {"a.html": "a"})
    (site / "a.html").unlink()
    (site / "a.html").symlink_to(tmp_path / "precious")
    build(site, {"a.html": "a"})
    assert (tmp_path / "precious").read_text() == precious
    assert not (site / "a.html").is_symlink()


@pytest.mark.parametrize("url", ["../a", "/a", "a/../../b", "", "a\\b", "a\0b", MARK, f"{STAGE}/a"])
def test_a_page_outside_is_a_fault_of_ours(tmp_path: Path, url: str) -> None:
    with pytest.raises(ValueError, match="not a place"):
        build(tmp_path, {url: "x"})


@pytest.mark.parametrize("pair", [("A.html", "a.html"), ("\u00e9.html", "e\u0301.html")])
def test_two_pages_that_a_disk_may_merge_are_a_fault_of_ours(tmp_path: Path, pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="two pages"):
        build(tmp_path, dict.fromkeys(pair, "x"))


def test_one_place_is_given_away_once(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    for first in ("a", "new"):
        with open_output(tmp_path, stores=()) as site:
            site.put("a.html", first.encode())
            with pytest.raises(ValueError, match="two pages"):
                site.put("a.html", b"other")
            with pytest.raises(ValueError, match="two pages"):
                site.keep("a.html")


def test_a_build_that_does_not_swap_leaves_the_old_site(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a", "b.html": "b"})
    with open_output(tmp_path, stores=()) as site:
        site.put("a.html", b"new")
    assert tree(tmp_path) == {"a.html": "a", "b.html": "b"}


@pytest.mark.parametrize("stop", range(1, 12))
def test_a_killed_swap_is_completed_by_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    """The process dies at the n-th rename or removal; nothing of ours is taken for foreign afterwards."""
    build(tmp_path, {"a.html": "a", "b.html": "b", "gone/c.html": "c"})
    new = {"a.html": "A", "b.html": "B", "d/e.html": "E"}
    calls = iter(range(1, 100))

    def dying(method: str) -> None:
        real = getattr(Path, method)

        def call(self: Path, *arguments: object, **named: object) -> object:
            if next(calls) >= stop:
                raise KeyboardInterrupt
            return real(self, *arguments, **named)

        monkeypatch.setattr(Path, method, call)

    with monkeypatch.context() as patch:
        monkeypatch = patch
        dying("replace")
        dying("unlink")
        try:
            build(tmp_path, new)
        except KeyboardInterrupt:
            pass
        else:
            assert stop > 6
    build(tmp_path, new)
    assert tree(tmp_path) == {"a.html": "A", "b.html": "B", "d/e.html": "E"}
    assert build(tmp_path, new).written == ()


def test_what_a_killed_build_left_behind_is_swept(tmp_path: Path) -> None:
    build(tmp_path, {"a.html": "a"})
    (tmp_path / STAGE / "deep").mkdir(parents=True)
    (tmp_path / STAGE / "deep" / "half.html").write_text("ha")
    build(tmp_path, {"a.html": "a"})
    assert not (tmp_path / STAGE).exists()


def test_a_link_in_the_place_of_the_stage_is_only_unlinked(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    build(site, {"a.html": "a"})
    outside.mkdir()
    (outside / "mine").write_text("x")
    (site / STAGE).symlink_to(outside)
    build(site, {"a.html": "b"})
    assert tree(outside) == {"mine": "x"}
    assert tree(site) == {"a.html": "b"}


def test_a_build_that_waits_too_long_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.build.output.LOCK_SECONDS", 0.01)
    with open_output(tmp_path, stores=()), pytest.raises(Locked, match="Another build is writing"):
        build(tmp_path, {"a.html": "a"})
    assert build(tmp_path, {"a.html": "a"}).written == ("a.html",)


def test_two_builds_at_once_wait_for_each_other(tmp_path: Path) -> None:
    contents = [{f"{n}.html": str(n), "same.html": str(n)} for n in range(4)]
    threads = [threading.Thread(target=build, args=(tmp_path, files)) for files in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tree(tmp_path) in contents


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ReadOnly):
            build(tmp_path / "site", {"a.html": "a"})
    finally:
        tmp_path.chmod(0o700)


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "site"))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(ReadOnly, match="cannot be written"):
        build(tmp_path / "site", {"a.html": "a"})


def test_it_is_said_before_any_work_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, {"a.html": "a"})
    real = Path.mkdir

    def refuse(path: Path, *arguments: Any, **named: Any) -> None:
        if path.name == STAGE:
            raise PermissionError(13, "Permission denied", str(path))
        real(path, *arguments, **named)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(ReadOnly, match=STAGE), open_output(tmp_path, stores=()):
        pytest.fail("the build has begun")
