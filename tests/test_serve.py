"""The preview server: raw requests, no client that tidies them up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import uvicorn

from memsite.errors import BadArgument
from memsite.memory import open_memory
from memsite.serve import FIRST_PORT, Preview, _keep_built, _listen
from memsite.serve.app import EVENTS, SCRIPT, Live, PreviewServer
from memsite.serve.files import Folder, Found, decoded, file_at

SECRET = "SECRET-7361"
PAGE = "<!doctype html><body><p>page</p></body>"


@contextlib.contextmanager
def running(live: Live, token: str = "") -> Iterator[int]:
    """A server in a thread of its own; its port."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        PreviewServer(live, token), log_level="critical", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.005)
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def ask(port: int, head: str, *, host: str | None = "127.0.0.1", more: str = "") -> tuple[int, str]:
    """Status and the rest of the answer to `head` (`GET /path`)."""
    lines = [f"{head} HTTP/1.1", "Connection: close"]
    lines += [f"Host: {host}"] if host is not None else []
    lines += [more] if more else []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode("latin-1"))
        answer = b""
        while part := connection.recv(65536):
            answer += part
    text = answer.decode("utf-8", "replace")
    return int(text.split(" ", 2)[1]), text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    root = home / "site"
    for name, text in {
        "index.html": PAGE,
        "a.html": PAGE,
        "100% a#b.html": PAGE,
        "日.html": PAGE,
        "sub/index.html": PAGE,
        "empty/x.html": PAGE,
        ".env": SECRET,
        ".git/config": SECRET,
        ".memsite-site": SECRET,
        "404.html": "<body>nothing here</body>",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (home / "site-private").mkdir()
    (home / "site-private" / "x.html").write_text(SECRET)
    (home / "secret.txt").write_text(SECRET)
    (root / "out").symlink_to("/etc")
    (root / "link.txt").symlink_to(home / "secret.txt")
    (root / "up").symlink_to(home)
    return root


@pytest.fixture(scope="module")
def port(site: Path) -> Iterator[int]:
    with running(Live(site.resolve(), version=1)) as number:
        yield number


@pytest.mark.parametrize(
    "path",
    [
        "/../site-private/x.html",
        "/%2e%2e/site-private/x.html",
        "/..%2fsite-private%2fx.html",
        "/%252e%252e%252fx",
        "/..%5csite-private%5cx.html",
        "/%5c..%5csecret.txt",
        "//etc/hosts",
        "/%2fetc%2fpasswd",
        "/out/hosts",
        "/a.html%00.png",
        "/../secret.txt",
        "/../../../../etc/passwd",
        "/sub/..%2f..%2fsecret.txt",
        "/..\\secret.txt",
        "/./../secret.txt",
        "/sub/../a.html",
        "/link.txt",
        "/up/secret.txt",
        "/.env",
        "/.git/config",
        "/sub/../.env",
        "/%2eenv",
        "/.memsite-site",
        "/" + "x" * 5000,
        "/empty/",
        "/%zz",
        "/%ff",
    ],
)
def test_nothing_outside_the_site_is_served(port: int, path: str) -> None:
    status, answer = ask(port, f"GET {path}")
    assert status in (400, 404)
    assert SECRET not in answer
    assert "root:" not in answer
    assert "localhost" not in answer.replace("answers to localhost", "")


def test_a_malformed_escape_is_no_path(port: int) -> None:
    assert ask(port, "GET /%zz")[0] == 400


@pytest.mark.parametrize(
    "path", ["/", "/a.html", "/100%25%20a%23b.html", "/%E6%97%A5.html", "/a.html?x=../", "/sub/"]
)
def test_pages_are_served(port: int, path: str) -> None:
    status, answer = ask(port, f"GET {path}")
    assert status == 200
    assert "<p>page</p>" in answer
    assert f'<script src="{SCRIPT}"' in answer
    for header in ("no-store", "nosniff", "same-origin", "no-referrer", "SAMEORIGIN"):
        assert header in answer


def test_what_is_missing_gets_the_page_of_the_site(port: int) -> None:
    status, answer = ask(port, "GET /nope.html")
    assert (status, "nothing here" in answer) == (404, True)


def test_a_folder_gets_its_slash(port: int) -> None:
    status, answer = ask(port, "GET /sub")
    assert status == 307
    assert "location: sub/" in answer


def test_only_reading(port: int) -> None:
    for method in ("PUT", "POST", "DELETE", "OPTIONS", "PATCH"):
        status, answer = ask(port, f"{method} /a.html")
        assert (status, "allow: GET, HEAD\r\n" in answer) == (405, True)
    status, answer = ask(port, "HEAD /a.html")
    assert (status, "<p>" in answer) == (200, False)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "localhost:",
        "localhost:x",
        "",
        None,
    ],
)
def test_another_name_gets_nothing(port: int, host: str | None) -> None:
    status, answer = ask(port, "GET /a.html", host=host)
    assert status == 400
    assert "page" not in answer


