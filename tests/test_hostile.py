"""Hostile text in every field of a memory: what is built of it, as html5lib reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.hostile_documents import documents, faults
from hostile import hostile_memory, note_of, payloads, without_sanitiser
from oracle import is_balanced, page_faults

from memsite.build import build_site
from memsite.memory import open_memory

FRAME = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
    ' content=""><title>t</title></head><body><div><main>{}</main></div></body></html>'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every third payload in every field; which, is the same each time."""
    root = tmp_path_factory.mktemp("hostile")
    chosen = dict(list(payloads().items())[::3])
    result = build_site(open_memory(hostile_memory(root / "project", chosen)), root / "site", cached=False)
    assert result.faults == ()
    assert result.notes == 4 * len(chosen) + 1
    return root / "site"


def test_every_page_of_a_hostile_memory_is_harmless(site: Path) -> None:
    pages = [path for path in site.rglob("*.html") if path.parent.name != "static"]
    assert len(pages) > 200
    found = {
        path.relative_to(site).as_posix(): page_faults(path.read_text(encoding="utf-8")) for path in pages
    }
    assert {url: wrong for url, wrong in found.items() if wrong} == {}


def test_random_hostile_documents_are_harmless() -> None:
    assert [(text, wrong) for text in documents(400, seed=7) if (wrong := faults(text))] == []


@pytest.mark.parametrize("name", payloads())
def test_a_payload_in_every_field_of_a_note_swallows_nothing(name: str) -> None:
    """The end of the note is still there, whatever came before it."""
    from memsite.markdown import parse

    document = parse((note_of(payloads()[name]) + "\n\nthe very end\n").encode("utf-8", "surrogatepass"))
    assert "the very end" in "".join(document.fragments)


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<script>x</script>", "a script in the page"),
        ("<p onclick=x>", "<p onclick>"),
        ("<p style=x>", "<p style>"),
        ('<a href="java\tscript:x">', "<a href='java\\tscript:x'>"),
        ('<a href="data:text/html,x">', "<a href='data:text/html,x'>"),
        ('<img src="//evil.example/x">', "<img src='//evil.example/x'> from elsewhere"),
        ("<iframe></iframe>", "<iframe>"),
        ("<svg><a></a></svg>", "<a>"),
        ("<!-- x -->", "a comment"),
        ('<meta http-equiv="refresh">', "<meta refresh>"),
        ('<p id="a"></p><p id="a"></p>', "id 'a' twice"),
        ("</main><main>", "not one <main>"),
        ('<div id="ms-body"></div>', "#ms-body lies in a wrong place"),
    ],
)
def test_the_oracle_sees(html: str, fault: str) -> None:
    assert fault in page_faults(FRAME.format(html))
    assert page_faults(FRAME.format("<p>x</p>")) == []


@pytest.mark.parametrize(
    "html", ["</div>x", "<table>", "<select>", "<textarea>", "<!--", "</article></main>", "<svg><desc>"]
)
def test_the_oracle_sees_what_reaches_out(html: str) -> None:
    assert is_balanced("<p>x</p><b>y</b>")
    assert not is_balanced(html)


def test_without_the_sanitiser_the_oracle_has_something_to_say() -> None:
    with without_sanitiser():
        assert [text for text in documents(60, seed=7) if faults(text)]
