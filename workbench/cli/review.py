"""`review`: a full-screen queue of everything that waits, in all running projects of the user, for a terminal or SSH.

This module holds the queue and the connections to the cores; `review_screen.py` draws it with Textual, an optional
package.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.approval_requests import CallRequest, GroupRequest, ProgramRequest, Request, find_requests
from workbench.cli.common_options import DONE, UNANSWERED, Parser, add_common
from workbench.cli.terminal_answers import ROLE, find_running_projects, report_no_core
from workbench.cli.terminal_output import narrate_fault
from workbench.errors import WorkbenchError
from workbench.events import (
    ApprovalClocksChanged,
    AskArrived,
    AskSettled,
    CallHeld,
    Event,
    EventsLost,
    FilesHeld,
    HeldCallSettled,
    RunChanged,
    spawn,
)
from workbench.paths import Paths

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.cli.review_screen import ReviewApp

Connect = Callable[[Paths], "Awaitable[CoreConnection]"]

PACKAGE = "textual>=8.2,<9"
SEARCH_SECONDS = 2.0  # between two looks for cores that started meanwhile
ANSWERED_SECONDS = 2.0
PAUSE_SECONDS = 0.05  # several events at once are one look at what waits
_CHANGES = (AskArrived, AskSettled, RunChanged, CallHeld, HeldCallSettled, FilesHeld, ApprovalClocksChanged, EventsLost)

EPILOG = """The screen lists what waits in all your projects with a running core, or in --project: programs, held calls
and held file changes; forms of servers and decisions about servers with the place where you answer them. J and K move,
A and then Enter allows, D denies, U undoes a denial for some seconds, R denies with a reason, E opens a program in
$EDITOR, L leaves the request waiting, ? lists all keys. Programs of the same form are one entry with a table of what
differs: D denies all, A allows all up to medium risk, O lists them singly. For high risk you type the name of what
makes the request risky, as for `runs allow`. While the screen is open, the time of requests is paused.

exit codes: 0 done, 1 an error, 4 no core is running, 6 no terminal"""


def arrange_review(parser: Parser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add_common(parser, _review, data=False)


def _review(given: argparse.Namespace, paths: Paths) -> int:
    if not is_at_controlling_terminal():
        narrate_fault(
            WorkbenchError(
                "This command needs an interactive terminal, but has none. Nothing was decided.",
                "Run it in a terminal of your own, or answer in the workbench's window.",
            )
        )
        return UNANSWERED
    if importlib.util.find_spec("textual") is None:
        raise WorkbenchError(
            "The full-screen review needs the package textual, which is not installed.",
            f'Install it with: {sys.executable} -m pip install "{PACKAGE}". Without it, `mcp-workbench runs list` and'
            " `runs allow|deny ID` answer one request at a time.",
        )
    if not find_running_projects(given.project, paths):
        return report_no_core()
    from workbench.cli.review_screen import ReviewApp

    queue = ReviewQueue(lambda: find_running_projects(given.project, paths))
    fault = asyncio.run(_show(ReviewApp(queue), queue))
    if fault is not None:
        raise fault
    return DONE


async def _show(app: ReviewApp, queue: ReviewQueue) -> WorkbenchError | None:
    try:
        return await app.run_async()
    finally:
        await queue.close()


def is_at_controlling_terminal() -> bool:
    """Whether standard input and output are the terminal that controls this process."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        device = int(fields[4])
        return device != 0 and all(os.isatty(one) and os.fstat(one).st_rdev == device for one in (0, 1))
    except (OSError, ValueError, IndexError):
        return False


class Item:
    """One request of one project."""

    def __init__(self, request: Request, core: ProjectConnection) -> None:
        self.request = request
        self.core = core
        self.arguments = request.held_call.arguments if isinstance(request, CallRequest) else ""
        self.ended = ""  # why it can no longer be answered

    @property
    def key(self) -> tuple[str, str, str]:
        return str(self.core.paths.project), self.request.kind, self.request.id

    @property
    def places(self) -> set[tuple[str, str]]:
        """Project and id of each request that an answer applies to."""
        return {(str(self.core.paths.project), one) for one in self.request.ids}

    @property
    def version(self) -> str:
        """Differs as soon as something else would be decided than was shown."""
        return self.request.version


