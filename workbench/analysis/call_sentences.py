"""Says in one sentence what a tool call does: who gets what, where it comes from, and how often.

    Mails customer data (demo.list_customers, line 8) to addresses taken from outsiders' text (demo.read_mail, line 5)
    through demo.send_email, once per inbox entry

Verb and object come from the tool's name, or from its title if the name says nothing; the target from arguments that
say where something goes; constants from the program's text, cut and made visible. Nothing of what the author claims is
part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct, structs

from workbench.analysis.data_flow.argument_sources import Repetition, SinkCall
from workbench.analysis.data_flow.held_data import NO_SOURCES, CallSource
from workbench.analysis.interpreter.effects import host
from workbench.analysis.interpreter.path_places import PathPlace, place
from workbench.analysis.interpreter.tool_calls import argument_values, constant_texts, describe_doubt, noted_texts
from workbench.analysis.interpreter.values import HOLE, Arguments, Value, text_of
from workbench.analysis.sql_statements import SqlClass, SqlEffect, describe_sql
from workbench.analysis.visible_text import named, quoted, shorten
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import facts_of, reaches_new_recipient
from workbench.permissions.word_sets import names
from workbench.records import Risk, Tool, ToolGroup
from workbench.records.common_types import count_of

MOST_SOURCES: Final = 2  # named sources of one part of a sentence; the rest is counted
MOST_CONSTANTS: Final = 3
MOST_INNER: Final = 40  # constants inside a display that are looked at
MOST_WORDS: Final = 6  # of a tool's name
LONG: Final = 200  # characters of a sentence that names no fields of data any more
SHORT: Final = 30  # characters of a constant that is named with its role
MOST_DEPTH: Final = 16  # words of keys that lead to one
_MORE_VERBS = names(
    """navigate click type fill press hover drag select commit checkout clone fork label star unstar apply deploy scale
    restart patch install approve reject lock unlock mute pin unpin react schedule reschedule import export sync
    draft mark complete finish pause resume trigger dispatch broadcast call dial text replace modify change register
    subscribe unsubscribe follow block join leave kick ban evaluate launch duplicate transition link unlink attach
    detach upsert save store sign buy purchase order charge withdraw trade archive restore trash rotate grant
    protect unprotect play retry hover take unapprove rebase resize crawl scrape"""
)
_VERBS: Final = tool_verbs.READING | tool_verbs.DESTROYING | tool_verbs.SENDING | tool_verbs.CHANGING | _MORE_VERBS
_NOUNS: Final = names(
    """mail email message comment order reply post share text call label page tab branch commit file invite star
    link query list search book archive transfer charge trade type"""
)  # count as verbs only at the start of a name, or if it has no other verb
_FILLERS: Final = names("api mcp tool kubectl the a an by for from to in of with and v")
_MAILS: Final = names("email mail mails emails")
_MESSAGES: Final = _MAILS | names("message messages sms mms tweet")
_SPECIAL: Final = {
    "email": "Mails",
    "mail": "Mails",
    "reply": "Replies",
    "cancel": "Cancels",
    "apply": "Applies",
    "append to": "Appends to",
}
_ADDRESS_ARGUMENTS: Final = names(
    """to cc bcc recipient recipients email emails participants attendees guests with_email to_address address url uri
    webhook host target share_with phone link href endpoint"""
)
_PLACE_ARGUMENTS: Final = names(
    """channel channel_id channels room topic chat_id chat thread repo repository owner project project_id domain
    destination database calendar calendar_id workspace_id repo_path folder board list_id site bucket cluster namespace
    new_path dst table_name account iban user username"""
)
_PATH_ARGUMENTS: Final = names("path paths file files filename file_path filepath source src dst destination new_path")
_IDENTIFIERS: Final = names("id ids sid iid uid gid uuid key keys slug ref path paths line row")
_PRIVATE_KEY: Final = re.compile(r"(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key|ppk|p12|pfx)$", re.IGNORECASE)
_ID: Final = re.compile(r"[A-Za-z]{1,10}_[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*")  # "pi_3Abc", whatever its argument
_WRITING: Final = names("write save store put append")
_FILES: Final = names("file files directory folder image document")
_NAMES: Final = frozenset({"name", "names"})
_CONTENT_PATHS: Final = names("path file filename file_path filepath")
_IDENTITY: Final = names(
    """id ids sid iid uid gid key keys number path paths file files filename filepath branch sha ref tag slug uuid name
    names line row"""
)
_TITLES: Final = names("subject title summary name headline")
# Arguments of sending tools that say what a recipient gets beside a text, or where answers go.
_GIVEN: Final = names(
    "attachment attachments file files reply role permission permissions access visibility amount price"
)
_CONTENT: Final = names(
    """body text message content contents html markdown description comment note notes data query q prompt value values
    fields payload json csv rows blocks caption reason details"""
)
_SQL: Final = names("sql query queries statement statements")
_MAYBE_SQL: Final = names("query queries statement statements")  # may be words to search for
_DATABASES: Final = names(
    "sql sqlite postgres postgresql mysql mariadb duckdb bigquery snowflake database db clickhouse"
)
_LIMITS: Final = names("limit max count n top first per_page page_size max_results top_k num_results size")
_PAYING: Final = names("refund transfer payout pay payment charge withdraw")
_MONEY: Final = names("amount unit_amount price unit_price total charge_amount")  # with a unit, if the schema has one
_UNITS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), unit)
    for pattern, unit in (
        (r"\b(?:smallest|minor)(?: currency)? units?\b", "in the currency's smallest unit"),
        (r"^(?!.*\b(?:dollars|euros)\b).*\bcents?\b", "in cents"),
        (r"^(?!.*\bcents?\b).*\b(?:in|as) (?:us )?(?:dollars|usd)\b", "in dollars"),
        (r"^(?!.*\bcents?\b).*\b(?:in|as) (?:euros?|eur)\b", "in euros"),
    )
)
_OVERWRITES: Final = re.compile(
    r"\b(?:overwrit(?:e|es|ing)|replac(?:e|es|ing)) (?:(?:an?|any|the|all|its|existing|current) )*"
    r"(?:files?|contents?|existing)\b",
    re.IGNORECASE,
)
NO_UNIT: Final = "unit not stated"
_WRAPPERS: Final = names("items results result data rows records entries content contents value values list response")
MOST_FIELDS: Final = 2  # named fields of an answer; more are counted
_LONGEST_DESCRIPTION: Final = 2_000  # characters that are looked at
_FLAGS: Final = names("force recursive overwrite hard permanent permanently purge all public delete_branch mirror")
_KINDS: Final = names("kind type resource_type object_type entity_type item_type")
_VAGUE: Final = names("resource resources object objects item items entity entities")  # nouns that a kind replaces
_AMOUNTS: Final = names(
    "amount quantity qty price total currency replicas unit_amount amount_cents duration minutes seats units"
)
_LABELLED: Final = names(
    """namespace database cluster bucket workspace project board calendar list site folder topic room channel chat
    thread account username user"""
)  # places whose values do not say what they are
_MAKING: Final = names("create add make new open book start schedule generate")
_PHONES: Final = names("phone phones mobile tel sms whatsapp twilio")
_PARENTS: Final = names("parent parent_id parent_page_id parent_block_id parent_folder_id")
_HTTP: Final = {"post": "create", "patch": "change", "put": "write"}  # verbs of tools made of a web API
_SECRETS: Final = names("password passwd passphrase secret token apikey authorization credential credentials")


class SourceFacts(Struct, frozen=True):
    """What a sentence says about the answer of a call."""

    tool: Tool
    private: bool
    untrusted: bool
    limit: int | None = None  # the most rows that the call asks for
    path: str = ""  # the file or page that it reads, if that is constant
    object_id: str = ""  # what it reads one object by, if that is constant
    place: str = ""  # the channel, repository or so that it reads from, if that is constant


class CallText(Struct, frozen=True):
    """A call in one sentence, with the answers that the sentence names."""

    text: str
    sources: frozenset[tuple[str, int]] = frozenset()  # "server.tool" and line
    sql: SqlClass | None = None  # the worst that its SQL does, if the sentence says so
    sends: bool = False  # it only reads, but sends private data with its request
    secret: bool = False  # it passes a private key or another secret file to another server


class _Argument(Struct, frozen=True):
    """One argument: its constant values, if known, and the answers it is made of."""

    name: str  # in lower case with underscores, whatever the spelling of the server
    texts: tuple[str, ...]  # constant texts; HOLE marks unknown parts
    sources: tuple[CallSource, ...] = ()
    open: bool = False  # it may have other values as well
    looped: bool = False  # each turn of a loop passes one of the texts
    unit: str = ""  # of an amount of money, if the tool's schema says it: "in cents"
    fields: tuple[CallSource, ...] = ()  # its sources, each with the field that it certainly is; several of one call
    plain: bool = False  # it is such a field as it is

    @property
    def name_words(self) -> frozenset[str]:
        return frozenset(self.name.split("_"))

    @property
    def is_place(self) -> bool:
        return self.name in _ADDRESS_ARGUMENTS or self.name in _PLACE_ARGUMENTS or self.name in _PARENTS

    @property
    def noun(self) -> str:
        """What its value is, to judge by its name: "payment intent", "customer"; empty if the name says nothing."""
        words = self.name.removeprefix("new_").split("_")
        while len(words) > 1 and words[-1] in _IDENTIFIERS:
            words = words[:-1]
        return (
            ""
            if words in (["name"], ["names"], ["number"]) or words[-1] in _IDENTIFIERS
            else shorten(" ".join(words), 30)
        )

    @property
    def labelled(self) -> str:
        """The constant with what it is, unless that is clear: "namespace shop"."""
        noun = self.noun
        clear = noun not in _LABELLED or any(not text[:1].isalnum() for text in self.texts)
        return self.constant if clear else f"{noun} {self.constant}"

    @property
    def is_whole(self) -> bool:
        """Whether every part of it is constant."""
        return bool(self.texts) and not self.open and not any(HOLE in text for text in self.texts)

    @property
    def constant(self) -> str:
        """The known values, as they are shown; empty if nothing is known."""
        shown = [named(text) for text in self.texts if text.strip(HOLE)]
        if not shown:
            return ""
        if (left := len(shown) - MOST_CONSTANTS) > 1:
            shown = [*shown[:MOST_CONSTANTS], f"{left} more"]
        if self.open:
            shown.append("another value")
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {'and' if self.looped else 'or'} {shown[-1]}"


class CallDescriber:
    """Makes the sentences about the calls of one program."""

    def __init__(self, sources: Mapping[CallSource, SourceFacts]) -> None:
        self._sources = sources

    def data_of(self, sources: Iterable[CallSource]) -> str:
        """Return what answers hold: "order data (demo.list_orders, line 1)"."""
        ordered = tuple(sorted(sources, key=lambda one: (one.line, one.name)))
        return _Writer(self._sources, many=False).data([_Argument("", (), ordered)])

    def describe(
        self,
        tool: Tool,
        given: Arguments,
        texts: Mapping[str, Iterable[str]],
        sink: SinkCall | None,
        looped: bool,
        once: bool = False,
    ) -> CallText:
        """Return the sentence. `texts`: the constant texts of each argument. `looped`: called in a loop, or maybe.
        `once`: certainly not called twice."""
        many = looped or bool(sink is not None and sink.loops)
        arguments = _arguments(tool, given, texts, sink)
        writer = _Writer(self._sources, many, sink, once and not many)
        found = self._describe(tool, given, arguments, sink, looped, writer)
        if len(found.text) <= LONG:
            return found
        writer = _Writer(self._sources, many, sink, once and not many, names_fields=False)
        return self._describe(tool, given, arguments, sink, looped, writer)

    def _describe(
        self,
        tool: Tool,
        given: Arguments,
        arguments: list[_Argument],
        sink: SinkCall | None,
        looped: bool,
        writer: _Writer,
    ) -> CallText:
        facts = facts_of(tool)
        effects = _sql_of(tool, arguments)
        sends = False
        if facts.contradicts:
            text = ""
        elif effects:
            text = "; ".join([effects[0].text, *(f"{one.text[:1].lower()}{one.text[1:]}" for one in effects[1:])])
            text += writer.with_data(arguments)
        elif _only_reads(tool):
            text = _request_with_data(tool, arguments, writer)
            sends = bool(text)
            text = text or _reading(tool, arguments)
            if not text:
                return CallText(f"Reads with {tool.server}.{tool.name}{describe_doubt(tool)}")
        else:
            reads = action_of(tool)[0] in tool_verbs.READING and not facts.sends
            text = (_reading(tool, arguments) if reads else "") or _acting(tool, arguments, writer)
        counted = _is_counted(arguments, sink) or (_only_reads(tool) and not sends)
        often = "" if counted else _often(sink, looped, writer)
        read = bool(effects) and all(one.kind is not SqlClass.UNKNOWN for one in effects)
        often += "" if _only_reads(tool) else _unknown_facts(tool, given, arguments)
        text = self._complete(tool, text, arguments, writer, often, read)
        secret = writer.holds_secret(tool, arguments)
        return CallText(text, frozenset(writer.cited), effects[0].kind if effects else None, sends, secret)

    def _complete(
        self, tool: Tool, text: str, arguments: Sequence[_Argument], writer: _Writer, often: str, read: bool
    ) -> str:
        """Return the sentence with the tool, how often it is called, and what is unknown. `read`: its SQL says it."""
        name, facts = f"{tool.server}.{tool.name}", facts_of(tool)
        if text:
            return f"{text} through {name}{often}{'' if read else describe_doubt(tool)}"
        told = f"Calls {name}{_listed(arguments)}{writer.with_data(arguments)}{often}"
        if facts.contradicts:
            return f"{told}, which claims to read only but whose name says otherwise"
        return f"{told}{describe_doubt(tool) or ', which may change data'}"


def _only_reads(tool: Tool) -> bool:
    """Return whether a tool reads, to judge by what is known of it, even if that is not decided."""
    facts = facts_of(tool)
    return not facts.sends and (facts.risk is Risk.LOW or (facts.unverified and tool.group is ToolGroup.READS))


class _Writer:
    """Names sources in one sentence: the first time with tool and line, then by the line alone."""

    def __init__(
        self,
        facts: Mapping[CallSource, SourceFacts],
        many: bool,
        sink: SinkCall | None = None,
        once: bool = False,
        *,
        names_fields: bool = True,
    ) -> None:
        """`sink`: the call, if its arguments were followed. `once`: it is certainly made once at most. `names_fields`:
        of the data that is passed on."""
        self.facts, self.many, self.once, self.names_fields = facts, many, once, names_fields
        loops = sink.loops if sink is not None else ()
        self.selects = sink is not None and sink.selective
        self.every = loops[0].over if len(loops) == 1 and loops[0].every and not self.selects else NO_SOURCES
        self.cited: dict[tuple[str, int], None] = {}

    def data(self, arguments: Iterable[_Argument]) -> str:
        """Return the data that arguments hold: "customer data (demo.list_customers, line 8)"."""
        texts_first = sorted(arguments, key=lambda one: one.name in _TITLES)
        ordered = list(dict.fromkeys(source for one in texts_first for source in one.sources))
        ordered.sort(key=lambda one: not self.facts[one].private)
        fields = [field for one in texts_first for field in one.fields]
        shown = [f"{self._noun(one, fields)} {self.place(one)}" for one in ordered[:MOST_SOURCES]]
        if (left := len(ordered) - len(shown)) > 0:
            for one in ordered[MOST_SOURCES:]:
                self.cited[one.name, one.line] = None
            lines = ", ".join(str(one.line) for one in ordered[MOST_SOURCES:])
            shown.append(f"{count_of(left, 'more answer')} (line{'s' * (left > 1)} {lines})")
        return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

    def holds_secret(self, tool: Tool, arguments: Iterable[_Argument]) -> bool:
        """Return whether a call passes a secret file of another server on to where others may see it."""
        facts = facts_of(tool)
        return (facts.sends or facts.reaches_outside) and any(
            source.server != tool.server and place(self.facts[source].path) is PathPlace.SENSITIVE
            for one in arguments
            for source in one.sources
        )

    def with_data(self, arguments: Iterable[_Argument], word: str = "with") -> str:
        told = self.data(arguments)
        return f" {word} {told}" if told else ""

    def origin(self, argument: _Argument) -> str:
        """Return where a target comes from, outsiders' text first: "outsiders' text (demo.read_mail, line 5)"."""
        ordered = sorted(argument.sources, key=lambda one: (not self.facts[one].untrusted, one.line))
        told = []
        for one in ordered[:MOST_SOURCES]:
            names = self._field_names(one, argument.fields)
            noun = f"{names} of outsiders' text" if names else "outsiders' text"
            noun = noun if self.facts[one].untrusted else self._noun(one, argument.fields)
            told.append(f"{noun} {self.place(one)}")
        return " or ".join(told)

    def own_field(self, argument: _Argument) -> str:
        """Return a target that is one field as it is: "the “email” of customer C-3 (demo.get_customer, line 2)"."""
        source = argument.sources[0]
        names = self._field_names(source, argument.fields)
        outsiders = self.facts[source].untrusted
        whose = f"{names} of outsiders' text" if outsiders else self._noun(source, argument.fields, always=True)
        return f"{whose} {self.place(source)}" if names and names in whose else ""

    def place(self, source: CallSource) -> str:
        known = (source.name, source.line) in self.cited
        self.cited[source.name, source.line] = None
        return f"(line {source.line})" if known or self.facts[source].path else f"({source.name}, line {source.line})"

    def _field_names(self, source: CallSource, fields: Iterable[CallSource]) -> str:
        """Return the fields of an answer that are all that is used of it: "the “email”"; empty if unknown."""
        found = sorted({one.field for one in fields if one.call == source})
        noun = object_of(self.facts[source].tool).split()
        wholes = {*_WRAPPERS, *noun, *map(_plural, noun[-1:])}
        if not found or "" in found or not wholes.isdisjoint(found):
            return ""
        if len(found) > MOST_FIELDS:
            return f"{len(found)} fields"
        return f"the {' and '.join(quoted(one, SHORT) for one in found)}"

    def _noun(self, source: CallSource, fields: Iterable[CallSource] = (), *, always: bool = False) -> str:
        """Return the data of an answer, with its fields if nothing else of it is used. `always`: however long."""
        noun, names = self._whole_noun(source), self._field_names(source, fields)
        if not names or self.facts[source].path or not (always or self.names_fields):
            return noun
        if noun == "data":
            return f"{names} of the answer"
        if noun.startswith("data of "):
            return f"{names} of {noun.removeprefix('data of ')}"
        tool = self.facts[source].tool
        listed = object_of(tool) if action_of(tool)[0] in ("list", "search", "query", "find") else ""
        if listed and noun == f"{_singular(listed)} data":
            return f"{names} of {listed if _is_plural(listed) else f'{listed} entries'}"
        return f"{names} in {noun}"

    def _whole_noun(self, source: CallSource) -> str:
        facts = self.facts[source]
        if facts.path:
            what = "private key" if _PRIVATE_KEY.search(facts.path) else "content of"
            return f"the {what} {named(facts.path)}"
        if facts.untrusted and not facts.private:
            return "outsiders' text"
        noun = object_of(facts.tool)
        if not noun:
            return "data"
        if facts.object_id:
            return f"data of {_singular(noun)} {facts.object_id}"
        if facts.place.startswith(f"{noun.split()[0]} "):  # "channel history" of "channel C9HR"
            noun = noun.partition(" ")[2] or noun
        if facts.limit is not None and _is_plural(noun):
            found = f"data of up to {facts.limit:,} {noun}" if facts.limit != 1 else f"data of 1 {_singular(noun)}"
        else:
            found = noun if facts.place else f"{_singular(noun)} data"
        return f"{found} of {facts.place}" if facts.place else found


