"""Fixtures that more than one test module needs."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from written_memory import Make

    from memsite.memory import Memory

# How long an example takes says how busy the machine is.
settings.register_profile("memsite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memsite")

WriteTree = Callable[[Mapping[str, str | bytes]], Path]


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `files` (posix paths to text or bytes) below `root` and return `root`."""
    for name, written in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written.encode() if isinstance(written, str) else written)
    return root


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes files by their names and opens the memory they make; see `written_memory`."""
    from written_memory import memory_of

    return functools.partial(memory_of, tmp_path)


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the stores or the configuration of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    # The rules of the second leak scanner take seconds to make: one place for all tests and workers.
    monkeypatch.setenv("KF_RULE_CACHE_DIR", str(tmp_path_factory.getbasetemp().parent / "leak-rules"))


@pytest.fixture
def project(tmp_path: Path) -> WriteTree:
    """Writes a dict of files as a project below the test's own folder and returns its root.

    A memsite.toml is added when the files bring none: `notes/` is then a vault of that name.
    """

    def write(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        (root / "notes").mkdir(exist_ok=True)
        if "memsite.toml" not in files and not (root / "memsite.toml").exists():
            (root / "memsite.toml").write_text(
                '[stores.notes]\nkind = "vault"\npath = "notes"\n', encoding="utf-8"
            )
        return write_tree(root, files)

    return write


@pytest.fixture
def memory_of(project: WriteTree) -> Callable[[Mapping[str, str | bytes]], Memory]:
    """Opens the memory of a dict of files."""
    from memsite.memory import open_memory

    return lambda files: open_memory(project(files))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Callable[[Path], str]]:
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the machine's own if there is one, else Playwright's.

    One a module: while it lives its event loop runs, and no other test can start one.
    """
    from playwright.sync_api import sync_playwright

    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=own)
        yield chromium
        chromium.close()
