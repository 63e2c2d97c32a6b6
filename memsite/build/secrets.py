"""The last look before something is published: no secret leaves, or it leaves blacked out.

Notes whose check found something (W013, W014) are cleaned before they are parsed anew: their secrets
are refused or blacked out, home folders become `~`. Every file that is written is looked at once more.
No mark inside a note can silence this.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from memsite.beside import Fed
from memsite.errors import BadConfig, NotFound
from memsite.note import Address, Source
from memsite.stores.reading import read_inside

if TYPE_CHECKING:
    from memsite.leaks import AllowList, Engine, Guard, Place, Vetting
    from memsite.memory import Memory
    from memsite.stores import Store

Leaks: TypeAlias = Literal["refuse", "redact", "publish"]
"""What becomes of something that looks like a secret: stop, black it out, or nothing (a preview)."""

KEY_VARIABLE = "MEMSITE_LEAKS_KEY"
_SUSPICIOUS = frozenset({"W013", "W014"})


def guarded(
    memory: Memory, policy: Leaks, sources: Sequence[Source], *, jobs: int = 1
) -> tuple[Memory, Guard | None]:
    """The memory as it may be published, and the guard that knows what must not; None for a preview.

    `sources` is what was just read of its stores; `jobs` processes parse it.
    """
    from memsite.leaks import Guard, longest_first

    if policy == "publish":
        memory.understand(sources, jobs=jobs)
        return memory, None
    homes = longest_first([os.path.expanduser("~")])  # noqa: PTH111 - never raises
    vetting = vet(memory)
    memory.understand(sources, jobs=jobs)
    guard = Guard(vetting.allow, vetting.engine, redacts=policy == "redact", homes=homes)
    suspects = frozenset(
        note.address
        for note in memory.notes()
        if any(finding.code in _SUSPICIOUS for finding in note.findings)
    )
    stores = [GuardedStore(store, guard, suspects) for store in memory.stores]
    published = memory.over(tuple(cast("Store", store) for store in stores))
    by_store = {store.name: store for store in stores}
    groups = groupby(sources, key=attrgetter("store"))
    published.understand([clean for name, group in groups for clean in by_store[name].cleaned(group)])
    return published, guard


class Gatekeeper:
    """Has every file that is going to be written looked at by the guard, beside what makes more of them."""

    def __init__(self, guard: Guard, *, jobs: int) -> None:
        self._guard = guard
        self._fed = Fed(_Look(guard), jobs=jobs)

    def take(self, url: str, written: bytes) -> None:
        self._fed.take(marshal.dumps((url, written)))

    def finish(self) -> None:
        """Tell the guard what was found."""
        from memsite.leaks import Place

        self._guard.places += (Place(*one) for one in marshal.loads(self._fed.result()))  # noqa: S302


@dataclass(frozen=True, slots=True)
class _Look:
    """What the gatekeeper's process does."""

    guard: Guard
    found: list[Place] = field(default_factory=list)

    def take(self, piece: bytes) -> None:
        self.found.extend(self.guard.output(*marshal.loads(piece)))  # noqa: S302 - from our own process

    def result(self) -> bytes:
        self.found.extend(self.guard.rest())
        return marshal.dumps([astuple(one) for one in self.found])


@dataclass(frozen=True, slots=True)
class GuardedStore:
    """A store whose notes come out as they may be published; all else is the store's own."""

    store: Store
    guard: Guard
    suspects: frozenset[Address]
    published: dict[str, Source | None] = field(default_factory=dict)
    """By path what became of the notes that were cleaned; None: left out."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def sources(self) -> Iterator[Source]:
        return self.cleaned(self.store.sources())

    def cleaned(self, sources: Iterable[Source]) -> Iterator[Source]:
        """`sources` as they may be published; those that may not are left out."""
        for source in sources:
            if source.address in self.suspects or self.guard.must_clean(source):
                shown = f"{self.store.prefix}{source.path}"
                self.published[source.path] = self.guard.source(source, shown=shown)
            clean = self.published.get(source.path, source)
            if clean is not None:
                yield clean

    def read(self, path: str) -> Source:
        clean = self.published[path] if path in self.published else self.store.read(path)
        if clean is None:
            raise NotFound(f"'{path}' is left out.")
        return clean

    def raw(self, path: str) -> bytes:
        return self.read(path).content if path in self.published else read_inside(self.store.root, path).raw


def vet(memory: Memory) -> Vetting:
    """From now on `memory` looks at its notes with all that a build looks at them with.

    Raises BadConfig (E015) when the list of allowed values cannot be read.
    """
    from memsite.leaks import Vetting

    vetting = Vetting(allow_list(memory), _engine())
    memory.vet(vetting)
    return vetting


def _engine() -> Engine | None:
    """The second scanner with its rules in the user's cache; without it our own patterns stand alone."""
    folder = os.environ.get("KF_RULE_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never raises
    return _engine_in(folder or os.path.join(base, "memsite", "leak-rules"))  # noqa: PTH118 - a text


@cache
def _engine_in(folder: str) -> Engine | None:
    """Once a process: reading the rules takes longer than a small build."""
    from memsite.leaks import kingfisher_engine

    return kingfisher_engine(folder)


def note_bytes(store: Store, path: str) -> bytes:
    """The bytes of a note as they may be published, read without a look at the store's index."""
    return store.raw(path) if isinstance(store, GuardedStore) else read_inside(store.root, path).raw


def allow_list(memory: Memory) -> AllowList:
    """Values known to be harmless: `[leaks] allow`, under the key of the user or of the environment.

    Raises BadConfig (E015) when the file cannot be read.
    """
    from memsite.leaks import NOTHING_ALLOWED, read_allow_list

    name = memory.config.leaks.allow
    if not name:
        return NOTHING_ALLOWED
    base = memory.config.file.parent if memory.config.file else memory.project
    try:
        text = (base / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(
            f"[leaks] allow: '{name}' cannot be read.", hint="`memsite leaks allow` makes it."
        ) from error
    return read_allow_list(text, leaks_key())


def leaks_key() -> bytes:
    """What the fingerprints of the allow list are made with.

    From the environment, so that a CI job can know it, else the user's own, made when there is none.
    Raises OSError when it can be neither read nor made.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given:
        return given.encode()
    from memsite.cache import own_key

    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - never raises
    return own_key(Path(base))
