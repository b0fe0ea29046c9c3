"""Event records (one frozen record per kind), the event bus, and `spawn`, the only way to start an asyncio task.

Features publish events on the bus, and clients subscribe. There is no other notification of changes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar, cast

from msgspec import Struct

from workbench.records import (
    AgentInfo,
    Ask,
    CallTrace,
    Check,
    Entry,
    Fault,
    HeldCall,
    KeptState,
    Ledger,
    MutedAgent,
    NetworkRules,
    PastCall,
    Permissions,
    PrivacyRules,
    RequestClock,
    Run,
    SecretStore,
    ServerState,
)

log = logging.getLogger(__name__)


class _Event(Struct, frozen=True, tag_field="event", tag=True):
    """Base class of all events. The tag field `event` carries the event's name when it is encoded."""


class ServerChanged(_Event, frozen=True):
    """A server started, became ready, failed, stopped, or appeared in the configuration."""

    state: ServerState


class ServerRemoved(_Event, frozen=True):
    """A server is no longer part of the project."""

    name: str


class ServersArranged(_Event, frozen=True):
    """The order of the project's servers has changed."""

    names: tuple[str, ...]


class ToolsChanged(_Event, frozen=True):
    """The list of a server's tools was read for the first time or has changed."""

    server: str


class ServerChecked(_Event, frozen=True):
    """The doctor has made one check of a server. The first check of an examination has number 0."""

    server: str
    number: int
    check: Check


class ToolsWarned(_Event, frozen=True):
    """The warnings about a server's tool definitions have changed."""

    server: str


class DefinitionsBlocked(_Event, frozen=True):
    """Tools of a server differ from the definitions that the user approved. They are blocked until the user reviews
    them.
    """

    server: str
    tools: tuple[str, ...]


class OffersChanged(_Event, frozen=True):
    """A server's resources, templates, prompts, subscriptions or log level were read for the first time or have
    changed.
    """

    server: str


class ResourcesUpdated(_Event, frozen=True):
    """A server reports changed content at these resource URIs. Notifications are debounced."""

    server: str
    uris: tuple[str, ...]


class ServerLogged(_Event, frozen=True):
    """A server's log has grown up to this line number. Notifications are debounced."""

    server: str
    newest: int


class CallProgress(_Event, frozen=True):
    """A running call reports its progress."""

    call_id: str
    progress: float
    total: float
    message: str


class AskArrived(_Event, frozen=True):
    """An elicitation or sampling request of a server has arrived, or its state has changed."""

    ask: Ask


class AskSettled(_Event, frozen=True):
    """An elicitation or sampling request of a server has ended."""

    ask: Ask
    ending: str  # accept, decline or cancel by the user; timed out; withdrawn with its call or server


class RunChanged(_Event, frozen=True):
    """The state of a run has changed."""

    run: Run


class RunOutput(_Event, frozen=True):
    """A run has printed output. The text is unmasked and never sent to agents."""

    run_id: str
    stream: str  # stdout or stderr
    text: str


class RunCall(_Event, frozen=True):
    """A nested call of a run has begun or ended."""

    run_id: str
    trace: CallTrace


class CallHeld(_Event, frozen=True):
    """A call of a program waits for approval, or joined a held call, which then has a new id."""

    held_call: HeldCall
    before: str = ""  # the id in the previous event about this held call


class HeldCallSettled(_Event, frozen=True):
    """The user has answered a held call, or it has timed out or was withdrawn."""

    held_call: HeldCall  # with `denied_until`, if the user can undo the denial
    ending: str  # allowed or denied by the user; timed out; withdrawn with its run
    by: str = ""  # who answered it, and where


class ApprovalClocksChanged(_Event, frozen=True):
    """The clocks of waiting requests were stopped, because the user is reviewing them, or continue."""

    clocks: tuple[RequestClock, ...]


class MutedAgentsChanged(_Event, frozen=True):
    """The user muted an agent session, or unmuted it, or a muted one disconnected."""

    muted: tuple[MutedAgent, ...]


class StatesChanged(_Event, frozen=True):
    """A REPL session was created, used again or ended."""

    states: tuple[KeptState, ...]


class EntryWritten(_Event, frozen=True):
    """An entry was appended to the audit."""

    entry: Entry


class AuditVerifying(_Event, frozen=True):
    """Progress of an audit verification."""

    done: int
    entries: int


class SkillsChanged(_Event, frozen=True):
    """A skill was drafted, saved, edited or retired."""

    name: str


class AgentsChanged(_Event, frozen=True):
    """An agent has connected, disconnected, sent its name, or sent a request."""

    agents: tuple[AgentInfo, ...]


class LedgerChanged(_Event, frozen=True):
    """The number of tokens that programs saved or cost has changed."""

    ledger: Ledger


class SecretsChanged(_Event, frozen=True):
    """A secret was stored or deleted, or the secret store has changed."""

    store: SecretStore


class SettingsChanged(_Event, frozen=True):
    """Settings have changed, or the files that hold them."""

    names: tuple[str, ...]  # settings with a new value; empty: only where values come from has changed


class NetworkChanged(_Event, frozen=True):
    """The user has changed the network rules for programs."""

    rules: NetworkRules


class PermissionsChanged(_Event, frozen=True):
    """The user has changed rules, or which servers are trusted."""

    permissions: Permissions


class PrivacyChanged(_Event, frozen=True):
    """The user has marked something as personal or harmless, or changed how a kind of personal data is detected."""

    rules: PrivacyRules


