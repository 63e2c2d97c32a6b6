"""The guard: what may be published comes out, what may not stops the build and is named."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest
from planted import PERSONAL, SECRETS

from memsite.errors import Leak
from memsite.leaks import AllowList, Guard, fingerprint, longest_first
from memsite.leaks.gate import Gate
from memsite.note import IndexEntry, Source

TOKEN = SECRETS["github classic"][1]


def source(text: str | bytes, path: str = "a.md", **entry: object) -> Source:
    content = text.encode() if isinstance(text, str) else text
    row = IndexEntry("a", 0, path, **entry) if entry else None  # type: ignore[arg-type]
    return Source("notes", "vault", path, content, "0" * 64, 0.0, row)


def look(guard: Guard, url: str, written: bytes) -> None:
    guard.places += (*guard.output(url, written), *guard.rest())


def published(guard: Guard, given: Source) -> Source:
    found = guard.source(given, shown=f"notes/{given.path}")
    assert found is not None
    return found


def test_an_ordinary_note_passes_untouched() -> None:
    guard, given = (
        Guard(),
        source("# A\r\n\nplain \udcff".encode("utf-8", "surrogateescape"), title="A", tags=("x",)),
    )
    assert published(guard, given) == given
    look(guard, "a.html", b"<p>plain</p>")
    guard.refuse()


def test_a_secret_stops_the_build_and_is_named_without_being_shown() -> None:
    guard = Guard()
    published(guard, source(f"# A\n\n{TOKEN}\n"))
    look(guard, "a.html", f"<p>\n{TOKEN}</p>".encode())
    with pytest.raises(Leak) as refusal:
        guard.refuse()
    assert refusal.value.code == "E017"
    assert refusal.value.details["places"] == [
        "notes/a.md:3 github-token (ghp_…)",
        "a.html:2 github-token (ghp_…)",
    ]
    assert TOKEN[5:] not in refusal.value.message


def test_many_places_are_counted() -> None:
    guard = Guard()
    published(guard, source("\n".join(SECRETS["stripe"][1] for _ in range(30))))
    with pytest.raises(Leak, match=r"^30 secrets .* and 10 more\.$"):
        guard.refuse()


@pytest.mark.parametrize("kind", SECRETS)
def test_redaction_lets_nothing_out(kind: str) -> None:
    line, secret = SECRETS[kind]
    guard = Guard(redacts=True)
    text = f"---\nkey: {line.format(secret)}\n---\n# A\n\n{line.format(secret)}\n\n```\n{line.format(secret)}\n```\n"
    clean = published(guard, source(text, title=f"About {line.format(secret)}", tags=(secret,)))
    assert clean.entry is not None
    shown = "\n".join((clean.content.decode(), clean.entry.title or "", *clean.entry.tags))
    assert secret not in shown
    assert secret[-8:] not in shown
    assert "█" in shown
    look(guard, "a.md", clean.content)
    guard.refuse()


def test_a_name_that_is_a_secret() -> None:
    stopping, redacting = Guard(), Guard(redacts=True)
    given = source("# A\n", path=f"{TOKEN}.md")
    published(stopping, given)
    with pytest.raises(Leak, match="in the file name"):
        stopping.refuse()
    assert redacting.source(given, shown="notes/x.md") is None
    assert redacting.left_out == ["notes/x.md"]
    redacting.refuse()


def test_the_gate_looks_at_what_was_missed_before() -> None:
    guard = Guard(redacts=True)
    look(guard, "search/0.js", f'x = {{"t": "{TOKEN}"}}'.encode())
    look(guard, f"n/{TOKEN}.html", b"")
    look(guard, "files/a.png", TOKEN.encode())
    with pytest.raises(Leak):
        guard.refuse()
    assert [(place.path, place.line) for place in guard.places] == [
        ("search/0.js", 1),
        ("n/█github-token█.html", 1),
    ]


def test_the_frame_of_pages_hides_nothing() -> None:
    """Lines that were seen before are skipped, but not when they held something."""
    guard = Guard()
    for name in ("a.html", "b.html"):
        look(guard, name, f"<nav>frame of the page</nav>\n<p>{TOKEN}</p>".encode())
    look(guard, "c.html", f"<nav>frame of the page</nav>\n<p>new\n{TOKEN}</p>".encode())
    with pytest.raises(Leak):
        guard.refuse()
    assert [(place.path, place.line) for place in guard.places] == [
        ("a.html", 2),
        ("b.html", 2),
        ("c.html", 3),
    ]


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("a.html", f"<p>{TOKEN[:9]}<b>{TOKEN[9:]}</b></p>"),
        ("a.html", f"<td>word</td><td>{TOKEN}</td>"),
        ("a.html", f"<p>{TOKEN.replace('_', '&#95;')}</p>"),
        ("a.html", f'<a href="x?auth={TOKEN.replace("_", "%5F")}">x</a>'),
        ("a.html", f"<p>{TOKEN[:9]}<!-- -->{TOKEN[9:]}</p>"),
        ("a.html", f"<p>{TOKEN[:9]}\u200b{TOKEN[9:]}</p>"),
        ("a.js", 'x = ["' + TOKEN.replace("_", "\\u005f") + '"]'),
        ("a.json", f'{{"text": "first\\n{TOKEN}"}}'),
        ("a.js", f'x = "{TOKEN.replace("_", "&#95;")}"'),
        ("a.json", f'{{"text": "first\\t{TOKEN}"}}'),
        ("a.json", f'{{"text": "first\\r{TOKEN}"}}'),
        ("a.svg", f"<text>{TOKEN[:9]}<a>{TOKEN[9:]}</a></text>"),
        ("a.xml", f"<p>{TOKEN[:9]}<b>{TOKEN[9:]}</b></p>"),
        ("a.json", f'["a","{b64encode(TOKEN.encode()).decode()}"]'),
        ("a.md", f"{TOKEN[:9]}**{TOKEN[9:]}**x"),
        ("feed.xml", f"<summary>&lt;p&gt;{TOKEN}&lt;/p&gt;</summary>"),
    ],
)
def test_no_disguise_passes_the_gate(url: str, text: str) -> None:
    guard = Guard()
    look(guard, url, f"<nav>first line</nav>\n{text}\n".encode())
    with pytest.raises(Leak) as refusal:
        guard.refuse()
    assert [place.path for place in guard.places] == [url]
    assert TOKEN not in str(refusal.value)


def test_each_secret_is_named_once_a_file_where_it_stands_first() -> None:
    guard, other = Guard(), SECRETS["stripe"][1]
    look(guard, "a.txt", f"x\n{other}\n\n{TOKEN} {TOKEN}\n{other} {TOKEN}\n".encode())
    look(guard, "b.html", f"<p>\n{TOKEN[:9]}<b>{TOKEN[9:]}</b>\n".encode())
    look(guard, "c.json", f'{{\n"text": "x\\n{TOKEN}"}}'.encode())
    assert [(place.path, place.line, place.kind) for place in guard.places] == [
        ("a.txt", 2, "stripe-key"),
        ("a.txt", 4, "github-token"),
        ("b.html", 2, "github-token"),
        ("c.json", 2, "github-token"),
    ]


def test_files_wait_until_there_is_enough_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.leaks.gate._BATCH", 150)
    gate = Gate()
    assert list(gate.take("a.txt", f"x\n{TOKEN}")) == []
    assert [(url, line) for url, line, _ in gate.take("b.txt", "word " * 30)] == [("a.txt", 2)]
    assert list(gate.rest()) == []
    assert list(gate.take("c.txt", f"{TOKEN}\nsmall")) == []
    assert [(url, line) for url, line, _ in gate.rest()] == [("c.txt", 1)]


def test_what_was_found_clean_is_not_looked_at_again() -> None:
    seen: list[str] = []
    gate = Gate(engine=lambda text: seen.append(text) or [])
    for url, text in (("a.txt", "one\ntwo"), ("b.txt", "two\nthree\none")):
        assert [*gate.take(url, text), *gate.rest()] == []
    assert "one" in "".join(seen)
    del seen[:]
    assert [*gate.take("c.txt", "one\ntwo\nthree\nfour"), *gate.rest()] == []
    assert {word for text in seen for word in text.split()} == {"c.txt", "four"}


def test_many_files_are_looked_at_in_turn() -> None:
    guard = Guard()
    for number in range(60):
        look(guard, f"{number}.html", f"<p>{'ordinary words ' * 5000}{number}</p>".encode())
    look(guard, "last.html", TOKEN.encode())
    with pytest.raises(Leak, match=r"last\.html:1"):
        guard.refuse()


@pytest.mark.parametrize("kind", ["home", "mac home", "windows home", "wsl", "file url", "project folder"])
def test_home_folders_never_get_out(kind: str) -> None:
    clean = published(Guard(), source(f"See {PERSONAL[kind]} and more.", title=PERSONAL[kind]))
    assert clean.entry is not None
    for word in ("marta", "jonas", "Petra"):
        assert word not in clean.content.decode() + (clean.entry.title or "")
    assert "~" in clean.content.decode()


def test_an_unusual_home_of_the_builder() -> None:
    guard = Guard(homes=longest_first(["/srv", "/srv/build-me", "/"]))
    assert published(guard, source("at /srv/build-me/x and /srv/y")).content == b"at ~/x and ~/y"
    look(guard, "a.html", b"<p>/srv/build-me</p>")
    assert guard.places[0].kind == "home-path"


def test_allowed_values_pass() -> None:
    allow = AllowList(b"k", frozenset({fingerprint(TOKEN, b"k")}))
    guard = Guard(allow=allow, redacts=True)
    assert published(guard, source(f"x {TOKEN}")).content == f"x {TOKEN}".encode()
    look(guard, "a.html", f"<p>{TOKEN}</p>\n{SECRETS['stripe'][1]}".encode())
    assert [(place.path, place.line, place.kind) for place in guard.places] == [("a.html", 2, "stripe-key")]


def test_a_mere_guess_passes_the_gate() -> None:
    from memsite.leaks import Leak as Found

    guard = Guard(engine=lambda text: [Found("guess", "horse", 0, 5, confidence="low")])
    look(guard, "a.txt", f"horse\n{SECRETS['stripe'][1]}".encode())
    assert [(place.line, place.kind) for place in guard.places] == [(2, "stripe-key")]


def test_an_engine_counts() -> None:
    from memsite.leaks import Leak as Found

    guard = Guard(engine=lambda text: [Found("own-rule", "zebra", 0, 5)] if text.startswith("zebra") else [])
    published(guard, source("zebra crossing"))
    assert [place.kind for place in guard.places] == ["own-rule"]
    guard = Guard(
        engine=lambda text: (
            [Found("own-rule", "zebra", at, at + 5)] if (at := text.find("zebra")) >= 0 else []
        )
    )
    look(guard, "a.txt", b"a horse\nzebra crossing")
    assert [(place.path, place.line, place.kind) for place in guard.places] == [("a.txt", 2, "own-rule")]
    assert replace(guard.places[0]) == guard.places[0]
