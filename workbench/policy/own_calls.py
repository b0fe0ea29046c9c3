"""Decides which calls that the user makes by hand ask first: those that may destroy something or send something out.

Pressing Run is consent to everything else. Hints that make a tool dangerous count whoever believes them, and its name
counts whatever its hints say, so a server that says nothing, or something untrue, gains nothing by it. What the user
said of the tool on its page Trust counts before both. Agents and programs are judged more strictly, see
`permissions/judgement.py`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from workbench.errors import WorkbenchError
from workbench.policy.bits import contradicts
from workbench.policy.lookalikes import plain_letters
from workbench.policy.tables import verbs
from workbench.policy.tables.names import names
from workbench.quick_records import dataclass
from workbench.records import Permission, Tool, Word

DESTROYS, SENDS = "destroys", "sends"
UNKNOWN = "unknown"  # why a call of a script asks: nobody knows what the tool does
QUESTIONS = (DESTROYS, SENDS, UNKNOWN)
OWN = "own"  # the kind of a permission for calls that the user makes by hand; no rule for programs reads it

# Verbs that mean what they say wherever they stand, unless a reading verb stands first: `list_delete_markers`.
_TAKING = names(
    """delete remove drop destroy purge wipe truncate revoke erase uninstall terminate kill overwrite clear rollback del
    rm rmdir unlink prune trash discard flush flushdb flushall cleanup deactivate shutdown reboot unpublish pop
    hdel xdel getdel lrem srem zrem lpop rpop spop blpop brpop ltrim"""
)
_SPENDING = names("purchase buy pay checkout charge withdraw refund transfer book trade")
_SENDING = verbs.SENDING | names("broadcast finalize dispatch dial")
# Verbs that are nouns as often: they count where no plain verb stands in the name.
_NOUNS = names(
    """refund transfer archive reset merge close force run exec charge book trade order comment reply message mail email
    post share push submit notify invite upload forward tweet checkout cancel expire"""
)
_LOOKING = verbs.READING | names("status history log logs stats count details list is has watch wait")
_RUNNING = names("execute exec run eval evaluate invoke perform")
_RUNNABLE = names("sql query queries statement statements command commands script code shell bash")
_WRITING = names("write update")  # `write_query` runs SQL that changes rows
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
_PLAIN = (_SPENDING | _SENDING | _LOOKING | _MAKING | verbs.CHANGING | _RUNNING | verbs.DESTROYING) - _NOUNS
_PLAIN_LOOKING = _LOOKING - _NOUNS
_TOLD = re.compile(
    r"(?:^|[.:]\s)\W{0,5}(?:(?:permanently|irreversibly|immediately)\s)?(?:(?P<destroys>deletes?|removes?|drops?"
    r"|purges?|wipes?|erases?|destroys?|truncates?|uninstalls?)|(?P<sends>sends?|publish(?:es)?|e-?mails?|tweets?"
    r"|purchases?|buys?|pays?|transfers?|posts?))\s",
    re.I,
)
_LOOKED_AT = 400  # characters of a description


@dataclass(frozen=True, slots=True)
class OwnCallQuestion:
    """Why the user is asked: what the tool may do, and a whole sentence."""

    what: str  # DESTROYS or SENDS
    sentence: str


def objection(tool: Tool) -> OwnCallQuestion | None:
    """Why the user's own call of this effective tool asks first; None lets it go."""
    if "read_only" in tool.said and tool.hints.read_only and not _marked(tool, "destructive", "sends"):
        return None
    if (why := _destroys(tool)) is not None:
        return OwnCallQuestion(DESTROYS, f"{tool.name} may delete or overwrite data for good: {why}.")
    if (why := _sends(tool)) is not None:
        return OwnCallQuestion(SENDS, f"{tool.name} may send something out, which cannot be taken back: {why}.")
    return None


