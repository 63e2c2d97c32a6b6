"""Markdown in, documents out: the only part of memsite that understands a note's text."""

from memsite.markdown.document import parse, parse_front_matter
from memsite.markdown.metadata import describe
from memsite.markdown.names import concept_key, match_key, slug, visible
from memsite.markdown.sections import Section, body_start, sections, wikilinks, without_comments

__all__ = [
    "Section",
    "body_start",
    "concept_key",
    "describe",
    "match_key",
    "parse",
    "parse_front_matter",
    "sections",
    "slug",
    "visible",
    "wikilinks",
    "without_comments",
]