# ── Arguments ───────────────────────────────────────────────────────────────────────────────────────────
def _arguments(
    tool: Tool, given: Arguments, texts: Mapping[str, Iterable[str]], sink: SinkCall | None
) -> list[_Argument]:
    """Return the arguments that say something: a constant, an answer, or where something goes."""
    held, values = sink.arguments if sink is not None else {}, argument_values(tool, given)
    looped = sink is not None and bool(sink.loops)
    found = []
    for name in dict.fromkeys((*values, *held)):
        words = tool_verbs.name_words(name)
        noted = [text if text.strip(HOLE) else HOLE for text in texts.get(name, ())]
        constants = () if _SECRETS.intersection(words) else tuple(text for text in noted if text != HOLE)
        sources = sorted(held.get(name, ()), key=lambda one: (one.line, one.name))
        more = HOLE in noted or (name in values and HOLE in constant_texts(values[name]))
        unit = _unit(tool, name) if "_".join(words) in _MONEY else ""
        fields = tuple(sink.fields.get(name, ())) if sink is not None else ()
        plain = sink is not None and name in sink.plain and len(sources) == 1 and not constants
        one = _Argument("_".join(words), constants, tuple(sources), more and not sources, looped, unit, fields, plain)
        if not name.startswith("**") and (constants or sources or one.is_place):
            found.append(one)
        if name in values and not one.texts:
            found += _inner_arguments(values[name], one)
    return found