class ProjectConnection:
    """The connection to the core of one project while the screen is open."""

    def __init__(self, paths: Paths, connect: Connect, changed: Callable[[], None]) -> None:
        self.paths = paths
        self._connect = connect
        self.requests: list[Request] = []
        self.single: set[str] = set()  # programs that the user wants listed singly
        self._group_ids: dict[str, str] = {}  # id of a run → id of its group
        self.is_lost = False
        self._changed = changed
        self._connection: CoreConnection | None = None
        self._dirty = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._watch: asyncio.Task[None] | None = None
        self.last_event_of: dict[str, str] = {}  # request id → how it ended

    @property
    def connection(self) -> CoreConnection:
        if self._connection is None or self.is_lost:
            raise WorkbenchError(f"The core of {self.paths.project.name} has ended.", "Nothing was decided.")
        return self._connection

    async def open(self) -> None:
        """Connect. Raises a `WorkbenchError` if answers from here are not accepted."""
        self._connection = await self._connect(self.paths)
        self._connection.listen(self._hear)
        self._dirty.set()
        await self._load()
        api = self._connection.api
        self._tasks = [
            spawn("attend", _until_lost(partial(api.attend, True))),
            spawn("review", _until_lost(api.review)),
            spawn("follow requests", self._follow()),
            spawn("core lost", self._wait_for_end()),
        ]

    def look(self, *, looking: bool) -> None:
        """Say whether the user looks at the screen: then the core shows no desktop notification."""
        if looking and self._connection is not None and (self._watch is None or self._watch.done()):
            self._watch = spawn("watch requests", _until_lost(self._connection.api.watch_requests))
        elif not looking and self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def close(self) -> None:
        tasks = [*self._tasks, *([self._watch] if self._watch is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        if self._connection is not None:
            await self._connection.close()

    def _hear(self, event: Event) -> None:
        if isinstance(event, _CHANGES):
            for request in self.requests:
                if words := request.ended_by(event):
                    self.last_event_of[request.id] = words
            self._dirty.set()

    async def _follow(self) -> None:
        while True:
            await self._dirty.wait()
            await asyncio.sleep(PAUSE_SECONDS)
            try:
                await self._load()
            except WorkbenchError:  # the core is gone, which `_wait_for_end` reports
                return
            self._changed()

    async def _load(self) -> None:
        self._dirty.clear()
        self.requests = await self._grouped(await find_requests(self.connection.api))

    async def _grouped(self, requests: list[Request]) -> list[Request]:
        """Put programs of the same form into groups, in the place of the first of them."""
        programs = {one.id: one for one in requests if isinstance(one, ProgramRequest) and one.id not in self.single}
        self.single &= {one.id for one in requests}
        if len(programs) < 2:
            self._group_ids = {}
            return requests
        first: dict[str, GroupRequest] = {}
        ids: dict[str, str] = {}
        for group in await self.connection.api.group_requests(tuple(programs)):
            members = [programs[run_id] for run_id in group.ids if run_id in programs]
            if len(members) > 1:
                known = (self._group_ids[run_id] for run_id in group.ids if run_id in self._group_ids)
                group_id = next((one for one in known if one not in ids.values()), f"group:{group.ids[0]}")
                ids |= dict.fromkeys(group.ids, group_id)
                first[members[0].id] = GroupRequest(group_id, members, group)
        self._group_ids = ids
        return [first.get(one.id, one) for one in requests if one.id in first or one.id not in ids]

    def list_singly(self, run_ids: Sequence[str]) -> None:
        """List these programs as requests of their own."""
        self.single |= set(run_ids)
        self._dirty.set()

    async def _wait_for_end(self) -> None:
        await self.connection.closed.wait()
        self.is_lost, self.requests = True, []
        self._changed()


async def connect_terminal(paths: Paths) -> CoreConnection:
    """Connect as a terminal. Raises a `WorkbenchError` if answers from here are not accepted."""
    from workbench.api.client import connect

    connection = await connect(paths, start=False, role=ROLE)
    try:
        await connection.api.may_answer()
    except BaseException:
        await connection.close()
        raise
    return connection


async def _until_lost(call: Callable[[], Awaitable[object]]) -> None:
    with suppress(WorkbenchError):
        await call()


class ReviewQueue:
    """All requests of all projects, in a stable order: new ones join at the end."""

    def __init__(self, find_projects: Callable[[], Sequence[Paths]], connect: Connect | None = None) -> None:
        self._find_projects = find_projects
        self._connect = connect or connect_terminal
        self._cores: dict[str, ProjectConnection] = {}
        self._looking = True
        self.items: list[Item] = []
        # project and id of a request → hidden until then, while the core's list catches up
        self._answered: dict[tuple[str, str], float] = {}
        self.changed: Callable[[], None] = lambda: None
        self.say: Callable[[str], None] = lambda text: None

    @property
    def waiting(self) -> int:
        """How many requests wait, those of groups included."""
        return sum(len(item.request.ids) for item in self.items)

    @property
    def projects(self) -> int:
        return len(self._cores)

    async def follow_projects(self) -> None:
        """Connect to cores that run or start; does not return."""
        while True:
            await self.find_projects()
            await asyncio.sleep(SEARCH_SECONDS)

    async def find_projects(self) -> None:
        for paths in await asyncio.to_thread(self._find_projects):
            name = str(paths.project)
            if name in self._cores:
                continue
            core = ProjectConnection(paths, self._connect, self.update)
            try:
                await core.open()
            except WorkbenchError:
                await core.close()
                if not self._cores:  # answers from here are not accepted: the same for every core
                    raise
                continue
            core.look(looking=self._looking)
            self._cores[name] = core
            self.update()

    def look(self, *, looking: bool) -> None:
        self._looking = looking
        for core in self._cores.values():
            core.look(looking=looking)

    def update(self) -> None:
        """Take over what waits now."""
        for name, core in tuple(self._cores.items()):
            if core.is_lost:
                del self._cores[name]
                self.say(f"The core of {core.paths.project.name} has ended, and all its waiting requests with it.")
                spawn("close a connection", core.close())
        now = {item.key: item for core in self._cores.values() for item in (Item(one, core) for one in core.requests)}
        self._answered = {one: until for one, until in self._answered.items() if until > time.monotonic()}
        now = {key: item for key, item in now.items() if not self._answered.keys() & item.places}
        kept = [now.pop(item.key) for item in self.items if item.key in now]
        self.items = [*kept, *now.values()]
        self.changed()

    def find(self, item: Item) -> Item | None:
        """The entry that shows this request now: the same one, or the group that it joined or that it is left of."""
        same = next((one for one in self.items if one.key == item.key), None)
        return same or next((one for one in self.items if item.places & one.places), None)

    def hide_answered(self, item: Item) -> None:
        """Take a request that was just answered out of the list."""
        self._answered |= dict.fromkeys(item.places, time.monotonic() + ANSWERED_SECONDS)
        self.items = [one for one in self.items if one.key != item.key]

    def show_again(self, item: Item) -> None:
        """Its denial was undone."""
        for place in item.places:
            self._answered.pop(place, None)
        self.update()

    def end_of(self, item: Item) -> str:
        """Why a request is no longer in the queue."""
        if item.core.is_lost:
            return f"The core of {item.core.paths.project.name} has ended, and this request with it."
        return item.core.last_event_of.get(item.request.id, "It is no longer waiting.")

    async def close(self) -> None:
        for core in self._cores.values():
            await core.close()
        self._cores.clear()
