"""The last look before something is published: no secret leaves, or it leaves blacked out.

Notes whose check found something that looks like a secret (W013) are scanned again with the allow list at
hand. No mark inside a note can silence this.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memsite.errors import BadConfig
from memsite.errors import Leak as LeakError
from memsite.note import Address, Finding, Source, address_of
from memsite.stores.reading import read_inside

if TYPE_CHECKING:
    from memsite.leaks import AllowList
    from memsite.memory import Memory
    from memsite.pages import SitePlan
    from memsite.stores import Store

CODE = "W013"
KEY_VARIABLE = "MEMSITE_LEAKS_KEY"
_SHOWN = 5


def refuse_leaks(plan: SitePlan, memory: Memory) -> None:
    """Raises Leak (E017) when a published note holds what looks like a secret and is not allowed."""
    suspects = [problem for problem in plan.problems if problem.code == CODE and problem.severity != "info"]
    if not suspects:
        return
    allow = allow_list(memory)
    harmless = {
        address for address in {each.address for each in suspects} if _is_harmless(memory, address, allow)
    }
    leaks = [problem for problem in suspects if problem.address not in harmless]
    if leaks:
        shown = "; ".join(f"{each.path}:{each.line} {each.message}" for each in leaks[:_SHOWN])
        more = f"; and {len(leaks) - _SHOWN} more" if len(leaks) > _SHOWN else ""
        raise LeakError(
            f"The site would publish what looks like secrets: {shown}{more}.",
            hint="Remove them (and revoke them), or build with --redact.",
            leaks=[{"path": each.path, "line": each.line, "message": each.message} for each in leaks],
        )


def redacted(memory: Memory) -> Memory:
    """The memory with a marked block in the place of each secret; itself when it holds none."""
    from memsite.memory import Memory

    suspects = {address for address, note in memory.graph().notes.items() if _is_suspect(note.findings)}
    if not suspects:
        return memory
    allow = allow_list(memory)
    stores = tuple(cast("Store", RedactedStore(store, suspects, allow)) for store in memory.stores)
    return Memory(memory.config, memory.project, discovery=replace(memory.discovery, stores=stores))


@dataclass(frozen=True, slots=True)
class RedactedStore:
    """A store whose suspect notes come out without their secrets; all else is the store's own."""

    store: Store
    suspects: set[Address]
    allow: AllowList

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def read(self, path: str) -> Source:
        return self._clean(self.store.read(path))

    def sources(self) -> Iterator[Source]:
        return map(self._clean, self.store.sources())

    def raw(self, path: str) -> bytes:
        return self._cleaned(path, read_inside(self.store.root, path).raw)

    def _clean(self, source: Source) -> Source:
        content = self._cleaned(source.path, source.content)
        return replace(source, content=content, checksum=sha256(content).hexdigest())

    def _cleaned(self, path: str, content: bytes) -> bytes:
        from memsite.leaks import find_secrets, redact

        if address_of(self.store.name, path) not in self.suspects:
            return content
        text = content.decode("utf-8", "replace")
        return redact(text, find_secrets(text, allow=self.allow)).encode("utf-8", "replace")


def note_bytes(store: Store, path: str) -> bytes:
    """The bytes of a note as they may be published, read without a look at the store's index."""
    return store.raw(path) if isinstance(store, RedactedStore) else read_inside(store.root, path).raw


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


def _is_harmless(memory: Memory, address: Address | None, allow: AllowList) -> bool:
    """Whether all that looks like a secret in a note is on the allow list."""
    from memsite.leaks import find_secrets

    if address is None or not allow.fingerprints:
        return False
    note = memory.graph().notes[address]
    text = memory.store(note.store).read(note.path).content.decode("utf-8", "replace")
    return bool(find_secrets(text)) and not any(leak.stops for leak in find_secrets(text, allow=allow))


def _is_suspect(findings: Iterable[Finding]) -> bool:
    return any(finding.code == CODE and finding.severity != "info" for finding in findings)
