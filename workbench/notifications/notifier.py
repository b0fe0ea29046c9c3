"""Notifies the user of requests that wait while nobody looks at a window or terminal of this project.

One desktop notification for all requests of the core is updated when they change. The command and the webhook of the
settings `notify` are told of requests that still wait after `notify.after_seconds`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import (
    AskArrived,
    AskSettled,
    CallHeld,
    Event,
    FilesHeld,
    HeldCallSettled,
    RequestsAnnounced,
    ReviewRequested,
    RunChanged,
    spawn,
)
from workbench.notifications.desktop import DesktopNotification
from workbench.notifications.notification_text import NotificationText, describe, title_of
from workbench.notifications.outgoing import post, run_command
from workbench.records import Check, CheckState, RequestKind, Risk, WaitingRequest
from workbench.records.common_types import count_of
from workbench.records.waiting_requests import call_request, form_request, program_request
from workbench.servers.configuration.launch_command import Secret
from workbench.settings import Settings

log = logging.getLogger(__name__)

GRACE_SECONDS = 0.4  # a request that a rule answers within this time causes no notification
UPDATE_SECONDS = 3.0  # between two updates of the desktop notification
SEND_SECONDS = 30.0  # between two messages of the command and the webhook
REVIEW, DENY, UNDO, DEFAULT = "review", "deny", "undo", "default"
_TEST = NotificationText("Test of notifications", "Messages about waiting requests arrive here.", 0)
_TERMINAL_HINT = "Answer in a terminal: mcp-workbench review"


class Answers(Protocol):
    """What the notifier needs of the requests' owner."""

    def mask(self, request: WaitingRequest) -> str:
        """A request's sentence without personal data."""
        ...

    def deny(self, request: WaitingRequest) -> None: ...

    def undo(self, request: WaitingRequest) -> None:
        """Undo a denial."""
        ...


