"""Planted secrets and personal details are found, ordinary text is left alone, nothing is given away."""

from __future__ import annotations

import base64
import html
import re
import socket
import time
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from urllib.parse import quote

import pytest
from planted import PERSONAL, SECRETS, TRAPS, made

from memsite.leaks import (
    AllowList,
    Engine,
    Leak,
    available,
    find,
    find_secrets,
    fingerprint,
    kingfisher_engine,
    leak_findings,
    read_allow_list,
    redact,
    shorten_homes,
)
from memsite.leaks.patterns import LEAST, PREFIXED
from memsite.leaks.scan import runs

TOKEN = SECRETS["github classic"][1]


def note(kind: str) -> str:
    line, secret = SECRETS[kind]
    return f"---\ntitle: A note\n---\n# Ordinary\n\nSome text before.\n\n{line.format(secret)}\n\nSome text after.\n"


@pytest.mark.parametrize("kind", SECRETS)
def test_each_kind_stops_a_build(kind: str) -> None:
    text, secret = note(kind), SECRETS[kind][1]
    leaks = [leak for leak in find(text) if leak.stops]
    assert leaks
    covered = text
    covered = redact(covered, leaks)
    assert secret not in covered
    assert secret[-8:] not in covered
    assert covered.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", TRAPS)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert find(f"Before. {text} after.\n") == ()


@pytest.mark.parametrize("kind", PERSONAL)
def test_each_personal_detail_is_found(kind: str) -> None:
    leaks = find(f"Look at {PERSONAL[kind]} for more.")
    assert [leak.personal for leak in leaks] == [True]
    assert not leaks[0].stops


@pytest.mark.parametrize(
    "place",
    [
        "---\nkey: {}\n---\n",
        "```\n{}\n```\n",
        "    {}\n",
        "![{}](p.png)",
        "[x](https://api.example.com/?k={})",
        '[x](y.md "{}")',
        "| a | {} |",
        "<!-- {} -->",
        "%%{}%%",
        "[[note|{}]]",
        "# {}",
        "`{}`",
        "“{}”",
        '{{"k": "{}"}}',
        "key={};",
    ],
)
def test_wherever_it_stands(place: str) -> None:
    text = place.format(TOKEN)
    assert TOKEN in text
    assert TOKEN not in redact(text, find(text))


def _entities(secret: str) -> str:
    return "".join(f"&#{ord(char)};" for char in secret)


DISGUISES = {
    "zero-width space": TOKEN[:10] + "\u200b" + TOKEN[10:],
    "soft hyphens": "\u00ad".join((TOKEN[:9], TOKEN[9:20], TOKEN[20:])),
    "joiner": TOKEN[:12] + "\u2060" + TOKEN[12:],
    "one entity": TOKEN.replace("_", "&#95;"),
    "hex entities": "".join(f"&#x{ord(char):x};" for char in TOKEN),
    "all entities": _entities(TOKEN),
    "named entity": TOKEN.replace("_", "&lowbar;"),
    "backslash": TOKEN.replace("_", "\\_"),
    "percent": quote(TOKEN).replace("_", "%5F"),
    "tags": f"{TOKEN[:8]}<b>{TOKEN[8:20]}</b>{TOKEN[20:]}",
    "bold in the middle": f"{TOKEN[:12]}**{TOKEN[12:20]}**{TOKEN[20:]}",
    "comment": f"{TOKEN[:12]}<!-- x -->{TOKEN[12:]}",
    "escape of scripts": TOKEN.replace("_", "\\u005f"),
    "address in a tag": f'<a href="https://a.example/?k={TOKEN.replace("_", "%5F")}">x</a>',
    "base64": base64.b64encode(f"token={TOKEN}".encode()).decode(),
    "url-safe base64": base64.urlsafe_b64encode(f"??>{TOKEN}".encode()).decode(),
}


@pytest.mark.parametrize("kind", DISGUISES)
def test_no_disguise_hides_it(kind: str) -> None:
    text = f"One line.\n\nSee {DISGUISES[kind]} here.\n\nAnother."
    leaks = [leak for leak in find(text) if leak.stops]
    assert [text.count("\n", 0, leak.start) for leak in leaks] == [2]
    redacted = redact(text, leaks)
    assert DISGUISES[kind] not in redacted
    assert find_secrets(html.unescape(redacted)) == ()
    assert redacted.startswith("One line.\n\n")
    assert redacted.endswith("\n\nAnother.")


@pytest.mark.parametrize(
    "mark",
    [
        "gitleaks:allow",
        "kingfisher:ignore",
        "pragma: allowlist secret",
        "nosec",
        "<!-- memsite-ignore W013 -->",
        "trufflehog:ignore",
    ],
)
def test_no_mark_in_a_note_silences_it(mark: str) -> None:
    assert any(leak.stops for leak in find(f"{mark}\nkey {TOKEN} # {mark}\n"))


# What may be shown ---------------------------------------------------------------------------


def test_findings_say_place_and_kind_only() -> None:
    text = f"# A\n\n  {TOKEN}\nat /home/marta/x\n"
    found = [
        (finding.code, finding.line, finding.column, finding.message)
        for finding in leak_findings(text.encode())
    ]
    assert found == [
        ("W013", 3, 3, "looks like a secret (github-token: ghp_…)"),
        ("W014", 4, 4, "personal data (home-path)"),
    ]


