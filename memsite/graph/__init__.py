"""Parsed notes -> resolved links, backlinks, concepts, networks, mentions. No disk, no clock, no chance."""

from memsite.graph.communities import Community
from memsite.graph.layout import layout, radius
from memsite.graph.network import CONCEPT, Edge, Network, Node, concept_network, note_network
from memsite.graph.resolve import named, resolve

__all__ = [
    "CONCEPT",
    "Community",
    "Edge",
    "Network",
    "Node",
    "concept_network",
    "layout",
    "named",
    "note_network",
    "radius",
    "resolve",
]
