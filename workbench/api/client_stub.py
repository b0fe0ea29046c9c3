"""The typed stub of the core's API: every method that a client may call, with its types and flags.

Written by tools/write_docs.py from the methods marked with `@api`; change those and run it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from workbench.api.marker import api
from workbench.records import (
    Ask,
    CallShape,
    Candidate,
    CassetteInfo,
    ChainReport,
    Check,
    CheckResult,
    ClientFile,
    Completion,
    Consent,
    CoreStatus,
    Decision,
    DecisionOutcome,
    DefinitionChange,
    Depth,
    Discovery,
    Entry,
    EntryMarks,
    EntryPage,
    EntryQuery,
    Explanation,
    ExportPreview,
    ExportReport,
    Facet,
    Figures,
    FileChanges,
    FileInfo,
    FilePiece,
    FileRoom,
    Finding,
    Finds,
    Frame,
    HeldCall,
    HeldCallAnswer,
    HookInstallation,
    HttpEndpoint,
    ImportChoice,
    ImportReport,
    JsonObject,
    JsonValue,
    KeptFiles,
    KeptState,
    KnownServer,
    Level,
    MaskingExplanation,
    ModelView,
    Moment,
    MutedAgent,
    NetworkRules,
    Offers,
    Outcome,
    PairingOffer,
    PastCall,
    PastQuery,
    Permission,
    Permissions,
    PlanChoice,
    PrivacyMark,
    PrivacyQuery,
    PrivacyReport,
    PrivacyRules,
    PrivacySession,
    Profiles,
    PromptAnswer,
    RawAnswer,
    RequestGroup,
    Resource,
    Revealed,
    ReviewFigures,
    ReviewPageState,
    Run,
    SavedCall,
    SavedCalls,
    SearchAnswer,
    SecretStore,
    ServerConfig,
    ServerLog,
    ServerState,
    ServerTask,
    SettingValue,
    SignIn,
    Skill,
    SkillHint,
    SkillPage,
    SkillReview,
    SkillTest,
    SkillUse,
    StrictnessReport,
    TokenReport,
    Tool,
    ToolCall,
    ToolGroup,
    ToolSummary,
    ToolView,
    ToolWarning,
    Trial,
    TrustQuestion,
    UndoPlan,
    UserAnnotations,
    Verdict,
    Vitals,
)
from workbench.records.waiting_requests import WaitingRequest
from workbench.settings import Settings


class CoreApi(Protocol):
    """What a client calls on the core. Errors arrive as `WorkbenchError`."""

    @api(decides=True)
    async def accept_cassette(self, name: str, cassette: str, draft: bool = False) -> CassetteInfo:
        """Update the expectation of a recording to what the skill does now."""

    @api(decides=True, consent=True)
    async def accept_host(self, sha: str) -> NetworkRules:
        """Accept a rule that the project suggests, exactly as it is now."""

    @api(decides=True, consent=True)
    async def accept_profile(self, sha: str) -> Profiles:
        """Accept a profile of the project that allows more than its base, exactly as it is now."""

    @api(decides=True, consent=True)
    async def add_host(self, domain: str, ports: tuple[int, ...], protocols: tuple[str, ...]) -> NetworkRules:
        """Add a rule of the user; without ports, the usual ports of its protocols apply."""

    @api(decides=True)
    async def add_server(self, config: ServerConfig) -> ServerState:
        """Write a server into the project's `.mcp.json`, replacing one of the same name."""

    @api
    async def all_vitals(self) -> tuple[Vitals, ...]:
        """The resource use of every server of the project, measured at once."""

    @api(decides=True, consent=True)
    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        """Accept, decline or cancel a request; `content` is JSON text: a form's values, a model's message, or a
        reason."""

    @api(decides=True, consent=True)
    async def answer_held_call(self, answer: HeldCallAnswer) -> HeldCall:
        """Allow or deny a held call; the answer applies to exactly the calls that the held call of this id showed."""

    @api(decides=True, consent=True)
    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        """Approve changed definitions, by tool and hash; returns the remaining changes."""

    @api
    async def asks(self) -> tuple[Ask, ...]:
        """Return the open requests of all servers, oldest first."""

    @api
    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict:
        """The verdict on a program within the limits of this profile; nothing is run."""

    @api
    async def assess_edit(self, run_id: str, code: str) -> Verdict:
        """The verdict on this text in place of the waiting one; nothing is changed."""

    @api(consent=True)
    async def assess_held_call_edit(self, held_call_id: str, arguments: str) -> HeldCall:
        """The held call as it would be judged with these arguments; nothing is changed. `arguments`: JSON text that
        fits the tool's schema, or the text of an answer that waits."""

    @api
    async def attend(self, approvals_only: bool = False) -> None:
        """Count the caller as present for approval requests and, unless `approvals_only`, for elicitation. The call
        does not return; the caller cancels it."""

    @api
    async def audit_figures(self, since: float, until: float) -> Figures: ...

    @api
    async def audit_report(self, since: float, until: float, form: str) -> str: ...

    @api
    async def call(self, call: ToolCall) -> Outcome:
        """Make a call for the user; origin and session are set by the core, whatever the client sends."""

    @api
    async def call_as_code(self, server: str, tool: str, arguments: JsonObject) -> str:
        """The program that makes the same call."""

    @api
    async def call_as_text(self, form: str, server: str, tool: str, arguments: JsonObject) -> str:
        """The call as text to copy: `json-rpc`, `curl` or `command`."""

    @api
    async def call_of_skill(self, name: str, arguments: JsonObject) -> str:
        """The program that calls a kept skill with these arguments."""

    @api
    async def call_shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        """Parameters of the function call at a position in a Python program."""

    @api(decides=True)
    async def cancel_call(self, call_id: str) -> None: ...

    @api(decides=True)
    async def cancel_sign_in(self, server: str) -> SignIn: ...

    @api(decides=True)
    async def cancel_task(self, server: str, task: str) -> None: ...

    @api
    async def cassettes(self, name: str) -> tuple[CassetteInfo, ...]:
        """The recordings of a skill, and those that its draft would add."""

    @api(decides=True, consent=True)
    async def change_setting(self, name: str, value: JsonValue, scope: str = "user") -> Settings:
        """Write a setting into the user's file or, if `scope` is "project", into the project's `workbench.toml`; apply
        it at once and note it in the audit."""

    @api
    async def changed_text(self, name: str, path: str) -> tuple[str, ...]:
        """A file's text before and after that change."""

    @api
    async def changes_of(self, name: str) -> FileChanges:
        """The changes of one run, or of one action of the user."""

    @api
    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a Python program that cannot work according to the known definitions."""

    @api(decides=True)
    async def check_drift(self, name: str, cassette: str, allow: bool = False) -> SkillTest:
        """Make the recorded calls at the live servers: only calls that read, or with `allow` all of them."""

    @api
    async def check_saved(self, file: str, confirmed: bool, attended: bool = False) -> CheckResult:
        """Make the call and compare its answer with the expectations. `attended`: the user selected this single
        call; otherwise it is one of many, from files that others may have written."""

    @api
    async def clean_code(self, code: str) -> str:
        """The text without what prevents it from being run: hidden characters, foreign encodings, odd line ends."""

    @api(decides=True)
    async def clear_cache(self, server: str = "") -> int: ...

    @api(decides=True)
    async def clear_history(self) -> None:
        """Delete the complete history of calls."""

    @api(decides=True, consent=True)
    async def clear_pin(self, old: str) -> None:
        """Remove the PIN."""

    @api
    async def client_files(self) -> tuple[ClientFile, ...]:
        """The client configs that servers can be exported to."""

    @api(decides=True)
    async def close_http_endpoint(self) -> None:
        """Close the HTTP endpoint. Its agents are disconnected, and their runs are stopped."""

    @api
    async def compare_definitions(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """The differences between two points in time: tools, instructions, version, protocol."""

    @api
    async def complete(
        self, server: str, kind: str, name: str, argument: str, value: str, context: Mapping[str, str]
    ) -> Completion:
        """Complete an argument of a prompt, or of a template when `kind` is "resource". Returns no suggestions when the
        server does not support completion. Never starts a server: typing is no request to start one."""

    @api
    async def complete_code(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        """Completions at a position in a Python program, most likely first. Columns count code points from 0."""

    @api(decides=True)
    async def complete_sign_in(self, server: str, address: str) -> None:
        """Complete a sign-in with the address at which the browser ended, if the browser could not reach this
        machine."""

    @api(decides=True)
    async def connect(self, server: str, sha: str = "", automatic: bool = False) -> ServerState:
        """Start a server. One that the user has not allowed yet needs `sha`, the hash of the consent that was shown:
        the call is then the user's consent to run exactly this command. With `sha`, it is refused if the entry has
        changed since. `automatic`: the client starts the server by itself; the audit does not name the user."""

    @api
    async def consent(self, server: str) -> Consent:
        """What the user reads before connecting a server that they have not allowed yet."""

    @api(decides=True, consent=True)
    async def decide(self, decision: Decision) -> Run: ...

    @api(decides=True, consent=True)
    async def decide_files(self, run_id: str, allow: tuple[str, ...], deny: tuple[str, ...]) -> FileChanges:
        """Write the allowed changes and drop the denied ones; changes in neither list stay held."""

    @api(decides=True, consent=True)
    async def decide_many(
        self, decisions: tuple[Decision, ...] = (), answers: tuple[HeldCallAnswer, ...] = ()
    ) -> tuple[DecisionOutcome, ...]:
        """Apply several answers to programs and held calls at once; each is accepted or refused for itself. Each names
        what the user saw. More than one may be allowed only up to medium risk."""

    @api(decides=True, consent=True)
    async def decide_trust(self, server: str, sha: str, groups: tuple[ToolGroup, ...]) -> Permissions:
        """Decide what the annotations of a server are worth: programs that only use tools of these groups run without
        asking. `sha`: of the question that the user saw. Waiting programs that need no approval any more start."""

    @api
    async def definition_changes(self, server: str) -> tuple[DefinitionChange, ...]:
        """Differences from the definitions that the user approved or last saw: blocked tools first, then new ones,
        then removed ones."""

    @api
    async def definition_history(self, server: str) -> tuple[Moment, ...]:
        """The times at which the server's definitions changed, newest first."""

    @api(decides=True)
    async def delete_calls(self, numbers: tuple[int, ...]) -> None:
        """Delete individual calls from the history."""

    @api(decides=True)
    async def delete_file_history(self) -> None: ...

    @api(decides=True)
    async def delete_secret(self, name: str) -> SecretStore: ...

    @api(decides=True, consent=True)
    async def deny_agent(
        self, session: str, reason: str = "", mute: bool = False, undoable: bool = False
    ) -> tuple[DecisionOutcome, ...]:
        """Deny every waiting program and call of one agent session. `mute`: also deny its further requests at once,
        until the agent connects again or `unmute_agent` is called."""

    @api
    async def diagnose(self, server: str) -> tuple[Check, ...]:
        """Check why a server cannot be reached. Starts it only if the user has allowed it."""

    @api
    async def diagnose_machine(self) -> tuple[Check, ...]:
        """Check whether this machine and this project have what the workbench needs, most important checks first."""

    @api(decides=True)
    async def discard_draft(self, name: str) -> Skill:
        """Remove the draft of this name from the skills; a kept skill of the same name stays."""

    @api(decides=True)
    async def disconnect(self, server: str) -> ServerState: ...

    @api(decides=True)
    async def dismiss_hint(self, key: str) -> None:
        """Stop showing a hint that the user declined or made a skill of."""

    @api(decides=True)
    async def draft_skill(
        self, name: str, description: str, code: str, run_id: str, tags: tuple[str, ...] = ()
    ) -> Skill: ...

    @api(decides=True)
    async def dry_run(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        """Start a dry run of the user's own program and return its run. At its end the run holds the plan."""

    @api(decides=True)
    async def dry_run_waiting(self, run_id: str) -> Run:
        """Start a dry run of a program that waits for approval. The program continues to wait."""

    @api(decides=True)
    async def duplicate_server(self, server: str) -> ServerState:
        """Copy an entry under a free name, after the original."""

    @api(decides=True, consent=True)
    async def edit(self, run_id: str, code: str, base: str = "") -> Run:
        """Replace the code of a waiting run; it is assessed again and gets a new hash. With `base`, the hash of the
        code that was edited, it is refused if the code was replaced since."""

    @api(decides=True, consent=True)
    async def edit_held_call(self, held_call_id: str, arguments: str) -> HeldCall:
        """Replace the arguments of a held call. It is judged again and waits under a new id, which an answer names."""

    @api(decides=True)
    async def edit_server(self, server: str, config: ServerConfig, keep_secrets: bool) -> ServerState:
        """Replace a server's entry, optionally with a new name; a changed command asks again before it starts.
        Without `server` the entry is new. With `keep_secrets`, values that look like secrets are moved to the secret
        store."""

    @api(decides=True)
    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        """End a REPL session; its variables are lost, and a program that runs in it is ended. Returns the remaining
        ones."""

    @api
    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]: ...

    @api
    async def entry(self, seq: int) -> Entry: ...

    @api
    async def entry_marks(self, query: EntryQuery) -> EntryMarks: ...

    @api
    async def entry_page(self, query: EntryQuery) -> EntryPage: ...

    @api
    async def expect_this(self, call: SavedCall, outcome: Outcome, whole: bool) -> SavedCall:
        """The call with expectations made from an answer; with `whole`, the answer itself is stored and expected."""

    @api
    async def explain_code(self, code: str, line: int, column: int) -> Explanation:
        """Full name and documentation of the symbol at a position in a Python program."""

    @api
    async def explain_masking(self, session: str, text: str, around: str = "", start: int = 0) -> MaskingExplanation:
        """Why a model of this session reads a text, or a token instead of it, with what can be done about it. The text
        is a token or is at `start` in the text `around` it; without a session it is judged for the user's own calls."""

    @api
    async def export_entries(self, query: EntryQuery, file: str, form: str) -> int: ...

    @api(decides=True)
    async def export_file(self, path: str, target: str) -> int: ...

    @api(decides=True)
    async def export_servers(self, client: str, names: tuple[str, ...], itself: bool, sha: str) -> ExportReport:
        """Export servers, if the result is the one that was previewed."""

    @api(decides=True)
    async def export_skill(self, name: str, path: str) -> str:
        """Pack a skill into a zip file; returns the file's path."""

    @api
    async def facets(self) -> tuple[Facet, ...]:
        """Values to filter by, the latest first; empty while there is no index."""

    @api
    async def file_changes(self, most: int = 100) -> tuple[FileChanges, ...]:
        """Changes by runs and by the user, newest first."""

    @api
    async def file_level(self, folder: str = "") -> tuple[FileInfo, ...]:
        """All entries of one folder: folders first, then files by name; links and special files are marked as such."""

    @api
    async def file_piece(self, path: str, start: int = 0) -> FilePiece:
        """A part of a file's text, starting at this byte."""

    @api
    async def file_room(self) -> FileRoom:
        """The number and size of the files, and their limits."""

    @api
    async def files(self) -> tuple[FileInfo, ...]:
        """Every regular file, sorted by path, at most 20,000. Links and special files are left out."""

    @api
    async def find(self, words: str, kinds: tuple[str, ...], limit: int) -> Finds:
        """Search results, best first, ranked as for agents; an empty query returns a list. No kinds: all kinds."""

    @api(decides=True)
    async def forget_values(self, session: str) -> int:
        """Delete all values of a session and return their number; earlier tokens no longer have a value then."""

    @api
    async def found_servers(self) -> Discovery:
        """Servers configured in other clients, secrets masked. Nothing is started."""

    @api
    async def frame(self, server: str, at: float) -> str:
        """The complete text of one message."""

    @api
    async def frames(self, server: str, after: float = 0.0) -> tuple[Frame, ...]: ...

    @api
    async def get_prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> PromptAnswer:
        """A prompt filled in with arguments, which are texts by name."""

    @api
    async def group_requests(self, run_ids: tuple[str, ...]) -> tuple[RequestGroup, ...]:
        """Group these waiting programs by form and meaning, each group with a table of the literal values in which its
        programs differ. Programs that no longer wait are left out."""

    @api
    async def has_pin(self) -> bool:
        """Whether answers from a terminal need a PIN."""

    @api
    async def held_calls(self) -> tuple[HeldCall, ...]:
        """All held calls of the core, oldest first."""

    @api
    async def held_files(self) -> tuple[FileChanges, ...]:
        """Changes of unapproved programs, newest first; each under the id of its run."""

    @api
    async def held_plan(self, run_id: str) -> UndoPlan:
        """What allowing all changes of a run would do now, file by file."""

    @api
    async def held_text(self, run_id: str, path: str) -> tuple[str, ...]:
        """The current content of the file, and the content that the program wants to write."""

    @api
    async def hook_installations(self) -> tuple[HookInstallation, ...]:
        """Where the hook program can be installed, and where it is."""

    @api
    async def http_endpoint(self) -> HttpEndpoint:
        """Whether the HTTP endpoint for agents is open, with its access token."""

    @api(decides=True)
    async def import_files(self, sources: tuple[str, ...], folder: str = "") -> tuple[FileInfo, ...]: ...

    @api(decides=True)
    async def import_servers(self, choices: tuple[ImportChoice, ...]) -> ImportReport:
        """Write found servers into `.mcp.json`; none starts before the user connects it."""

    @api(decides=True)
    async def import_skill(self, key: str) -> Skill:
        """Make a draft of the reviewed skill with this key."""

    @api(decides=True, consent=True)
    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Keep the draft with this hash as the next version. Its text is read from disk again first."""

    @api
    async def known_servers(self) -> tuple[KnownServer, ...]:
        """Ready-made entries for servers of well-known vendors."""

    @api
    async def levels(self) -> tuple[Level, ...]:
        """Probe the isolation levels again and return them, from the weakest to the strongest."""

    @api(decides=True)
    async def make_folder(self, path: str) -> FileInfo: ...

    @api(decides=True)
    async def mark_changes_seen(self, server: str) -> None:
        """Mark new and removed tools as seen; blocked tools stay blocked."""

    @api(decides=True, consent=True)
    async def mark_privacy(self, mark: PrivacyMark) -> PrivacyRules:
        """Always mask a value, or never, in this project or everywhere; applies to every session at once."""

    @api(consent=True)
    async def may_answer(self) -> None:
        """Raise if answers from here are not accepted, so that a client does not show a request in vain."""

    @api
    async def model_view(self, text: str, server: str, session_id: str = "") -> ModelView:
        """What an agent would see of a text from this server, or of what a program of this session has printed; nothing
        is sent."""

    @api(decides=True)
    async def move_secrets(self, server: str) -> ServerState:
        """Move the secrets in a server's entry to the secret store, and refer to them from the entry."""

    @api(decides=True)
    async def move_server(self, server: str, before: str) -> None:
        """Move a server before another one; an empty name moves it to the end."""

    @api
    async def muted_agents(self) -> tuple[MutedAgent, ...]:
        """The agent sessions whose approval requests are denied at once, because the user muted them."""

    @api
    async def network(self) -> NetworkRules:
        """Current rules. The settings files are read again if they changed."""

    @api(decides=True, consent=True)
    async def never_mask_token(self, session: str, token: str, scope: str) -> PrivacyRules:
        """Never mask the value of a token, in this project or everywhere. The value is not shown."""

    @api(decides=True)
    async def new_skill(self, name: str, description: str) -> Skill:
        """Create a draft with example code; the name must be valid and free."""

    @api(decides=True, consent=True)
    async def offer_pairing(self) -> PairingOffer:
        """Return a code with which one device can be paired within a few minutes."""

    @api
    async def offers(self, server: str) -> Offers:
        """Return what a server offers, except the resources themselves; for a stopped server, the last known lists."""

    @api(decides=True)
    async def open_http_endpoint(self, port: int, fresh_token: bool = False) -> HttpEndpoint:
        """Open the HTTP endpoint for agents on this port of the local machine; 0 selects a free port. A fresh access
        token invalidates the old one. An open endpoint is kept unless the port or the token changes."""

    @api(decides=True)
    async def open_secrets(self) -> SecretStore:
        """Open the secret store; if no keyring was found before, look for one again."""

    @api
    async def past_call(self, number: int) -> PastCall:
        """Return one call with everything that was stored for it."""

    @api
    async def past_calls(self, query: PastQuery) -> tuple[PastCall, ...]:
        """Return the newest calls that match, without their outcomes."""

    @api
    async def permissions(self) -> Permissions: ...

    @api
    async def preview_export(self, client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        """Preview the changes of exporting these servers to a client; with `itself`, the workbench is exported as a
        server too."""

    @api
    async def preview_hooks(self, client: str, absent: str, remove: bool) -> ExportPreview:
        """Preview the change of a client's file that installs or removes the hook program. `absent`: what happens
        without a core, ask or deny."""

    @api
    async def privacy_export(self, session: str) -> str:
        """Everything about a session's values except the values, as JSON."""

    @api
    async def privacy_report(self, query: PrivacyQuery) -> PrivacyReport: ...

    @api
    async def privacy_rules(self) -> PrivacyRules:
        """The marks of the user and of the project, and how each kind is detected."""

    @api
    async def privacy_sessions(self) -> tuple[PrivacySession, ...]:
        """The user's own session first, then sessions of agents that have tokens or are connected, newest first."""

    @api
    async def profiles(self) -> Profiles:
        """Return the built-in profiles first; of two with one name the user's applies."""

    @api
    async def read_file(self, path: str) -> str:
        """The content of a text file. A file that is too large is cut, and the last line says so."""

    @api
    async def read_resource(self, server: str, uri: str) -> Outcome:
        """The content of a resource; starts the server if it is stopped."""

    @api(decides=True)
    async def record_cassette(self, run_id: str, skill: str, name: str, arguments: JsonObject) -> CassetteInfo:
        """Make a recording from a run of this core. `arguments`: those of the skill; empty: as in the run."""

    @api(decides=True)
    async def reload_servers(self) -> tuple[ServerState, ...]:
        """Read `.mcp.json` again. Servers with an unchanged entry keep running; an unreadable file changes nothing."""

    @api(decides=True)
    async def remove_cassette(self, name: str, cassette: str) -> None: ...

    @api(decides=True)
    async def remove_files(self, paths: tuple[str, ...]) -> FileChanges: ...

    @api(decides=True)
    async def remove_host(self, sha: str) -> NetworkRules: ...

    @api(decides=True)
    async def remove_saved(self, file: str) -> str:
        """Remove a file; returns its text, so that it can be restored."""

    @api(decides=True)
    async def remove_server(self, server: str) -> None: ...

    @api
    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        """The tools of every server that were removed since the user last looked at its changes."""

    @api(decides=True)
    async def rename_file(self, path: str, to: str) -> FileInfo: ...

    @api(decides=True)
    async def rename_skill(self, name: str, wish: str) -> Skill: ...

    @api(decides=True, consent=True)
    async def renew_permissions(self) -> Permissions:
        """Start an empty list of rules if the stored one cannot be read."""

    @api(decides=True, consent=True)
    async def reset_setting(self, name: str, scope: str = "user") -> Settings:
        """Remove a setting from the user's file, or from the project's, so that its value comes from elsewhere."""

    @api
    async def resources(self, server: str, start: int) -> tuple[Resource, ...]:
        """Return up to a thousand resources from this position on."""

    @api(decides=True, consent=True)
    async def restore_permission(self, rule_id: str) -> Permissions:
        """Restore a rule that was revoked since the core started, exactly as it was."""

    @api(decides=True)
    async def restore_saved(self, file: str, text: str) -> None: ...

    @api(decides=True)
    async def restore_server(self, server: str) -> ServerState:
        """Restore a removed server as it was."""

    @api(decides=True)
    async def restore_skill(self, name: str) -> Skill: ...

    @api(decides=True, consent=True)
    async def restore_trust(self, server: str) -> Permissions:
        """Restore a decision about a server that was withdrawn since the core started, exactly as it was."""

    @api(decides=True)
    async def retire_skill(self, name: str) -> Skill: ...

    @api
    async def reveal(self, session: str, token: str, copied: bool = False) -> Revealed:
        """The value of one token; that the user looked at it, or copied it, is written to the audit."""

    @api
    async def reveal_found_server(self, key: str) -> Mapping[str, str]:
        """The masked values of a found server, by their place, for display to the user; noted in the audit."""

    @api(consent=True)
    async def review(self) -> None:
        """Stop the clocks of all waiting requests while the caller shows them to the user. The call does not return;
        the caller cancels it. When the caller disconnects, the clocks continue, with at least 30 seconds left."""

    @api
    async def review_figures(self) -> ReviewFigures: ...

    @api
    async def review_page(self) -> ReviewPageState:
        """Whether the review page is open, and its paired devices."""

    @api
    async def review_skills(self, path: str) -> tuple[SkillReview, ...]:
        """Review the skills of a folder, zip file or git checkout; nothing is written."""

    @api(decides=True, consent=True)
    async def revive(self, run_id: str) -> Run:
        """Put a program back that was refused because nobody answered in time, that the user denied, or that a restart
        of the core interrupted. Returns the new run, which is assessed again; the old one names it in `revived_as`."""

    @api(decides=True, consent=True)
    async def revoke_device(self, device_id: str) -> ReviewPageState:
        """Refuse everything that this device signs from now on."""

    @api(decides=True, consent=True)
    async def revoke_permission(self, rule_id: str) -> Permissions: ...

    @api
    async def run(self, run_id: str) -> Run: ...

    @api(decides=True, consent=True)
    async def run_plan(self, choice: PlanChoice) -> Run:
        """Run the program of a dry run once. It may make the calls that the user selected; any other side effect
        needs approval."""

    @api(decides=True)
    async def run_skill(self, name: str, arguments: JsonObject) -> Run:
        """Run a skill: the kept one, or a draft with its current code."""

    @api
    async def runs(self) -> tuple[Run, ...]:
        """Runs of this core and the latest ones of earlier cores, newest first."""

    @api
    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        """The findings of these verdicts as one SARIF log, each under the name of its program."""

    @api(decides=True)
    async def save_call(self, call: SavedCall, instead_of: str) -> SavedCall:
        """Write a call into the project, without values that its tool's schema marks as secret. `instead_of`: the
        file that the call came from; empty for a new call, which replaces no file."""

    @api
    async def saved_calls(self) -> SavedCalls: ...

    @api
    async def search(
        self, query: str, depth: Depth, limit: int = 20, server: str = "", category: str = ""
    ) -> SearchAnswer:
        """Return the search answer for an agent; an empty query returns the list."""

    @api
    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        """The times of the messages that contain all these words anywhere."""

    @api
    async def secrets(self) -> SecretStore:
        """What is known without unlocking anything: a locked keyring must not prompt the user because a window was
        opened."""

    @api(decides=True)
    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        """Send a message written by hand. A tool call is processed as any tool call: policy, privacy, audit."""

    @api
    async def server_log(self, server: str, after: int) -> ServerLog:
        """Return the stored log lines with a higher number."""

    @api
    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        """The server's tasks, newest first; none while the server is stopped."""

    @api
    async def servers(self) -> tuple[ServerState, ...]: ...

    @api(decides=True, consent=True)
    async def set_annotations(self, server: str, tool: str, bits: UserAnnotations) -> Tool:
        """Set the user's own annotations of one tool, which replace those of its server and guesses; None removes
        them."""

    @api(decides=True)
    async def set_log_level(self, server: str, level: str) -> None:
        """Set the lowest level at which the server logs."""

    @api(decides=True, consent=True)
    async def set_permission(self, rule: Permission) -> Permission:
        """Store a rule about a server, a tool or arguments; a rule with an existing id replaces that rule. Its
        sentence and the fingerprints that it is bound to are filled in by the core."""

    @api(decides=True, consent=True)
    async def set_pin(self, pin: str, old: str) -> None:
        """Require this PIN from now on; replacing a PIN needs the old one."""

    @api(decides=True, consent=True)
    async def set_privacy_kind(self, kind: str, on: bool, threshold: float) -> PrivacyRules:
        """Switch the detection of a kind of personal data on or off, and set its threshold in prose; 0 leaves the
        threshold unchanged."""

    @api(decides=True)
    async def set_roots(self, server: str, roots: tuple[str, ...]) -> ServerState:
        """Set the root folders that a server is told; written into `.mcp.json`."""

    @api(decides=True)
    async def set_secret(self, name: str, value: str) -> SecretStore: ...

    @api(decides=True, consent=True)
    async def set_strictness(self, server: str, step: str) -> PrivacyRules:
        """Set how much is masked in the answers of a server, or of all servers without one of their own if `server` is
        empty. An empty step removes the server's own strictness."""

    @api
    async def setting_values(self) -> tuple[SettingValue, ...]:
        """Every setting with its value in force, where it comes from, and what each file says about it."""

    @api
    async def settings(self) -> Settings:
        """The current settings."""

    @api(decides=True)
    async def shut_down(self) -> None:
        """End the core and everything it started."""

    @api(decides=True)
    async def sign_in(self, server: str) -> SignIn:
        """Start a sign-in, and return when it is over. The event `SignInWanted` names the page to open."""

    @api
    async def sign_in_report(self, server: str) -> SignIn:
        """The last sign-in, step by step, and what is stored of it."""

    @api(decides=True)
    async def sign_out(self, server: str) -> SignIn:
        """Delete the access tokens and the registration, and close the connection."""

    @api
    async def skill(self, name: str) -> Skill: ...

    @api
    async def skill_hints(self) -> tuple[SkillHint, ...]:
        """Forms of programs that ran often enough to suggest a skill, most frequent first."""

    @api
    async def skill_page(self, name: str) -> SkillPage: ...

    @api
    async def skill_uses(self) -> tuple[SkillUse, ...]: ...

    @api
    async def skills(self) -> tuple[Skill, ...]: ...

    @api(decides=True)
    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a new user can see an approval request."""

    @api
    async def states(self) -> tuple[KeptState, ...]:
        """Return REPL sessions that hold a sandbox now, the one used last first, with their current memory use."""

    @api
    async def status(self) -> CoreStatus:
        """Status of this core: what runs, the isolation level of its sandbox, and problems during its start."""

    @api
    async def stderr(self, server: str) -> tuple[str, ...]: ...

    @api(decides=True)
    async def stop_run(self, run_id: str) -> Run:
        """End a run as the user."""

    @api
    async def storage_usage(self) -> KeptFiles:
        """How much is stored for undo, and how many answers are cached."""

    @api
    async def strictness_report(self, server: str) -> StrictnessReport:
        """What each step would mask in the last answers of a server in the history. Nothing is stored."""

    @api(decides=True)
    async def submit(
        self,
        code: str,
        purpose: str,
        skill: str,
        state: str = "",
        language: str = "python",
        profile: str = "",
        required: tuple[str, ...] = (),
        seconds: float = 0.0,
        force_approval: bool = False,
    ) -> Run:
        """Run the user's own program within the limits of a profile. `state`: the name of a REPL session;
        `required`: the only tools that it may use, if any. Returns once the run has been submitted."""

    @api(decides=True)
    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        """Subscribe to changes of a resource (`ResourcesUpdated`), or unsubscribe."""

    @api(decides=True)
    async def switch_server(self, server: str, disabled: bool) -> ServerState: ...

    @api(decides=True)
    async def tag_skill(self, name: str, tags: tuple[str, ...]) -> Skill: ...

    @api
    async def take_wanted_review(self) -> str:
        """The request that the user chose in a notification before this window was open; empty if there is none."""

    @api
    async def task_result(self, server: str, task: str) -> str:
        """The result of a task that ended: the raw answer of its call, as JSON text."""

    @api
    async def test_notifications(self) -> tuple[Check, ...]:
        """Send one message without content through each channel that is set up, and say which arrived."""

    @api
    async def test_skill(self, name: str, draft: bool = False, cassette: str = "") -> tuple[SkillTest, ...]:
        """Play all recordings, or only `cassette`, to the kept skill or to its draft; no server is called."""

    @api
    async def token_report(self) -> TokenReport:
        """The tokens of all conversations of this core, and which way of working suits the catalog."""

    @api
    async def tool(self, server: str, name: str) -> Tool:
        """Return the tool of a server by any of its names. Raises WorkbenchError when there is none."""

    @api
    async def tool_view(self, server: str, name: str) -> ToolView:
        """A tool with its warnings, the change of its definition, and the tools that it is often used with."""

    @api
    async def tools(self) -> tuple[ToolSummary, ...]:
        """Return a summary of every known tool, also of servers that do not run; disabled servers are left out."""

    @api
    async def transcript(self, server: str) -> str:
        """All stored messages in full, one JSON object per line."""

    @api
    async def trust_question(self, server: str) -> TrustQuestion:
        """The question what the annotations of a server are worth: what each of its tools does, by its own words and
        as far as we know, and which groups are proposed or decided to run without asking."""

    @api
    async def try_privacy(self, text: str) -> Trial:
        """What the detector finds in a text and how it would be masked; nothing is stored."""

    @api(decides=True, consent=True)
    async def undo_denial(self, request_id: str) -> None:
        """Let a program or held call wait again that the user denied a few seconds ago. A held call gets a new id."""

    @api(decides=True)
    async def undo_export(self, sha: str) -> ClientFile:
        """Restore the file as it was before the export that wrote this content."""

    @api(decides=True)
    async def undo_files(self, name: str, paths: tuple[str, ...]) -> FileChanges: ...

    @api
    async def undo_plan(self, name: str) -> UndoPlan:
        """What undoing a change would do now, file by file."""

    @api(consent=True)
    async def unlock(self, pin: str) -> None:
        """Accept answers over this connection from now on; raises for a wrong PIN."""

    @api(decides=True)
    async def unlock_secrets(self, passphrase: str) -> SecretStore:
        """Unlock the encrypted file; creates one if there is none and no keyring either."""

    @api(decides=True, consent=True)
    async def unmark_privacy(self, mark_id: str) -> PrivacyRules: ...

    @api(decides=True, consent=True)
    async def unmute_agent(self, session: str) -> None:
        """Be asked about an agent session's requests again."""

    @api
    async def verify_audit(self) -> ChainReport: ...

    @api
    async def vitals(self, server: str) -> Vitals: ...

    @api
    async def waiting_requests(self) -> tuple[WaitingRequest, ...]:
        """Everything that waits for the user: programs, held calls and answers, file changes, forms of servers, and
        decisions about servers. What is denied first is first."""

    @api
    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        """Warnings about a server's tool definitions, also compared with those of other servers."""

    @api(consent=True)
    async def watch_requests(self) -> None:
        """Say that the user looks at a window or terminal that shows what waits: nothing needs to be announced on the
        desktop. The call does not return; the caller cancels it."""

    @api(decides=True)
    async def withdraw_host(self, sha: str) -> NetworkRules: ...

    @api(decides=True)
    async def withdraw_profile(self, sha: str) -> Profiles: ...

    @api(decides=True)
    async def withdraw_trust(self, server: str) -> Permissions:
        """Forget what the user decided about the annotations of a server: they count no longer."""

    @api
    async def wrapper(self, server: str, name: str) -> str:
        """The Python source that an agent imports for this tool."""

    @api(decides=True)
    async def write_file(self, path: str, text: str) -> FileInfo: ...

    @api(decides=True, consent=True)
    async def write_hooks(self, client: str, absent: str, remove: bool, sha: str) -> ExportReport:
        """Install or remove the hook program, if the result is the one that was previewed."""
