"""What may happen (one frozen record each), the small bus that tells it, and `spawn`, the only way to start a task.

Rooms tell the bus; doors listen. Nobody learns of a change in any other way, so a new door needs no new hooks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar, cast

from workbench.quick_records import dataclass
from workbench.records import (
    AgentInfo,
    Ask,
    CallTrace,
    Check,
    Entry,
    Fault,
    KeptState,
    Ledger,
    NetworkRules,
    PastCall,
    Pause,
    Permissions,
    PrivacyRules,
    Run,
    SecretStore,
    ServerState,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """A server started, became ready, failed, stopped, or appeared in the configuration."""

    state: ServerState


@dataclass(frozen=True, slots=True)
class ServerRemoved:
    """A server is no longer part of the bench."""

    name: str


@dataclass(frozen=True, slots=True)
class ServersArranged:
    """The servers of the bench stand in another order."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """The list of a server's tools is known or different now."""

    server: str


@dataclass(frozen=True, slots=True)
class ServerChecked:
    """The doctor made one check of a server; the first of an examination has number 0."""

    server: str
    number: int
    check: Check


@dataclass(frozen=True, slots=True)
class ToolsWarned:
    """Other things than before are odd about a server's definitions."""

    server: str


@dataclass(frozen=True, slots=True)
class DefinitionsBlocked:
    """Tools of a server are not what a person approved; they are blocked until somebody has read the change."""

    server: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OffersChanged:
    """A server's resources, templates, prompts, subscriptions or log level are known or different now."""

    server: str


@dataclass(frozen=True, slots=True)
class ResourcesUpdated:
    """A server says that what these addresses hold is different now; collected over a moment."""

    server: str
    uris: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServerLogged:
    """A server's log has grown up to this number; collected over a moment."""

    server: str
    newest: int


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A running call says how far it is."""

    call_id: str
    progress: float
    total: float
    message: str


@dataclass(frozen=True, slots=True)
class AskArrived:
    """A server asks a person something, or its question took a step."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class AskSettled:
    """A server's question is over."""

    ask: Ask
    ending: str  # accept, decline or cancel by a person; timed out; withdrawn with its call or server


@dataclass(frozen=True, slots=True)
class RunChanged:
    """A run took a step on its road."""

    run: Run


@dataclass(frozen=True, slots=True)
class RunOutput:
    """A run printed something; unmasked, for people only."""

    run_id: str
    stream: str  # stdout or stderr
    text: str


@dataclass(frozen=True, slots=True)
class RunCall:
    """A nested call of a run began or ended."""

    run_id: str
    trace: CallTrace


@dataclass(frozen=True, slots=True)
class RunPaused:
    """A nested call waits for a person, or one more joined those that wait; that is the same pause under a new id."""

    pause: Pause
    before: str = ""  # the id under which the pause was told last


@dataclass(frozen=True, slots=True)
class PauseSettled:
    """Nobody has to answer this pause any more."""

    pause: Pause
    ending: str  # allowed or denied by a person; timed out; withdrawn with its run


@dataclass(frozen=True, slots=True)
class StatesChanged:
    """A sandbox was kept for a name, was used again, or ended."""

    states: tuple[KeptState, ...]


@dataclass(frozen=True, slots=True)
class EntryWritten:
    """The audit grew by one entry."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class AuditVerifying:
    """The audit is being verified, and so much of it was walked."""

    done: int
    entries: int


@dataclass(frozen=True, slots=True)
class SkillsChanged:
    """A skill was drafted, kept, edited or retired."""

    name: str


@dataclass(frozen=True, slots=True)
class AgentsChanged:
    """An agent came, left, said its name, or asked something."""

    agents: tuple[AgentInfo, ...]


@dataclass(frozen=True, slots=True)
class LedgerChanged:
    """Tokens were saved or spent."""

    ledger: Ledger


@dataclass(frozen=True, slots=True)
class SecretsChanged:
    """A secret was stored or deleted, or the place where they are kept is another one now."""

    store: SecretStore


@dataclass(frozen=True, slots=True)
class NetworkChanged:
    """A person changed which places programs may reach."""

    rules: NetworkRules


@dataclass(frozen=True, slots=True)
class PermissionsChanged:
    """A person changed their rules, or what they trust."""

    permissions: Permissions


@dataclass(frozen=True, slots=True)
class PrivacyChanged:
    """A person marked something as personal or harmless, or changed how a kind of personal data is looked for."""

    rules: PrivacyRules


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """A run, an agent, a person or an undo left files of the workspace different, and it can be taken back."""

    id: str  # of the changes; for a run its own
    count: int


@dataclass(frozen=True, slots=True)
class FilesHeld:
    """A program that nobody approved changed files that were not its own: the user decides; 0: they have decided."""

    run_id: str
    count: int


@dataclass(frozen=True, slots=True)
class CallsKept:
    """Calls were made and stand in the history now, newest last."""

    calls: tuple[PastCall, ...]


@dataclass(frozen=True, slots=True)
class SavedCallsChanged:
    """A call was saved as a file of the bench, changed, or taken away."""

    file: str


@dataclass(frozen=True, slots=True)
class CallsForgotten:
    """The history lost calls: a person had them forgotten."""

    ids: tuple[int, ...]  # empty: all of them


@dataclass(frozen=True, slots=True)
class SignInWanted:
    """A sign-in that a person started waits for them on this page; no browser opens by itself."""

    server: str
    url: str
    host: str


@dataclass(frozen=True, slots=True)
class SignInChanged:
    """A sign-in took a step; the question `sign_in_report` tells all of them."""

    server: str
    state: str


@dataclass(frozen=True, slots=True)
class CoreStopping:
    """The core was asked to end; a door that hears this does not bring it back by itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class EventsLost:
    """An event was too large to be sent: whoever shows the state of the core asks for all of it again."""

    kind: str  # the event's name


@dataclass(frozen=True, slots=True)
class Noticed:
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
    | RunPaused
    | PauseSettled
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
    """Names of the tasks that still run; a closed house has none."""
    return frozenset(task.get_name() for task in _tasks if not task.done())


def _finished(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("task %s failed", task.get_name(), exc_info=fault)
