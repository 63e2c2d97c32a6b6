"""Opening files: what is inside is read, nothing that leads out is, and nothing blocks."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsite.config import StoreConfig, any_glob
from memsite.errors import BadEncoding, MemsiteError, NotFound, OutsideStore
from memsite.stores import reading
from memsite.stores.folder import FolderStore
from memsite.stores.listing import list_folder
from memsite.stores.reading import MAX_NOTE_BYTES, parts_of, read_all, read_inside, refuse_binary, why_outside

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def vault(root: Path, **settings: object) -> FolderStore:
    chosen = StoreConfig("notes", "vault", **settings)  # type: ignore[arg-type]
    return FolderStore("notes", "vault", root, chosen, "notes", "notes/")


@pytest.fixture(params=["walked", "by path"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to open a file: folder by folder, and that of systems without folder descriptors."""
    monkeypatch.setattr(reading, "_BY_FOLDER", request.param == "walked")
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    (root / "sub").mkdir(parents=True)
    (root / "ok.md").write_bytes(b"ok\r\n")
    (root / "sub" / "ok.md").write_bytes(b"sub")
    (root / ".memsite").mkdir()
    (root / ".memsite" / "x.md").write_text("x")
    (root / "id_rsa").write_text("secret")
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "store-evil").mkdir()
    (tmp_path / "store-evil" / "x.md").write_text("secret")
    return root


def test_bytes_time_and_checksum_of_a_note(store: Path) -> None:
    os.utime(store / "ok.md", (1_700_000_000, 1_700_000_000))
    source = vault(store).read("ok.md")
    assert source.content == b"ok\r\n"
    assert source.checksum == hashlib.sha256(b"ok\r\n").hexdigest()
    assert (source.modified, source.address, source.entry) == (1_700_000_000, "memory://notes/ok", None)


