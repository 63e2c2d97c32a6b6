"""What a store is to the rest of memsite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from memsite.config import StoreConfig
from memsite.note import Source, StoreKind, StoreView


class Store(Protocol):
    """A folder of notes that can be listed and read. Nothing is kept between calls but refusals."""

    @property
    def name(self) -> str:
        """The part of an address after `memory://`."""

    @property
    def kind(self) -> StoreKind:
        """Which rules the store follows."""

    @property
    def root(self) -> Path:
        """The folder itself."""

    @property
    def prefix(self) -> str:
        """What goes before a note's path to show it to people."""

    @property
    def settings(self) -> StoreConfig:
        """What the configuration says of it."""

    @property
    def index_file(self) -> Path | None:
        """Where the index of the store is or would be; None for a kind of store without one."""

    def paths(self) -> tuple[str, ...]:
        """The paths of all notes: posix, relative to the root, sorted, ending in `.md`."""

    def read(self, path: str) -> Source:
        """The note at `path`.

        Raises NotFound, OutsideStore when the path or a link leads out, BadEncoding for no text.
        """

    def has(self, path: str) -> bool:
        """Whether `path` is exactly that of a note; no file is opened. Raises OutsideStore."""

    def sources(self) -> Iterator[Source]:
        """Every readable note, by path. What could not be read ends in the problems of `view`."""

    def view(self) -> StoreView:
        """Index rows, other files and what reading found wrong."""

    def outline(self) -> StoreView:
        """As `view`, from the listing and the index alone: no note is opened."""
