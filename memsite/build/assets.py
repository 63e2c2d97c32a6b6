"""Which files of a store may be published beside its pages: by what they hold, whatever their name says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from memsite.errors import MemsiteError
from memsite.note import Asset

MAX_ASSET_BYTES = 25 * 1024 * 1024

_TEXTS = {"txt", "csv"}
_TEXT_BYTES = frozenset(range(256)) - {*range(0x20), 0x7F} | {0x09, 0x0A, 0x0C, 0x0D}


def asset_bytes(asset: Asset, roots: Mapping[str, Path]) -> bytes | None:
    """The bytes of `asset` when it may be published, else None. `roots` are the folders of the stores.

    Published are pictures and PDFs whose content is what their name says, and texts that are UTF-8
    without control characters; never anything that a browser would run.
    """
    from memsite.stores.reading import read_inside

    if asset.store not in roots:
        return None
    try:
        found = read_inside(roots[asset.store], asset.path, limit=MAX_ASSET_BYTES).raw
    except MemsiteError:
        return None
    return found if kind_of(found) in _kinds_named(asset.path) else None


def refused_assets(assets: Iterable[Asset], roots: Mapping[str, Path]) -> Iterator[Asset]:
    """Those of `assets` that must not be published, each once."""
    for asset in dict.fromkeys(assets):
        if asset_bytes(asset, roots) is None:
            yield asset


def kind_of(content: bytes) -> str:
    """What a file is, by its first bytes: `png`, `jpeg`, `gif`, `webp`, `avif`, `pdf`, `text`, or ''."""
    for start, kind in (
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"GIF87a", "gif"),
        (b"GIF89a", "gif"),
        (b"%PDF-", "pdf"),
    ):
        if content.startswith(start):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "avif"
    return "text" if _is_text(content) else ""


def _kinds_named(path: str) -> tuple[str, ...]:
    """What a file of this name has to hold."""
    suffix = path.rpartition(".")[2].lower()
    if suffix in _TEXTS:
        return ("text",)
    if suffix in ("jpg", "jpeg"):
        return ("jpeg",)
    return (suffix,) if suffix in ("png", "gif", "webp", "avif", "pdf") else ()


def _is_text(content: bytes) -> bool:
    """UTF-8 without control characters. A host that guesses types must not take it for a page."""
    if not _TEXT_BYTES.issuperset(content) or content.lstrip(b"\xef\xbb\xbf \t\r\n\f")[:1] == b"<":
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
