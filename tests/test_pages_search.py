"""The search index: how words are cut, and that shards hold what the script looks for."""

from __future__ import annotations

import json
import re

import pytest
from pages_memory import site_of

from memsite.pages import search_files
from memsite.pages.search import folded, url_hash, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Deep-Learning, 2nd edition", ["deep", "learning", "2nd", "edition"]),
        ("Crème BRÛLÉE", ["creme", "brulee"]),
        ("会议记录", ["会议", "议记", "记录", "录"]),
        ("会", ["会"]),
        ("用Redis做", ["用", "redis", "做"]),
        ("한국어 메모", ["한국", "국어", "어", "메모", "모"]),
        ("ＡＢ１", ["ab1"]),
        ("snake_case a\\b", ["snake", "case", "a", "b"]),
        ("مرحبا", ["مرحبا"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_folding_keeps_syllables_whole() -> None:
    assert folded("한") == "한"


def index(files: dict[str, str]) -> tuple[dict[str, object], dict[str, object]]:
    """The index, and every shard by `kind/number`."""
    shards: dict[str, object] = {}
    for _, content in search_files(site_of(files)):
        found = re.fullmatch(r'memsiteSearch\("(\w+)",(\d+),(.*)\)\n', content.decode(), re.DOTALL)
        assert found
        shards[f"{found[1]}/{found[2]}"] = json.loads(found[3])
    return shards.pop("index/0"), shards  # type: ignore[return-value]


def postings(shards: dict[str, object], term: str) -> list[int]:
    """The numbers of the documents that hold `term`."""
    for name, pairs in shards.items():
        if name.startswith("t/") and term in pairs[::2]:  # type: ignore[index, operator]
            text = pairs[pairs.index(term) + 1]  # type: ignore[index, attr-defined]
            numbers, last = [], -1
            for gap in re.findall(r"([0-9a-z]+)[A-Z]", text):
                last += int(gap, 36) + 1
                numbers.append(last)
            return numbers
    return []


def test_a_word_leads_to_the_documents_that_hold_it() -> None:
    files = {f"vault/n{number}.md": f"common {'rare' if number == 7 else ''}" for number in range(40)}
    about, shards = index(files)
    titles = [row[1] for number in range(len(about["sizes"])) for row in shards[f"d/{number}"]]  # type: ignore[arg-type, attr-defined]
    assert [titles[number] for number in postings(shards, "rare")] == ["n7"]
    assert len(postings(shards, "common")) == 40


def test_shards_are_in_order_and_named_by_their_first_term() -> None:
    about, shards = index({"vault/a.md": " ".join(f"w{number}" for number in range(900))})
    chunks = [shards[f"t/{number}"] for number in range(len(about["terms"]))]  # type: ignore[arg-type]
    assert len(chunks) > 3
    assert [chunk[0] for chunk in chunks] == about["terms"]  # type: ignore[index]
    terms = [term for chunk in chunks for term in chunk[::2]]  # type: ignore[index]
    assert terms == sorted(terms)


def test_a_preview_finds_its_document_by_the_url() -> None:
    about, shards = index({f"vault/n{number}.md": "x" for number in range(60)})
    url = "vault/n33.html"
    rows = shards[f"d/{url_hash(url) % len(about['sizes'])}"]  # type: ignore[arg-type]
    assert [row[1] for row in rows if row[0] == url] == ["n33"]  # type: ignore[attr-defined]


def test_one_note_more_leaves_most_shards_of_terms_alone() -> None:
    files = {f"vault/n{number}.md": f"word{number} and text{number % 13}" for number in range(200)}
    before = {url: content for url, content in search_files(site_of(files)) if url.startswith("search/d/")}
    after = dict(search_files(site_of(files | {"vault/zz.md": "quite new"})))
    assert sum(after[url] != content for url, content in before.items()) == 1


def test_facets_hold_all_their_documents() -> None:
    _, shards = index({f"vault/n{number}.md": "---\ntype: tip\n---\n#Deep" for number in range(30)})
    assert (
        len(postings(shards, "\x01ttip"))
        == len(postings(shards, "\x01gdeep"))
        == len(postings(shards, "\x01svault"))
        == 30
    )


def test_comments_are_not_searched() -> None:
    _, shards = index({"vault/a.md": "seen %%hidden%% <!-- hidden -->"})
    assert postings(shards, "seen")
    assert not postings(shards, "hidden")


def test_signs_and_emoji_are_found() -> None:
    _, shards = index({"vault/\U0001f340 garden.md": "C++ [draft] 100%"})
    assert [postings(shards, sign) for sign in ("\U0001f340", "[", "+", "%")] == [[0]] * 4
