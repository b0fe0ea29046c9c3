"""A yes counts for exactly what was shown."""

from __future__ import annotations

import json

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError


def entry(*args: str) -> str:
    return json.dumps({"mcpServers": {"near": {"command": "sh", "args": list(args)}}})


async def test_an_entry_that_changes_between_the_question_and_the_yes_is_not_started(paths):
    paths.servers_file.write_text(entry("-c", "exit 0"))
    core = Core(paths)
    await core.open()
    try:
        shown = await core.api.consent("near")
        mark = paths.project / "mark"
        paths.servers_file.write_text(entry("-c", f"touch {mark}"))
        await core.api.reload_servers()
        with pytest.raises(WorkbenchError, match="changed after it was shown"):
            await core.api.connect("near", shown.sha)
        assert not core.catalog.server("near").state.allowed
        assert not mark.exists()
    finally:
        await core.close()