def _unit(tool: Tool, name: str) -> str:
    """Return the unit of an amount of money, as the schema describes it; that it has none, if the tool moves money."""
    fields = tool.input_schema.get("properties")
    field = fields.get(name) if isinstance(fields, Mapping) else None
    described = field.get("description") if isinstance(field, Mapping) else None
    text = described[:_LONGEST_DESCRIPTION] if isinstance(described, str) else ""
    no_unit = "" if _PAYING.isdisjoint(tool_verbs.name_words(tool.name)) else NO_UNIT
    return next((unit for pattern, unit in _UNITS if pattern.search(text)), no_unit)


def _inner_arguments(value: Value, outer: _Argument) -> list[_Argument]:
    """Return what the entries of a dict display say: the title among its fields, the id of a parent."""
    leaves = list(islice(_leaves(value, ()), MOST_INNER))
    if outer.name in _PARENTS:
        texts = tuple(text for path, text in leaves if not {"id", "key", "name"}.isdisjoint(path))
        kind = next((word for path, _ in leaves for word in path if f"parent_{word}_id" in _PARENTS), "")
        return [_Argument(f"parent_{kind}_id" if kind else outer.name, texts[:1])] if texts else []
    title = next((text for path, text in leaves if not _TITLES.isdisjoint(path)), "")
    return [_Argument("title", (title,))] if title else []


