"""Load, edit, check and publish what AI agents remember.

`open_memory(project)` gives the memory of a project, `build_site(memory, output)` its wiki:

    from memsite import build_site, open_memory

    memory = open_memory(".")
    for problem in memory.problems():
        print(problem.path, problem.line, problem.message)
    build_site(memory, "site")

Everything in `__all__` is the public interface; it is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsite import check
    from memsite.build import BuildResult, build_site
    from memsite.config import Config, load_config
    from memsite.errors import MemsiteError
    from memsite.memory import Memory, open_memory
    from memsite.note import Document, Graph, Heading, Link, Note, Problem

__version__ = "0.1.0"

__all__ = [
    "BuildResult",
    "Config",
    "Document",
    "Graph",
    "Heading",
    "Link",
    "Memory",
    "MemsiteError",
    "Note",
    "Problem",
    "__version__",
    "build_site",
    "check",
    "load_config",
    "open_memory",
]

_HOME = {
    "BuildResult": "memsite.build",
    "Config": "memsite.config",
    "Document": "memsite.note",
    "Graph": "memsite.note",
    "Heading": "memsite.note",
    "Link": "memsite.note",
    "Memory": "memsite.memory",
    "MemsiteError": "memsite.errors",
    "Note": "memsite.note",
    "Problem": "memsite.note",
    "build_site": "memsite.build",
    "load_config": "memsite.config",
    "open_memory": "memsite.memory",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that a small command starts fast."""
    if name == "check":
        return import_module("memsite.check")
    if name not in _HOME:
        raise AttributeError(f"module 'memsite' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
