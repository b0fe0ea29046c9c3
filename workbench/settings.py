"""Every setting once: its type, its default, one sentence. Two TOML files feed it, the bench's and the person's.

The bench's `workbench.toml` is shared with a team; the person's `settings.toml` wins over it. What guards the person
(approvals, privacy) is taken from the person's file alone: a bench somebody else wrote must not loosen it. A wrong
value keeps its default and becomes a notice, so a typo never locks anybody out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w
from msgspec import Struct
from msgspec.structs import replace

from workbench import foreign_settings
from workbench.errors import WorkbenchError
from workbench.files import read_plain, read_toml, write_file
from workbench.records import Fault

ISOLATION = ("process", "container", "vm")  # weakest first


class Definition(Struct, frozen=True):
    """What is known of one setting."""

    default: Any  # Any: a value of the setting's type
    sentence: str
    guarded: bool  # a project cannot set it
    least: int
    most: int
    words: tuple[str, ...]  # the only values it takes; empty: any
    adds: bool  # what the project and the user write counts together
    limit: bool  # a project may lower it, or raise it to `run.project_times` its default
    name: str = ""  # the field of `Settings`
    type: str = ""

    @property
    def dotted(self) -> str:
        """Its name in TOML."""
        return _dotted(self.name)


_in_order: list[Definition] = []


def _setting(
    default: Any,
    sentence: str,
    *,
    guarded: bool = False,
    least: int = 1,
    most: int = 1_000_000_000,
    words: tuple[str, ...] = (),
    adds: bool = False,
    limit: bool = False,
) -> Any:
    """The default of a field, whose definition is noted. Any: the field's type is written beside it."""
    _in_order.append(Definition(default, sentence, guarded, least, most, words, adds, limit))
    return default


# Tables that `workbench.network.host_rules` and `workbench.permissions.personal_data_marks` read.
ELSEWHERE = frozenset({"network.allow", "network.deny", "privacy.hide", "privacy.pass"})

JSON_FILES = (".mcp.json", ".claude/settings.json")  # of a bench, where `mcpCodeExecution` may stand

_STRICTER: Mapping[str, tuple[Any, ...]] = {  # Any: a setting's values, the strictest last
    **dict.fromkeys(("approval.auto_low", "approval.auto_mild", "approval.auto_medium"), (True, False)),
    **dict.fromkeys(("isolation.low", "isolation.medium", "isolation.high", "isolation.critical"), ISOLATION),
    "privacy.enabled": (False, True),
    "run.enabled": (True, False),
}

PROFILES = "profiles"  # tables that `workbench.permissions.run_profiles` reads


