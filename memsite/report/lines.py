"""Problems as lines: for a terminal, and as annotations of a pull request on GitHub."""

from __future__ import annotations

from memsite.markdown.names import visible
from memsite.note import Problem, Severity
from memsite.report.health import Health, summary

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def text_report(health: Health) -> str:
    """`path:line:column severity CODE rule message`, one line each, and a summary line."""
    return "".join(f"{line}\n" for line in (*map(text_line, health.problems), summary(health)))


def text_line(problem: Problem) -> str:
    """One line whatever the memory holds: no control character reaches the terminal."""
    # A log of GitHub Actions takes a line that begins so for a command.
    here = "./" if problem.path.lstrip().startswith(("::", "##[")) else ""
    place = f"{here}{problem.path}:{problem.line}:{problem.column}"
    return one_line(f"{place} {problem.severity} {problem.code} {problem.rule} {problem.message}")


def one_line(text: str) -> str:
    """`text` without line breaks, control and direction characters spelled out."""
    return visible(text.replace("\n", " ").replace("\t", " "))


def github_report(health: Health) -> str:
    """Workflow commands that GitHub shows at the line of the file."""
    return "".join(f"{line}\n" for line in (*map(github_line, health.problems), one_line(summary(health))))


def github_line(problem: Problem) -> str:
    """`::warning file=…,line=…,col=…,title=…::message`, escaped as the runner's toolkit does."""
    properties = {
        "file": problem.path,
        "line": str(problem.line),
        "col": str(problem.column),
        "title": f"{problem.code} {problem.rule}",
    }
    listed = ",".join(f"{name}={_property(one_line(value))}" for name, value in properties.items())
    advice = f"\n{problem.hint}" if problem.hint else ""
    return f"::{_COMMANDS[problem.severity]} {listed}::{_message(problem.message + advice)}"


def _message(text: str) -> str:
    escaped = visible(text).replace("%", "%25").replace("\r", "%0D")
    return escaped.replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
