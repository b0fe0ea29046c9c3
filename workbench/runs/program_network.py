"""The network of one run: each connection is judged, relayed, shown live, and written to the audit."""

from __future__ import annotations

import asyncio
import base64
import binascii
import ipaddress
from dataclasses import dataclass, field

from workbench.analysis.host_names import place
from workbench.broker.provenance_index import UNTRUSTED, AnswerRead
from workbench.errors import WorkbenchError
from workbench.events import Noticed
from workbench.network.network_access import Network
from workbench.network.network_errors import Blocked, Unreachable
from workbench.network.run_connections import Connections, Meter, Relay
from workbench.records import CallTrace, Connection, Fault, JsonObject, JsonValue, Note, Risk, Verdict
from workbench.runs.run import NETWORK, ProgramRun
from workbench.sandbox.channel.connection_passing import ConnectionPassing
from workbench.sandbox.program import ToolFailure

_STRANGERS = frozenset({UNTRUSTED})
_NOTED = 50  # blocked attempts of one run with an audit entry of their own
_TOLD = 3  # blocked targets in the hint for the author
_PAGE = "Choose Network… in the Agents menu to see the rules and the attempts."


class ProgramNetwork:
    """The network of one run. Every request comes from untrusted code."""

    def __init__(self, run: ProgramRun, network: Network) -> None:
        settings = run.services.settings()
        self._run = run
        self._services = run.services
        self.passing = ConnectionPassing()
        self._meter = Meter(settings.network_megabytes, settings.network_alert_megabytes, self._warn)
        decision = run.record.decision
        places = decision.hosts if decision is not None and decision.allow else ()
        self._connections = Connections(network, places, self._meter, self._report_connection)
        self._relayed = RelayedConnections()
        self._blocked: dict[str, None] = {}
        self._refused = 0

    async def answer(self, kind: str, params: JsonObject) -> JsonValue:
        """Answer one request of the program's sockets."""
        if kind == "connect":
            return await self._connect(params)
        return await self._relayed.answer(kind, params)

    async def close(self) -> None:
        """Close every connection and finish the audit entries."""
        await self._connections.close()
        await self._relayed.close()
        self.passing.close()
        if self._refused > _NOTED:
            self._note("connection.blocked", f"{self._refused - _NOTED:,} further attempts were blocked", ok=False)

    @property
    def hint(self) -> str:
        """Return a hint for the author of the program about what it could not reach."""
        if not self._blocked:
            return ""
        words = [*self._blocked][:_TOLD]
        more = len(self._blocked) - len(words)
        return "The network refused: " + " ".join(words) + (f" And {more} more." if more else "")

    # ── one connection ───────────────────────────────────────────────────────────────────────────
    async def _connect(self, params: JsonObject) -> JsonValue:
        host, port = str(params.get("host", ""))[:300], params.get("port")
        if type(port) is not int or not 0 < port < 65536:
            raise ToolFailure("A port is a number from 1 to 65535.", "network.failed")
        seconds = params.get("seconds")
        patience = float(seconds) if isinstance(seconds, int | float) and 0 < seconds < 3600 else 0.0
        if self._relayed.full:
            raise ToolFailure("Too many connections are open; close some of them first.", "network.failed")
        try:
            number, relay = await self._connections.open(host, port, patience)
        except Unreachable as fault:
            raise ToolFailure(fault.message, f"network.{fault.kind}") from fault
        except WorkbenchError as fault:
            address = (fault.address if isinstance(fault, Blocked) else "") or _numeric(host)
            self._refuse(Connection(host, port, address, refused=f"{fault.message} {fault.hint}".strip()))
            raise ToolFailure(f"{fault.message} {fault.hint}".strip(), "network.blocked") from fault
        answers = AnswerRead(f"{self._run.record.id}-net{number}", self._run.record.id, NETWORK, host, _STRANGERS, ())
        self._run.session.provenance.learn(answers)  # the content is not visible here, only that it was read
        return {"number": await self._pass_connection(number, relay)}

    async def _pass_connection(self, number: int, relay: Relay) -> int:
        """Pass the socket to a sandbox process of this machine; for other sandboxes the core relays the bytes."""
        if not self.passing.received:
            self._relayed.add(number, relay)
            return number
        try:
            return self.passing.hand(relay.end)
        except WorkbenchError as fault:
            await relay.close()
            raise ToolFailure(str(fault), "network.failed") from fault
        finally:
            relay.end.close()

    # ── reporting ────────────────────────────────────────────────────────────────────────────────
    def _report_connection(self, number: int, connection: Connection, over: bool) -> None:
        where = place(connection.host, connection.port)
        sizes = f"{connection.sent:,} bytes sent, {connection.received:,} received"
        if not over:
            self._trace(number, connection, "running", connection.address)
            self._note("connection.opened", f"Connected to {where} at {connection.address}", connection)
            return
        if connection.refused:
            self._refuse(connection, number)
        else:
            self._trace(number, connection, "done", f"{connection.address}, {sizes}")
        self._note("connection.closed", f"The connection to {where} ended: {sizes}", connection)

    def _refuse(self, connection: Connection, number: int = 0) -> None:
        """Report a blocked attempt: to the audit, to the user, and to the author in the hint at the end."""
        self._refused += 1
        self._blocked[connection.refused] = None
        words = self._run.session.mask(connection.refused)
        self._trace(number or -self._refused, connection, "refused", words)
        if self._refused > _NOTED:
            return
        self._note("connection.blocked", f"Blocked: {connection.refused}", connection, ok=False)
        if self._refused == 1:
            self._services.tell(Noticed(Fault(f"A program's network connection was blocked. {words}", _PAGE)))

    def _trace(self, number: int, connection: Connection, state: str, note: str) -> None:
        where = self._run.session.mask_start(f"{connection.host}:{connection.port}", 200)
        risk = Risk.HIGH if state == "refused" else Risk.MEDIUM
        size = connection.sent + connection.received
        name = f"{self._run.record.id}-net{number}"
        self._run.show_trace(CallTrace(name, NETWORK, where, "", risk, state, note, connection.ms, size))

    def _note(self, kind: str, summary: str, connection: Connection | None = None, *, ok: bool = True) -> None:
        session, record = self._run.session, self._run.record
        detail: dict[str, object] = {}
        if connection is not None:
            detail = {
                "host": session.mask(connection.host),
                "port": connection.port,
                "address": connection.address,
                "protocol": connection.protocol,
                "sent": connection.sent,
                "received": connection.received,
            }
        self._services.journal.append(
            Note(
                kind=kind, summary=session.mask(summary), actor=session.author, session=session.id, run_id=record.id,
                risk=str(Risk.MEDIUM if ok else Risk.HIGH), ok=ok, ms=connection.ms if connection else 0.0,
                detail=detail,
            )
        )  # fmt: skip

    def _warn(self, sent: int) -> None:
        words = f"A program sent more than {sent >> 20} MB over the network."
        self._note("connection.volume_exceeded", words, ok=False)
        self._services.tell(Noticed(Fault(words, "If you did not expect this, stop it in the list of runs.")))