HOSTILE = [
    "../secret.md",
    "sub/../../secret.md",
    "/etc/passwd",
    "../store-evil/x.md",
    ".memsite/x.md",
    "sub/./ok.md",
    "sub//ok.md",
    "ok.md\0.png",
    "..\\secret.md",
    "C:\\x.md",
    "C:x.md",
    "//server/share/x.md",
    "",
    "x" * 2000,
    "x" * 2000 + ".md",
    "~/x.md",
    "%2e%2e/secret.md",
    "ok.md/",
    "missing.md",
    "id_rsa",
    "ok.md:stream",
    "\u2025/secret.md",
    "\uff0e\uff0e/secret.md",
    "sub",
    ".",
    "..",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_paths_are_refused(store: Path, path: str, way: str) -> None:
    with pytest.raises((OutsideStore, NotFound)):
        vault(store).read(path)
    if path != "id_rsa":
        with pytest.raises((OutsideStore, NotFound)):
            read_inside(store, path)


@pytest.mark.parametrize(
    "path",
    ["../secret.md", "/etc/passwd", "..\\s.md", "C:\\x.md", "C:x.md", "//s/x.md", "~/x.md", "%2e%2e/s.md"],
)
def test_what_leads_out_is_e011_and_not_merely_missing(store: Path, path: str, way: str) -> None:
    with pytest.raises(OutsideStore):
        read_inside(store, path)


@pytest.mark.parametrize("path", [".NET.md", "a//b.md", "TCP/IP.md", "#tag#/x.md"])
def test_a_title_that_is_no_path_is_merely_missing(store: Path, path: str, way: str) -> None:
    with pytest.raises(NotFound):
        read_inside(store, path)


def test_absolute_path_of_the_parent_is_refused(store: Path, way: str) -> None:
    with pytest.raises(OutsideStore):
        read_inside(store, str(store / "ok.md"))


@pytest.mark.parametrize("path", ["sub/../ok.md", "a..b.md", "...md", "a/b/../../c.md", "100%.md", "~x.md"])
def test_paths_that_stay_inside(path: str) -> None:
    assert why_outside(path) is None


@posix_only
@pytest.mark.parametrize(
    "name", ["a:b.md", "q?.md", "back\\slash.md", "CON.md", "trail .md", "-rf.md", "x.md "]
)
def test_names_that_other_systems_cannot_store_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    assert read_inside(tmp_path, name).raw == b"x"


@posix_only
def test_names_keep_their_normal_form(tmp_path: Path) -> None:
    composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
    (tmp_path / composed).write_text("NFC")
    (tmp_path / decomposed).write_text("NFD")
    found = {source.path: source.content for source in vault(tmp_path).sources()}
    assert found == {composed: b"NFC", decomposed: b"NFD"}


# Links --------------------------------------------------------------------------------------


@posix_only
class TestLinks:
    @pytest.fixture(autouse=True)
    def links(self, store: Path, tmp_path: Path) -> None:
        (store / "inside.md").symlink_to("sub/ok.md")
        (store / "climbing.md").symlink_to("sub/../ok.md")
        (store / "absolute.md").symlink_to(store / "ok.md")
        (store / "folder").symlink_to("sub")
        (store / "evil.md").symlink_to(tmp_path / "secret.md")
        (store / "relative.md").symlink_to("../secret.md")
        (store / "twin.md").symlink_to("../store-evil/x.md")
        (store / "out").symlink_to(tmp_path / "store-evil")
        (store / "up").symlink_to("..")
        (store / "loop.md").symlink_to("loop.md")
        (store / "dangling.md").symlink_to("nowhere.md")
        (store / "hidden.md").symlink_to(".memsite/x.md")
        (store / "device.md").symlink_to("/dev/zero")
        (store / "chain.md").symlink_to("folder/evil2.md")
        (store / "sub" / "evil2.md").symlink_to("../evil.md")

    @pytest.mark.parametrize("path", ["inside.md", "climbing.md", "absolute.md", "folder/ok.md"])
    def test_links_that_stay_inside_are_read(self, store: Path, path: str, way: str) -> None:
        assert vault(store).read(path).content in (b"sub", b"ok\r\n")

    @pytest.mark.parametrize(
        "path",
        [
            "evil.md",
            "relative.md",
            "twin.md",
            "out/x.md",
            "up/secret.md",
            "hidden.md",
            "device.md",
            "chain.md",
        ],
    )
    def test_links_that_lead_out_are_refused(self, store: Path, path: str, way: str) -> None:
        with pytest.raises(OutsideStore):
            vault(store).read(path)

    @pytest.mark.parametrize("path", ["loop.md", "dangling.md"])
    def test_links_to_nothing_are_refused(self, store: Path, path: str, way: str) -> None:
        with pytest.raises((OutsideStore, NotFound)):
            vault(store).read(path)

    def test_only_what_is_inside_is_listed_and_the_rest_is_reported(self, store: Path, way: str) -> None:
        notes = vault(store)
        contents = {source.path: source.content for source in notes.sources()}
        assert sorted(contents) == ["absolute.md", "climbing.md", "inside.md", "ok.md", "sub/ok.md"]
        assert b"secret" not in contents.values()
        view = notes.view()
        reported = {problem.path.removeprefix("notes/"): problem for problem in view.problems}
        assert set(reported) == {
            *("evil.md", "relative.md", "twin.md", "out", "up", "loop.md", "dangling.md", "hidden.md"),
            *("device.md", "chain.md", "sub/evil2.md"),
        }
        assert (reported["evil.md"].code, reported["evil.md"].severity) == ("W001", "error")
        assert "out of the store" in reported["evil.md"].message
        assert view.files == {"id_rsa"}


@posix_only
def test_the_root_itself_may_be_a_link(store: Path, tmp_path: Path, way: str) -> None:
    (tmp_path / "link").symlink_to(store)
    assert vault(tmp_path / "link").read("sub/ok.md").content == b"sub"
    assert vault(tmp_path / "link").paths() == ("ok.md", "sub/ok.md")


@posix_only
def test_a_link_that_goes_away_while_it_is_followed_is_a_note_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "l.md").symlink_to("a.md")
    followed = os.path.realpath

    def gone(path: Any, **how: Any) -> str:
        if str(path).endswith("l.md"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return str(followed(path, **how))

    monkeypatch.setattr("os.path.realpath", gone)
    assert vault(tmp_path).paths() == ("a.md",)
    with pytest.raises(NotFound):
        reading.real_parts(tmp_path, "l.md")


def test_a_link_put_in_the_way_after_listing_is_not_followed(store: Path, tmp_path: Path) -> None:
    notes = vault(store)
    paths = notes.paths()
    (store / "sub" / "ok.md").unlink()
    (store / "sub").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ok.md").write_text("secret")
    (store / "sub").symlink_to(tmp_path / "elsewhere")
    (store / "ok.md").unlink()
    (store / "ok.md").symlink_to(tmp_path / "secret.md")
    found = dict(read_all(store, paths))
    assert {path: type(value) for path, value in found.items()} == {
        "ok.md": OutsideStore,
        "sub/ok.md": OutsideStore,
    }


_STEP = st.sampled_from(
    [
        *("..", ".", "", "sub", "ok.md", "link.md", "up", "out", "secret.md", "store", "store-evil", "x.md"),
        *("~", "%2e%2e", "\u2025", ".memsite", "\0", "C:", "e\u0301.md", "\udc80", "\ud800"),
    ]
)


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with every sort of link beside files that must not be read."""
    base = tmp_path_factory.mktemp("trap")
    root = base / "store"
    for place in (base, base / "store-evil"):
        place.mkdir(exist_ok=True)
        for name in ("secret.md", "x.md", "ok.md"):
            (place / name).write_text("secret")
    (root / "sub").mkdir(parents=True)
    for place in (root, root / "sub"):
        (place / "ok.md").write_text("fine")
        (place / "link.md").symlink_to(base / "secret.md")
        (place / "up").symlink_to(base)
        (place / "out").symlink_to("../store-evil")
    return root


@posix_only
@pytest.mark.parametrize("by_folder", [True, False])
@given(steps=st.lists(_STEP, min_size=1, max_size=6), glue=st.sampled_from(["/", "/", "\\", "//"]))
def test_no_path_whatever_leads_out(trap: Path, by_folder: bool, steps: list[str], glue: str) -> None:
    with pytest.MonkeyPatch.context() as patch, suppress(MemsiteError):
        patch.setattr(reading, "_BY_FOLDER", by_folder)
        assert read_inside(trap, glue.join(steps)).raw == b"fine"


# Files that are no text ---------------------------------------------------------------------


def within(seconds: float, work: Callable[[], None]) -> None:
    """Run `work` in a thread, so that a blocking call fails the test instead of hanging it."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it blocks"


@posix_only
def test_pipes_and_folders_never_block(store: Path, way: str) -> None:
    os.mkfifo(store / "pipe.md")
    (store / "dir.md").mkdir()
    (store / "dir.md" / "n.md").write_text("n")
    notes = vault(store)
    seen: list[str] = []

    def work() -> None:
        for path in ("pipe.md", "dir.md"):
            with pytest.raises(NotFound, match="not a regular file"):
                notes.read(path)
        seen.extend(source.path for source in notes.sources())
        seen.extend(problem.path for problem in notes.view().problems)

    within(5, work)
    assert seen == ["dir.md/n.md", "ok.md", "sub/ok.md", "notes/pipe.md"]


def test_notes_over_four_megabytes_are_refused(tmp_path: Path, way: str) -> None:
    (tmp_path / "most.md").write_bytes(b"x" * MAX_NOTE_BYTES)
    (tmp_path / "big.md").write_bytes(b"x" * (MAX_NOTE_BYTES + 1))
    notes = vault(tmp_path)
    assert [source.path for source in notes.sources()] == ["most.md"]
    (problem,) = notes.view().problems
    assert (problem.path, problem.severity) == ("notes/big.md", "error")
    assert "larger than 4 MB" in problem.message
    with pytest.raises(NotFound, match="larger than 4 MB"):
        notes.read("big.md")


def test_a_file_that_grows_while_it_is_read_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"0123456789")
    true_read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, count: true_read(descriptor, min(count, 4)))
    assert read_inside(tmp_path, "a.md").raw == b"0123456789"


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


