"""Link slots: what stands on the page for each thing that a link can lead to."""

from __future__ import annotations

import pytest
from pages_memory import body_of, elements, page, site_of, text_of, written

from memsite.config import Config, SiteConfig
from memsite.note import Asset
from memsite.pages.fill import MAX_DEPTH, MAX_EMBEDS

BASE = {"vault/a.md": "", "vault/b.md": "# Bee\n\n## Part\n\nInside\n\n## Other\n\nElse\n\nA block. ^blk\n"}


def body(text: str, files: dict[str, str] | None = None, **options: object) -> str:
    """The body of `a.md` with this text, in a vault with `b.md`."""
    site = site_of(BASE | (files or {}) | {"vault/a.md": text}, **options)  # type: ignore[arg-type]
    return body_of(page(site, "vault/a.html"))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[[b]]", '<a class="ms-note" href="../vault/b.html">b</a>'),
        ("[[b|Label]]", '<a class="ms-note" href="../vault/b.html">Label</a>'),
        ("[[b#Part]]", 'href="../vault/b.html#part"'),
        ("[[b#^blk]]", 'href="../vault/b.html#^blk"'),
        ("[x](b.md)", '<a class="ms-note" href="../vault/b.html">x</a>'),
        ('[x](b.md "Say")', 'title="Say"'),
        ("[[A Concept]]", '<a class="ms-concept" href="../concept/a-concept.html">A Concept</a>'),
        ("## Here\n\n[[#Here]]", '<a class="ms-note" href="#here">'),
        (
            "[t](https://e.example/?a=1&b=2)",
            'href="https://e.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow"',
        ),
        ("#Some/tag", 'class="tag" href="../tag/some-tag.html"'),
    ],
)
def test_links(text: str, html: str) -> None:
    assert html in body(text)


def test_a_missing_note_is_marked_and_leads_nowhere() -> None:
    found = body("[[gone.md]]")
    assert 'class="ms-missing" role="link" aria-disabled="true"' in found
    assert "href" not in found


def test_a_missing_heading_leads_to_the_page_and_says_so() -> None:
    found = body("[[b#Nowhere]]")
    assert 'class="ms-note ms-broken" href="../vault/b.html"' in found
    assert "There is no “Nowhere” in that note" in found


def test_an_ambiguous_name_leads_to_its_candidates() -> None:
    site = site_of({"vault/a.md": "[[x]]", "vault/d/x.md": "1", "vault/e/x.md": "2"})
    assert '<a class="ms-ambiguous" href="../ambiguous/x.html">' in page(site, "vault/a.html")
    listed = page(site, "ambiguous/x.html")
    assert "memory://vault/d/x" in listed
    assert "memory://vault/e/x" in listed


# Files ------------------------------------------------------------------------------------------


def test_pictures_keep_the_size_that_was_asked_for() -> None:
    found = body("![[p.png|300x200]] ![[p.png|100]] ![alt](p.png)", assets=["p.png"])
    assert '<img src="../files/vault/p.png" alt="p" width="300" height="200"' in found
    assert 'alt="p" width="100" loading' in found
    assert 'alt="alt" loading' in found


def test_files_are_linked_and_only_published_ones() -> None:
    site = site_of(
        {"vault/a.md": "[d](d.csv) [[s.svg]] [[t.html]] ![[s.svg]]"},
        assets=["d.csv", "s.svg", "t.html", "u.png"],
    )
    assert site.assets == {("vault", "d.csv"): "files/vault/d.csv"}
    found = body_of(page(site, "vault/a.html"))
    assert '<a class="ms-asset" href="../files/vault/d.csv">d</a>' in found
    assert found.count('class="ms-unpublished"') == 3
    assert "<img" not in found


def test_a_canvas_says_why_it_does_not_open() -> None:
    found = body("[[plan.canvas]] ![[plan.canvas]]", assets=["plan.canvas"])
    assert found.count('class="ms-unpublished"') == found.count("this site does not show it") == 2
    assert "plan.canvas</a>" in found


def test_a_refused_file_is_not_linked() -> None:
    found = body("![[p.png]]", assets=["p.png"], refused=[Asset("vault", "p.png")])
    assert 'class="ms-unpublished"' in found
    assert "<img" not in found


def test_remote_pictures_are_links_unless_wanted() -> None:
    text = "![pixel](https://t.example/p.gif)"
    assert '<a class="ms-external" href="https://t.example/p.gif"' in body(text)
    shown = body(text, config=Config(site=SiteConfig(remote_images=True)))
    assert '<img src="https://t.example/p.gif" alt="pixel"' in shown


# Embeds -----------------------------------------------------------------------------------------


def test_a_whole_note_is_embedded_with_a_link_to_it() -> None:
    found = body("![[b]]")
    assert '<div class="ms-embed">' in found
    assert "Inside" in found
    assert "Else" in found
    assert '<a class="ms-note" href="../vault/b.html" dir="auto">Bee</a>' in found
    assert found.count("Bee") == 1


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    found = body("![[b#Part]]")
    assert "Inside" in found
    assert "Else" not in found


