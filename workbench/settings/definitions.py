"""Every setting with its type, default, bounds and description, and the old names of renamed settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

_NO_MAXIMUM = 1_000_000_000
ISOLATION_LEVELS = ("process", "container", "vm")  # weakest first


class Definition(Struct, frozen=True):
    """Metadata of one setting, for validation and documentation."""

    default: Any  # Any: a value of the setting's type
    description: str
    user_only: bool = False  # a project cannot set this setting
    minimum: int = 1
    maximum: int = _NO_MAXIMUM
    choices: tuple[str, ...] = ()  # the only allowed values; empty: any
    combined: bool = False  # the values of project and user are joined
    limit: bool = False  # a project may lower it, or raise it up to `run.project_limit_factor` times the default
    is_list: bool = False  # a text of entries that are separated by spaces
    takes_effect: str = ""  # when a change takes effect: "when the core starts"; empty: at once
    is_address: bool = False  # a text that is empty or an HTTP address
    is_private: bool = False  # the value may contain a secret, so audit, log and reports do not show it
    field: str = ""  # the attribute of `Settings`
    type: str = ""

    @property
    def name(self) -> str:
        """The name in TOML: `run.seconds` for the field `run_seconds`."""
        return self.field.replace("_", ".", 1)

    @property
    def bounds(self) -> str:
        """The numbers that are allowed, in words."""
        if self.maximum == _NO_MAXIMUM:
            return f"{self.minimum:,} or more"
        return f"{self.minimum:,} to {self.maximum:,}"

    def rule_broken_by(self, value: object) -> str:
        """What a value must be, if this one is not: "one of system, light, dark". Empty if the value is valid."""
        if type(value).__name__ != self.type:
            return f"of type {self.type}"
        if type(value) is int and not self.minimum <= value <= self.maximum:
            return f"a number from {self.minimum} to {self.maximum}"
        if self.choices and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.is_address and isinstance(value, str) and value and not is_http_address(value):
            return "empty or an HTTP address such as http://127.0.0.1:4318"
        return ""

    def describe(self, value: object) -> str:
        """A value for the audit and reports."""
        return "a value that is not shown" if self.is_private and value else repr(value)

    @property
    def unit(self) -> str:
        """What a number counts, for people; empty if the description says it."""
        return _UNITS.get(self.field.rpartition("_")[2], "") if self.type == "int" else ""


def is_http_address(text: str) -> bool:
    """Whether a text is a complete address that begins with http:// or https://."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in text
    except ValueError:  # a port that is no number, or a broken IPv6 address
        return False


_UNITS = {
    "seconds": "seconds",
    "minutes": "minutes",
    "days": "days",
    "bytes": "bytes",
    "kb": "kB",
    "mb": "MB",
    "megabytes": "MB",
    "tokens": "model tokens",
    "size": "points",
    "files": "files",
    "runs": "runs",
    "sessions": "sessions",
    "cpus": "processors",
    "pids": "threads",
    "million": "US cents",
}  # by the last part of a name

_definitions: list[Definition] = []  # in the order of the fields of `Settings`


def _setting(default: Any, description: str, **facts: Any) -> Any:
    """Register a field's definition and return its default. Any: the annotation of the field states its type; `facts`
    are fields of `Definition`."""
    _definitions.append(Definition(default, description, **facts))
    return default