def test_two_names_get_nothing(port: int) -> None:
    assert ask(port, "GET /a.html", more="Host: evil.example")[0] == 400


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_own_names_are_answered(port: int, host: str) -> None:
    assert ask(port, "GET /a.html", host=f"{host}:{port}")[0] == 200


@pytest.mark.parametrize(
    "more",
    [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1:1",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors",
        "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors",
    ],
)
@pytest.mark.parametrize("path", ["/a.html", EVENTS])
def test_other_sites_get_nothing(port: int, path: str, more: str) -> None:
    assert ask(port, f"GET {path}", more=more)[0] == 403


def test_a_link_from_elsewhere_may_be_followed(port: int) -> None:
    assert ask(port, "GET /a.html", more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate")[0] == 200


def test_the_frame_of_the_diagrams_gets_its_program_though_it_has_no_origin(port: int) -> None:
    foreign = "Origin: null\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors"
    assert ask(port, "GET /static/diagrams-draw.js", more=foreign)[0] == 404  # this site has none
    assert ask(port, "GET /static/memsite.js", more=foreign)[0] == 403


def test_own_pages_may_ask(port: int) -> None:
    for more in (
        f"Origin: http://127.0.0.1:{port}",
        "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors",
    ):
        assert ask(port, "GET /a.html", host=f"127.0.0.1:{port}", more=more)[0] == 200


def header(answer: str, name: str) -> str:
    return dict(line.lower().split(": ", 1) for line in answer.partition("\r\n\r\n")[0].split("\r\n")[1:])[
        name
    ]


@pytest.mark.parametrize(
    ("head", "more"),
    [
        ("PUT /a.html", ""),
        ("GET /%zz", ""),
        ("GET /a.html", "Host: evil.example"),
        ("GET /a.html", "Origin: null"),
    ],
)
def test_a_refusal_is_plain_text(port: int, head: str, more: str) -> None:
    assert header(ask(port, head, more=more)[1], "content-type") == "text/plain; charset=utf-8"


def test_what_a_page_is_given(tmp_path: Path) -> None:
    """Its script with the version of the page; a draft before the file; frames and programs none of it."""
    for name, text in {
        "a.html": PAGE,
        "sub/index.html": "<body>x</body><pre></body></pre>",
        "static/frame.html": PAGE,
        "static/diagrams-draw.js": "draw()",
        "x.txt": "</body>",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    live = Live(tmp_path.resolve(), version=1)
    live.draft("sub/index.html", b"<body>draft</body>")
    live.draft("nope.html", b"<body>draft</body>")
    script = f'<script src="{SCRIPT}" data-events="{EVENTS}" data-version="'
    with running(live) as port:
        bodies = {
            path: ask(port, f"GET {path}")
            for path in ("/a.html", "/sub/", "/sub/index.html", "/static/frame.html", "/x.txt", "/nope.html")
        }
        program = ask(port, "GET /static/diagrams-draw.js")[1]
        assert ask(port, f"GET {SCRIPT}")[1].count("EventSource")
    shown = {path: (status, answer.partition("\r\n\r\n")[2]) for path, (status, answer) in bodies.items()}
    assert shown == {
        "/a.html": (200, f'<!doctype html><body><p>page</p>{script}0"></script></body>'),
        "/sub/": (200, f'<body>draft{script}2"></script></body>'),
        "/sub/index.html": (200, f'<body>draft{script}2"></script></body>'),
        "/static/frame.html": (200, PAGE),
        "/x.txt": (200, "</body>"),
        "/nope.html": (404, "Not found.\n"),
    }
    assert header(program, "cross-origin-resource-policy") == "cross-origin"
    assert header(bodies["/a.html"][1], "cross-origin-resource-policy") == "same-origin"


def test_before_the_first_build_there_is_a_page_that_waits_for_it(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(SECRET)
    live = Live(tmp_path.resolve())
    with running(live) as port:
        status, answer = ask(port, "GET /a.html")
        assert (status, "The site is being built." in answer, SECRET in answer) == (503, True, False)
        assert header(answer, "content-type") == "text/html; charset=utf-8"
        live.fault = "E015 <b>"
        status, answer = ask(port, "GET /a.html")
        assert (status, "E015 &lt;b&gt;</pre><script" in answer) == (503, True)
        assert 'data-version="0"' in answer
        live.built(["a.html"], {})
        assert ask(port, "GET /a.html")[0] == 200


def test_events_are_those_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.serve.app.HEARTBEAT_SECONDS", 0.02)
    live = Live(tmp_path.resolve(), version=1)
    live.draft("sub/index.html", b"1")
    live.draft("a.html", b"1")

    def first(query: str) -> dict[str, str]:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"GET {EVENTS}{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            answer = b""
            while b": still here" not in answer:
                answer += connection.recv(4096)
        assert header(answer.decode(), "content-type") == "text/event-stream; charset=utf-8"
        assert answer.count(b"event: site") == 1
        state: dict[str, str] = json.loads(answer.partition(b"data: ")[2].partition(b"\n")[0])
        return state

    with running(live) as port:
        versions = [
            first(query)["version"] for query in ("?page=/sub/", "?page=/a.html", "?page=/b.html", "")
        ]
    assert versions == ["2", "3", "0", "3"]


def test_only_requests_are_answered(site: Path) -> None:
    """A connection of another kind is left to the server."""
    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as pool:
        app = PreviewServer(Live(site.resolve(), version=1))
        pool.submit(asyncio.run, app({"type": "websocket"}, send, send)).result()  # type: ignore[arg-type]
    assert sent == []


def test_an_absolute_address_names_no_other_host(port: int) -> None:
    assert ask(port, "GET http://evil.example/a.html", host="evil.example")[0] == 400


def test_a_server_that_others_can_reach_asks_for_its_token(site: Path) -> None:
    with running(Live(site.resolve(), version=1), "s3cret") as port:
        assert ask(port, "GET /a.html", host="box.example")[0] == 403
        assert ask(port, "GET /a.html?token=wrong", host="box.example")[0] == 403
        assert ask(port, "GET /a.html", host="box.example", more="Cookie: memsite=wrong")[0] == 403
        assert ask(port, "GET /a.html", host="box.example", more="Cookie: other=s3cret")[0] == 403
        status, answer = ask(port, "GET /a.html?token=s3cret&x=1", host="box.example")
        assert (status, header(answer, "location")) == (307, "/a.html")
        assert header(answer, "set-cookie") == "memsite=s3cret; httponly; path=/; samesite=strict"
        cookie = "Cookie: memsite=s3cret"
        assert ask(port, "GET /a.html", host="box.example", more=cookie)[0] == 200
        assert (
            ask(port, "GET /a.html", host="box.example", more=f"{cookie}\r\nOrigin: http://evil.example")[0]
            == 403
        )
        assert ask(port, "GET /a.html", host="box.example", more=f"{cookie}\r\nHost: box.example")[0] == 400


def test_open_pages_do_not_keep_the_server_from_ending(site: Path) -> None:
    with contextlib.ExitStack() as stack:
        with running(Live(site.resolve(), version=1)) as port:
            for _ in range(50):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                connection.sendall(f"GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert b"event: site" in connection.recv(4096) + connection.recv(4096)
            start = time.monotonic()
        assert time.monotonic() - start < 20


def test_one_decoding_only() -> None:
    assert decoded(b"/%2541") == "/%41"
    assert decoded(b"/a%20b?c=%zz") == "/a b"
    assert decoded(b"/%zz") is None
    assert decoded(b"a") is None


def test_files_are_found_by_their_real_path(site: Path) -> None:
    root = site.resolve()
    assert file_at(root, "/a.html") == Found(root / "a.html", "text/html; charset=utf-8")
    assert file_at(root, "/sub") == Folder()
    assert file_at(root, "/empty") is None


def test_a_taken_port_is_refused_and_the_next_one_found() -> None:
    with contextlib.closing(_listen("127.0.0.1", None)) as first:
        number = first.getsockname()[1]
        assert number >= FIRST_PORT
        first.listen()
        with pytest.raises(BadArgument, match=f"127.0.0.1 cannot be listened on at port {number}: in use"):
            _listen("127.0.0.1", number)
        with contextlib.closing(_listen("127.0.0.1", None)) as second:
            assert second.getsockname()[1] > number


def test_a_save_reaches_the_open_page(tmp_path: Path) -> None:
    """Build, save a note, build again; break the configuration, see why, and the last good site stays."""
    notes, output = tmp_path / "notes", tmp_path / "site"
    notes.mkdir()
    (tmp_path / "memsite.toml").write_text('[stores.notes]\nkind = "vault"\npath = "notes"\n')
    (notes / "a.md").write_text("# A\n\nfirst\n")
    live = Live(output.resolve())
    preview = Preview(
        lambda: open_memory(tmp_path), output, started=print, built=lambda _: None, failed=lambda _: None
    )

    async def until(wanted: str) -> dict[str, str]:
        async for line in live.changes():
            state: dict[str, str] = json.loads(line.partition("data: ")[2])
            page = output / "notes" / "a.html"
            if wanted in (page.read_text() if page.exists() else "") + state["fault"]:
                return state
        raise AssertionError

    async def scene() -> None:
        watching = asyncio.create_task(_keep_built(preview, live))
        try:
            async with asyncio.timeout(20):
                first = await until("first")
                await asyncio.sleep(0.3)
                (notes / "a.md").write_text("# A\n\nsecond\n")
                second = await until("second")
                assert int(second["version"]) > int(first["version"])
                (tmp_path / "memsite.toml").write_text("[nonsense]\n")
                assert "E015" in (await until("E015"))["fault"]
                assert "second" in (output / "notes" / "a.html").read_text()
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching

    # In a thread of its own: a browser test before this one may have left a loop running here.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, scene()).result()
