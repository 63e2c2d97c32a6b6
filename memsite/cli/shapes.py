"""The JSON document of `memsite stores`. docs/json.md tells its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsite.stores import Discovery


def stores_value(discovery: Discovery, counts: dict[str, int]) -> dict[str, Any]:
    """The stores found, with their notes counted, and the places that were tried."""
    return {
        "stores": [
            {"name": store.name, "kind": store.kind, "path": str(store.root), "notes": counts[store.name]}
            for store in discovery.stores
        ],
        "tried": [
            {"kind": each.kind, "rule": each.rule, "path": str(each.path), "found": each.found}
            for each in discovery.tried
        ],
        "remarks": list(discovery.notes),
    }