def network_of(run: ProgramRun) -> ProgramNetwork | None:
    """Return the network of a run that may use it, or None. A program whose text names no network gets none, because
    the user did not approve it."""
    verdict = run.record.verdict
    if run.dry_run is not None:
        return None
    if verdict is not None and verdict.profile is not None and not verdict.profile.network:
        return None
    network, decision = run.services.network, run.record.decision
    allowed = bool(network.rules().open) or (decision is not None and decision.allow and bool(decision.hosts))
    return ProgramNetwork(run, network) if allowed and names_network(run.record.verdict) else None


def names_network(verdict: Verdict | None) -> bool:
    """Whether the verdict shows the reader that the program uses the network."""
    return verdict is not None and any(one.rule.split(".")[0] == "network" for one in verdict.findings)


def _numeric(host: str) -> str:
    """Return the host if it is an IP address, else an empty text; an IP address is not masked as personal data."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


MOST = 64  # held connections; more than may be open at once, because a program learns later that a connection ended
_PIECE = 1 << 18


@dataclass(slots=True)
class _ProgramEnd:
    """The program's side of a connection. A program may send and receive at once, but the event loop allows one
    watcher per socket."""

    relay: Relay
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    receiving: asyncio.Lock = field(default_factory=asyncio.Lock)
    sent_all: bool = False  # the program has finished sending
    received_all: bool = False  # the host has finished sending


class RelayedConnections:
    """Relayed connections of one run; each is released when both sides have finished sending, and all with the run."""

    def __init__(self) -> None:
        self._ends: dict[int, _ProgramEnd] = {}

    @property
    def full(self) -> bool:
        """Whether the program must finish with open connections before it may open more."""
        return len(self._ends) >= MOST

    def add(self, number: int, relay: Relay) -> None:
        relay.end.setblocking(False)
        self._ends[number] = _ProgramEnd(relay)

    async def answer(self, kind: str, params: JsonObject) -> JsonValue:
        """Answer one request of a program: send bytes over a connection, or receive bytes from it."""
        number = params.get("number")
        if not isinstance(number, int) or isinstance(number, bool) or number not in self._ends:
            raise ToolFailure("There is no such connection.", "network.failed")
        end = self._ends[number]
        answer = await (_send(end, _bytes(params)) if kind == "send" else _receive(end))
        if end.sent_all and end.received_all and number in self._ends:
            del self._ends[number]
            end.relay.end.close()
        return answer

    async def close(self) -> None:
        """Close every connection."""
        while self._ends:
            await self._ends.popitem()[1].relay.close()


async def _send(end: _ProgramEnd, data: bytes) -> JsonValue:
    async with end.sending:
        if not end.sent_all and data:
            try:
                await asyncio.get_running_loop().sock_sendall(end.relay.end, data)
            except OSError:  # the host has disconnected; the program learns it at its next read
                return {}
        elif not end.sent_all:
            end.relay.say_end()
            end.sent_all = True
    return {}


async def _receive(end: _ProgramEnd) -> JsonValue:
    data = b""
    async with end.receiving:
        if not end.received_all:
            try:
                data = await asyncio.get_running_loop().sock_recv(end.relay.end, _PIECE)
            except OSError:  # disconnected without end of stream
                data = b""
            end.received_all = not data
    return {"data": base64.b64encode(data).decode()}


def _bytes(params: JsonObject) -> bytes:
    """Decode the bytes to send; no data means end of stream."""
    text = params.get("data")
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        raise ToolFailure("The bytes to send must be encoded as base64.", "network.failed") from None
