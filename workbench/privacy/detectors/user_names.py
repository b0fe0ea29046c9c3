"""Detects user names in sign-in logs, in home paths, after `user=` and "cc @"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from workbench.privacy.detectors.key_words import key_words
from workbench.privacy.detectors.name_model import listed
from workbench.privacy.detectors.text_search import (
    find_matches,
    find_matches_at_lines,
    find_matches_at_words,
    find_words,
)
from workbench.privacy.detectors.word_lists import COMMON_WORDS, THING_WORDS
from workbench.thread_cancellation import check_cancelled

_NAME = re.compile(r"@?[^\W_][\w.+-]{1,63}")
_NONE_WORDS = """
string null none unknown true false root admin user guest system anonymous default test self me you all shared public
postgres mysql redis www-data nobody daemon bin sys git ubuntu debian ec2-user docker jenkins runner vagrant node app
service str bytes int attribute property method still
administrator program linuxbrew travis circleci runneradmin vsts appuser nginx apache
layer media container scope import charset keyframes supports property param params return returns throws type types
see link deprecated override since version example todo template async await static class
"""
_NONE = frozenset(_NONE_WORDS.split())
_CODE = ("self.", "this.", "os.", "args.", "request.", "config.", "settings.")
_WORD = r"[A-Za-z][A-Za-z0-9._-]{1,31}"
_HOMES = re.compile(
    rf"(?:/(?<![\w.]/)(?:home|Users)/|(?<=\b[A-Za-z]):(?:\\\\?|/)Users(?:\\\\?|/))(?P<name>{_WORD})(?=[/\\\s:\"')\],;]|$)"
)
_METHOD = (
    r"(?:password|publickey|keyboard|none|hostbased|gssapi|certificate|[rd]sa|ecdsa|login|logon|auth|attempt|otp|mfa|2fa"
    r"|token)[\w/.-]{0,24}"
)
_SIGNED_IN = re.compile(
    rf"\b(?:(?:invalid user|[Aa]ccepted {_METHOD} for|[Ff]ailed {_METHOD} for|(?:opened|closed) for user) "
    rf"(?P<name>{_WORD})(?= from | by |\(uid|$)|(?:[Uu]ser|by) (?P<other>{_WORD})(?= (?:from|at) \d| logged (?:in"
    rf"|out)| signed (?:in|out)"
    rf"| authenticated)|[Uu]ser(?:name)? '(?P<quoted>{_WORD})')",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    rf"(?<![\w-])(?:(?:[rsd]|src|dst|x?auth|unauth|remote_|sasl_|auth\.)?user(?:[_.]?name)?|usr(?:Name)?|a?uid|AUID|logname|acct"
    rf"|accountName|login|actor|set_id)=[\"'<]?(?P<name>{_WORD})(?=[\"'>\s,;)&\]]|$)"
    r"|(?<![\w-])user_?[Ii]d=[\"']?(?P<id>[A-Za-z]{2,20}(?:[._][A-Za-z]{2,20})?\d{0,3})(?=[\"'\s,;)&\]]|$)"
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
# Below: who signed in, whose session begins, which account changes, in the lines of programs with one of these words.
_EVENT_WORDS = (
    *("user ", "User ", "USER ", "user:", "sername ", "ogin ", "LOGIN ", "ogon ", "ogged ", "ccount ", "assword "),
    *("uthentication ", "uthenticated ", "ccepted ", "ailed ", "ostponed ", "ession ", "Name:", "user/", ") CMD"),
    *("pam(", "imap(", "pop3(", " pts/", " tty", " Peer", " MULTI", "] [", "-> [", " FATAL:", " ERROR:"),
    *('role "', "' to group", "(to ", "doas:", "group added", "  0.", "  1.", "unix-user:", "(uid=", " on vty", ":x:"),
)
_ACCOUNT = r"[A-Za-z0-9](?:[A-Za-z0-9._$-]{0,30}[A-Za-z0-9_$])?"  # ends before the dot of a sentence
_AFTER = r"(?=['\"`\]>),;:(@/]|\.?(?:\s|$))"
_EVENT = re.compile(
    rf"(?i:\b(?:(?:accepted|failed|postponed) {_METHOD} for|(?:opened|closed|exceeded) for"
    r"|on (?:pts|tty)/?\d{1,4} for"
    r"|authenticat(?:ion (?:fail(?:ure|ed)|succeeded|success|error|attempt) for|ed as)"
    r"|(?:log-?[io]n|sign-?in|access) (?:fail(?:ed|ure)|succe(?:eded|ss|ssful)|attempt|denied|permitted) (?:for|by)"
    r"|(?:logged|logging|signed) (?:in|on|off) as|log-?[io]n succe(?:ss|eded):|changed password expiry for"
    r"|password (?:changed|expired|expiry|updated|reset(?: requested)?) (?:for|by)"
    r"|account (?:locked|unlocked|disabled|created|deleted)(?: out)?(?: for|:)|unix-user:"
    r"|(?:invalid|illegal|unknown|authenticating|new|create|created|add|added|delete|deleted|of)(?= user ))"
    r" ?(?:(?:invalid |illegal |unknown )?(?:user(?:name)?|account):? )?)"
    rf"['\"`\[<]?(?P<name>{_ACCOUNT}){_AFTER}"
)
# `Disconnected from user rosa 10.1.2.3`, `Login failed for user rosa`: more than a word after "user"
_USER = re.compile(rf"\b[Uu]ser (?P<name>{_ACCOUNT})(?=:|,? from | (?:\d{{1,3}}\.){{3}}|\.?\s*$)", re.MULTILINE)
_ABSTRACT = re.compile(r"(?:tion|ment|ity|ness|ance|ence)s?\Z", re.IGNORECASE)
_IN_PROSE = re.compile(r"[A-Z][a-z]+\Z")
_SIGN_IN = re.compile(
    r"log-?[io]n|logged|auth|passw|session|connect|denied|ssh|lock|disab|sudo|pam|grant|permission|privilege",
    re.IGNORECASE,
)
# A name in quotes or brackets: `user "x": password mismatch`, `User <x>`, `Login OK: [x]`.
_QUOTED = re.compile(
    r"\b(?i:user(?:name|id| name| id)?|for|log[io]n(?: ok| incorrect)?|role|account(?: name)?)"
    rf"(?: ?[:=]|:?\[\d{{1,3}}\])? ?['\"`\[<](?P<name>{_ACCOUNT})(?:['\"`\]>]|/[^\]\s]{{1,40}}\])"
)
# `… for user root by rosa(uid=1002)`, `(rosa) CMD (…)`, `su: (to root) rosa on pts/0`, `imap(rosa): Logged out`
_BESIDE = re.compile(
    rf"\((?P<cron>{_ACCOUNT})\) (?:CMD|RELOAD|LIST|(?:BEGIN|END) EDIT|REPLACE|ORPHAN)\b"
    rf"|\((?:to|from) [\w.-]{{1,32}}\) (?P<switched>{_ACCOUNT}) on "
    rf"|\b(?:pam|imap|pop3|lmtp|lda)\((?P<mail>{_ACCOUNT})[,)]"
    rf"|\bby (?P<by>{_ACCOUNT})(?:\(uid=| on (?:vty|console|pts|tty))|\bdoas: (?P<doas>{_ACCOUNT}) ran"
    rf"|\[(?P<ftp>{_ACCOUNT})\] (?:OK|FAIL|Peer) |\]\\{{1,2}}\[(?P<domain>{_ACCOUNT})\]|-> \[(?P<mapped>{_ACCOUNT})\]"
    rf"|\bUSER (?P<command>{_ACCOUNT}): "
    rf"|\badd '(?P<grouped>{_ACCOUNT})' to |\b(?:user|group)[^\n=]{{0,40}}: name=(?P<added>{_ACCOUNT}),"
    rf"|:\d{{1,5}} \[(?P<peer>{_ACCOUNT})\] Peer"
    rf"|\] (?P<owner>{_ACCOUNT})@[\w-]{{1,40}} (?:FATAL|ERROR|LOG):|:user/(?P<arn>{_ACCOUNT})(?=[\"',\s]|$)"
    rf"|(?:^|[\s\"'(\[])(?P<verb>{_ACCOUNT})['\")\]]? (?:has |just )?(?:logged|signed) (?:in|out|on|off)\b"
    rf"|[Aa]ccount (?P<locked>{_ACCOUNT}) (?:is |was |has been )?(?:un)?(?:locked|disabled|enabled|suspended)"
    rf"|[\s>](?P<client>{_ACCOUNT})/(?:\d{{1,3}}\.){{3}}\d{{1,3}}:\d"
    rf"|(?:\bAccount|\bLogon|User) Name:[ \t]{{1,8}}(?P<entry>{_ACCOUNT})\s"
    rf"|\] (?P<imap>{_ACCOUNT}) [\w+-]{{3,20}} User logged in|^(?P<passwd>{_ACCOUNT}):[x*!]:\d{{1,6}}:\d{{1,6}}:"
    rf"|'su [\w.-]{{1,32}}' (?:failed|succeeded) for (?P<su>{_ACCOUNT}) on "
    rf"|^(?P<session>{_ACCOUNT}) {{1,20}}(?:(?:pts/|tty)\d|\d{{1,8}} {{1,8}}\d{{1,3}}\.\d {{1,8}}\d{{1,3}}\.\d )",
    re.MULTILINE,
)
# `CORP\rosa` between separators, in a line with an address or a word for a user
_OF_DOMAIN = re.compile(
    rf"(?<![^\s,;=:\"'|(\[])(?!ERROR|INFO|WARN|DEBUG)[A-Za-z][A-Za-z0-9-]{{1,14}}\\{{1,2}}(?P<name>{_ACCOUNT})"
    r"(?=[\s,;\"'|)\]]|$)"
)
_BACKSLASH = re.compile(r"\\(?<=[A-Za-z0-9]\\)\\?(?![nrtbfu\"'\\/][^A-Za-z])(?=[A-Za-z0-9])")
_LONGEST_DOMAIN = 40  # characters of a domain or a name
_DOMAIN_LINE = re.compile(r"(?:\d{1,3}\.){3}\d|[Uu]ser|[Aa]ccount|[Ll]og[oi]n")
_LONGEST_LINE = 300  # characters before and after a word that are read
_NO_SUBJECT_WORDS = """
invalid illegal user users id ids
is are be been being get got stay keep remain already currently never only automatically successfully everyone someone
anyone nobody they it he people not just newly recently previously if when while once after before having
"""
_NO_SUBJECT = frozenset(_NO_SUBJECT_WORDS.split())
_NO_ACCOUNT = COMMON_WORDS | THING_WORDS | _NO_SUBJECT


def _in_events(text: str) -> Iterator[re.Match[str]]:
    """User names in the lines of events."""
    end = 0
    for at in find_words(text, _EVENT_WORDS):
        if at < end:
            continue
        check_cancelled()
        start = max(text.rfind("\n", end, at) + 1, end, at - _LONGEST_LINE)
        end = text.find("\n", at, at + _LONGEST_LINE) + 1 or min(len(text), at + _LONGEST_LINE)
        for match in chain(_EVENT.finditer(text, start, end), _QUOTED.finditer(text, start, end)):
            name = match["name"].lower()
            is_prose = _IN_PROSE.match(text, *match.span("name")) and text[match.end("name") :][:2].strip().isalpha()
            if name not in _NO_SUBJECT and (not (is_prose or name in THING_WORDS) or "F" in listed(name)):
                yield match
        if _SIGN_IN.search(text, start, end):
            for match in _USER.finditer(text, start, end):
                if match["name"].lower() not in _NO_ACCOUNT and not _ABSTRACT.search(match["name"]):
                    yield match
        for match in _BESIDE.finditer(text, start, end):
            if match.lastgroup != "verb" or match["verb"].lower() not in _NO_ACCOUNT:
                yield match
    for sign in find_matches(_BACKSLASH, text) if "\\" in text else ():
        line = slice(max(0, sign.start() - _LONGEST_LINE), sign.end() + _LONGEST_LINE)
        found = _OF_DOMAIN.search(text, max(0, sign.start() - _LONGEST_DOMAIN), sign.end() + _LONGEST_DOMAIN)
        if found and _DOMAIN_LINE.search(text, line.start, line.stop):
            yield found


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
    (
        (
            *("user=", "ruser=", "suser=", "duser=", "srcuser=", "dstuser=", "authuser=", "xauthuser=", "unauthuser="),
            *(
                "remote_user=",
                "sasl_username=",
                "user_name=",
                "username=",
                "usr=",
                "usrName=",
                "uid=",
                "auid=",
                "AUID=",
            ),
            *("logname=", "acct=", "accountName=", "login=", "actor=", "set_id=", "user_id=", "userid=", "userId="),
        ),
        _ASSIGNED,
    ),
    (("sudo",), _SUDO),
    (("uid", "sAMAccountName"), _ENTRY),
)
_LINES = ((" [", _ACCESS), ("-", _LISTED))


def find_user_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of user names, except system accounts."""
    for match in chain(_matches(text), _in_events(text)):
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


_DAYS = frozenset(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))  # after "Last login:"


def is_assigned_user_name(value: str) -> bool:
    """Whether the text after `login:` is a user name, not a word of a message."""
    bare = value.strip()
    if not is_user_name(value) or bare.count(".") > 1 or bare in _DAYS:
        return False
    return bare.lower() not in THING_WORDS or "F" in listed(bare)


def _anybodys(name: str) -> bool:
    """Whether a name is a user's: not in capitals, a system account or code."""
    return (
        name.lower() not in _NONE
        and not name.isupper()
        and not key_words().is_label(name)
        and not name.startswith(_CODE)
    )