def _leaves(value: Value, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the constant texts inside displays with the words of the keys that lead to them."""
    if len(path) > MOST_DEPTH or value.items is None:
        text = text_of(value)
        if text.strip(HOLE + " "):
            yield path, text
        return
    for number, item in enumerate(value.items):
        keys = value.keys
        key = text_of(keys[number]) if keys is not None and number < len(keys) else ""
        yield from _leaves(item, (*path, *tool_verbs.name_words(key)))


def _sql_of(tool: Tool, arguments: Sequence[_Argument]) -> list[SqlEffect]:
    """Return what the statements in the arguments do, worst first. A query that is no SQL is none."""
    found: list[SqlEffect] = []
    for one in arguments:
        if one.name in _SQL:
            effects = [effect for text in one.texts for effect in describe_sql(text)]
            certain = one.name not in _MAYBE_SQL or not _DATABASES.isdisjoint(
                (*tool_verbs.name_words(tool.name), *tool_verbs.name_words(tool.server))
            )
            if certain and (one.open or not effects):
                effects.append(SqlEffect("Runs SQL that is known only at run time", SqlClass.UNKNOWN))
            if certain or all(effect.kind is not SqlClass.UNKNOWN for effect in effects):
                found += effects
    return sorted(dict.fromkeys(found), key=lambda one: -one.kind)


def _unknown_facts(tool: Tool, given: Arguments, arguments: Sequence[_Argument]) -> str:
    """Return what a reader needs to know and the text does not determine, such as an amount."""
    told = {one.name for one in arguments if one.constant or one.sources}
    values = {"_".join(tool_verbs.name_words(name)) for name in argument_values(tool, given)}
    fields = tool.input_schema.get("properties")
    moves = not _PAYING.isdisjoint(tool_verbs.name_words(tool.name))
    unstated = (
        moves and isinstance(fields, Mapping) and "amount" in fields and "amount" not in values and given.loose is None
    )
    missing = [name for name in ("amount", "quantity", "price", "title", "subject") if name in values - told]
    text = f", {' and '.join(missing)} known only while it runs" if missing else ""
    text += ", without an amount (perhaps all of it)" if unstated else ""
    open_ended = given.loose is not None or "**" in given.named
    return f"{text}, with more arguments known only while it runs" if open_ended else text


def _is_counted(arguments: Sequence[_Argument], sink: SinkCall | None) -> bool:
    """Return whether the constants of an argument say how often a call is made: one of them in each turn."""
    if sink is None or len(sink.loops) != 1 or sink.conditional:
        return False
    return any(sink.loops[0].times == len(one.texts) > 1 and one.is_whole for one in arguments)


def limit_of(given: Arguments) -> int | None:
    """Return the constant number of rows that a call asks for."""
    for name, value in given.by_name():
        if name in _LIMITS and type(value.const) is int and value.const > 0:
            return value.const
    return None


def objects_of(tool: Tool, given: Arguments) -> tuple[str, str]:
    """Return the constants that say which object a call reads, and where."""
    arguments = [one for one in _arguments(tool, given, noted_texts(tool, (given,)), None) if one.is_whole]
    ids = [one for one in arguments if not one.is_place and not one.name_words.isdisjoint(_IDENTITY)]
    return (ids[0].constant if len(ids) == 1 else ""), " in ".join(_places([one for one in arguments if one.is_place]))


def path_of(tool: Tool, given: Arguments) -> str:
    """Return the constant path or address that a call reads the content of."""
    if action_of(tool)[0] not in ("read", "get", "fetch", "open", "download", "load", "show"):
        return ""
    for name, value in argument_values(tool, given).items():
        if "_".join(tool_verbs.name_words(name)) in _CONTENT_PATHS or tool_verbs.names_address(name):
            text = text_of(value)
            return "" if HOLE in text else text
    return ""


# ── Verb and object ─────────────────────────────────────────────────────────────────────────────────────
def action_of(tool: Tool) -> tuple[str, tuple[str, ...]]:
    """Return the verb and the words of the object of a tool's name; of its title if the name has no verb."""
    for text in (tool.name, tool.title):
        words = [word for word in tool_verbs.name_words(text) if not word.isdigit() and word not in _FILLERS]
        server = set(tool_verbs.name_words(tool.server))
        while len(words) > 1 and words[0] in server and words[0] not in _VERBS:
            words = words[1:]
        place = next((at for at, word in enumerate(words) if word in _VERBS and word not in _NOUNS), None)
        if place is None:
            place = next((at for at, word in enumerate(words) if word in _VERBS), None)
        if place is not None:
            return words[place], tuple(words[place + 1 :] or words[:place])[:MOST_WORDS]
    return "", ()


def object_of(tool: Tool) -> str:
    """Return the object of a tool's name: `list_open_issues` → "open issues"."""
    _, words = action_of(tool)
    return shorten(" ".join("e-mail" if word == "email" else word for word in words), 40)


def _third_person(verb: str) -> str:
    verbs = [_SPECIAL.get(one, "").lower() or tool_verbs.third_person(one) for one in verb.split(" or ")]
    return " or ".join(verbs).capitalize()


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is", "news", "status"))


def _singular(noun: str) -> str:
    if not _is_plural(noun):
        return noun
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith(("sses", "shes", "ches", "xes")) else noun[:-1]


def _plural(noun: str) -> str:
    if not noun[-1:].isalpha() or _is_plural(noun):
        return noun
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "sh", "ch")) else f"{noun}s"


