"""Personal data as clients see it (detected values, their PII tokens, sources and uses), and names of stored secrets.

Only `Revealed`, `ModelView` and marks contain real values, so that lists, exports and the audit cannot contain one by
mistake.
"""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Fault


class Place(Struct, frozen=True):
    """A call that returned a value or received it."""

    server: str
    tool: str = ""
    run_id: str = ""  # empty for a call that no program made
    at: float = 0.0
    why: str = ""  # the decision that allowed it
    call_id: str = ""


class KindCount(Struct, frozen=True):
    """The number of different values of one kind."""

    kind: str
    count: int


class HiddenValue(Struct, frozen=True):
    """A PII token and the metadata of its value, without the value."""

    token: str
    kind: str
    times: int = 0  # how often a model received the token
    sources: tuple[str, ...] = ()  # servers that supplied the value
    came: tuple[Place, ...] = ()  # the first calls whose answers contained the value
    went: tuple[Place, ...] = ()  # the last calls that received the value
    runs: tuple[str, ...] = ()  # runs in whose answers the value was masked
    why: str = ""  # the reason in one sentence
    readers: tuple[str, ...] = ()  # agents that received the token


class PrivacySession(Struct, frozen=True):
    """A session with its own vault."""

    id: str
    author: str
    agent: bool
    tokens: int = 0
    here: bool = True  # the agent is connected; after it disconnects, the session stays as long as the core runs


class PrivacyQuery(Struct, frozen=True):
    """A query for values of a session, in the order of their tokens. Empty fields do not filter."""

    session: str
    text: str = ""  # part of a token, server or tool, or a complete value
    kind: str = ""
    after: int = 0  # paging offset: skip this many matching values
    limit: int = 500


class PrivacyReport(Struct, frozen=True):
    """A page of a session's values, with counts."""

    session: PrivacySession
    values: tuple[HiddenValue, ...] = ()
    fitting: int = 0  # number of matching values on all pages
    counts: tuple[KindCount, ...] = ()  # number of different values with a token, by kind
    enabled: bool = True


class Hidden(Struct, frozen=True):
    """A masked span of a text, in code points, and the PII token that replaces it for a model."""

    start: int
    end: int
    kind: str
    token: str


class ModelView(Struct, frozen=True):
    """A text as a model receives it."""

    text: str
    session: str  # the session of the tokens
    hidden: tuple[Hidden, ...] = ()  # spans in the real text; empty if the two texts cannot be aligned
    counts: tuple[KindCount, ...] = ()
    enabled: bool = True


class Revealed(Struct, frozen=True):
    """The value of a PII token, shown to the user. The audit records that it was shown."""

    token: str
    kind: str
    value: str
    sources: tuple[str, ...] = ()
    came: tuple[Place, ...] = ()
    went: tuple[Place, ...] = ()
    times: int = 0
    why: str = ""  # the reason in one sentence


class MaskingRemedy(Struct, frozen=True):
    """Something that the user can do about a masked or unmasked text."""

    action: str  # pass, hide, unmark, enable, kind, threshold or strictness
    text: str  # of a button
    kind: str = ""
    scope: str = ""  # of a mark: everywhere or project
    mark: str = ""  # ID of a mark to remove
    threshold: float = 0.0


class MaskingExplanation(Struct, frozen=True):
    """Why a text was masked or not."""

    masked: bool
    reason: str  # one sentence
    kind: str = ""
    token: str = ""
    details: tuple[str, ...] = ()  # what else the detectors found, one sentence each
    remedies: tuple[MaskingRemedy, ...] = ()
    sources: tuple[str, ...] = ()
    came: tuple[Place, ...] = ()
    went: tuple[Place, ...] = ()
    times: int = 0  # how often a model received the token
    readers: tuple[str, ...] = ()  # agents that received the token
    runs: tuple[str, ...] = ()  # runs in whose answers the value was masked


class StrictnessFigures(Struct, frozen=True):
    """What a step of strictness was measured to mask, in per cent, on the sets of `benchmarks/privacy.py`."""

    names: float = 0.0  # names in prose that are masked whole
    addresses: float = 0.0  # addresses in prose that are masked whole
    prose_innocent: float = 0.0  # other characters of that prose that are masked
    values: float = 0.0  # values in tool results that are masked whole
    innocent: float = 0.0  # other characters of tool results that are masked


class StrictnessStep(Struct, frozen=True):
    """One step of strictness."""

    name: str  # off, forms, balanced or recall
    title: str
    finds: str  # what it masks, in sentences
    price: str = ""  # what it was measured to mask, in one sentence
    figures: StrictnessFigures = StrictnessFigures()


class ServerStrictness(Struct, frozen=True):
    """The strictness of a server that differs from that of all servers."""

    server: str
    step: str


class StrictnessEffect(Struct, frozen=True):
    """What a step masks in recent answers of a server."""

    step: str
    values: int = 0  # masked values
    more: int = 0  # words that it masks and the current step does not
    fewer: int = 0  # words that the current step masks and it does not


class StrictnessReport(Struct, frozen=True):
    """The effect of each step on the last answers of a server in the history."""

    server: str
    answers: int = 0
    effects: tuple[StrictnessEffect, ...] = ()


class TriedSpan(Struct, frozen=True):
    """A detection in a text that the user tests the detector with."""

    start: int
    end: int
    kind: str
    why: str = ""


class Trial(Struct, frozen=True):
    """The detector's result for a test text. The text is not stored."""

    spans: tuple[TriedSpan, ...] = ()
    masked: str = ""
    ms: float = 0.0
    is_json: bool = False  # the text was parsed as JSON, and its keys were considered


class PrivacyMark(Struct, frozen=True):
    """A permanent mark: a value, pattern or key to mask always, or never to mask."""

    hide: bool
    what: str  # value, pattern or key
    text: str
    kind: str = ""  # kind of the masked data
    source: str = "you"  # or "project", which can only mask
    made: float = 0.0
    id: str = ""  # equal for equal marks
    scope: str = "everywhere"  # or "project": in this project only


class KindRule(Struct, frozen=True):
    """How one kind of personal data is detected."""

    kind: str
    plural: str  # plural for sentences
    on: bool = True
    threshold: float = 0.0  # minimum score in prose; 0: this kind has no score


class PrivacyRules(Struct, frozen=True):
    """Everything that the user can change about masking."""

    marks: tuple[PrivacyMark, ...] = ()
    kinds: tuple[KindRule, ...] = ()
    enabled: bool = True
    strictness: str = "balanced"
    servers: tuple[ServerStrictness, ...] = ()  # servers with a strictness of their own
    steps: tuple[StrictnessStep, ...] = ()
    keep_days: int = 0  # how long values are kept on disk; 0: in memory only
    notices: tuple[Fault, ...] = ()
    preview: str = ""  # kinds whose answers the user sees before they are sent


class SecretInfo(Struct, frozen=True):
    """A secret that is stored, or that a server's configuration refers to."""

    name: str
    stored: bool
    servers: tuple[str, ...] = ()  # servers whose entries in `.mcp.json` refer to it
    signed_in: str = ""  # the server whose sign-in produced it; empty: the user entered it


class SecretStore(Struct, frozen=True):
    """The secret store of this machine, and the secrets in it."""

    kind: str  # keyring, file, memory, locked; empty before its first use
    sentence: str
    hint: str = ""
    passphrase: str = ""  # what a passphrase is needed for: "create" a file, "unlock" one, or "" for nothing
    secrets: tuple[SecretInfo, ...] = ()
