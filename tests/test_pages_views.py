"""What pages show: budgets, neighbours, backlinks, listings."""

from __future__ import annotations

import pytest
from pages_memory import elements, graph_of, page, site_of, text_of

from memsite.config import CheckConfig, Config, SiteConfig
from memsite.note import Problem
from memsite.pages import plan
from memsite.pages.health_pages import cut_line
from memsite.pages.listings import shown_place
from memsite.pages.note_page import shortened
from memsite.pages.relations import Relations


@pytest.mark.parametrize(
    ("sizes", "cut"),
    [
        ([10] * 200, None),
        ([10] * 201, 201),
        ([2500] * 10, None),
        ([2500] * 9 + [2501], None),
        ([2500] * 9 + [2502], 10),
        ([2500] * 11, 11),
        ([30_000], 1),
        ([], None),
    ],
)
def test_where_a_memory_file_is_cut(sizes: list[int], cut: int | None) -> None:
    """Sizes count each line's feed; the last line may lack it."""
    assert cut_line(sizes, lines=200, size=25_000) == cut


def test_the_budget_names_what_is_lost() -> None:
    text = "# Memory\n\n" + "- line\n" * 10 + "## Late\n\nnever seen\n"
    graph = graph_of({"system/MEMORY.md": text})
    config = Config(check=CheckConfig(memory_lines=10))
    site = plan(graph, (), config, memory_files={"memory://system/MEMORY": text.encode()})
    shown = page(site, "health.html")
    assert "Nothing below line 10 is loaded" in shown
    assert len(elements(shown, "rect", class_="lost")) == 0  # the frame of an SVG is no HTML
    assert shown.count('class="lost') == 5
    assert shown.count('class="loaded') == 10
    assert "../system/memory.html#late" in shown or "system/memory.html#late" in shown


def test_neighbours_are_the_notes_before_and_after_of_the_store() -> None:
    files = {f"vault/{day}.md": f"---\ndate: 2026-01-{day:02}\n---\nx" for day in (3, 1, 2)}
    files |= {"other/o.md": "---\ndate: 2026-01-02\n---\nx", "vault/undated.md": "x"}
    site = site_of(files)
    assert site.neighbours["memory://vault/2"] == ("memory://vault/1", "memory://vault/3")
    assert site.neighbours["memory://vault/1"] == (None, "memory://vault/2")
    assert site.neighbours["memory://other/o"] == (None, None)
    assert "memory://vault/undated" not in site.neighbours
    older = elements(page(site, "vault/2.html"), "a", rel="prev")
    assert [one.get("href") for one in older] == ["../vault/1.html"]


def test_backlinks_show_their_sentence_and_heading_by_store() -> None:
    files = {
        "vault/b.md": "x",
        "vault/a.md": "## Why\n\nBecause [[b|it]] works. Not this.\n",
        "other/c.md": "- used_by [[b]] (daily)\n",
    }
    text = page(site_of(files), "vault/b.html")
    quotes = [" ".join(text_of(one).split()) for one in elements(text, "blockquote")]
    assert any(quote.startswith("Because it works.") and quote.endswith("under Why") for quote in quotes)
    assert any("used_by" in quote for quote in quotes)
    assert 'href="../vault/a.html#why"' in text
    assert {text_of(one).split()[0] for one in elements(text, "h3", class_="ms-label")} == {"vault", "other"}


def test_a_hub_lists_all_and_quotes_the_first() -> None:
    files = {f"vault/n{number:03}.md": "see [[hub]] here" for number in range(130)} | {"vault/hub.md": "x"}
    text = page(site_of(files), "vault/hub.html")
    assert all(f"n{number:03}.html" in text for number in range(130))
    assert text.count("<blockquote") == 100


def test_of_a_note_that_links_again_and_again_the_first_sentences_are_quoted() -> None:
    files = {
        "vault/hub.md": "x",
        "vault/log.md": "see [[hub]] here\n\n" * 23,
        "vault/few.md": "[[hub]]\n\n" * 20,
    }
    text = page(site_of(files), "vault/hub.html")
    assert text.count("<blockquote") == 40
    assert text.count("and 3 more") == 1


def test_a_deprecated_note_leads_to_its_successor() -> None:
    files = {"vault/old.md": "---\nstatus: deprecated\nsupersededBy: new\n---\nx", "vault/new.md": "y"}
    text = page(site_of(files), "vault/old.html")
    banner = elements(text, "div", class_="ms-banner")
    assert "This note is deprecated." in text_of(banner[0])


