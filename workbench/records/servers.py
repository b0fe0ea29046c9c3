"""Servers, their tools, consent to start one, sign-in steps, changes of definitions, monitoring and diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from workbench.records.common_types import Fault, JsonObject, JsonValue


class ServerStatus(StrEnum):
    """The status of a server. A stopped server starts at its first call if the user has allowed it."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


class ServerConfig(Struct, frozen=True):
    """A server's entry in `.mcp.json`."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""  # set for a remote server
    disabled: bool = False
    builtin: bool = False  # the demo server, which needs no consent
    transport: str = ""  # stdio, http or sse; empty: stdio for a command, and for a url http, then sse
    headers: Mapping[str, str] = field(default_factory=dict)  # sent with every request; ${NAME} is expanded
    category: str = ""  # the group of the server in lists
    oauth: Mapping[str, JsonValue] = field(default_factory=dict)  # sign-in parameters that the server does not announce
    roots: tuple[str, ...] = ()  # folders announced to the server as MCP roots
    timeout_seconds: int = 0  # maximum duration of a call; 0: the setting
    description: str = ""  # the user's own description

    @property
    def remote(self) -> bool:
        """Whether the server is reached by its URL. Without a type, a command has priority over a URL."""
        return bool(self.url) and (self.transport in ("http", "sse") or (not self.transport and not self.command))


class KnownServer(Struct, frozen=True):
    """A known server of a well-known publisher: an entry to add, and what the user should know before."""

    title: str
    config: ServerConfig
    maker: str
    page: str  # the publisher's page about the server
    licence: str
    needs: str  # required programs, accounts and secrets


class ServerState(Struct, frozen=True):
    """The current state of a server."""

    config: ServerConfig
    status: ServerStatus = ServerStatus.STOPPED
    allowed: bool = False  # the user has started exactly this command before
    doubt: str = ""  # why it is no longer allowed: the executable file has changed
    rests: bool = False  # stopped because it was idle; the next call starts it again
    fault: Fault | None = None
    title: str = ""  # the server's own name for itself
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tool_count: int = 0
    pid: int = 0
    latency_ms: float = 0.0
    era: str = ""  # "legacy" (sessions that begin with a handshake) or "modern" (2026-07-28 and later)
    capabilities: tuple[str, ...] = ()  # tools, resources, resources.subscribe, prompts, logging …
    resource_count: int = 0
    prompt_count: int = 0
    memory_mb: int = 0  # of the process and its children; 0 if it is remote or not running
    restarts: int = 0  # number of restarts after unexpected exits
    sign_in: str = ""  # "needed" if the user must sign in, "done" after that
    plain_secrets: tuple[str, ...] = ()  # fields of its entry that seem to contain a secret: "GITHUB_TOKEN in env"
    warnings: tuple[str, ...] = ()  # tools that were left out with the reason, invalid output on stdout


class Hints(Struct, frozen=True):
    """A server's own hints about a tool (None: not declared). They are claims, never proof."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class ToolGroup(StrEnum):
    """What a tool does at worst. Each tool is in one group."""

    READS = "reads"
    ADDS = "adds"  # adds something new, overwrites and deletes nothing
    CHANGES = "changes"
    DESTROYS = "destroys"  # deletes, overwrites for good, or runs what it is given
    OUTSIDE = "outside"  # can send something to others

    @property
    def description(self) -> str:
        """What the tools of the group do, as it follows “tools that”."""
        return _GROUP_DESCRIPTIONS[self]


_GROUP_DESCRIPTIONS: Final = {
    ToolGroup.READS: "only read",
    ToolGroup.ADDS: "only add something new",
    ToolGroup.CHANGES: "change something that exists",
    ToolGroup.DESTROYS: "delete, overwrite, or run what they are given",
    ToolGroup.OUTSIDE: "can send something to others",
}


class Standing(StrEnum):
    """What the user decided about the group of a tool at its server."""

    GIVEN = ""  # the annotations count as they are: a built-in server, or the user's own word about this tool
    UNDECIDED = "undecided"  # the user has not decided about this definition
    ASKS = "asks"  # decided: programs that use the tool ask
    RUNS = "runs"  # decided: programs that use the tool run without asking


