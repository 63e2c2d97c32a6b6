"""memsite.toml -> frozen Config.

The settings are the tables of `memsite.toml`, or of `[tool.memsite]` in `pyproject.toml`, in the
project's folder; `memsite.toml` wins. Each class below is a table, each of its fields a key, and the
text under the field says what the key means.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints
from unicodedata import normalize

from memsite.errors import BadConfig
from memsite.note import Severity, StoreKind
from memsite.wording import system_reason


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """`[site]`: how the built site presents itself."""

    title: str = "Memory"
    """Name of the site, shown on every page."""
    base_url: str = ""
    """Absolute URL of the published site; only the feed and the sitemap need one."""
    language: str = "en"
    """Language of the notes, as a BCP 47 tag such as `en` or `zh-Hans`."""
    output: str = "site"
    """Folder that a build writes to, relative to the project."""
    templates: str = ""
    """Folder of own templates, searched before memsite's."""
    css: str = ""
    """Style sheet of one's own, loaded after memsite's."""
    footer: str = ""
    """Text at the foot of every page."""
    remote_images: bool = False
    """Whether pages load pictures from other hosts; if not they become links."""


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """`[stores.<name>]`: a store that is named rather than discovered, or settings for one that is."""

    name: str
    """The part of addresses after `memory://`; it is the name of the table, no key in it."""
    kind: StoreKind
    """`workflow`, `system` or `vault`; follows from the names `workflow`, `knowhow` and `system`."""
    path: str = ""
    """Folder of the store, relative to the configuration file; empty: found by discovery."""
    include: tuple[str, ...] = ()
    """Globs; only the notes that fit one are part of the store. Empty: all notes."""
    exclude: tuple[str, ...] = ()
    """Globs; notes, folders and other files that fit one are no part of the store. `*` stays within a folder,
    `**` does not; one without a slash fits at every depth; what fits a folder fits all in it."""
    publish: bool = True
    """Whether the store goes into the built site."""
    require_wikilink: bool = True
    """Whether an edit must leave a WikiLink in the note."""
    severities: Mapping[str, Severity] = field(default_factory=dict)
    """Severities by code or rule name, for this store only."""


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """`[check]`: severities by code or rule name, limits, accepted findings."""

    severities: Mapping[str, Severity] = field(default_factory=dict)
    """`error`, `warning`, `info` or `off`, by code (`W005`) or rule name (`missing-note`)."""
    paths: Mapping[str, Mapping[str, Severity]] = field(default_factory=dict)
    """Severities for the paths that fit a glob, as `[check.paths."drafts/*"]`; they go before those of the
    store and these before the general ones. Of the globs that fit the last one that names the rule wins."""
    ignore: tuple[str, ...] = ()
    """`CODE path-glob` pairs that are not reported; globs as in `exclude`."""
    memory_lines: int = 200
    """Lines of MEMORY.md that the agent loads."""
    memory_bytes: int = 25_000
    """Bytes of MEMORY.md that the agent loads."""
    stale_days: Mapping[str, int] = field(default_factory=dict)
    """Days after which a note counts as stale, by type of note."""
    baseline: str = ""
    """File of accepted findings, relative to the project."""


