"""Servers, their tools, consent to start one, sign-in steps, changes of definitions, monitoring and diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault, JsonObject, JsonValue


class ServerStatus(StrEnum):
    """Where a server is on its way; a stopped server starts at its first call when a person has allowed it."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


class ServerConfig(Struct, frozen=True):
    """One entry of `.mcp.json`."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""  # set for a remote server
    disabled: bool = False
    builtin: bool = False  # the demo server: ours, allowed without asking
    transport: str = ""  # stdio, http or sse; empty: stdio for a command, and for a url http, then sse
    headers: Mapping[str, str] = field(default_factory=dict)  # sent with every request; ${NAME} is expanded
    category: str = ""  # the group it is listed in
    oauth: Mapping[str, JsonValue] = field(default_factory=dict)  # how to sign in where the server does not say enough
    roots: tuple[str, ...] = ()  # folders told to a server that asks which it may work in
    timeout_seconds: int = 0  # how long a call may take; 0: as the setting says
    description: str = ""  # a person's own words about it

    @property
    def remote(self) -> bool:
        """Whether it is reached by its address; without a type, a command counts more than a url."""
        return bool(self.url) and (self.transport in ("http", "sse") or (not self.transport and not self.command))


class KnownServer(Struct, frozen=True):
    """A server of a well-known maker: an entry to be added, and what a person should know before."""

    title: str
    config: ServerConfig
    maker: str
    page: str  # where the maker tells of it
    licence: str
    needs: str  # what it takes to use it: programs, accounts, secrets


class ServerState(Struct, frozen=True):
    """What is known of a server right now."""

    config: ServerConfig
    status: ServerStatus = ServerStatus.STOPPED
    allowed: bool = False  # a person has started exactly this command before
    doubt: str = ""  # why it is not allowed any more: the file behind its command is another one
    rests: bool = False  # stopped because nobody used it; the next call starts it again
    fault: Fault | None = None
    title: str = ""  # the name the server gives itself
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tool_count: int = 0
    pid: int = 0
    latency_ms: float = 0.0
    era: str = ""  # "legacy" (sessions that begin with a handshake) or "modern" (2026-07-28 and later)
    capabilities: tuple[str, ...] = ()  # what it offers: tools, resources, resources.subscribe, prompts, logging …
    resource_count: int = 0
    prompt_count: int = 0
    memory_mb: int = 0  # of the process and what it started; 0 when it is not ours or does not run
    restarts: int = 0  # how often it was started again after it had gone unasked
    sign_in: str = ""  # "needed" when only a person's sign-in helps, "done" after it
    plain_secrets: tuple[str, ...] = ()  # where its entry holds what looks like a secret: "GITHUB_TOKEN in env"
    warnings: tuple[str, ...] = ()  # tools left out and why, rubbish on stdout


class Hints(Struct, frozen=True):
    """A server's own claims about a tool (None: it says nothing); never proof."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Tool(Struct, frozen=True):
    """One tool with its whole definition; `raw` is what the server sent, unknown keys included."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    hints: Hints = field(default_factory=Hints)
    raw: JsonObject = field(default_factory=dict)
    hash: str = ""  # SHA-256 of the definition; a change of it voids what was approved
    definition_tokens: int = 0  # what this definition costs in a model's context
    claimed: Hints | None = None  # the server's own hints, where `hints` are what counts instead
    private: bool | None = None  # holds private data; None: nobody has judged it yet
    outsiders: bool | None = None  # returns text that outsiders can write
    sends: bool | None = None  # can send something out
    said: tuple[str, ...] = ()  # hints and bits that a person decided
    guessed: tuple[str, ...] = ()  # bits that are a guess from its name, description and hints


class ToolSummary(Struct, frozen=True):
    """A tool as lists show it: without its schemas, so ten thousand of them stay light."""

    server: str
    name: str
    title: str
    summary: str  # the first sentence of the description
    hints: Hints
    import_line: str  # `from servers.github import create_issue`
    definition_tokens: int
    mark: str = ""  # "new" or "removed" since a person last looked, "changed": blocked until a person approves that
    warned: int = 0  # how many things are odd about its definition


class Depth(StrEnum):
    """How much a search tells about each tool: the three steps of progressive disclosure."""

    NAME = "name"
    DESCRIPTION = "description"
    FULL = "full"


class SearchAnswer(Struct, frozen=True):
    """What a search found; `text` is exactly what an agent receives."""

    text: str
    matches: tuple[ToolSummary, ...]
    total: int  # how many matched before the limit
    tokens: int
    definition_tokens: int  # what loading every definition of the catalogue would have cost
    reader: str = ""  # what read the meaning of tools and question; "" while only words are compared


class Consent(Struct, frozen=True):
    """One wish to start a command, or to speak to an address, in the words a person decides by."""

    server: str
    told: str  # the whole command with its variables, or the address with its headers; values of secrets are hidden
    sha: str  # of exactly this entry; connecting with it refuses another one
    notes: tuple[str, ...] = ()  # what else goes along: folders
    warnings: tuple[str, ...] = ()  # what deserves a second look: secrets that leave, variables that load code
    remote: bool = False


class SignInStep(Struct, frozen=True):
    """One thing that was asked or done, and what came of it."""

    title: str
    ok: bool
    sentence: str  # what it means
    method: str = ""  # empty: nothing was asked of anybody
    url: str = ""
    status: int = 0  # of HTTP; 0: no answer
    sent: str = ""
    received: str = ""
    ms: float = 0.0


class SignIn(Struct, frozen=True):
    """The last sign-in at a server, under way or over."""

    server: str
    state: str = ""  # "", asking, waiting (for the person in the browser), done, failed, cancelled
    url: str = ""  # while waiting: the page to open
    host: str = ""  # whose page that is
    steps: tuple[SignInStep, ...] = ()
    fault: Fault | None = None
    stored: bool = False  # tokens of it are kept
    scope: str = ""  # what was granted
    expires: float = 0.0  # when the access token ends; 0: not told


class ChangeKind(StrEnum):
    """What happened to a definition."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


