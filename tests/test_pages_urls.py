"""Names of pages: readable, safe on every disk, steady."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_memory import site_of

from memsite.pages.urls import Wanted, allot, encoded, folded, segment, wanted_path

HOSTILE = [
    "Foo Bar", "foo-bar", "FOO BAR", "foo_bar", "cafe\u0301", "caf\u00e9", "CON", "nul", "com1", "index", "Index",
    "404", "assets", "..", "../../x", "/etc/passwd", ".htaccess", "_headers", "x" * 400, "\u4f1a" * 300, "a\u202eb",
    "a\U000e0041b", "a/b", "a\\b", "a?b#c", "<script>", "", " ", "x.", "x ", "\uff21\uff22", "\u0130x", "stra\u00dfe",
    "STRASSE", "a\udc80b", "\U0001f680", "!!!", "\u0645\u0631\u062d\u0628\u0627",
]  # fmt: skip
DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def urls(*names: str) -> dict[str, str]:
    """The URL of each note of a vault, by its path without `.md`."""
    return allot(wanted_path(name, name.split("/"), home="vault") for name in names)


def is_safe(url: str) -> bool:
    pieces = url.split("/")
    return all(
        piece and not piece.startswith(".") and not DEVICE.fullmatch(piece) and len(piece.encode()) <= 120
        and not re.search(r'[\x00-\x1f<>:"\\|?*\u202a-\u202e]', piece)
        for piece in pieces
    )  # fmt: skip


def test_hostile_names_come_out_unique_and_safe() -> None:
    given_names = allot(
        Wanted(n, f"v/{segment(n, n)}", n, segment(n, n) == n) for n in dict.fromkeys(HOSTILE)
    )
    assert len({folded(url) for url in given_names.values()}) == len(set(HOSTILE))
    assert [url for url in given_names.values() if not is_safe(url)] == []


@given(
    st.lists(st.text(min_size=1, max_size=12).filter(lambda name: "/" not in name), unique=True, max_size=20)
)
def test_no_two_names_meet_on_a_case_blind_disk(names: list[str]) -> None:
    found = urls(*names)
    assert len({folded(url) for url in found.values()}) == len(names)
    assert all(is_safe(url) for url in found.values())


@given(st.permutations(["A B", "a-b", "a_b", "A.B", "a b", "c/A", "c/a", "C/a"]))
def test_the_order_of_the_folder_does_not_matter(names: list[str]) -> None:
    assert urls(*names) == urls(*sorted(names))


def test_a_note_that_comes_later_moves_no_other() -> None:
    first = urls("A B", "a-b", "a_b", "A.B")
    second = urls("A B", "a-b", "a_b", "A.B", "a b")
    assert second.items() >= first.items()
    assert len(set(second.values())) == 5


def test_the_note_that_is_spelled_like_its_url_keeps_it() -> None:
    found = urls("A B", "a-b", "a_b")
    assert found["a-b"] == "vault/a-b"
    assert all(re.fullmatch(r"vault/a-b-[0-9a-f]{6}", found[name]) for name in ("A B", "a_b"))


def test_names_of_every_script_stay_readable() -> None:
    found = urls("会議", "日本語 メモ", "مرحبا", "Ünï_cødé", "MEM-20260318-001")
    assert found == {
        "会議": "vault/会議",
        "日本語 メモ": "vault/日本語-メモ",
        "مرحبا": "vault/مرحبا",
        "Ünï_cødé": "vault/ünï-cødé",
        "MEM-20260318-001": "vault/mem-20260318-001",
    }


def test_an_empty_slug_becomes_a_hash_of_the_path() -> None:
    assert re.fullmatch(r"vault/note-[0-9a-f]{6}", urls("!!!")["!!!"])
    assert urls("!!!", "???")["!!!"] != urls("!!!", "???")["???"]


def test_a_hash_that_is_taken_grows() -> None:
    crowded = urls("A B", "a-b")
    plain_twin = crowded["A B"].removeprefix("vault/")
    assert urls("A B", "a-b", plain_twin)["A B"] not in (f"vault/{plain_twin}", "vault/a-b")


def test_deep_paths_stay_short_enough_for_every_disk() -> None:
    deep = "/".join(["a-rather-long-folder-name"] * 20) + "/note"
    assert len(urls(deep)[deep].encode()) < 200
    assert urls(deep)[deep] != urls(deep + "x")[deep + "x"]


def test_what_stands_in_an_href() -> None:
    assert encoded("vault/日 本.html") == "vault/%E6%97%A5%20%E6%9C%AC.html"
    assert encoded("a/b-c_d~e.html") == "a/b-c_d~e.html"


@pytest.mark.parametrize("name", ["index", "graph", "search", "tags", "404", "notes"])
def test_notes_never_meet_pages_of_the_frame(name: str) -> None:
    site = site_of({f"vault/{name}.md": "x", "search/index.md": "x", "concept/index.md": "[[index]]"})
    found = [folded(page.url) for page in site.pages]
    assert len(found) == len(set(found))
    assert site.notes[f"memory://vault/{name}"] == f"vault/{name}.html"
    assert not site.notes["memory://concept/index"].startswith("concept/")


def test_index_readme_and_a_folder_of_the_same_name_all_have_pages() -> None:
    names = ["index", "README", "guide", "guide/index", "guide/README", "tags", "graph"]
    site = site_of({f"vault/{name}.md": name for name in names})
    assert len(set(site.notes.values())) == 7


def test_urls_are_normalised() -> None:
    site = site_of({"vault/cafe\u0301.md": "x"})
    url = site.notes["memory://vault/cafe\u0301"]
    assert url == unicodedata.normalize("NFC", url) == "vault/caf\u00e9.html"


def test_long_listings_are_cut_into_pages() -> None:
    site = site_of({f"vault/n{number:04}.md": "#all\n" for number in range(501)})
    assert {"notes.html", "notes.2.html", "tag/all.html", "tag/all.2.html", "store/vault/index.2.html"} <= {
        page.url for page in site.pages
    }


def test_a_page_stays_where_it_is_when_a_namesake_comes_and_goes() -> None:
    """The exact owner of a name gets it only while it is free."""
    alone = site_of({"vault/A B.md": "x"})
    assert alone.notes == {"memory://vault/A B": "vault/a-b.html"}
    crowded = {"vault/A B.md": "x", "vault/a-b.md": "y", "vault/a_b.md": "z"}
    fresh = site_of(crowded).notes
    assert fresh["memory://vault/a-b"] == "vault/a-b.html"
    settled = site_of(crowded, settled=alone.notes).notes
    assert settled["memory://vault/A B"] == "vault/a-b.html"
    assert settled["memory://vault/a-b"].startswith("vault/a-b-")
    assert len(set(settled.values())) == 3
    left = site_of({"vault/a-b.md": "y", "vault/a_b.md": "z"}, settled=settled).notes
    assert left == {address: settled[address] for address in left}


@pytest.mark.parametrize(
    "kept", ["vault/other.html", "../x.html", "index.html", "vault/A-B.html", "static/a-b.html"]
)
def test_only_a_name_of_its_own_can_be_kept(kept: str) -> None:
    settled = site_of({"vault/A B.md": "x"}, settled={"memory://vault/A B": kept}).notes
    assert settled == {"memory://vault/A B": "vault/a-b.html"}


def test_two_notes_cannot_keep_one_name() -> None:
    files = {"vault/A B.md": "x", "vault/a_b.md": "y"}
    same = dict.fromkeys(("memory://vault/A B", "memory://vault/a_b"), "vault/a-b.html")
    assert len(set(site_of(files, settled=same).notes.values())) == 2