class Settings(Struct, frozen=True):
    """The values of all settings. The part of a field's name before the first underscore is its TOML table."""

    window_theme: str = _setting(
        "system", "Colours of the window: system, light or dark.", choices=("system", "light", "dark")
    )
    window_font_size: int = _setting(
        10,
        "Text size in the window, in points.",
        minimum=6,
        maximum=40,
    )
    window_tray: bool = _setting(
        False,
        "Show an icon in the system tray. Closing the window then hides it, and Quit in the icon's menu closes it.",
        user_only=True,
    )
    approval_wait_seconds: int = _setting(
        300, "How long an approval request waits for you. After that the program or call is denied.", minimum=0
    )
    approval_review_minutes: int = _setting(
        60,
        "How many minutes the time of a waiting request can be paused, because you have requests open in a window or"
        " a terminal. After that the time continues, so that a forgotten window does not make an agent wait for ever."
        " 0: it is never paused.",
        user_only=True,
        minimum=0,
        maximum=1_440,
    )
    approval_undo_seconds: int = _setting(
        5,
        "How many seconds a denial can be undone before the agent is told. 0: the agent is told at once.",
        user_only=True,
        minimum=0,
        maximum=60,
    )
    approval_task_wait_seconds: int = _setting(
        86_400,
        "How long an approval request waits for you if the agent's client runs calls as MCP tasks, which it can get"
        " later.",
        minimum=0,
    )
    approval_elicitation: bool = _setting(
        False,
        "Also ask you in the agent's own client (MCP elicitation) about programs and calls of low and medium risk. Some"
        " clients answer such requests without you.",
        user_only=True,
    )
    approval_auto_low: bool = _setting(True, "Allow programs of low risk without asking you.", user_only=True)
    approval_auto_medium: bool = _setting(False, "Allow programs of medium risk without asking you.", user_only=True)
    approval_auto_mild: bool = _setting(
        True,
        "Allow programs of medium risk without asking you if they only add data on one trusted server or write new data"
        " files, and the agent has read nothing that outsiders can write.",
        user_only=True,
    )
    approval_auto_reviewed: bool = _setting(
        True,
        "Run tools that only read without asking you before you have decided about their server, if the workbench's own"
        " review covers the server's package and exactly this definition.",
        user_only=True,
    )
    approval_profile: str = _setting(
        "write_restricted",
        "Profile for programs that do not name one: read_only, write_restricted, execute_full or a profile of your"
        " own.",
        user_only=True,
    )
    approval_memory_minutes: int = _setting(
        60,
        "How many minutes the workbench remembers what kinds of data an agent has read, so that reconnecting does not"
        " reset it. 0: not at all.",
        user_only=True,
        minimum=0,
        maximum=10_080,
    )
    approval_rule_days: int = _setting(
        30,
        "The longest time, in days, that you can allow one exact program. After that it needs approval again.",
        user_only=True,
        maximum=365,
    )
    approval_answers_of: str = _setting(
        "",
        "Show you the answer of a program before it is sent to its agent, if the program called tools of these servers"
        " and its answer contains text: names of servers, separated by spaces; * stands for any characters. You can"
        " send, change or withhold it. Empty: never.",
        user_only=True,
        is_list=True,
    )
    isolation_low: str = _setting(
        "process",
        "Weakest isolation allowed for programs of low risk: process, container or vm.",
        user_only=True,
        choices=ISOLATION_LEVELS,
    )
    isolation_medium: str = _setting(
        "container",
        "Weakest isolation allowed for programs of medium risk.",
        user_only=True,
        choices=ISOLATION_LEVELS,
    )
    isolation_high: str = _setting(
        "container", "Weakest isolation allowed for programs of high risk.", user_only=True, choices=ISOLATION_LEVELS
    )
    isolation_critical: str = _setting(
        "vm", "Weakest isolation allowed for programs of critical risk.", user_only=True, choices=ISOLATION_LEVELS
    )
    run_enabled: bool = _setting(
        True,
        "Allow programs and skills to run. When it is off, single tool calls and files still work.",
        user_only=True,
    )
    run_seconds: int = _setting(
        30,
        "Time limit for a program's own work. Waiting for tools, waiting for you and sleeping do not count.",
        limit=True,
    )
    run_total_seconds: int = _setting(
        600,
        "Time limit for a whole run, including tools and sleeping. Only waiting for you does not count.",
        limit=True,
    )
    run_memory_mb: int = _setting(512, "Memory limit of a run, in megabytes.", minimum=32, limit=True)
    run_cpu_seconds: int = _setting(30, "Processor time limit of a run.", limit=True)
    run_pids: int = _setting(64, "Maximum number of threads of a run.", maximum=4096, limit=True)
    run_output_bytes: int = _setting(1_000_000, "Maximum number of bytes that a run may print.", limit=True)
    run_disk_mb: int = _setting(1024, "Maximum size of a run's workspace, in megabytes.", limit=True)
    run_calls: int = _setting(10_000, "Maximum number of tool calls in one run.", limit=True)
    run_answer_tokens: int = _setting(
        4_000, "Maximum number of model tokens of a run's answer to an agent. A longer answer is cut.", limit=True
    )
    run_cpus: int = _setting(1, "Maximum number of processors that a run uses at once.", maximum=1024, limit=True)
    run_ready: int = _setting(
        2,
        "How many sandboxes are started in advance, so that a run begins at once.",
        minimum=0,
        maximum=16,
        limit=True,
    )
    run_concurrent: int = _setting(5, "How many programs run at the same time. More programs wait.", limit=True)
    run_project_limit_factor: int = _setting(
        2,
        "A project may raise a limit to at most this many times its default. 1: no more than the default.",
        user_only=True,
        maximum=1_000,
    )
    run_packages: str = _setting(
        "",
        "Names of installed packages that programs may import, separated by spaces. Example: numpy pandas matplotlib.",
        user_only=True,
        is_list=True,
    )
    run_preload: str = _setting(
        "",
        "Modules of these packages that sandboxes import in advance, separated by spaces. Example: pandas.",
        user_only=True,
        is_list=True,
    )
    workspace_files: int = _setting(
        20_000,
        "Maximum number of files in the workspace for tools and for you. For programs it is 100,000.",
        minimum=10,
        maximum=100_000,
        limit=True,
    )
    workspace_undo_runs: int = _setting(
        100,
        "How many runs and changes to the workspace can be undone. 0: none.",
        user_only=True,
        minimum=0,
        maximum=10_000,
    )
    workspace_undo_mb: int = _setting(
        500,
        "Maximum size of the stored undo data, in megabytes. The oldest changes are removed first.",
        user_only=True,
        maximum=1_000_000,
    )
    workspace_undo_days: int = _setting(
        30, "How many days changes to the workspace can be undone.", user_only=True, maximum=3650
    )
    cache_tools: str = _setting(
        "",
        "Read-only tools on trusted servers whose answers are cached for programs: servers or single tools, separated"
        " by spaces. Example: docs crm.list_*. Empty: none.",
        combined=True,
        is_list=True,
    )
    cache_minutes: int = _setting(10, "How many minutes a cached answer is used.", maximum=10_080)
    cache_mb: int = _setting(50, "Maximum size of the cached answers, in megabytes.", maximum=10_000, limit=True)
    repl_idle_minutes: int = _setting(
        10, "A REPL session ends after this many minutes without a program. Its variables are lost.", user_only=True
    )
    repl_max_sessions: int = _setting(
        5,
        "Maximum number of REPL sessions. A new one ends the longest unused one, of the same agent if possible.",
        user_only=True,
        maximum=100,
    )
    tokens_cents_per_million: int = _setting(
        300,
        "Price of a million model input tokens in US cents. It is used to show what saved tokens are worth.",
        minimum=0,
    )
    search_learns: bool = _setting(
        True,
        "Improve the search from use: remember which tools ran after which searches, and which ran together.",
        user_only=True,
    )
    search_model: bool = _setting(
        True, "Search by meaning with the sentence model, if `mcp-workbench search build` has built it."
    )
    server_start_seconds: int = _setting(20, "How long a server may take to start.", limit=True)
    server_idle_minutes: int = _setting(
        15, "Stop a server after this many minutes without use. The next call starts it again. 0: never.", minimum=0
    )
    server_call_seconds: int = _setting(120, "How long a tool call may take.", limit=True)
    server_frame_mb: int = _setting(
        64,
        "Largest message accepted from a server, in megabytes.",
        maximum=1024,
        limit=True,
        takes_effect="when the server starts",
    )
    elicitation_wait_seconds: int = _setting(
        600, "How long a server's request for your input waits for you. 0: as long as the server waits.", minimum=0
    )
    elicitation_without_window: str = _setting(
        "refuse",
        "What happens to a server's request for your input while no window is open: refuse (decline it at once) or wait"
        " (until a window is opened).",
        choices=("refuse", "wait"),
    )
    signin_seconds: int = _setting(300, "How long a sign-in waits for you to return from the browser.")
    signin_client_metadata_url: str = _setting(
        "",
        "Address of a client metadata document (CIMD) that serves as this app's client ID at authorization servers.",
    )
    privacy_enabled: bool = _setting(True, "Replace personal data with tokens before a model sees it.", user_only=True)
    privacy_off: str = _setting(
        "",
        "Kinds of personal data that are not replaced, by name, separated by spaces. Example: COMPANY IP.",
        user_only=True,
        is_list=True,
    )
    privacy_strictness: str = _setting(
        "balanced",
        "What is replaced: forms (known keys and forms only), balanced (also names and addresses in sentences) or"
        " recall (the same, with lower scores).",
        user_only=True,
        choices=("forms", "balanced", "recall"),
    )
    privacy_servers: str = _setting(
        "",
        "Strictness for the answers of single servers, separated by spaces: off, forms, balanced or recall."
        " Example: crm=recall logs=forms.",
        user_only=True,
        is_list=True,
    )
    privacy_thresholds: str = _setting(
        "",
        "Lowest score, from 0 to 1, at which a kind of personal data in prose is replaced. Example: NAME=0.4.",
        user_only=True,
        is_list=True,
    )
    privacy_preview: str = _setting(
        "",
        "Show you the masked answer of a program before it is sent to its agent, if it contains personal data of these"
        " kinds: names of kinds, separated by spaces, or all. Example: SECRET NATIONAL_ID. Empty: never.",
        user_only=True,
        is_list=True,
    )
    privacy_keep_days: int = _setting(
        0,
        "How many days the values behind tokens are stored, encrypted with a key in your keyring, so that you can"
        " reveal tokens after the core has restarted. 0: in memory only.",
        user_only=True,
        minimum=0,
        maximum=365,
    )
    privacy_pictures: bool = _setting(
        True,
        "Send pictures that programs return to their agents. Pictures are not searched for personal data.",
        user_only=True,
    )
    privacy_sealed: str = _setting(
        "",
        "Tools whose values programs get only as tokens, or single fields of their answers, separated by spaces."
        " Example: crm.list_customers mail.read_mail:body. A project can add entries.",
        combined=True,
        is_list=True,
    )
    privacy_results_days: int = _setting(
        7,
        "How many days answers that are too long for a model stay in workspace/results. 0: they are not stored.",
        user_only=True,
        minimum=0,
        maximum=3650,
    )
    privacy_results_mb: int = _setting(
        100,
        "Maximum size of workspace/results, in megabytes. The oldest answers are removed first.",
        user_only=True,
        minimum=1,
        maximum=100_000,
    )
    history_enabled: bool = _setting(
        True, "Store calls with their arguments and answers, so that you can find them again.", user_only=True
    )
    history_runs: bool = _setting(True, "Store the calls that programs make, too.", user_only=True)
    history_days: int = _setting(30, "How many days a call stays in the history.", user_only=True, maximum=3650)
    history_megabytes: int = _setting(
        200,
        "Maximum size of the history, in megabytes. The oldest calls are removed first.",
        user_only=True,
        minimum=5,
        maximum=100_000,
    )
    history_answer_kb: int = _setting(
        256, "How much of one answer the history stores, in kilobytes.", user_only=True, maximum=16_384
    )
    network_per_minute: int = _setting(
        100, "Maximum number of connections per minute from programs to one host.", user_only=True, maximum=100_000
    )
    network_seconds: int = _setting(
        10, "How long looking up a host and connecting to it may take.", user_only=True, maximum=120
    )
    network_megabytes: int = _setting(
        100,
        "How much one run may send and receive over the network, in megabytes.",
        user_only=True,
        maximum=100_000,
    )
    network_alert_megabytes: int = _setting(
        10,
        "Notify you when one run has sent this much over the network, in megabytes.",
        user_only=True,
        maximum=100_000,
    )
    review_page: bool = _setting(
        False,
        "Open the review page on this machine, on which paired phones and browsers answer approval requests. To reach"
        " it from a phone you need a tunnel of your own.",
        user_only=True,
    )
    review_page_port: int = _setting(
        8738, "Port of the review page. 0: any free port.", user_only=True, minimum=0, maximum=65_535
    )
    review_page_address: str = _setting(
        "",
        "The https address at which your tunnel makes the review page available. Empty: only on this machine.",
        user_only=True,
        is_address=True,
    )
    review_page_risk: str = _setting(
        "medium",
        "The highest risk that can be allowed on the review page. Everything can be denied there.",
        user_only=True,
        choices=("low", "medium", "high"),
    )
    review_page_values: bool = _setting(
        False, "Show personal data on the review page instead of tokens.", user_only=True
    )
    agent_http: bool = _setting(
        False,
        "Open the HTTP endpoint, so that agents on this machine can also connect by HTTP with the access token.",
        user_only=True,
        takes_effect="when the core starts",
    )
    agent_http_port: int = _setting(
        8737,
        "Port of the HTTP endpoint. 0: any free port.",
        user_only=True,
        takes_effect="when the core starts",
        minimum=0,
        maximum=65_535,
    )
    agent_direct: str = _setting(
        "",
        "Servers whose tools agents also see one by one, separated by spaces. Example: demo github. Use it for servers"
        " with few tools.",
        user_only=True,
        is_list=True,
    )
    agent_paused: bool = _setting(
        False,
        "Pause agents: until this is off, new programs and all calls of agents are refused, also calls of programs that"
        " run already and of other clients' own tools. What waits for you goes on waiting, and can be denied.",
        user_only=True,
    )
    agent_wait_seconds: int = _setting(
        45,
        "If no window or terminal is open that could answer an approval request, the agent is told after this many"
        " seconds that its program waits for you. The program continues to wait. 0: at once.",
        minimum=0,
        maximum=3_600,
    )
    notify_desktop: bool = _setting(
        True, "Show a desktop notification when a request waits and no window shows it.", user_only=True
    )
    notify_desktop_content: str = _setting(
        "sentence",
        "What the desktop notification says: sentence (also the summary, with personal data masked) or count (only that"
        " something waits, from which agent, and its risk). Without masking (privacy.enabled) it is always count.",
        user_only=True,
        choices=("sentence", "count"),
    )
    notify_after_seconds: int = _setting(
        20,
        "After how many seconds without an answer the command and the webhook are told that a request waits.",
        user_only=True,
        minimum=0,
        maximum=3_600,
    )
    notify_command: str = _setting(
        "",
        "Command that is run when requests wait, with arguments separated by spaces and quoted as in a shell, but"
        " without one. It reads JSON from its standard input. Empty: none.",
        user_only=True,
        is_private=True,
    )
    notify_url: str = _setting(
        "",
        "Webhook that is told when requests wait: an https address, or one of this machine. ${keyring:name} inserts a"
        " stored secret. Empty: none.",
        user_only=True,
        is_address=True,
        is_private=True,
    )
    notify_format: str = _setting(
        "ntfy",
        "What the webhook expects: ntfy (a topic of ntfy), slack (an incoming webhook of Slack or a compatible one) or"
        " json.",
        user_only=True,
        choices=("ntfy", "slack", "json"),
    )
    notify_content: str = _setting(
        "count",
        "What the command and the webhook are told: count (only that something waits, from which agent and project, and"
        " its risk) or sentence (also the summary, with personal data masked).",
        user_only=True,
        choices=("count", "sentence"),
    )
    hooks_low: str = _setting(
        "client",
        "What happens to low-risk calls of other clients' own tools that no rule covers (see docs/hooks.md). client:"
        " the client decides as if there were no hook. allow: they are allowed without a prompt of the client.",
        choices=("client", "allow"),
        user_only=True,
    )
    hooks_ask_from: str = _setting(
        "medium",
        "From which risk on you are asked about calls of other clients' own tools. The client decides about the"
        " others.",
        choices=("low", "medium", "high", "critical"),
        user_only=True,
    )
    hooks_wait_seconds: int = _setting(
        120,
        "How long a call of another client's own tool waits for you here. After that the client shows its own prompt."
        " 0: you are not asked here.",
        user_only=True,
        minimum=0,
        maximum=3_600,
    )
    telemetry_endpoint: str = _setting(
        "",
        "OpenTelemetry endpoint (OTLP over HTTP) for spans of runs and calls. Example: http://127.0.0.1:4318. Spans"
        " hold names, numbers and times only. Empty: nothing is sent.",
        user_only=True,
        is_address=True,
    )
    core_linger_seconds: int = _setting(
        5, "How long the core keeps running after the last window and agent have left.", minimum=0
    )


DEFINITIONS: Mapping[str, Definition] = {
    definition.name: definition
    for definition in (
        replace(definition, field=field, type=Settings.__annotations__[field])
        for field, definition in zip(Settings.__struct_fields__, _definitions, strict=True)
    )
}

# Earlier names of settings. They are accepted in every file, and replaced when the user's file is written.
OLD_NAMES: Mapping[str, str] = {
    "approval.pin_days": "approval.rule_days",
    "run.project_times": "run.project_limit_factor",
    "state.idle_minutes": "repl.idle_minutes",
    "state.most": "repl.max_sessions",
    "ask.wait_seconds": "elicitation.wait_seconds",
    "ask.alone": "elicitation.without_window",
    "privacy.recall_first": "privacy.strictness",
}
OLD_VALUES: Mapping[str, Mapping[bool, str]] = {"privacy.recall_first": {True: "recall", False: "balanced"}}


def differing(settings: Settings) -> tuple[tuple[str, Any], ...]:
    """Names and values of the settings that differ from their defaults. Any: values of all types."""
    values = ((name, getattr(settings, definition.field)) for name, definition in DEFINITIONS.items())
    return tuple((name, value) for name, value in values if value != DEFINITIONS[name].default)
