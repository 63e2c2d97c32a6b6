"""Live preview: build, serve on this machine only, watch, build again, tell the open pages."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from memsite.errors import BadArgument, MemsiteError
from memsite.serve.sketches import Sketches

if TYPE_CHECKING:
    from memsite.build import BuildResult
    from memsite.memory import Memory
    from memsite.serve.app import Live

__all__ = ["Preview", "serve"]

LOOPBACK = "127.0.0.1"
FIRST_PORT = 8420
PORTS_TRIED = 50
DEBOUNCE_MS = 150
QUIET_MS = 15
GRACE_SECONDS = 1
RETRY_SECONDS = 1
MOST_FAULTS = 10

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Preview:
    """How to preview a memory, and whom to tell.

    `reopen` gives the memory anew when the configuration has changed. `started` gets the address,
    `built` each result, `failed` what went wrong with a build.
    """

    reopen: Callable[[], Memory]
    output: Path
    started: Callable[[str], None]
    built: Callable[[BuildResult], None]
    failed: Callable[[str], None]
    polling: bool = False
    """Look for changes instead of being told: for network disks and containers."""


def serve(preview: Preview, *, host: str = LOOPBACK, port: int | None = None) -> None:
    """Serve until interrupted. Raises BadArgument (E019) for a port that is taken or a host that is not ours.

    A host other than the loopback one can be reached from other machines: every request then needs the
    token in the printed address.
    """
    import uvicorn

    # A build runs in a thread beside the server: requests and saved notes get their turn sooner.
    sys.setswitchinterval(0.001)
    from memsite.serve.app import Live, PreviewServer

    listening = _listen(host, port)
    token = "" if host == LOOPBACK else secrets.token_urlsafe(16)
    live = Live(preview.output.resolve())
    config = uvicorn.Config(
        PreviewServer(live, token),
        log_level="critical",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    name = f"http://{host}:{listening.getsockname()[1]}/"
    preview.started(f"{name}?token={token}" if token else name)

    async def run() -> None:
        watching = asyncio.create_task(_keep_built(preview, live))
        try:
            await server.serve(sockets=[listening])
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket: on `port`, or on the first free one from FIRST_PORT on."""
    for candidate in [port] if port is not None else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            # From now on who comes waits, so that the address may be told before the server runs.
            listening.listen()
        except (OSError, OverflowError):
            listening.close()
        else:
            return listening
    what = (
        f"port {port}"
        if port is not None
        else f"any of the ports {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1}"
    )
    raise BadArgument(
        f"{host} cannot be listened on at {what}: in use, not allowed, or no address of this machine.",
        hint="Leave --port out, or name another one; --host takes an address of this machine.",
    )


async def _keep_built(preview: Preview, live: Live) -> None:
    """Build, and build again after every change; open the memory anew when its configuration changes."""
    from watchfiles import awatch

    while True:
        memory = await _attempt(preview, live, preview.reopen)
        if memory is None:
            await asyncio.sleep(RETRY_SECONDS)
            continue
        watched = _watched(memory, preview.output.resolve())
        async with _building(_Builder(preview, live, memory)) as builder:
            async for changes in awatch(
                *watched.roots,
                watch_filter=watched.counts,
                debounce=DEBOUNCE_MS,
                step=QUIET_MS,
                force_polling=preview.polling or None,
                ignore_permission_denied=True,
            ):
                paths = {Path(path) for _, path in changes}
                if paths & watched.settings:
                    break
                await builder.changed(paths)


@dataclass(slots=True)
class _Builder:
    """Builds as often as something changes, one build at a time. A note that is saved is shown at once,
    while the build that puts it on all other pages still runs."""

    preview: Preview
    live: Live
    memory: Memory
    _wanted: asyncio.Event = field(default_factory=asyncio.Event)
    _sketches: Sketches | None = None
    _stopped: bool = False

    async def changed(self, paths: Iterable[Path]) -> None:
        sketches = self._sketches
        if sketches is not None:
            for url, page in await asyncio.to_thread(sketches.of, paths):
                self.live.draft(url, page)
            self.live.tell()
        self._wanted.set()

    async def run(self) -> None:
        self._wanted.set()
        while True:
            await self._wanted.wait()
            if self._stopped:
                return
            self._wanted.clear()
            before = dict(self.live.drafts)
            result = await _attempt(self.preview, self.live, self._build)
            if result is not None:
                self.live.fault = "\n".join(result.faults[:MOST_FAULTS])
                self.live.built((*result.written, *result.removed), before)
                self.live.tell()
                self.preview.built(result)
                self._sketches = await _attempt(self.preview, self.live, Sketches, self.memory, result.plan)

    def stop(self) -> None:
        """No more builds; the one that runs is finished."""
        self._stopped = True
        self._wanted.set()

    def _build(self) -> BuildResult:
        from memsite.build import build_site

        self.memory.reload()
        return build_site(self.memory, self.preview.output, leaks="publish", swapping=self.live.swapping)


@contextlib.asynccontextmanager
async def _building(builder: _Builder) -> AsyncIterator[_Builder]:
    task = asyncio.create_task(builder.run())
    try:
        yield builder
        builder.stop()
        await task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _attempt(
    preview: Preview, live: Live, step: Callable[[*Arguments], Result], *arguments: *Arguments
) -> Result | None:
    """One step in a thread of its own. What goes wrong is shown on the pages; the last good site stays."""
    shown = live.fault
    try:
        return await asyncio.to_thread(step, *arguments)
    except MemsiteError as error:
        live.fault = f"{error.code} {error.message}\n{error.hint}"
    except Exception as error:  # the preview outlives a fault of ours and shows it
        live.fault = f"memsite failed: {type(error).__name__}: {error}"
    if live.fault != shown:
        preview.failed(live.fault)
        live.tell()
    return None


@dataclass(frozen=True, slots=True)
class _Watched:
    """Where changes count: `roots` are looked at, `settings` are files that need the memory opened anew."""

    roots: tuple[Path, ...]
    settings: frozenset[Path]
    output: Path

    def counts(self, _change: object, path: str) -> bool:
        place = Path(path)
        return not place.is_relative_to(self.output) and ".memsite" not in place.parts


def _watched(memory: Memory, output: Path) -> _Watched:
    site = memory.config.site
    base = memory.config.file.parent if memory.config.file else memory.project
    settings = frozenset(memory.project / name for name in ("memsite.toml", "pyproject.toml"))
    own = (base / name for name in (site.templates, site.css) if name)
    roots = {store.root for store in memory.stores} | {path for path in (*own, *settings) if path.exists()}
    return _Watched(tuple(sorted(roots)), settings, output)
