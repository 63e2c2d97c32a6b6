"""Where the shipped templates and static files lie.

The wheel holds them as `memsite/_templates`; in a checkout (and an editable install) they are the
top-level folder `templates`, beside the package.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def templates_folder() -> Path:
    """The folder of memsite's own templates, with `static/` in it.

    Raises FileNotFoundError when the installation lacks them.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_templates", package.parent / "templates"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"memsite's templates are missing beside {package}")
