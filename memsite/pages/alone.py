"""Documents that bring their own scripts: each is named by its hash in the policy, and no other runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memsite.pages.frame import Desk
from memsite.templates import templates_folder

if TYPE_CHECKING:
    from markupsafe import Markup

_DRAWING = ("vendor/mermaid/mermaid.min.js", "diagrams-draw.js")


def own_source(name: str) -> str:
    """A file of `static/` as it may stand inside an element."""
    path = templates_folder() / "static" / name
    return path.read_text(encoding="utf-8").rstrip("\n").replace("\r\n", "\n")


def hash_policy(*, scripts: Sequence[str], styles: str) -> str:
    """A Content-Security-Policy that lets run what is listed and load nothing. `styles`: the source list."""
    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {styles}; "
        "base-uri 'none'; form-action 'none'"
    )


def hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)


@dataclass(frozen=True, slots=True)
class DiagramsView:
    policy: str
    scripts: tuple[Markup, ...]


def diagrams(desk: Desk) -> str:
    """The page of the frame that draws diagrams. A frame without rights may load nothing from the site,
    its own scripts included, so they stand in it. What it draws it must be allowed to style."""
    from markupsafe import Markup

    sources = [own_source(name) for name in _DRAWING]
    view = DiagramsView(
        hash_policy(scripts=sources, styles="'unsafe-inline'"),
        tuple(Markup(source) for source in sources),  # noqa: S704  (memsite's own files)
    )
    return desk.templates.get("diagrams.html").render(view=view, site=desk.site)
