"""Detects secrets by their vendor's form, in sentences or by key, and logins in URLs such as
`postgres://user:password@host`.

The forms are a table (`secret_rules.py`); a pattern runs only where its keyword occurs. A secret without a vendor's
form is found by its key (`password=`), never by its randomness alone; after a vague key (`fathomKey`), it is random.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from workbench.privacy.detectors.secret_rules import SecretRule, secret_rules
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches

SECRET: Final = "SECRET"

SHORTEST = 14  # characters; in shorter texts the rules below find nothing
LONGEST_BLOCK = 8_000  # characters of a private key

_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_LINES = re.compile(r"(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{20,80}){1,120}")  # of a key that was cut off
_BLOCK_END = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")

# Values under a secret's key that are no secrets.
_NONE_WORDS = """
none null nil true false string str int bool boolean object bytes undefined required optional password passwd secret
token redacted hidden masked unset empty missing invalid expired valid wrong incorrect changed reset example enabled
disabled bearer basic yes unknown default self text type attribute property method function class module config value
field option number array list dict any authentication callable
"""
_NONE = frozenset(_NONE_WORDS.split())
_MASKED = re.compile(r"[*•x.#-]+|\[.*\]|<.*>|\$?\{.*\}?|%.*%|\$\w+|\.{3}", re.IGNORECASE | re.DOTALL)
_FILL_IN = re.compile(
    r"(?:your|insert|replace|enter)[-_](?:[a-z]{2,12}[-_]){0,5}[a-z]{2,12}[-_]?\d{0,12}", re.IGNORECASE
)
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|.*[(\[{].*", re.DOTALL)
_PATH = re.compile(r"/[a-z]{2,12}/?|(?:~|[A-Za-z]:)?(?:[/\\]{1,2}(?i:[a-z][\w.+-]{0,40})){2,12}[/\\]?")
# The address of a page or service, or the ARN of a resource.
_ADDRESS = re.compile(
    r"https?://[a-z0-9.-]{1,100}(?::\d{1,5})?(?:/(?:[a-z][a-z_-]{1,20}\d?|v\d)){0,6}/?"
    r"|(?:arn:aws:|[a-z]{2}-[a-z]{3,10}-\d:\d{12}:)[\w:/*.-]{1,300}"
)
_CLASS = re.compile(r"(?:[A-Z][a-z]{1,20}){1,6}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Api-?Key|Key|SSWS|GenieKey|OAuth|JWT) \S{6,}", re.IGNORECASE)


def find_secrets(text: str) -> Iterator[DetectedSpan]:
    """Secrets with a known form, with the vendor as reason."""
    if len(text) < SHORTEST:
        return
    scanned: set[str] = set()
    for rule, start, end in secret_rules().find_keywords(text):
        if rule.form == "prose":
            yield from _find_announced_secret(rule, text, start)
            continue
        for match in _matches(rule, text, start, end, scanned):
            if (not rule.entropy or _entropy(match.group()) > rule.entropy) and _is_right(rule, match):
                yield DetectedSpan(*match.span(rule.secret_group), SECRET, rule.reason)
    if "PRIVATE KEY" in text:
        for start, end in _blocks(text):
            yield DetectedSpan(start, end, SECRET, "private key")


_TAIL: Final = 12  # characters at the end of a secret; if all are the same, it is a placeholder


def _is_right(rule: SecretRule, match: re.Match[str]) -> bool:
    """Whether what follows a mere word can be a secret: letters with digits or signs, no code or placeholder."""
    if rule.form == "mixed":
        value = match[rule.secret_group]
        return is_assigned_secret(value) and _is_told_password(value) and not _is_identifier(value)
    if rule.form == "login":
        return not _PLACEHOLDER.match(match[rule.secret_group])
    if rule.form == "random":
        return _is_random_after(match)
    tail = set(match[rule.secret_group].lower()[-_TAIL:])
    return len(tail) > 1 or (_has_clear_prefix(rule) and tail.isdisjoint("x0._-"))


def _has_clear_prefix(rule: SecretRule) -> bool:
    """Whether a rule's prefix alone shows a secret, so that a test's `sk_live_aaaa…` is one too."""
    prefix = rule.keywords[0]
    return rule.form == "prefix" and (len(prefix) > _SHORT_PREFIX or prefix.endswith(("_", ".", "-")))


# Words of a key that announce no secret, though it contains "key", "token" or "auth".
_INNOCENT_KEY = re.compile(
    r"public|pub_?key|hash|sha\d|md5|digest|checksum|fingerprint|web_?socket|(?<!ac)count|tokeni[sz]|idemp|i18n|author(?!iz)"
    r"|(?:page|next|contin[a-z]{0,8}|cursor|sync|resume|scroll)_?token"
    r"|(?:key|token|secret|cred[a-z]{0,8}|auth)s?[_.-]?(?:ids?(?![a-z])|name|path|file|url|uri|type|ver|len|size|usage|algo"
    r"|header|alias|arn|ref(?!resh)|exp|label|prefix|mode|method|flow|scope|provider|class|server)"
)
# Words before a mere "key" that announce none.
_MERE_KEY = re.compile(
    r"(?<![a-z])(?:cache|sort|primary|foreign|partition|ind(?:ex|ices)|l10n|translation|sync|object|s3|layer|query|lookup"
    r"|dedup(?:e|lication)?|group|route|item|row|column|field|map|dict|data|state|event|parent|child|node|identity|unique"
    r"|composite|bundle|page|next|e_?tag|trace|span|record|file|blob|job|task|storage|gpg|pgp|image|resource|request|asset"
    r"|artifact|message|entity|document|chunk|build|release|version|deps|tag)s?(?:_?key|(?![a-z]))"
    r"|key(?:b|f|w|set|st|path|chain|s(?![a-z]))"
    r"|(?:mon|tur|hoc|joc|whis|don|chut)key"
)
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOLD_KEY = re.compile(
    r"token|secret|passw|pwd|cred|bearer|psk|(?:api|access|private|licen[sc]e|auth|signing|encryption|subscription|service|admin|master"
    r"|deploy|client|write|ingest(?:ion)?|server|hmac|account)[_ .-]{0,3}key"
)
_KEY_BEFORE = re.compile(r"[\w.-]{0,30}\Z", re.ASCII)
_WORD_BEFORE = re.compile(r"[A-Za-z][A-Za-z0-9]{1,30}[ ]\Z")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[0-9a-f]{20,128}|[0-9A-F]{20,128}")
_SHORT_PREFIX = 3
_SHORTEST_PART = 12
_FEWEST_SIGNS = 8  # different characters of a random value
_FEWEST_CHANGES, _LEAST_CHANGES = 4, 0.2  # in a random value, and for each of its characters


def _is_random_after(match: re.Match[str]) -> bool:
    """Whether a value is random and its key, or the words before it, announce a secret: `fooApiKey := "…"`."""
    text, start = match.string, match.start()
    value = match["secret"]
    groups = match.groupdict()
    if groups.get("vendor"):
        return _looks_random(value) or _UUID.fullmatch(value) is not None
    before = _KEY_BEFORE.search(text, max(0, start - 30), start)
    key = f"{before.group() if before else ''}{match['word']}"
    if groups.get("space") and (word := _WORD_BEFORE.search(text, max(0, start - 32), start)):
        key = f"{word.group()}{key}"
    key = _CAPITAL.sub("_", key).lower()
    told = _TOLD_KEY.search(key) is not None
    if _INNOCENT_KEY.search(key) or (not told and _MERE_KEY.search(key)):
        return False
    if _UUID.fullmatch(value):
        return told
    is_auth = match["word"].lower() == "auth"
    if not _looks_random(value) and not is_auth:
        return False
    if groups.get("space") or match["word"].lower().startswith("auth"):
        return told or (is_auth and _is_encoded_login(value))
    return told or len(key) > len("key_") or text[start - 1 : start] in ("?", "&")


def _is_encoded_login(value: str) -> bool:
    """Whether a value is `user:password` in base64, as registries of containers store it."""
    try:
        login = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return login.isprintable() and ":" in login[1:-1]


def _looks_random(value: str) -> bool:
    """Whether a value changes between letters, capitals and digits more often than words and numbers do."""
    if len(set(value)) < _FEWEST_SIGNS or not _is_mixed(value) or _is_technical(value) or _NEXT_KEY.match(value):
        return False
    if _HEXADECIMAL.fullmatch(value):
        return True
    part = _WORD_PART.sub("", max(value.split("."), key=len))
    return len(part) >= _SHORTEST_PART and len(_CHANGE.findall(part)) >= max(
        _FEWEST_CHANGES, len(part) * _LEAST_CHANGES
    )


_NEXT_KEY = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,30}=[^=]")  # `request_id=4884a66e…`
_WORD_PART = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][a-z]{2,20}[_-]")
# A letter or digit after one of another sort; the capital of a word is none.
_CHANGE = re.compile(
    r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z](?![a-z]{2}))|(?<=[A-Z])(?=[a-z](?![a-z]))"
)


_IDENTIFIER = re.compile(
    r"[A-Za-z]{1,20}(?:[_.-][A-Za-z]{1,20}){0,6}\d{0,3}|[a-z]{1,20}(?:[A-Z][a-z]{1,20}){0,6}\d{0,2}"
    r"|[a-z]{3,20}(?:-[a-z]{2,20}){1,6}(?:-[a-z0-9]{8,10})?-[a-z0-9]{5}"  # `default-token-x7f9k`, made by Kubernetes
)


def _is_identifier(value: str) -> bool:
    return _IDENTIFIER.fullmatch(value) is not None and not (
        value.islower() and value.isalnum() and len(value) < SHORTEST
    )


def _matches(rule: SecretRule, text: str, start: int, end: int, scanned: set[str]) -> Iterator[re.Match[str]]:
    """The matches of a rule whose keyword is between `start` and `end`."""
    if rule.form == "scan":
        if rule.regex not in scanned:
            scanned.add(rule.regex)
            yield from find_matches(rule.pattern, text)
    elif match := _named(rule, text, start, end) if rule.form == "named" else rule.pattern.match(text, start):
        yield match


# `jira_token = "`, `"jiraToken": "`, `JIRA_PAT=`: what is between a vendor's name and a value
_ASSIGNED = re.compile(r"""[ \t\w.-]{0,20}+[\s'"\\]{0,3}+(?:=>|:{1,3}=|\|\||\?=|[=>:,])[`'"\s=\\]{0,5}+""", re.ASCII)
_SECRET_WORD = re.compile(r"key|token|secret|passw|pwd|auth|cred|pat(?![a-z])|bearer|api", re.IGNORECASE)
_VALUE_END = re.compile(r"""(?=[\s"'`;,)\]}<>&|\\]|\Z|\.(?:\s|\Z))""")
_BEFORE_NAME = 16  # characters before a vendor's name that belong to the key: `token_for_jira`


