"""The commands that make the site: build, serve, graph, stores, init."""

from __future__ import annotations

import gc
import sys
import time
from dataclasses import replace
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memsite.cli.options import examples, invocation, output_options, project_options
from memsite.cli.shapes import stores_value
from memsite.cli.terminal import echo, echo_answer, echo_json, note_line, print_rows, style, visible, warn
from memsite.config import complaint
from memsite.errors import BadArgument, NoStore, NotFound, ReadOnly
from memsite.wording import plural, system_reason

if TYPE_CHECKING:
    from memsite.build import BuildResult, Leaks
    from memsite.graph import Format, Network
    from memsite.memory import Memory

_GRAPH_FORMATS = ("json", "graphml", "mermaid", "dot", "csv")
MOST_FAULTS = 20
"""Faults of the site that are printed; the JSON document has all of them."""


@click.command(
    "build",
    epilog=examples("memsite build", "memsite build --output public --base-url https://example.org/memory/"),
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FOLDER", help="Where to [default: site]."
)
@click.option("--base-url", metavar="URL", help="Where the site will be published, for feed and sitemap.")
@click.option("--clean", is_flag=True, help="First remove what earlier builds wrote.")
@click.option("--strict", is_flag=True, help="Write nothing and exit with 1 when the memory has warnings.")
@click.option("--redact", is_flag=True, help="Black secrets out instead of stopping (E017).")
@click.option("--no-cache", is_flag=True, help="Use nothing that earlier runs kept.")
@click.option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes that share the work [default: all]."
)
@click.option("--against", metavar="REV|FOLDER", help="Add a page on what changed since.")
@output_options
def build_command(
    output: Path | None,
    base_url: str | None,
    *,
    clean: bool,
    strict: bool,
    redact: bool,
    no_cache: bool,
    jobs: int | None,
    against: str | None,
) -> int:
    """Build the memory as a wiki of static files.

    The folder must be new, empty or an earlier site of memsite; files in it that memsite did not write
    stay. Links are relative: the site works from a disk and under any address.
    """
    from memsite.build import build_site
    from memsite.cli.earlier import earlier_state

    # A build makes millions of values that stay, and no cycles to speak of: to look for garbage among
    # them all the time costs 4 % at 10,000 notes and saves 3 % of the memory.
    gc.disable()
    options = invocation()
    memory = options.memory(cached=not no_cache)
    if base_url is not None:
        if wrong := complaint("base_url", base_url):
            raise BadArgument(f"--base-url {wrong}.", hint="For example https://example.org/memory/.")
        memory.config = replace(memory.config, site=replace(memory.config.site, base_url=base_url))
    bar = None if options.quiet else _Bar.on_a_terminal()
    leaks: Leaks | None = "redact" if redact else None
    try:
        result = build_site(
            memory,
            output,
            strict=strict,
            clean=clean,
            cached=not no_cache,
            jobs=jobs,
            leaks=leaks,
            progress=bar,
            earlier=earlier_state(memory, against) if against else None,
        )
    finally:
        if bar:
            bar.wipe()
    options.save_cache(make=True)
    if options.format == "json":
        echo_answer(result.answer())
    else:
        _print_build(result, quiet=options.quiet)
    if not options.quiet:
        _say_whether_scanned()
    for fault in result.faults[:MOST_FAULTS]:
        note_line(f"{style('fault of memsite', fg='red')} {visible(fault)}")
    if result.faults:
        faults = plural(len(result.faults), "fault")
        note_line(f"The site has {faults} that are memsite's own, not your notes': please report them.")
    return int(result.stopped or bool(result.faults))


def _say_whether_scanned() -> None:
    from memsite.leaks import available

    if not available():
        note_line(
            "Only memsite's own patterns looked for secrets: `pip install 'memsite[guard]'` adds others."
        )


