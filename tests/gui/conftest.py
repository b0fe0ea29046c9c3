"""What the tests of the window stand on: a small project on paper that answers like a core, and a window above it.

The paper project is for states that are hard to bring about. `tests/flows` tests against the real core.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent

from workbench.errors import WorkbenchError
from workbench.events import (
    Bus,
    EntryWritten,
    RunChanged,
    ServerChanged,
    ServerChecked,
    ServerRemoved,
    ToolsChanged,
)
from workbench.paths import Paths
from workbench.records import (
    AgentInfo,
    ChainReport,
    Check,
    CheckState,
    Consent,
    CoreStatus,
    Decision,
    Effect,
    EffectKind,
    Entry,
    Fault,
    Finding,
    Gate,
    Hints,
    Ledger,
    ModeAdvice,
    Note,
    Origin,
    Proposal,
    Risk,
    Run,
    RunState,
    SecretStore,
    ServerConfig,
    ServerState,
    ServerStatus,
    SessionTokens,
    Span,
    TokenReport,
    Tool,
    ToolSummary,
    Verdict,
)
from workbench.records.runs import EXAMPLE_AGENT
from workbench.settings import Settings

CODE = "from servers.demo import list_orders\n\norders = await list_orders(limit=20)\nprint(len(orders))\n"

NO_HINTS = Hints()
SOON = 400  # milliseconds: a shorter timer belongs to what is under way, a longer one to a notice that goes away


def make_run(name: str = "run-1", state: RunState = RunState.WAITING, **fields: Any) -> Run:
    """A run as the core would tell it."""
    risk = fields.pop("risk", Risk.HIGH)
    sentence = fields.pop("sentence", "Sends an e-mail to a customer and reads 20 orders.")
    at = fields.pop("at", time.time() - 5)
    author = fields.pop("author", "claude-code")
    proposal = Proposal(name, CODE, "a" * 64, Origin.AGENT, "session-1", author, "Tell the customer", at)
    verdict = Verdict(
        "a" * 64,
        risk,
        Gate.ASK,
        sentence,
        (Finding("mail.send", Risk.HIGH, "An e-mail leaves the house.", Span(3)),),
        (Effect(EffectKind.WILL, "Reads orders of demo.", 3, Risk.LOW, True),),
    )
    return Run(name, proposal, state, verdict, **({"deadline": time.time() + 200} | fields))


def make_entry(seq: int, kind: str = "call.done", summary: str = "demo.list_orders answered", **fields: Any) -> Entry:
    return Entry(seq, time.time() - 1000 + seq, Note(kind, summary, **fields), f"{seq - 1:064x}", f"{seq:064x}")


def make_tool(server: str, name: str, hints: Hints = NO_HINTS, summary: str = "") -> ToolSummary:
    line = f"from servers.{server} import {name}"
    return ToolSummary(server, name, name.replace("_", " ").title(), summary or f"What {name} does.", hints, line, 120)


def _beside(name: str) -> Any:
    """A file of this folder: tests are no package, so nothing can be imported from it by name."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PaperWatch: Any = _beside("paper_watch").PaperWatch
PaperClients: Any = _beside("paper_clients").PaperClients
PaperRegistry: Any = _beside("paper_registry").PaperRegistry
PaperAsks: Any = _beside("paper_asks").PaperAsks
PaperCalls: Any = _beside("paper_calls").PaperCalls
PaperOffers: Any = _beside("paper_offers").PaperOffers
PaperSkills: Any = _beside("paper_skills").PaperSkills
PAPERS = (
    "Audit",
    "Files",
    "Finding",
    "Hints",
    "Levels",
    "Network",
    "HeldCalls",
    "Privacy",
    "DryRuns",
    "Review",
    "Settings",
    "States",
    "Trust",
)
PLACES = tuple(getattr(_beside(f"paper_{name.lower()}"), f"Paper{name}") for name in PAPERS)
PaperPlaces: Any = type("PaperPlaces", PLACES, {})  # where programs run, and what they reach


