"""Derives rules from the arguments of a call: rules that would have allowed it, from the narrowest to the widest.

Used for calls that wait for approval, and for the calls that are predicted from the text of a waiting program.
Destinations are always named, because a rule without them would allow every destination.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.permissions import tool_verbs
from workbench.permissions.argument_patterns import (
    ADDING,
    BELOW,
    READING,
    UNDER,
    decides,
    destinations,
    exactly,
    holds,
    is_destination,
    is_literal,
    may_hold,
    other_arguments,
)
from workbench.permissions.call_rules import is_heavy
from workbench.permissions.rule_sentences import sentence
from workbench.permissions.sql_statements import only_reads, table_of_added_rows
from workbench.permissions.tool_verbs import name_words
from workbench.permissions.word_sets import names
from workbench.privacy.pii_tokens import find_tokens
from workbench.records import CallDecision, JsonObject, JsonValue, Permission, Predicate, Tool

MOST = 6  # arguments in a rule
LONGEST = 200  # characters of a value in a rule
# Kinds of offers, from the narrowest to the widest.
EXACT, READS, GROUP, WORKSPACE, PLACE, TOOL = KINDS = ("exact", "reads", "group", "workspace", "place", "tool")


_PATHS: Final = names("path paths file files filename filepath directory folder source")
# Arguments that name where in a service a call acts.
_PLACES: Final = names(
    """repo repository owner org organization project channel table tables database schema collection board workspace
    namespace bucket calendar list sheet spreadsheet notebook team label queue cluster branch environment parent
    album space section"""
)
# Mail providers and hosts where anybody can have an address or a page: a rule for all of it would allow outsiders.
_PUBLIC: Final = names(
    """gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com yahoo.co.uk ymail.com aol.com
    icloud.com me.com mac.com proton.me protonmail.com pm.me gmx.de gmx.net gmx.com web.de t-online.de mail.ru
    yandex.ru yandex.com qq.com 163.com 126.com zoho.com tutanota.com fastmail.com mail.com posteo.de hey.com
    orange.fr wanadoo.fr free.fr laposte.net libero.it seznam.cz wp.pl o2.pl onet.pl uol.com.br comcast.net
    verizon.net att.net github.com api.github.com gist.github.com raw.githubusercontent.com gitlab.com
    bitbucket.org pastebin.com hooks.slack.com discord.com docs.google.com drive.google.com script.google.com
    forms.gle sheets.googleapis.com dropbox.com webhook.site requestbin.com pipedream.net httpbin.org ntfy.sh
    transfer.sh file.io 0x0.st huggingface.co codepen.io jsfiddle.net replit.com notion.so airtable.com
    medium.com reddit.com x.com twitter.com api.telegram.org t.me bit.ly tinyurl.com s3.amazonaws.com
    storage.googleapis.com"""
)
# Arguments that select what a call changes: without them it may change everything.
_SELECTING: Final = names(
    """filter filters where selector selectors condition conditions criteria pattern glob before after since
    until match"""
)
_STATEMENTS: Final = names("sql query q statement statements command script")
_NAMING: Final = ("id", "name", "key", "number")  # ends of arguments that name the object acted on
_KEY_SPACE: Final = re.compile(r"[\w.-]{3,}(?::[\w.-]+)+$")  # `report:november`
_NO_CONDITION: Final[tuple[Predicate, ...]] = ()


class CallOffer(Struct, frozen=True):
    """One rule that would have allowed a call."""

    kind: str  # one of KINDS
    where: tuple[Predicate, ...] = ()
    others: tuple[str, ...] = ()  # arguments that it leaves open

    def rule(self, tool: Tool) -> Permission:
        """Return the rule about this tool."""
        kind, word = ("arguments" if self.where else "tool"), CallDecision.ALLOW
        others = self.others if self.where else None
        made = Permission(
            "", kind, word, tool.server, tool.name, self.where, tool.hash, source="a decision", others=others
        )
        return replace(made, label=sentence(made))


def proposals(tool: Tool, arguments: JsonObject, workspace: str = "") -> tuple[Permission, ...]:
    """Return rules that would have allowed this call, the narrowest first."""
    return tuple(one.rule(tool) for one in offers(tool, arguments, workspace=workspace))


def offers(
    tool: Tool, arguments: JsonObject, unknown: Set[str] = frozenset(), workspace: str = ""
) -> tuple[CallOffer, ...]:
    """Return what may be offered for a call, the narrowest first. `unknown`: names of arguments whose values are not
    known yet; a rule never depends on them."""
    found: dict[tuple[Predicate, ...], CallOffer] = {}
    for kind, where in _conditions(tool, arguments, workspace):
        narrow = where and len(where) <= MOST and not any(True for one in where for _ in find_tokens(one.pattern))
        if not narrow or any(map(decides, unknown)):
            continue
        others = other_arguments(where, arguments, unknown)
        covers = holds(where, arguments, workspace, others=others)
        if covers and may_hold(where, arguments, unknown, workspace, others=others) is not False:
            found.setdefault(where, CallOffer(kind, where, others))
    if not is_heavy(tool):
        found.setdefault(_NO_CONDITION, CallOffer(TOOL))
    return tuple(found.values())


def _conditions(tool: Tool, arguments: JsonObject, workspace: str) -> Iterator[tuple[str, tuple[Predicate, ...]]]:
    """Yield kinds of offers with their conditions, which may turn out not to hold."""
    led = destinations(arguments)
    places = tuple(key for key in arguments if key not in led and not _PLACES.isdisjoint(name_words(key)))
    objects = tuple(key for key in arguments if key.casefold().endswith(_NAMING) and key not in (*led, *places))
    statements = {key: kind for key, value in arguments.items() if (kind := _kind_of_sql(key, value))}
    everything = tool_verbs.DESTROYS in tool_verbs.name_meanings(tool.name)  # each argument says what is destroyed
    selecting = _SELECTING if not tool_verbs.reads(tool.name) else frozenset[str]()
    deciding = tuple(
        key
        for key, value in arguments.items()
        if (everything or decides(key) or isinstance(value, bool) or not selecting.isdisjoint(name_words(key)))
        and key not in (*led, *places, *objects)
    )
    # what a recipient gets is named as well; what a call is about in a repository or channel is not
    received = any(_PLACES.isdisjoint(name_words(key)) for key in led)
    if led or places:
        named = objects if received or not led or everything else ()
        narrow = _exact(arguments, (*led, *places, *named, *deciding))
    else:
        narrow = _exact(arguments, (*objects, *deciding) if objects else tuple(arguments))
    if narrow:
        yield EXACT, narrow
    if statements:
        others = [one for one in (*led, *places, *(objects if everything else ()), *deciding) if one not in statements]
        rest = _exact(arguments, others)
        if rest or not others:
            kind = READS if set(statements.values()) == {READING} else GROUP
            yield kind, (*rest, *(Predicate(key, pattern) for key, pattern in statements.items()))
    if statements or not narrow:
        return
    yield GROUP, tuple(_wider(one, arguments, workspace) for one in narrow)
    yield WORKSPACE, tuple(_in_workspace(one, arguments, workspace) for one in narrow)
    if everything:
        return
    if led or places:
        yield PLACE, _exact(arguments, (*led, *places, *(objects if received else ()), *deciding))
    elif deciding and tool_verbs.creates(tool.name):  # the name of what is new decides nothing
        yield PLACE, _exact(arguments, (*(key for key in objects if key.casefold() != "name"), *deciding))


def says_what_is_done(key: str) -> bool:
    """Whether an argument of this name says where a call goes, what it acts on, or what it does with it."""
    name = key.casefold()
    return is_destination(key) or name.endswith(_NAMING) or name in _PATHS or _is_path(key) or decides(key)


def names_all_exactly(where: Sequence[Predicate], arguments: JsonObject) -> bool:
    """Whether a rule names exactly where this call goes, what it acts on, and what it does with it."""
    literal = [one.path.replace("[]", "") for one in where if is_literal(one.pattern)]
    return all(any(_begins(path, key) for path in literal) for key in arguments if says_what_is_done(key))


def _kind_of_sql(key: str, value: JsonValue) -> str:
    """Return the pattern of all SQL that is as harmless as this: reading, or adding rows to the same table."""
    if _STATEMENTS.isdisjoint(name_words(key)) or not isinstance(value, str):
        return ""
    if only_reads(value):
        return READING
    table = table_of_added_rows(value)
    return f"{ADDING}{table}" if table and len(table) <= LONGEST else ""


def _exact(arguments: JsonObject, keys: Sequence[str]) -> tuple[Predicate, ...]:
    """Return predicates for exactly these arguments; none if one of them is too long or has too many values."""
    found = [one for key in keys for one in _predicates(key, arguments[key])]
    whole = all(any(_begins(one.path, key) for one in found) for key in keys)
    return tuple(found) if whole and len(found) <= MOST else ()


def _wider(one: Predicate, arguments: JsonObject, workspace: str) -> Predicate:
    """Return the group that a value belongs to: the domain of an address, the host of a URL, the folder of a file."""
    if "://" in one.pattern:
        start, _, host = one.pattern.split("\\")[0].partition("://")
        host = host.partition("/")[0]
        narrow = _is_host(host) and start.isalpha() and not _is_public(host.partition(":")[0])
        return Predicate(one.path, f"{start}://{host}/*") if narrow else one
    if "*" in one.pattern or "\\" in one.pattern:
        return one
    if "@" in one.pattern:
        domain = one.pattern.rpartition("@")[2]
        return one if _is_public(domain) else Predicate(one.path, f"*@{domain}")
    if one.path.casefold().endswith("key") and _KEY_SPACE.match(one.pattern):
        return Predicate(one.path, f"{one.pattern.rpartition(':')[0]}:*")
    if _is_path(one.path) and (folder := posixpath.dirname(posixpath.normpath(one.pattern))).strip("/."):
        whole = posixpath.join(posixpath.dirname(workspace), folder) == workspace
        wide = Predicate(one.path, UNDER if whole else f"{BELOW}{folder}")
        return wide if _is_met(wide, arguments, workspace) else one
    return one


def _is_public(host: str) -> bool:
    """Return whether anybody can have an address or a page at this host."""
    name = host.casefold().removeprefix("www.").rstrip(".")
    return name in _PUBLIC or name.partition(".")[2] in ("slack.com", "atlassian.net", "github.io", "amazonaws.com")


def _is_host(name: str) -> bool:
    return bool(name) and name.isascii() and all(mark.isalnum() or mark in ".-:_" for mark in name)


def _in_workspace(one: Predicate, arguments: JsonObject, workspace: str) -> Predicate:
    wide = Predicate(one.path, UNDER)
    return wide if _is_path(one.path) and _is_met(wide, arguments, workspace) else one


def _is_met(one: Predicate, arguments: JsonObject, workspace: str) -> bool:
    name = one.path.partition(".")[0].removesuffix("[]")
    return holds((one,), {name: arguments[name]}, workspace)


def _is_path(path: str) -> bool:
    last = path.rpartition(".")[2].removesuffix("[]")
    return last.casefold() in _PATHS or (not is_destination(last) and "path" in name_words(last))


def _predicates(path: str, value: JsonValue, depth: int = 0) -> list[Predicate]:
    if isinstance(value, Mapping) and depth < 3:
        return [one for key, inner in value.items() for one in _predicates(f"{path}.{key}", inner, depth + 1)]
    if isinstance(value, list):
        alike = {exactly(one) for one in value if isinstance(one, str)}
        return [Predicate(f"{path}[]", alike.pop())] if len(alike) == 1 and len(value) == 1 else _shared(path, value)
    text = "" if isinstance(value, Mapping) else exactly(value)
    return [Predicate(path, text)] if 0 < len(text) <= LONGEST else []


def _shared(path: str, value: list[JsonValue]) -> list[Predicate]:
    """Return one predicate for several addresses of the same domain."""
    ends = {one.rpartition("@")[2] for one in value if isinstance(one, str) and "@" in one}
    if len(ends) == 1 and all(isinstance(one, str) for one in value) and not _is_public(next(iter(ends))):
        return [Predicate(f"{path}[]", f"*@{exactly(ends.pop())}")]
    return []


def _begins(path: str, key: str) -> bool:
    return path == key or path.startswith((f"{key}.", f"{key}[]"))
