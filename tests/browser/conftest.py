"""What the tests in a browser share: a small server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Serving = Callable[[Path], str]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Serving]:
    """Serves folders over HTTP until the module ends; tells the URL of each, which ends in `/`."""
    running: list[tuple[http.server.ThreadingHTTPServer, threading.Thread]] = []

    def serve(folder: Path) -> str:
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))
        )
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()