class Settings(Struct, frozen=True):
    """All settings; the part before the underscore is the TOML table."""

    window_theme: str = _setting(
        "system", "Colours of the window: system, light or dark.", words=("system", "light", "dark")
    )
    window_font_size: int = _setting(
        10, "Size of text in the window, in points; counts when the window is opened.", least=6, most=40
    )
    approval_wait_seconds: int = _setting(300, "How long a program waits for a person; then it is refused.", least=0)
    approval_auto_low: bool = _setting(True, "Programs of low risk run without asking.", guarded=True)
    approval_auto_medium: bool = _setting(False, "Programs of medium risk run without asking.", guarded=True)
    approval_auto_mild: bool = _setting(
        True,
        "Programs of medium risk run without asking if they only add to one trusted server, or write new data files,"
        " and nothing was read that outsiders write.",
        guarded=True,
    )
    approval_profile: str = _setting(
        "write_restricted",
        "The bounds of a program that names none: read_only, write_restricted, execute_full or a profile of your own.",
        guarded=True,
    )
    approval_memory_minutes: int = _setting(
        60,
        "For how many minutes after it last read something an agent that connects anew counts as having read it; 0: not"
        " at all.",
        guarded=True,
        least=0,
        most=10_080,
    )
    approval_pin_days: int = _setting(
        30, "For how many days exactly one text may be allowed at most; then it asks again.", guarded=True, most=365
    )
    isolation_low: str = _setting("process", "The least that isolates a program of low risk: process, container or vm.",
        guarded=True, words=ISOLATION)  # fmt: skip
    isolation_medium: str = _setting("container", "The least that isolates a program of medium risk.",
        guarded=True, words=ISOLATION)  # fmt: skip
    isolation_high: str = _setting("container", "The least that isolates a program of high risk.",
        guarded=True, words=ISOLATION)  # fmt: skip
    isolation_critical: str = _setting("vm", "The least that isolates a program of critical risk.",
        guarded=True, words=ISOLATION)  # fmt: skip
    run_enabled: bool = _setting(
        True,
        "Programs may run. Off: nobody runs a program or a skill; single tool calls and files still work.",
        guarded=True,
    )
    run_seconds: int = _setting(
        30,
        "Time limit of a program's own work; waiting for tools, for the user and sleeping are not counted.",
        limit=True,
    )
    run_total_seconds: int = _setting(
        600,
        "Time limit of a run with its tools and its sleeping; only waiting for the user is not counted.",
        limit=True,
    )
    run_memory_mb: int = _setting(512, "Memory limit of a run, in megabytes.", least=32, limit=True)
    run_cpu_seconds: int = _setting(30, "Processor time limit of a run.", limit=True)
    run_pids: int = _setting(64, "How many threads a run may have.", most=4096, limit=True)
    run_output_bytes: int = _setting(1_000_000, "How much a run may print.", limit=True)
    run_disk_mb: int = _setting(1024, "How much a run may have in the workspace, in megabytes.", limit=True)
    run_calls: int = _setting(10_000, "How many tool calls one run may make.", limit=True)
    run_answer_tokens: int = _setting(
        4_000, "How much of a run's answer goes to the model before it is cut.", limit=True
    )
    run_cpus: int = _setting(1, "How many processors a run may use at once.", most=1024, limit=True)
    run_ready: int = _setting(
        2, "How many sandboxes are kept ready, so that a run starts at once.", least=0, most=16, limit=True
    )
    run_concurrent: int = _setting(5, "How many programs may run at once; the next ones wait.", limit=True)
    run_project_times: int = _setting(
        2, "To how many times its default a project may raise a limit. 1: to no more than the default.", guarded=True,
        most=1_000,
    )  # fmt: skip
    run_packages: str = _setting(
        "", "Installed packages that programs may import, by name, such as: numpy pandas matplotlib.", guarded=True
    )
    run_preload: str = _setting(
        "", "Modules of these packages that a ready sandbox has imported already, such as: pandas.", guarded=True
    )
    workspace_files: int = _setting(
        20_000, "How many files the workspace may hold; after that no tool or person adds one. Programs: 100,000.",
        least=10, most=100_000, limit=True
    )  # fmt: skip
    workspace_undo_runs: int = _setting(
        100, "Of how many runs and deeds in the workspace the changes can be undone. 0: of none.", guarded=True,
        least=0, most=10_000,
    )  # fmt: skip
    workspace_undo_mb: int = _setting(
        500, "How much is kept for that, in megabytes; the oldest changes go first.", guarded=True, most=1_000_000
    )
    workspace_undo_days: int = _setting(30, "For how many days changes can be undone.", guarded=True, most=3650)
    cache_tools: str = _setting(
        "",
        "Tools that only read, at servers whose word you trust, whose answers programs get once more without asking:"
        " a server, or single tools, such as: docs crm.list_* . Empty: none.",
        adds=True,
    )
    cache_minutes: int = _setting(10, "For how many minutes such an answer is good.", most=10_080)
    cache_mb: int = _setting(
        50, "How large the answers kept for that may become, in megabytes.", most=10_000, limit=True
    )
    state_idle_minutes: int = _setting(
        10, "After how many minutes without a program a kept state ends; its variables are lost.", guarded=True
    )
    state_most: int = _setting(
        5,
        "How many states are kept at once; a new one ends the longest unused, of its own author if there is one.",
        guarded=True,
        most=100,
    )
    tokens_cents_per_million: int = _setting(
        300, "Price of a million tokens that a model reads, in US cents: what saved tokens are worth.", least=0
    )
    search_learns: bool = _setting(
        True, "The search remembers after which questions a tool ran, and which tools ran together.", guarded=True
    )
    search_model: bool = _setting(
        True, "The search reads meaning with the sentence model, where `mcp-workbench search build` has built it."
    )
    server_start_seconds: int = _setting(20, "How long a server may take to start.", limit=True)
    server_idle_minutes: int = _setting(
        15, "After how long a server that nobody uses is stopped; the next call starts it again. 0: never.", least=0
    )
    server_call_seconds: int = _setting(120, "How long a tool call may take.", limit=True)
    server_frame_mb: int = _setting(
        64, "The largest message taken from a server, in megabytes; counts when a server starts.", most=1024, limit=True
    )
    ask_wait_seconds: int = _setting(
        600, "How long a server's question waits for a person; 0: as long as the server waits.", least=0
    )
    ask_alone: str = _setting(
        "refuse", "What a server hears that asks while no window is open: refuse at once, or wait for a window.",
        words=("refuse", "wait"),
    )  # fmt: skip
    signin_seconds: int = _setting(300, "How long a sign-in waits for you to come back from the browser.")
    signin_client_metadata_url: str = _setting(
        "", "Address of a document about this app that serves as its client id at authorization servers (CIMD)."
    )
    privacy_enabled: bool = _setting(True, "Personal data is replaced by tokens before a model sees it.", guarded=True)
    privacy_off: str = _setting(
        "", "Kinds of personal data that are let pass, by their names, such as: COMPANY IP.", guarded=True
    )
    privacy_recall_first: bool = _setting(
        False, "Rather too much is hidden than too little: what reads like a name in prose counts sooner.", guarded=True
    )
    privacy_thresholds: str = _setting(
        "", "From which score on a kind in prose counts, from 0 to 1, such as: NAME=0.4.", guarded=True
    )
    privacy_keep_days: int = _setting(
        0,
        "For how many days values behind tokens are kept, sealed by a key in your keyring, so that you can look behind"
        " those of earlier cores. 0: in memory only.",
        guarded=True, least=0, most=365,
    )  # fmt: skip
    privacy_pictures: bool = _setting(
        True, "Pictures that programs return go to their agents; what is drawn in them is not looked for.", guarded=True
    )
    privacy_sealed: str = _setting(
        "",
        "Tools whose values programs hold as tokens only, or single fields of their answers, such as:"
        " crm.list_customers mail.read_mail:body. What a bench names counts as well.",
        adds=True,
    )
    privacy_results_days: int = _setting(
        7, "For how many days answers too long for a model stay in workspace/results. 0: none is kept.",
        guarded=True, least=0, most=3650,
    )  # fmt: skip
    privacy_results_mb: int = _setting(
        100, "How large workspace/results may become, in megabytes; the oldest answers go first.", guarded=True,
        least=1, most=100_000,
    )  # fmt: skip
    history_enabled: bool = _setting(
        True, "Calls, with their arguments and answers, are kept to be found again.", guarded=True
    )
    history_runs: bool = _setting(True, "The calls that programs make are kept too.", guarded=True)
    history_days: int = _setting(30, "For how many days a call is kept.", guarded=True, most=3650)
    history_megabytes: int = _setting(
        200, "How large the history may become; the oldest calls go first.", guarded=True, least=5, most=100_000
    )
    history_answer_kb: int = _setting(256, "How much of one answer is kept, in kilobytes.", guarded=True, most=16_384)
    network_per_minute: int = _setting(
        100, "How many connections programs may make to one host in a minute.", guarded=True, most=100_000
    )
    network_seconds: int = _setting(
        10, "How long looking up a host and connecting to it may take.", guarded=True, most=120
    )
    network_megabytes: int = _setting(
        100, "How much one run may send and receive over the network, in megabytes.", guarded=True, most=100_000
    )
    network_alert_megabytes: int = _setting(
        10, "After how much that one run sent over the network a person is told, in megabytes.", guarded=True,
        most=100_000,
    )  # fmt: skip
    agent_http: bool = _setting(
        False, "Agents of this machine also reach the workbench by HTTP, with the door's token.", guarded=True
    )
    agent_http_port: int = _setting(
        8737, "The port of the HTTP door; 0 is any that is free.", guarded=True, least=0, most=65_535
    )
    agent_direct: str = _setting(
        "", "Servers whose tools agents also see one by one, such as: demo github. Good for few tools.", guarded=True
    )
    agent_wait_seconds: int = _setting(
        45,
        "After how many seconds an agent is told that its program waits for you, while no window and no terminal is"
        " open that could answer; the program goes on waiting. 0: at once.",
        least=0,
        most=3_600,
    )
    telemetry_endpoint: str = _setting(
        "",
        "Where spans of runs and calls are sent by OpenTelemetry (OTLP over HTTP), such as http://127.0.0.1:4318;"
        " names, numbers and times only. Empty: nowhere.",
        guarded=True,
    )
    core_linger_seconds: int = _setting(5, "How long the core stays after the last window and agent left.", least=0)


