"""How fast the graph page is in a real browser, beside stock pyvis output on the same graph.

    python -m tests.bench.graph_browser            200, 1,000, 5,000, 10,000 and 50,000 nodes; stock pyvis at 200
    python -m tests.bench.graph_browser --stock    stock pyvis at all sizes (minutes; stopped after --patience seconds)

Four edges a node. `first`: from navigation to the first full picture, best (median) of the runs; `block`:
longest task of the main thread until then; frames: median / p95 of the time between two frames while one
wheel or drag event comes with each; `hover`: from the pointer on a node to the lit picture; `heap`: JavaScript
heap after a collection; `cpu`: time of the main thread's processor until the first picture / a pan frame,
which says more than the clock where the machine is busy. Milliseconds and MB. `layout`: CPU seconds of communities and layout, cold and warm.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import http.server
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memsite.config import Config
from memsite.graph import layout, resolve
from memsite.pages import plan, static_files
from memsite.pages.graph_page import picture_files
from memsite.pages.graph_pictures import view_of
from tests.bench.graph_networks import made_up, wiki_network

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
ARGUMENTS += ["--disable-component-update", "--disable-sync"]

# Runs before the page's own scripts.
WATCH = """
window.longest = 0; window.first = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longest = Math.max(window.longest, e.duration); })
  .observe({ type: "longtask", buffered: true });
(function look() {
  const root = document.getElementById("ms-graph");
  if (root && root.dataset.ready) return requestAnimationFrame(() => requestAnimationFrame(() => { window.first = performance.now(); }));
  if (window.network && window.network.body && !window.hooked) {
    window.hooked = true;
    window.network.once("stabilizationIterationsDone", () => requestAnimationFrame(() => requestAnimationFrame(() => { window.first = performance.now(); })));
    return;
  }
  requestAnimationFrame(look);
})();
"""

FRAMES = """async (kind) => {
  const canvas = document.querySelector("canvas");
  const box = canvas.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2 + 100, box.top + box.height / 2];
  const point = (type, dx) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, pointerId: 1,
    pointerType: "mouse", button: 0, buttons: type === "pointerup" ? 0 : 1, clientX: x + dx, clientY: y + dx / 2, isPrimary: true }));
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  if (kind === "pan") point("pointerdown", 0);
  let last = await frame();
  for (let i = 0; i < 90; i++) {
    if (kind === "pan") point("pointermove", 3 * (i < 45 ? i : 90 - i));
    else canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, deltaY: i < 45 ? -30 : 30, clientX: x, clientY: y }));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  if (kind === "pan") point("pointerup", 0);
  return times.slice(5);
}"""

# Points at a grid of places until a node is lit; says how long the lit picture took, worst of five nodes.
HOVER = """async () => {
  const stage = document.getElementById("ms-graph-stage");
  const box = stage.getBoundingClientRect();
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  for (let i = 0; i < 900 && times.length < 5; i++) {
    const at = { clientX: box.left + box.width * (0.3 + 0.5 * ((i * 0.618) % 1)), clientY: box.top + box.height * (0.2 + 0.6 * ((i * 0.382) % 1)) };
    const start = performance.now();
    stage.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", ...at }));
    await frame();
    await new Promise((done) => setTimeout(done, 0));
    if (!stage.classList.contains("mg-over")) continue;
    await frame();
    await new Promise((done) => setTimeout(done, 0));
    times.push(performance.now() - start);
    stage.dispatchEvent(new PointerEvent("pointerleave", { bubbles: true }));
    await frame();
  }
  return times.length ? Math.max(...times) : 0;
}"""


def write_ours(folder: Path, count: int) -> str:
    """The graph page at `count` nodes; says what its layout cost and how big its data are."""
    start = time.process_time()
    network = wiki_network(count)
    view = view_of("concepts", network, made_up)
    cold = time.process_time() - start
    start = time.process_time()
    layout(network, previous=dict(zip((dot.id for dot in view.dots), view.layout, strict=True)))
    warm = time.process_time() - start
    empty = plan(resolve([], []), (), Config())
    first = 0
    for url, written in picture_files(empty, {"concepts": view}):
        path = folder / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written)
        if url.endswith(("model.js", "points.js")):
            first += len(gzip.compress(written))
    for url, source in static_files(empty):
        (folder / url).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / url)
    return f"layout {cold:.1f} s cold, {warm:.1f} s warm; model + points {first / 1000:.0f} KB gzipped"


def write_stock(folder: Path, count: int) -> None:
    """What pyvis itself writes, all in one file. Nodes and edges are put in at once: one by one takes minutes."""
    from pyvis.network import Network as Stock

    network = wiki_network(count)
    stock = Stock(height="900px", cdn_resources="in_line")
    stock.nodes = [
        {"id": n.id, "label": n.label, "shape": "dot", "value": n.degree, "group": n.community}
        for n in network.nodes
    ]
    stock.edges = [{"from": e.source, "to": e.target, "value": e.weight} for e in network.edges]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.html").write_text(stock.generate_html(), encoding="utf-8")


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/graph.html"
    finally:
        server.shutdown()


def measured(browser: Any, url: str, *, patience: float) -> dict[str, Any] | None:
    """One visit. None when there was no picture within `patience` seconds."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.set_default_timeout(patience * 1000)
    page.add_init_script(WATCH)
    # Stock pages ask for files of other hosts, which must not decide how long they take.
    page.route("**/*", lambda route: route.continue_() if "127.0.0.1" in route.request.url else route.abort())
    try:
        page.goto(url, wait_until="commit")
        end = time.monotonic() + patience
        while not (first := page.evaluate("window.first")):
            if time.monotonic() > end:
                return None
            time.sleep(0.05)
        found: dict[str, Any] = {"first": first, "cpu": cpu(session)}
        time.sleep(0.6)
        found["block"] = page.evaluate("window.longest")
        for kind in ("zoom", "pan"):
            before = cpu(session)
            found[kind] = page.evaluate(FRAMES, kind)
            found["frame"] = (cpu(session) - before) / 90
            time.sleep(0.5)
        found["hover"] = page.evaluate(HOVER) if page.query_selector("#ms-graph-stage") else 0
        session.send("HeapProfiler.collectGarbage")
        found["heap"] = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        return found
    except Exception as failure:
        if "Timeout" not in str(failure):
            raise
        return None
    finally:
        context.close()


