"""What each stage of the graph costs: python -m tests.bench.graph_stages [--notes 1000,10000,50000].

Each stage alone, in one process a size, with nothing else in its memory; processor seconds. The last column is the
exponent of the growth from the size before: 1 is linear. With it the edges, since a network grows with them.
"""

from __future__ import annotations

import argparse
import gc
import math
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from memsite.graph import concept_network, layout, mentions, note_network, related, similar
from memsite.memory import Memory, open_memory
from tests.bench.__main__ import corpus

Made = TypeVar("Made")


def stages(project: Path, answer: multiprocessing.Queue[dict[str, float]]) -> None:
    """Put the seconds of each stage, and the edges of both networks, into `answer`."""
    gc.disable()  # as a build does
    costs: dict[str, float] = {}

    def cost(name: str, make: Callable[[], Made]) -> Made:
        start = time.process_time()
        made = make()
        costs[name] = time.process_time() - start
        return made

    memory: Memory = open_memory(project)
    cost("read and parse", lambda: list(memory.notes()))
    graph = cost("resolve", memory.graph)
    cost("mentions", lambda: mentions(graph))
    cost("related notes", lambda: related(graph))
    cost("near duplicates", lambda: similar(graph))
    for name, network_of in (("notes", note_network), ("concepts", concept_network)):
        network = cost(f"network of {name}", lambda make=network_of: make(graph))
        cost(f"layout of {name}", lambda drawn=network: layout(drawn))
        costs[f"edges of {name}"] = len(network.edges)
    answer.put(costs)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", default="1000,10000,50000", help="sizes, separated by commas")
    options.add_argument("--keep", type=Path, help="folder for the corpora, kept for the next run")
    chosen = options.parse_args()
    sizes = [int(size) for size in chosen.notes.split(",")]
    found = []
    with tempfile.TemporaryDirectory(prefix="memsite-bench-") as temporary:
        for notes in sizes:
            project = corpus(chosen.keep or Path(temporary), notes)
            answer: multiprocessing.Queue[dict[str, float]] = multiprocessing.Queue()
            process = multiprocessing.Process(target=stages, args=(project, answer))
            process.start()
            found.append(answer.get())
            process.join()
    print(f"| {'':20} | {' | '.join(f'{size:>9,}' for size in sizes)} | exponent |")
    print(f"|{'-' * 22}|{'|'.join('-' * 10 + ':' for _ in sizes)}|---------:|")
    for name in found[0]:
        values = [costs[name] for costs in found]
        growth = math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2]) if len(sizes) > 1 else 1
        shown = (f"{value:9,.0f}" if name.startswith("edges") else f"{value:9.2f}" for value in values)
        print(f"| {name:20} | {' | '.join(shown)} | {growth:8.2f} |")


if __name__ == "__main__":
    main()
