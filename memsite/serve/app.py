"""The preview server's application: files of the site, an event stream, and who may ask for them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from html import escape
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from memsite.serve.files import Folder, decoded, file_at
from memsite.templates import templates_folder

EVENTS = "/-/events"
SCRIPT = "/-/reload.js"
HEARTBEAT_SECONDS = 15
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}
_COOKIE = "memsite"
_PROGRAMS = ("/static/diagrams-draw.js", "/static/vendor/mermaid/mermaid.min.js")
"""Files of memsite itself, which say nothing about the memory. The frame that draws diagrams has no
origin, so to it they come from elsewhere."""
ALL = "*"
"""Stands for every page, where something that all of them load has changed."""


@dataclass(slots=True)
class Live:
    """What the pages are told: which build they see, and what went wrong with the last one.

    A page has the number of the version in which it last changed, so that only those are loaded again
    that look different. `swapping` is held while a build swaps its files in, so that nobody sees half
    of it. All the rest belongs to the event loop.
    """

    root: Path
    version: int = 0
    fault: str = ""
    swapping: Lock = field(default_factory=Lock)
    drafts: dict[str, bytes] = field(default_factory=dict)
    """Pages by URL that are ahead of the site on disk."""
    _changed: dict[str, int] = field(default_factory=dict)
    _waiting: set[asyncio.Event] = field(default_factory=set)

    def version_of(self, url: str) -> int:
        """In which version the page at `url` last changed; the version of the site for no URL."""
        return max(self._changed.get(url, 0), self._changed.get(ALL, 0)) if url else self.version

    def state(self, url: str) -> str:
        return json.dumps({"version": str(self.version_of(url)), "fault": self.fault})

    def draft(self, url: str, page: bytes) -> None:
        """Show `page` at `url` until a build has made it."""
        if self.drafts.get(url) != page:
            self.drafts[url] = page
            self._change({url})

    def built(self, changed: Collection[str], before: Mapping[str, bytes]) -> None:
        """A build has changed these files. `before` are the drafts that it knew of: they have had
        their time, and who looks at one that was right sees no difference."""
        shown = {url: page for url, page in before.items() if self.drafts.get(url) is page}
        for url in shown:
            del self.drafts[url]
        right = {url for url, page in shown.items() if self._on_disk(url) == page}
        different = ({*changed} | shown.keys()) - right - self.drafts.keys()
        if any(url.startswith("graph/") for url in changed):
            different.add("graph.html")
        if self.version == 0 or any(url.startswith("static/") for url in changed):
            different.add(ALL)
        if different:
            self._change(different)

    def _change(self, urls: Iterable[str]) -> None:
        self.version += 1
        self._changed.update(dict.fromkeys(urls, self.version))

    def _on_disk(self, url: str) -> bytes:
        try:
            return (self.root / url).read_bytes()
        except OSError:
            return b""

    def tell(self) -> None:
        """Wake every open page. To be called in the event loop."""
        for event in self._waiting:
            event.set()

    async def changes(self, url: str = "") -> AsyncIterator[str]:
        """The state of the page at `url`, or of the whole site, now and after every change, as lines of
        an event stream."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            while True:
                event.clear()
                yield f"event: site\ndata: {self.state(url)}\n\n"
                while not event.is_set():
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(event.wait(), HEARTBEAT_SECONDS)
                        break
                    yield ": still here\n\n"
        finally:
            self._waiting.discard(event)


@dataclass(frozen=True, slots=True)
class PreviewServer:
    """An ASGI application. `token` is asked for when the server can be reached from elsewhere."""

    live: Live
    token: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        response = self._refusal(request) or await self._answer(request)
        if request.url.path in _PROGRAMS:
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        await response(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        """Why this request gets nothing, or None."""
        if request.method not in ("GET", "HEAD"):
            return Response("Only GET and HEAD.\n", 405, {"Allow": "GET, HEAD"}, "text/plain")
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not (self.token or _host_name(hosts[0]) in LOCAL_NAMES):
            return Response("This server answers to localhost only.\n", 400, media_type="text/plain")
        if request.url.path not in _PROGRAMS and _is_foreign(request, hosts[0]):
            return Response("Not for other sites.\n", 403, media_type="text/plain")
        return self._without_token(request) if self.token else None

    def _without_token(self, request: Request) -> Response | None:
        given = request.query_params.get("token", "")
        if compare_digest(given.encode(), self.token.encode()):
            response = RedirectResponse(request.url.remove_query_params("token").path)
            response.set_cookie(_COOKIE, self.token, httponly=True, samesite="strict")
            return response
        if compare_digest(request.cookies.get(_COOKIE, "").encode(), self.token.encode()):
            return None
        return Response(
            "Open the address with the token that memsite serve printed.\n", 403, media_type="text/plain"
        )

    async def _answer(self, request: Request) -> Response:
        path = decoded(request.scope["raw_path"])
        if path is None:
            return Response("Not a path.\n", 400, media_type="text/plain")
        if path == EVENTS:
            page = _url(request.query_params.get("page", ""))
            return StreamingResponse(self.live.changes(page), media_type="text/event-stream")
        if path == SCRIPT:
            script = (templates_folder() / "serve" / "reload.js").read_bytes()
            return Response(script, media_type="text/javascript; charset=utf-8")
        return await asyncio.to_thread(self._file, path)

    def _file(self, path: str) -> Response:
        with self.live.swapping:
            version = self.live.version_of(_url(path))
            if self.live.version == 0:
                return Response(
                    _with_script(_no_site(self.live), version), 503, media_type="text/html; charset=utf-8"
                )
            found = file_at(self.live.root, path)
            status = 200
            if found is None:
                found, status = file_at(self.live.root, "/404.html"), 404
            if isinstance(found, Folder):
                return RedirectResponse(path.rpartition("/")[2] + "/")
            if found is None:
                return Response("Not found.\n", 404, media_type="text/plain")
            written = (status == 200 and self.live.drafts.get(_url(path))) or found.path.read_bytes()
        if found.media_type.startswith("text/html") and not path.startswith("/static/"):
            written = _with_script(written, version)
        return Response(written, status, media_type=found.media_type)


def _is_foreign(request: Request, host: str) -> bool:
    """Whether a page of another site asks for something to put into itself."""
    origin, fetch = request.headers.get("origin"), request.headers
    comes_from_elsewhere = fetch.get("sec-fetch-site") in ("cross-site", "same-site")
    return (origin is not None and origin != f"http://{host}") or (
        comes_from_elsewhere and fetch.get("sec-fetch-mode") != "navigate"
    )


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _url(path: str) -> str:
    """The URL of the page at a decoded request path."""
    return f"{path[1:]}index.html" if path.endswith("/") else path[1:]


def _with_script(page: bytes, version: int) -> bytes:
    """The page with the script that reloads it, as its last element."""
    script = f'<script src="{SCRIPT}" data-events="{EVENTS}" data-version="{version}"></script>'
    before, end, after = page.rpartition(b"</body>")
    return before + script.encode() + end + after


def _no_site(live: Live) -> bytes:
    """What is shown until the first build has succeeded."""
    said = escape(live.fault) or "The site is being built."
    return f"<!doctype html><meta charset=utf-8><title>memsite</title><body><pre>{said}</pre></body>".encode()
