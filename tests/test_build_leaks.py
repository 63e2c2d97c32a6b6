"""Secrets of every kind in every place of a memory: the build stops, or no file of the site holds any."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from planted import PERSONAL, SECRETS

from memsite import build_site, open_memory
from memsite.build.secrets import KEY_VARIABLE, vet
from memsite.errors import Leak
from memsite.leaks import fingerprint

PLACES = (
    "# A note\n\n{}\n\n[[hub]]\n",
    "---\ntitle: A note\nremark: |\n{}\n---\n[[hub]]\n",
    "# A note\n\n```yaml\n{}\n```\n\n[[hub]]\n",
    "# A note\n\n> [!note] Remember\n{}\n\n[[hub]]\n",
    "# A note\n\n<!--\n{}\n-->\n\n[[hub]]\n",
    "# A note\n\n- first\n{}\n\n[[hub]]\n",
)
INLINE = (
    "# A note\n\n![{}](x.png) [[hub]]\n",
    "# A note\n\n[see](https://api.example.org/v1?auth={}) [[hub]]\n",
    "# A note\n\n[[hub|{}]]\n",
    "# {}\n\n[[hub]]\n",
    "---\ntitle: {}\n---\n[[hub]]\n",
    "---\ntags: [{}]\n---\n[[hub]]\n",
    "# A note\n\nSee `{}` in [[hub]].\n",
    "# A note\n\n| a | b |\n|---|---|\n| {} | x |\n\n[[hub]]\n",
    "# A note\n\nOn [[{}]] and [[hub]].\n",
    '# A note\n\n[see](hub.md "{}") [[hub]]\n',
    "# A note\n\n```{}\ntext\n```\n\n[[hub]]\n",
    "# A note\n\nSo[^1] [[hub]]\n\n[^1]: {}\n",
    '# A note\n\n<span title="{}">x</span> [[hub]]\n',
    "# A note\n\n![[{}.png]] [[hub]]\n",
    "# A note\n\n%%{}%% [[hub]]\n",
    "# A note\n\n```mermaid\ngraph TD; a[{}]-->b\n```\n\n[[hub]]\n",
    "# A note\n\n$$\n{}\n$$\n\n[[hub]]\n",
    "# A note\n\nA block. ^{}\n\n[[hub]]\n",
    "# A note\n\n#{} [[hub]]\n",
    "---\ndescription: {}\ntype: x\n---\n# A note\n\n[[hub]]\n",
    "---\ntype: {}\n---\n# A note\n\n[[hub]]\n",
    "---\naliases: [{}]\n---\n# A note\n\n[[hub]]\n",
)
DISGUISED = (
    lambda secret: "".join(f"&#{ord(char)};" for char in secret),
    lambda secret: f"[x](https://a.example/?k={''.join(f'%{ord(char):02X}' for char in secret)})",
    lambda secret: f"{secret[:9]}\u200b{secret[9:]}",
    lambda secret: f"{secret[:9]}**{secret[9:15]}**{secret[15:]}",
    lambda secret: f"{secret[:9]}<!-- x -->{secret[9:]}",
    lambda secret: f"{secret[:9]}<b>{secret[9:]}</b>",
    lambda secret: base64.b64encode(f"token={secret}".encode()).decode(),
    lambda secret: '"' + "".join(f"\\u{ord(char):04x}" for char in secret) + '"',
)
PLAIN = {
    kind: secret
    for kind, (line, secret) in SECRETS.items()
    if line == "{}" and secret.isascii() and "\n" not in secret
}


def memory_files() -> dict[str, str]:
    files = {"notes/hub.md": "# Hub\n\nThe centre. [[other]]\n"}
    for number, (place, (line, secret)) in enumerate(zip(cycle(PLACES), SECRETS.values(), strict=False)):
        text = "\n".join(f"  {row}" for row in line.format(secret).split("\n"))
        files[f"notes/block-{number}.md"] = place.format(text)
    for number, (place, secret) in enumerate(zip(cycle(INLINE), PLAIN.values(), strict=False)):
        files[f"notes/inline-{number}.md"] = place.format(secret)
    for number, (disguise, secret) in enumerate(zip(cycle(DISGUISED), PLAIN.values(), strict=False)):
        files[f"notes/hidden-{number}.md"] = f"# A note\n\nSee {disguise(secret)} and [[hub]].\n"
    first, second = list(PLAIN.values())[:2]
    files[f"notes/{first}.md"] = "# Named\n\n[[hub]]\n"
    rows = [{"id": "TIP-1", "file": "TIP-1.md", "title": f"About {second}", "tags": [first], "type": "tip"}]
    files[".workflow/memory/memory-index.json"] = json.dumps({"entries": rows})
    files[".workflow/memory/TIP-1.md"] = "Plain. [[hub]]\n"
    return files


def site_bytes(site: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(site.rglob("*")):
        if path.is_file():
            yield path.relative_to(site).as_posix(), path.read_bytes()


def readings(text: str) -> Iterator[str]:
    """A file with one disguise after the other taken off."""
    shown = re.sub(r"<[^>]*>", "", text)
    for each in (text, shown):
        plain = re.sub(
            r"\\\\*u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), unquote(unescape(each))
        )
        yield plain
        yield re.sub("[\u200b\u00ad\u2060*\\\\]", "", plain)
    for run in set(re.findall(r"[A-Za-z0-9+/_-]{24,}", text)):
        with suppress(ValueError):
            yield base64.b64decode(run + "=" * (-len(run) % 4), altchars=b"-_").decode("latin-1")


def test_redacted_no_file_of_the_site_holds_any(project: Any, tmp_path: Path) -> None:
    files = memory_files()
    build_site(open_memory(project(files)), tmp_path / "site", leaks="redact")
    pieces = [secret.split("\n")[len(secret.split("\n")) // 2] for _, secret in SECRETS.values()]
    written = dict(site_bytes(tmp_path / "site"))
    found = [
        (name, piece) for name, content in written.items() for piece in pieces if piece.encode() in content
    ]
    found += [(name, piece) for name in written for piece in pieces if piece in name]
    assert found == []
    tokens = {secret for secret in PLAIN.values() if len(secret) > 15}
    for name, content in written.items():
        for reading in readings(content.decode("utf-8", "replace")):
            assert [token for token in tokens if token in reading] == [], name
    assert any("█stripe-key█".encode() in content for content in written.values())
    assert sum(name.endswith(".html") for name in written) > len(files) - 1


def test_refused_every_place_is_named_and_nothing_is_written(project: Any, tmp_path: Path) -> None:
    files = memory_files()
    with pytest.raises(Leak) as refusal:
        build_site(open_memory(project(files)), tmp_path / "site")
    named = {place.split(":")[0] for place in refusal.value.details["places"]}  # type: ignore[attr-defined]
    secret_name = next(name for name in files if name.startswith("notes/sk-or-v1-"))
    unnamed = {"notes/hub.md", ".workflow/memory/memory-index.json", secret_name}
    assert set(files) - named == unnamed
    assert "notes/█openai-key█.md" in named
    assert not any(name.endswith(".html") for name, _ in site_bytes(tmp_path / "site"))


def test_a_check_names_what_a_build_refuses(project: Any, tmp_path: Path) -> None:
    root = project(memory_files())
    memory = open_memory(root)
    vet(memory)
    named = {
        f"{each.path}:{each.line}"
        for each in memory.problems()
        if each.code == "W013" and each.severity == "warning" and "file name" not in each.message
    }
    with pytest.raises(Leak) as refusal:
        build_site(open_memory(root), tmp_path / "site")
    places = refusal.value.details["places"]
    assert isinstance(places, list)
    assert named == {place.split(" ")[0] for place in places if "file name" not in place}
    assert len(named) > 100


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-be"])
def test_another_encoding_hides_nothing(project: Any, tmp_path: Path, encoding: str) -> None:
    token = SECRETS["github classic"][1]
    mark = "\ufeff" if encoding.endswith("e") else ""
    text = f"{mark}# A\n\nUse {token} and [[b]].\n\n![](a.png)<!-- said by nobody -->\n".encode(encoding)
    root = project({"notes/a.md": text})
    memory = open_memory(root)
    vet(memory)
    named = {problem.code: problem.line for problem in memory.problems()}
    assert named["W013"] == 3
    assert {"W012", "W016"} <= named.keys()
    with pytest.raises(Leak, match=r"notes/a\.md:3 github-token"):
        build_site(open_memory(root), tmp_path / "site")
    build_site(open_memory(root), tmp_path / "site", leaks="redact")
    for name, content in site_bytes(tmp_path / "site"):
        assert token.encode() not in content.replace(b"\0", b""), name
    assert "█github-token█" in (tmp_path / "site/notes/a.html").read_text()


def test_what_is_allowed_is_no_finding(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "the key")
    token = SECRETS["github classic"][1]
    toml = '[stores.notes]\nkind = "vault"\npath = "notes"\n[leaks]\nallow = "allowed.txt"\n'
    files = {"notes/a.md": f"# A\n\n{token} and [[b]]\n", "memsite.toml": toml, "allowed.txt": ""}
    root = project(files)

    def codes() -> list[str]:
        memory = open_memory(root)
        vet(memory)
        return [problem.code for problem in memory.problems()]

    assert codes() == ["W013"]
    (root / "allowed.txt").write_text(f"{fingerprint(token, b'the key')} an example\n")
    assert codes() == []


def test_homes_never_reach_the_site_and_checksums_stay_those_of_the_files(
    project: Any, tmp_path: Path
) -> None:
    details = "\n\n".join(
        PERSONAL[kind] for kind in ("home", "mac home", "windows home", "wsl", "file url", "project folder")
    )
    text = f"---\ntitle: At /home/marta/x\n---\n{details}\n\n[[hub]]\n"
    build_site(open_memory(project({"notes/a.md": text})), tmp_path / "site")
    written = b"\n".join(content for _, content in site_bytes(tmp_path / "site"))
    assert [word for word in (b"marta", b"jonas", b"Petra") if word in written] == []
    assert b"~/work/api.log" in written
    assert hashlib.sha256(text.encode()).hexdigest().encode() in written


def test_the_home_of_the_builder_never_reaches_the_site(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "odd" / "place-of-zaphod"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    root = project({"notes/a.md": f"# A\n\nIn {home}/x there is [[b]].\n"})
    build_site(open_memory(root), tmp_path / "site")
    for name, content in site_bytes(tmp_path / "site"):
        assert b"zaphod" not in content, name


def test_what_a_template_or_a_title_brings_in_is_stopped_at_the_gate(project: Any, tmp_path: Path) -> None:
    """The title of the site comes from no note; only the look at the written files finds it."""
    token = SECRETS["github classic"][1]
    toml = f'[site]\ntitle = "{token}"\n[stores.notes]\nkind = "vault"\npath = "notes"\n'
    with pytest.raises(Leak, match=r"index\.html:\d+ github-"):
        build_site(
            open_memory(project({"notes/a.md": "# A\n\n[[b]]\n", "memsite.toml": toml})), tmp_path / "site"
        )
    assert not (tmp_path / "site" / "index.html").exists()
