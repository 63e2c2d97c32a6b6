"""The commands for the memory's health: check, repair, report, diff."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memsite.cli.completion import codes
from memsite.cli.options import Invocation, examples, invocation, output_options, project_options
from memsite.cli.terminal import (
    echo,
    echo_answer,
    echo_json,
    note_line,
    print_rows,
    style,
    visible,
    visible_block,
)
from memsite.errors import BadArgument
from memsite.wording import plural

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.note import Problem
    from memsite.report import Health

_GRAVITY = {"never": 0, "error": 1, "warning": 2, "info": 3}
_FORMATS = ("text", "json", "github", "sarif", "junit", "markdown")


@click.command(
    "check",
    epilog=examples(
        "memsite check --fail-on error",
        "memsite check --format sarif > memory.sarif",
        "memsite check --update-baseline --baseline known.txt",
        "memsite check --explain W003",
    ),
)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="[default: text]")
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option(
    "--severity",
    type=click.Choice(("info", "warning", "error")),
    default="info",
    help="The mildest to show [default: info].",
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(_GRAVITY)[::-1]),
    default="warning",
    help="Exit with 1 from this severity on [default: warning].",
)
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="File of findings that are accepted."
)
@click.option("--update-baseline", is_flag=True, help="Write all that is found now into that file.")
@click.option(
    "--explain",
    metavar="CODE",
    shell_complete=codes,
    help="Say what a finding (W003) or a refusal (E006) means.",
)
@project_options
def check_command(
    form: str,
    severity: str,
    fail_on: str,
    baseline: Path | None,
    explain: str | None,
    *,
    update_baseline: bool,
) -> int:
    """Say what is wrong with the memory, without building anything.

    Secrets are looked for as a build does, so that what a build would refuse (E017) is named here.
    """
    if explain:
        return _explain(explain)
    options = invocation()
    options.form = "json" if form == "json" else None
    memory = options.memory()
    health = _health(options, memory)
    accepted_in = baseline or _configured_baseline(memory)
    if update_baseline:
        return _accept(health.problems, accepted_in)
    health = _without_accepted(health, accepted_in)
    from memsite.report import FORMATS

    grave = tuple(each for each in health.problems if _GRAVITY.get(each.severity, 9) <= _GRAVITY[severity])
    shown = replace(health, problems=grave)
    echo(FORMATS[form](shown).rstrip("\n"))
    if form == "text" and not options.quiet:
        _say_how_to_mend(shown)
    if milder := len(health.problems) - len(grave):
        note_line(f"{plural(milder, 'milder finding')} not shown (--severity).")
    return _exit_code(health.problems, fail_on)


def _say_how_to_mend(health: Health) -> None:
    """Each rule that is broken, how often, and what to do: the findings above may be hundreds."""
    from memsite.check import find_rule

    for code, problems in health.by_rule.items():
        rule = find_rule(code)
        if rule is not None:
            note_line(f"{style(code, bold=True)} {rule.name}, {plural(len(problems), 'finding')}. {rule.fix}")


def _health(options: Invocation, memory: Memory) -> Health:
    from memsite.build.checked import checked

    # A check makes millions of values that stay: to look for garbage among them costs a third.
    gc.disable()
    health = checked(memory)
    options.save_cache()
    return health


def _explain(code: str) -> int:
    from memsite.check import RULES, explain, find_rule
    from memsite.errors import refusals

    rule = find_rule(code)
    refusal = next((each for each in refusals() if code.lower() in (each.code.lower(), each.rule)), None)
    if rule is not None:
        echo(explain(rule).rstrip("\n"))
    elif refusal is not None:
        meaning = " ".join((refusal.__doc__ or "").split())
        echo(
            f"## {refusal.code} {refusal.rule}\n\n{meaning} A refusal, with exit code {refusal.exit_code}: "
            "nothing was changed, and the message says what to do next."
        )
    else:
        codes = [each.code for each in refusals()]
        raise BadArgument(
            f"There is no rule or refusal '{code}'.",
            hint=f"Findings are {RULES[0].code} to {RULES[-1].code}, refusals {codes[0]} to {codes[-1]}.",
        )
    return 0


def _configured_baseline(memory: Memory) -> Path | None:
    named = memory.config.check.baseline
    return memory.project / named if named else None


def _without_accepted(health: Health, baseline: Path | None) -> Health:
    from memsite.check import accepted_by, unaccepted

    if baseline is None:
        return health
    try:
        text = baseline.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadArgument(
            f"The baseline '{baseline}' cannot be read.", hint="Make it with --update-baseline."
        ) from error
    left = unaccepted(health.problems, accepted_by(text))
    return replace(health, problems=left, accepted=len(health.problems) - len(left))


def _accept(problems: tuple[Problem, ...], baseline: Path | None) -> int:
    from memsite.check import baseline_text

    if baseline is None:
        raise BadArgument(
            "There is no baseline file to update.",
            hint="Name one with --baseline FILE or in [check] baseline.",
        )
    baseline.write_text(baseline_text(problems), encoding="utf-8")
    note_line(visible(f"'{baseline}' accepts {plural(len(problems), 'finding')}."))
    return 0


@click.command("repair", epilog=examples("memsite repair --dry-run"))
@click.option(
    "--rebuild-index", is_flag=True, help="Make a new index where one cannot be read; the old one is kept."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, write nothing.")
@output_options
def repair_command(*, rebuild_index: bool, dry_run: bool) -> None:
    """Mend what can be mended in one way only: index rows, and what an interrupted write left.

    No note is deleted, and `memsite undo` takes it back.
    """
    from memsite.build.secrets import vet

    options = invocation()
    memory = options.memory()
    vet(memory)
    repaired = memory.repair(rebuild_index=rebuild_index, dry_run=dry_run)
    if options.format == "json":
        echo_answer(repaired)
        return
    rows = [(each.path, each.action) for each in repaired.mends]
    if rows:
        print_rows(("FILE", "WHAT"), rows, plain=options.format == "plain")
    left = (
        f"; {plural(len(repaired.rest), 'finding')} left for you, see `memsite check`"
        if repaired.rest
        else ""
    )
    mended = (
        f"{len(repaired.mends):,} {'to mend' if dry_run else 'mended'}"
        if repaired.mends
        else "nothing to mend"
    )
    note_line(f"{mended}{left}.")
    if not rebuild_index and any("--rebuild-index" in each.hint for each in repaired.rest):
        note_line("`memsite repair --rebuild-index` makes a new index where one cannot be read.")


@click.command(
    "report",
    epilog=examples("memsite report ci-report --against origin/main", "memsite report out --fail-on error"),
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--against", metavar="REV|FOLDER", help="Say what changed since a git revision or another folder."
)
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="File of findings that are accepted."
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(_GRAVITY)[::-1]),
    default="never",
    help="Exit with 1 from this severity on [default: never].",
)
@project_options
def report_command(folder: Path, against: str | None, baseline: Path | None, fail_on: str) -> int:
    """Write reports into FOLDER, as a CI job keeps them.

    These are summary.md, report.json, report.sarif, junit.xml, report.html and badge.svg. None of them
    counts as a note, also where the folder lies in a store.
    """
    from memsite.report import report, summary
    from memsite.stores.reading import REPORT_MARK

    options = invocation()
    memory = options.memory()
    health = _without_accepted(_health(options, memory), baseline or _configured_baseline(memory))
    if against:
        from memsite.cli.earlier import difference

        health = replace(health, diff=difference(memory, against))
    if folder.resolve() in {store.root.resolve() for store in memory.stores}:
        raise BadArgument(
            f"'{folder}' is a store: the reports would become notes.", hint="Give another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / REPORT_MARK).touch()
    for name, written in report(health).items():
        (folder / name).write_bytes(written)
    note_line(visible(f"{folder}: {summary(health)}"))
    return _exit_code(health.problems, fail_on)


@click.command("diff", epilog=examples("memsite diff HEAD~5", "memsite diff ../backup --json"))
@click.argument("against", metavar="REV|FOLDER")
@output_options
def diff_command(against: str) -> None:
    """Say what changed in the memory since a git revision, or against another folder."""
    from memsite.cli.earlier import difference
    from memsite.report import diff_markdown, diff_value

    options = invocation()
    diff = difference(options.memory(), against)
    if options.format == "json":
        echo_json(diff_value(diff))
    else:
        echo(visible_block(diff_markdown(diff).rstrip("\n")))


def _exit_code(problems: Iterable[Problem], fail_on: str) -> int:
    return int(any(_GRAVITY.get(problem.severity, 9) <= _GRAVITY[fail_on] for problem in problems))


@click.group("leaks")
def leaks_command() -> None:
    """Accept values that look like secrets and are none."""


@leaks_command.command(
    "allow",
    short_help="Accept one value, read from standard input.",
    epilog=examples('memsite leaks allow --reason "example key" < value.txt'),
)
@click.option("--reason", required=True, metavar="TEXT", help="Why it may be published.")
@project_options
def allow_command(reason: str) -> None:
    """Accept one value, read from standard input, so that `build` publishes it.

    Only a fingerprint is kept, made with your own key ($MEMSITE_LEAKS_KEY, else a file in your
    configuration folder), in the file that `[leaks] allow` names.
    """
    from memsite.build.secrets import leaks_key
    from memsite.leaks import fingerprint

    memory = invocation().memory()
    name = memory.config.leaks.allow
    if not name:
        raise BadArgument(
            "There is no list of allowed values yet.",
            hint='Name one in memsite.toml: [leaks] allow = "allowed.txt". This command makes the file.',
        )
    value = click.prompt("Value", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    if not value.strip():
        raise BadArgument("There is no value on standard input.", hint="Pipe it in, or type it when asked.")
    path = (memory.config.file or memory.project / "memsite.toml").parent / name
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{fingerprint(value.strip(), leaks_key())} {' '.join(reason.split())}\n")
    note_line(visible(f"'{path}' accepts it."))