@dataclass(frozen=True, slots=True)
class LeakConfig:
    """`[leaks]`: values known to be harmless, and whether to redact instead of refuse."""

    allow: str = ""
    """File of fingerprints of values that may be published, relative to the project."""
    redact: bool = False
    """Whether a build replaces secrets by a mark instead of stopping."""


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """`[graph]`: how communities are found."""

    resolution: float = 1.0
    """Greater than 1: more and smaller communities; less than 1: fewer and larger ones."""
    seed: int = 42
    """Start of the random numbers, so that communities are the same each time."""


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a project."""

    site: SiteConfig = SiteConfig()
    stores: tuple[StoreConfig, ...] = ()
    check: CheckConfig = CheckConfig()
    leaks: LeakConfig = LeakConfig()
    graph: GraphConfig = GraphConfig()
    file: Path | None = None
    """Where it was read from; None when there is no configuration file."""


SECTIONS: Final[Mapping[str, type]] = {
    "site": SiteConfig,
    "stores": StoreConfig,
    "check": CheckConfig,
    "leaks": LeakConfig,
    "graph": GraphConfig,
}
"""The tables of the configuration by name; `stores` holds one table a store."""

STORE_NAMES: Final[Mapping[str, StoreKind]] = {
    "workflow": "workflow",
    "knowhow": "workflow",
    "system": "system",
}
"""Names of stores that discovery gives, with the kind that goes with each."""

_STORE_NAME = re.compile(r"\w[\w.-]*")
_T = TypeVar("_T")


def load_config(project: Path) -> Config:
    """The settings of the project in the folder `project`; defaults where it has none.

    Raises BadConfig (E015), naming file, table and key, for anything that is not understood: no
    setting is ever ignored.
    """
    file = project / "memsite.toml"
    if file.exists():
        return _config(file, _toml(file))
    file = project / "pyproject.toml"
    if not file.is_file():
        return Config()
    tool = _toml(file).get("tool", {})
    settings = tool.get("memsite") if isinstance(tool, dict) else None
    return Config() if settings is None else _config(file, settings)


def _toml(file: Path) -> dict[str, Any]:
    import tomllib  # only a project with a file pays for it

    if not file.is_file():  # a pipe would block
        raise BadConfig(f"{file.name} cannot be read: it is not a regular file.")
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{file.name} is not valid TOML: {_plain_reason(str(error))}.") from error
    except UnicodeDecodeError as error:
        raise BadConfig(f"{file.name} is not UTF-8: bad byte at offset {error.start}.") from error
    except OSError as error:
        raise BadConfig(f"{file.name} cannot be read: {system_reason(error)}.") from error


def _plain_reason(said: str) -> str:
    """What the reader of TOML says of a slip that is often made, in the words of the file."""
    if twice := re.match(r"Cannot declare \((.*?),?\) twice", said):
        table = ".".join(part.strip("' ") for part in twice[1].split(","))
        return f"the table [{table}] stands there twice{said[twice.end() :]}"
    return said.replace("Cannot overwrite a value", "a key stands there twice")


def _config(file: Path, settings: object) -> Config:
    tables = _Table(file.name, "", settings)
    tables.refuse_unknown(SECTIONS)
    stores = _stores(file, tables)
    sections: dict[str, Any] = {
        name: tables.inner(name).read(section)
        for name, section in SECTIONS.items()
        if name != "stores" and name in tables.values
    }
    return Config(stores=stores, file=file, **sections)


def _stores(file: Path, tables: _Table) -> tuple[StoreConfig, ...]:
    if "stores" not in tables.values:
        return ()
    table = tables.inner("stores")
    stores = tuple(_store(file, table.inner(name), name) for name in table.values)
    _refuse_twins(file, stores)
    return stores


def _store(file: Path, table: _Table, name: str) -> StoreConfig:
    if not is_store_name(name):
        table.refuse(
            "is not a store name", "A name starts with a letter or digit and holds those, `-`, `_` and `.`."
        )
    usual = STORE_NAMES.get(name)
    store = table.read(StoreConfig, name=name, kind=usual or "vault")
    if usual is not None and store.kind != usual:
        table.refuse(f"must be of kind `{usual}`", "Give the store another name.")
    if store.kind == "vault" and not store.path:
        table.refuse("needs `path`, the folder of the vault")
    if store.path and not store_folder(store, file.parent).is_dir():
        table.refuse(
            f"path `{store.path}` is not a folder",
            f"It counts from the folder of {file.name}: make the folder, or correct the path.",
        )
    return store


def is_store_name(name: str) -> bool:
    """Whether `name` can stand between `memory://` and the next slash."""
    return _STORE_NAME.fullmatch(name) is not None


def store_folder(store: StoreConfig, base: Path) -> Path:
    """The folder that `path` names, counted from `base`; `~` is the home folder."""
    return base / Path(store.path).expanduser() if store.path.startswith("~") else base / store.path


def any_glob(patterns: tuple[str, ...]) -> Callable[[str], object]:
    """A test whether a path, or a folder it lies in, fits one of the patterns.

    `*` stays within a folder, `**` does not; a pattern without a slash fits at every depth, as in
    an ignore file of git.
    """
    source = "|".join(f"(?:{_glob_source(pattern)})" for pattern in patterns)
    return re.compile(f"(?:{source})(?:/.*)?" if patterns else r"(?!)", re.DOTALL).fullmatch


def _glob_source(pattern: str) -> str:
    anchor = "" if "/" in pattern.rstrip("/") else r"(?:.*/)?"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.strip("/"))
    return anchor + "".join(_WILD.get(part) or re.escape(part) for part in parts)


_WILD = {"**/": r"(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _refuse_twins(file: Path, stores: Iterable[StoreConfig]) -> None:
    """No two stores may share a name, also on a system that sees no case, or a folder."""
    names: dict[str, str] = {}
    folders: dict[str, str] = {}
    for store in stores:
        twin = names.setdefault(normalize("NFC", store.name).casefold(), store.name)
        if twin != store.name:
            raise BadConfig(f"{file.name}: [stores.{twin}] and [stores.{store.name}] are one name.")
        folder = os.path.realpath(store_folder(store, file.parent)) if store.path else store.name
        twin = folders.setdefault(folder, store.name)
        if twin != store.name:
            raise BadConfig(f"{file.name}: [stores.{twin}] and [stores.{store.name}] are the same folder.")


class _Table:
    """A table of the configuration file, read strictly."""

    def __init__(self, file: str, name: str, values: object) -> None:
        self._file, self._name = file, name
        if not isinstance(values, dict):
            raise BadConfig(f"{file}: `{name}` must be a table, not {_kind_of(values)}.")
        self.values: Mapping[str, object] = values

    def inner(self, name: str) -> _Table:
        """The table of this name within this one."""
        return _Table(self._file, f"{self._name}.{name}".lstrip("."), self.values[name])

    def refuse(self, complaint: str, hint: str = "") -> None:
        """Raise BadConfig for the table as a whole."""
        raise BadConfig(f"{self._file}: [{self._name}] {complaint}.", hint=hint)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise BadConfig for the first key that is not known, with the nearest that is."""
        names = sorted(known)
        for key in self.values:
            if key in names:
                continue
            guess = _guess(key.lower().replace("-", "_"), names)
            place = f"key `{key}` in [{self._name}]" if self._name else f"table [{key}]"
            raise BadConfig(f"{self._file}: unknown {place}.", hint=f"{guess}Known: {', '.join(names)}.")

    def read(self, section: type[_T], **given: object) -> _T:
        """The table as a dataclass; `given` are fields with a value already, `kind` may change."""
        hints = get_type_hints(section)
        fields = [one.name for one in dataclasses.fields(section) if one.name != "name"]  # type: ignore[arg-type]
        self.refuse_unknown(fields)
        read = {key: self._value(key, value, hints[key]) for key, value in self.values.items()}
        for key, value in read.items():
            if (said := complaint(key, value)) is not None:
                raise BadConfig(f"{self._where(key)} {said}.")
        return section(**{**given, **read})

    def _where(self, key: str) -> str:
        return f"{self._file}: `{key}` in [{self._name}]"

    def _value(self, key: str, value: object, wanted: Any) -> Any:
        """`value` as the type that a field wants. Raises BadConfig when it is none."""
        origin = get_origin(wanted)
        if origin is Literal:
            return self._choice(key, value, get_args(wanted))
        if origin is tuple:
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise BadConfig(f"{self._where(key)} must be a list of strings, not {_kind_of(value)}.")
            return tuple(value)
        if origin is not None:
            return self._mapping(key, value, get_args(wanted)[1])
        if wanted is float and type(value) is int:
            return float(value)
        if type(value) is not wanted:
            raise BadConfig(f"{self._where(key)} must be {_KINDS[wanted]}, not {_kind_of(value)}.")
        return value

    def _choice(self, key: str, value: object, choices: tuple[str, ...]) -> object:
        if value in choices:
            return value
        guess = _guess(str(value), choices).rstrip()
        shown = f"`{value}`" if isinstance(value, str) else _kind_of(value)
        raise BadConfig(f"{self._where(key)} must be one of {', '.join(choices)}, not {shown}.", hint=guess)

    def _mapping(self, key: str, value: object, wanted: Any) -> Mapping[str, object]:
        shown = key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'
        table = _Table(self._file, f"{self._name}.{shown}", value)
        read = {name: table._value(name, inner, wanted) for name, inner in table.values.items()}
        for name, inner in read.items():
            if get_origin(wanted) is Literal and not re.fullmatch(r"[A-Z]\d{3}|[a-z]+(-[a-z]+)*", name):
                table.refuse(f"`{name}` is neither a code such as W001 nor the name of a rule")
            if key == "stale_days" and isinstance(inner, int) and inner < 1:
                raise BadConfig(f"{table._where(name)} must be at least 1.")
        return read


