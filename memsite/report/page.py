"""The report as one HTML file that needs nothing else, and the badge."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from memsite.check import BY_CODE
from memsite.report.health import Health, summary
from memsite.report.lines import one_line
from memsite.report.markdown import diff_line
from memsite.wording import plural

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_COLOURS = {"error": "#c22f3d", "warning": "#b26a00", "info": "#2b6cb0", "": "#2d7d46"}


def html_report(health: Health) -> str:
    """All problems by rule, with figures, budgets and the diff; no script, nothing loaded."""
    html: str = _template().render(
        health=health,
        summary=summary(health),
        rules=[(BY_CODE[code], problems) for code, problems in health.by_rule.items()],
        diff=health.diff,
        diff_line=diff_line(health.diff) if health.diff else "",
    )
    return html


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from memsite.templates import templates_folder

    environment = Environment(
        loader=FileSystemLoader(templates_folder()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = one_line
    environment.filters["marked"] = marked
    return environment.get_template("report.html")


def marked(text: str) -> Markup:
    """A text of ours as HTML: only its code spans are markup."""
    from markupsafe import Markup

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))  # noqa: S704 - escaped just here


def badge(health: Health) -> str:
    """A small SVG: `memory | 2 warnings`, coloured by the gravest severity."""
    worst, count = next(((severity, count) for severity, count in health.counts.items() if count), ("", 0))
    right = plural(count, worst) if worst else "healthy"
    left_width, right_width = _width("memory"), _width(right)
    width = left_width + right_width
    label = escape(f"memory: {right}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" '
        f'aria-label="{label}">'
        f"<title>{label}</title>"
        f'<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left_width}" height="20" fill="#444c56"/>'
        f'<rect x="{left_width}" width="{right_width}" height="20" fill="{_COLOURS[worst]}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left_width / 2:g}" y="14">memory</text>'
        f'<text x="{left_width + right_width / 2:g}" y="14">{escape(right)}</text></g></svg>\n'
    )


def _width(text: str) -> int:
    """Width of `text` in the badge in px, set in 11 px Verdana (about 6.6 px a character), with margins."""
    return round(len(text) * 6.6) + 12