# ── What a call does ────────────────────────────────────────────────────────────────────────────────────
def _acting(tool: Tool, arguments: Sequence[_Argument], writer: _Writer) -> str:
    """Return what a tool that changes or sends something does; empty if its name has no verb."""
    verb, words = action_of(tool)
    if not verb:
        return ""
    if words[:1] == ("or",) and len(words) > 1 and words[1] in _VERBS:
        verb, words = f"{verb} or {words[1]}", words[2:]
    if kind := _kind(words, tool, arguments):
        arguments = [one for one in arguments if one is not kind]
        words = (named(kind.texts[0]),)
    if verb in _MAKING and not _MESSAGES.isdisjoint(words):
        verb = "send"
    if verb in _WRITING and not _FILES.isdisjoint(words):
        verb = _writing(tool, arguments, verb)
        arguments = [one for one in arguments if verb != "append to" or one.name != "append"]
    if tool_verbs.name_words(tool.name)[0] == "api" and verb in _HTTP:
        verb = _HTTP[verb]
    if not _PHONES.isdisjoint((*tool_verbs.name_words(tool.server), *words)):
        arguments = [structs.replace(one, name="phone") if one.name == "to" else one for one in arguments]
        arguments = [one for one in arguments if one.name != "from"]
    sends = verb in tool_verbs.SENDING or verb in ("broadcast", "dial", "dispatch") or not _MESSAGES.isdisjoint(words)
    targets = [one for one in arguments if one.is_place and (sends or one.noun != " ".join(words))]
    ids = [one for one in arguments if one not in targets and (one.is_place or _identifies(one, words))]
    content = [one for one in arguments if one not in targets and one not in ids]
    if not sends and writer.holds_secret(tool, arguments):
        return _passing_on(tool.server, words, targets, ids, content, writer)
    return (_sending if sends else _changing)(verb, words, targets, ids, content, writer)


def _writing(tool: Tool, arguments: Sequence[_Argument], verb: str) -> str:
    """Return what writing a file does to one that exists. A description is only believed if it says the worse."""
    fields = tool.input_schema.get("properties")
    can_append = isinstance(fields, Mapping) and "append" in fields
    appends = can_append and any(one.name == "append" and one.is_whole and one.texts == ("True",) for one in arguments)
    if verb == "append" or appends:
        return "append to"
    return "create or overwrite" if _OVERWRITES.search(tool.description[:_LONGEST_DESCRIPTION]) else verb


def _kind(words: Sequence[str], tool: Tool, arguments: Sequence[_Argument]) -> _Argument | None:
    """Return the argument that says what kind of object is meant, if the name of the tool does not."""
    name = tool_verbs.name_words(tool.name)
    after = name[-1:] != words[-1:]  # the verb is the last word: `kubectl_delete`
    if words and not after and _VAGUE.isdisjoint(words):
        return None
    return next((one for one in arguments if one.name in _KINDS and one.is_whole and len(one.texts) == 1), None)


