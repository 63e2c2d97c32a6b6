"""Files of the last build that need not be made again: their keys are the same, and nobody touched them."""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memsite.build.audit import Audit
from memsite.build.last import Files, LastBuild, files_of
from memsite.build.output import Output

GRAPH = "graph"
"""The name of the files of the graph, which are made together."""


@dataclass(slots=True)
class Kept:
    """Keys of the files of a site, of the last build and of this one."""

    site: Output
    audit: Audit
    settings: str
    """What all files depend on: a key holds under the same settings only."""
    jobs: int
    """How many processes may share the work."""
    keys: dict[str, str] = field(default_factory=dict)
    """Of this build, by URL or name of a group."""
    relations: Any = None
    """What the pages of a build know of the relations between notes: of the last one, then of this one."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _files: Files = field(default_factory=dict)
    """Those that are still as the last build left them."""

    def begin(self, last: LastBuild | None) -> None:
        """Look at what the last build left. Without one, everything is made."""
        if last is None:
            return
        settings, keys, groups, traces, relations = marshal.loads(last.kept)  # noqa: S302 - sealed
        if settings != self.settings:
            return
        now = files_of(self.site.root, last.files)
        self._files = {url: status for url, status in now.items() if last.files[url] == status}
        self._keys, self._groups = keys, groups
        self.audit.recall(traces)
        self.relations = relations

    def keep(self, url: str, key: str | None) -> bool:
        """Take the file at `url` into the new site when it is what `key` stands for; False when it must
        be made."""
        if key is None:
            return False
        self.keys[url] = key
        if self._keys.get(url) != key or not self._stands(url):
            return False
        self._take(url)
        return True

    def keep_group(self, name: str, key: str) -> bool:
        """The same for files that are made together."""
        self.keys[name] = key
        if self._keys.get(name) != key or not all(map(self._stands, self._groups[name])):
            return False
        self.groups[name] = self._groups[name]
        for url in self.groups[name]:
            self._take(url)
        return True

    def grouped(self, name: str, urls: Iterable[str]) -> None:
        """Remember which files a group has."""
        self.groups[name] = tuple(urls)

    def notes_since(self) -> dict[str, int]:
        """How many notes came, were edited and went since the last build, by their Markdown files; nothing
        where that is not known."""
        was, now = (
            {url: key for url, key in keys.items() if url.endswith(".md")} for keys in (self._keys, self.keys)
        )
        if not self._keys:
            return {}
        edited = sum(was.get(url, key) != key for url, key in now.items())
        return {
            "added": len(now.keys() - was.keys()),
            "edited": edited,
            "removed": len(was.keys() - now.keys()),
        }

    def record(self) -> bytes:
        """What the next build wants to know."""
        return marshal.dumps((self.settings, self.keys, self.groups, self.audit.record(), self.relations))

    def _stands(self, url: str) -> bool:
        return url in self._files and self.site.holds(url)

    def _take(self, url: str) -> None:
        self.site.keep(url)
        self.audit.keep(url)
