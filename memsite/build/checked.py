"""What the last check found: where all that it looked at is the same still, there is nothing to check."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsite.build.last import (
    inputs_key,
    packed_problems,
    settings_key,
    tool_version,
    unpacked_problems,
    world_of,
)
from memsite.build.secrets import vet
from memsite.cache import FOLDER, read_sealed, write_sealed
from memsite.check import Budget
from memsite.report import Health, health_of
from memsite.report.health import StoreCount

if TYPE_CHECKING:
    from memsite.memory import Memory

_budget = attrgetter(*Budget.__dataclass_fields__)
_count = attrgetter(*StoreCount.__dataclass_fields__)


def checked(memory: Memory) -> Health:
    """The health of the memory, secrets looked for as a build does.

    It is remembered where the project has a cache. Raises BadConfig (E015).
    """
    place = memory.project / FOLDER / "cache" / "check"
    sources = tuple(source for store in memory.stores for source in store.sources())
    key = inputs_key(memory, sources, settings=settings_key(memory, leaks="refuse"))
    kept = read_sealed(place, tool_version())
    if kept and kept["key"] == key and kept["world"] == world_of(memory, kept["named"], ()):
        return _unpacked(kept, title=memory.config.site.title)
    vet(memory)
    memory.understand(sources)
    health = health_of(
        memory.graph(), memory.problems(), config=memory.config, bytes_of=memory.memory_files()
    )
    if place.parent.is_dir():
        _keep(place, key, memory, health)
    return health


def _keep(place: Path, key: str, memory: Memory, health: Health) -> None:
    from memsite.check import named_files

    named = tuple(sorted(named_files(memory.graph())))
    kept = {
        "key": key,
        "named": named,
        "world": world_of(memory, named, ()),
        "problems": packed_problems(health.problems),
        "stores": [_count(store) for store in health.stores],
        "budgets": [_budget(budget) for budget in health.budgets],
    }
    write_sealed(place, tool_version(), kept)


def _unpacked(kept: dict[str, Any], *, title: str) -> Health:
    return Health(
        problems=unpacked_problems(kept["problems"]),
        stores=tuple(StoreCount(*store) for store in kept["stores"]),
        budgets=tuple(Budget(*budget) for budget in kept["budgets"]),
        title=title,
    )