@pytest.mark.parametrize("written", ["[[new]]", "[[new|the new one]]", "[[new#Part]]", "[[ new ]]"])
def test_a_successor_may_be_written_as_a_link(written: str) -> None:
    files = {"vault/old.md": f'---\nsuperseded_by: "{written}"\n---\nx', "vault/new.md": "# New\n\n## Part\n"}
    banner = elements(page(site_of(files), "vault/old.html"), "div", class_="ms-banner")[0]
    assert [one.get("href") for one in banner.iter() if one.tag.endswith("}a")] == ["../vault/new.html"]
    assert text_of(banner).endswith("See instead: New")
    private = files | {"vault/new.md": "---\npublish: false\n---\n# New\n"}
    hidden = elements(page(site_of(private), "vault/old.html"), "div", class_="ms-banner")[0]
    assert text_of(hidden) == "This note has been superseded."


def test_commands_name_the_note_and_its_checksum() -> None:
    site = site_of({"vault/it's here.md": "x"})
    note = site.graph.notes["memory://vault/it's here"]
    command = next(
        text_of(one)
        for one in elements(page(site, site.notes[note.address]), "code")
        if "edit" in text_of(one)
    )
    assert command.startswith("memsite edit 'memory://vault/it'\"'\"'s here' --operation append --checksum ")
    assert note.checksum in command


def test_findings_stand_on_their_note_and_their_rule() -> None:
    problem = Problem(
        "W005",
        "missing-note",
        "warning",
        "vault/a.md",
        5,
        1,
        "gone",
        "`fix` it",
        (),
        "vault",
        "memory://vault/a",
    )
    site = site_of({"vault/a.md": "# A\n\n## Here\n\n[[x.md]]\n"}, problems=[problem])
    rule = page(site, "health/w005.html")
    assert 'href="../vault/a.html#here"' in rule
    assert "<code>fix</code> it" in rule
    assert "missing-note" in text_of(elements(page(site, "vault/a.html"), "ul", class_="ms-findings")[0])


def test_the_start_page_shows_the_note_that_opens_a_store() -> None:
    files = {"vault/index.md": "Welcome in", "vault/README.md": "Read me", "system/MEMORY.md": "Remember"}
    assert "Welcome in" in page(site_of(files), "index.html")
    del files["vault/index.md"]
    assert "Remember" in page(site_of(files), "index.html")
    del files["system/MEMORY.md"]
    assert "Read me" in page(site_of(files), "index.html")


def test_a_memory_without_notes_still_has_a_site() -> None:
    assert "0" in page(site_of({}), "index.html")


def test_absolute_urls_only_where_they_are_known() -> None:
    files = {"vault/日.md": "---\ndate: 2026-01-01\n---\nx"}
    assert "<loc>vault/%E6%97%A5.html</loc>" in page(site_of(files), "sitemap.xml")
    config = Config(site=SiteConfig(base_url="https://e.example/wiki/"))
    site = site_of(files, config=config)
    assert "<loc>https://e.example/wiki/vault/%E6%97%A5.html</loc>" in page(site, "sitemap.xml")
    assert "Sitemap: https://e.example/wiki/sitemap.xml" in page(site, "robots.txt")
    assert 'href="https://e.example/wiki/vault/%E6%97%A5.html"' in page(site, "feed.xml")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("~/notes", "~/notes"),
        ("notes", "notes"),
        ("/srv/deep/vault", "…/vault"),
        ("C:\\Users\\me\\vault", "…/vault"),
        ("\\\\host\\share\\vault", "…/vault"),
    ],
)
def test_the_builder_s_folders_are_not_told(location: str, shown: str) -> None:
    assert shown_place(location) == shown


def test_shortening_ends_at_a_word() -> None:
    assert shortened("one two three four", 14) == "one two three…"
    assert shortened("一二三四五六", 4) == "一二三四…"
    assert shortened("short", 10) == "short"


def test_a_concept_names_its_group_and_the_other_concepts_of_it() -> None:
    files = {f"vault/s{i}.md": "[[moon]] [[tide]] [[harbour]]" for i in range(4)}
    files |= {f"vault/c{i}.md": "[[parser]] [[token]]" for i in range(4)} | {"vault/x.md": "[[alone]]"}
    site = site_of(files)
    group = page(site, "concept/moon.html").partition('id="ms-group">')[2]
    assert "tide" in group
    assert "harbour" in group
    assert "parser" not in group
    assert 'id="ms-group"' not in page(site, "concept/alone.html")


def test_a_list_of_everything_says_nothing_of_what_belongs_together() -> None:
    """Else a note with 20,000 links would cost 400 million steps."""
    everything = " ".join(f"[[thing {number}]]" for number in range(1_100))
    graph = graph_of({"v/list.md": everything, "v/a.md": "[[thing 1]] and [[thing 2]]"})
    relations = Relations(graph)
    assert relations.together("thing-1") == (("concept:thing-2", 1),)
    assert relations.together("thing-9") == ()
