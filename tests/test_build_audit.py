"""The audit finds what does not fit in a built site, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from memsite.build.audit import Audit


def faults(files: Mapping[str, str], *more: str) -> list[str]:
    audit = Audit()
    for url, text in files.items():
        audit.add(url, text)
    return [fault.partition(": ")[2] for fault in audit.faults({*files, *more})]


def test_a_sound_site_has_no_faults() -> None:
    files = {
        "index.html": '<a href="s/a.html#x">a</a><a href="#top">t</a><p id="top"></p>'
        '<link rel="canonical" href="https://example.org/"><a href="https://example.org">e</a>',
        "s/a.html": "<h2 id='x'>X</h2><a href=\"../index.html\">i</a>"
        '<img src="p%20q.png"><a href="mailto:a@b.c">m</a>',
        "style.css": '@font-face{src:url("f.woff2")} a{background:url(data:image/png;base64,AA)}',
    }
    assert faults(files, "s/p q.png", "f.woff2") == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="b.html">', "link to b.html, which is not there"),
        ('<a href="a.html#no">', "link to a.html#no, an anchor that is not there"),
        ('<a href="#no">', "link to a.html#no, an anchor that is not there"),
        ('<a href="%62.html">', "link to b.html, which is not there"),
        ('<a href="sub/">', "link to sub/, which is not there"),
        ('<a href="/a.html">', "link to '/a.html', which depends on where the site stands"),
        ('<a href="../a.html">', "link to '../a.html', which depends on where the site stands"),
        ('<img src="https://e.example/x.png">', "loads 'https://e.example/x.png'"),
        ('<img src="//e.example/x.png">', "loads '//e.example/x.png'"),
        ('<script src="http://e.example/x.js"></script>', "loads 'http://e.example/x.js'"),
        ('<link rel="stylesheet" href="https://e.example/x.css">', "loads 'https://e.example/x.css'"),
        ('<a href="javascript:alert(1)">', "leads to 'javascript:alert(1)'"),
        ('<a href="java&#115;cript:alert(1)">', "leads to 'javascript:alert(1)'"),
        ('<p title=">" id="x"></p><p id="x"></p>', "the id 'x' stands twice"),
    ],
)
def test_faults_are_named(html: str, fault: str) -> None:
    assert faults({"a.html": html}) == [fault]


def test_a_style_sheet_loads_nothing_from_elsewhere() -> None:
    assert faults({"a.css": '@import "https://e.example/x.css";'}) == ["loads 'https://e.example/x.css'"]


def test_text_that_looks_like_a_link_is_none() -> None:
    assert faults({"a.html": '<p title="href=&quot;x&quot;">href="y" &lt;a href="z"&gt;</p>'}) == []


@pytest.mark.parametrize("html", ["<a " * 50_000, "<a " + "x" * 200_000, '<a b="' * 50_000, "<" * 200_000])
def test_the_audit_is_linear(html: str) -> None:
    start = time.process_time()
    Audit().add("a.html", html)
    assert time.process_time() - start < 10
