"""Which pages a site has, where they lie, and what stands on them.

`plan` decides every page and URL; `render` makes the bytes of one page from the plan and nothing
else. What the plan does not list as pages comes from `search_files`, `graph_files`,
the static folder, the notes' own Markdown (`SitePlan.sources`) and their files (`SitePlan.assets`).
"""

from __future__ import annotations

from memsite.pages.draft import Drafts
from memsite.pages.graph_page import (
    Placement,
    graph_document,
    graph_files,
    graph_views,
    placements,
    placements_json,
    read_placements,
)
from memsite.pages.keys import Keys
from memsite.pages.machine import response_headers
from memsite.pages.plan import Changes, Page, SitePlan, linked_assets, plan
from memsite.pages.publish import published_graph, published_problems
from memsite.pages.rendering import prepare, render, static_files
from memsite.pages.search import search_files
from memsite.pages.source import published_source

__all__ = [
    "Changes",
    "Drafts",
    "Keys",
    "Page",
    "Placement",
    "SitePlan",
    "graph_document",
    "graph_files",
    "graph_views",
    "linked_assets",
    "placements",
    "placements_json",
    "plan",
    "prepare",
    "published_graph",
    "published_problems",
    "published_source",
    "read_placements",
    "render",
    "response_headers",
    "search_files",
    "static_files",
]