class PaperQuestions(  # type: ignore[misc]  # classes from other files
    PaperWatch, PaperClients, PaperRegistry, PaperAsks, PaperCalls, PaperOffers, PaperSkills, PaperPlaces
):
    """Answers every question the shell asks, from lists that a test may change."""

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        PaperAsks.__init__(self)
        PaperCalls.__init__(self)
        PaperOffers.__init__(self)
        PaperSkills.__init__(self, CODE)
        self.bus = bus
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.current_settings = Settings()
        self.server_states = {
            "demo": ServerState(ServerConfig("demo", "python", ("-m", "workbench.demo"), builtin=True), allowed=True),
            "files": ServerState(ServerConfig("files", "npx", ("-y", "@acme/files", "."), {"TOKEN": "x"})),
        }
        self.tool_list = [
            make_tool("demo", "list_orders", Hints(read_only=True), "Lists orders, newest first."),
            make_tool("demo", "send_email", Hints(read_only=False, open_world=True), "Sends an e-mail."),
            make_tool("demo", "delete_customer", Hints(destructive=True), "Deletes a customer for good."),
        ]
        self.run_list: dict[str, Run] = {}
        self.entry_list = [make_entry(seq) for seq in range(1, 501)]
        self.chain = ChainReport(True, 500, "f" * 64)
        self.advice = ModeAdvice("code", 42, 31_000, 1_100, 900, 33)
        self.connect_fault: Fault | None = None
        self.consents: dict[str, Consent] = {}  # server → what is asked about it
        self.agreed = ""  # the hash that the last connect came with
        self.notices: tuple[Fault, ...] = ()
        self.agents: tuple[AgentInfo, ...] = ()
        self.secret_store = SecretStore("", "")

    def note(self, name: str, *words: Any) -> None:
        self.asked.append((name, words))

    async def status(self) -> CoreStatus:
        ready = sum(1 for state in self.server_states.values() if state.status is ServerStatus.READY)
        waiting = sum(1 for run in self.run_list.values() if run.state is RunState.WAITING)
        ledger = Ledger(48_000, 6_200)
        return CoreStatus(
            "0.1.0", 4711, "/bench", time.time(), self.strength, ready, len(self.server_states), len(self.tool_list),
            self.agents, waiting, skills=2, ledger=ledger, notices=self.notices, levels=self.level_list,
            kept_states=len(self.state_list),
        )  # fmt: skip

    async def token_report(self) -> TokenReport:
        agent = SessionTokens("agent-1", "claude-code", Origin.AGENT, Ledger(47_100, 5_900, 1_840_000))
        person = SessionTokens("person", "you", Origin.PERSON, Ledger(900, 300, 12_000))
        return TokenReport(Ledger(48_000, 6_200, 1_852_000), (agent, person), self.advice, 300)

    async def secrets(self) -> SecretStore:
        return self.secret_store

    async def open_secrets(self) -> SecretStore:
        return self.secret_store

    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict:
        return Verdict("a" * 64, Risk.LOW, Gate.AUTO, "Reads 20 orders.")

    async def settings(self) -> Settings:
        return self.current_settings

    async def servers(self) -> tuple[ServerState, ...]:
        return tuple(self.server_states.values())

    async def consent(self, server: str) -> Consent:
        config = self.server_states[server].config
        shown = config.url or " ".join((config.command, *config.args))
        return self.consents.get(server) or Consent(server, shown, "a" * 64)

    async def connect(self, server: str, sha: str = "") -> ServerState:
        self.note("connect", server)
        self.agreed = sha
        state = self.server_states[server]
        if self.connect_fault:
            self.put(replace(state, status=ServerStatus.FAILED, fault=self.connect_fault))
            raise WorkbenchError(self.connect_fault.message, self.connect_fault.hint)
        known = {"tool_count": 3, "pid": 1234, "latency_ms": 3.0, "version": "1.0", "protocol": "2025-06-18"}
        return self.put(replace(state, status=ServerStatus.READY, allowed=True, **known))

    async def disconnect(self, server: str) -> ServerState:
        self.note("disconnect", server)
        return self.put(replace(self.server_states[server], status=ServerStatus.STOPPED, pid=0))

    async def remove_server(self, server: str) -> None:
        self.note("remove_server", server)
        del self.server_states[server]
        self.bus.tell(ServerRemoved(server))

    async def reload_servers(self) -> tuple[ServerState, ...]:
        self.note("reload_servers")
        return await self.servers()

    def put(self, state: ServerState) -> ServerState:
        self.server_states[state.config.name] = state
        self.bus.tell(ServerChanged(state))
        self.bus.tell(ToolsChanged(state.config.name))
        return state

    async def tools(self) -> tuple[ToolSummary, ...]:
        return tuple(self.tool_list)

    async def tool(self, server: str, name: str) -> Tool:
        for tool in self.tool_list:
            if (tool.server, tool.name) == (server, name):
                schema = {"type": "object", "properties": {"limit": {"type": "integer", "default": 20}}}
                return Tool(server, name, tool.title, tool.summary, schema, None, tool.hints, {}, "e" * 64, 120)
        raise WorkbenchError(f"There is no tool {name}.", "Did you mean list_orders?")

    async def wrapper(self, server: str, name: str) -> str:
        return f"async def {name}(limit: int = 20) -> object: ...\n"

    async def diagnose(self, server: str) -> tuple[Check, ...]:
        self.note("diagnose", server)
        checks = (
            Check("Configuration", CheckState.GOOD, "The server starts in /bench."),
            Check("Executable", CheckState.BAD, "The command npx was not found.", "Install Node.js.", "PATH: /bin"),
        )
        for number, check in enumerate(checks):
            self.bus.tell(ServerChecked(server, number, check))
        return checks

    async def diagnose_machine(self) -> tuple[Check, ...]:
        return (Check("Disk", CheckState.DOUBT, "0.1 GB are free on the disk of the project.", "Free disk space."),)

    async def runs(self) -> tuple[Run, ...]:
        return tuple(self.run_list.values())

    async def run(self, run_id: str) -> Run:
        return self.run_list[run_id]

    def put_run(self, run: Run) -> Run:
        self.run_list[run.id] = run
        self.bus.tell(RunChanged(run))
        return run

    async def decide(self, decision: Decision) -> Run:
        self.note("decide", decision)
        state = RunState.RUNNING if decision.allow else RunState.REFUSED
        return self.put_run(replace(self.run_list[decision.run_id], state=state, decision=decision))

    async def stop_run(self, run_id: str) -> Run:
        self.note("stop_run", run_id)
        return self.put_run(replace(self.run_list[run_id], state=RunState.STOPPED))

    async def start_example_agent(self) -> None:
        self.note("start_example_agent")
        self.put_run(make_run("run-example", author=EXAMPLE_AGENT))

    def put_entry(self, entry: Entry) -> None:
        self.entry_list.append(entry)
        self.bus.tell(EntryWritten(entry))

    async def verify_audit(self) -> ChainReport:
        return self.chain


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def paper(bus: Bus) -> PaperQuestions:
    """The project on paper."""
    return PaperQuestions(bus)


