"""Stores: folders of notes, how they are found and how they are read."""

from __future__ import annotations

from memsite.stores.discovery import Discovery, Tried, find_stores, project_root
from memsite.stores.protocol import Store

__all__ = ["Discovery", "Store", "Tried", "find_stores", "project_root"]
