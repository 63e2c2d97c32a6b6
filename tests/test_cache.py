"""Parsed notes kept between runs: the same document comes back, and nothing that is not ours."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import memsite.cache as cache
from memsite.cache import Documents, packed, unpacked
from memsite.markdown import parse

NOTE = b"""---
title: Tides
tags: [a, b]
metadata: {type: user, deep: {er: [1, {x: y}]}}
---
# Tides

See [[Moon|the moon]] and ![[chart.png|300]] #tag ^block

```python
x = "[[no link]]"
```

- used_by [[Board]] (why)

[[[[broken]]]] [t](other.md#x "title") [^1]

[^1]: A note.
"""


@pytest.fixture(autouse=True)
def _own_key() -> None:
    cache._key.cache_clear()


def checksum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def filled(project: Path, *texts: bytes) -> None:
    documents = Documents(project)
    for text in texts:
        documents[checksum(text)] = parse(text)
    documents.save(make=True)


def kept(project: Path) -> set[str]:
    return set(Documents(project))


@pytest.mark.parametrize(
    "text", [NOTE, b"", b"\xff\xfe", b"---\nbroken: [\n---\nx", "\ufeff# ünïcödé 日本\r\n".encode()]
)
def test_the_same_document_comes_back(text: bytes) -> None:
    assert unpacked(packed(parse(text))) == parse(text)


def test_documents_are_there_in_the_next_run(tmp_path: Path) -> None:
    filled(tmp_path, NOTE)
    documents = Documents(tmp_path)
    assert documents[checksum(NOTE)] == parse(NOTE)
    assert checksum(b"other") not in documents
    assert documents.get(checksum(b"other")) is None


def test_only_what_was_used_is_kept(tmp_path: Path) -> None:
    filled(tmp_path, NOTE, b"old")
    documents = Documents(tmp_path)
    assert documents[checksum(NOTE)]
    documents.save(make=False)
    assert kept(tmp_path) == {checksum(NOTE)}


def test_nothing_is_made_where_no_cache_was_kept(tmp_path: Path) -> None:
    documents = Documents(tmp_path)
    documents[checksum(NOTE)] = parse(NOTE)
    documents.save(make=False)
    assert not list(tmp_path.iterdir())


def test_version_control_does_not_see_it(tmp_path: Path) -> None:
    filled(tmp_path, NOTE)
    assert (tmp_path / ".memsite" / ".gitignore").read_text() == "*\n"
    assert sorted(path.name for path in (tmp_path / ".memsite" / "cache").iterdir()) == ["documents"]


@pytest.mark.parametrize("cut", [0, 1, 31, 32, 33, 200, -1])
def test_a_cut_file_is_parsed_again(tmp_path: Path, cut: int) -> None:
    filled(tmp_path, NOTE)
    path = tmp_path / ".memsite/cache/documents"
    path.write_bytes(path.read_bytes()[:cut])
    assert kept(tmp_path) == set()


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    filled(tmp_path, NOTE)
    path = tmp_path / ".memsite/cache/documents"
    written = bytearray(path.read_bytes())
    written[written.index(b"Tides")] ^= 1
    path.write_bytes(written)
    assert kept(tmp_path) == set()


def test_a_cache_from_someone_else_does_not_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned project may bring its own `.memsite/cache` with HTML that no sanitiser has seen."""
    filled(tmp_path, NOTE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another user"))
    cache._key.cache_clear()
    assert kept(tmp_path) == set()


def test_a_cache_of_another_version_does_not_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, NOTE)
    monkeypatch.setattr(cache, "_parser_version", lambda: "another")
    assert kept(tmp_path) == set()


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".memsite").write_text("a file")
    filled(tmp_path, NOTE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".memsite"))
    cache._key.cache_clear()
    filled(tmp_path / "p", NOTE)
    assert kept(tmp_path / "p") == set()


def test_a_document_can_be_dropped_wherever_it_lies(tmp_path: Path) -> None:
    filled(tmp_path, NOTE)
    documents = Documents(tmp_path)
    fresh = checksum(b"fresh")
    documents[fresh] = parse(b"fresh")
    for key in (fresh, checksum(NOTE)):
        assert key in documents
        assert documents.pop(key, None) is not None
        assert key not in documents
        assert documents.pop(key, None) is None