def _identifies(argument: _Argument, words: Sequence[str]) -> bool:
    """Return whether an argument says which object is meant."""
    if argument.name in _CONTENT or (argument.name in _TITLES and argument.name != "name"):
        return False
    if argument.name in words or argument.name in _PATH_ARGUMENTS or not argument.name_words.isdisjoint(_IDENTITY):
        return True
    return argument.is_whole and all(_ID.fullmatch(text) for text in argument.texts)


def _sending(
    verb: str,
    words: Sequence[str],
    targets: Sequence[_Argument],
    ids: Sequence[_Argument],
    content: Sequence[_Argument],
    writer: _Writer,
) -> str:
    mails = verb in _MAILS or not _MAILS.isdisjoint(words)
    head = "Mails" if mails else _third_person(verb)
    noun = "" if mails else _object(words)
    data = writer.data([*content, *ids])
    title = _title([one for one in content if one.is_whole or not data])
    where = _target(targets, writer)
    more = _sent_with(content)
    if data:
        subject = f" ({_titled(content, ())})".replace("(with ", "(").replace("(titled ", "(title ") if title else ""
        kind = f" as {noun}" if noun else ""
        held = [writer.facts[source] for one in (*content, *ids) for source in one.sources]
        several = any(facts.limit is not None and facts.limit > 1 for facts in held)
        together = " in one mail" if mails and writer.once and several else ""
        return f"{head} {data}{kind}{subject}{f' to {where}' if where else ''}{together}{more}"
    if mails and where:
        return f"{head} {title} to {where}{more}" if title else f"{head} {where}{more}"
    ids, around = _own_ids(ids, words)
    what = " ".join(filter(None, (noun or ("e-mail" if mails else ""), _constants(ids), title, _belonging(around))))
    return f"{head} {what}{f' to {where}' if where else ''}".rstrip() + more


def _passing_on(
    server: str,
    words: Sequence[str],
    targets: Sequence[_Argument],
    ids: Sequence[_Argument],
    content: Sequence[_Argument],
    writer: _Writer,
) -> str:
    """Return that a tool that only stores something gets a secret: "Sends the private key … to acme/shop as file k"."""
    branch = next((one for one in ids if one.name == "branch" and one.constant), None)
    ids = [one for one in ids if one is not branch]
    where = (_target(targets, writer) or server) + (f" (branch {branch.constant})" if branch is not None else "")
    name = " ".join(filter(None, (_object(words), _constants(ids))))
    return f"Sends {writer.data([*content, *ids])} to {where}{f' as {name}' if name else ''}"


def _changing(
    verb: str,
    words: Sequence[str],
    targets: Sequence[_Argument],
    ids: Sequence[_Argument],
    content: Sequence[_Argument],
    writer: _Writer,
) -> str:
    chosen = [one for one in ids if one.sources]
    noun = _object(words)
    files = [one for one in ids if one.name in _CONTENT_PATHS and one.constant]
    files = files if len(files) == 1 < len(ids) and _FILES.isdisjoint(words) else []  # what is meant is in the file
    ids = [one for one in ids if one not in files]
    several = (chosen and writer.many) or any(len(one.texts) > 1 and one.looped for one in ids)
    owners = [one for one in ids if _is_owner(verb, words, one)]
    ids, around = _own_ids([one for one in ids if one not in owners], words)
    content = [*content, *(one for one in around if one.name_words & _NAMES)]
    around = [one for one in around if not one.name_words & _NAMES]
    branch = next((one for one in ids if one.name == "branch" and "branch" not in words and one.constant), None)
    ids = [one for one in ids if one is not branch]
    head, noun = _third_person(verb), _plural(noun) if several else noun
    listed = list(dict.fromkeys(source for one in chosen for source in one.sources))
    every = several and _is_every(chosen, words, writer)
    if every:
        noun = f"all {noun}"
    elif several and _is_listed(listed, words, writer) and (limit := writer.facts[listed[0]].limit):
        noun = f"up to {limit:,} {noun}{' that the program selects' if writer.selects else ''}"
    elif chosen and not several and noun and not _is_plural(noun) and not _constants(ids):
        noun = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    new = [one for one in content if one.sources]
    title = _titled(content, words)
    last = title if chosen and not new and title.startswith("with") else ""  # else the text would be what is chosen
    parts = [head, noun, _constants(ids), "" if new or last else title]
    parts += [_belonging(around), _amount(content)]
    if owners:
        parts.append("for " + " and ".join(f"{one.noun} {one.constant}" for one in owners[:MOST_CONSTANTS]))
    if chosen:
        parts += [_choice(chosen, words, several, writer), last]
    if above := [one for one in targets if one.name in _PARENTS and one.constant]:
        parts.append(f"below {above[0].noun.removeprefix('parent').strip()} {above[0].constant}".replace("  ", " "))
    targets = [one for one in targets if one.name not in _PARENTS]
    if where := _target(targets, writer):
        parts.append(f"{'to' if verb in ('move', 'copy', 'rename', 'navigate', 'transfer') else 'in'} {where}")
    if files:
        parts.append(f"in {_constants(files)}")
    if branch is not None:
        parts.append(f"(branch {branch.constant})")
    new = [one for one in content if any((source.name, source.line) not in writer.cited for source in one.sources)]
    text = " ".join(filter(None, parts)) + writer.with_data(new)
    text += f", {title}" if title and any(one.sources for one in content) else ""
    flags = [one.name.replace("_", " ") for one in content if one.name in _FLAGS and one.texts == ("True",)]
    return f"{text} ({', '.join(flags)})" if flags else text


def _choice(chosen: Sequence[_Argument], words: Sequence[str], several: bool, writer: _Writer) -> str:
    """Return which objects are meant: "chosen from outsiders' text (demo.read_mail, line 2)"."""
    sources = list(dict.fromkeys(source for one in chosen for source in one.sources))
    if any(writer.facts[one].untrusted for one in sources):
        found = [structs.replace(one, sources=tuple(sources)) for one in chosen[:1]]
        return f"chosen from {writer.origin(found[0])}"
    if several and _is_every(chosen, words, writer):
        limit = writer.facts[sources[0]].limit
        return f"of the list{f', up to {limit:,}' if limit else ''} {writer.place(sources[0])}"
    if several and _is_listed(sources, words, writer):
        return f"from the list {writer.place(sources[0])}"
    return f"chosen from {writer.data(chosen)}"