@pytest.fixture
def theme(qapp: Any) -> Iterator[Any]:
    """The looks, for each test anew. Earlier windows go first: Qt puts off their end, and dressing one takes long."""
    from workbench.gui.kit.fonts import load_fonts
    from workbench.gui.kit.theme import Theme

    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyle("Fusion")
    load_fonts()
    theme = Theme("dark")
    theme.apply()
    yield theme
    theme.deleteLater()


@pytest.fixture
def context(loop: Any, complete: Any, theme: Any, paper: PaperQuestions, paths: Paths) -> Iterator[Any]:
    """A pane's context that asks the paper project directly, without a wire."""
    from workbench.gui.shell.commands import Commands
    from workbench.gui.shell.context import Context, Messages
    from workbench.gui.shell.store import Store
    from workbench.gui.shell.tasks import Tasks

    async def fetch(handle: str, offset: int, length: int) -> str:
        return ""

    tasks = Tasks()
    store, commands, messages = Store(paper, tasks, tasks), Commands(tasks, tasks), Messages(tasks)
    yield Context(paper, tasks, theme, paths, fetch, store, commands, messages)  # type: ignore[arg-type]  # a paper core
    complete(tasks.close())


@pytest.fixture
def window(
    qapp: Any, loop: Any, complete: Any, theme: Any, paper: PaperQuestions, bus: Bus, paths: Paths, qtbot: Any
) -> Iterator[Any]:
    """The whole window, connected to the paper project through the real wire, with everything loaded."""
    from workbench.api.in_memory import connect_in_memory
    from workbench.events import spawn
    from workbench.gui.app import make_context
    from workbench.gui.main_window import MainWindow
    from workbench.gui.shell.bridge import Bridge, LinkState
    from workbench.gui.shell.tasks import Tasks
    from workbench.gui.shell.window_state import Layout
    from workbench.gui.window_controller import WindowController

    async def connect() -> Any:
        return await connect_in_memory(paper, bus)

    tasks, bridge = Tasks(), Bridge(connect)
    sheet = qapp.styleSheet()
    qapp.setStyleSheet("")  # else Qt styles each widget again whenever it gets another parent: a third of the work
    Layout(paths).runs_introduced = True  # as after the first run
    made = MainWindow(make_context(bridge, tasks, theme, paths), bridge)
    qtbot.addWidget(made, before_close_func=lambda _: None)
    made.add_output()
    made.centre.make_all()
    WindowController(made)
    qapp.setStyleSheet(sheet)
    made.show()
    keeping = spawn("core link", bridge.keep())
    qtbot.waitUntil(lambda: bridge.link.state is LinkState.LINKED and made.servers.model.rowCount() > 0, timeout=60_000)
    qtbot.waitUntil(lambda: tasks.running() == 0, timeout=60_000)
    yield made
    keeping.cancel()
    complete(tasks.close())
    complete(bridge.close())
    made.deleteLater()


@pytest.fixture
def settled(window: Any, qtbot: Any, complete: Any) -> Callable[[], None]:
    """Wait until the window has heard everything that was told so far, and nothing is under way any more.

    The wire flushes events before it answers, so an answer says that they came; what they set off may end in a short
    timer, and what that asks is waited for too.
    """
    from PySide6.QtCore import QTimer

    def busy() -> bool:
        soon = (timer for timer in window.findChildren(QTimer) if timer.isActive() and timer.isSingleShot())
        return window.context.tasks.running() > 0 or any(timer.interval() <= SOON for timer in soon)

    def wait() -> None:
        for _ in range(2):
            complete(window.bridge.api.settings())
            qtbot.wait(15)
            qtbot.waitUntil(lambda: not busy(), timeout=60_000)

    return wait


@pytest.fixture
def make() -> Any:
    """The makers of records, for tests below other folders."""

    class Make:
        run = staticmethod(make_run)
        entry = staticmethod(make_entry)
        tool = staticmethod(make_tool)

    return Make
