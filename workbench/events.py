"""What may happen (one frozen record each), the small bus that tells it, and `spawn`, the only way to start a task.

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
    NetworkRules,
    PastCall,
    Permissions,
    PrivacyRules,
    Run,
    SecretStore,
    ServerState,
)

log = logging.getLogger(__name__)


class _Event(Struct, frozen=True, tag_field="event", tag=True):
    """What every event has: its name travels beside its fields."""


class ServerChanged(_Event, frozen=True):
    """A server started, became ready, failed, stopped, or appeared in the configuration."""

    state: ServerState


class ServerRemoved(_Event, frozen=True):
    """A server is no longer part of the project."""

    name: str


class ServersArranged(_Event, frozen=True):
    """The servers of the project stand in another order."""

    names: tuple[str, ...]


class ToolsChanged(_Event, frozen=True):
    """The list of a server's tools is known or different now."""

    server: str


class ServerChecked(_Event, frozen=True):
    """The doctor made one check of a server; the first of an examination has number 0."""

    server: str
    number: int
    check: Check


class ToolsWarned(_Event, frozen=True):
    """Other things than before are odd about a server's definitions."""

    server: str


class DefinitionsBlocked(_Event, frozen=True):
    """Tools of a server are not what a person approved; they are blocked until somebody has read the change."""

    server: str
    tools: tuple[str, ...]


class OffersChanged(_Event, frozen=True):
    """A server's resources, templates, prompts, subscriptions or log level are known or different now."""

    server: str


class ResourcesUpdated(_Event, frozen=True):
    """A server says that what these addresses hold is different now; collected over a moment."""

    server: str
    uris: tuple[str, ...]


class ServerLogged(_Event, frozen=True):
    """A server's log has grown up to this number; collected over a moment."""

    server: str
    newest: int


class CallProgress(_Event, frozen=True):
    """A running call says how far it is."""

    call_id: str
    progress: float
    total: float
    message: str


class AskArrived(_Event, frozen=True):
    """A server asks a person something, or its question took a step."""

    ask: Ask


class AskSettled(_Event, frozen=True):
    """A server's question is over."""

    ask: Ask
    ending: str  # accept, decline or cancel by a person; timed out; withdrawn with its call or server


class RunChanged(_Event, frozen=True):
    """A run took a step on its road."""

    run: Run


class RunOutput(_Event, frozen=True):
    """A run printed something; unmasked, for people only."""

    run_id: str
    stream: str  # stdout or stderr
    text: str


class RunCall(_Event, frozen=True):
    """A nested call of a run began or ended."""

    run_id: str
    trace: CallTrace


class CallHeld(_Event, frozen=True):
    """A call of a program waits for approval, or joined a held call, which then has a new id."""

    held_call: HeldCall
    before: str = ""  # the id under which the held call was told last


class HeldCallSettled(_Event, frozen=True):
    """A held call was answered, timed out or was withdrawn."""

    held_call: HeldCall
    ending: str  # allowed or denied by a person; timed out; withdrawn with its run


class StatesChanged(_Event, frozen=True):
    """A sandbox was kept for a name, was used again, or ended."""

    states: tuple[KeptState, ...]


class EntryWritten(_Event, frozen=True):
    """The audit grew by one entry."""

    entry: Entry


class AuditVerifying(_Event, frozen=True):
    """The audit is being verified, and so much of it was walked."""

    done: int
    entries: int


class SkillsChanged(_Event, frozen=True):
    """A skill was drafted, kept, edited or retired."""

    name: str


class AgentsChanged(_Event, frozen=True):
    """An agent came, left, said its name, or asked something."""

    agents: tuple[AgentInfo, ...]


class LedgerChanged(_Event, frozen=True):
    """Tokens were saved or spent."""

    ledger: Ledger


class SecretsChanged(_Event, frozen=True):
    """A secret was stored or deleted, or the place where they are kept is another one now."""

    store: SecretStore


class NetworkChanged(_Event, frozen=True):
    """A person changed which places programs may reach."""

    rules: NetworkRules


class PermissionsChanged(_Event, frozen=True):
    """A person changed their rules, or what they trust."""

    permissions: Permissions


class PrivacyChanged(_Event, frozen=True):
    """A person marked something as personal or harmless, or changed how a kind of personal data is looked for."""

    rules: PrivacyRules


class FilesChanged(_Event, frozen=True):
    """A run, an agent, a person or an undo left files of the workspace different, and it can be taken back."""

    id: str  # of the changes; for a run its own
    count: int


class FilesHeld(_Event, frozen=True):
    """A program that nobody approved changed files that were not its own: the user decides; 0: they have decided."""

    run_id: str
    count: int


class CallsKept(_Event, frozen=True):
    """Calls were made and stand in the history now, newest last."""

    calls: tuple[PastCall, ...]


class SavedCallsChanged(_Event, frozen=True):
    """A call was saved as a file of the project, changed, or taken away."""

    file: str


class CallsForgotten(_Event, frozen=True):
    """The history lost calls: a person had them forgotten."""

    ids: tuple[int, ...]  # empty: all of them


class SignInWanted(_Event, frozen=True):
    """A sign-in that a person started waits for them on this page; no browser opens by itself."""

    server: str
    url: str
    host: str


class SignInChanged(_Event, frozen=True):
    """A sign-in took a step; the question `sign_in_report` tells all of them."""

    server: str
    state: str


class CoreStopping(_Event, frozen=True):
    """The core was told to end. Clients do not start it again by themselves."""

    reason: str


class EventsLost(_Event, frozen=True):
    """An event was too large to be sent: whoever shows the state of the core asks for all of it again."""

    kind: str  # the event's name


class Noticed(_Event, frozen=True):
    """Something a person should read, with a hint."""

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
    | StatesChanged
    | EntryWritten
    | AuditVerifying
    | SkillsChanged
    | AgentsChanged
    | LedgerChanged
    | SecretsChanged
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
    | Noticed
)
Listener: TypeAlias = Callable[[Event], None]
_Result = TypeVar("_Result")


class Bus:
    """Tells every event to every listener, in order, at once; a listener that fails does not stop the others."""

    def __init__(self) -> None:
        self._listeners: list[tuple[Listener, tuple[type, ...]]] = []
        self._of_kind: dict[type, tuple[Listener, ...]] = {}

    def listen(self, listener: Listener, *kinds: type) -> Callable[[], None]:
        """Hear everything from now on, or these kinds only: a call tells five events, and most listeners care for none
        of them. Call what is returned to stop."""
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


_tasks: set[asyncio.Task[Any]] = set()  # Any: what a background task returns is nobody's business


def spawn(name: str, coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start a named task, keep it alive, and say in the log when it fails."""
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _tasks.add(task)
    task.add_done_callback(_finished)
    return task


async def finish_even_if_cancelled(name: str, coro: Coroutine[Any, Any, _Result]) -> _Result:
    """Await the coroutine to its end. A cancellation that arrives meanwhile is raised afterwards: for work on a thread,
    which goes on although its caller was cancelled, and would run into whatever the caller cleans up."""
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
    """So that a failure is raised where it is awaited, and not logged as one of a background task."""
    try:
        return await coro, None
    except Exception as fault:
        return None, fault


def living() -> frozenset[str]:
    """Names of the tasks that still run; a closed core has none."""
    return frozenset(task.get_name() for task in _tasks if not task.done())


def _finished(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("task %s failed", task.get_name(), exc_info=fault)
