"""Checks whether a value under a key looks like the name of a person, a user or a company."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.privacy.detectors import user_names
from workbench.privacy.detectors.announced_values import REQUIRED, is_placeholder
from workbench.privacy.detectors.key_words import fold, key_words
from workbench.privacy.detectors.name_model import name_model
from workbench.privacy.detectors.word_lists import COMMON_WORDS as COMMON
from workbench.privacy.detectors.word_lists import THING_WORDS as THINGS

MOST_WORDS = 6
_FEWEST = 2  # words of a first and last name
_MOST_WORDS_ANNOUNCED = 10  # with all given names and particles

_NAME = re.compile(r"[^\W\d_][^\d_@{}<>=|\\/:;\[\]#$%^*~\"\0\n：；，。、「」（）【】]{1,79}")
_ORDINAL = re.compile(r",? (?:\d(?:st|nd|rd|th)|[\"“”(«„][^\W\d_][^\"“”()«»„\0\n]{0,30}[\"“”)»])(?= |$)")
_SENTENCE_WORDS = "the of is are your please must should enter this that with from which used when if"
_SENTENCE = frozenset(_SENTENCE_WORDS.split())
_CODE = re.compile(r"[()!?&+]|[^\W_]{2}\.\w|[a-z0-9_]\.\w")
_WORD = re.compile(r"[^\s,]+")
_PARTICLES_WORDS = "de van der den von da di del della la le el bin al dos du y of ter ten zu"
PARTICLES = frozenset(_PARTICLES_WORDS.split())
_JOINING_WORDS = "en e i und op zum zur vom im auf st"
_JOINING = PARTICLES | frozenset(_JOINING_WORDS.split())
_TITLES_WORDS = """
mr mrs ms miss mx sir dr prof professor herr frau dipl mag ing m mme mlle sig sig.ra dott dott.ssa sr sra srta don doña
pan pani dhr mevr mw bay bayan shri smt
"""
_TITLES = frozenset(_TITLES_WORDS.split())
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_SMALL = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NO_PERSON_WORDS = """
team department group support sales service services bot admin system inc ltd llc gmbh ag corp company office
anonymous unknown none null string user guest everyone marketing engineering desk account automation test operations
workbench
"""
NO_PERSON = frozenset(_NO_PERSON_WORDS.split())
_NO_NAME_WORDS = "string null none unknown n/a na anonymous object true false undefined nil nan empty redacted required"
_NO_NAME = frozenset(_NO_NAME_WORDS.split())


def can_be_name(value: str) -> bool:
    """Whether a value under a name key can be a name."""
    bare = value.strip()
    words = bare.split()
    return _NAME.fullmatch(bare) is not None and 1 <= len(words) <= MOST_WORDS and bare.lower() not in _NO_NAME


def is_announced_name(value: str) -> bool:
    """Whether a value under a sure name key is a name: in any script and case, one word, initials, with title or
    ordinal; not a label or sentence, as in forms and translations."""
    bare = value.strip()
    if _NAME.fullmatch(bare) is None and not (len(bare) == 1 and bare.isalpha() and not bare.islower()):
        bare = _ORDINAL.sub("", bare).lstrip("'’ʻ")
        if _NAME.fullmatch(bare) is None:
            return False
    words = bare.split()
    if len(words) > 1:
        fits = len(words) <= _MOST_WORDS_ANNOUNCED and _SENTENCE.isdisjoint(words) and REQUIRED.isdisjoint(words)
    else:
        fits = (small := bare.lower()) not in _NO_NAME and small not in REQUIRED
    return fits and not key_words().is_label(bare)


def is_initials(value: str) -> bool:
    """Whether a value under a key of initials is one to five letters."""
    return 1 <= sum(map(str.isalpha, value)) <= _MOST_INITIALS and _INITIALS.fullmatch(value.strip()) is not None


def is_assigned_name(value: str) -> bool:
    """Whether the text after `customer name:` looks like a name, not like code or a sentence. Without capitals, its
    first word must be a known first name."""
    words = value.replace(",", " ").split()
    if not is_announced_name(value) or _CODE.search(value) or words[0].lower() in _SENTENCE:
        return False
    while len(words) > 1 and words[0].rstrip(".").lower() in _TITLES:
        words = words[1:]
    return all(_begins_name(word) or word in _JOINING for word in words) or _is_known_in_small_letters(words)


def is_role_name(value: str) -> bool:
    """As `is_full_name`, also in small letters with a known first name."""
    if is_full_name(value):
        return True
    words = value.split()
    if len(words) < _FEWEST or not value.islower() or not _LATIN.search(value):
        return False
    return is_announced_name(value) and _is_known_in_small_letters(words)


def _begins_name(word: str) -> bool:
    return word.lstrip("'’ʻ(\"")[:1].isalpha() and not word[0].islower()


def _is_known_in_small_letters(words: Sequence[str]) -> bool:
    if not 1 <= len(words) <= MOST_WORDS or not all(_SMALL.fullmatch(word) for word in words):
        return False
    if len(words) > 1 and not _LATIN.search("".join(words)):
        return True  # the lists have Latin names only
    lists = name_model().lists
    first, *others = map(fold, words)
    known = (word in lists.last or word in _JOINING or not ("C" in lists.of(word) or word in THINGS) for word in others)
    return is_known_first_name(first) and all(known)


def is_known_first_name(word: str) -> bool:
    """Whether a word is in the list of first names and no ordinary word."""
    small = fold(word)
    return small in name_model().lists.first and small not in COMMON and small not in THINGS


def is_full_name(value: str) -> bool:
    """Whether a value under a role's key looks like first and last name."""
    words = _WORD.findall(value)
    if _UNSPACED.fullmatch(value.strip()):
        return not is_placeholder(value) and not _UNIT_END.search(value.strip()) and not key_words().is_label(value)
    return (
        is_assigned_name(value)
        and any(map(_begins_name, words))
        and _FEWEST <= len(words) <= 5
        and NO_PERSON.isdisjoint(small := {word.lower().strip(".") for word in words})
        and not THINGS.issuperset(small)
        and (value.isupper() or not any(map(_ACRONYM.fullmatch, words)))
    )