@pytest.mark.parametrize("kind", SECRETS)
def test_no_value_is_ever_shown(kind: str) -> None:
    secret = SECRETS[kind][1]
    for leak in find(note(kind)):
        shown = (
            repr(leak)
            + leak.hint
            + " ".join(finding.message for finding in leak_findings(note(kind).encode()))
        )
        assert secret not in shown
        assert secret[5:] not in shown


def test_the_shortest_token_stands_in_a_run() -> None:
    """Only runs of `LEAST` characters without quotes, brackets and blanks are looked at."""
    for pattern in PREFIXED:
        assert _parser.parse(pattern.shape.pattern).getwidth()[0] >= LEAST, pattern.kind
    lines = [line.format(secret) for line, secret in SECRETS.values()]
    for pattern in PREFIXED:
        for line in filter(pattern.shape.search, lines):
            assert any(map(pattern.shape.search, runs(line))), (pattern.kind, line)


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert list(leak_findings(b"\xff\xfe\x00" * 100)) == []


# Allow list ----------------------------------------------------------------------------------


def test_a_value_can_be_allowed_by_its_fingerprint() -> None:
    key = b"of the user"
    text = f"# accepted\n{fingerprint(TOKEN, key)} revoked in March\n\nnonsense\n"
    assert find(note("github classic"), allow=read_allow_list(text, key)) == ()
    assert find(note("github classic"), allow=read_allow_list(text, b"another key"))
    assert find(note("stripe"), allow=read_allow_list(text, key))
    assert TOKEN not in text
    assert fingerprint(TOKEN, key) != fingerprint(TOKEN, b"another key")


def test_an_empty_list_allows_nothing() -> None:
    assert TOKEN not in AllowList()
    assert 7 not in AllowList(b"", frozenset({fingerprint("7", b"")}))


# Homes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("see /home/marta/notes/a.md", "see ~/notes/a.md"),
        ("`/Users/jonas.k/Library`", "`~/Library`"),
        ("C:\\Users\\Petra\\x and c:/Users/Petra/y", "~\\x and ~/y"),
        ('"C:\\\\Users\\\\Petra\\\\x"', '"~\\\\x"'),
        ("/mnt/c/Users/Petra/x", "~/x"),
        ("file:///home/marta/x", "~/x"),
        ("~/.claude/projects/-home-marta-work-api/memory", "~/.claude/projects/-~-work-api/memory"),
        ("../home/marta/a.md and x/home/marta", "../home/marta/a.md and x/home/marta"),
        ("/home/user/x and /home/<name>/y", "/home/user/x and /home/<name>/y"),
        ("https://example.org/home/about", "https://example.org/home/about"),
    ],
)
def test_home_paths_become_short(text: str, short: str) -> None:
    assert shorten_homes(text) == short


# The optional scanner ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    made_engine = kingfisher_engine(str(tmp_path_factory.mktemp("rules")))
    if made_engine is None:
        pytest.skip("kingfisher-secret-scanner is not installed")
    return made_engine


def test_without_the_package_there_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.leaks.kingfisher.find_spec", lambda name: None)
    assert not available()
    assert kingfisher_engine("nowhere") is None


def test_the_scanner_adds_kinds_without_calling_anybody(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the scan opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    token = "dckr" + "_pat_" + made(27)
    text = f"ü ä ö\ndocker login -p {token}\n"
    assert [text[leak.start : leak.end] for leak in engine(text)] == [token]
    assert all(isinstance(leak, Leak) for leak in engine(text))


def test_with_the_scanner_traps_still_do_not_stop(engine: Engine) -> None:
    assert [text for text in TRAPS if any(leak.stops for leak in find(text, engine=engine))] == []


def test_the_scanner_sees_through_disguise(engine: Engine) -> None:
    text = f"See {DISGUISES['all entities']} here."
    assert [leak.stops for leak in find(text, engine=engine)] == [True]


# Speed ---------------------------------------------------------------------------------------


def test_hostile_text_takes_linear_time() -> None:
    """Each of these makes a careless pattern try every start with every end."""
    hostile = ["a" * 100_000, "-" * 100_000, "eyJ" * 30_000, "://" * 30_000, "1." * 50_000, "key=" * 25_000]
    hostile += [
        "A3:" * 30_000,
        "@a." * 30_000,
        "-----BEGIN " * 9_000,
        "&#" * 50_000,
        "password: " * 10_000,
        "/home/" * 16_000,
    ]
    hostile += [
        "[A-Z]_KEY" * 10_000,
        "<b" * 50_000,
        "machine x login " * 6_000,
        "\n" * 100_000,
        "+49 30 " * 14_000,
    ]
    hostile += [" ".join(f"u{number}@klein.de" for number in range(8000)), "&#95;".join([TOKEN] * 3000)]
    slow = []
    for text in hostile:
        start = time.process_time()
        find(text)
        if time.process_time() - start > 10:
            slow.append(text[:12])
    assert slow == []


def test_no_source_file_holds_a_planted_secret() -> None:
    """The tests themselves must not set off other people's scanners."""
    tests = Path(__file__).parent
    for name in ("planted.py", "broken_memory.py", "test_leaks.py"):
        assert not re.search(
            r"gh[pousr]_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16}\b(?<!EXAMPLE)",
            (tests / name).read_text(encoding="utf-8").replace("x" * 36, ""),
        )
