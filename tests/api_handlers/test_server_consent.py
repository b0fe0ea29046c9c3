"""A yes counts for exactly what was shown."""

from __future__ import annotations

import json

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery


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


async def test_an_entry_nobody_saw_does_not_start_without_a_consent(paths):
    mark = paths.project / "mark"
    paths.servers_file.write_text(entry("-c", f"touch {mark}"))
    core = Core(paths)
    await core.open()
    try:
        with pytest.raises(WorkbenchError, match="You have not allowed near to start yet"):
            await core.api.connect("near")
        assert not core.catalog.server("near").state.allowed
        assert not mark.exists()
        assert not core.journal.entries(EntryQuery(kind="server.allowed"))
    finally:
        await core.close()


async def test_only_the_first_start_of_a_server_is_recorded_as_a_consent(paths):
    paths.servers_file.write_text(entry("-c", "exit 3"))
    core = Core(paths)
    await core.open()
    try:
        for sha in ((await core.api.consent("near")).sha, ""):
            with pytest.raises(WorkbenchError):
                await core.api.connect("near", sha)
        assert kinds(core) == ["server.allowed"]
    finally:
        await core.close()


async def test_a_connection_is_recorded_when_there_is_one_and_with_the_name_of_whoever_asked_for_it(paths):
    core = Core(paths)
    await core.open()
    try:
        await core.api.connect("demo")
        await core.api.disconnect("demo")
        await core.api.connect("demo", automatic=True)
        recorded = [entry.note for entry in reversed(core.journal.entries(EntryQuery(kind="server.")))]
        assert [(note.kind, note.summary, note.actor) for note in recorded] == [
            ("server.connected", "You connected demo", "you"),
            ("server.stopped", "You disconnected demo", "you"),
            ("server.connected", "demo was connected automatically", ""),
        ]
    finally:
        await core.close()


async def test_a_start_that_is_refused_because_the_executable_file_changed_is_not_recorded(paths):
    program = paths.project / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    paths.servers_file.write_text(json.dumps({"mcpServers": {"near": {"command": str(program)}}}))
    core = Core(paths)
    await core.open()
    try:
        with pytest.raises(WorkbenchError):
            await core.api.connect("near", (await core.api.consent("near")).sha)
        program.write_text("#!/bin/sh\nexit 1 # evil\n")
        with pytest.raises(WorkbenchError):
            await core.api.connect("near")
        assert core.catalog.server("near").state.doubt
        assert kinds(core) == ["server.allowed"]
    finally:
        await core.close()


async def test_what_is_asked_of_an_unknown_server_is_not_recorded(paths):
    core = Core(paths)
    await core.open()
    try:
        for act in (core.api.connect, core.api.disconnect, core.api.remove_server):
            with pytest.raises(WorkbenchError):
                await act("ghost")
        assert kinds(core) == []
    finally:
        await core.close()


async def test_a_consent_to_a_disabled_server_is_not_recorded(paths):
    paths.servers_file.write_text(json.dumps({"mcpServers": {"near": {"command": "sh", "disabled": True}}}))
    core = Core(paths)
    await core.open()
    try:
        with pytest.raises(WorkbenchError, match="disabled"):
            await core.api.connect("near", (await core.api.consent("near")).sha)
        assert kinds(core) == []
    finally:
        await core.close()


def kinds(core: Core) -> list[str]:
    """The kinds of the entries about servers, newest first."""
    return [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="server."))]