@pytest.mark.parametrize("content", [PNG, b"\0" * 4096, b"\0", "no mark".encode("utf-16-le")])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(BadEncoding, match="not a text file"):
        refuse_binary("c.md", content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"text\x00more\n",
        "\ufeff# T\n".encode("utf-16-le"),
        "\ufeff# T\n".encode("utf-16-be"),
        b"# Caf\xe9\n\nnot utf-8: \xff\xfe and \xed\xa0\x80\n",
        b"\xef\xbb\xbf",
        b"\x1b[31mred\x1b[0m",
        b"caf\xe9 " * 100 + b"\0",
    ],
)
def test_text_of_any_sort_is_text(content: bytes) -> None:
    refuse_binary("a.md", content)


def test_no_text_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "c.md").write_bytes(PNG)
    (tmp_path / "d.md").write_bytes(b"\0" * 4096)
    (tmp_path / "empty.md").write_bytes(b"")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    notes = vault(tmp_path)
    assert [source.path for source in notes.sources()] == ["empty.md", "latin.md"]
    found = [
        (problem.code, problem.severity, problem.path, problem.address) for problem in notes.view().problems
    ]
    assert found == [
        ("W016", "warning", "notes/c.md", "memory://notes/c"),
        ("W016", "warning", "notes/d.md", "memory://notes/d"),
    ]