_MOST_INITIALS = 5
_INITIALS = re.compile(r"[^\W\d_](?:[. -]{0,2}[^\W\d_]){0,4}\.?")
# Names in Han, Kana and Hangul, which need no space between their parts; and the last signs of departments and teams.
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々]{2,8}(?:[ \u3000・･][\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々]{1,8})?"
)
_UNIT_END = re.compile(
    r"(?:[部課局係室社店団班組会科处司厅院校行站员部팀부과실社]|チーム|サポート|システム|センター|グループ|管理者|관리자|시스템|管理员)$"
)
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_LETTERS = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\W\d_]\.)[,.]?")
_INITIAL = 2  # letters of an initial
_MOST = 5
_HANDLE = re.compile(r"@?[a-z][a-z0-9]*(?:[._][a-z0-9]+)*")
_CASED_HANDLE = re.compile(r"@?[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
_LONGEST_HANDLE = 40
_FIRST_NAMES = 2  # words that may be the first name: a title may be before it
_ID = re.compile(r"[A-Z]{1,4}[A-Z0-9]*\d[A-Z0-9]*|[a-z]{1,3}[_-]?\d+|[a-z]{1,12}[_-]?\d{5,}|[0-9a-f]{8,}")
_NOBODY_WORDS = """
root admin administrator system bot user guest test anonymous unknown nobody null none default service support string
github dependabot renovate ci deploy deployer backup daemon postgres mysql redis www http https api app server
public private internal external everyone team all me you self true false human ai assistant model agent tool function
object number boolean array integer date required optional yes no str int float bool bytes list dict any char varchar
text enabled disabled enum undefined nullable input output value
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def is_plausible_name(value: str) -> bool:
    """Whether the `name` of a record about a person is a person's: not a team or desk."""
    words = {word.lower() for word in _LETTERS.findall(value)}
    return can_be_name(value) and words.isdisjoint(NO_PERSON) and not words <= THINGS


def is_likely_name(value: str) -> bool:
    """Whether a `name` without context looks like first and last name, not like a thing's name."""
    parts = value.replace(",", ", ").split()
    if not 2 <= len(parts) <= _MOST or not all(map(_is_part, parts)):
        return False
    if key_words().is_label(value):
        return False
    words = [word.lower() for word in _LETTERS.findall(value) if len(word) > _INITIAL]
    return len(words) >= 2 and THINGS.isdisjoint(words) and not COMMON.issuperset(words)


def is_likely_known_name(value: str) -> bool:
    """As `is_likely_name`, with a known first name: under a key that says nothing of whose name it is."""
    _, comma, given = value.rpartition(",")
    words = _LETTERS.findall(given if comma else value)
    return is_likely_name(value) and any(map(is_known_first_name, words[:_FIRST_NAMES]))


def is_handle(value: str) -> bool:
    """Whether a value under a role's key is a user name: one word, no id, no system account."""
    bare = value.strip()
    if not 3 <= len(bare) <= _LONGEST_HANDLE or not _HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    if bare.lstrip("@") in _NOBODY or bare in THINGS or _is_attribute(bare):
        return False
    return user_names.is_user_name(bare)


def is_login(value: str) -> bool:
    """As `is_handle`, for the key `user`, where capitals and hyphens are possible."""
    bare = value.strip()
    if not 2 <= len(bare) <= _LONGEST_HANDLE or not _CASED_HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    if bare.lstrip("@").lower() in _NOBODY or bare.upper() == bare or _is_attribute(bare):
        return False
    return user_names.is_user_name(bare)


def _is_attribute(word: str) -> bool:
    """Whether a word is code such as `input.name`."""
    last = word.rpartition(".")[2] if "." in word else ""
    return last != "" and key_words().is_label(last)


def _is_part(part: str) -> bool:
    return part in PARTICLES or (_PART.fullmatch(part) is not None and part[0].isupper() and not _shouts(part))


def _shouts(part: str) -> bool:
    """Whether a word is an abbreviation such as `API`; a single letter is an initial."""
    return len(part.rstrip(".,")) > 1 and part.isupper()


_COMPANY_NAME = re.compile(r"[^\W_][^{}<>=|\\@\[\]\"\0\n]{1,99}")
_COMPANY_ID = re.compile(r"[A-Za-z]{0,8}[_-]?\d+|[0-9a-fA-F-]{16,}|https?:.*")
_NO_COMPANY_WORDS = "string null none unknown n/a true false object self internal external"
_NO_COMPANY = frozenset(_NO_COMPANY_WORDS.split())


def is_assigned_company(value: str) -> bool:
    """Whether the text after `company:` looks like a name, not like code or a sentence."""
    words = value.replace(",", " ").replace("&", " ").split()
    plain = len(words) <= 5 and not any(mark in value for mark in "()/?!:;")
    return plain and can_be_company(value) and all(not word[0].islower() for word in words)


def can_be_company(value: str) -> bool:
    """Whether a value under a company key is a name, not an id."""
    bare = value.strip()
    return (
        _COMPANY_NAME.fullmatch(bare) is not None
        and not _COMPANY_ID.fullmatch(bare)
        and bare.lower() not in _NO_COMPANY
        and not key_words().is_label(value)
    )
