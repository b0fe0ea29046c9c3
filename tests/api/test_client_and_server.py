"""The wire without a second process behaves as the wire."""

from __future__ import annotations

import asyncio

import pytest

from workbench.api.codec import LARGE, TextPreview
from workbench.errors import WorkbenchError
from workbench.events import Noticed, RunOutput, living
from workbench.records import Fault, Origin, ToolCall
from workbench.settings import Settings


async def test_a_question_is_answered_with_its_record(connection, answers):
    assert await connection.api.status() == await answers.status()
    assert await connection.api.settings() == Settings()


async def test_a_long_list_arrives_whole_and_in_order(connection, answers):
    assert await connection.api.tools() == await answers.tools()


async def test_a_fault_arrives_with_its_sentence_and_hint(connection):
    with pytest.raises(WorkbenchError) as caught:
        await connection.api.read_file("nowhere.txt")
    assert (caught.value.message, caught.value.hint) == ("There is no file nowhere.txt.", "See the list of files.")


async def test_an_unexpected_failure_says_no_more_than_its_kind(connection, caplog):
    with pytest.raises(WorkbenchError, match="ZeroDivisionError") as caught:
        await connection.api.frames("demo", 0.0)
    assert "secret" not in str(caught.value)
    assert "an API method failed: frames" in caplog.text


async def test_a_question_the_core_cannot_answer_is_a_fault(connection):
    with pytest.raises(WorkbenchError, match="no method"):
        await connection.api.verify_audit()


async def test_what_questions_does_not_declare_cannot_be_asked(connection):
    with pytest.raises(AttributeError):
        connection.api.release  # noqa: B018


async def test_wrong_arguments_fail_at_the_door(connection):
    with pytest.raises(TypeError):
        await connection.api.read_file()


async def test_questions_of_one_door_run_side_by_side(connection, answers):
    slow = asyncio.ensure_future(connection.api.change_setting("run.seconds", 9))
    await answers.started.wait()
    assert (await connection.api.status()).pid == 7
    answers.release.set()
    assert (await slow).run_seconds == 9


async def test_events_arrive_in_order_and_before_a_later_answer(connection, answers):
    heard = []
    connection.listen(heard.append)
    told = [Noticed(Fault(str(number))) for number in range(100)]
    for event in told:
        answers.bus.tell(event)
    await connection.api.status()
    assert heard == told


async def test_neighbouring_output_is_joined(connection, answers):
    heard = []
    connection.listen(heard.append)
    for text in ("a", "b", "c"):
        answers.bus.tell(RunOutput("r1", "stdout", text))
    answers.bus.tell(RunOutput("r1", "stderr", "!"))
    answers.bus.tell(RunOutput("r1", "stdout", "d"))
    await connection.api.status()
    assert heard == [RunOutput("r1", "stdout", "abc"), RunOutput("r1", "stderr", "!"), RunOutput("r1", "stdout", "d")]


async def test_a_long_text_arrives_as_a_preview_and_is_fetched_in_slices(connection, answers):
    text = answers.files["long"] = "".join(f"{number} é 😀\n" for number in range(100_000))
    got = await connection.api.read_file("long")
    assert isinstance(got, TextPreview)
    assert got.size == len(text)
    assert text.startswith(got)
    assert len(got) < LARGE
    assert await connection.fetch(got.handle, 0, got.size) == text
    assert await connection.fetch(got.handle, 10, 5) == text[10:15]
    assert await connection.fetch(got.handle, len(text) - 3, 100) == text[-3:]
    assert await connection.fetch(got.handle, len(text) + 3, 100) == ""


async def test_a_long_text_in_an_event_is_shelved_too(connection, answers):
    heard = []
    connection.listen(heard.append)
    answers.bus.tell(RunOutput("r1", "stdout", "x" * (LARGE + 1)))
    await connection.api.status()
    assert heard[0].text.size == LARGE + 1
    assert await connection.fetch(heard[0].text.handle, LARGE, 10) == "x"


async def test_a_preview_sent_back_is_the_whole_text_again(connection, answers):
    answers.files["long"] = "y" * (2 * LARGE)
    answers.files["y" * (2 * LARGE)] = "found by its whole text"
    preview = await connection.api.read_file("long")
    assert await connection.api.read_file(preview) == "found by its whole text"


async def test_an_unknown_handle_is_a_fault(connection):
    with pytest.raises(WorkbenchError, match="no longer kept"):
        await connection.fetch("no such handle", 0, 10)


async def test_a_cancelled_question_is_cancelled_in_the_core(connection, answers):
    call = ToolCall("c1", "demo", "slow", {"n": [1, {"deep": None}]}, Origin.PERSON, "s")
    task = asyncio.ensure_future(connection.api.call(call))
    await answers.started.wait()
    task.cancel()
    await connection.api.status()
    assert answers.asked == [call]
    assert answers.cancelled == ["call"]


async def test_a_closed_door_cancels_what_it_waited_for_but_not_what_it_decided(connection, answers):
    call = ToolCall("c1", "demo", "slow", {}, Origin.PERSON, "s")
    tasks = [
        asyncio.ensure_future(connection.api.call(call)),
        asyncio.ensure_future(connection.api.change_setting("run.seconds", 3)),
    ]
    await answers.started.wait()
    await connection.api.status()
    closing = asyncio.ensure_future(connection.close())
    await answers.gave_up.wait()
    answers.release.set()
    await closing
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, WorkbenchError) for result in results)
    assert answers.cancelled == ["call"]
    assert answers.finished == ["change_setting"]


async def test_after_closing_nothing_is_left_and_questions_fail(connection):
    await connection.close()
    assert connection.closed.is_set()
    assert not [name for name in living() if name.startswith("api.")]
    with pytest.raises(WorkbenchError, match="was lost"):
        await connection.api.status()


async def test_what_cannot_be_sent_is_refused_at_the_door(connection):
    with pytest.raises(WorkbenchError, match="cannot be sent"):
        await connection.api.call_as_code("demo", "t", {"a": object()})
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(WorkbenchError, match="cannot be sent"):
        await connection.api.call_as_code("demo", "t", deep)
    assert (await connection.api.status()).pid == 7
