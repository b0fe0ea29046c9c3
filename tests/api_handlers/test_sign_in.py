"""A person signs in at a server, calls its tools, and grants more rights; nothing of it is seen elsewhere."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import SignInWanted
from workbench.records import EntryQuery, Origin, ServerStatus, ToolCall

FILE = Path(__file__).resolve().parents[1] / "mcp_servers" / "guarded.py"
spec = importlib.util.spec_from_file_location("guarded_for_desk", FILE)
assert spec is not None
assert spec.loader is not None
servers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(servers)


@pytest.fixture
async def guarded():
    async with servers.Guarded() as serving:
        yield serving


@pytest.fixture
async def core(paths, guarded) -> AsyncIterator[Core]:
    own = {"url": guarded.url, "headers": {"Authorization": "Bearer wrong-" + "token-1"}}
    entries = {"far": {"url": guarded.url}, "own": own, "here": {"command": "true"}}
    paths.servers_file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


@pytest.fixture
async def browsing(core):
    """A browser that opens whatever page is wanted."""
    tasks = []

    def hear(event):
        if isinstance(event, SignInWanted):
            tasks.append(asyncio.get_running_loop().create_task(servers.browse(event.url)))

    core.bus.listen(hear)
    yield
    await asyncio.gather(*tasks)


def wish(tool):
    return ToolCall("x", "far", tool, {}, Origin.PERSON, "", confirmed=True)


async def test_a_person_signs_in_and_grants_more_when_a_tool_needs_it(core, guarded, browsing):
    with pytest.raises(WorkbenchError, match="requires you to sign in"):
        await core.api.connect("far", (await core.api.consent("far")).sha)
    assert core.catalog.server("far").state.sign_in == "needed"
    assert (await core.api.sign_in("far")).state == "done"
    state = core.catalog.server("far").state
    assert (state.status, state.sign_in) == (ServerStatus.READY, "done")
    assert (await core.api.call(wish("look"))).content[0].text == "did look"
    refused = await core.api.call(wish("change"))
    assert "requires more permissions" in refused.fault.message
    assert core.catalog.server("far").state.sign_in == "needed"
    assert (await core.api.sign_in("far")).state == "done"
    assert (await core.api.call(wish("change"))).content[0].text == "did change"
    shown = f"{await core.api.frames('far', 0.0)} {core.journal.entries(EntryQuery())} {await core.api.secrets()}"
    assert not any(secret in shown for secret in (*guarded.tokens, *guarded.refreshers))


async def test_signing_out_ends_the_connection_and_forgets(core, guarded, browsing):
    with pytest.raises(WorkbenchError):
        await core.api.connect("far", (await core.api.consent("far")).sha)
    await core.api.sign_in("far")
    (info,) = (await core.api.secrets()).secrets
    assert (info.name, info.signed_in) == ("oauth:far", "far")
    assert not (await core.api.sign_out("far")).stored
    assert core.catalog.server("far").state.status is ServerStatus.STOPPED
    with pytest.raises(WorkbenchError, match="requires you to sign in"):
        await core.api.connect("far")


async def test_a_removed_server_takes_its_tokens_along(core, guarded, browsing):
    with pytest.raises(WorkbenchError):
        await core.api.connect("far", (await core.api.consent("far")).sha)
    await core.api.sign_in("far")
    await core.api.remove_server("far")
    assert (await core.api.secrets()).secrets == ()
    await core.api.remove_server("here")


async def test_what_cannot_be_signed_in_says_why(core):
    with pytest.raises(WorkbenchError, match="Press Connect first"):
        await core.api.sign_in("far")
    with pytest.raises(WorkbenchError, match="has no sign-in"):
        await core.api.sign_in_report("here")
    with pytest.raises(WorkbenchError):
        await core.api.connect("own", (await core.api.consent("own")).sha)
    with pytest.raises(WorkbenchError, match="has its own Authorization header"):
        await core.api.sign_in("own")


async def test_a_sign_in_under_way_ends_with_the_core(core, guarded):
    with pytest.raises(WorkbenchError):
        await core.api.connect("far", (await core.api.consent("far")).sha)
    waits = asyncio.Event()
    core.bus.listen(lambda event: waits.set() if isinstance(event, SignInWanted) else None)
    signing = asyncio.create_task(core.api.sign_in("far"))
    await waits.wait()
    await core.close()
    assert (await signing).state == "cancelled"
