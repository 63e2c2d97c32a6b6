"""What a link leads to."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from graph_memory import from_property, leads, markdown, note, vault, view, wiki
from hypothesis import given, settings
from hypothesis import strategies as st

from memsite.graph import resolve
from memsite.note import (
    Ambiguous,
    Asset,
    ConceptTarget,
    Context,
    External,
    Found,
    Graph,
    IndexEntry,
    Link,
    LinkKind,
    Missing,
    Problem,
    StoreView,
    Target,
)


def lead(link: Link | str, seat: str = "a.md", *paths: str, files: tuple[str, ...] = ()) -> Target:
    link = wiki(link) if isinstance(link, str) else link
    notes = [note(path, path) for path in paths] + [note(seat, "## Here\nx ^k3", links=[link])]
    return leads(resolve(notes, [view(files=files)]), seat)[0]


def at(path: str, anchor: str | None = None, broken: str | None = None) -> Found:
    return Found(f"memory://vault/{path}", anchor, broken)


def several(name: str, *paths: str) -> Ambiguous:
    return Ambiguous(name, tuple(f"memory://vault/{path}" for path in paths))


def test_the_same_folder_wins_and_equals_are_ambiguous() -> None:
    graph = vault(
        {
            "projects/a/notes.md": "A",
            "projects/b/notes.md": "B",
            "projects/b/todo.md": "[[notes]]",
            "top.md": "[[notes]] [[b/notes]]",
        }
    )
    assert leads(graph, "projects/b/todo.md") == (at("projects/b/notes"),)
    both = several("notes", "projects/a/notes", "projects/b/notes")
    assert leads(graph, "top.md") == (both, at("projects/b/notes"))
    assert graph.ambiguous == {"notes": both}
    assert "memory://vault/projects/a/notes" not in graph.backlinks


def test_the_nearest_folder_around_the_note_wins() -> None:
    paths = ("x/notes.md", "a/b/notes.md", "a/notes.md")
    assert lead("notes", "a/b/c/d/e.md", *paths) == at("a/b/notes")
    assert lead("notes", "a/c/e.md", *paths) == at("a/notes")
    # A nephew is not nearer than a stranger.
    assert lead("notes", "p/q/e.md", "p/q/r/notes.md", "z/notes.md") == several(
        "notes", "z/notes", "p/q/r/notes"
    )


def test_the_shortest_path_is_the_best_guess_only() -> None:
    assert lead("n", "q/a.md", "z/n.md", "aa/bb/n.md") == several("n", "z/n", "aa/bb/n")


def test_the_same_store_wins_over_others() -> None:
    notes = [note("deep/x.md"), note("x.md", store="other"), note("a.md", "[[x]] [[y]]")]
    notes += [note("y.md", store=store) for store in ("other", "more")]
    graph = resolve(notes, [view(), view("other"), view("more")])
    assert leads(graph, "a.md") == (at("deep/x"), Ambiguous("y", ("memory://more/y", "memory://other/y")))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("Guide", at("Guide")),
        ("guide", at("guide")),
        ("GUIDE", several("GUIDE", "Guide", "guide")),
        ("STRASSE", at("Straße")),
        ("guide.md", at("guide")),
        ("guide.MD", at("guide")),
        ("str\u00adasse", at("Straße")),
        ("Straße\u200b", at("Straße")),
        ("\u202eediug", ConceptTarget("\u202eediug")),
    ],
)
def test_case(name: str, target: Target) -> None:
    assert lead(name, "a.md", "Guide.md", "guide.md", "Straße.md") == target


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("Caf\u00e9", at("Cafe\u0301")),
        ("Cafe\u0301", at("Cafe\u0301")),
        ("x2", at("x2")),
        ("x\u00b2", at("x\u00b2")),
    ],
)
def test_normal_forms_are_equal_but_compatibility_forms_are_not(name: str, target: Target) -> None:
    assert lead(name, "a.md", "Cafe\u0301.md", "x\u00b2.md", "x2.md") == target


def test_the_exact_normal_form_wins() -> None:
    for name in ("Caf\u00e9", "Cafe\u0301"):
        assert lead(name, "a.md", "Cafe\u0301.md", "Caf\u00e9.md") == at(name)
        titled = [note("composed.md", title="Caf\u00e9"), note("decomposed.md", title="Cafe\u0301")]
        graph = resolve([*titled, note("a.md", links=[wiki(name)])], [view()])
        assert leads(graph, "a.md") == (at("composed" if len(name) == 4 else "decomposed"),)
    assert lead("Caf\u00e9", "a.md", "x/Cafe\u0301.md", "x/CAF\u00c9.md") == at("x/Cafe\u0301")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("/top", at("top")),
        ("./peer", at("projects/sub/peer")),
        ("./Peer.md", at("projects/sub/peer")),
        ("../../top", at("top")),
        ("../../../top", Missing("it leaves the store")),
        ("sub/../../../../top", Missing("it leaves the store")),
        ("/etc/hosts", Missing("there is no note at that path")),
        ("CI/CD", at("ci-cd")),
        ("A/B", ConceptTarget("a-b")),
        ("projects/gone", Missing("there is no note at that path")),
        ("sub/peer", at("projects/sub/peer")),
        ("SUB/Peer", at("projects/sub/peer")),
        ("projects\\sub\\note", Missing("a backslash separates no folders, use /")),
        ("\\alpha", ConceptTarget("\\alpha")),
        ("CI\\CD", Missing("a backslash separates no folders, use /")),
        ("projects\\gone", Missing("a backslash separates no folders, use /")),
        ("/api/users", at("projects/api")),
        ("./dotted", Missing("there is no note at that path")),
        ("./torn", Missing("the note is there and cannot be read")),
        ("torn", Missing("the note is there and cannot be read")),
        ("other/torn", Missing("the note is there and cannot be read")),
        ("Torn", Missing("the note is there and cannot be read")),
        (markdown("torn.md"), Missing("the note is there and cannot be read")),
        (markdown("../sub/Torn"), Missing("the note is there and cannot be read")),
        ("projects/none/gone", Missing("there is no note at that path")),
        ("deep rest", at("projects/sub/deep_rest")),
    ],
)
def test_paths(name: str | Link, target: Target) -> None:
    torn = Problem("W016", "encoding", "warning", "notes/projects/sub/torn.md", 1, 1, "x", store="vault")
    notes = [
        note("top.md"), note("ci-cd.md", title="CI/CD"), note("projects/sub/peer.md"),
        note("projects/api.md", title="/api/users"), note("projects/dot.md", title="./dotted"),
        note("projects/sub/deep_rest.md", title="Another"),
        note("projects/sub/note.md", links=[name if isinstance(name, Link) else wiki(name)]),
    ]  # fmt: skip
    store = replace(view(), problems=(torn,))
    assert leads(resolve(notes, [store]), "projects/sub/note.md")[0] == target


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("my note", at("my note")),
        ("my-note", at("my-note")),
        ("my_note", at("my_note")),
        ("My_Note", at("my_note")),
        ("my\u00a0note", at("my note")),
        ("my  note", several("my  note", "my note", "my-note", "my_note")),
        ("My.Note", ConceptTarget("my.note")),
    ],
)
def test_names_that_become_equal_as_concepts(name: str, target: Target) -> None:
    assert lead(name, "a.md", "my note.md", "my-note.md", "my_note.md") == target


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("C#", at("C#")),
        ("C##Generics", at("C#", "generics")),
        ("C#Generics", at("C", "generics")),
        ("issue #12", at("issue #12")),
        ("issue #13", ConceptTarget("issue-#13")),
        ("F#", ConceptTarget("f#")),
        ("gone#x", Missing("there is no note of that name")),
        ("C" + "#" * 300, at("C#")),
    ],
)
def test_a_hash_may_belong_to_the_name(name: str, target: Target) -> None:
    notes = [note("C#.md", "## Generics"), note("C.md", "## Generics"), note("issue #12.md")]
    assert leads(resolve([*notes, note("a.md", links=[wiki(name)])], [view()]), "a.md")[0] == target


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("#Here", at("a", "here")),
        ("guide#Setup", at("guide", "setup")),
        ("guide#setup", at("guide", "setup")),
        ("guide#Setup#Linux", at("guide", "linux")),
        ("guide#Other#Linux", at("guide", "linux-1")),
        ("guide#Guide#Other#Linux", at("guide", "linux-1")),
        ("guide#Linux#Setup", at("guide", None, "Linux#Setup")),
        ("guide#linux-1", at("guide", "linux-1")),
        ("guide#^k3", at("guide", "^k3")),
        ("guide#^K3", at("guide", "^k3")),
        ("guide#Setup#^k3", at("guide", "^k3")),
        ("guide^k3", at("guide", "^k3")),
        ("guide^none", ConceptTarget("guide^none")),
        ("guide#", at("guide")),
        ("#^none", at("a", None, "^none")),
        ("guide#Gone", at("guide", None, "Gone")),
        ("guide#C# and F#", at("guide", "c-and-f")),
        ("guide.md#Setup", at("guide", "setup")),
        ("guide#🚀", at("guide", None, "🚀")),
        ("guide#^setup", at("guide", None, "^setup")),
        ("C# and F#^k4", at("C# and F#", "^k4")),
    ],
)
def test_fragments(name: str, target: Target) -> None:
    text = "# Guide\n## Setup\nRun it. ^k3\n### Linux\napt\n## Other\n### Linux\n## C# and F#\n"
    guide = note("guide.md", text)
    twice = [heading.anchor for heading in guide.document.headings].index("linux", 3)
    object.__setattr__(guide.document.headings[twice], "anchor", "linux-1")
    seat = note("a.md", "## Here", links=[wiki(name)])
    sharp = note("C# and F#.md", "both ^k4\n")
    assert leads(resolve([guide, sharp, seat], [view()]), "a.md")[0] == target


def test_a_link_without_a_target_is_one_to_its_own_note() -> None:
    graph = resolve([note(name, links=[markdown("")]) for name in ("a.md", "b.md")], [view()])
    assert [leads(graph, name) for name in ("a.md", "b.md")] == [(at("a"),), (at("b"),)]


def test_a_link_into_its_own_note_is_not_that_of_its_neighbour() -> None:
    graph = resolve([note(name, "## Here\n[[#Here]] [[# Here]]\n") for name in ("a.md", "b.md")], [view()])
    assert leads(graph, "a.md") == (at("a", "here"),) * 2
    assert leads(graph, "b.md") == (at("b", "here"),) * 2


def test_markdown_means_the_anchor_and_a_wikilink_the_words() -> None:
    guide = note("guide.md", "## Setup\n## Setup\n## Setup 1\n")
    for heading, anchor in zip(guide.document.headings, ("setup", "setup-1", "setup-1-1"), strict=True):
        object.__setattr__(heading, "anchor", anchor)
    links = [markdown("guide.md#setup-1"), *map(wiki, ("guide#Setup 1", "guide#setup-1", "guide#Setup"))]
    seat = note("a.md", links=links)
    wanted = (at("guide", "setup-1"), *[at("guide", "setup-1-1")] * 2, at("guide", "setup"))
    assert leads(resolve([guide, seat], [view()]), "a.md") == wanted


def test_words_go_before_what_makes_the_same_anchor() -> None:
    guide = note("guide.md", "## Set-up\n## set up\nMore. ^Kb\n")
    object.__setattr__(guide.document.headings[1], "anchor", "set-up-1")
    seat = note("a.md", links=[*map(wiki, ("guide#Set up", "guide#SET-UP", "guide#^kB"))])
    wanted = (at("guide", "set-up-1"), at("guide", "set-up"), at("guide", "^Kb"))
    assert leads(resolve([guide, seat], [view()]), "a.md") == wanted


def test_a_heading_of_signs_is_found_by_its_signs() -> None:
    guide = note("guide.md", "## \U0001f680\n## Fin\n")
    seat = note("a.md", links=[wiki("guide#\U0001f680\u200b"), wiki("guide#\U0001f681")])
    wanted = (at("guide", "section"), at("guide", None, "\U0001f681"))
    assert leads(resolve([guide, seat], [view()]), "a.md") == wanted


def test_a_note_wins_over_a_bare_block() -> None:
    assert lead("guide^k3", "a.md", "guide^k3.md", "guide.md") == at("guide^k3")


def test_the_levels_in_their_order() -> None:
    by_title, by_alias = note("t.md", title="Deep Learning"), note("u.md", names=["DL"])
    seat = note("a.md", "[[Deep Learning]] [[dl]] [[deep_learning]] [[MEM-20260318-001]]")
    graph = resolve([by_title, by_alias, seat, note("m.md", id="MEM-20260318-001")], [view()])
    assert leads(graph, "a.md") == (at("t"), at("u"), at("t"), at("m"))
    graph = resolve([by_title, note("Deep Learning.md"), by_alias, seat], [view()])
    assert leads(graph, "a.md")[0] == at("Deep Learning"), "a file name goes before a title"
    assert leads(graph, "a.md")[3] == Missing("there is no entry with that id")


def test_index_ids_and_the_ids_of_maestro() -> None:
    tip = note("knowhow/TIP-cache.md", store="workflow", kind="workflow")
    entries = (IndexEntry("knowhow-tip-cache-001", 0, "knowhow/TIP-cache.md"), IndexEntry("x", 1, "gone.md"))
    store = StoreView("workflow", "workflow", "~", "", entries=entries)
    seat = note("a.md", "[[knowhow-tip-cache]] [[knowhow-tip-cache-001]] [[knowhow-tip-none]] [[x]]")
    found = Found("memory://workflow/knowhow/TIP-cache")
    expected = (found, found, Missing("there is no entry with that id"), ConceptTarget("x"))
    assert leads(resolve([tip, seat], [view(), store]), "a.md") == expected


@pytest.mark.parametrize(
    ("target", "right"),
    [
        ("../guide.md", at("guide")),
        ("../my note.md#x", at("my note", None, "x")),
        ("../guide", at("guide")),
        ("/guide.md#set-up", at("guide", "set-up")),
        ("../guide.md#Set up", at("guide", "set-up")),
        ("https://e.example/guide.md", External("https://e.example/guide.md")),
        ("//e.example/guide.md", External("https://e.example/guide.md")),
        ("mailto:a@b.example", External("mailto:a@b.example")),
        ("?q=1", External("?q=1")),
        ("#here", at("sub/a", "here")),
        ("../guide.md#32-sleep--rest", at("guide", "3-2-sleep-rest")),
        ("../sub", Missing("it is a folder without an index note")),
        ("../gone.md", Missing("there is no note at that path")),
        ("../gone.png", Missing("there is no file at that path")),
        ("../../guide.md", Missing("it leaves the store")),
        ("..\\guide.md", Missing("a backslash separates no folders, use /")),
        ("../folder/", at("folder/index")),
        ("guide.md?raw=1", at("guide")),
        ("concept", Missing("there is no note at that path")),
        ("memory://vault/guide#Set up", at("guide", "set-up")),
        ("memory://guide", at("guide")),
        ("memory://vault/Guide.md", at("guide")),
        ("MEMORY://vault/guide", at("guide")),
        ("memory://vault/my_note", at("my note")),
        ("memory://vault/../../etc/passwd", Missing("it leaves the store")),
        ("memory://vault/gone", Missing("there is no note with that address")),
        ("memory://", Missing("there is no note with that address")),
    ],
)
def test_markdown_links(target: str, right: Target) -> None:
    notes = [note("guide.md", "## Set up\n## 3.2 Sleep & rest"), note("my note.md"), note("folder/index.md")]
    seat = note("sub/a.md", "## here", links=[markdown(target)])
    assert leads(resolve([*notes, seat], [view()]), "sub/a.md")[0] == right


@pytest.mark.parametrize("name", ["index", "README", "_index"])
def test_a_folder_is_its_index_note(name: str) -> None:
    assert lead(markdown("../"), "sub/a.md", f"{name}.md") == at(name)
    assert lead(markdown("../X/"), "sub/a.md", f"X/{name}.md") == at(f"X/{name}")
    assert lead(markdown("."), "sub/a.md", f"sub/{name}.md", f"{name}.md") == at(f"sub/{name}")


def test_markdown_links_to_files() -> None:
    files = ("pic#1.png", "sub/data.csv", "sub/img/my pic.png", "other/my pic.png")
    near = Asset("vault", "sub/img/my pic.png", ("other/my pic.png",))

    def asset(link: Link) -> Target:
        return lead(link, "sub/a.md", files=files)

    assert asset(markdown("../pic#1.png", image=True)) == Asset("vault", "pic#1.png")
    assert asset(markdown("data.csv")) == Asset("vault", "sub/data.csv")
    assert asset(markdown("Data.CSV#row=5")) == Asset("vault", "sub/data.csv")
    assert asset(markdown("../../outside.png", image=True)) == Missing("it leaves the store")
    assert asset(wiki("my pic.png", embed=True, image=True)) == near
    assert asset(wiki("my pic.png")) == near
    assert asset(wiki("img/my pic.png", embed=True)) == Asset("vault", "sub/img/my pic.png")
    assert asset(wiki("/other/my pic.png", embed=True)) == Asset("vault", "other/my pic.png")
    assert asset(markdown("my pic.png", image=True)) == near
    assert asset(wiki("gone.png", embed=True, image=True)) == Missing("there is no file of that name")
    assert asset(wiki("gone.pdf")) == Missing("there is no file of that name")
    assert asset(wiki("Node.js")) == ConceptTarget("node.js")
    assert asset(wiki("data.csv#row=5#x")) == Asset("vault", "sub/data.csv")
    files = ("pic.png", "sub/other/pic.png", "far/img/pic.png", "far/my-img/pic.png")
    assert asset(wiki("img/pic.png", embed=True, image=True)) == Asset("vault", "far/img/pic.png")
    assert asset(wiki("pic.png", embed=True, image=True)) == Asset("vault", "pic.png"), (
        "at the root, not the nearest"
    )


def test_a_picture_is_never_a_note() -> None:
    assert lead(wiki("p", embed=True, image=True), "a.md", "p.md") == Missing("there is no file of that name")


def test_embeds_of_nothing_are_missing() -> None:
    assert lead(wiki("gone", embed=True)) == Missing("there is no note of that name")


def test_short_ids_are_ids_only_where_there_are_entries() -> None:
    seat = note("a.md", "[[MEM-009]] [[DOC-1]]")
    assert leads(resolve([seat], [view()]), "a.md") == (ConceptTarget("mem-009"), ConceptTarget("doc-1"))
    missing = Missing("there is no entry with that id")
    assert leads(resolve([seat], [view(), view("w", kind="workflow")]), "a.md") == (missing, missing)


def test_urls_in_wiki_links_and_properties() -> None:
    assert lead("https://e.example/x") == External("https://e.example/x")
    assert lead("std::vector") == ConceptTarget("std::vector")
    assert lead(from_property("https://e.example/x")) == External("https://e.example/x")
    assert lead(from_property("b"), "a.md", "b.md") == at("b")


@pytest.mark.parametrize("name", ["--", "_", "-", "🚀"])
def test_no_concept_has_an_empty_key(name: str) -> None:
    graph = vault({"a.md": f"[[{name}]]"})
    assert list(graph.concepts) == [name]


@pytest.mark.parametrize("name", ["", " ", "\u200b"])
def test_what_cannot_be_seen_names_nothing(name: str) -> None:
    assert lead(wiki(name)) == Missing("it names nothing")


@pytest.mark.parametrize(
    "address", ["javascript://%0aalert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd"]
)
def test_only_the_web_and_mail_are_elsewhere(address: str) -> None:
    """A decoded address may have a scheme that the parser has not seen."""
    for link in (wiki(address), markdown(address), markdown(address, image=True), from_property(address)):
        assert not isinstance(lead(link), External)


def test_backlinks_leave_out_the_note_itself() -> None:
    graph = vault({"a.md": "[[a]] [[#x]] [[b]] [[b|again]]", "b.md": "[[a]]", "c.md": ""})
    assert [(back.address, back.position) for back in graph.backlinks["memory://vault/b"]] == [
        ("memory://vault/a", 2),
        ("memory://vault/a", 3),
    ]
    assert [back.address for back in graph.backlinks["memory://vault/a"]] == ["memory://vault/b"]
    assert "memory://vault/c" not in graph.backlinks


def test_a_concept_is_called_what_it_is_called_most() -> None:
    graph = vault(
        {"a.md": "[[machine_learning]] [[ML]]", "b.md": "[[Machine Learning]] [[Machine Learning]] [[ml]]"}
    )
    assert [(concept.key, concept.name) for concept in graph.concepts.values()] == [
        ("machine-learning", "Machine Learning"),
        ("ml", "ML"),
    ]
    assert len(graph.concepts["machine-learning"].mentions) == 3


def test_order_of_input_does_not_matter() -> None:
    chance = random.Random(5)
    names = [f"{folder}n{number}.md" for folder in ("", "a/", "a/b/", "N/") for number in range(9)]
    notes = [
        note(
            name,
            " ".join(f"[[{chance.choice(['n', 'N', 'a/n', 'm'])}{chance.randrange(12)}]]" for _ in range(9)),
        )
        for name in names
    ]
    stores = [view(), view("other")]
    first: Graph = resolve(notes, stores)
    for _ in range(5):
        chance.shuffle(notes)
        again = resolve(notes, stores[::-1])
        assert again == first
        assert [*again.stores] == [*first.stores]
        assert [*again.notes, *again.targets, *again.backlinks, *again.concepts, *again.ambiguous] == [
            *first.notes, *first.targets, *first.backlinks, *first.concepts, *first.ambiguous
        ]  # fmt: skip


def test_unpublished_notes_stay_in_the_graph() -> None:
    graph = resolve([note("a.md", "[[b]]"), note("b.md", published=False)], [view()])
    assert leads(graph, "a.md") == (at("b"),)


def test_a_name_of_ten_thousand_notes_is_looked_up_not_scanned() -> None:
    notes = [note(f"f{number}/index.md", "[[index]] [[none/index]]") for number in range(3_000)]
    graph = resolve([*notes, note("a.md", "[[index]]" * 2_000)], [view()])
    assert leads(graph, "f7/index.md")[0] == at("f7/index")
    assert len({id(target) for target in leads(graph, "a.md")}) == 1


NAMES = st.text(alphabet="ab#^|/.\\ -_\u200bé\u0301会?:%", max_size=12)


@settings(max_examples=300)
@given(
    names=st.lists(NAMES, min_size=1, max_size=4), target=NAMES, kind=st.sampled_from(["wiki", "markdown"])
)
def test_any_target_leads_somewhere_inside(names: list[str], target: str, kind: LinkKind) -> None:
    link = Link(kind, target, None, 1, 1, Context("", target, ""))
    notes = {f"{name}.md": note(f"{name}.md", "## a\nx ^b") for name in names}
    seat = note("a/b.md", "## a", links=[link])
    graph = resolve([*notes.values(), seat], [view(files=[f"{names[0]}.png"])])
    (found,) = graph.targets[seat.address]
    match found:
        case Found(address, anchor, broken):
            assert address in graph.notes
            assert not (anchor and broken)
        case Ambiguous(_, candidates):
            assert len(set(candidates)) == len(candidates) > 1
            assert set(candidates) <= graph.notes.keys()
        case ConceptTarget(key):
            assert key
            assert key in graph.concepts
            assert kind == "wiki"
        case Asset(store, path):
            assert path in graph.stores[store].files