def _named(rule: SecretRule, text: str, start: int, end: int) -> re.Match[str] | None:
    """The value of a key with a vendor's name and a word such as "token"."""
    assigned = _ASSIGNED.match(text, end)
    if not assigned or not (match := rule.pattern.match(text, assigned.end())):
        return None
    key = text[max(0, start - _BEFORE_NAME) : assigned.end()].rsplit("\n", 1)[-1]
    told = _SECRET_WORD.search(key) and _VALUE_END.match(text, match.end()) and _is_mixed(match.group())
    return match if told else None


def _is_mixed(value: str) -> bool:
    """Whether a value has digits and letters: a word, a number or a placeholder of one letter is no secret."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _entropy(value: str) -> float:
    """Bits per character."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


# Terms that make "the token is base64-encoded" no secret, though it has digits.
_TECHNICAL = re.compile(
    r"(?:base|sha|md|aes|rsa|rs|hs|es|ps|ed|utf|oauth|ipv|http|iso|rfc|x|pkcs|python|py|v|b|u|p|h)-?\d{1,5}"
    r"|\d{1,6}(?:ms|[shd]|days?|kb|mb|px|x\d{1,6})"
    r"|(?:\d{1,6})?(?:bit|byte|char|character|digit|letter|day|hour|minute|second)s?|hex|hash(?:ed)?|encoded|encrypted",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[-_./+:]")
_PASSWORD_WORDS = ("pass", "pwd", "kenn", "mot", "contra", "senha", "wacht")
_PASSWORD_SIGNS = frozenset("!@#$%^&*+=~?")
_SHORTEST_PASSWORD, _SHORTEST_TOKEN = 5, 8


def _find_announced_secret(rule: SecretRule, text: str, start: int) -> Iterator[DetectedSpan]:
    """The secret in a sentence such as "the password is …"."""
    if match := rule.pattern.match(text, start):
        begin = match.start("quoted") if match["quoted"] else match.start("bare")
        value = (match["quoted"] or match["bare"]).rstrip(".,;:?")
        is_password = match["word"].lower().startswith(_PASSWORD_WORDS)
        if is_assigned_secret(value) and (_is_told_password(value) if is_password else _is_told_token(value)):
            yield DetectedSpan(begin, begin + len(value), SECRET, f"word {match['word']}")


def _is_told_password(value: str) -> bool:
    if value.isdigit():
        return True
    mixed = _is_mixed(value) or (not _PASSWORD_SIGNS.isdisjoint(value[1:-1]) and any(map(str.isalpha, value)))
    return mixed and len(value) >= _SHORTEST_PASSWORD and not _is_technical(value)


def _is_told_token(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return len(value) >= _SHORTEST_TOKEN and digits > 1 and _is_mixed(value) and not _is_technical(value)


def _is_technical(value: str) -> bool:
    """Whether a value consists of technical terms, words and numbers: `base64-encoded`, `RS256`, `2024-05-06`."""
    if _TECHNICAL.fullmatch(value):
        return True
    parts = set(_PARTS.split(value)) - {""}
    terms = {part for part in parts if _TECHNICAL.fullmatch(part)}
    return all(part.isdigit() or (bool(terms) and part.isalpha()) for part in parts - terms)


def is_secret(value: str) -> bool:
    """Whether a value under a secret's key is a secret, not a placeholder, date or sentence."""
    bare = value.strip()
    if _SCHEME.fullmatch(bare) or bare.startswith("-----BEGIN"):
        return True
    if not 3 <= len(bare) <= 4_000 or len(bare.split(maxsplit=1)) > 1:
        return False
    return bare.lower() not in _NONE and not any(
        form.fullmatch(bare) for form in (_MASKED, _FILL_IN, _DATE, _PATH, _ADDRESS)
    )


def is_assigned_secret(value: str) -> bool:
    """Whether the text after `password=` is a secret, not code that refers to one."""
    bare = value.rstrip(")]}:")
    return is_secret(value) and len(bare) >= 4 and bare.lower() not in _NONE and not _CODE.fullmatch(bare)


_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
_RANDOM = re.compile(r"[\w+/=.~!@#$%^&*-]{8,400}")
_HASH = re.compile(r"(?:[0-9a-f-]{32,40}|[0-9a-f]{64}|[0-9A-F-]{32,40}|[0-9A-F]{64})")
_HASH_PART = re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{32,64}(?![A-Za-z0-9])")  # of `Linux-pip-9f86d081…`, a cache's key
_SHORTEST_KEY = 24  # characters of a random value under a mere `key`
_ALL_CASES = 3  # capitals, small letters and digits


def is_random_secret(value: str) -> bool:
    """Whether a value under a key that may announce something else (`key`, `pass`, `auth`) is random: short ones have
    signs of a password, long ones capitals, small letters and digits; no hash, UUID, word or path."""
    bare = value.strip().strip("\"'`")
    if (
        not _RANDOM.fullmatch(bare)
        or _ENCODED.search(bare)
        or not is_assigned_secret(bare)
        or _HASH.fullmatch(bare)
        or _HASH_PART.search(bare)
        or _is_technical(bare)
    ):
        return False
    cases = sum(any(map(sort, bare)) for sort in _SORTS)
    if len(bare) < _SHORTEST_KEY:
        return cases >= _ALL_CASES and not _PARTS.search(bare) and not _WORDED.fullmatch(bare)
    return cases >= _ALL_CASES and _entropy(bare) > _LEAST_ENTROPY and not _LONG_WORD.search(bare)


_LEAST_ENTROPY = 3.9  # bits a character
_WORDED = re.compile(r"(?:[A-Z]?[a-z]{2,20}){1,4}\d{0,4}[!.]?|[A-Z]{2,20}[a-z]?\d{0,6}")
_LONG_WORD = re.compile(r"[a-z]{7}|[A-Z]{7}")


_SORTS = (str.isdigit, str.isupper, str.islower, lambda sign: not sign.isalnum())
_SHORTEST_JUMBLE = 10
_WORD_IN_CODE = re.compile(r"[a-z]{4}|[A-Z]{5}|\$\{|\{\{|%\(|\)\.")
_WORDED_PREFIX = re.compile(r"(?:[a-z]{3,12}-){1,3}")


def is_jumble(value: str) -> bool:
    """Whether a value has all sorts of characters and no word, as code and placeholders have."""
    bare = _WORDED_PREFIX.sub("", value, count=1)
    mixed = all(any(map(sort, bare)) for sort in _SORTS)
    return mixed and len(bare) >= _SHORTEST_JUMBLE and _WORD_IN_CODE.search(bare) is None


_NO_TOKEN = re.compile(
    r"-?\d{1,9}\.\d{1,20}|[a-z]{2,20}(?:\.[a-z]{2,20}){1,5}\d?"
)  # `0.25`, `keyword.operator.logical2`


def is_secret_and_no_count(value: str) -> bool:
    """Like `is_secret`, for tokens and cookies: a short number is a count or an index."""
    bare = value.strip()
    return is_secret(value) and not (bare.isdigit() and len(bare) < SHORTEST) and not _NO_TOKEN.fullmatch(bare)


def is_assigned_secret_and_no_count(value: str) -> bool:
    """Like `is_assigned_secret`, for tokens and cookies."""
    return is_assigned_secret(value) and is_secret_and_no_count(value) and not _CLASS.fullmatch(value)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while begin := _BLOCK.search(text, at):
        end = _BLOCK_END.search(text, begin.end(), begin.end() + LONGEST_BLOCK) or _BLOCK_LINES.match(text, begin.end())
        at = end.end() if end else begin.end()
        if end:
            yield begin.start(), end.end()


_USER = re.compile(r"(?<=://)[^\s/@:\"'<>\0]{0,128}+:[^\s/@\"'<>\0]{1,256}+@")
_PLACEHOLDER = re.compile(r"[$<{%*]|(?:user|username)?:(?:pass|password|pwd|x+)$", re.IGNORECASE)


def find_url_credentials(text: str) -> Iterator[tuple[int, int]]:
    """Spans of `user:password` in URLs, without the "@"."""
    if "://" not in text or "@" not in text:
        return
    for match in find_matches(_USER, text):
        if not _PLACEHOLDER.match(match.group()[:-1]):
            yield match.start(), match.end() - 1


def is_url_credential(value: str) -> bool:
    """Accepts no value: no key announces logins in URLs."""
    return False
