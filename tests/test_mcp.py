"""The MCP tools, through the SDK's own client: over stdio as an agent's host does it, and in process."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from memsite.mcp import TOOLS, memory_server
from memsite.memory import open_memory
from tests.conftest import WriteTree

FILES = {
    "memsite.toml": '[stores.notes]\nkind = "vault"\npath = "notes"\n\n[stores.workflow]\npath = "entries"\n',
    "notes/Retry.md": "---\ntags: [http]\n---\n# Retry\n\nWait, then ask again. See [[Backoff]].\n",
    "notes/guides/two words.md": "# Two words\n\nAbout [[Backoff]] and [[Retry]].\n",
    "entries/memory-index.json": json.dumps(
        {
            "entries": [
                {
                    "id": "TIP-20260318-001",
                    "file": "TIP-20260318-001.md",
                    "type": "tip",
                    "date": "2026-03-18",
                    "tags": [],
                }
            ]
        }
    ),
    "entries/TIP-20260318-001.md": "# Use jitter\n\nSee [[Backoff]].\n",
}


@pytest.fixture
def root(project: WriteTree) -> Path:
    return project(FILES)


def talk(root: Path, steps: Callable[[Client], Awaitable[None]], **how: Any) -> None:
    """Run `steps` with a client that is connected in process."""

    async def run() -> None:
        async with Client(memory_server(lambda: open_memory(root), **how)) as client:
            await steps(client)

    anyio.run(run)


async def answer(client: Client, tool: str, **given: Any) -> Any:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.structured_content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def refusal(client: Client, tool: str, **given: Any) -> Any:
    result = await client.call_tool(tool, given)
    assert result.is_error, result.structured_content
    return result.structured_content["error"]


@asynccontextmanager
async def over_stdio(root: Path, *options: str) -> AsyncIterator[Client]:
    program = [*("-m", "memsite", "mcp", "--project", str(root)), *options]
    async with Client(StdioServerParameters(command=sys.executable, args=program)) as client:
        yield client


def test_an_agent_reads_edits_searches_deletes_and_builds_over_stdio(root: Path) -> None:
    note = root / "notes" / "Retry.md"

    async def run() -> None:
        async with over_stdio(root) as client:
            read = await answer(client, "ReadMemory", identifier="memory://notes/Retry")
            checksum = read["row"]["checksum"]
            assert checksum == hashlib.sha256(note.read_bytes()).hexdigest()

            edit = {
                "identifier": "Retry",
                "operation": "append",
                "content": "Add [[Jitter]].",
                "checksum": checksum,
            }
            written = await answer(client, "EditMemory", **edit)
            assert note.read_text(encoding="utf-8").endswith("[[Backoff]].\n\nAdd [[Jitter]].\n")
            assert written["new_checksum"] == hashlib.sha256(note.read_bytes()).hexdigest()

            stale = await refusal(client, "EditMemory", **edit)
            assert stale["code"] == "E006"
            assert stale["details"]["expected"] == checksum
            assert stale["details"]["actual"] == written["new_checksum"]
            assert stale["details"]["text"] == note.read_text(encoding="utf-8")

            found = await answer(client, "SearchMemories", query="jitter")
            assert [hit["row"]["address"] for hit in found["hits"]] == [
                "memory://workflow/TIP-20260318-001",
                "memory://notes/Retry",
            ]

            kept = await refusal(client, "DeleteMemory", identifier="TIP-20260318-001")
            assert kept["code"] == "E019"
            assert (root / "entries/TIP-20260318-001.md").exists()
            await answer(client, "DeleteMemory", identifier="TIP-20260318-001", confirm=True)
            assert not (root / "entries/TIP-20260318-001.md").exists()
            assert json.loads((root / "entries/memory-index.json").read_bytes())["entries"] == []

            built = await answer(client, "BuildSite")
            assert built["notes"] == 2
            assert (root / "site/index.html").is_file()

    anyio.run(run)


def test_a_read_only_server_writes_nothing(root: Path) -> None:
    before = {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    async def run() -> None:
        async with over_stdio(root, "--read-only") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {
                "BuildContext",
                "CheckMemory",
                "ListMemories",
                "ReadMemory",
                "SearchMemories",
                "Sync",
            }
            given: dict[str, Any]
            for name, given in (
                ("EditMemory", {"identifier": "Retry", "operation": "append", "content": "[[X]]"}),
                ("DeleteMemory", {"identifier": "Retry", "confirm": True}),
                ("WriteMemory", {"title": "New", "content": "[[X]]"}),
                ("UndoMemory", {}),
                ("BuildSite", {}),
            ):
                assert (await refusal(client, name, **given))["code"] == "E018"

    anyio.run(run)
    assert {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()} == before


def test_every_tool_declares_its_parameters_and_what_it_may_do(root: Path) -> None:
    async def steps(client: Client) -> None:
        declared = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(declared) == {tool.name for tool in TOOLS}
        for tool in declared.values():
            assert tool.description
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema["type"] == "object"
            assert all(each["description"] for each in tool.input_schema["properties"].values())
        edit = declared["EditMemory"].input_schema
        assert set(edit["properties"]) == {
            "identifier",
            "operation",
            "content",
            "checksum",
            "findText",
            "expectedCount",
            "sectionName",
            "dryRun",
        }
        assert edit["required"] == ["identifier", "operation", "content"]
        assert declared["ReadMemory"].annotations.read_only_hint is True
        assert declared["DeleteMemory"].annotations.destructive_hint is True

    talk(root, steps)


@pytest.mark.parametrize(
    ("tool", "given", "code", "says"),
    [
        ("ReadMemory", {}, "E019", "'identifier' is a required property"),
        ("ReadMemory", {"identifier": 3}, "E019", "identifier"),
        ("ReadMemory", {"identifer": "Retry"}, "E019", "Did you mean identifier?"),
        ("ReadMemory", {"identifier": "Retri"}, "E002", "Retri"),
        ("ReadMemory", {"identifier": "../../etc/passwd"}, "E011", "leads out of the store"),
        ("ReadMemory", {"identifier": "memory://notes/%2e%2e/x"}, "E011", "leads out of the store"),
        (
            "EditMemory",
            {"identifier": "Retry", "operation": "replace", "content": "[[X]]"},
            "E019",
            "replace",
        ),
        (
            "EditMemory",
            {"identifier": "Retry", "operation": "append", "content": "[[X]]", "checkSum": "0"},
            "E019",
            "Did you mean checksum?",
        ),
        ("EditMemory", {"identifier": "retry", "operation": "append", "content": "[[X]]"}, "E002", "exactly"),
        (
            "EditMemory",
            {"identifier": "Retry", "operation": "append", "content": "no link"},
            "E007",
            "WikiLink",
        ),
        (
            "EditMemory",
            {"identifier": "Retry", "operation": "append", "content": "[[X]]", "checksum": "old"},
            "E019",
            "not a checksum",
        ),
        (
            "EditMemory",
            {
                "identifier": "Retry",
                "operation": "find_replace",
                "content": "[[X]]",
                "findText": "ask",
                "expectedCount": 2,
            },
            "E008",
            "",
        ),
        (
            "EditMemory",
            {"identifier": "Retry", "operation": "replace_section", "content": "[[X]]", "sectionName": "No"},
            "E009",
            "",
        ),
        ("DeleteMemory", {"identifier": "Retry", "confirm": "yes"}, "E019", "confirm"),
        ("DeleteMemory", {"identifier": "Retry", "confirm": True, "checksum": "0" * 64}, "E006", ""),
        ("SearchMemories", {"query": " "}, "E019", "nothing to search"),
        ("SearchMemories", {"query": "x", "pageSize": 0}, "E019", "pageSize"),
        ("CheckMemory", {"store": "none"}, "E002", "none"),
        ("BuildSite", {"output": "/"}, "E019", "no parameter 'output'"),
        ("DropMemories", {}, "E019", "There is no tool"),
    ],
)
def test_a_refusal_has_a_code_and_changes_nothing(
    root: Path, tool: str, given: dict[str, Any], code: str, says: str
) -> None:
    before = (root / "notes/Retry.md").read_bytes()

    async def steps(client: Client) -> None:
        error = await refusal(client, tool, **given)
        assert error["code"] == code
        assert says in f"{error['message']} {error['hint']}"

    talk(root, steps)
    assert (root / "notes/Retry.md").read_bytes() == before


def test_a_delete_without_confirm_says_what_would_go(root: Path) -> None:
    async def steps(client: Client) -> None:
        details = (await refusal(client, "DeleteMemory", identifier="Retry"))["details"]
        assert details["address"] == "memory://notes/Retry"
        assert details["linked_from"] == ["memory://notes/guides/two words"]
        assert details["checksum"] == hashlib.sha256((root / "notes/Retry.md").read_bytes()).hexdigest()

    talk(root, steps)


def test_memory_md_cannot_be_deleted(project: WriteTree) -> None:
    root = project(
        {"memsite.toml": '[stores.system]\npath = "agent"\n', "agent/MEMORY.md": "# Memory\n\n[[X]]\n"}
    )

    async def steps(client: Client) -> None:
        assert (await refusal(client, "DeleteMemory", identifier="MEMORY", confirm=True))["code"] == "E004"

    talk(root, steps)


def test_a_note_is_written_and_taken_back(root: Path) -> None:
    async def steps(client: Client) -> None:
        made = await answer(
            client, "WriteMemory", title="Cap the wait", content="Cap [[Backoff]].", tags=["http"]
        )
        rows = await answer(client, "ListMemories", store="workflow", tags=["http"])
        assert [row["address"] for row in rows["notes"]] == [made["address"]]
        await answer(client, "UndoMemory", transaction=made["tx"])
        assert (await answer(client, "ListMemories", store="workflow", tags=["http"]))["total"] == 0

    talk(root, steps)


def test_lists_come_in_pages_and_by_folder(root: Path) -> None:
    async def steps(client: Client) -> None:
        first = await answer(client, "ListMemories", pageSize=2)
        second = await answer(client, "ListMemories", pageSize=2, page=2)
        assert first["total"] == second["total"] == 3
        addresses = {row["address"] for row in (*first["notes"], *second["notes"])}
        assert addresses == {
            "memory://notes/Retry",
            "memory://notes/guides/two words",
            "memory://workflow/TIP-20260318-001",
        }
        for folder in ("guides", "notes/guides", "memory://notes/guides/"):
            rows = await answer(client, "ListMemories", folder=folder)
            assert [row["title"] for row in rows["notes"]] == ["Two words"]
            hits = await answer(client, "SearchMemories", query="backoff", folder=folder)
            assert [hit["row"]["title"] for hit in hits["hits"]] == ["Two words"]
            assert hits["total"] == 1
        pages = [
            await answer(client, "SearchMemories", query="backoff", pageSize=1, page=n) for n in (1, 2, 3, 4)
        ]
        assert len({page["hits"][0]["row"]["address"] for page in pages[:3]}) == 3
        assert pages[3]["hits"] == []

    talk(root, steps)


def test_context_sync_and_check(root: Path) -> None:
    async def steps(client: Client) -> None:
        context = await answer(client, "BuildContext", conceptName="backoff")
        assert context["name"] == "Backoff"
        assert len(context["notes"]) == 3
        assert (await answer(client, "Sync"))["notes"] == 3
        (root / "notes/Broken.md").write_text("[[]] and [[Retry#No such]]\n", encoding="utf-8")
        found = await answer(client, "CheckMemory", severity="warning")
        assert {problem["code"] for problem in found["problems"]} == {"W007", "W008"}
        assert found["counts"] == {"error": 0, "warning": 2, "info": 0}
        assert len((await answer(client, "CheckMemory", limit=1))["problems"]) == 1
        assert (await answer(client, "CheckMemory", store="workflow", severity="warning"))["problems"] == []

    talk(root, steps)


def test_a_site_with_a_secret_is_not_built_and_the_secret_not_told(root: Path) -> None:
    secret = "ghp_" + "9aZ" * 12
    (root / "notes/Key.md").write_text(f"The key of [[Retry]] is {secret}.\n", encoding="utf-8")

    async def steps(client: Client) -> None:
        error = await refusal(client, "BuildSite")
        assert error["code"] == "E017"
        assert secret not in json.dumps(error)
        found = await answer(client, "CheckMemory", severity="warning")
        assert [problem["code"] for problem in found["problems"]] == ["W013"]
        assert secret not in json.dumps(found)

    talk(root, steps)
    assert not (root / "site/index.html").exists()


def test_what_others_write_is_seen_by_the_next_call(root: Path) -> None:
    async def steps(client: Client) -> None:
        assert (await answer(client, "SearchMemories", query="zebra"))["total"] == 0
        (root / "notes/Zebra.md").write_text("A [[zebra]].\n", encoding="utf-8")
        assert (await answer(client, "SearchMemories", query="zebra"))["total"] == 1

    talk(root, steps)


def test_the_checksum_may_be_left_out_and_a_section_read(root: Path) -> None:
    async def steps(client: Client) -> None:
        read = await answer(
            client, "ReadMemory", identifier="two words", sectionName="Two words", includeChecksum=False
        )
        assert read["text"].startswith("# Two words")
        assert read["row"]["checksum"] == ""

    talk(root, steps)


def test_notes_are_resources(root: Path) -> None:
    async def steps(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [str(each.uri) for each in listed] == [
            "memory://notes/Retry",
            "memory://notes/guides/two%20words",
            "memory://workflow/TIP-20260318-001",
        ]
        for each in listed:
            held = (await client.read_resource(str(each.uri))).contents[0]
            path = root / ("entries" if "workflow" in str(each.uri) else "notes") / each.name
            assert held.text == path.read_text(encoding="utf-8")
            assert held.meta["checksum"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert (
            (await client.list_resource_templates())
            .resource_templates[0]
            .uri_template.startswith("memory://")
        )
        for bad, code in (("memory://notes/None", "E002"), ("memory://notes/../../memsite.toml", "E011")):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(bad)
            assert refused.value.error.data["code"] == code

    talk(root, steps)


def test_resources_come_in_pages(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.mcp.resources.RESOURCES_A_PAGE", 2)

    async def steps(client: Client) -> None:
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(rest.resources)) == (2, 1)
        assert rest.next_cursor is None
        assert not {each.uri for each in first.resources} & {each.uri for each in rest.resources}

    talk(root, steps)


def test_without_a_store_the_agent_is_told_so(tmp_path: Path) -> None:
    async def steps(client: Client) -> None:
        error = await refusal(client, "ListMemories")
        assert error["code"] == "E001"
        assert error["hint"] or "memsite.toml" in error["message"]

    talk(tmp_path, steps)
