"""Splits texts into search terms: splits names at case and punctuation, stems words, knows synonyms."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # compiling a character class of these takes 1 to 2 ms
_IGNORED_WORDS = """a an the of to in on for and or is are be was were with by from at
as it its this that these those i me my we our
you your he she they them his her their can could
would should will shall may might do does did have has had what
which who whom how when where why please need want like help"""
_IGNORED = frozenset(_IGNORED_WORDS.split())
# Longest first. Not linguistically correct: a word of a query and a word of a description only need the same stem.
_ENDINGS = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ments", "ment"),
    ("ities", "ity"),
    ("ings", ""),
    ("sses", "ss"),
    ("ing", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ers", "er"),
    ("ed", ""),
    ("es", "e"),
    ("s", ""),
)
_SYNONYMS = """delete remove erase drop destroy clear purge
create add make new insert generate
list show enumerate display browse
get fetch retrieve read obtain view load
find search lookup query locate discover
update edit modify change patch set alter
send post publish push deliver
message sms text chat
email mail
issue ticket bug defect
repository repo project
directory folder dir
file document
picture image photo
run execute invoke launch start trigger
stop cancel abort terminate halt kill
copy duplicate clone
rename move
download export save
upload attach import
meeting appointment event calendar
user person people member account
company organization organisation business
customer client contact
comment note annotation
reply respond answer
weather forecast temperature climate
price cost pricing fee
stock share equity ticker
currency exchange forex
money balance fund payment pay
buy purchase order
summarize summary summarise
chart graph plot diagram visualize
map location place address geocode
route direction navigation distance
movie film
song music track audio
website site webpage page url link
crawl scrape extract
database db sql
column field property
row record entry item
log trace output
error exception failure crash
test check verify validate
deploy release rollout
pipeline build job ci
password secret credential
permission access role grant
number count quantity amount total
calculate compute
schedule plan remind reminder
task todo
news article headline"""


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[{_CJK}]+|[^\W\d_A-Za-z]+")


@cache
def _cjk_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]")


def terms(text: str, *, keep_all: bool = False) -> list[str]:
    """Return stemmed words in order. `keep_all` keeps stop words too, as names need them."""
    found: list[str] = []
    for word in _word_pattern().findall(text):
        if _cjk_pattern().match(word):
            found.extend(word[start : start + 2] for start in range(max(1, len(word) - 1)))
        elif (lowered := word.lower()) not in _IGNORED or keep_all:
            found.append(stem(lowered))
    return found


def surfaces(text: str) -> dict[str, str]:
    """Return each term of a text with the word that it was made from."""
    found: dict[str, str] = {}
    for word in _word_pattern().findall(text):
        for term in terms(word):
            found.setdefault(term, word)
    return found


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    if len(word) > 4:
        for ending, instead in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
                word = word[: -len(ending)] + instead
                break
        if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
            word = word[:-1]
        if word.endswith("e") and len(word) > 4:
            word = word[:-1]
    return word


def trigrams(name: str) -> frozenset[str]:
    """Return the trigrams of a name, to find similar names."""
    padded = f"  {''.join(mark for mark in name.lower() if mark.isalnum())[:100]} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


@lru_cache(maxsize=1)
def synonyms() -> dict[str, frozenset[str]]:
    """Return stem → stems of its synonyms."""
    table: dict[str, frozenset[str]] = {}
    for line in _SYNONYMS.splitlines():
        group = frozenset(stem(word) for word in line.split())
        for word in group:
            table[word] = table.get(word, frozenset()) | (group - {word})
    return table
