"""What a tool's name says it does: reading, destroying, sending; and the words for a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.policy.tables.names import names

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
# Words in the name of a tool or its server whose answers outsiders write, and of those that are the public world only.
OUTSIDERS = names(
    """mail gmail email inbox message messages issue issues comment comments page web fetch history review reviews
    ticket tickets slack chat thread feed rss news pr pull request requests"""
)
PUBLIC = names("web fetch browser page http url search_web wikipedia news weather crawl scrape rss feed docs")
# Words in the name of a tool that asks the world outside, and of one that goes where its arguments say.
WORLD = PUBLIC | names("forecast geocode geocoding maps translate internet google bing duckduckgo website whois")
ADDRESSED = names("url urls http website webpage crawl scrape browse navigate web internet")
# Words in the name of an argument that says which host is reached.
ADDRESSES = names("url urls uri uris link href webhook endpoint")
# Arguments that say where something goes.
DESTINATIONS = names(
    """to cc bcc recipient recipients email emails participants attendees url uri channel channel_id path
    destination iban account webhook address host phone chat_id share_with repo repository owner user username
    with_email to_address target domain guests room topic"""
)


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a tool's name in lower case: `sendEmail` → send, email."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache(maxsize=4096)
def reads(name: str) -> bool:
    """Whether its first word is a reading verb."""
    return words(name)[:1] != () and words(name)[0] in READING


@lru_cache(maxsize=4096)
def destroys(name: str) -> bool:
    """Whether any of its words takes something away that may not come back."""
    return not DESTROYING.isdisjoint(words(name))


@lru_cache(maxsize=4096)
def sends(name: str) -> bool:
    """Whether its first word lets something out."""
    return words(name)[:1] != () and words(name)[0] in SENDING


@lru_cache(maxsize=4096)
def phrase(name: str) -> str:
    """`send_email` → "Sends e-mail"; empty when the first word is not a verb we know."""
    parts = words(name)
    if not parts or parts[0] not in READING | DESTROYING | SENDING | CHANGING:
        return ""
    rest = ["e-mail" if part == "email" else part for part in parts[1:]]
    return " ".join([_IRREGULAR.get(parts[0]) or _third_person(parts[0]).capitalize(), *rest])


_IRREGULAR = {"lookup": "Looks up", "rollback": "Rolls back", "exec": "Executes", "info": "Tells", "stat": "Looks at"}


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
