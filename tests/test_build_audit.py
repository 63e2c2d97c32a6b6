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
        "s/deep/b.html": '<a href="../a.html#x">x</a><a href="../../index.html?q=1#top">t</a><a href=?q=1>q</a>'
        '<a href="#">up</a><a href="../../graph.html#view=notes&amp;group=3">g</a><a href="../x.svg#part">s</a>'
        '<a HREF="HTTPS://e.example/">e</a><a href="../../folder/">f</a><a href="#%C3%A9">é</a><p id="é"></p>'
        '<img src="data:image/png;base64,AA">',
        "s/deep/er/c.html": '<a href="../b.html">b</a><a href="../../../s/deep/b.html">b</a>',
        "graph.html": '<p class="a"><p class="b"><p class="a">',
        "style.css": '@font-face{src:url("f.woff2")} a{background:url(data:image/png;base64,AA)} '
        "b{filter:url(#own)} c{background:url( 's/p%20q.png' )}",
    }
    assert faults(files, "s/p q.png", "f.woff2", "s/x.svg", "folder/") == []


def test_different_links_are_counted_page_by_page() -> None:
    audit = Audit()
    audit.add(
        "a.html",
        '<a href="b.html"><a href="b.html"><a href="b.html#x"><a href="#y"><a href="https://e.example">',
    )
    audit.add("b.html", '<a href="b.html"><a href="#x"><b id="x">')
    assert audit.links() == 5


def test_faults_stand_once_and_in_order() -> None:
    files = {
        "b.html": '<img src="//e.example/2"><img src="//e.example/1"><img src="//e.example/2"><a href="d"><a href="c">',
        "a.css": "a{background:url(//e.example/x)} b{background:url(//e.example/x)} @import 'e.css'",
    }
    assert faults(files) == [
        "loads '//e.example/x'",
        "link to e.css, which is not there",
        "loads '//e.example/2'",
        "loads '//e.example/1'",
        "link to c, which is not there",
        "link to d, which is not there",
    ]


def test_a_large_site_is_understood_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """When too many tags are known they are forgotten, and nothing that was said of pages is."""
    monkeypatch.setattr("memsite.build.audit._KEPT", 3)
    pages = {
        f"{number}.html": f'<a href="{number + 1}.html#x"><a href="gone.html"><b id="x">'
        for number in range(9)
    }
    assert faults(pages, "9.html") == ["link to gone.html, which is not there"] * 9


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
        ('<img srcset="//e.example/x.png">', "loads '//e.example/x.png'"),
        ('<video poster="http://e.example/x.png">', "loads 'http://e.example/x.png'"),
        ('<link rel="shortcut icon" href="http://e.example/x">', "loads 'http://e.example/x'"),
        ("<LINK rel=manifest href=b.json>", "link to b.json, which is not there"),
        ('<img src="data:text/html,x">', "loads 'data:text/html,x'"),
        ('<a href="data:image/png;base64,AA">', "leads to 'data:image/png;base64,AA'"),
        ('<a href="//e.example/">', "leads to '//e.example/'"),
        ('<a href="ftp://e.example/">', "leads to 'ftp://e.example/'"),
        ('<a href="b%23c.html?q=1">', "link to b#c.html, which is not there"),
        ('<a href="sub/../../a.html">', "link to 'sub/../../a.html', which depends on where the site stands"),
        ('<a href="?q=1#no">', "link to a.html#no, an anchor that is not there"),
        ('<a href="#%C3%A9">', "link to a.html#é, an anchor that is not there"),
        ('<a href="sub/../a.html#%C3%A9">', "link to a.html#é, an anchor that is not there"),
        ('<a href="javascript:alert(1)">', "leads to 'javascript:alert(1)'"),
        ('<a href="java&#115;cript:alert(1)">', "leads to 'javascript:alert(1)'"),
        ('<p title=">" id="x"></p><p id="x"></p>', "the id 'x' stands twice"),
    ],
)
def test_faults_are_named(html: str, fault: str) -> None:
    assert faults({"a.html": html}) == [fault]


@pytest.mark.parametrize(
    "rel", ["stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"]
)
def test_what_the_head_of_a_page_loads(rel: str) -> None:
    assert faults({"a.html": f'<link rel="{rel}" href="https://e.example/x">'}) == [
        "loads 'https://e.example/x'"
    ]


def test_a_style_sheet_loads_nothing_from_elsewhere() -> None:
    assert faults({"a.css": '@import "https://e.example/x.css";'}) == ["loads 'https://e.example/x.css'"]


def test_text_that_looks_like_a_link_is_none() -> None:
    assert faults({"a.html": '<p title="href=&quot;x&quot;">href="y" &lt;a href="z"&gt;</p>'}) == []


@pytest.mark.parametrize("html", ["<a " * 50_000, "<a " + "x" * 200_000, '<a b="' * 50_000, "<" * 200_000])
def test_the_audit_is_linear(html: str) -> None:
    start = time.process_time()
    Audit().add("a.html", html)
    assert time.process_time() - start < 10
