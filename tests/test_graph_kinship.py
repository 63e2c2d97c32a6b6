"""Unlinked mentions, related notes, near duplicates, orphans."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from graph_memory import note, vault, view

from memsite.graph import concept_network, mentions, note_network, orphans, related, resolve, similar
from memsite.note import Context, Note


def address(path: str) -> str:
    return f"memory://vault/{path}"


def mentioned(target: Note, text: str, *others: Note) -> list[str]:
    """How `text` names `target`."""
    graph = resolve([target, note("a.md", text), *others], [view()])
    return [mention.name for mention in mentions(graph).get(target.address, ())]


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Deep Learning", "All about deep learning here.", ["deep learning"]),
        ("Deep Learning", "deep-learning", ["deep-learning"]),
        ("Deep Learning", "deep\nlearning", ["deep\nlearning"]),
        ("Deep Learning", "deep, learning", []),
        ("Deep Learning", "deep learnings", []),
        ("Deep Learning", "indeep learning", []),
        ("Deep Learning", "Linked: [[x|deep learning]] and `deep learning`", []),
        ("Straße", "die STRASSE", ["STRASSE"]),
        ("Caf\u00e9", "im Cafe\u0301 dort", ["Cafe\u0301"]),
        ("Cafe", "im Cafe\u0301 dort", []),
        ("机器学习", "我们用机器学习来做", ["机器学习"]),
        ("Redis 集群", "部署Redis 集群的方法", ["Redis 集群"]),
        ("東京", "東京都", ["東京"]),
        ("会", "会議", []),
        ("Node.js", "with node.js today", ["node.js"]),
        ("Node.js", "with node js today", []),
        ("GTD", "my gtd list", ["gtd"]),
        ("the", "the the the", []),
        ("2024-01-01", "on 2024-01-01", []),
        ("gui\u00adde book", "the guide book", ["guide book"]),
        ("наука", "Это НАУКА.", ["НАУКА"]),
        ("हिन्दी", "यह हिन्दी है", ["हिन्दी"]),
        ("हिन्द", "यह हिन्दी है", []),
    ],
)
def test_whole_names_in_plain_text(title: str, text: str, found: list[str]) -> None:
    assert mentioned(note("t.md", title=title), text) == found


def test_aliases_and_ids_are_names() -> None:
    assert mentioned(note("t.md", names=["Neural Net"]), "a neural net") == ["neural net"]
    assert mentioned(note("t.md", id="MEM-20260318-001"), "see MEM-20260318-001.") == ["MEM-20260318-001"]


def test_linked_notes_and_the_note_itself_are_no_mentions() -> None:
    assert mentioned(note("t.md", "Deep Learning", title="Deep Learning"), "x") == []
    assert mentioned(note("t.md", title="Deep Learning"), "[[t]] is deep learning") == []


def test_the_longest_name_counts() -> None:
    short = note("s.md", title="Deep Learning")
    text = "deep learning methods and deep learning"
    found = mentions(resolve([note("l.md", title="Learning Methods"), short, note("a.md", text)], [view()]))
    assert {
        target: [(mention.name, mention.count) for mention in each] for target, each in found.items()
    } == {
        address("l"): [("learning methods", 1)],
        address("s"): [("deep learning", 1)],
    }


def test_a_name_of_two_notes_is_no_mention() -> None:
    assert (
        mentioned(note("t.md", title="Deep Learning"), "deep learning", note("u.md", title="deep learning"))
        == []
    )


def test_everyday_words_are_no_mentions() -> None:
    notes = [note("t.md", title="Memory")] + [note(f"n{n}.md", "in memory") for n in range(21)]
    assert mentions(resolve(notes, [view()])) == {}
    assert len(mentions(resolve(notes[:-1], [view()]))[address("t")]) == 20
    assert mentioned(note("MEMORY.md"), "in memory") == []


def test_where_it_stands() -> None:
    graph = resolve([note("t.md", title="Ada Lovelace"), note("a.md", "One. Then ada lovelace came. Two. Ada Lovelace")], [view()])  # fmt: skip
    (mention,) = mentions(graph)[address("t")]
    assert mention.context == Context("Then ", "ada lovelace", " came.")
    assert (mention.start, mention.end, mention.count, mention.address) == (10, 22, 2, address("a"))


def scores(texts: Mapping[str, str], path: str) -> list[tuple[str, float, tuple[str, ...]]]:
    return [(each.address, each.score, each.shared) for each in related(vault(texts)).get(address(path), ())]


def test_rare_things_relate_more() -> None:
    texts = {"a.md": "[[rare]] [[often]]", "b.md": "[[rare]] [[x1]]", "c.md": "[[often]] [[x2]]"}
    texts |= {f"n{n}.md": f"[[often]] [[y{n}]]" for n in range(5)}
    found = scores(texts, "a")
    assert found[0][0] == address("b")
    assert found[0][2] == ("concept:rare",)
    assert [each[0] for each in found[1:3]] == [address("c"), address("n0")]
    assert found[0][1] > found[1][1] > 0
    assert len(found) == 6


def test_an_index_is_nobodys_closest_relative() -> None:
    texts = {
        "a.md": "[[x]] [[y]]",
        "b.md": "[[x]] [[y]] [[z]]",
        "index.md": " ".join(f"[[{c}]]" for c in "abcxyzuvw"),
    }
    assert [each[0] for each in scores(texts, "a")] == [address("b"), address("index")]


def test_what_everybody_links_to_relates_nobody() -> None:
    assert related(vault({f"n{n}.md": "[[all]]" for n in range(51)})) == {}
    assert scores({"a.md": "[[a]] [[#x]]", "b.md": "[[b]]"}, "a") == []


WORDS = "memory graph index store entry link concept session plan build render template parser token cache".split()


def prose(seed: int, length: int = 120) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(WORDS) for _ in range(length)]


def alike(texts: Iterable[list[str]]) -> list[tuple[str, str, float]]:
    graph = vault({f"{number}.md": " ".join(words) for number, words in enumerate(texts)})
    return [(pair.first[-1], pair.second[-1], pair.likeness) for pair in similar(graph)]


def test_almost_the_same_text() -> None:
    changed = prose(1)
    changed[50] = "other"
    assert alike([prose(1), prose(2), prose(1), changed]) == [("0", "2", 1.0), ("0", "3", 0.934)]


def test_half_the_same_and_short_texts_are_not_alike() -> None:
    assert alike([prose(1), prose(1)[:60] + prose(2)[60:]]) == []
    assert alike([prose(1, 19), prose(1, 19)]) == []
    assert alike([prose(1, 20), prose(1, 20)]) == [("0", "1", 1.0)]
    assert alike([]) == []


def test_a_crowd_of_equal_notes_is_a_chain() -> None:
    assert alike([prose(1)] * 4) == [("0", "1", 1.0), ("1", "2", 1.0), ("2", "3", 1.0)]


def test_the_same_in_cjk() -> None:
    text = "会議の資料をここに置いておきますので皆さん確認してください。"
    assert (
        len(
            similar(
                vault(
                    {"a.md": text, "b.md": text, "c.md": "全然違う話をここに書いています。昨日は雨でした。"}
                )
            )
        )
        == 1
    )


def test_orphans() -> None:
    graph = vault(
        {
            "a.md": "[[b]]", "b.md": "", "self.md": "[[self]]", "none.md": "", "c.md": "[[concept]]",
            "x/n.md": "", "y/n.md": "", "d.md": "[[n]]", "e.md": "[[gone.md]] ![[p.png]]",
        }
    )  # fmt: skip
    assert orphans(graph) == (address("e"), address("none"), address("self"))


def test_order_of_input_does_not_matter() -> None:
    chance = random.Random(3)
    notes = [
        note(f"n{n}.md", f"[[c{n % 7}]] [[c{n % 5}]] note n{(n * 3) % 40} {' '.join(prose(n % 9))}")
        for n in range(40)
    ]
    notes += [note(f"t{n}.md", title=f"note n{n}") for n in range(10)]
    graph = resolve(notes, [view()])
    first = (dict(mentions(graph)), dict(related(graph)), similar(graph), orphans(graph))
    assert all(first[:3])
    chance.shuffle(notes)
    graph = resolve(notes, [view()])
    again = (dict(mentions(graph)), dict(related(graph)), similar(graph), orphans(graph))
    assert repr(again) == repr(first)


def test_links_to_private_notes_relate_nobody() -> None:
    notes = [
        note("a.md", "[[secret]] [[x]]"),
        note("b.md", "[[secret]] [[x]]"),
        note("secret.md", published=False),
    ]
    whole = resolve(notes, [view()])
    public = replace(whole, notes={each: found for each, found in whole.notes.items() if found.published})
    assert "secret" in repr(related(whole))
    public = replace(public, targets={each: whole.targets[each] for each in public.notes})
    assert "secret" not in repr(
        (related(public), note_network(public), concept_network(public), mentions(public))
    )