def _print_build(result: BuildResult, *, quiet: bool) -> None:
    counts = result.answer().problems
    found = ", ".join(plural(count, severity) for severity, count in counts.items() if count)
    if result.stopped:
        note_line(
            f"Nothing was written: {found}. `memsite check` lists them; without --strict the site is built."
        )
        return
    for problem in result.problems:
        if problem.severity == "error" and not quiet:
            note_line(visible(f"{problem.path}:{problem.line} {problem.code} {problem.message}"))
    private = (
        f", {plural(result.private, 'private note')} left out" if result.private else ", nothing is left out"
    )
    seconds = sum(result.seconds.values())
    echo(
        visible(
            f"{result.output}: {plural(result.notes, 'note')} on {plural(result.pages, 'page')}{private}, "
            f"{plural(result.links, 'link')} followed, {result.bytes / 1e6:.1f} MB in {seconds:.1f} s "
            f"({plural(len(result.written), 'file')} written, {result.unchanged:,} unchanged, "
            f"{len(result.removed):,} removed)"
        )
    )
    if invocation().verbose:
        stages = ", ".join(f"{stage} {taken:.2f} s" for stage, taken in result.seconds.items())
        note_line(f"Time: {stages}.")
    if any(result.since.values()) and not quiet:
        changes = ", ".join(f"{count} {how}" for how, count in result.since.items() if count)
        note_line(f"Notes since the last build: {changes}.")
    if found and not quiet:
        note_line(f"What is published has {found}: see health.html; `memsite check` lists all.")


class _Bar:
    """One line on a terminal that shows how far a build is; nothing for what takes under half a second."""

    def __init__(self) -> None:
        self._start = self._shown = time.monotonic()

    @classmethod
    def on_a_terminal(cls) -> _Bar | None:
        return cls() if sys.stderr.isatty() else None

    def __call__(self, stage: str, done: int, steps: int) -> None:
        now = time.monotonic()
        if now - self._start < 0.5 or now - self._shown < 0.1:
            return
        self._shown = now
        part = f" {done * 100 // steps:3d} %" if steps else ""
        click.echo(f"\r\x1b[K{stage}{part}", err=True, nl=False)

    def wipe(self) -> None:
        if self._shown > self._start:
            click.echo("\r\x1b[K", err=True, nl=False)


@click.command("serve", epilog=examples("memsite serve", "memsite serve --port 8000 --open"))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FOLDER", help="Where to [default: site]."
)
@click.option(
    "--port", type=click.IntRange(1, 65535), metavar="N", help="[default: the first free one from 8420 on]"
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Address to listen on [default: this machine only].",
)
@click.option("--open", "open_", is_flag=True, help="Open the site in the browser.")
@click.option("--polling", is_flag=True, help="Look for changes again and again: for network disks.")
@project_options
def serve_command(output: Path | None, port: int | None, host: str, *, open_: bool, polling: bool) -> None:
    """Build, watch and show the wiki: a saved note is on the open page at once.

    Nobody but this machine can reach it, unless --host says otherwise; then every request needs the
    token in the printed address.
    """
    for needed in ("starlette", "uvicorn", "watchfiles"):
        if find_spec(needed) is None:
            raise BadArgument(
                f"`memsite serve` needs {needed}, which is not installed.",
                hint="`pip install 'memsite[serve]'` installs it.",
            )
    from memsite.build.output import guarded
    from memsite.serve import LOOPBACK, Preview, serve

    options = invocation()
    first = options.memory()
    folder = output or first.project / first.config.site.output
    guarded(folder, stores=[store.root for store in first.stores])
    if host != LOOPBACK:
        warn("Other machines can reach this server; they need the token in the address.")
    if host in ("0.0.0.0", "::"):  # noqa: S104 - asked for
        note_line(f"There, the name or address of this machine takes the place of {host}.")

    def started(address: str) -> None:
        echo(address)
        if not options.quiet:
            note_line("Save a note and the open page follows. Ctrl-C ends the preview.")
        if open_:
            click.launch(address)

    def built(result: BuildResult) -> None:
        options.save_cache(make=True)
        if not options.quiet and (result.written or result.removed):
            written = plural(len(result.written), "file")
            note_line(f"built in {sum(result.seconds.values()):.2f} s, {written} written")

    def failed(why: str) -> None:
        note_line(f"{style('not built', fg='red')} {visible(why)}")

    preview = Preview(options.memory, folder, started=started, built=built, failed=failed, polling=polling)
    serve(preview, host=host, port=port)


