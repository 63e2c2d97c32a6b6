"""Every page as a browser reads it: nothing of a note is ever markup, every link leads somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages_memory import broken_links, elements, page, site_of, text_of, tree, written

from memsite.config import Config, SiteConfig
from memsite.note import Problem
from memsite.pages import SitePlan, render, response_headers, static_files
from memsite.templates import templates_folder

HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>{{ 7*7 }}&amp;"
QUOTED = HOSTILE.replace("'", "''")
SCRIPTS = {"texts.js", "memsite.js", "local-graph.js"}


def hostile_site() -> SitePlan:
    """A memory with markup in every field that a page shows."""
    note = (
        f"---\ntitle: '{QUOTED}'\ntags: ['{QUOTED}']\naliases: ['{QUOTED}']\ntype: '{QUOTED}'\n"
        f"status: deprecated\nsupersededBy: '{QUOTED}'\ncustom: '{QUOTED}'\ndescription: '{QUOTED}'\n---\n"
        f'## {HOSTILE}\n\n[[b|{HOSTILE}]] [[{HOSTILE}]] [x](b.md "{HOSTILE}") ![{HOSTILE}](p.png) #tag `{HOSTILE}`\n\n{HOSTILE}\n'
    )
    files = {
        "vault/a.md": note,
        f"vault/{HOSTILE.replace('/', '')}.md": "x [[a]]",
        "vault/b.md": "[[a]] [[c]]",
    }
    files |= {
        f"{HOSTILE.replace('/', '')}/c.md": "---\ndate: 2026-01-01\n---\ny [[a]]",
        "vault/d/x.md": "1",
        "vault/e/x.md": "2 [[x]]",
    }
    problem = Problem(
        "W005",
        "missing-note",
        "warning",
        HOSTILE,
        3,
        1,
        HOSTILE,
        HOSTILE,
        (HOSTILE,),
        "vault",
        "memory://vault/a",
    )
    config = Config(site=SiteConfig(title=HOSTILE, footer=HOSTILE, base_url="https://e.example/x"))
    return site_of(files, config=config, problems=[problem], assets=["p.png"])


HOSTILE_SITE = hostile_site()
HOSTILE_PAGES = {url: text for url, text in written(HOSTILE_SITE).items() if url.endswith(".html")}


@pytest.mark.parametrize("url", HOSTILE_PAGES)
def test_nothing_of_a_note_is_markup(url: str) -> None:
    text = HOSTILE_PAGES[url]
    assert [one.get("src") for one in elements(text, "img") if one.get("src") == "x"] == []
    assert not re.search(r"(?<![0-9a-f])49(?![0-9a-f])", text_of(tree(text)))
    for one in elements(text):
        assert not [name for name in one.attrib if name.startswith("on") or name == "style"]
        assert one.tag.rpartition("}")[2] not in ("style", "iframe", "object", "embed", "base", "template")
    assert {one.get("src", "").rpartition("/")[2] for one in elements(text, "script")} <= SCRIPTS
    assert not [one for one in elements(text, "script") if text_of(one).strip()]


@pytest.mark.parametrize("url", HOSTILE_PAGES)
def test_the_frame_is_whole(url: str) -> None:
    text = HOSTILE_PAGES[url]
    head = next(one for one in tree(text) if one.tag.endswith("head"))
    assert [child.get("charset") or child.get("http-equiv") for child in list(head)[:2]] == [
        "utf-8",
        "Content-Security-Policy",
    ]
    assert len(elements(text, "main")) == len(elements(text, "body")) == 1
    ids = [one.get("id") for one in elements(text) if one.get("id")]
    assert len(ids) == len(set(ids))
    assert all(one.get("alt") is not None for one in elements(text, "img"))


def test_hostile_text_is_readable_as_typed() -> None:
    text = page(HOSTILE_SITE, "vault/a.html")
    assert HOSTILE in text_of(elements(text, "h1")[0])
    assert HOSTILE in text_of(elements(text, "title")[0])
    assert HOSTILE in text_of(elements(text, "dl")[0])


def test_json_is_strict_and_inert() -> None:
    files = written(HOSTILE_SITE)
    for url in ("api/notes.json", "api/graph.json", "api/health.json"):
        assert "<" not in files[url]
        json.loads(files[url], parse_constant=pytest.fail)
    scripts = [url for url in files if url.endswith(".js")]
    assert len(scripts) > 3
    for url in scripts:
        assert not re.search("[<>\u2028\u2029]", files[url])


def test_feeds_are_well_formed() -> None:
    from xml.etree import ElementTree

    files = written(site_of({"vault/a.md": '---\ndate: 2026-01-02\ntitle: "a\\x1b & <b> ]]>"\n---\nx\u0001'}))
    feed = ElementTree.fromstring(files["feed.xml"])
    assert feed.find("{*}updated").text == "2026-01-02T00:00:00Z"  # type: ignore[union-attr]
    assert "& <b> ]]>" in feed.find("{*}entry/{*}title").text  # type: ignore[union-attr, operator]
    ElementTree.fromstring(files["sitemap.xml"])


def test_bidi_controls_in_titles_are_seen() -> None:
    text = page(site_of({"vault/a.md": '---\ntitle: "safe\\u202egnp.exe"\n---\nx'}), "vault/a.html")
    assert "\u202e" not in text
    assert re.fullmatch(r"safe.+gnp\.exe", text_of(elements(text, "h1")[0]))


def test_every_link_leads_to_a_file_and_anchor() -> None:
    files = {
        "vault/a.md": "# A\n\n## Setup\n\n[[b]] [[b#Part]] [[Concept]] [[#Setup]] [[gone.md]] x[^1] ![[b]]\n\n[^1]: foot\n",
        "vault/b.md": "---\ntags: [one, two/three]\ndate: 2026-02-01\ntype: tip\n---\n## Part\n\n[[a]] [[x]] #one\n",
        "vault/d/x.md": "[[a]]", "vault/e/x.md": "[[Concept]]", "other/日本.md": "[[a]] [[concept]]",
    }  # fmt: skip
    site = site_of(
        files,
        problems=[
            Problem(
                "W005",
                "missing-note",
                "warning",
                "vault/a.md",
                5,
                1,
                "gone",
                address="memory://vault/a",
                store="vault",
            )
        ],
    )
    made = written(site)
    static = {
        f"static/{path.relative_to(templates_folder() / 'static').as_posix()}"
        for path in (templates_folder() / "static").rglob("*")
    }
    assert broken_links(made, {*static, *site.sources, "graph.html", "graph/picture.svg"}) == []


def test_pages_work_under_any_base_path() -> None:
    for url, text in HOSTILE_PAGES.items():
        for one in elements(text):
            for name in ("href", "src"):
                link = one.get(name) or ""
                assert not link.startswith("/")
                own = link.startswith("https://e.example/x/") and one.get("rel") == "canonical"
                assert ":" not in link.partition("/")[0] or own, f"{url}: {link}"


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                "<",
                ">",
                '"',
                "'",
                "&",
                "{{",
                "}}",
                "[[",
                "]]",
                "![[",
                "|",
                "#",
                "`",
                "\n",
                " ",
                "</main>",
                "<script>",
                "javascript:",
                "a",
                "b",
                "^",
                "](",
                "<!--",
                "-->",
                "\x00",
                "\u202e",
                "---\n",
                "%%",
            ]
        ),
        max_size=24,
    )
)
def test_any_text_leaves_the_frame_whole(pieces: list[str]) -> None:
    text = page(site_of({"vault/a.md": "".join(pieces), "vault/b.md": "[[a]]"}), "vault/a.html")
    assert len(elements(text, "main")) == len(elements(text, "footer", class_="ms-footer")) == 1
    assert {one.get("src", "").rpartition("/")[2] for one in elements(text, "script")} <= SCRIPTS
    assert not [
        name for one in elements(text) for name in one.attrib if name.startswith("on") or name == "style"
    ]


def test_a_note_elsewhere_changes_no_page_but_listings() -> None:
    files = {f"vault/a/n{n}.md": f"[[n{n + 1}]] [[Shared]] text" for n in range(6)} | {
        "vault/b/x.md": "[[Other]]"
    }
    before = written(site_of(files))
    after = written(site_of(files | {"vault/b/y.md": "[[Else]] words"}))
    changed = {url for url, text in before.items() if after[url] != text and url.endswith(".html")}
    assert changed == {
        "index.html", "notes.html", "concept/index.html", "store/vault/index.html", "store/vault/b/index.html",
        "vault/b/x.html",
    }  # fmt: skip


# The templates --------------------------------------------------------------------------------------


def own_templates() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(templates_folder().glob("*.html"))]


def test_only_sanitised_bodies_are_marked_safe() -> None:
    marked = [line for text in own_templates() for line in re.findall(r"\{\{[^}]*\|\s*safe[^}]*\}\}", text)]
    assert set(marked) == {"{{ view.body|safe }}"}
    assert not [text for text in own_templates() if "autoescape" in text]


def test_own_templates_words_and_style_come_first(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "note.html").write_text(
        '{% extends "memsite/note.html" %}{% block main %}<p id="mine">{{ view.title }}</p>{{ super() }}{% endblock %}'
    )
    (tmp_path / "own" / "texts.toml").write_text('backlinks = "Who says so <here>"\n')
    (tmp_path / "look.css").write_text(":root { --ms-accent: red }")
    settings = SiteConfig("My & memory", language="de", templates="own", css="look.css", footer="By <me>")
    config = Config(site=settings, file=tmp_path / "memsite.toml")
    site = site_of({"vault/a.md": "---\ntitle: A & B\n---\nx"}, config=config)
    text = page(site, "vault/a.html")
    assert [text_of(one) for one in elements(text, id="mine")] == ["A & B"]
    assert "Who says so &lt;here&gt;" in text
    assert tree(text).get("lang") == "de"
    assert [text_of(one) for one in elements(text, "a", class_="ms-brand")] == ["My & memory"]
    assert "By <me>" in text_of(elements(text, "footer", class_="ms-footer")[0])
    assert [one.get("href") for one in elements(text, "link", rel="stylesheet")][-1] == "../static/own.css"
    assert dict(static_files(site))["static/own.css"] == tmp_path / "look.css"


@pytest.mark.parametrize(("language", "direction"), [("en", None), ("ar", "rtl"), ("he-IL", "rtl")])
def test_a_language_from_right_to_left_turns_the_page(language: str, direction: str | None) -> None:
    config = Config(site=SiteConfig("Memory", language=language))
    assert tree(page(site_of({"vault/a.md": "x"}, config=config), "index.html")).get("dir") == direction


def test_attributes_are_quoted() -> None:
    assert [found for text in own_templates() for found in re.findall(r"=\{\{", text)] == []


def test_style_and_script_stay_small() -> None:
    static = templates_folder() / "static"
    assert sum((static / name).stat().st_size for name in ("memsite.css", "memsite.js")) < 60_000


def test_scripts_build_no_markup_from_text() -> None:
    for name in ("memsite.js", "search.js"):
        text = (templates_folder() / "static" / name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
        )


def test_scripts_get_the_texts_that_they_use_and_no_others() -> None:
    folder = templates_folder() / "static"
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}
    used = {name for source in sources.values() for name in re.findall(r"\btexts\.(\w+)", source)}
    script = render(next(page for page in HOSTILE_SITE.pages if page.kind == "texts"), HOSTILE_SITE).decode()
    assert set(json.loads(script.removeprefix("memsiteTexts = ").rstrip(";\n"))) == used
    shown = r"""(?:textContent|ariaLabel|text|title|aria-label|placeholder)"?(?: =|:|,) ["`][A-Z][a-z]+"""
    assert {
        name: re.findall(shown, source) for name, source in sources.items() if re.search(shown, source)
    } == {}


def test_only_a_site_with_diagrams_gets_what_draws_them() -> None:
    plain, drawing = site_of({"vault/a.md": "x"}), site_of({"vault/a.md": "```mermaid\nflowchart LR\n```"})
    for site, wanted in ((plain, False), (drawing, True)):
        names = {url for url, _ in static_files(site)}
        assert ("static/diagrams.html" in names) == ("static/diagrams.js" in names) == wanted
        assert ("static/vendor/mermaid/LICENSE" in names) == wanted
        assert ("static/vendor/mermaid/mermaid.min.js" in names) == wanted
        assert (b"frame-src 'self'" in response_headers(site)) == wanted
        assert (b"'unsafe-inline'" in response_headers(site)) == wanted


def test_the_headers_of_a_host_let_remote_pictures_through_where_the_pages_do() -> None:
    config = Config(site=SiteConfig(remote_images=True))
    assert b"img-src 'self' https: http:;" in response_headers(site_of({"vault/a.md": "x"}, config=config))
    assert b"img-src 'self';" in response_headers(site_of({"vault/a.md": "x"}))