def _is_listed(sources: Sequence[CallSource], words: Sequence[str], writer: _Writer) -> bool:
    """Return whether an answer lists objects of the kind that is changed."""
    listed = object_of(writer.facts[sources[0]].tool) if len(sources) == 1 else ""
    return bool(listed) and _singular(listed) == _singular(_object(words))


def _is_every(chosen: Sequence[_Argument], words: Sequence[str], writer: _Writer) -> bool:
    """Return whether a loop over a list changes each of its entries: one id of each is passed as it is."""
    sources = list(dict.fromkeys(source for one in chosen for source in one.sources))
    plain = len(chosen) == 1 and chosen[0].plain and set(sources) == writer.every
    return plain and _is_listed(sources, words, writer)


def _own_ids(ids: Sequence[_Argument], words: Sequence[str]) -> tuple[list[_Argument], list[_Argument]]:
    """Return the ids of the object itself, and those of what it belongs to: `account_sid` beside `sid`."""
    last = words[-1:] if len(ids) > 1 else words
    own = [one for one in ids if not one.noun or one.name in _PATH_ARGUMENTS or not one.name_words.isdisjoint(last)]
    own = own or [one for one in ids if one.name_words & _NAMES]
    others = [one for one in ids if one not in own]
    around = [one for one in others if one.constant and not one.sources and one.name != "branch"]
    return [one for one in ids if one not in around], around


def _belonging(around: Sequence[_Argument]) -> str:
    """Return what an object belongs to: "of account AC1, message MM2"."""
    told = ", ".join(f"{one.noun} {one.constant}" for one in around[:MOST_CONSTANTS])
    return f"of {told}" if told else ""


def _is_owner(verb: str, words: Sequence[str], argument: _Argument) -> bool:
    """Return whether an argument of a tool that makes something says for whom or what: `customer_id` of a ticket."""
    if (
        verb not in _MAKING
        or argument.name_words & {"name", "names"}
        or not argument.noun
        or not argument.constant
        or argument.sources
    ):
        return False
    return argument.name not in _PATH_ARGUMENTS and argument.name_words.isdisjoint(words) and argument.name != "branch"


def _is_detail(argument: _Argument) -> bool:
    """Return whether an argument is a short constant that is named with its role, such as an amount or a state."""
    if argument.sources or not argument.is_whole or argument.name in _FLAGS | _CONTENT | _TITLES | _LIMITS:
        return False
    if argument.name in _AMOUNTS or tool_verbs.names_address(argument.name):
        return True
    return all(0 < len(text) <= SHORT and text != "False" for text in argument.texts)


def _sent_with(content: Sequence[_Argument]) -> str:
    """Return what a recipient gets beside a text, and which rights and addresses: ", with role owner"."""
    known = {one.name: one.constant for one in content if one.is_whole and one.constant and not one.sources
             and (not one.name_words.isdisjoint(_GIVEN) or tool_verbs.names_address(one.name))}  # fmt: skip
    return f", with {_roles(known)}" if known else ""


def _amount(content: Sequence[_Argument]) -> str:
    """Return constant amounts with what they are: "of 1250 eur, quantity 3"."""
    details = [one for one in content if _is_detail(one)]
    known = {one.name: one.constant for one in details}
    amount = known.pop("amount", "")
    currency = known.pop("currency", "") if amount else ""
    units = {one.name: one.unit for one in details if one.unit and not (currency and one.unit == NO_UNIT)}
    known = {name: f"{text} ({units[name]})" if name in units else text for name, text in known.items()}
    unit = f" ({units['amount']})" if amount and "amount" in units else ""
    parts = [f"of {amount}{f' {currency}' if currency else ''}{unit}"] if amount else []
    return " ".join([*parts, *([f"with {_roles(known)}"] if known else [])])


def _roles(known: Mapping[str, str]) -> str:
    """Return constants with the names of their arguments: "state closed, quantity 3"."""
    shown = list(known.items())[:MOST_CONSTANTS]
    return ", ".join(
        f"{shorten(name.replace('_', ' '), 30)}{f' {text}' if text != 'True' else ''}" for name, text in shown
    )


def _request_with_data(tool: Tool, arguments: Sequence[_Argument], writer: _Writer) -> str:
    """Return that a reading tool sends private data with its request to somebody who does not have it."""
    named_arguments = [one.name for one in arguments]
    data = [
        one
        for one in arguments
        for source in one.sources
        if writer.facts[source].private and reaches_new_recipient(tool, source.server, named_arguments)
    ]
    if not data:
        return ""
    address = next((one for one in arguments if tool_verbs.names_address(one.name)), None)
    where = host(address.texts[0]) if address is not None and address.texts else ""
    if where:
        return f"Sends {writer.data(data)} to {named(where)}, inside the URL,"
    return f"Sends {writer.data(data)} inside {'a query' if address is None else 'a URL'}"


def _reading(tool: Tool, arguments: Sequence[_Argument]) -> str:
    """Return what a reading tool reads, if its arguments name that."""
    verb, _ = action_of(tool)
    paths = [one for one in arguments if one.name in _PATH_ARGUMENTS or tool_verbs.names_address(one.name)]
    patterns = [one for one in arguments if one.name in ("pattern", "glob", "regex")]
    if things := _constants(paths):
        wanted = f" for {_constants(patterns)}" if _constants(patterns) else ""
        return f"{_third_person(verb) if verb in ('search', 'list', 'fetch') else 'Reads'} {things}{wanted}"
    if told := _reading_objects(tool, arguments):
        return told
    if told := _reading_plainly(tool, arguments):
        return told
    outside = facts_of(tool).reaches_outside
    asked = [one for one in arguments if outside and one.name in _CONTENT | _SQL and one.is_whole]
    return f"Asks for {quoted(asked[0].texts[0])}" if asked else ""


