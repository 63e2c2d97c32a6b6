"""Private notes leave no trace: no page, no name, no word, in no file."""

from __future__ import annotations

import re

import pytest
from pages_memory import body_of, graph_of, page, site_of, text_of, tree, written

from memsite.note import Problem
from memsite.pages import Keys, SitePlan
from memsite.pages.source import published_source

SECRET = "---\npublish: false\naliases: [Codename]\ntags: [hush]\ntype: plot\n---\nThe launch is in May. [[a]] [[Moonbase]] ![[plan.png]]\n"
PUBLIC = "[[secret|our plan]] and [[Codename]] and [[d]] today. #open\n\n![[secret]]\n\n[[Shared]]\n"
FILES = {
    "vault/secret.md": SECRET,
    "vault/d.md": "---\ndraft: true\n---\nx [[Shared]]\n",
    "vault/a.md": PUBLIC,
}


def test_nothing_names_a_private_note() -> None:
    site = site_of(FILES, assets=["plan.png"])
    for url, text in written(site).items():
        for word in ("secret", "Codename", "codename", "launch", "plan.png", "hush", "Moonbase", "plot"):
            assert word not in url
            assert word not in text, f"{word} in {url}"
    assert site.hidden == 2
    assert site.assets == {}


def test_what_links_to_private_notes_says_so() -> None:
    found = body_of(page(site_of(FILES), "vault/a.html"))
    assert '<a class="ms-private" role="link" aria-disabled="true">our plan</a>' in found
    assert found.count("(private)</a>") == 2
    assert '<span class="ms-private">(private)</span>' in found
    assert re.findall(r'href="([^"]*)"', found) == [
        "../tag/open.html",
        "../concept/shared.html",
    ]


def test_the_source_of_a_note_that_names_a_private_one_stays_home() -> None:
    site = site_of(FILES | {"vault/e.md": "plain"})
    assert site.sources == {"vault/e.md": "memory://vault/e"}


def test_concepts_of_private_notes_are_counted_without_them() -> None:
    site = site_of(FILES)
    assert set(site.concepts) == {"shared"}
    assert "1 mention" in page(site, "concept/shared.html")


@pytest.mark.parametrize("value", ["false", "no", '"false"', "off"])
def test_publish_is_read_as_a_person_would(value: str) -> None:
    assert site_of({"vault/a.md": f"---\npublish: {value}\n---\nx"}).notes == {}


def test_a_store_that_is_not_published() -> None:
    files = {"vault/a.md": "[[hidden]] [[b]]", "vault/b.md": "x", "own/hidden.md": "[[b]] xyzzy"}
    site = site_of(files, publish={"own": False})
    everything = written(site)
    assert set(site.notes) == {"memory://vault/a", "memory://vault/b"}
    assert not [
        url for url, text in everything.items() if "xyzzy" in text or "hidden.html" in text or "own" in url
    ]


def test_an_ambiguous_name_with_one_public_candidate_leads_to_it() -> None:
    files = {"vault/a.md": "[[x]]", "vault/p/x.md": "one", "vault/q/x.md": "---\npublish: false\n---\ntwo"}
    site = site_of(files)
    assert '<a class="ms-note" href="../vault/p/x.html">x</a>' in page(site, "vault/a.html")
    assert site.ambiguous == {}


def test_problems_of_private_notes_are_not_listed() -> None:
    def problem(path: str, message: str, **more: object) -> Problem:
        return Problem(
            "W008", "missing-heading", "warning", f"vault/{path}", 1, 1, message, store="vault", **more
        )  # type: ignore[arg-type]

    kept = problem("a.md", "fine", address="memory://vault/a")
    problems = [
        kept,
        problem("secret.md", "x", address="memory://vault/secret"),
        problem("a.md", "no heading in 'Codename'", address="memory://vault/a"),
        problem("a.md", "nearly the same", address="memory://vault/a", related=("vault/secret.md",)),
    ]
    assert site_of(FILES, problems=problems).problems == (kept,)


def test_a_memory_without_private_notes_is_left_as_it_is() -> None:
    graph = graph_of({"vault/a.md": "[[b]]", "vault/b.md": "x"})
    from memsite.pages.publish import published_graph

    assert published_graph(graph) is graph


def test_words_of_a_private_link_inside_markup_go_too() -> None:
    site = site_of(
        {
            "vault/secret.md": SECRET,
            "vault/a.md": "- used_by [[secret]] (why)\n\n| a |\n|---|\n| [[Codename]] |\n\n# On [[secret]]\n",
        }
    )
    text = page(site, "vault/a.html")
    assert "secret" not in text
    assert "Codename" not in text
    assert "On (private)" in " ".join(text_of(tree(text)).split())


@pytest.mark.parametrize(
    ("source", "published"),
    [
        ("a %%gone%% b", "a  b"),
        ("a <!-- gone --> b", "a  b"),
        ("`%%x%%` and `<!-- y -->`", "`%%x%%` and `<!-- y -->`"),
        ("```\n%%x%%\n```\n%%y\nz%%", "```\n%%x%%\n```\n"),
        ("50%% of it", "50%% of it"),
        ("nothing", "nothing"),
    ],
)
def test_the_published_source_has_no_comments(source: str, published: str) -> None:
    assert published_source(source.encode()).decode() == published


def test_a_source_that_is_no_text_stays() -> None:
    assert published_source(b"\xff%%x%%") == b"\xff%%x%%"


def test_a_new_name_of_a_private_note_changes_the_pages_that_link_to_it() -> None:
    def site(title: str) -> SitePlan:
        private = f"---\npublish: false\ntitle: {title}\n---\nx"
        return site_of({"vault/p.md": private, "vault/a.md": "[our plan](p.md) [[b]]", "vault/b.md": "x"})

    before, after = site("Something"), site("Our Plan")
    assert "our plan" in body_of(page(before, "vault/a.html"))
    assert "our plan" not in page(after, "vault/a.html")
    assert "our plan" not in page(after, "vault/b.html")
    for url in ("vault/a.html", "vault/b.html"):
        keys = [Keys(plan).of(next(one for one in plan.pages if one.url == url)) for plan in (before, after)]
        assert keys[0] != keys[1]