def _guess(word: str, known: Sequence[str]) -> str:
    """The clause that names the known word nearest to `word`, empty when none is near."""
    from difflib import get_close_matches  # only a mistake pays for it

    near = get_close_matches(word, known, 1, 0.5)
    return f"Did you mean `{near[0]}`? " if near else ""


_KINDS: Final[Mapping[type, str]] = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _kind_of(value: object) -> str:
    return _KINDS.get(type(value), "a date or time")


_RULES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "title": (lambda text: bool(text.strip()), "must not be empty"),
    "output": (lambda text: bool(text.strip()), "must not be empty"),
    "base_url": (
        lambda url: not url or re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", url) is not None,
        "must be an absolute http or https URL without query and fragment",
    ),
    "language": (
        lambda tag: re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag) is not None,
        "must be a language tag such as `en` or `zh-Hans`",
    ),
    "memory_lines": (lambda number: number > 0, "must be at least 1"),
    "memory_bytes": (lambda number: number > 0, "must be at least 1"),
    "resolution": (lambda number: 0 < number < float("inf"), "must be greater than 0"),
    "seed": (lambda number: number >= 0, "must not be negative"),
    "ignore": (
        lambda pairs: all(re.fullmatch(r"[A-Z]\d{3} +\S.*|[a-z-]+ +\S.*", pair) for pair in pairs),
        "must be a list of `CODE path-glob` pairs, such as `W005 drafts/*`",
    ),
}
"""What a value of the right type must be like, by key; keys mean the same in every table."""


def complaint(key: str, value: object) -> str | None:
    """What is wrong with a value of the right type, None when nothing is."""
    fits, said = _RULES.get(key, (None, ""))
    return said if fits is not None and not fits(value) else None
