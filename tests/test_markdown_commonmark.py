"""What memsite adds to CommonMark takes nothing away from it: the specification's own examples hold."""

import json
from pathlib import Path

import pytest
from markdown_it.renderer import RendererHTML
from markdown_it.utils import OptionsDict

from memsite.markdown.document import markdown

EXAMPLES = json.loads((Path(__file__).parent / "commonmark/spec.json").read_text(encoding="utf-8"))

# Where notes mean something else, by number of the example.
OURS = {
    64: "#hashtag is a tag",
    548: "[[[foo]]] is a malformed WikiLink",
    559: "[[*foo* bar]] is a WikiLink",
    560: "[[ is remarked upon",
    590: "![[foo]] is an embed",
    596: "irc: is no scheme that is let through",
    598: "a+b+c: is no scheme that is let through",
    599: "made-up-scheme: is no scheme that is let through",
    601: "localhost: is no scheme that is let through",
}


def rendered(text: str) -> str:
    """`text` parsed by our rules and rendered by markdown-it's."""
    md = markdown()
    tokens = md.parse(text, {"marker": "", "features": set()})
    html = RendererHTML().render(tokens, OptionsDict({**md.options, "xhtmlOut": True}), {})
    return html.replace("<blockquote></blockquote>", "<blockquote>\n</blockquote>")


@pytest.mark.parametrize("number", [n for n in range(1, len(EXAMPLES) + 1) if n not in OURS])
def test_example(number: int) -> None:
    example = EXAMPLES[number - 1]
    assert rendered(example["markdown"]) == example["html"]


@pytest.mark.parametrize("number", OURS)
def test_deviation_is_still_needed(number: int) -> None:
    example = EXAMPLES[number - 1]
    assert rendered(example["markdown"]) != example["html"]