@click.command("stores", epilog=examples("memsite stores --verbose"))
@output_options
def stores_command() -> None:
    """Say which stores were found; with --verbose, where memsite looked."""
    options = invocation()
    try:
        discovery = options.memory().discovery
    except NoStore as error:
        if options.verbose:
            for each in error.details["tried"]:  # type: ignore[attr-defined]
                note_line(visible(f"tried {each['path']} ({each['rule']}): not there"))
        raise
    counts = {store.name: len(store.paths()) for store in discovery.stores}
    if options.format == "json":
        echo_json(stores_value(discovery, counts))
        return
    rows = [(s.name, s.kind, str(counts[s.name]), str(s.root)) for s in discovery.stores]
    print_rows(("STORE", "KIND", "NOTES", "FOLDER"), rows, plain=options.format == "plain")
    for remark in discovery.notes:
        note_line(f"note: {visible(remark)}")
    if options.verbose:
        for tried in discovery.tried:
            found = "found" if tried.found else "not there"
            note_line(visible(f"tried {tried.path} ({tried.rule}): {found}"))


@click.command(
    "graph",
    epilog=examples(
        "memsite graph --format graphml > memory.graphml",
        'memsite graph --concept "machine learning" --depth 2 --max 40 --format mermaid',
        "memsite graph --html graph.html",
    ),
)
@click.option(
    "--format", "kind", type=click.Choice(_GRAPH_FORMATS), help="How it is written [default: json]."
)
@click.option(
    "--view", type=click.Choice(("concepts", "notes")), help="What the nodes are [default: concepts]."
)
@click.option("--concept", metavar="NAME", help="Only what lies around this concept or note.")
@click.option(
    "--depth", type=click.IntRange(1), metavar="N", help="With --concept: steps away from it [default: 1]."
)
@click.option(
    "--max", "most", type=click.IntRange(1), metavar="N", help="With --concept: most nodes [default: all]."
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole graph, to be looked at, as one page. Goes with no other option here.",
)
@project_options
def graph_command(
    kind: Format | None,
    view: str | None,
    concept: str | None,
    depth: int | None,
    most: int | None,
    html: Path | None,
) -> None:
    """Write the concept graph, or the graph of the notes' links, for other programs.

    With --html the picture itself goes into one file that needs no network and no other file.
    """
    from memsite.graph import concept_network, export, neighbourhood, note_network

    if html is not None and any((kind, view, concept, depth, most)):
        raise click.UsageError("--html writes the whole graph: leave the other options out.")
    if concept is None and (depth or most):
        raise click.UsageError("--depth and --max say how much around a concept: name it with --concept.")
    options = invocation()
    memory = options.memory()
    if html is not None:
        _write_page(memory, html)
        return
    settings = memory.config.graph
    network_of = note_network if view == "notes" else concept_network
    network = network_of(memory.graph(), resolution=settings.resolution, seed=settings.seed)
    options.save_cache()
    if concept is not None:
        network = neighbourhood(network, [_node(memory, network, concept)], depth=depth or 1, most=most)
    echo(export(network, kind or "json").rstrip("\n"))


def _write_page(memory: Memory, path: Path) -> None:
    from memsite.build.graph_file import graph_file

    page = graph_file(memory)
    try:
        path.write_bytes(page)
    except OSError as error:
        raise ReadOnly(
            f"'{path}' cannot be written: {system_reason(error)}.", hint="Give another file with --html."
        ) from error
    echo(visible(f"{path}: {len(page) / 1e6:.1f} MB"))


def _node(memory: Memory, network: Network, name: str) -> str:
    """The id of the node that `name` means. Raises NotFound (E002) with near names."""
    from memsite.markdown import concept_key

    labels = {concept_key(node.label): node.id for node in network.nodes}
    wanted = concept_key(name)
    if wanted in labels:
        return labels[wanted]
    try:
        return memory.find(name).address
    except NotFound as error:
        close = get_close_matches(wanted, labels, cutoff=0.7)
        near = [node.label for node in network.nodes if concept_key(node.label) in close]
        raise NotFound(
            f"There is no concept or note '{name}' in the graph.",
            hint=f"Near: {', '.join(near)}." if near else error.hint,
            near=near,
        ) from error