class Tool(Struct, frozen=True):
    """A tool with its complete definition. `raw` is what the server sent, including unknown keys."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    hints: Hints = field(default_factory=Hints)
    raw: JsonObject = field(default_factory=dict)
    hash: str = ""  # SHA-256 of the definition; a change voids approvals
    definition_tokens: int = 0  # tokens of this definition in a model's context
    claimed: Hints | None = None  # the server's own hints, if `hints` contains overriding values
    private: bool | None = None  # holds private data; None: unknown
    outsiders: bool | None = None  # returns text that outsiders can write
    sends: bool | None = None  # can send data out
    said: tuple[str, ...] = ()  # hints and annotations that the user set
    guessed: tuple[str, ...] = ()  # annotations guessed from name, description and hints
    group: ToolGroup | None = None  # what it does at worst; None: not examined
    standing: Standing = Standing.GIVEN
    reading_standing: Standing = Standing.GIVEN  # what the user decided about the reading tools of this server
    reviewed: bool = False  # its annotations come from the built-in list of reviewed tools


class ToolSummary(Struct, frozen=True):
    """A tool for lists, without its schemas, so that a list of 10,000 tools stays small."""

    server: str
    name: str
    title: str
    summary: str  # the first sentence of the description
    hints: Hints
    import_line: str  # `from servers.github import create_issue`
    definition_tokens: int
    # "new" or "removed" since the user last looked, "changed": blocked until the user approves the definition
    mark: str = ""
    warned: int = 0  # number of warnings about its definition


class Depth(StrEnum):
    """How much detail a search returns for each tool: the three levels of progressive disclosure."""

    NAME = "name"
    DESCRIPTION = "description"
    FULL = "full"


class SearchAnswer(Struct, frozen=True):
    """The result of a tool search. `text` is exactly what an agent receives."""

    text: str
    matches: tuple[ToolSummary, ...]
    total: int  # number of matches before the limit
    tokens: int
    definition_tokens: int  # tokens of all definitions in the catalogue
    reader: str = ""  # the model that compared meanings; "" if only words are compared


class Consent(Struct, frozen=True):
    """A request for consent to start a command or to connect to an address, as shown to the user."""

    server: str
    told: str  # the complete command with its variables, or the address with its headers; secret values are masked
    sha: str  # hash of this entry; connecting with it fails for any other entry
    notes: tuple[str, ...] = ()  # further information: folders
    warnings: tuple[str, ...] = ()  # risks: secrets that are sent, variables that load code
    remote: bool = False


class SignInStep(Struct, frozen=True):
    """One step of a sign-in, with its result."""

    title: str
    ok: bool
    sentence: str  # explanation
    method: str = ""  # HTTP method; empty: no request was sent
    url: str = ""
    status: int = 0  # HTTP status; 0: no response
    sent: str = ""
    received: str = ""
    ms: float = 0.0


class SignIn(Struct, frozen=True):
    """The current or last sign-in at a server."""

    server: str
    state: str = ""  # "", asking, waiting (for the user in the browser), done, failed, cancelled
    url: str = ""  # while waiting: the page to open
    host: str = ""  # the host of that page
    steps: tuple[SignInStep, ...] = ()
    fault: Fault | None = None
    stored: bool = False  # its access tokens are stored
    scope: str = ""  # the granted scope
    expires: float = 0.0  # when the access token expires; 0: unknown


class ChangeKind(StrEnum):
    """How a definition changed."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


class DefinitionChange(Struct, frozen=True):
    """A tool whose definition has changed. A changed tool is blocked until the user approves the new definition."""

    server: str
    tool: str
    kind: ChangeKind
    hash: str  # hash of the current definition; empty if the tool was removed
    at: float  # when the change was first seen
    before: str = ""  # the approved definition as JSON text
    after: str = ""  # the current definition
    blocked: bool = False
    warnings: tuple[str, ...] = ()  # warnings about the current definition


class ToolWarning(Struct, frozen=True):
    """A warning about a tool definition, as shown to the user."""

    server: str
    tool: str
    rule: str  # hidden, lookalike, contradiction, unmarked, poison
    message: str
    why: str  # how the problem could be abused


class Moment(Struct, frozen=True):
    """The state of a server at one time, stored at each change so that two times can be compared."""

    at: float
    version: str = ""
    tools: int = 0


class Frame(Struct, frozen=True):
    """A message between the workbench and a server, ordered by `number`. The full text is fetched by `at`."""

    server: str
    at: float  # unique within the server
    direction: str  # ">" to the server, "<" from it, "!" from it and not JSON-RPC, "·" an event such as a restart
    text: str  # the beginning of the message
    bytes: int
    number: int = 0  # starts at 1; a gap before the first frame means dropped frames
    kind: str = ""  # request, notice, answer, error, batch; empty for "!" and "·"
    method: str = ""  # of requests and notifications
    id: str = ""  # as JSON: 7 differs from "7"
    about: str = ""  # the tool, resource, prompt or error message that the frame is about
    cut: bool = False  # only the beginning is stored


class RawAnswer(Struct, frozen=True):
    """The result of sending a message that the user wrote. The messages themselves are among the frames."""

    method: str
    ok: bool
    at: float  # all of its frames are later than this time
    fault: Fault | None = None
    needs_confirmation: bool = False  # a tool call that the user may send again with `confirmed`
    ms: float = 0.0


class Vitals(Struct, frozen=True):
    """Current health figures of a server.

    Reading them accesses /proc, so clients fetch them only while they are shown.
    """

    server: str
    since: float = 0.0  # when its process started; 0: not running
    memory_mb: float = 0.0  # of its process group; 0: unknown
    processes: int = 0
    calls: int = 0  # completed calls since the core opened
    errors: int = 0
    typical_ms: float = 0.0  # median duration of the last calls
    slowest_ms: float = 0.0
    last_error: str = ""
    last_error_at: float = 0.0
    sent_bytes: int = 0
    received_bytes: int = 0
    frames: int = 0  # number of stored frames
    dropped: int = 0  # number of older frames that were dropped


class CheckState(StrEnum):
    """The result of a check."""

    GOOD = "good"
    DOUBT = "doubt"  # works, with a warning
    BAD = "bad"  # failed; this is the cause
    SKIPPED = "skipped"  # not possible; the sentence says why


class Check(Struct, frozen=True):
    """One check of the doctor."""

    name: str  # two or three words: "Executable", "TLS"
    state: CheckState
    sentence: str
    fix: str = ""  # how to fix it; empty if nothing is wrong
    detail: str = ""  # evidence: last output, headers, certificates


class ServerTask(Struct, frozen=True):
    """An MCP task at a server."""

    server: str
    id: str
    status: str  # working, input_required, completed, failed, cancelled
    message: str = ""  # the server's message
    tool: str = ""  # the tool call that started the task, if made since the core opened
    since: float = 0.0  # as the server reports
    changed: float = 0.0

    @property
    def open(self) -> bool:
        """Whether the task has not ended."""
        return self.status in ("working", "input_required")

    @property
    def has_result(self) -> bool:
        return self.status in ("completed", "failed")
