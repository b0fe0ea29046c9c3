"""Derives from a tool's name what it does: read, destroy or send.

Names are evaluated in one place, for calls of users and of programs. A user's own call is judged by the name as a
whole (`says`), because pressing Run is consent to the rest. For programs each dangerous word counts too (`destroys`,
`sends`), so a tool that asks the user about their own call is no less dangerous in a program.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.permissions.word_sets import names
from workbench.similar_names import plain_letters

DESTROYS, SENDS, READS = "destroys", "sends", "reads"

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


READING = names(
    """get list search read fetch query describe count find show view lookup check retrieve browse stat info ping
    resolve diff preview summarize summarise inspect compare validate explain"""
)
DESTROYING = names(
    """delete remove drop destroy purge wipe truncate revoke cancel close refund transfer pay execute exec run kill
    terminate merge force overwrite reset erase clear uninstall rollback archive"""
)
SENDING = names(
    """send post publish comment reply share upload invite forward tweet notify push submit mail email
    message"""
)
CHANGING = names(
    """create add update set write edit insert save put move rename copy assign append make start stop enable
    disable open book"""
)
# Words in the name of a tool or its server whose answers outsiders write, and of those with public data only.
OUTSIDERS = names(
    """mail gmail email inbox message messages issue issues comment comments page web fetch history review reviews
    ticket tickets slack chat thread threads feed rss news pr pull request requests post posts tweet tweets forum
    maps places listings transcript transcripts"""
)
PUBLIC = names("web fetch browser page http url search_web wikipedia news weather crawl scrape rss feed docs")
# Words in the name of a tool that queries external services, and of one whose arguments name the host.
WORLD = PUBLIC | names("forecast geocode geocoding maps translate internet google bing duckduckgo website whois")
ADDRESSED = names("url urls http website webpage crawl scrape browse navigate web internet")
# Words in the name of an argument that names the contacted host.
ADDRESSES = names("url urls uri uris link href webhook endpoint")
# Destination arguments.
DESTINATIONS = names(
    """to cc bcc recipient recipients email emails participants attendees url uri channel channel_id path
    destination iban account webhook address host phone chat_id share_with repo repository owner user username
    with_email to_address target domain guests room topic invitee invitees receiver receivers principal grantee
    collaborator collaborators"""
)

# Verbs that count anywhere in a name, unless a reading verb comes first: `list_delete_markers`.
_TAKING = names(
    """delete remove drop destroy purge wipe truncate revoke erase uninstall terminate kill overwrite clear rollback del
    rm rmdir unlink prune trash discard flush flushdb flushall cleanup deactivate shutdown reboot unpublish pop
    hdel xdel getdel lrem srem zrem lpop rpop spop blpop brpop ltrim"""
)
_SPENDING = names("purchase buy pay checkout charge withdraw refund transfer book trade")
_SENDING = SENDING | names("broadcast finalize dispatch dial")
# Words that are also nouns: they count only if the name has no unambiguous verb.
_NOUNS = names(
    """refund transfer archive reset merge close force run exec charge book trade order comment reply message mail email
    post share push submit notify invite upload forward tweet checkout cancel expire"""
)
_LOOKING = READING | names("status history log logs stats count details list is has watch wait")
_RUNNING = names("execute exec run eval evaluate invoke perform")
_RUNNABLE = names("sql query queries statement statements command commands script code shell bash")
_WRITING = names("write update")  # `write_query` runs SQL that changes rows
_UPDATING = names(
    """update set edit modify change patch replace move rename assign reassign approve resolve mark transition"""
)
_CREATING = names("create add make new")
_QUERIES = names("sql query queries statement statements")
_SHELLS = names("bash shell terminal sql exec eval")
_MAKING = names("create add make new place start send initiate")
_SENT = names(
    """message messages email mail sms mms call tweet post comment reply invitation invite payment payments payout
    refund transfer order notification fax"""
)
_HARMLESS_TO_CLOSE = names("page tab browser window dialog file workbook connection session")
_VERSIONED = names("git svn branch commit ref tag")
_JOINED = names("and or then")
_PLAIN = (_SPENDING | _SENDING | _LOOKING | _MAKING | CHANGING | _RUNNING | DESTROYING) - _NOUNS
_PLAIN_LOOKING = _LOOKING - _NOUNS


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a tool's name in lower case: `sendEmail` → send, email."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache(maxsize=4096)
def reads(name: str) -> bool:
    """Whether the first word of the name is a reading verb."""
    return name_words(name)[:1] != () and name_words(name)[0] in READING


@lru_cache(maxsize=4096)
def name_meanings(name: str) -> frozenset[str]:
    """Return what the parts of a name say as a whole: DESTROYS, SENDS, READS. `find_and_delete` has two parts."""
    every = name_words(plain_letters(name))
    return frozenset(meaning for part in _parts(every) if part and (meaning := _part(part)))


@lru_cache(maxsize=4096)
def destroys(name: str) -> bool:
    """Whether the name says that data may be destroyed irrecoverably: as a whole, or by any of its words."""
    return DESTROYS in name_meanings(name) or not DESTROYING.isdisjoint(name_words(name))


@lru_cache(maxsize=4096)
def sends(name: str) -> bool:
    """Whether the name says that data may be sent outside: as a whole, or by its first word."""
    return SENDS in name_meanings(name) or (name_words(name)[:1] != () and name_words(name)[0] in SENDING)


@lru_cache(maxsize=4096)
def may_read(name: str) -> bool:
    """Whether any word says that the tool reads, as in `maps_place_details`, and none that it sends or destroys."""
    return not _LOOKING.isdisjoint(name_words(name)) and not sends(name) and not destroys(name)


@lru_cache(maxsize=4096)
def queries(name: str) -> bool:
    """Whether the name says that the tool runs a query, whose answer is data."""
    return not _QUERIES.isdisjoint(name_words(name))


@lru_cache(maxsize=4096)
def updates(name: str) -> bool:
    """Whether the name says that existing records are changed."""
    return not reads(name) and not _UPDATING.isdisjoint(name_words(name))


@lru_cache(maxsize=4096)
def creates(name: str) -> bool:
    """Whether the name says that something new is made."""
    return not reads(name) and not destroys(name) and not _CREATING.isdisjoint(name_words(name))


@lru_cache(maxsize=4096)
def contradicts_reading(name: str) -> bool:
    """Whether the name contradicts the claim that the tool only reads."""
    return (destroys(name) or sends(name)) and not reads(name)


@lru_cache(maxsize=4096)
def names_address(name: str) -> bool:
    """Whether an argument of this name names the contacted host."""
    return not ADDRESSES.isdisjoint(name_words(name))


_IRREGULAR = {
    "lookup": "looks up", "rollback": "rolls back", "checkout": "checks out", "backup": "backs up",
    "cleanup": "cleans up", "shutdown": "shuts down", "exec": "executes", "info": "tells", "stat": "looks at",
}  # fmt: skip


def third_person(verb: str) -> str:
    """`send` → "sends"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _parts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Split the words of a name at conjunctions: `find_and_delete` has two parts."""
    parts: list[tuple[str, ...]] = [()]
    for word in words:
        if word in _JOINED:
            parts.append(())
        else:
            parts[-1] = (*parts[-1], word)
    return parts


def _part(words: tuple[str, ...]) -> str:
    last, looked = words[-1], next((at for at, word in enumerate(words) if word in _PLAIN_LOOKING), len(words))
    if any(_takes(word) for word in words[:looked]):
        return DESTROYS
    if last in _RUNNABLE and any(word in _RUNNING for word in words[: min(looked, len(words) - 1)]):
        return DESTROYS
    if last in _QUERIES and any(word in _WRITING for word in words[:looked]):
        return DESTROYS
    verb = next((word for word in words if word in _PLAIN), "") or next((word for word in words if word in _NOUNS), "")
    if verb in _LOOKING:
        return READS
    if verb in _MAKING and last in _SENT and last != verb:
        return SENDS
    if (verb == "close" and not _HARMLESS_TO_CLOSE.isdisjoint(words)) or (
        verb == "checkout" and not _VERSIONED.isdisjoint(words)
    ):
        return ""
    if verb in _SPENDING or verb in _SENDING:
        return SENDS
    if verb in DESTROYING or verb == "expire":
        return DESTROYS
    return DESTROYS if len(words) == 1 and last in _SHELLS else ""


def _takes(word: str) -> bool:
    return word in _TAKING or (word.startswith(("delete", "destroy", "remove", "purge")) and not word.endswith("ed"))