@posix_only
@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may read everything")
def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "noread.md").write_text("x")
    (tmp_path / "noread.md").chmod(0)
    (tmp_path / "ok.md").write_text("# Ok")
    notes = vault(tmp_path)
    assert [source.path for source in notes.sources()] == ["ok.md"]
    assert [problem.path for problem in notes.view().problems] == ["notes/noread.md"]


def test_refused_permission_is_one_error_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "noread.md").write_text("x")
    (tmp_path / "ok.md").write_text("# Ok")
    true_open = os.open

    def refusing(path: str, flags: int, **rest: int) -> int:
        if str(path).endswith("noread.md"):
            raise PermissionError(13, "Permission denied")
        return true_open(path, flags, **rest)

    monkeypatch.setattr(os, "open", refusing)
    notes = vault(tmp_path)
    assert [source.path for source in notes.sources()] == ["ok.md"]
    (problem,) = notes.view().problems
    assert (problem.severity, problem.path) == ("error", "notes/noread.md")
    assert "permission denied" in problem.message


def test_what_is_gone_is_reported_no_more(tmp_path: Path) -> None:
    (tmp_path / "c.md").write_bytes(PNG)
    notes = vault(tmp_path)
    assert len(notes.view().problems) == 1
    (tmp_path / "c.md").unlink()
    assert notes.view().problems == ()


def test_view_alone_reports_the_same_as_after_reading(tmp_path: Path) -> None:
    (tmp_path / "c.md").write_bytes(PNG)
    first, second = vault(tmp_path), vault(tmp_path)
    assert list(first.sources()) == []
    assert first.view() == second.view()


# Listing ------------------------------------------------------------------------------------


@pytest.fixture(params=["plain", ".claude/projects/-x/memory", "build/.cache/node_modules/vault"])
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_rules_look_only_below_the_root(anywhere: Path) -> None:
    for name in (
        *("MEMORY.md", "topic.md", ".obsidian/w.md", ".trash/t.md", "node_modules/r.md", ".hidden.md", ".md"),
        *("sub/deep/n.md", "_draft.md", "build/n.md", "site/.memsite-site", "site/p.md", "site/q/r.md"),
        *("x.md~", "#x.md#", ".#x.md", "x.bak", "~$x.md", "pic.png", "sub/a.pdf", "x.MD", ".git/HEAD"),
    ):
        file = anywhere / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    listing = list_folder(anywhere)
    assert listing.notes == ("MEMORY.md", "_draft.md", "build/n.md", "sub/deep/n.md", "topic.md")
    assert listing.files == {"pic.png", "sub/a.pdf", "x.MD"}
    assert listing.refused == ()
    assert listing.skipped == vault(anywhere).view().skipped == 12


