"""Parsed notes -> resolved links, backlinks, concepts, networks, mentions. No disk, no clock, no chance."""

from memsite.graph.communities import Community
from memsite.graph.export import FORMATS, Format, export
from memsite.graph.kinship import Related, Similar, orphans, related, similar
from memsite.graph.layout import layout, radius
from memsite.graph.mentions import Mention, mentions
from memsite.graph.network import CONCEPT, Edge, Network, Node, concept_network, note_network
from memsite.graph.resolve import Resolver, resolve
from memsite.graph.walk import levels, neighbourhood, part

__all__ = [
    "CONCEPT",
    "FORMATS",
    "Community",
    "Edge",
    "Format",
    "Mention",
    "Network",
    "Node",
    "Related",
    "Resolver",
    "Similar",
    "concept_network",
    "export",
    "layout",
    "levels",
    "mentions",
    "neighbourhood",
    "note_network",
    "orphans",
    "part",
    "radius",
    "related",
    "resolve",
    "similar",
]
