"""Files beside the pages: only what is what its name says."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsite.build.assets import MAX_ASSET_BYTES, asset_bytes, refused_assets
from memsite.note import Asset

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
GOOD = {
    "a.png": PNG,
    "B.JPG": b"\xff\xd8\xff\xe0xx",
    "c.jpeg": b"\xff\xd8\xff\xe0xx",
    "d.gif": b"GIF89a..",
    "e.webp": b"RIFF\0\0\0\0WEBPVP8 ",
    "f.avif": b"\0\0\0\x1cftypavif",
    "g.pdf": b"%PDF-1.7",
    "sub/h.txt": "grüße\n".encode(),
    "i.csv": b"a,b\n1,2\n",
}
BAD = {
    "html.png": b"<html><script>alert(1)</script>",
    "gif.png": b"GIF89a..",
    "page.txt": b"\n <!doctype html><script>",
    "latin.txt": "grüße".encode("latin-1"),
    "nul.txt": b"a\0b",
    "x.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "x.html": b"hello",
    "x.js": b"alert(1)",
    "x.css": b"a{}",
    "x.xml": b"<x/>",
    "_headers": b"/*\n",
    "CNAME": b"example.org",
    "x.zip": b"PK\3\4",
    ".hidden.png": PNG,
    "empty.png": b"",
}


def store(tmp_path: Path) -> dict[str, Path]:
    root = tmp_path / "vault"
    for name, content in {**GOOD, **BAD}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return {"v": root}


@pytest.mark.parametrize("name", GOOD)
def test_what_its_name_says_is_published(tmp_path: Path, name: str) -> None:
    assert asset_bytes(Asset("v", name), store(tmp_path)) == GOOD[name]


@pytest.mark.parametrize("name", [*BAD, "missing.png", "../vault/a.png", "sub", "sub/../a.png"])
def test_everything_else_is_not(tmp_path: Path, name: str) -> None:
    assert asset_bytes(Asset("v", name), store(tmp_path)) is None


def test_a_link_out_of_the_store_is_not(tmp_path: Path) -> None:
    roots = store(tmp_path)
    (tmp_path / "secret.png").write_bytes(PNG)
    (roots["v"] / "out.png").symlink_to(tmp_path / "secret.png")
    (roots["v"] / "in.png").symlink_to(roots["v"] / "a.png")
    assert asset_bytes(Asset("v", "out.png"), roots) is None
    assert asset_bytes(Asset("v", "in.png"), roots) == PNG


def test_a_large_file_is_not(tmp_path: Path) -> None:
    roots = store(tmp_path)
    with (roots["v"] / "big.png").open("wb") as file:
        file.write(PNG)
        file.truncate(MAX_ASSET_BYTES + 1)
    assert asset_bytes(Asset("v", "big.png"), roots) is None


def test_refused_are_named_once(tmp_path: Path) -> None:
    asked = [Asset("v", "a.png"), Asset("v", "x.svg"), Asset("v", "x.svg"), Asset("gone", "a.png")]
    assert list(refused_assets(asked, store(tmp_path))) == [Asset("v", "x.svg"), Asset("gone", "a.png")]