def doubt(tool: Tool) -> str:
    """What is not known of a tool that may change something, in a whole sentence."""
    if (why := objection(tool)) is not None:
        return why.sentence
    claims = tool.claimed or tool.hints
    if contradicts(tool):
        return f"{tool.name} may change data: {tool.server} says that it only reads, but its name says otherwise."
    if claims.read_only is False or tool.hints.destructive is not None:
        return f"{tool.name} may change data."
    if claims.read_only is None and claims.destructive is None:
        return f"{tool.name} may change data: {tool.server} does not say whether it does."
    return f"{tool.name} may change data: you have not yet trusted what {tool.server} says about its tools."


def permits(permission: Permission, tool: Tool) -> bool:
    """Whether it lets the user's own call of this tool go without a question. One for a whole server leaves out what
    the user marked as destroying or sending; one for a tool is void with another definition."""
    if (permission.kind, permission.server) != (OWN, tool.server):
        return False
    if permission.tool:
        return permission.tool == tool.name and permission.key == tool.hash
    return not _marked(tool, "destructive", "sends")


def sentence(permission: Permission) -> str:
    """What it allows, as the user reads it."""
    what = f"{permission.server}.{permission.tool}" if permission.tool else f"every tool of {permission.server}"
    return f"You call {what} without being asked; programs and agents still ask."


def check(permission: Permission, _: Tool | None) -> None:
    """Refuse one that would never count."""
    if permission.word is not Word.ALLOW or permission.scope != "always" or permission.where:
        raise WorkbenchError(
            "A permission for your own calls only allows, for a tool or a server, until you revoke it."
        )


def _marked(tool: Tool, *bits: str) -> bool:
    return any(bit in tool.said and (tool.hints.destructive if bit == "destructive" else tool.sends) for bit in bits)


def _destroys(tool: Tool) -> str | None:
    if "destructive" in tool.said:
        return "you marked it so" if tool.hints.destructive else None
    claims = tool.claimed or tool.hints
    if claims.destructive:
        return f"{tool.server} says so"
    named = _named(tool.name)
    if named == DESTROYS:
        return "its name says so"
    return "its description says so" if _told(tool, named) == DESTROYS else None


def _sends(tool: Tool) -> str | None:
    if "sends" in tool.said:
        return "you marked it so" if tool.sends else None
    named = _named(tool.name)
    if named == SENDS:
        return "its name says so"
    return "its description says so" if _told(tool, named) == SENDS else None


def _told(tool: Tool, named: str) -> str:
    """What the first word of its description says; a description only ever makes stricter, and says nothing against
    a name or a hint that reads."""
    if named == "reads" or (tool.claimed or tool.hints).read_only:
        return ""
    found = _TOLD.search(tool.description[:_LOOKED_AT])
    return "" if found is None else DESTROYS if found["destroys"] else SENDS


@lru_cache(maxsize=4096)
def _named(name: str) -> str:
    """What a name says: that it destroys, sends, or reads; empty when it says none of these."""
    plain = plain_letters(unicodedata.normalize("NFKC", name))
    found = [_part(part) for part in _parts(verbs.words(plain)) if part]
    return next((what for what in (DESTROYS, SENDS, "reads") if what in found), "")


def _parts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """`find_and_delete` says two things."""
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
        return "reads"
    if verb in _MAKING and last in _SENT and last != verb:
        return SENDS
    if (verb == "close" and not _HARMLESS_TO_CLOSE.isdisjoint(words)) or (
        verb == "checkout" and not _VERSIONED.isdisjoint(words)
    ):
        return ""
    if verb in _SPENDING or verb in _SENDING:
        return SENDS
    if verb in verbs.DESTROYING or verb == "expire":
        return DESTROYS
    return DESTROYS if len(words) == 1 and last in _SHELLS else ""


def _takes(word: str) -> bool:
    return word in _TAKING or (word.startswith(("delete", "destroy", "remove", "purge")) and not word.endswith("ed"))