def test_a_mark_in_the_root_itself_is_no_reason_to_skip_it(tmp_path: Path) -> None:
    (tmp_path / ".memsite-site").write_text("")
    (tmp_path / "a.md").write_text("")
    assert list_folder(tmp_path).notes == ("a.md",)


def test_include_and_exclude(tmp_path: Path) -> None:
    for name in ("a.md", "drafts/b.md", "deep/drafts/c.md", "deep/d.md", "deep/p.png", "drafts/q.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list_folder(tmp_path, exclude=("drafts",)).notes == ("a.md", "deep/d.md")
    assert list_folder(tmp_path, exclude=("drafts",)).files == {"deep/p.png"}
    assert list_folder(tmp_path, include=("deep/**",)).notes == ("deep/d.md", "deep/drafts/c.md")
    assert list_folder(tmp_path, include=("deep/**",)).files == {"deep/p.png", "drafts/q.png"}
    notes = vault(tmp_path, include=("deep/**",), exclude=("drafts/",))
    assert notes.paths() == ("deep/d.md",)
    assert notes.has(notes.read("deep/d.md").path)
    (tmp_path / "deep/d.md").write_bytes(b"\0" * 9)
    with pytest.raises(BadEncoding, match="not a text file"):
        notes.read("deep/d.md")
    for path in ("a.md", "deep/drafts/c.md"):
        with pytest.raises(NotFound):
            notes.read(path)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.md", ["a.md", "x/a.md"], ["a.mdx"]),
        ("x/*.md", ["x/a.md"], ["x/y/a.md", "a.md", "z/x/a.md"]),
        ("x/**/*.md", ["x/a.md", "x/y/z/a.md"], ["a.md"]),
        ("**/x", ["x/a.md", "y/x/a.md"], ["xx/a.md"]),
        ("/x", ["x/a.md"], ["y/x/a.md"]),
        ("drafts/", ["drafts/a.md", "y/drafts/a.md"], ["drafts.md"]),
        ("a?.md", ["ab.md"], ["a.md", "a/.md"]),
        ("a[1].md", ["a[1].md"], ["a1.md"]),
        ("a+b(c).md", ["a+b(c).md"], ["aab(c).md"]),
    ],
)
def test_globs(pattern: str, yes: list[str], no: list[str]) -> None:
    fits = any_glob((pattern,))
    assert [path for path in yes if not fits(path)] == []
    assert [path for path in no if fits(path)] == []


def test_no_glob_fits_nothing() -> None:
    assert not any_glob(())("a.md")


@posix_only
def test_a_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xff.md")).write_text("x")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    notes = vault(tmp_path)
    assert notes.paths() == ()
    (problem,) = notes.view().problems
    problem.path.encode()
    problem.message.encode()
    assert "not UTF-8" in problem.message


def test_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    notes = vault(tmp_path / "gone")
    for work in (notes.paths, notes.view, lambda: list(notes.sources()), lambda: notes.read("a.md")):
        with pytest.raises(MemsiteError):
            work()
    assert not (tmp_path / "gone").exists()


def test_an_empty_folder_is_an_empty_store(tmp_path: Path) -> None:
    view = vault(tmp_path).view()
    assert (view.files, view.problems, view.entries) == (frozenset(), (), None)


def test_parts_of_a_path() -> None:
    assert parts_of("a/b/c.md") == ("a", "b", "c.md")


def test_each_file_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_bytes(b"x")
    opened: list[str] = []
    really = os.open

    def counted(path: str, *arguments: Any, **named: Any) -> int:
        opened.append(os.fspath(path).rpartition("/")[2])
        return really(path, *arguments, **named)

    monkeypatch.setattr(os, "open", counted)
    assert len(list(vault(tmp_path).sources())) == 20
    assert sorted(name for name in opened if name.endswith(".md")) == sorted(f"{n}.md" for n in range(20))