DEFINITIONS: Mapping[str, Definition] = {
    name: replace(one, name=name, type=Settings.__annotations__[name])
    for name, one in zip(Settings.__struct_fields__, _in_order, strict=True)
}


class SettingsReading(Struct, frozen=True):
    """Settings as read, with what could not be used."""

    settings: Settings
    notices: tuple[Fault, ...] = ()


def describe() -> tuple[tuple[str, str, Any, str], ...]:
    """Dotted name, type, default and sentence of every setting, for docs, help and the settings page."""
    return tuple((one.dotted, one.type, one.default, one.sentence) for one in DEFINITIONS.values())


def read(bench_file: Path, person_file: Path) -> SettingsReading:
    """Defaults, then what the bench's files say, then the person's. What a bench asks for in the words of other systems
    (`foreign_settings`) tightens what guards the person, whatever they wrote, and never loosens it."""
    settings, notices, wished = Settings(), list[Fault](), list[tuple[str, str, Any]]()  # Any: as `change` takes it
    own, _ = _apply(Settings(), _table(person_file)[0], person_file, trusted=True)
    for path in (*(bench_file.parent / name for name in JSON_FILES), bench_file, person_file):
        words, values, fault = _said(path)
        notices += [fault] if fault else []
        notices += [Fault(f"{path.name}: {message}", hint) for message, hint in words.notices]
        trusted = path == person_file
        for name, value in words.values.items():
            if name in _STRICTER and (not trusted or name == "run.enabled"):  # off wins, whoever says it
                wished.append((path.name, name, value))
            else:
                settings = _worded(settings, path, name, value, notices)
        settings, faults = _apply(settings, values, path, trusted=trusted)
        notices.extend(faults)
        if not trusted:
            settings = _within_limits(settings, own, path, notices)
    return SettingsReading(_tightened(settings, wished, notices), tuple(notices))


