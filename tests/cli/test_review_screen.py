"""The full-screen review answers what waits in a real core, and no request can forge or break the screen."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from tests.runs.steps import reached, waiting
from workbench.api.in_memory import connect_in_memory
from workbench.cli.review import ReviewQueue
from workbench.cli.review_screen import SETTLE_SECONDS, FactsView, ReviewApp, plain_cells
from workbench.events import CallHeld
from workbench.records import HeldCall, Risk, RunState

HANG = 8
DELETES = "import os\nos.remove('workspace/{}.txt')\n"
DELETES_OLD = DELETES.format("old")
TICKET = (
    "from servers.demo import create_ticket\nawait create_ticket(customer_id='CUS-0001', subject='late', body='b')\n"
)


@pytest.fixture
async def screen(core, monkeypatch):
    """The app on a terminal of 80 × 24, connected to the core through the real protocol."""
    monkeypatch.setattr("workbench.cli.review_screen.SETTLE_SECONDS", 0.0)
    core.services.settings.set(replace(core.settings, approval_auto_mild=False, approval_undo_seconds=60))

    async def connect(_paths):
        return await connect_in_memory(core.methods, core.bus, role="window")

    queue = ReviewQueue(lambda: [core.paths], connect)
    app = ReviewApp(queue)
    async with app.run_test(size=(80, 24)) as pilot:
        yield Screen(app, pilot)
    await queue.close()


class Screen:
    """What a user at the terminal sees and presses."""

    def __init__(self, app, pilot):
        self.app, self.press, self.pilot = app, pilot.press, pilot

    def text(self):
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)

    async def shows(self, *words):
        try:
            async with asyncio.timeout(HANG):
                while not all(word in " ".join(self.text().split()) for word in words):
                    await self.pilot.pause(0.02)
        except TimeoutError:
            pytest.fail(f"{words} is not on the screen:\n{self.text()}")

    async def type(self, text):
        await self.press(*text, "enter")


@pytest.fixture
def agent(core):
    return core.services.sessions.open("Claude")


async def propose(core, agent, code=DELETES_OLD):
    return await waiting(core, core.run_manager.submit(code, agent))


async def test_programs_are_listed_allowed_with_two_keys_and_high_risk_needs_the_name(core, agent, screen):
    await core.catalog.connect("demo")
    risky = await propose(core, agent)
    await screen.shows("1 waiting")
    medium = await propose(core, agent, TICKET)
    await screen.shows("2 waiting", "HIGH", "medium", "os.remove('workspace/old.txt')")
    await screen.press("a")
    await screen.shows("type workspace/old.txt")
    await screen.type("yes")
    await screen.shows("Nothing was decided.")
    assert core.run_manager.run(risky.id).state is RunState.WAITING
    await screen.press("j")
    await screen.shows("demo.create_ticket.")
    await screen.press("g")
    await screen.shows("create_ticket(customer_id='CUS-")
    await screen.press("a")
    await screen.shows("Enter allows it once")
    await screen.press("k", "enter")
    assert core.run_manager.run(medium.id).state is RunState.WAITING, "another key takes it back"
    await screen.press("j")
    await screen.shows("demo.create_ticket.")
    await screen.press("g")
    await screen.shows("create_ticket(customer_id='CUS-")
    await screen.press("a", "enter")
    assert (await reached(core, medium, RunState.DONE)).decision.allow
    await screen.shows("1 waiting", "os.remove")
    await screen.press("a")
    await screen.shows("type workspace/old.txt")
    await screen.type("workspace/old.txt")
    await reached(core, risky, RunState.DONE, RunState.FAILED)
    await screen.shows("Nothing waits for you")


async def test_of_requests_that_end_within_one_second_the_oldest_comes_first(core, agent):
    forms = (DELETES.format("first"), DELETES.format("second") + "print(1)", DELETES.format("third") + "result = 1")
    proposed = [(await propose(core, agent, code)).id for code in forms]
    assert [one.id for one in await core.api.waiting_requests()] == proposed

    async def connect(_paths):
        return await connect_in_memory(core.methods, core.bus, role="window")

    queue = ReviewQueue(lambda: [core.paths], connect)
    await queue.find_projects()
    assert [item.request.id for item in queue.items] == proposed
    await queue.close()


TICKETS = TICKET.replace("late", "{}")


async def test_programs_of_one_form_are_one_entry_that_is_denied_or_allowed_together(core, agent, screen):
    await core.catalog.connect("demo")
    runs = [await propose(core, agent, TICKETS.format(word)) for word in ("late", "lost", "broken")]
    await screen.shows("3 waiting", "3 × ", "What differs", "'lost'", "'broken'")
    await screen.press("d")
    await screen.shows("Nothing waits for you", "U undoes it")
    await screen.press("u")
    await screen.shows("3 waiting", "What differs")
    await screen.press("a")
    await screen.shows("Enter allows all 3 programs once")
    await screen.press("enter")
    await screen.shows("Allowed:")
    for run in runs:
        assert (await core.run_manager.wait_until_finished(run.id)).state is RunState.DONE


async def test_a_group_of_high_risk_is_allowed_one_by_one(core, agent, screen):
    runs = [await propose(core, agent, DELETES.format(word)) for word in ("one", "two")]
    await screen.shows("2 waiting", "2 × ")
    await screen.press("a")
    await screen.shows("allowed one by one: O lists them singly")
    await screen.press("o")
    await screen.shows("2 waiting", "os.remove('workspace/one.txt')", "Deletes workspace/tw")
    await screen.press("a")
    await screen.shows("type workspace/one.txt")
    await screen.type("workspace/one.txt")
    await screen.shows("Allowed:", "1 waiting")
    assert (await core.run_manager.wait_until_finished(runs[0].id)).decision.allow
    await core.run_manager.stop(runs[1].id)


async def test_deny_is_one_key_and_can_be_undone(core, agent, screen):
    run = await propose(core, agent)
    await screen.shows("1 waiting")
    await screen.press("d")
    await screen.shows("Denied:", "Nothing waits for you")
    assert core.run_manager.run(run.id).denied_until
    await screen.press("u")
    await screen.shows("1 waiting", "os.remove")
    assert core.run_manager.run(run.id).awaits_answer
    await screen.press("r")
    await screen.shows("Reason for the agent")
    await screen.type("not today")
    assert core.run_manager.run(run.id).decision.reason == "not today"


async def test_nothing_is_allowed_before_it_could_be_read(core, agent, screen, monkeypatch):
    monkeypatch.setattr("workbench.cli.review_screen.SETTLE_SECONDS", 3600.0)
    assert SETTLE_SECONDS == 0.7
    run = await propose(core, agent)
    await screen.shows("os.remove")
    await screen.press("a", "enter")
    await screen.shows("it has just appeared")
    assert core.run_manager.run(run.id).awaits_answer


async def test_the_risky_line_must_have_been_on_the_screen(core, agent, screen):
    code = (
        "import os\n" + "".join(f"x{number} = {number}\n" for number in range(300)) + "os.remove('workspace/a.txt')\n"
    )
    await propose(core, agent, code)
    await screen.shows("1 waiting", "Deletes")
    await screen.press("a")
    await screen.shows("This is the line that makes it risky", "302 os.remove('workspace/a.txt')")
    await screen.press("a")
    await screen.shows("type workspace/a.txt")


async def test_what_is_answered_or_changed_elsewhere_is_said(core, agent, screen):
    run = await propose(core, agent)
    await screen.shows("os.remove('workspace/old.txt')")
    await core.run_manager.edit(run.id, DELETES.format("new"))
    await screen.shows("The request changed. Read it again.", "os.remove('workspace/new.txt')")
    await core.run_manager.stop(run.id, "stopped elsewhere")
    await screen.shows("Nothing waits for you")
    await screen.press("d")
    await screen.shows("stopped elsewhere", "Press J for the next request")


async def test_hostile_text_cannot_forge_or_break_the_screen(core, agent, screen):
    hostile = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\u2066 [bold]markup[/bold] " + "e" + "\u0301" * 50 + "\u3164" * 9
    call = HeldCall("c-1", "r-1", "c", "demo", "send_email", '{"body": "' + hostile + "x" * 9_000 + '"}')
    core.bus.tell(CallHeld(replace(call, sentence=hostile, author=hostile, risk=Risk.HIGH)))
    run = await propose(core, core.services.sessions.open(hostile))
    await screen.shows("1 waiting")
    text = screen.text()
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "\u202e" not in text
    assert "[bold]" in text, "markup is text"
    assert len(text.splitlines()) == 24
    assert run.proposal.author


def test_every_character_takes_its_place():
    assert plain_cells("a\tb\x00\u200b") == "a   b\\x00\\u200b"
    assert plain_cells("a" + " " * 500 + "os.system('rm')") == "a ‹500 spaces› os.system('rm')"
    assert plain_cells(" " * 60 + "x") == " " * 60 + "x", "indentation stays"
    assert plain_cells("e" + "\u0301" * 5) == "e" + "\u0301" * 3 + "\\u0301\\u0301"


async def test_a_narrow_and_a_resized_terminal_keep_everything_reachable(core, agent, screen):
    await propose(core, agent, "# " + "漢字" * 200 + "\n" + DELETES.format("old"))
    await screen.shows("1 waiting")
    for size in ((40, 12), (200, 60), (80, 24)):
        await screen.pilot.resize_terminal(*size)
        await screen.pilot.pause()
        view = screen.app.query_one(FactsView)
        assert view.size.width > 20
        assert view.size.height >= 2
    await screen.press("g")
    await screen.shows("os.remove('workspace/old.txt')")
    await screen.pilot.click("#queue", offset=(3, 1))
    await screen.press("question_mark")
    await screen.shows("deny with a reason")
