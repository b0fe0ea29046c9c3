"""Detects names in prose in Arabic, Hebrew, Devanagari, Bengali, Gujarati and Georgian letters, which have no capitals.

A name is a given and a last name of the lists beside each other, or a word after a title; a given name alone counts
after a greeting or a role only, because many are ordinary words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from workbench.privacy.detectors.caseless_places import follows_place, is_thing
from workbench.privacy.detectors.script_name_lists import names_of
from workbench.privacy.detectors.script_words import name_score
from workbench.privacy.detectors.text_search import find_matches

_MOST = 4  # words of a name
SCORED = ("arabic", "hebrew", "devanagari")  # scripts with a classifier of words
_ORDINARY = -2.5  # score of a word that is no name even if it is in a list
SPELLINGS = str.maketrans("أإآٱةیک", "ااااهيك", "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0640\u200c")
_LOOK_BACK = 40  # characters before a name that may contain a title


class CaselessScript(Struct, frozen=True, eq=False):
    name: str
    word: re.Pattern[str]
    prefixes: tuple[str, ...]  # prepositions that are written together with the next word
    links: frozenset[str]  # words inside a name
    titles: re.Pattern[str]  # before a name
    roles: re.Pattern[str]  # before a name of which one word is in a list
    farewells: re.Pattern[str]  # before a line that is a name
    suffixes: frozenset[str]  # words after a name
    last: re.Pattern[str]  # endings of last names after a given name
    particles: frozenset[str]  # words after a name


def _script(
    name: str, letters: str, titles: str, *, prefixes: str = "", links: str = "", roles: str = "(?!)",
    farewells: str = "(?!)", suffixes: str = "", last: str = "(?!)",
    particles: str = "",
) -> CaselessScript:  # fmt: skip
    return CaselessScript(
        name,
        re.compile(rf"[{letters}]+(?:['’\"״׳-][{letters}]+)*"),
        tuple(prefixes.split()),
        frozenset(links.translate(SPELLINGS).split()),
        re.compile(rf"(?<!\w)(?:{titles})[ \u00a0]\Z"),
        re.compile(rf"(?<!\w)(?:{roles})[ \u00a0]?[:,،]?[ \u00a0]\Z"),
        re.compile(rf"(?<!\w)(?:{farewells})[,،]?[ \t]{{0,3}}\n\s{{0,3}}\Z"),
        frozenset(suffixes.split()),
        re.compile(rf"(?:{last})\Z"),
        frozenset(particles.split()),
    )


SCRIPTS = (
    _script(
        "arabic",
        "\u0621-\u064a\u0671-\u06d3\u064b-\u0652\u200c",
        r"(?:و|ل|ب)?(?:ال|لل)?(?:سيد|سيدة|آنسة|دكتور|دكتورة|أستاذ|أستاذة|مهندس|مهندسة|شيخ|شيخة|أمير|أميرة|نقيب"
        r"|محامي|محامية|بروفيسور)"
        r"|جناب آقای|سرکار خانم|آقای|خانم|دکتر|مهندس",
        prefixes="و ل ب ف ك لل",
        links="بن ابن بنت أبو ابو أم آل عبد الدين",
        roles=r"(?:و|ل|ب|لل|ال|بال|وال)?(?:عزيزي|عزيزتي|أخي|أختي|عميل|عميلة|موظف|موظفة|مريض|مريضة|مدير|مديرة|زميل"
              r"|زميلة|مرسل|مستلم|طالب|طالبة|مرحبا"
        r"|مرحباً|أهلا|أهلاً|شكرا|شكراً|اسم|اسمي|اسمه|اسمها|يدعى|تدعى|باسم|السلام عليكم|سلام|جناب|مشتری)",
        farewells=r"(?:مع )?(?:أطيب|خالص|أجمل)? ?(?:ال)?(?:تحيات|تحياتي|تحية|شكر|احترام"
                  r"|تقدير)(?: [\u0621-\u064a]+)?|شكراً?|وتفضلوا بقبول [^\n]{3,30}|با احترام|با تشکر",
        last=r"^ال[\u0621-\u064a]{2,8}ي[ةه]?|[\u0621-\u064a]{2,8}(?:زاده|پور|نژاد|وند)",
    ),
    _script(
        "hebrew",
        "\u05d0-\u05ea",
        r"(?:[לבמשוכ]?ה?מר|[לבמשוכ]?גברת|[לבמשוהכ]?(?:גב['׳]|ד[\"״]ר|פרופ['׳]|פרופסור|עו[\"״]ד|הרב|דוקטור))",
        prefixes="ל ב מ ש ו כ",
        links="בן בר אבו אל",
        roles=r"[לבמשוכ]?ה?(?:שלום|היי|לכבוד|יקר|יקרה|לקוח|לקוחה|עובד|עובדת|מנהל|מנהלת|חולה|מטופל|מטופלת|שולח|נמען"
              r"|בשם|שמי|שמו|שמה|את|עם|של|מאת|אל|תודה)",
        farewells=r"בברכה|בכבוד רב|תודה|תודה רבה|בתודה|להתראות|ב?ברכה רבה|בידידות",
    ),
    _script(
        "devanagari",
        "\u0900-\u0963\u0970-\u097f",
        r"श्री|श्रीमती|श्रीमान|सुश्री|कुमारी|डॉ\.?|डॉक्टर|प्रो\.?|प्रोफेसर|पंडित|मोहम्मद|प्रिय",
        roles=r"ग्राहक|मरीज|मरीज़|कर्मचारी|प्रबंधक|सहकर्मी|प्रेषक|नमस्ते|नमस्कार|नाम|आवेदक|धन्यवाद|कृपया|छात्र|छात्रा",
        farewells=r"सादर|धन्यवाद|भवदीय|भवदीया|शुभकामनाओं सहित|आपका|आपकी",
        suffixes="जी साहब साहिब",
        particles="ने का की के को से में पर तक जी है हैं था थी थे और द्वारा कल आज भी ही तो नहीं",
    ),
    _script("bengali", "\u0980-\u09ff", r"জনাব|জনাবা|শ্রী|শ্রীমতী|ডাঃ|ডা\.|ডঃ|মিঃ|মিসেস|প্রিয়",
            farewells=r"ধন্যবাদ|শুভেচ্ছান্তে|বিনীত"),
    _script("gujarati", "\u0a80-\u0aff", r"શ્રી|શ્રીમતી|કુમારી|ડૉ\.?", suffixes="જી ભાઈ બેન"),
    _script(
        "georgian", "\u10d0-\u10ff", r"ბატონი|ბატონო|ქალბატონი|ქალბატონო|ბ-ნი|ქ-ნი|დოქტორი|ძვირფასო",
        farewells=r"პატივისცემით|მადლობა", last=r"(?:შვილი|ძე|ია|უა|ური|იანი)(?:ს|მა|მ|სთან|ს)?",
    ),
)  # fmt: skip
_CONNECTED = (" ", "\u00a0")


def find_caseless_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names in these scripts."""
    for script in SCRIPTS:
        if next(find_matches(script.word, text), None):
            yield from _names(script, text)


