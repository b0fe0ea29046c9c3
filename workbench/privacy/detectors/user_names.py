"""Detects user names in sign-in logs, in home paths, after `user=` and "cc @"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.key_words import key_words
from workbench.privacy.detectors.text_search import find_matches_at_lines, find_matches_at_words

_NAME = re.compile(r"@?[^\W_][\w.+-]{1,63}")
_NONE_WORDS = """
string null none unknown true false root admin user guest system anonymous default test self me you all shared public
postgres mysql redis www-data nobody daemon bin sys git ubuntu debian ec2-user docker jenkins runner vagrant node app
service administrator program linuxbrew travis circleci runneradmin vsts appuser nginx apache
layer media container scope import charset keyframes supports property param params return returns throws type types
see link deprecated override since version example todo template async await static class
"""
_NONE = frozenset(_NONE_WORDS.split())
_CODE = ("self.", "this.", "os.", "args.", "request.", "config.", "settings.")
_WORD = r"[A-Za-z][A-Za-z0-9._-]{1,31}"
_HOMES = re.compile(
    rf"(?:/(?<![\w.]/)(?:home|Users)/|(?<=\b[A-Za-z]):(?:\\\\?|/)Users(?:\\\\?|/))(?P<name>{_WORD})(?=[/\\\s:\"')\],;]|$)"
)
_SIGNED_IN = re.compile(
    rf"\b(?:(?:invalid user|[Aa]ccepted \w{{3,20}} for|[Ff]ailed \w{{3,20}} for|(?:opened|closed) for user) "
    rf"(?P<name>{_WORD})(?= from | by |\(uid|$)|(?:[Uu]ser|by) (?P<other>{_WORD})(?= (?:from|at) \d| logged (?:in"
    rf"|out)| signed (?:in|out)"
    rf"| authenticated)|[Uu]ser(?:name)? '(?P<quoted>{_WORD})')",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    rf"(?<![\w-])(?:r?user|usr|uid|logname|acct|login|actor)=[\"']?(?P<name>{_WORD})(?=[\"'\s,;)&\]]|$)"
)
_ACCESS = re.compile(r"^[^\s\"]{2,80} [^\s\"]{1,40} (?P<name>[^\s\"\[\]-][^\s\"\[\]]{1,40}) \[\d\d?/", re.MULTILINE)
_SUDO = re.compile(rf"\bsudo(?:\[\d+\])?: +(?P<name>{_WORD}) : ")
_LISTED = re.compile(
    rf"^[-dlcbps](?:[r-][w-][xsStT-]){{3}}[.+@]? {{1,9}}\d+ (?P<name>{_WORD}) {{1,9}}[\w.-]{{1,40}} {{1,12}}\d",
    re.MULTILINE,
)
_HANDLE = re.compile(r"@(?P<name>[A-Za-z][A-Za-z0-9_-]{2,38})(?![\w./:(=@-])")
_BEFORE_HANDLE = re.compile(
    r"(?:(?:\b(?:cc|by|ping|thanks|to|with|from|and|for|ask|hey|hi)|[,:(])[ \t]|^[ \t]{0,8}/cc |\()\Z",
    re.IGNORECASE | re.MULTILINE,
)
_LOOK_BACK = 16
_ENTRY = re.compile(rf"\b(?:uid|sAMAccountName)[=:] ?(?P<name>{_WORD})(?=[,\s]|$)")
# First words of the matches, and what a line must contain.
_BEGINNINGS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("/home/", "/Users/", ":\\Users", ":\\\\Users", ":/Users"), _HOMES),
    (
        (
            *("invalid user ", "Accepted ", "accepted ", "Failed ", "failed ", "opened for", "closed for"),
            *("User ", "user ", "by ", "User '", "user '", "Username '", "username '"),
        ),
        _SIGNED_IN,
    ),
    (("ruser=", "user=", "usr=", "uid=", "logname=", "acct=", "login=", "actor="), _ASSIGNED),
    (("sudo",), _SUDO),
    (("uid", "sAMAccountName"), _ENTRY),
)
_LINES = ((" [", _ACCESS), ("-", _LISTED))


def find_user_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of user names, except system accounts."""
    for match in _matches(text):
        group = match.lastgroup or "name"
        if _anybodys(match[group]):
            yield match.span(group)


def _matches(text: str) -> Iterator[re.Match[str]]:
    for beginnings, pattern in _BEGINNINGS:
        yield from find_matches_at_words(pattern, text, beginnings)
    for gate, pattern in _LINES:
        if gate in text:
            yield from find_matches_at_lines(pattern, text)
    for match in find_matches_at_words(_HANDLE, text, "@"):
        if _BEFORE_HANDLE.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]):
            yield match


def is_user_name(value: str) -> bool:
    """Whether a value under a user name key is a user name, not a system account."""
    bare = value.strip()
    return _NAME.fullmatch(bare) is not None and bare.lower() not in _NONE


def _anybodys(name: str) -> bool:
    """Whether a name is a user's: not in capitals, a system account or code."""
    return (
        name.lower() not in _NONE
        and not name.isupper()
        and not key_words().is_label(name)
        and not name.startswith(_CODE)
    )