class Notifier:
    """The notifications of one core, whose events are passed to `hear`."""

    hears = (RunChanged, CallHeld, HeldCallSettled, AskArrived, AskSettled, FilesHeld)

    def __init__(
        self,
        project: Path,
        settings: Callable[[], Settings],
        secret: Secret,
        answers: Answers,
        tell: Callable[[Event], None],
        attended: Callable[[], bool],
        windows: Callable[[], bool],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`attended`: whether a window or terminal is connected
        that could answer; `windows`: whether a window is."""
        self._project = project
        self._settings = settings
        self._secret = secret
        self._answers = answers
        self._tell = tell
        self._attended = attended
        self._windows = windows
        self._environment = environment
        self._desktop = DesktopNotification(environment, self._invoked, self._see_all)
        self._waiting: dict[str, WaitingRequest] = {}
        self._since: dict[str, float] = {}
        self._seen: set[str] = set()  # waiting while the user looked, or dismissed by the user
        self._announced: set[str] = set()  # on the desktop
        self._sent: set[str] = set()  # to the command and the webhook
        self._shown: WaitingRequest | None = None  # the only request of the desktop notification
        self._denied: WaitingRequest | None = None  # whose denial the notification offers to undo
        self._watchers = 0
        self._changed = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._wanted_review = ""  # for the window that is being opened
        self._problems: dict[str, str] = {}  # channel → why its latest message could not be sent

    # ── what waits ───────────────────────────────────────────────────────────────────────────────
    def hear(self, event: Event) -> None:
        match event:
            case RunChanged(run):
                if run.awaits_answer:
                    self._add(program_request(run))
                elif run.id in self._waiting and not run.held:
                    self._remove(run.id)
            case CallHeld(held_call, before):
                self._remove(before)
                self._add(call_request(held_call))
            case HeldCallSettled(held_call):
                self._remove(held_call.id)
            case AskArrived(ask):
                self._add(form_request(ask))
            case AskSettled(ask):
                self._remove(ask.id)
            case FilesHeld(run_id, count):
                if count:
                    self._add(_files_request(run_id, count))
                else:
                    self._remove(run_id)

    def _add(self, request: WaitingRequest) -> None:
        if request == self._waiting.get(request.id):
            return
        self._waiting[request.id] = request
        self._since.setdefault(request.id, time.monotonic())
        if self._watchers or (request.own and self._attended()):
            self._seen.add(request.id)
        self._work()

    def _remove(self, request_id: str) -> None:
        if self._waiting.pop(request_id, None) is None:
            return
        self._since.pop(request_id, None)
        for known in (self._seen, self._announced, self._sent):
            known.discard(request_id)
        self._work()

    def _see_all(self) -> None:
        """Nothing that waits now is announced on the desktop any more."""
        self._seen.update(self._waiting)

    @api(consent=True)
    async def watch_requests(self) -> None:
        """Say that the user looks at a window or terminal that shows what waits: nothing needs to be announced on the
        desktop. The call does not return; the caller cancels it."""
        self._watchers += 1
        try:
            self._see_all()
            self._work()
            await asyncio.Event().wait()
        finally:
            self._watchers -= 1

    @api
    async def take_wanted_review(self) -> str:
        """The request that the user chose in a notification before this window was open; empty if there is none."""
        wanted, self._wanted_review = self._wanted_review, ""
        return wanted

    # ── delivery ─────────────────────────────────────────────────────────────────────────────────
    def _work(self) -> None:
        settings = self._settings()
        self._changed.set()
        if settings.notify_desktop or self._desktop.is_shown:
            self._start("desktop", self._update_desktop)
        if settings.notify_command or settings.notify_url:
            self._start("outgoing", self._send_due)

    def _start(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = self._tasks.get(name)
        if task is None or task.done():
            self._tasks[name] = spawn(f"notifications: {name}", work())

    async def _update_desktop(self) -> None:
        while self._changed.is_set():
            await asyncio.sleep(GRACE_SECONDS)
            if self._denied is not None:
                return  # the notification offers to undo a denial; `_deny_shown` continues afterwards
            self._changed.clear()
            unseen = [one for one in self._waiting if one not in self._seen]
            if not unseen or not self._settings().notify_desktop:
                self._shown = None
                await self._desktop.close()
            elif self._desktop.is_shown or any(one not in self._announced for one in unseen):
                self._announced.update(unseen)
                await self._show(list(self._waiting.values()))
                await asyncio.sleep(UPDATE_SECONDS)

    async def _show(self, waiting: Sequence[WaitingRequest]) -> None:
        message = self._describe(waiting, self._settings().notify_desktop_content)
        actions, body = list[tuple[str, str]](), message.body
        if self._windows() or self._can_open_window():
            actions += [(DEFAULT, "Review"), (REVIEW, "Review")]
        else:
            body = f"{body} {_TERMINAL_HINT}"
        self._shown = waiting[0] if len(waiting) == 1 else None
        if self._shown is not None and _can_be_denied(self._shown):
            actions.append((DENY, "Deny"))
        if not await self._desktop.show(message.title, body, actions) and self._windows():
            self._tell(RequestsAnnounced(message.title, message.body))

    def _describe(self, waiting: Sequence[WaitingRequest], content: str) -> NotificationText:
        """Without masking, a sentence could contain personal data, so the message has none."""
        with_sentence = content == "sentence" and self._settings().privacy_enabled
        return describe(waiting, self._project.name, content=with_sentence, mask=self._answers.mask)

    async def _send_due(self) -> None:
        """Send one message about all requests that still wait after the time that the settings say."""
        while True:
            patience = self._settings().notify_after_seconds
            due = [since + patience for one, since in self._since.items() if one not in self._sent]
            if not due:
                return
            await asyncio.sleep(max(0.0, min(due) - time.monotonic()))
            now = time.monotonic()
            if any(one not in self._sent and since + patience <= now for one, since in self._since.items()):
                self._sent.update(self._waiting)
                message = self._describe(list(self._waiting.values()), self._settings().notify_content)
                await self._send(message)
                await asyncio.sleep(SEND_SECONDS)

    async def _send(self, message: NotificationText) -> None:
        """Send to the command and the webhook at the same time. Failures are kept for the doctor."""
        settings, project = self._settings(), self._project.name
        channels: dict[str, Awaitable[str]] = {}
        if settings.notify_command:
            channels["command"] = run_command(settings.notify_command, message, project)
        if settings.notify_url:
            channels["webhook"] = post(settings.notify_url, settings.notify_format, message, project, self._secret)
        for name, problem in zip(channels, await asyncio.gather(*channels.values()), strict=True):
            self._problems.pop(name, None)
            if problem:
                self._problems[name] = problem
                log.warning("a notification was not sent: %s", problem)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────
    def _invoked(self, action: str, token: str) -> None:
        request = self._shown
        if action == DENY and request is not None:
            self._tasks["denial"] = spawn("deny from the desktop", self._deny_shown(request))
        elif action == UNDO and self._denied is not None:
            self._undo()
        elif action in (DEFAULT, REVIEW) and self._waiting:
            self._see_all()
            chosen = request.id if request is not None else next(iter(self._waiting))
            if self._windows():
                self._tell(ReviewRequested(chosen, token))
            elif self._can_open_window():
                self._wanted_review = chosen
                self._open_window(token)

    async def _deny_shown(self, request: WaitingRequest) -> None:
        """Deny the request, and offer to undo that until the agent is told."""
        waiting = self._waiting.get(request.id)
        if waiting is None or waiting.fingerprint != request.fingerprint:
            return  # it changed since it was shown
        seconds = self._settings().approval_undo_seconds
        self._shown, self._denied = None, request
        try:
            self._answers.deny(request)
            if seconds:
                sentence = f"You denied it. The agent is told in {seconds} seconds."
                await self._desktop.show(title_of(request), sentence, [(UNDO, "Undo")])
                await asyncio.sleep(seconds)
        except WorkbenchError as fault:
            log.info("a request was not denied from the desktop: %s", fault)
        finally:
            if self._denied is request:
                self._denied = None
            self._work()

    def _undo(self) -> None:
        request, self._denied = self._denied, None
        if request is not None:
            try:
                self._answers.undo(request)
            except WorkbenchError as fault:
                log.info("a denial was not undone from the desktop: %s", fault)

    def _can_open_window(self) -> bool:
        display = self._environment.get("WAYLAND_DISPLAY") or self._environment.get("DISPLAY")
        return bool(display) and importlib.util.find_spec("PySide6") is not None

    def _open_window(self, token: str) -> None:
        world = {**self._environment, **({"XDG_ACTIVATION_TOKEN": token} if token else {})}
        command = [sys.executable, "-P", "-m", "workbench", str(self._project)]
        try:
            subprocess.Popen(
                command,
                env=world,
                cwd=os.path.expanduser("~"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as fault:
            log.warning("the window could not be opened: %s", fault)

    # ── tests and diagnosis ──────────────────────────────────────────────────────────────────────
    @api
    async def test_notifications(self) -> tuple[Check, ...]:
        """Send one message without content through each channel that is set up, and say which arrived."""
        settings = self._settings()
        if settings.notify_desktop and not self._desktop.is_shown:
            await self._desktop.show(_TEST.title, _TEST.body, ())
        await self._send(_TEST)
        return self.checks()

    def checks(self) -> tuple[Check, ...]:
        """One check for each channel: the latest message that could not be sent."""
        settings = self._settings()
        found = [_check("Desktop notification", settings.notify_desktop, self._desktop.fault, "notify.desktop")]
        found.append(
            _check("Notify command", bool(settings.notify_command), self._problems.get("command", ""), "notify.command")
        )
        found.append(_check("Webhook", bool(settings.notify_url), self._problems.get("webhook", ""), "notify.url"))
        return tuple(found)

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._desktop.close()


def _files_request(run_id: str, count: int) -> WaitingRequest:
    sentence = f"Changes of {count_of(count, 'file')} wait."
    return WaitingRequest(run_id, RequestKind.FILES, sentence, risk=Risk.MEDIUM)


def _can_be_denied(request: WaitingRequest) -> bool:
    return request.kind in (RequestKind.PROGRAM, RequestKind.CALL)


def _check(name: str, is_on: bool, problem: str, setting: str) -> Check:
    if not is_on:
        return Check(name, CheckState.SKIPPED, f"It is off (setting {setting}).")
    if problem:
        return Check(name, CheckState.DOUBT, problem, "Then run: mcp-workbench notify test")
    return Check(name, CheckState.GOOD, "It is on, and no message has failed.")