def _names(script: CaselessScript, text: str) -> Iterator[tuple[int, int]]:
    row: list[re.Match[str]] = []
    for word in find_matches(script.word, text):
        if row and text[row[-1].end() : word.start()] not in _CONNECTED:
            yield from _in_row(script, text, row)
            row = []
        row.append(word)
    yield from _in_row(script, text, row)


def _in_row(script: CaselessScript, text: str, row: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The names among words with only single spaces between them."""
    if not row:
        return
    words = [word.group().translate(SPELLINGS) for word in row]
    kinds = _kinds(script, words)
    before = text[max(0, row[0].start() - _LOOK_BACK) : row[0].start()]
    after = text[row[-1].end() : row[-1].end() + 1]
    if script.farewells.search(before) and len(words) <= _MOST and after in ("", "\n"):
        yield row[0].start(), row[-1].end()
        return
    at = 0
    while at < len(words):
        titled, announced = _announced(script, row[at - 1].group() + " " if at else before)
        count, offset = _length(script, words, kinds, at, titled, announced)
        if count and not _names_thing(script, row, at, at + count):
            yield row[at].start() + offset, row[at + count - 1].end()
        at += count or 1


def _names_thing(script: CaselessScript, row: Sequence[re.Match[str]], start: int, end: int) -> bool:
    """Whether the words make the name that of a place, an organisation or an idea."""
    words = [word.group() for word in row[max(0, start - 2) : end + 1]]
    first = min(start, 2)
    return follows_place(script.name, words[:first]) or is_thing(script.name, words, first, first + end - start)


@lru_cache(maxsize=8192)
def _announced(script: CaselessScript, before: str) -> tuple[bool, bool]:
    """Whether a text ends with a title, and whether with a role."""
    return script.titles.search(before) is not None, script.roles.search(before) is not None


def _kinds(script: CaselessScript, words: Sequence[str]) -> list[str]:
    kinds = [kind_of_word(script, word) for word in words]
    for at, (word, following) in enumerate(pairwise(words)):
        if word == "عبد" and following.startswith("ال"):  # one name of two words
            kinds[at] = kinds[at + 1] = "G"
    return kinds


def _length(
    script: CaselessScript, words: Sequence[str], kinds: Sequence[str], at: int, titled: bool, announced: bool
) -> tuple[int, int]:
    """The number of words of the name that begins here, 0 if there is none, and the length of its prefix."""
    if not titled and not kinds[at]:
        return 0, 0
    if titled and script.name in SCORED and name_score(script.name, words[at]) < 1.6 * _ORDINARY:
        return 0, 0
    known = _extent(script, words, kinds, at)
    offset = len(_prefix(script, words[at]))
    if titled:
        return max(known, 2 if _before_particle(script, words, at + 1) else 1), 0
    if known == 1 and kinds[at] in "GB" and _before_particle(script, words, at + 1):
        return 2, offset
    evidence = "".join(kinds[at : at + known])
    if known > 1 and kinds[at] in "GgB" and not (evidence.islower() or (offset and not evidence.isupper())):
        return known, offset
    if kinds[at] in "GB" and at + known < len(words) and words[at + known] in script.suffixes:
        return known, offset
    if announced and not offset and kinds[at] != "l" and (known > 1 or kinds[at] in "GB"):
        return known, 0
    return 0, 0


def _before_particle(script: CaselessScript, words: Sequence[str], at: int) -> bool:
    """Whether the word here is no particle and the next one is."""
    return at + 1 < len(words) and words[at] not in script.particles and words[at + 1] in script.particles


def _extent(script: CaselessScript, words: Sequence[str], kinds: Sequence[str], at: int) -> int:
    """How many words from here can belong to one name, the first being in a list."""
    if not kinds[at]:
        return 0
    end = at + 1
    while end < len(words) and end - at < _MOST:
        linked = words[end] in script.links and end + 1 < len(words)
        if linked:
            end += 1 if kinds[end] else 2
        elif (kinds[end] and not _prefixed(script, words[end])) or (end == at + 1 and script.last.search(words[end])):
            end += 1
        else:
            break
    return min(end, len(words)) - at


@lru_cache(maxsize=32)
def _names_of(script: CaselessScript, title: str) -> frozenset[str]:
    """A list of names in one spelling: Arabic ones are written with and without hamza and marks of vowels."""
    return frozenset(name.translate(SPELLINGS) for name in names_of(script.name, title))


@lru_cache(maxsize=8192)
def kind_of_word(script: CaselessScript, word: str) -> str:
    """G, L or B: a given name, a last name or both; in lower case if it is also an ordinary word; "" otherwise."""
    if script.name in SCORED and name_score(script.name, word) < _ORDINARY:
        return ""
    for bare in (word, word[len(_prefix(script, word)) :], *(word.split("-") if "-" in word else ())):
        given, last = bare in _names_of(script, "given"), bare in _names_of(script, "last")
        if given or last:
            return "B" if given and last else "G" if given else "L"
        if bare.startswith("ال") and (bare[2:] in _names_of(script, "given") or bare[2:] in _names_of(script, "last")):
            return "L"
        if bare in _names_of(script, "given_words"):
            return "g"
        if bare in _names_of(script, "last_words"):
            return "l"
    return ""


def _prefixed(script: CaselessScript, word: str) -> bool:
    return bool(_prefix(script, word))


@lru_cache(maxsize=8192)
def _prefix(script: CaselessScript, word: str) -> str:
    """The preposition before a name with which it is written together, as in "למשה"; "" if there is none."""
    given = _names_of(script, "given")
    if word in given or word in _names_of(script, "last"):
        return ""
    return next((one for one in script.prefixes if word.startswith(one) and word[len(one) :] in given), "")
