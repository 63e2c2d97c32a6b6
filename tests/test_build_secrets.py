"""No secret is published: the build stops, or blacks it out, or somebody has said that it is harmless."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memsite import build_site, open_memory
from memsite.build.secrets import KEY_VARIABLE
from memsite.errors import BadConfig, Leak
from memsite.leaks import fingerprint

TOKEN = "ghp_" + "q7Zk2Xw9Lm4Tb8Rv1N" + "c6Hd3Jf5Gs0Py7Ae2U"
NOTE = f"# Deploy\n\nUse {TOKEN} for [[other]].\n"


def written(site: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file())


def build(root: Path, site: Path, **how: Any) -> bytes:
    build_site(open_memory(root), site, **how)
    return written(site)


def test_a_secret_stops_the_build_and_is_not_repeated(project: Any, tmp_path: Path) -> None:
    root, site = project({"notes/a.md": "# Fine\n"}), tmp_path / "site"
    before = build(root, site)
    (root / "notes/a.md").write_text(NOTE)
    with pytest.raises(Leak) as caught:
        build(root, site)
    assert "notes/a.md:3" in caught.value.message
    assert TOKEN not in f"{caught.value.message}{caught.value.details}"
    assert written(site) == before


def test_no_mark_in_the_note_silences_it(project: Any, tmp_path: Path) -> None:
    root = project({"notes/a.md": f"# X\n\n<!-- memsite-ignore W013 -->\n{TOKEN} # gitleaks:allow pragma\n"})
    with pytest.raises(Leak):
        build(root, tmp_path / "site")


def test_redacted_it_leaves_no_trace(project: Any, tmp_path: Path) -> None:
    root = project({"notes/a.md": NOTE, "notes/other.md": "# Other\n\n[[a]]\n"})
    site = build(root, tmp_path / "site", leaks="redact")
    assert TOKEN.encode() not in site
    assert TOKEN[4:16].encode() not in site
    assert "█github-token█".encode() in site
    assert TOKEN in (root / "notes/a.md").read_text()


def test_the_configuration_may_ask_for_it(project: Any, tmp_path: Path) -> None:
    settings = '[stores.notes]\nkind = "vault"\npath = "notes"\n[leaks]\nredact = true\n'
    root = project({"notes/a.md": NOTE, "memsite.toml": settings})
    assert TOKEN.encode() not in build(root, tmp_path / "site")


def test_what_is_no_longer_allowed_does_not_stay(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has changed but the key that the allowed values are fingerprints under."""
    settings = (
        '[stores.notes]\nkind = "vault"\npath = "notes"\n[leaks]\nredact = true\nallow = "allowed.txt"\n'
    )
    root = project({"notes/a.md": NOTE, "notes/other.md": "# Other\n\n[[a]]\n", "memsite.toml": settings})
    (root / "allowed.txt").write_text(f"{fingerprint(TOKEN, b'one key')} an example\n")
    monkeypatch.setenv(KEY_VARIABLE, "one key")
    assert TOKEN.encode() in build(root, tmp_path / "site")
    monkeypatch.setenv(KEY_VARIABLE, "another key")
    assert TOKEN.encode() not in build(root, tmp_path / "site")


def test_a_preview_shows_it(project: Any, tmp_path: Path) -> None:
    assert TOKEN.encode() in build(project({"notes/a.md": NOTE}), tmp_path / "site", leaks="publish")


def test_a_private_note_may_hold_one(project: Any, tmp_path: Path) -> None:
    root = project({"notes/a.md": f"---\npublish: false\n---\n{NOTE}", "notes/b.md": "# B\n"})
    assert TOKEN.encode() not in build(root, tmp_path / "site")


def test_a_value_on_the_list_is_published(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "the key")
    settings = '[stores.notes]\nkind = "vault"\npath = "notes"\n[leaks]\nallow = "allowed.txt"\n'
    root = project({"notes/a.md": NOTE, "memsite.toml": settings})
    with pytest.raises(BadConfig):
        build(root, tmp_path / "site")
    (root / "allowed.txt").write_text(f"{fingerprint(TOKEN, b'another key')} made elsewhere\n")
    with pytest.raises(Leak):
        build(root, tmp_path / "site")
    (root / "allowed.txt").write_text(f"{fingerprint(TOKEN, b'the key')} an example\n")
    assert TOKEN.encode() in build(root, tmp_path / "site")
    (root / "notes/a.md").write_text(NOTE + TOKEN.replace("q7Z", "xyz"))
    with pytest.raises(Leak):
        build(root, tmp_path / "site")
