"""What the doctor tells a person about a server and about this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.events import ServerChecked
from workbench.sandbox.deno import deno_backend


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    strict = {"command": "sh", "args": ["-c", "echo $KEY >&2; exit 3"], "env": {"KEY": "${keyring:acme}"}}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"strict": strict}}))
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


async def test_each_check_is_told_when_it_is_made(core):
    heard = []
    core.bus.listen(lambda event: heard.append(event) if isinstance(event, ServerChecked) else None)
    checks = await core.api.diagnose("demo")
    assert [event.check for event in heard] == list(checks)
    assert [event.number for event in heard] == list(range(len(checks)))


async def test_a_secret_that_is_not_stored_is_why_it_cannot_start(core):
    first = (await core.api.diagnose("strict"))[0]
    assert first.state == "bad"
    assert "acme" in first.sentence


async def test_a_secret_that_a_server_repeats_is_masked_in_what_the_doctor_saw(core):
    value = "tok-" + "9f8e7d6c5b4a"
    await core.api.set_secret("acme", value)
    core.catalog.server("strict").allow()
    checks = await core.api.diagnose("strict")
    assert any("code 3" in check.sentence for check in checks)
    assert value not in repr(checks)


async def test_this_machine_is_told_with_where_secrets_are_kept(core):
    names = [check.name for check in await core.api.diagnose_machine()]
    assert {"Python", "Sandbox", "Secrets", "Disk", "Audit"} <= set(names)


async def test_typescript_is_tried_by_running_some(core, monkeypatch):
    def named(checks):
        return next(check for check in checks if check.name == "TypeScript")

    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    found = named(await core.api.diagnose_machine())
    if deno_backend.LANGUAGE in core.services.sandbox.levels()[0].languages:
        assert (found.state, found.sentence) == ("good", f"Deno {deno_backend.version()} runs programs in TypeScript.")
    monkeypatch.setattr(deno_backend, "runtime", lambda: "")
    missing = named(await core.api.diagnose_machine())
    assert missing.state == "skipped"
    assert 'pip install "deno' in missing.fix
