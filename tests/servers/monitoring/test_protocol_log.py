"""The end of a server's log is stored, and clients are notified of it with a debounce."""

from __future__ import annotations

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from workbench.events import Event, ServerLogged
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.monitoring import protocol_log
from workbench.servers.monitoring.protocol_log import ProtocolLog


def written(count: int) -> tuple[ProtocolLog, list[Event]]:
    told: list[Event] = []
    book = ProtocolLog("s", told.append)
    for number in range(count):
        book.heard({"level": "info", "logger": "l", "data": f"line {number + 1}"})
    return book, told


async def test_lines_are_numbered_and_told_after_a_number() -> None:
    book, _ = written(5)
    assert [line.number for line in book.after(3).lines] == [4, 5]
    assert book.after(5).lines == ()
    assert book.after(99).lines == ()
    assert len(book.after(-7).lines) == 5
    book.close()


async def test_what_is_not_kept_is_counted() -> None:
    book, _ = written(protocol_log.LINES + 10)
    assert book.after(0).dropped == 10
    assert len(book.after(0).lines) == protocol_log.LINES
    assert book.after(0).lines[0].text == "line 11"
    book.close()


async def test_a_thousand_lines_are_one_telling_and_the_last_is_told_at_the_end() -> None:
    book, told = written(1_000)
    assert told == []
    async with asyncio.timeout(60):
        while not told:
            await asyncio.sleep(0.01)
    book.heard({"data": "last"})
    book.close()
    book.close()
    assert told == [ServerLogged("s", 1_000), ServerLogged("s", 1_001)]


async def test_other_values_than_text_are_json_and_long_ones_are_cut() -> None:
    book, _ = written(0)
    book.heard({"level": "error" * 100, "data": {"a": [1, None]}})
    book.heard({"data": "x" * 1_000_000})
    first, second = book.after(0).lines
    assert (first.text, len(first.level)) == ('{"a": [1, null]}', 200)
    assert len(second.text) == protocol_log.TEXT + 1
    book.close()


async def test_no_secret_stands_in_it_not_even_half_of_one() -> None:
    masks = SecretMasks()
    masks.add_secret("hunter2" + "hunter2")
    book = ProtocolLog("s", lambda event: None, masks)
    for start in (0, protocol_log.TEXT - 5):
        book.heard({"data": "x" * start + "hunter2" + "hunter2"})
    assert not [line for line in book.after(0).lines if "hunt" in line.text]
    book.close()


ANY = some.recursive(some.none() | some.integers() | some.floats() | some.text(), some.lists, max_leaves=5)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(some.dictionaries(some.sampled_from(("level", "logger", "data")), ANY))
def test_nothing_a_server_logs_breaks_it(params: dict[str, object]) -> None:
    async def hear() -> None:
        book, _ = written(0)
        book.heard(params)
        assert len(book.after(0).lines) == 1
        book.close()

    asyncio.run(hear())


async def test_what_is_nested_without_an_end_is_a_line_like_any_other():
    data = "x"
    for _ in range(5_000):
        data = [data]
    book = ProtocolLog("one", lambda event: None)
    book.heard({"level": "info", "data": data})
    book.close()
    assert "nested" in book.after(0).lines[0].text