def test_a_block_is_embedded_alone() -> None:
    found = body("![[b#^blk]]")
    assert "A block." in found
    assert "Else" not in found


def test_a_list_entry_as_a_block() -> None:
    found = body("![[c#^one]]", {"vault/c.md": "- first ^one\n- second\n"})
    assert "first" in found
    assert "second" not in found
    assert "<li" not in found


def test_ids_of_an_embed_do_not_repeat_those_of_the_page() -> None:
    site = site_of(
        {"vault/a.md": "## Part\n\n![[b]]\n\n![[b]]\n", "vault/b.md": "## Part\n\nx[^1]\n\n[^1]: note\n"}
    )
    text = page(site, "vault/a.html")
    ids = [one.get("id") for one in elements(text) if one.get("id")]
    assert len(ids) == len(set(ids))
    links = [one.get("href") for one in elements(text, "a") if (one.get("href") or "").startswith("#")]
    assert {link[1:] for link in links} <= set(ids)


def test_embeds_leave_the_paragraph_they_stand_in_alone() -> None:
    site = site_of({"vault/a.md": "before\n\n![[b]]\n\nafter", "vault/b.md": "text"})
    assert not [
        one for one in elements(page(site, "vault/a.html"), "p") if not text_of(one).strip() and not len(one)
    ]


def test_an_embed_within_a_line_parts_the_paragraph() -> None:
    site = site_of({"vault/a.md": "see ![[b]] there", "vault/b.md": "text"})
    text = page(site, "vault/a.html")
    assert "<p>see </p>" in text
    assert [one.get("class") for one in elements(text, "div") if one.get("class") == "ms-embed"] == [
        "ms-embed"
    ]


def test_an_embed_where_no_block_may_stand_becomes_a_link() -> None:
    assert '<a class="ms-note" href="../vault/b.html">b</a>' in body("## see ![[b]] there")


def test_notes_that_embed_each_other_end() -> None:
    site = site_of({"vault/a.md": "A ends\n\n![[b]]", "vault/b.md": "B ends\n\n![[a]]"})
    assert body_of(page(site, "vault/a.html")).count("ms-embed-body") == 1


def test_embeds_go_down_so_far_and_no_further() -> None:
    chain = {
        f"vault/n{number}.md": f"level {number}\n\n![[n{number + 1}]]" for number in range(MAX_DEPTH + 4)
    }
    found = body_of(page(site_of(chain | {f"vault/n{MAX_DEPTH + 4}.md": "end"}), "vault/n0.html"))
    assert found.count("ms-embed-body") == MAX_DEPTH


def test_wide_embedding_is_bounded() -> None:
    many = "\n\n".join(f"![[n{number}]]" for number in range(10))
    site = site_of({"vault/a.md": many} | {f"vault/n{n}.md": f"{n}\n\n![[m]]\n\n![[o]]" for n in range(10)} | {
        "vault/m.md": "m\n\n![[p]]\n\n![[q]]\n\n![[r]]", "vault/o.md": "o\n\n![[p]]\n\n![[q]]\n\n![[r]]",
        "vault/p.md": "p", "vault/q.md": "q", "vault/r.md": "r",
    })  # fmt: skip
    assert body_of(page(site, "vault/a.html")).count("ms-embed-body") == MAX_EMBEDS


def test_an_embedded_heading_inside_a_quote_is_not_torn() -> None:
    site = site_of({"vault/a.md": "![[b#In]]", "vault/b.md": "> ## In\n> quoted\n\n## Out\n\nx"})
    text = page(site, "vault/a.html")
    assert len(elements(text, "main")) == 1
    assert elements(text, "footer", class_="ms-footer")


# The lead ---------------------------------------------------------------------------------------


def test_the_title_is_shown_once() -> None:
    site = site_of({"vault/a.md": "# The *Title* [[b]]\n\nText", "vault/b.md": "x"})
    text = page(site, "vault/a.html")
    assert [text_of(one) for one in elements(text, "h1")] == ["The Title b"]
    assert "Text" in body_of(text)


def test_another_first_heading_stays() -> None:
    site = site_of({"vault/a.md": "---\ntitle: Mine\n---\n# Yours\n\nText"})
    assert [text_of(one) for one in elements(page(site, "vault/a.html"), "h1")] == ["Mine", "Yours"]


def test_rendering_is_the_same_each_time_and_in_any_order() -> None:
    files = {"vault/a.md": "![[b]] [[c]] #t", "vault/b.md": "[[a]] [[c]]", "other/d.md": "[[c]] [[a]]"}
    first = written(site_of(files))
    again = written(site_of(dict(reversed(files.items()))))
    assert first == again


def test_a_footnote_that_is_not_embedded_leads_to_its_note() -> None:
    found = body("![[c#Part]]", {"vault/c.md": "## Part\n\nx[^1]\n\n## End\n\ny\n\n[^1]: foot\n"})
    assert 'href="../vault/c.html#fn:1"' in found


def test_a_block_with_a_link_in_it_is_whole() -> None:
    found = body("![[c#^q]]", {"vault/c.md": "See [[b]] and [[b|more]] there. ^q\n\nnext\n"})
    assert "there." in found
    assert "next" not in found