def _reading_objects(tool: Tool, arguments: Sequence[_Argument]) -> str:
    """Return what a tool reads if its arguments name a kind of object: "Reads logs of pod web-1 in namespace shop"."""
    kind = next(
        (
            one
            for one in arguments
            if one.name in _KINDS and one.name != "type" and one.is_whole and len(one.texts) == 1
        ),
        None,
    )
    if kind is None:
        return ""
    server = set(tool_verbs.name_words(tool.server))
    words = [word for word in tool_verbs.name_words(tool.name)[1:] if word not in _VERBS and word not in server]
    noun = _object([word for word in words if word not in _VAGUE])
    ids = [
        one for one in arguments if one is not kind and not one.is_place and not one.name_words.isdisjoint(_IDENTITY)
    ]
    things = " ".join(filter(None, (kind.constant, _constants(ids))))
    where = " in ".join(one.labelled for one in arguments if one.is_place and one.constant)
    return f"Reads {f'{noun} of ' if noun else ''}{things}{f' in {where}' if where else ''}"


def _reading_plainly(tool: Tool, arguments: Sequence[_Argument]) -> str:
    """Return what a tool reads, by its name: "Reads customer CUS-0003", "Reads issues of acme/shop"."""
    verb, words = action_of(tool)
    noun = _object(words)
    if verb not in tool_verbs.READING or not noun:
        return ""
    asked = [one for one in arguments if facts_of(tool).reaches_outside and one.name in _CONTENT | _SQL]
    if asked:
        return ""
    head = (
        "Reads"
        if verb in ("get", "list", "read", "fetch", "query", "show", "describe", "view")
        else _third_person(verb)
    )
    ids = [one for one in arguments if not one.is_place and not one.name_words.isdisjoint(_IDENTITY) and one.constant]
    where = " in ".join(_places([one for one in arguments if one.is_place and not one.sources]))
    noun = _singular(noun) if ids and all(len(one.texts) == 1 for one in ids) else noun
    if not ids and not _is_plural(noun) and any(one.sources for one in arguments):
        noun = _plural(noun)
    return " ".join(filter(None, (head, noun, _constants(ids), f"of {where}" if where else "")))


def _object(words: Sequence[str]) -> str:
    return shorten(" ".join("e-mail" if word == "email" else word for word in words), 40)


def _constants(arguments: Sequence[_Argument]) -> str:
    return " ".join(dict.fromkeys(one.constant for one in arguments[:MOST_CONSTANTS] if one.constant))


def _title(content: Sequence[_Argument]) -> str:
    """Return the constant title or text, quoted."""
    for group in (_TITLES, _CONTENT):
        for one in content:
            texts = [text for text in one.texts if text.strip(HOLE + " ")]
            if one.name in group and texts:
                return quoted(texts[0]) + (" or another text" if one.open or len(texts) > 1 else "")
    return ""


def _titled(content: Sequence[_Argument], words: Sequence[str]) -> str:
    """Return the constant title or text with what it is: "titled “Minutes”", "with message “fix”"."""
    title = _title(content)
    if not title:
        return ""
    texts = [one for group in (_TITLES, _CONTENT) for one in content if one.name in group and one.constant]
    role = texts[0].name
    if role in words or role in ("value", "values", "data", "fields"):
        return title
    if role in ("title", "name", "headline", "summary"):
        return f"titled {title}"
    plain = role in ("content", "contents", "body", "markdown", "html")
    return f"with {'text' if plain else role.replace('_', ' ')} {title}"


def _target(targets: Sequence[_Argument], writer: _Writer) -> str:
    """Return where something goes: constants as they are, other targets by the answers they are taken from."""
    told = _places([one for one in targets if one.constant and not one.sources])[:MOST_CONSTANTS]
    for one in targets:
        if one.sources:
            made = f" {one.constant}" if one.constant else ""
            if one.plain and not made and (own := writer.own_field(one)):
                told.append(own)
                continue
            told.append(f"{_target_noun(one, writer.many)}{made} taken from {writer.origin(one)}")
        elif not one.constant:
            told.append(f"{_target_noun(one, writer.many)} known only at run time")
    return " and ".join(dict.fromkeys(told))


def _places(arguments: Sequence[_Argument]) -> list[str]:
    """Return constant places as they are shown, a repository with its owner."""
    found = {one.name: one.labelled for one in arguments if one.constant}
    if {"owner", "repo"} <= found.keys():
        return [f"{found.pop('owner')}/{found.pop('repo')}", *found.values()]
    return list(found.values())


def _target_noun(argument: _Argument, many: bool) -> str:
    words = argument.name.split("_")
    noun = next((word for word in words if word not in ("id", "name", "new")), "place")
    noun = {"repo": "repository", "dst": "path", "iban": "account"}.get(noun, noun)
    if not argument.name_words.isdisjoint(_PHONES):
        noun = "phone number"
    elif tool_verbs.names_address(argument.name):
        noun = "URL"
    elif argument.name in _ADDRESS_ARGUMENTS:
        noun = "address"
    if many:
        return _plural(noun)
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {shorten(noun, 20)}"


def _listed(arguments: Sequence[_Argument]) -> str:
    """Return constants with the names of their arguments, for tools whose names say nothing."""
    shown = [f"{shorten(one.name, 20)} {one.constant}" for one in arguments if one.constant][:MOST_CONSTANTS]
    return f" with {', '.join(shown)}" if shown else ""


# ── How often ───────────────────────────────────────────────────────────────────────────────────────────
def _often(sink: SinkCall | None, looped: bool, writer: _Writer) -> str:
    loops: tuple[Repetition, ...] = sink.loops if sink is not None else ()
    over = [one for one in loops if one.over]
    if not over:
        times = 1
        for one in loops:
            times *= one.times if one.times is not None else 0
        known = bool(loops) and all(one.times is not None for one in loops)
        if known:
            at_most = "at most " if sink is not None and sink.conditional else ""
            return f", {at_most}{count_of(times, 'time')}" if times != 1 else ""
        return " in a loop" if looped or loops else ""
    source = min(over[-1].over, key=lambda one: (-one.line, one.name))
    facts = writer.facts.get(source)
    noun = object_of(facts.tool) if facts is not None else ""
    what = _singular(noun) if _is_plural(noun) else f"{noun} entry" if noun else f"result of {source.name}"
    exact = over[-1].whole and sink is not None and not sink.conditional and len(over[-1].over) == 1
    return f", {'' if exact else 'at most '}once per {what}"