def _said(path: Path) -> tuple[foreign_settings.Words, dict[str, Any], Fault | None]:
    """What a file says in others' words, and in ours."""
    if path.suffix != ".json":
        values, fault = _table(path)
        return foreign_settings.taken_out(values), values, fault
    try:
        document = json.loads(read_plain(path, "utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return foreign_settings.Words(), {}, None  # its owner says what is wrong with it
    there = isinstance(document, dict) and foreign_settings.OBJECT in document
    return (
        foreign_settings.of_object(document[foreign_settings.OBJECT]) if there else foreign_settings.Words(),
        {},
        None,
    )


def _worded(settings: Settings, path: Path, name: str, value: Any, notices: list[Fault]) -> Settings:
    """Any: as `change` takes it."""
    try:
        return change(settings, name, value)
    except WorkbenchError as fault:
        notices.append(Fault(f"{path.name}: {fault.message}", fault.hint or "The default is used."))
        return settings


def _tightened(settings: Settings, wished: list[tuple[str, str, Any]], notices: list[Fault]) -> Settings:
    """The stricter of what a bench asks for and what the person has."""
    looser: dict[str, list[str]] = {}
    for source, name, value in wished:
        order, held = _STRICTER[name], getattr(settings, name.replace(".", "_", 1))
        if order.index(value) > order.index(held):
            settings = change(settings, name, value)
        elif value != held:
            looser.setdefault(source, []).append(name)
    for source, names in looser.items():
        words = f"{source}: {', '.join(names)} would be looser than what you have, and is ignored."
        notices.append(Fault(words, "Only a person's own settings.toml can loosen it."))
    return settings


def _within_limits(settings: Settings, own: Settings, path: Path, notices: list[Fault]) -> Settings:
    """A project raises no limit further than the user lets it. What the user sets wins over the project anyway."""
    cut: dict[str, str] = {}
    for one in DEFINITIONS.values():
        if not one.limit:
            continue
        most: Any = one.default * own.run_project_times  # Any: a value of the setting's type
        if (asked := getattr(settings, one.name)) > most:
            settings = replace(settings, **{one.name: most})
            if getattr(own, one.name) == one.default:
                cut[one.dotted] = f"{one.dotted} is {most}, not {asked}"
    if cut:
        words = f"{path.name} raises limits further than a project may: {', '.join(cut.values())}."
        notices.append(Fault(words, f"To allow more, set {next(iter(cut))} or run.project_times in your own settings."))
    return settings


def change(settings: Settings, name: str, value: Any) -> Settings:
    """Settings with one value changed; refuses unknown names and wrong types."""
    known = {one.dotted: one for one in DEFINITIONS.values()}
    if name not in known:
        raise WorkbenchError(f"There is no setting {name}.", "See docs/settings.md for all of them.")
    wanted = known[name]
    if type(value).__name__ != wanted.type:
        raise WorkbenchError(f"{name} takes a value of type {wanted.type}, not {value!r}.")
    _check_bounds(name, value, wanted)
    return replace(settings, **{wanted.name: value})


def write(person_file: Path, name: str, value: Any) -> None:
    """Keep one changed value in the person's file; what else stands there stays."""
    values, fault = _table(person_file)
    if fault:
        raise WorkbenchError(f"{person_file.name} cannot be changed: {fault.message}", fault.hint)
    group, key = name.split(".", 1)
    table = values.setdefault(group, {})
    if not isinstance(table, dict):
        raise WorkbenchError(f"{person_file.name} cannot be changed: {group} is no table.", "Remove that line from it.")
    table[key] = value
    target = person_file.resolve()  # a link stays a link
    write_file(
        target, tomli_w.dumps(values), mode=0o644, keep_mode=True, name=person_file.name, hint=f"See {person_file}."
    )


def adds_up(name: str) -> bool:
    """Whether what the bench and the person write for it counts together."""
    return name in _STRICTER or any(one.dotted == name and one.adds for one in DEFINITIONS.values())


def _check_bounds(name: str, value: Any, allowed: Definition) -> None:
    """Any: a value of the setting's type. A limit below one would stop everything; a word nobody knows does nothing."""
    if type(value) is int and not allowed.least <= value <= allowed.most:
        raise WorkbenchError(f"{name} takes a number from {allowed.least} to {allowed.most}, not {value}.")
    if allowed.words and value not in allowed.words:
        raise WorkbenchError(f"{name} takes one of {', '.join(allowed.words)}, not {value!r}.")


def _dotted(name: str) -> str:
    return name.replace("_", ".", 1)


def _table(path: Path) -> tuple[dict[str, Any], Fault | None]:
    try:
        return read_toml(path), None
    except FileNotFoundError:
        return {}, None
    except (OSError, ValueError, RecursionError) as fault:  # no text, no TOML, a number too long, a list too deep
        words = fault.strerror if isinstance(fault, OSError) else str(fault)
        return {}, Fault(f"{path.name} cannot be read: {words}.", "The defaults are used until it is mended.")


def _apply(settings: Settings, values: dict[str, Any], path: Path, *, trusted: bool) -> tuple[Settings, list[Fault]]:
    faults = []
    guarded = {one.dotted for one in DEFINITIONS.values() if one.guarded}
    adding = {one.dotted: one.name for one in DEFINITIONS.values() if one.adds}
    for group, table in values.items():
        for key, value in table.items() if isinstance(table, dict) else ((None, table),):
            name = f"{group}.{key}" if key else group
            if name in ELSEWHERE or group == PROFILES:
                continue
            try:
                if name in guarded and not trusted:
                    raise WorkbenchError(f"{name} is ignored.", "Only a person's own settings.toml can set it.")
                before = getattr(settings, adding[name]) if name in adding else ""
                settings = change(settings, name, f"{before} {value}".strip() if before else value)
            except WorkbenchError as fault:
                faults.append(Fault(f"{path.name}: {fault.message}", fault.hint or "The default is used."))
    return settings, faults
