"""Resources read from a server are masked and audited like calls."""

from __future__ import annotations

import asyncio

import pytest

from workbench.broker.resource_reading import ResourceReader
from workbench.core import Core
from workbench.records import Content, EntryQuery, Outcome


@pytest.fixture
def reader(demo: Core) -> ResourceReader:
    return ResourceReader(demo.services)


def notes(core: Core, kind: str) -> list[object]:
    return [entry.note for entry in core.journal.entries(EntryQuery(kind=kind))]


async def test_a_reading_is_written_down_with_its_cost(demo: Core, reader: ResourceReader) -> None:
    outcome = await reader.resource("r", "demo", "demo://company/about", demo.services.sessions.person)
    assert outcome.ok
    (note,) = notes(demo, "resource.")
    assert (note.kind, note.server, note.ok) == ("resource.read", "demo", True)
    assert note.summary == "The resource demo://company/about of demo was read"
    assert note.tokens == outcome.tokens > 0


async def test_a_failed_reading_is_written_down_with_its_fault(demo: Core, reader: ResourceReader) -> None:
    await reader.resource("r", "demo", "demo://nothing", demo.services.sessions.person)
    await reader.resource("r", "nobody", "demo://nothing", demo.services.sessions.person)
    second, first = notes(demo, "resource.failed")
    assert "There is no resource" in first.detail["fault"]
    assert "no server 'nobody'" in second.detail["fault"]


async def test_personal_data_that_comes_in_is_known_from_then_on(demo: Core, reader: ResourceReader) -> None:
    person = demo.services.sessions.person
    outcome = await reader.resource("r", "demo", "demo://customers/CUS-0042", person)
    text = outcome.content[0].text
    email = text.split('"email": "')[1].split('"')[0]
    assert "@" in email
    assert email not in person.mask(f"Write to {email}")


async def test_a_prompt_is_written_down_with_its_arguments_masked(demo: Core, reader: ResourceReader) -> None:
    person = demo.services.sessions.person
    given = {"ticket_id": "TIC-0007", "tone": "ines.novak@example.com"}
    answer = await reader.prompt("demo", "answer_ticket", given, person)
    assert answer.fault is None
    (note,) = notes(demo, "prompt.filled")
    assert "TIC-0007" in note.detail["arguments"]
    assert "ines.novak" not in note.detail["arguments"]
    assert (await reader.prompt("demo", "nothing", {}, person)).fault is not None
    assert len(notes(demo, "prompt.failed")) == 1


async def test_a_token_in_an_address_becomes_its_value_again(demo: Core, reader: ResourceReader) -> None:
    person, asked = demo.services.sessions.person, []
    outcome = await reader.resource("r", "demo", "demo://customers/CUS-0042", person)
    email = outcome.content[0].text.split('"email": "')[1].split('"')[0]
    token = person.mask(email)
    assert token != email

    async def read(call_id: str, server: str, uri: str) -> Outcome:
        asked.append(uri)
        return Outcome(call_id, True, (Content("text", "x"),))

    demo.catalog.offered.read = read  # type: ignore[method-assign]  # looks at what would be sent
    again = await reader.resource("r", "demo", f"demo://people/{token}", person)
    assert again.fault is None
    assert asked == [f"demo://people/{email}"]


async def test_a_reading_nobody_waits_for_is_written_down(demo: Core, reader: ResourceReader) -> None:
    begun = asyncio.Event()

    async def never(call_id: str, server: str, uri: str) -> Outcome:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    demo.catalog.offered.read = never  # type: ignore[method-assign]  # stands for a slow server
    reading = asyncio.ensure_future(reader.resource("r", "demo", "demo://slow", demo.services.sessions.person))
    await begun.wait()
    reading.cancel()
    await asyncio.wait([reading])
    assert len(notes(demo, "resource.cancelled")) == 1
