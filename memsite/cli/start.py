"""The command that a project begins with: init."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memsite.cli.options import examples, invocation, project_options
from memsite.cli.settings import Setting, all_settings, table_meanings, toml, toml_key
from memsite.cli.terminal import echo, note_line, visible
from memsite.errors import NoStore, ReadOnly
from memsite.wording import plural, system_reason

if TYPE_CHECKING:
    from memsite.config import Config
    from memsite.stores import Discovery, Store

CI_FILES = {"github": ".github/workflows/memory.yml", "gitlab": ".gitlab-ci.yml"}
HOOK_FILE = ".pre-commit-config.yaml"


@click.command(
    "init",
    epilog=examples(
        "memsite init",
        'memsite init --vault docs --title "Tide board" --ci github',
        "memsite init --hook",
    ),
)
@click.option("--title", metavar="TEXT", help="Name of the site [default: the folder's name].")
@click.option(
    "--ci", type=click.Choice(tuple(CI_FILES)), help="Write a job that checks and publishes as well."
)
@click.option("--hook", is_flag=True, help="Write a hook for pre-commit as well.")
@project_options
def init_command(title: str | None, ci: str | None, *, hook: bool) -> None:
    """Write a commented memsite.toml for the stores that are found here.

    Files that are there already stay as they are.
    """
    from memsite.config import load_config

    options = invocation()
    root = (options.project or Path.cwd()).resolve()
    settings = load_config(root)
    discovery = _found(root, settings)
    for store in discovery.stores:
        notes = plural(len(store.paths()), "note")
        echo(visible(f"found {store.name} ({store.kind}, {notes}): {store.root}"))
    for remark in discovery.notes:
        note_line(visible(f"note: {remark}"))
    if settings.file is not None:
        echo(visible(f"kept {settings.file.name}: the settings are there already"))
        _say_what_is_missing(settings, discovery, root, title)
    else:
        _write(root, "memsite.toml", settings_text(title or _asked_title(root), discovery, root))
    if ci:
        wanted = _requirement()
        _write(root, CI_FILES[ci], _template(f"{ci}.yml").replace('"memsite"', json.dumps(wanted)))
        if wanted == "memsite":
            note_line(
                f"note: the job installs memsite by its name. Where pip does not find that, write the "
                f"address of the repository at MEMSITE in {CI_FILES[ci]}: git+https://github.com/YOU/memsite"
            )
    if hook:
        _write(root, HOOK_FILE, _template("pre-commit.yaml"))
    echo("next: memsite check, then memsite serve")


def _found(root: Path, settings: Config) -> Discovery:
    """The stores of the project; without any, a person is asked for a folder.

    Raises NoStore (E001) where nobody can be asked, BadArgument (E019) for a folder that is not there.
    """
    from memsite.stores import find_stores

    options = invocation()
    try:
        return find_stores(settings, root, system_dir=options.system_dir, vaults=options.vaults)
    except NoStore:
        if not sys.stdin.isatty():
            raise
    folder = click.prompt("No memory here yet. Which folder holds Markdown notes?", type=Path, err=True)
    return find_stores(settings, root, vaults=[("", root / folder)])


def _asked_title(root: Path) -> str:
    if not sys.stdin.isatty():
        return root.name or "Memory"
    return str(click.prompt("Title of the site", default=root.name or "Memory", err=True))


def _say_what_is_missing(settings: Config, discovery: Discovery, root: Path, title: str | None) -> None:
    """What was asked for and is not in a configuration that was there before."""
    there = {store.name for store in settings.stores}
    missing = [store for store in discovery.stores if store.kind == "vault" and store.name not in there]
    if missing:
        echo("to read these in each run, add to it:")
    for store in missing:
        place = os.path.relpath(store.root, root).replace(os.sep, "/")
        echo(visible(f"  [stores.{toml_key(store.name)}]"))
        echo(f'  kind = "{store.kind}"')
        echo(visible(f"  path = {toml(place)}"))
    if title is not None and title != settings.site.title:
        echo(visible(f"its title is {toml(settings.site.title)}: change it there, under [site]"))


def _requirement() -> str:
    """What pip installs to get this memsite: the repository that it was installed from, else its name."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution("memsite").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return "memsite"
    if "vcs_info" not in origin or origin["url"].startswith("file:"):  # no other machine has it
        return "memsite"
    return f"memsite @ {origin['vcs_info']['vcs']}+{origin['url']}@{origin['vcs_info']['commit_id']}"


def _write(root: Path, name: str, text: str) -> None:
    """Write a new file; one that is there stays. Raises ReadOnly (E018) where it cannot be written."""
    file = root / name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as new:
            new.write(text)
    except FileExistsError:
        echo(f"kept {name}: it is there already")
    except OSError as error:
        raise ReadOnly(
            f"'{file}' cannot be written: {system_reason(error)}.",
            hint="Give the folder write permission first.",
        ) from error
    else:
        echo(f"wrote {name}")


def _template(name: str) -> str:
    from memsite.templates import templates_folder

    return (templates_folder() / "init" / name).read_text(encoding="utf-8")


# The configuration file ---------------------------------------------------------------------

_HEAD = """\
# Settings of memsite for this project. A line that begins with "# " and a key shows a default:
# take the "# " away to change it. `memsite check` says at once when a key is not understood.
"""


def settings_text(title: str, discovery: Discovery, root: Path) -> str:
    """A memsite.toml that names the stores inside the project and shows every default."""
    settings = all_settings()
    parts = [_HEAD]
    for table, meaning in table_meanings().items():
        of_table = [each for each in settings if each.table == table]
        if table == "stores":
            parts += [_store_text(store, of_table, root) for store in discovery.stores]
        else:
            given = {"title": title} if table == "site" else {}
            parts.append("\n".join([f"# {_plain(meaning)}", f"[{table}]", *_lines(of_table, given)]) + "\n")
    return "\n".join(parts)


def _store_text(store: Store, settings: list[Setting], root: Path) -> str:
    """The table of a store. One that lies outside the project is another's on another machine."""
    place = store.root.resolve()
    if not place.is_relative_to(root):
        return f"# The store {store.name} ({store.kind}) lies outside the project; it needs no setting.\n"
    given = {"kind": store.kind, "path": place.relative_to(root).as_posix()}
    lines = [f"[stores.{toml_key(store.name)}]", *_lines(settings, given)]
    return "\n".join(lines) + "\n"


def _lines(settings: list[Setting], given: dict[str, str]) -> Iterator[str]:
    for each in settings:
        if each.key in given:
            yield f"{each.key} = {toml(given[each.key])}"
        else:
            yield from (f"# {line}" for line in _plain(each.meaning).splitlines())
            yield f"# {each.key} = {each.default}"


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")