class FilesChanged(_Event, frozen=True):
    """A run, an agent, the user or an undo has changed files of the workspace. The changes can be undone."""

    id: str  # of the changes; for a run, the run's id
    count: int


class FilesHeld(_Event, frozen=True):
    """A program without approval has changed files that it did not create. The user decides about `count` files; 0:
    decided.
    """

    run_id: str
    count: int


class CallsKept(_Event, frozen=True):
    """Calls were added to the call history, newest last."""

    calls: tuple[PastCall, ...]


class SavedCallsChanged(_Event, frozen=True):
    """A saved call was added, changed or deleted."""

    file: str


class CallsForgotten(_Event, frozen=True):
    """The user has deleted calls from the history."""

    ids: tuple[int, ...]  # empty: all calls


class SignInWanted(_Event, frozen=True):
    """A sign-in that the user started waits for them on this page. The browser is not opened automatically."""

    server: str
    url: str
    host: str


class SignInChanged(_Event, frozen=True):
    """A sign-in has taken a step. The API method `sign_in_report` returns all steps."""

    server: str
    state: str


class CoreStopping(_Event, frozen=True):
    """The core is shutting down on request. Clients do not restart it by themselves."""

    reason: str


class EventsLost(_Event, frozen=True):
    """An event was too large to be sent. Clients that show the state of the core must fetch all of it again."""

    kind: str  # the event's name


class RequestsAnnounced(_Event, frozen=True):
    """Requests wait that no notification service of the desktop could announce. Windows say so in the tray."""

    title: str
    body: str


class ReviewRequested(_Event, frozen=True):
    """The user chose Review in a desktop notification. Windows come to the front and open the request."""

    request_id: str
    token: str  # with which a Wayland window may come to the front; empty if the desktop sent none


class Noticed(_Event, frozen=True):
    """A message for the user, with a hint."""

    fault: Fault


Event: TypeAlias = (
    ServerChanged
    | ServerRemoved
    | ServersArranged
    | ToolsChanged
    | ServerChecked
    | DefinitionsBlocked
    | ToolsWarned
    | OffersChanged
    | ResourcesUpdated
    | ServerLogged
    | CallProgress
    | AskArrived
    | AskSettled
    | RunChanged
    | RunOutput
    | RunCall
    | CallHeld
    | HeldCallSettled
    | ApprovalClocksChanged
    | MutedAgentsChanged
    | StatesChanged
    | EntryWritten
    | AuditVerifying
    | SkillsChanged
    | AgentsChanged
    | LedgerChanged
    | SecretsChanged
    | SettingsChanged
    | NetworkChanged
    | PermissionsChanged
    | PrivacyChanged
    | FilesChanged
    | FilesHeld
    | CallsKept
    | CallsForgotten
    | SavedCallsChanged
    | SignInWanted
    | SignInChanged
    | CoreStopping
    | EventsLost
    | RequestsAnnounced
    | ReviewRequested
    | Noticed
)
Listener: TypeAlias = Callable[[Event], None]
_Result = TypeVar("_Result")


class Bus:
    """Delivers each event to all listeners, synchronously and in order. A failing listener does not stop the others."""

    def __init__(self) -> None:
        self._listeners: list[tuple[Listener, tuple[type, ...]]] = []
        self._of_kind: dict[type, tuple[Listener, ...]] = {}

    def listen(self, listener: Listener, *kinds: type) -> Callable[[], None]:
        """Subscribe to events of these kinds, or to all events without kinds, and return the function that
        unsubscribes.

        Name the kinds: one call publishes five events, and most listeners need none of them.
        """
        self._listeners = [*self._listeners, one := (listener, kinds)]
        self._of_kind = {}
        return lambda: self._forget(one)

    def _forget(self, gone: tuple[Listener, tuple[type, ...]]) -> None:
        self._listeners = [one for one in self._listeners if one is not gone]
        self._of_kind = {}

    def _hearing(self, kind: type) -> tuple[Listener, ...]:
        found = tuple(listener for listener, kinds in self._listeners if not kinds or kind in kinds)
        self._of_kind[kind] = found
        return found

    def tell(self, event: Event) -> None:
        listeners = self._of_kind.get(type(event))
        for listener in self._hearing(type(event)) if listeners is None else listeners:
            try:
                listener(event)
            except Exception:
                log.exception("a listener failed on %s", type(event).__name__)


_tasks: set[asyncio.Task[Any]] = set()  # Any: results of background tasks are not used


def spawn(name: str, coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start a named asyncio task, keep a reference to it, and log its failure."""
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _tasks.add(task)
    task.add_done_callback(_finished)
    return task


async def finish_even_if_cancelled(name: str, coro: Coroutine[Any, Any, _Result]) -> _Result:
    """Await the coroutine to its end, also when the caller is cancelled; the cancellation is raised afterwards.

    For work on a thread, which continues after a cancellation and would collide with the caller's cleanup.
    """
    task = spawn(name, _result_or_fault(coro))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as stop:
            cancelled = stop
    if cancelled is not None:
        raise cancelled
    result, fault = task.result()
    if fault is not None:
        raise fault
    return cast(_Result, result)


async def _result_or_fault(coro: Coroutine[Any, Any, _Result]) -> tuple[_Result | None, Exception | None]:
    """The coroutine's result or its exception. The caller raises it, so it is not logged as the failure of a background
    task.
    """
    try:
        return await coro, None
    except Exception as fault:
        return None, fault


def living() -> frozenset[str]:
    """The names of the running tasks. After a core has closed, the set is empty."""
    return frozenset(task.get_name() for task in _tasks if not task.done())


def _finished(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("task %s failed", task.get_name(), exc_info=fault)
