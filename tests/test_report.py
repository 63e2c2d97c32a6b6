"""Every format names every problem at its place, and none of them is fooled by what a memory holds."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from broken_memory import EXPECTED
from junitparser import JUnitXml
from markdown_it import MarkdownIt

from memsite.check import BY_CODE, RULES, Budget
from memsite.check.diff import MemoryDiff, NoteName
from memsite.note import Problem
from memsite.report import FORMATS, Health, badge, json_schema, report
from memsite.report.health import StoreCount, summary

SARIF_SCHEMA = Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json"
HOSTILE = (
    "\"'><script>alert(1)</script> | `x` [y](javascript:z) @alice #12 \x1b[31m\u202e \ud800 \x00 ::error::"
)


def problem(code: str, path: str, line: int, **changes: object) -> Problem:
    rule = BY_CODE[code]
    found = Problem(
        code, rule.name, rule.severity, path, line, 2, f"a message of {code}", "a hint", store="notes"
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def health(*problems: Problem) -> Health:
    return Health(
        problems=problems,
        stores=(StoreCount("notes", "vault", "notes", 7), StoreCount("system", "system", "~/m", 1)),
        budgets=(Budget("MEMORY.md", 240, 200, 9000, 25000),),
    )


ALL = health(*(problem(code, path, line) for code, path, line in EXPECTED))
NONE = health()


def hostile() -> Health:
    fields = {"message": HOSTILE, "hint": HOSTILE, "related": (HOSTILE,)}
    return replace(health(problem("W005", f"notes/{HOSTILE}.md", 3, **fields)), title=HOSTILE)


def test_text_lines() -> None:
    lines = FORMATS["text"](ALL).splitlines()
    assert lines[0] == f"{EXPECTED[0][1]}:9:2 warning W001 index-mismatch a message of W001"
    assert len(lines) == len(EXPECTED) + 1
    assert lines[-1] == "0 errors, 12 warnings, 6 infos in 8 notes of 2 stores"
    assert FORMATS["text"](NONE) == "no findings in 8 notes of 2 stores\n"


def test_text_is_safe_for_a_terminal() -> None:
    text = FORMATS["text"](hostile())
    assert text.count("\n") == 2
    assert text.replace("\n", "").isprintable()


def test_accepted_problems_are_counted() -> None:
    assert summary(replace(NONE, accepted=3)).endswith("(3 more accepted by the baseline)")


def test_github_annotations() -> None:
    lines = FORMATS["github"](ALL).splitlines()
    pattern = re.compile(
        r"::(error|warning|notice) file=([^,]+),line=(\d+),col=2,title=(W\d{3}) [a-z-]+::.+%0Aa hint$"
    )
    found = [pattern.match(line) for line in lines[:-1]]
    assert [(match[4], match[2], int(match[3])) for match in found if match] == list(EXPECTED)


def test_github_annotations_cannot_be_forged() -> None:
    odd = problem("W005", "a,b:c%0A.md", 1, message="one\n::error::two\r\nthree %0A")
    line = FORMATS["github"](health(odd)).splitlines()[0]
    assert line.startswith("::warning file=a%2Cb%3Ac%250A.md,line=1,")
    assert "\r" not in line
    assert "%250A" in line.partition("::one")[2]
    assert len(FORMATS["github"](hostile()).splitlines()) == 2


def sarif(state: Health) -> dict[str, object]:
    log: dict[str, object] = json.loads(report(state)["report.sarif"])
    jsonschema.Draft4Validator(
        json.loads(SARIF_SCHEMA.read_text(encoding="utf-8")), format_checker=jsonschema.FormatChecker()
    ).validate(log)
    return log


def test_sarif_is_valid_and_names_all() -> None:
    (run,) = sarif(ALL)["runs"]  # type: ignore[misc, attr-defined]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    found = []
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        found.append((result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]))
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert found == list(EXPECTED)


@pytest.mark.parametrize("state", [NONE, hostile()])
def test_sarif_is_valid_for_anything(state: Health) -> None:
    sarif(state)


def test_sarif_uris() -> None:
    log = sarif(health(problem("W005", "a b/ü#1:?.md", 1), problem("W005", "~/.claude/a.md", 1)))
    results = log["runs"][0]["results"]  # type: ignore[index]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in results]
    assert places == [
        {"uri": "a%20b/%C3%BC%231%3A%3F.md", "uriBaseId": "%SRCROOT%"},
        {"uri": ".claude/a.md", "uriBaseId": "HOME"},
    ]


def test_junit_is_read_by_a_parser() -> None:
    suites = JUnitXml.fromstring(report(ALL)["junit.xml"])
    failed = [
        (suite.name[:4], case.classname, case.result[0].type)
        for suite in suites
        for case in suite
        if case.result
    ]
    wanted = [(code, path, f"{code} {BY_CODE[code].severity}") for code, path, _ in EXPECTED]
    assert [row for row in failed if row[2]] == [row for row in wanted if not row[2].endswith("info")]
    assert suites.tests == len(EXPECTED)
    assert suites.failures == 12
    assert all(f"{path}:{line}:2" in report(ALL)["junit.xml"].decode() for _, path, line in EXPECTED)


def test_junit_without_problems_passes() -> None:
    suites = JUnitXml.fromstring(report(NONE)["junit.xml"])
    assert (suites.tests, suites.failures) == (len(RULES), 0)


def test_junit_is_xml_whatever_the_memory_holds() -> None:
    root = ET.fromstring(report(hostile())["junit.xml"])
    assert root.find(".//script") is None
    assert "<script>" in (root.find(".//failure").text or "")  # type: ignore[union-attr]


def test_json_follows_its_schema() -> None:
    for state in (ALL, NONE, hostile()):
        value = json.loads(report(state)["report.json"])
        jsonschema.Draft202012Validator(json_schema()).validate(value)
    value = json.loads(report(ALL)["report.json"])
    assert [(each["code"], each["path"], each["line"]) for each in value["problems"]] == list(EXPECTED)
    assert value["summary"] == {"notes": 8, "accepted": 0, "error": 0, "warning": 12, "info": 6}
    assert value["budgets"] == [
        {"path": "MEMORY.md", "lines": 240, "max_lines": 200, "bytes": 9000, "max_bytes": 25000}
    ]


def test_the_schema_refuses_what_is_no_report() -> None:
    value = json.loads(report(ALL)["report.json"])
    jsonschema.Draft202012Validator.check_schema(json_schema())
    for broken in ({**value, "format": "memsite-report/9"}, {**value, "problems": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(json_schema()).validate(broken)


def test_markdown_summary() -> None:
    text = report(ALL)["summary.md"].decode()
    for code, path, line in EXPECTED:
        assert f"{code} {BY_CODE[code].name}" in text
        assert f"`{path}:{line}:2`" in text
    assert "240 of 200 ⚠️" in text
    assert report(NONE)["summary.md"].decode().startswith("## ✅ Memory\n\nno findings in 8 notes")


def test_markdown_summary_is_inert() -> None:
    text = report(hostile())["summary.md"].decode()
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<script" not in html
    assert "javascript:" not in re.sub(r"<code>.*?</code>", "", re.sub(r">[^<]*<", "><", html))
    outside_code = re.sub(r"<code>.*?</code>", "", html)
    assert "@alice" not in outside_code
    assert "#12" not in outside_code
    assert html.count("<td>") == 6


def test_a_long_summary_is_cut() -> None:
    many = health(*(problem("W005", f"notes/{number}.md", 1) for number in range(5000)))
    text = report(many)["summary.md"].decode()
    assert "… and 4,975 more." in text
    assert len(text) < 65_000


def test_a_summary_fits_into_a_comment_whatever_the_memory_holds() -> None:
    long = "x|" * 5000
    many = health(
        *(
            problem(code, f"notes/{long[:200]}{n}.md", n, message=long)
            for code, _, _ in EXPECTED
            for n in range(60)
        )
    )
    diff = MemoryDiff(
        *((NoteName(long, long),) * 50,) * 2, *((),) * 5, *((long,) * 50,) * 2, (), many.problems, (), ()
    )
    text = report(replace(many, diff=diff))["summary.md"].decode()
    assert len(text) < 65_000
    assert "left out for want of room" in text
    assert text.count("<details") == text.count("</details>") > 0


@pytest.mark.parametrize("path", ["::error::x.md", "##[error]x.md", " ::stop-commands::x.md"])
def test_no_line_of_the_text_is_a_command_of_a_runner(path: str) -> None:
    line = FORMATS["text"](health(problem("W005", path, 1))).splitlines()[0]
    assert line.startswith(f"./{path}")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.addresses: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("state", [ALL, NONE, hostile()])
def test_html_is_one_harmless_file(state: Health) -> None:
    tags = _Tags()
    tags.feed(report(state)["report.html"].decode())
    assert tags.names.isdisjoint({"script", "link", "img", "iframe"})
    assert (tags.addresses, tags.handlers) == ([], [])


def test_html_names_all() -> None:
    text = report(ALL)["report.html"].decode()
    for code, path, line in EXPECTED:
        assert f'id="{code}"' in text
        assert f"{path}:{line}:2" in text
    assert "None found." in report(NONE)["report.html"].decode()


def test_badge() -> None:
    assert "12 warnings" in badge(ALL)
    assert "healthy" in badge(NONE)
    assert "1 error" in badge(
        health(problem("W005", "a.md", 1, severity="error"), problem("W011", "a.md", 1))
    )
    root = ET.parse(io.StringIO(badge(ALL))).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_equal_health_equal_bytes() -> None:
    assert report(ALL) == report(replace(ALL))
    assert sorted(report(ALL)) == [
        "badge.svg",
        "junit.xml",
        "report.html",
        "report.json",
        "report.sarif",
        "summary.md",
    ]
