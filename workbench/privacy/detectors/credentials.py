"""Detects secrets by prefix or key, and logins in URLs such as `postgres://user:password@host`.

Each pattern runs only where its keyword occurs, so a text without secrets costs a few plain searches. A secret without
an issuer's prefix is found by its key (`password=`), never by its randomness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from workbench.privacy.detectors.text_search import find_matches

_SECRET_KEYS = """
password passwd pwd passphrase passcode secret client_secret api_key apikey api_token access_key secret_key
secret_access_key auth_token access_token refresh_token bearer_token session_token id_token private_key encryption_key
signing_key webhook_secret authorization x_api_key token connection_string db_password cookie set_cookie account_key
user_password otp cvv cvc
"""
SECRET_KEYS = frozenset(_SECRET_KEYS.split())
SHORTEST = 14  # characters; in shorter texts the rules below find nothing
LONGEST_BLOCK = 8_000  # characters of a private key

# keyword → pattern; all repetitions are possessive and all starts are boundaries, so no text makes them slow
_RULES = {
    "AKIA": r"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])",
    "ASIA": r"(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}(?![A-Za-z0-9])",
    "ghp_": r"(?<!\w)ghp_\w{30,255}+",
    "gho_": r"(?<!\w)gho_\w{30,255}+",
    "ghu_": r"(?<!\w)ghu_\w{30,255}+",
    "ghs_": r"(?<!\w)ghs_\w{30,255}+",
    "ghr_": r"(?<!\w)ghr_\w{30,255}+",
    "github_pat_": r"(?<!\w)github_pat_\w{22,255}+",
    "glpat-": r"(?<![\w-])glpat-[\w-]{18,255}+",
    "xox": r"(?<![\w-])xox[abeoprs]-[\w-]{10,255}+",
    "xapp-": r"(?<![\w-])xapp-[\w-]{10,255}+",
    "sk-": r"(?<![\w-])sk-(?:ant-|proj-|svcacct-|or-)?(?=[\w-]*\d)[\w-]{20,255}+",
    "k_live_": r"(?<!\w)[rsp]k_live_\w{16,255}+",
    "k_test_": r"(?<!\w)[rsp]k_test_\w{16,255}+",
    "whsec_": r"(?<!\w)whsec_[\w+/=]{16,255}+",
    "AIza": r"(?<![\w-])AIza[\w-]{35}(?![\w-])",
    "GOCSPX-": r"(?<![\w-])GOCSPX-[\w-]{20,255}+",
    "ya29.": r"(?<![\w-])ya29\.[\w-]{20,999}+",
    "SG.": r"(?<![\w.-])SG\.[\w-]{16,64}+\.[\w-]{16,64}+",
    "npm_": r"(?<!\w)npm_[A-Za-z0-9]{30,255}+",
    "pypi-": r"(?<![\w-])pypi-[\w-]{40,999}+",
    "hf_": r"(?<!\w)hf_[A-Za-z0-9]{30,255}+",
    "dop_v1_": r"(?<!\w)dop_v1_[a-f0-9]{64}",
    "shpat_": r"(?<!\w)shpat_[A-Fa-f0-9]{32}",
    "shpss_": r"(?<!\w)shpss_[A-Fa-f0-9]{32}",
    "lin_api_": r"(?<!\w)lin_api_[A-Za-z0-9]{32,255}+",
    "hvs.": r"(?<![\w.])hvs\.[\w-]{20,255}+",
    "sq0": r"(?<!\w)sq0(?:atp|csp|idp)-[\w-]{22,255}+",
    "dckr_pat_": r"(?<!\w)dckr_pat_[\w-]{20,255}+",
    "NRAK-": r"(?<![\w-])NRAK-[A-Z0-9]{27}",
    "key-": r"(?<![\w-])key-[0-9a-f]{32}(?!\w)",
    "hooks.slack.com/services/": r"(?<=services/)[\w/]{20,120}+",
    "/api/webhooks/": r"(?<=webhooks/)\d{10,25}/[\w-]{20,120}+",
    ":AA": r"(?<=\d{8}):AA[\w-]{32,40}(?![\w-])",
    "eyJ": r"(?<![\w-])eyJ[\w-]{8,4000}+\.[\w-]{8,8000}+(?:\.[\w-]{0,2000}+)?",
    "earer ": r"(?<=[Bb]earer )(?=[^\s\"',;]*\d)[A-Za-z0-9+/=_.~-]{12,4000}+",
    "asic ": r"(?<=[Bb]asic )(?=[A-Za-z0-9+/]{0,99}[A-Z0-9=])(?![a-z]+\b)[A-Za-z0-9+/]{12,400}+={0,2}",
}
_BEHIND = ("hooks.slack.com/services/", "/api/webhooks/", "earer ", "asic ")  # the secret begins after these
_AHEAD = ("k_live_", "k_test_")  # the secret begins one letter before these
_OFFSETS = tuple((keyword, len(keyword) if keyword in _BEHIND else -(keyword in _AHEAD)) for keyword in _RULES)
_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")

# Values under a secret's key that are no secrets.
_NONE_WORDS = """
none null nil true false string str int bool boolean object bytes undefined required optional password passwd secret
token redacted hidden masked unset empty missing invalid expired valid wrong incorrect changed reset example enabled
disabled bearer basic yes unknown default self text type
"""
_NONE = frozenset(_NONE_WORDS.split())
_MASKED = re.compile(r"[*•x.#-]+|\[.*\]|<.*>|\$?\{.*\}?|%.*%|\$\w+|\.{3}", re.IGNORECASE | re.DOTALL)
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|.*[(\[{].*", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token) \S{6,}", re.IGNORECASE)


@cache
def _rule(keyword: str) -> re.Pattern[str]:
    return re.compile(_RULES[keyword], re.ASCII)


def find_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets with a known form."""
    if len(text) < SHORTEST:
        return
    for keyword, offset in _OFFSETS:
        at = text.find(keyword)
        while at >= 0:
            if match := _rule(keyword).match(text, max(0, at + offset)):
                yield match.span()
            at = text.find(keyword, at + len(keyword))
    if "PRIVATE KEY" in text:
        yield from _blocks(text)


def is_secret(value: str) -> bool:
    """Whether a value under a secret's key is a secret, not a placeholder, date or sentence."""
    bare = value.strip()
    if _SCHEME.fullmatch(bare) or bare.startswith("-----BEGIN"):
        return True
    if not 3 <= len(bare) <= 4_000 or any(letter.isspace() for letter in bare):
        return False
    return not (bare.lower() in _NONE or _MASKED.fullmatch(bare) or _DATE.fullmatch(bare))


def is_assigned_secret(value: str) -> bool:
    """Whether the text after `password=` is a secret, not code that refers to one."""
    bare = value.rstrip(")]}:")
    return is_secret(value) and len(bare) >= 4 and bare.lower() not in _NONE and not _CODE.fullmatch(bare)


def is_secret_and_no_count(value: str) -> bool:
    """Like `is_secret`, for tokens and cookies: a short number is a count or an index."""
    return is_secret(value) and not (value.strip().isdigit() and len(value.strip()) < SHORTEST)


def is_assigned_secret_and_no_count(value: str) -> bool:
    """Like `is_assigned_secret`, for tokens and cookies."""
    return is_assigned_secret(value) and is_secret_and_no_count(value)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while begin := _BLOCK.search(text, at):
        end = _BLOCK_END.search(text, begin.end(), begin.end() + LONGEST_BLOCK)
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
