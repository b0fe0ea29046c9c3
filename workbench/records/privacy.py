"""Personal data as clients see it (values found, their PII tokens, sources and uses), and the names of stored secrets.

No record but `Revealed`, `ModelView` and a mark holds a value, so that lists, exports and the audit cannot hold one by
mistake.
"""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Fault


class Place(Struct, frozen=True):
    """One call that a value came with or went into."""

    server: str
    tool: str = ""
    run_id: str = ""  # empty for a call of nobody's program
    at: float = 0.0
    why: str = ""  # by whose word it went there


class KindCount(Struct, frozen=True):
    """So many different values of one kind."""

    kind: str
    count: int


class HiddenValue(Struct, frozen=True):
    """One token, and all that is known of the value behind it but the value."""

    token: str
    kind: str
    times: int = 0  # how often it stood in what a model read
    sources: tuple[str, ...] = ()  # servers that supplied the value
    came: tuple[Place, ...] = ()  # the first calls whose answers held it
    went: tuple[Place, ...] = ()  # the last calls that it went into
    runs: tuple[str, ...] = ()  # whose answers it was hidden in


class PrivacySession(Struct, frozen=True):
    """A conversation that has a memory of values of its own."""

    id: str
    author: str
    agent: bool
    tokens: int = 0
    here: bool = True  # an agent that left keeps its session as long as the core runs


class PrivacyQuery(Struct, frozen=True):
    """Which values of a session, in the order in which their tokens were made; empty fields do not filter."""

    session: str
    text: str = ""  # a part of a token, server or tool; or a whole value
    kind: str = ""
    after: int = 0  # for paging: so many of the fitting ones are passed over
    limit: int = 500


class PrivacyReport(Struct, frozen=True):
    """A page of a session's values, and its figures."""

    session: PrivacySession
    values: tuple[HiddenValue, ...] = ()
    fitting: int = 0  # of all pages
    counts: tuple[KindCount, ...] = ()  # different values with a token, by kind
    enabled: bool = True


class Hidden(Struct, frozen=True):
    """A stretch of a real text that a model does not see, in code points, and what it sees in its place."""

    start: int
    end: int
    kind: str
    token: str


class ModelView(Struct, frozen=True):
    """A text as a model gets it."""

    text: str
    session: str  # whose tokens these are
    hidden: tuple[Hidden, ...] = ()  # in the real text; empty where the two cannot be laid beside each other
    counts: tuple[KindCount, ...] = ()
    enabled: bool = True


class Revealed(Struct, frozen=True):
    """The value behind a token, for a person's eyes; that they looked is in the audit."""

    token: str
    kind: str
    value: str
    sources: tuple[str, ...] = ()
    came: tuple[Place, ...] = ()
    went: tuple[Place, ...] = ()
    times: int = 0


class TriedSpan(Struct, frozen=True):
    """What the detector found in a text that a person tries it on."""

    start: int
    end: int
    kind: str
    why: str = ""


class Trial(Struct, frozen=True):
    """What the detector makes of a text; nothing of it is kept."""

    spans: tuple[TriedSpan, ...] = ()
    masked: str = ""
    ms: float = 0.0
    is_json: bool = False  # read with its keys


class PrivacyMark(Struct, frozen=True):
    """What somebody said of personal data for good: it hides something wherever it stands, or lets it pass."""

    hide: bool
    what: str  # value, pattern or key
    text: str
    kind: str = ""  # of what it hides
    source: str = "you"  # or "project", which can only hide
    made: float = 0.0
    id: str = ""  # the same for the same words


class KindRule(Struct, frozen=True):
    """How one kind of personal data is looked for."""

    kind: str
    plural: str  # as it stands in sentences
    on: bool = True
    threshold: float = 0.0  # from which score on it counts in prose; 0: nothing of it is scored


class PrivacyRules(Struct, frozen=True):
    """All that a person may change about what is hidden."""

    marks: tuple[PrivacyMark, ...] = ()
    kinds: tuple[KindRule, ...] = ()
    enabled: bool = True
    recall_first: bool = False
    keep_days: int = 0  # that values are kept beyond the core; 0: in memory only
    notices: tuple[Fault, ...] = ()


class SecretInfo(Struct, frozen=True):
    """One secret that is stored, or that a server refers to."""

    name: str
    stored: bool
    servers: tuple[str, ...] = ()  # whose entries in `.mcp.json` refer to it
    signed_in: str = ""  # set when it is what a sign-in brought for this server, not something a person typed


class SecretStore(Struct, frozen=True):
    """Where secrets are kept on this machine, and which there are."""

    kind: str  # keyring, file, memory, locked; empty while nobody needed it
    sentence: str
    hint: str = ""
    passphrase: str = ""  # what a passphrase would do now: "create" a file, "unlock" one, or "" nothing
    secrets: tuple[SecretInfo, ...] = ()
