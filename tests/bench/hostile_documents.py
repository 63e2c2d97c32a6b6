"""Random hostile documents, all of them harmless?

    python -m tests.bench.hostile_documents [documents] [seed]

Each is put together of 2 to 14 pieces: payloads, halves of them, tags, quotes and marks that open or close
something. Its HTML must hold listed elements and attributes only, must lead nowhere bad, and must stay
inside the element that it is put into, as html5lib reads it. Prints what is wrong, and exits 1 then.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile import payloads
from oracle import filled, fragment_faults, is_balanced

from memsite.markdown import parse

MARKS = [
    "\n\n", "\n", " ", "\t", "> ", "- ", "1. ", "# ", "| ", "`", "```\n", "~~~\n", "**", "==", "%%", "$", "$$", "[[", "]]", "![[",
    "](", "[^1]", "[^1]: ", "^[", "<!--", "-->", "<", ">", '"', "'", "/>", "</", "&lt;", "&#60;", "\\", "\x00", "\u202e", "\u2028",
    "<b>", "</b>", "<div>", "</div>", "<p>", "</p>", "<table>", "<tr>", "<td>", "</table>", "<a href=\"", "<img src=\"", "<svg>", "</svg>",
    "<math>", "<mtext>", "<mglyph>", "<style>", "</style>", "<title>", "</title>", "<textarea>", "<noscript>", "<select>", "<template>",
    "<details>", "</details>", "</main>", "</article>", "</body>", "<path>", "<annotation-xml encoding=\"text/html\">", "<foreignObject>",
    "<desc>", "<plaintext>", "<li>", "</ul>", "<h1>", "</h1>", "<caption>", "<col>", "<form>", "</form>", "<frameset>", "<br/>",
    "> [!note] ", "- [ ] ", "|---|---|\n", "[x]: ", "rel:: ",
]  # fmt: skip


def documents(count: int, seed: int) -> Iterator[str]:
    """`count` documents, the same for the same seed."""
    chance = random.Random(seed)
    whole = list(payloads().values())
    for _ in range(count):
        yield "".join(_piece(chance, whole) for _ in range(chance.randint(2, 14)))


def _piece(chance: random.Random, whole: list[str]) -> str:
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(MARKS)
    text = chance.choice(whole)
    if kind < 0.75:
        return text
    cut = chance.randint(0, len(text))
    return text[:cut] if kind < 0.9 else text[cut:]


def faults(text: str) -> list[str]:
    """What is wrong with the HTML of a document."""
    html = filled(parse(text.encode("utf-8", "surrogatepass")))
    found = fragment_faults(html)
    return found if is_balanced(html) else [*found, "reaches out of its element"]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    start, bad, size = time.perf_counter(), 0, 0
    for text in documents(count, seed):
        size += len(text)
        if found := faults(text):
            bad += 1
            if bad <= 20:
                print(repr(text), found[:3])
    seconds = time.perf_counter() - start
    print(f"{count:,} documents, {size / 1e6:.1f} million characters, {bad} with faults, {seconds:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
