"""A door's end of the wire: light to import, and clear about a core that is not as it should be."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys

import pytest

from workbench.api import client
from workbench.api.client import connect
from workbench.api.core_lock import make_private
from workbench.api.frames import pack_frame, read_frame
from workbench.errors import WorkbenchError
from workbench.events import Noticed, spawn
from workbench.records import Fault

HEAVY = {"mcp", "sqlite3", "PySide6", "pydantic", "pygments", "keyring", "qasync", "workbench.api.server"}


def test_importing_the_client_loads_nothing_heavy():
    code = "import sys, workbench.api.client; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "workbench.api.client" in loaded
    assert not HEAVY & set(loaded)


@contextlib.asynccontextmanager
async def false_core(paths, *words: bytes, answer: bytes = b"", stay: bool = False):
    """Something that listens where a core should, and says what it is told to."""
    visits: set[asyncio.Task[None]] = set()

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_frame(reader)
        for word in words:
            writer.write(word)
        if answer:
            await read_frame(reader)
            writer.write(answer)
        if stay:
            await reader.read()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    make_private(paths.runtime)
    listener = await asyncio.start_unix_server(lambda r, w: visits.add(spawn("visit", visit(r, w))), paths.user_socket)
    try:
        yield
    finally:
        listener.close()
        async with asyncio.timeout(60):
            await asyncio.gather(*visits)


@contextlib.asynccontextmanager
async def connected(paths, *words: bytes, answer: bytes = b""):
    async with false_core(paths, pack_frame({"hello": {}}), *words, answer=answer, stay=True):
        connection = await connect(paths, start=False)
        try:
            yield connection
        finally:
            await connection.close()


async def test_a_core_of_another_version_is_named_with_the_way_out(paths):
    turned_away = pack_frame({"fault": {"message": "The core that runs is version 0.0.9.", "hint": "Stop it."}})
    async with false_core(paths, turned_away):
        with pytest.raises(WorkbenchError) as caught:
            await connect(paths, start=False)
    assert (caught.value.message, caught.value.hint) == ("The core that runs is version 0.0.9.", "Stop it.")


async def test_a_core_that_hangs_is_a_fault_and_not_a_wait_for_ever(paths, monkeypatch):
    monkeypatch.setattr(client, "HELLO_SECONDS", 0.05)
    async with false_core(paths, stay=True):
        with pytest.raises(WorkbenchError, match="does not answer"):
            await connect(paths, start=False)


async def test_a_core_that_leaves_before_its_hello_counts_as_none(paths):
    async with false_core(paths):
        with pytest.raises(WorkbenchError, match="No core is running"):
            await connect(paths, start=False)


async def test_a_core_that_talks_rubbish_ends_the_connection(paths, caplog):
    async with connected(paths, b"\x00\x00\x00\x02[]") as connection:
        async with asyncio.timeout(60):
            await connection.closed.wait()
    assert "sent an invalid message" in caplog.text


async def test_an_event_nobody_knows_is_skipped_and_the_next_one_heard(paths, caplog):
    fault = {"message": "Hello.", "hint": "", "detail": ""}
    events = pack_frame({"events": [[{"event": "Unheard"}], 3, [3], [{"event": "Noticed", "fault": fault}]]})
    async with connected(paths, events) as connection:
        heard = []
        connection.listen(heard.append)
        async with asyncio.timeout(60):
            while not heard:
                await asyncio.sleep(0.01)
    assert heard == [Noticed(Fault("Hello."))]
    assert "Invalid value 'Unheard'" in caplog.text


async def test_an_answer_of_the_wrong_shape_is_a_fault_of_that_question_alone(paths):
    async with connected(paths, answer=pack_frame({"id": 1, "value": [{"version": 3}]})) as connection:
        with pytest.raises(WorkbenchError, match="CoreStatus: Expected `str`, got `int`"):
            await connection.api.status()
        assert not connection.closed.is_set()


@pytest.mark.parametrize("message", [{"events": 3}, {"events": None}, {"id": []}, {"id": {"a": 1}}, {}])
async def test_a_message_of_the_wrong_shape_ends_the_connection_or_nothing(paths, message):
    async with connected(paths, pack_frame(message)) as connection:
        asked = spawn("ask", connection.api.status())
        await asyncio.sleep(0.05)
        await connection.close()
        with pytest.raises(WorkbenchError, match="was lost"):
            await asked


async def test_a_runtime_folder_of_somebody_else_is_not_trusted(paths):
    paths.runtime.parent.mkdir(parents=True)
    elsewhere = paths.project.parent / "elsewhere"
    elsewhere.mkdir()
    paths.runtime.symlink_to(elsewhere)
    with pytest.raises(WorkbenchError, match="is not a folder"):
        await connect(paths)