class DefinitionChange(Struct, frozen=True):
    """One tool of a known server that is not what it was. A changed one is blocked until a person approves it."""

    server: str
    tool: str
    kind: ChangeKind
    hash: str  # of the definition as it is now; empty when it is gone
    at: float  # when it was first seen
    before: str = ""  # the approved definition as JSON text
    after: str = ""  # the definition as it is now
    blocked: bool = False
    warnings: tuple[str, ...] = ()  # what is odd about the definition as it is now


class ToolWarning(Struct, frozen=True):
    """Something odd about a definition, in words for a person."""

    server: str
    tool: str
    rule: str  # hidden, lookalike, contradiction, unmarked, poison
    message: str
    why: str  # what somebody could do with it


class Moment(Struct, frozen=True):
    """What a server was at some time: kept each time it changed, so that two times can be compared."""

    at: float
    version: str = ""
    tools: int = 0


class Frame(Struct, frozen=True):
    """One message as it crossed a server's pipe, in the order of `number`; its whole text is asked for by `at`."""

    server: str
    at: float  # unique within the server
    direction: str  # ">" to the server, "<" from it, "!" from it and not JSON-RPC, "·" something happened to it
    text: str  # the beginning of the message
    bytes: int
    number: int = 0  # from 1; a gap before the first one is what was dropped
    kind: str = ""  # request, notice, answer, error, batch; empty for "!" and "·"
    method: str = ""  # of requests and notices
    id: str = ""  # as JSON: 7 is not "7"
    about: str = ""  # the tool, resource, prompt or error message it is about
    cut: bool = False  # too long to keep: only its beginning is


class RawAnswer(Struct, frozen=True):
    """What came of a message a person wrote by hand; the messages themselves stand among the frames."""

    method: str
    ok: bool
    at: float  # no frame of it is earlier
    fault: Fault | None = None
    needs_confirmation: bool = False  # a tool call that a person may send again with `confirmed`
    ms: float = 0.0


class Vitals(Struct, frozen=True):
    """How one server is doing right now. Asking looks into /proc, so it is asked while somebody looks."""

    server: str
    since: float = 0.0  # when its process started; 0: it does not run
    memory_mb: float = 0.0  # of its whole process group; 0: not known here
    processes: int = 0
    calls: int = 0  # answered or failed since the core opened
    errors: int = 0
    typical_ms: float = 0.0  # the median of the last calls
    slowest_ms: float = 0.0
    last_error: str = ""
    last_error_at: float = 0.0
    sent_bytes: int = 0
    received_bytes: int = 0
    frames: int = 0  # messages that are kept
    dropped: int = 0  # older messages that made room


class CheckState(StrEnum):
    """How a check ended."""

    GOOD = "good"
    DOUBT = "doubt"  # it works, but a person should know
    BAD = "bad"  # this is why it fails
    SKIPPED = "skipped"  # could not be made; the sentence says why


class Check(Struct, frozen=True):
    """One thing looked at."""

    name: str  # two or three words: "Executable", "TLS"
    state: CheckState
    sentence: str
    fix: str = ""  # what to do about it; empty when there is nothing to do
    detail: str = ""  # what was really seen: last words, headers, certificates


class ServerTask(Struct, frozen=True):
    """One piece of work that goes on at a server, or ended there."""

    server: str
    id: str
    status: str  # working, input_required, completed, failed, cancelled
    message: str = ""  # the server's words about it
    tool: str = ""  # where it began with a call of ours since the core opened
    since: float = 0.0  # as the server says
    changed: float = 0.0

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.status in ("working", "input_required")

    @property
    def has_result(self) -> bool:
        return self.status in ("completed", "failed")
