"""memsite.toml -> frozen Config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memsite.note import Severity, StoreKind


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """`[site]`: how the built site presents itself."""

    title: str = "Memory"
    base_url: str = ""
    """Absolute URL of the published site; only the feed and the sitemap need one."""
    language: str = "en"
    output: str = "site"
    templates: str = ""
    """Folder of own templates, searched before memsite's."""
    css: str = ""
    """Style sheet of one's own, loaded after memsite's."""
    footer: str = ""
    remote_images: bool = False


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """`[stores.<name>]`: a store that is named rather than discovered, or settings for one that is."""

    name: str
    kind: StoreKind
    path: str = ""
    """Relative to the project; empty: found by discovery."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    publish: bool = True
    require_wikilink: bool = True
    severities: Mapping[str, Severity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """`[check]`: severities by code or rule name, limits, accepted findings."""

    severities: Mapping[str, Severity] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    """`CODE path-glob` pairs that are not reported."""
    memory_lines: int = 200
    memory_bytes: int = 25_000
    stale_days: Mapping[str, int] = field(default_factory=dict)
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class LeakConfig:
    """`[leaks]`: values known to be harmless, and whether to redact instead of refuse."""

    allow: str = ""
    redact: bool = False


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """`[graph]`: how communities are found."""

    resolution: float = 1.0
    seed: int = 42


@dataclass(frozen=True, slots=True)
class Config:
    site: SiteConfig = SiteConfig()
    stores: tuple[StoreConfig, ...] = ()
    check: CheckConfig = CheckConfig()
    leaks: LeakConfig = LeakConfig()
    graph: GraphConfig = GraphConfig()
    file: Path | None = None
    """Where it was read from; None when there is no configuration file."""
