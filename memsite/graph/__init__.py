"""Parsed notes -> resolved links, backlinks, concepts, networks, mentions. No disk, no clock, no chance."""

from memsite.graph.resolve import named, resolve

__all__ = ["named", "resolve"]
