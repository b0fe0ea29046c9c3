"""The words of the house: frozen records that travel between rooms and over the wire. Read this package first.

Records carry no behaviour, so that any room may hold any of them without importing the room it came from.
"""

from __future__ import annotations

from workbench.records.asks import Ask
from workbench.records.audit import ChainReport, Entry, EntryQuery, Note
from workbench.records.calls import CallTrace, Content, Outcome, ToolCall
from workbench.records.checks import Check, CheckState
from workbench.records.clients import (
    ClientFile,
    Discovery,
    ExportPreview,
    ExportReport,
    FoundServer,
    ImportChoice,
    ImportReport,
    Standing,
)
from workbench.records.consent import Consent
from workbench.records.finds import Companion, Find, FindKind, Finds, FoundIn, Reason
from workbench.records.ground import Fault, JsonObject, JsonValue, Origin, Risk
from workbench.records.house import AgentInfo, CoreStatus, FileInfo
from workbench.records.impact import Impact
from workbench.records.network import Connection, HostRule, NetworkRules
from workbench.records.observed import Observation
from workbench.records.offers import (
    Completion,
    LogLine,
    Offers,
    Prompt,
    PromptAnswer,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    ServerLog,
)
from workbench.records.past import PastCall, PastQuery
from workbench.records.pauses import Held, Pause, PauseAnswer, PlanChoice, ValueOrigin
from workbench.records.pinning import Likeness, Resemblance, ValueChange
from workbench.records.pins import ChangeKind, DefinitionChange, Moment, ToolWarning
from workbench.records.privacy import (
    Hidden,
    HiddenValue,
    KindCount,
    KindRule,
    ModelView,
    Place,
    PrivacyMark,
    PrivacyQuery,
    PrivacyReport,
    PrivacyRules,
    PrivacySession,
    Revealed,
    Trial,
    TriedSpan,
)
from workbench.records.review import ReviewFigures
from workbench.records.runs import (
    Decision,
    Effect,
    EffectKind,
    Finding,
    Flow,
    Gate,
    Ledger,
    Proposal,
    Run,
    RunState,
    Span,
    ToolUse,
    Verdict,
)
from workbench.records.sandbox import Level, Limits, Strength
from workbench.records.saved import BrokenCall, CheckResult, Expect, Expectation, Mark, SavedCall, SavedCalls
from workbench.records.secrets import SecretInfo, SecretStore
from workbench.records.servers import (
    Depth,
    Hints,
    KnownServer,
    SearchAnswer,
    ServerConfig,
    ServerState,
    ServerStatus,
    Tool,
    ToolSummary,
)
from workbench.records.sign_in import SignIn, SignInStep
from workbench.records.skills import Skill, SkillState
from workbench.records.states import KeptState
from workbench.records.tasks import ServerTask
from workbench.records.thrift import ModeAdvice, ModelFactor, SessionTokens, TokenReport
from workbench.records.traffic import Frame, RawAnswer, Vitals
from workbench.records.trust import Permission, Permissions, Predicate, Profiles, RunProfile, ToolBits, Trust, Word

__all__ = [
    "AgentInfo",
    "Ask",
    "BrokenCall",
    "CallTrace",
    "ChainReport",
    "ChangeKind",
    "Check",
    "CheckResult",
    "CheckState",
    "ClientFile",
    "Companion",
    "Completion",
    "Connection",
    "Consent",
    "Content",
    "CoreStatus",
    "Decision",
    "DefinitionChange",
    "Depth",
    "Discovery",
    "Effect",
    "EffectKind",
    "Entry",
    "EntryQuery",
    "Expect",
    "Expectation",
    "ExportPreview",
    "ExportReport",
    "Fault",
    "FileInfo",
    "Find",
    "FindKind",
    "Finding",
    "Finds",
    "Flow",
    "FoundIn",
    "FoundServer",
    "Frame",
    "Gate",
    "Held",
    "Hidden",
    "HiddenValue",
    "Hints",
    "HostRule",
    "Impact",
    "ImportChoice",
    "ImportReport",
    "JsonObject",
    "JsonValue",
    "KeptState",
    "KindCount",
    "KindRule",
    "KnownServer",
    "Ledger",
    "Level",
    "Likeness",
    "Limits",
    "LogLine",
    "Mark",
    "ModeAdvice",
    "ModelFactor",
    "ModelView",
    "Moment",
    "NetworkRules",
    "Note",
    "Observation",
    "Offers",
    "Origin",
    "Outcome",
    "PastCall",
    "PastQuery",
    "Pause",
    "PauseAnswer",
    "Permission",
    "Permissions",
    "Place",
    "PlanChoice",
    "Predicate",
    "PrivacyMark",
    "PrivacyQuery",
    "PrivacyReport",
    "PrivacyRules",
    "PrivacySession",
    "Profiles",
    "Prompt",
    "PromptAnswer",
    "PromptArgument",
    "PromptMessage",
    "Proposal",
    "RawAnswer",
    "Reason",
    "Resemblance",
    "Resource",
    "ResourceTemplate",
    "Revealed",
    "ReviewFigures",
    "Risk",
    "Run",
    "RunProfile",
    "RunState",
    "SavedCall",
    "SavedCalls",
    "SearchAnswer",
    "SecretInfo",
    "SecretStore",
    "ServerConfig",
    "ServerLog",
    "ServerState",
    "ServerStatus",
    "ServerTask",
    "SessionTokens",
    "SignIn",
    "SignInStep",
    "Skill",
    "SkillState",
    "Span",
    "Standing",
    "Strength",
    "TokenReport",
    "Tool",
    "ToolBits",
    "ToolCall",
    "ToolSummary",
    "ToolUse",
    "ToolWarning",
    "Trial",
    "TriedSpan",
    "Trust",
    "ValueChange",
    "ValueOrigin",
    "Verdict",
    "Vitals",
    "Word",
]