def cpu(session: Any) -> float:
    """Milliseconds of processor time that the main thread has spent on this page."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def line(name: str, count: int, visits: list[dict[str, Any] | None], note: str = "") -> str:
    seen = [visit for visit in visits if visit]
    if not seen:
        return f"{name:6} {count:>6}  no picture"
    firsts = [visit["first"] for visit in seen]
    frames = {}
    for kind in ("zoom", "pan"):
        deltas = [delta for visit in seen for delta in visit[kind]]
        frames[kind] = f"{statistics.median(deltas):5.1f} /{statistics.quantiles(deltas, n=20)[18]:6.1f}"
    middle = {
        key: statistics.median(visit[key] for visit in seen)
        for key in ("block", "hover", "heap", "cpu", "frame")
    }
    return (
        f"{name:6} {count:>6}  {min(firsts):7.0f} ({statistics.median(firsts):.0f})  {middle['block']:6.0f}  "
        f"{frames['zoom']}  {frames['pan']}  {middle['hover']:5.0f}  {middle['heap']:5.1f}  "
        f"{middle['cpu']:5.0f} /{middle['frame']:5.1f}  {note}"
    )


def main() -> None:
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--sizes", type=int, nargs="+", default=[200, 1_000, 5_000, 10_000, 50_000])
    options.add_argument("--stock", action="store_true", help="stock pyvis at all sizes, not at 200 only")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--patience", type=float, default=180)
    chosen = options.parse_args()
    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    print(
        "page    nodes    first (med)   block  zoom median/p95  pan median/p95  hover   heap    cpu first/frame"
    )
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=own, args=ARGUMENTS)
        for count in chosen.sizes:
            folder = Path(place, f"ours-{count}")
            note = write_ours(folder, count)
            with served(folder) as url:
                print(
                    line(
                        "ours", count, [measured(browser, url, patience=60) for _ in range(chosen.runs)], note
                    ),
                    flush=True,
                )
            if count <= 200 or (chosen.stock and count <= 10_000):
                write_stock(Path(place, f"stock-{count}"), count)
                with served(Path(place, f"stock-{count}")) as url:
                    print(
                        line("stock", count, [measured(browser, url, patience=chosen.patience)]), flush=True
                    )
        browser.close()


if __name__ == "__main__":
    main()
