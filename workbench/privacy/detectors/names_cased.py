"""Detects names in Cyrillic, Greek and Armenian prose: capitalized words that are in lists or end like last names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from workbench.privacy.detectors.script_name_lists import names_of
from workbench.privacy.detectors.script_words import LARGE_PLACE, name_score
from workbench.privacy.detectors.text_search import find_matches

_LOOK_BACK = 40  # characters before a name that may contain a title
_LOOK_AHEAD = 20  # characters after a name that may contain a verb
_MOST = 4  # words of a name
SCORED = ("cyrillic", "greek")  # scripts with a classifier of words
_ORDINARY = -2.5  # score of a word that is no name even if it is in a list or ends like one


class CasedScript(Struct, frozen=True, eq=False):
    name: str
    words: re.Pattern[str]  # capitalized words and initials with spaces between them
    part: re.Pattern[str]
    last: re.Pattern[str]  # endings of last names
    sure_last: re.Pattern[str]  # endings that ordinary words do not have
    alone: re.Pattern[str]  # endings of last names inside a sentence
    middle: re.Pattern[str]
    titles: re.Pattern[str]  # before a name of any form
    farewells: re.Pattern[str]  # before a line with a name
    roles: re.Pattern[str]  # before a name that is in a list or ends like one
    follows: re.Pattern[str]  # after a given name that begins a sentence: a comma or a verb
    cases: tuple[str, ...]  # endings of declined given names
    nominatives: tuple[str, ...]  # what they replace
    places: re.Pattern[str]  # before the name of a place or an organisation


def _script(
    name: str,
    capitals: str,
    letters: str,
    last: str,
    sure: str,
    alone: str,
    middle: str,
    titles: str,
    roles: str,
    farewells: str,
    follows: str,
    cases: str,
    places: str,
) -> CasedScript:
    word = rf"[{capitals}](?:[{letters}]|['’ʼ-](?=[{capitals}{letters}])|(?<=-)[{capitals}]){{1,30}}"
    part = rf"(?:{word}|[{capitals}]\.)"
    ends, replaced = cases.split("|")
    return CasedScript(
        name,
        re.compile(rf"(?<![\w@/.#-]){part}(?:[ \u00a0]?{part}){{0,4}}(?![\w@/])"),
        re.compile(part),
        re.compile(rf"(?:{last})\Z"),
        re.compile(rf"(?:{sure})\Z"),
        re.compile(rf"(?:{alone})\Z"),
        re.compile(rf"(?:{middle})\Z"),
        re.compile(rf"(?<![\w.])(?:{titles})[ \u00a0]{{1,2}}\Z", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{farewells}),?[ \t]{{0,3}}\n\s{{0,3}}\Z", re.IGNORECASE),
        re.compile(rf"(?:(?<!\w)(?:{roles}))[ \u00a0]?[:,–—-]?[ \u00a0]{{1,2}}\Z", re.IGNORECASE),
        re.compile(follows),
        tuple(ends.split()),
        ("", *replaced.split()),
        re.compile(rf"(?<!\w)(?:{places})[{letters}]{{0,4}}[ \u00a0]«?\Z", re.IGNORECASE),
    )


_CYRILLIC = _script(
    "cyrillic",
    capitals="\u0400-\u042f\u0490",
    letters="\u0430-\u045f\u0491",
    last=r"(?:[оеёиі]в|ин|ын|їн)(?:а|у|ым|им|е|ой|ою|ы|ых|і|ої)?|[сц]ьк?(?:ий|ого|ому|им|а|ої|ій|у)|[сц]к(?:ий|ой"
    r"|ая|ого|ому|им|ом"
    r"|ую|и|а|ата|их)|[еє]нк[оуа]|(?:чук|щук|[нлсвтдз]юк|рук|няк|ляк)(?:а|у|ом|ові|ом)?|швили|дзе|ян|янц|ић|ович"
    r"|евич",
    sure=r"[еє]нко|швили|[аи]дзе",
    alone=r"\w{4}[оеё]в(?:а|ой|у)",
    middle=r"(?:ов|ев|йов|ьов)ич(?:а|у|ем|ем|еві|е)?|(?:ов|ев|їв|ів)н(?:а|ы|е|у|ой|ою|і|и)|(?:ильич|кузьмич|лукич"
    r"|фомич)",
    titles=r"г-н|г-жа|г-ну|г-на|г-же|г-жи|г-жу|г-ца|гн|госпож[аеиу]|господин[ау]?|товарищ[ау]?|уважаем(?:ый|ая)"
    r"|дорог(?:ой|ая)|гражданин[ау]?"
    r"|гражданк[аеиу]|пан[аи]?|панов[іи]|пані|панна|шановн(?:ий|а)|доктор[ау]?|д-р|профессор[ау]?"
    r"|професор[ау]?|проф\.|уважаем[иа]|госпожо"
    r"|господине|на имя",
    farewells="с уважением|з повагою|с уважение|с наилучшими пожеланиями|с приветом|спасибо|дякую|благодаря|щиро"
    "|ваш[аи]?|с любовью|до встречи",
    roles=r"клиент\w{0,3}|клієнт\w{0,3}|сотрудни\w{1,4}|менеджер\w{0,2}|директор\w{0,2}|врач\w{0,2}|пациент\w{0,3}"
    r"|пацієнт\w{0,3}|коллег\w"
    r"|ответственн\w{2,4}|исполнител\w{1,2}|получател\w{1,2}|отправител\w{1,2}|заказчик\w{0,2}|автор\w{0,2}"
    r"|отримувач\w{0,2}|водител\w{1,2}"
    r"|бухгалтер\w{0,2}|привет|здравствуйте|добрый день|добрый вечер|вітаю|добрий день|здравей|здравейте|спасибо"
    r"|дякую|сказал[аи]?"
    r"|подписал[аи]?|ответил[аи]?|отвечал[аи]?|написал[аи]?|звонил[аи]?|от|для|у|с|со|к|від|з|за|до|от|на|по словам",
    follows=r",| (?:не )?[а-яёіїє]{2,14}(?:л|ла|лся|лась|ет|ит|ёт|ила|ив|ав|ала)(?![а-яёіїє])",
    cases="а у ю е и ы і ї ой ей ою ею ом ем ём єм ові еві ю ия ии ию ией ії ію єю|а я й ь о ия ій ія",
    places="город|місто|міст[аі]|реч?к|річк|озер|гор[аеы]|остров|острів|област|район|улиц|вулиц|площад|площ|проспект"
    "|станци|станці|метро|аэропорт|аеропорт|компани|компані|корпораци|групп|гурт|клуб|команд|газет|журнал|издани"
    "|видання|фильм|фільм|альбом|песн|пісн|сел|деревн|пос[её]лок|провинци|штат|округ|университет|університет|завод"
    "|телеканал|агентств|театр|музе|порт|мыс|залив|море|хребет|замок|крепост|собор|монастыр|парк|фирм",
)
_GREEK = _script(
    "greek",
    capitals="\u0386\u0388-\u038f\u0391-\u03ab",
    letters="\u03ac-\u03ce\u0390",
    last=r"π[οό]υλ(?:ος|ου|ο)|[ιί]δη[ς]?|[ιί]δου|[αά]δη[ς]?|[αά]δου|[αά]κη[ς]?|[αά]κου|ογλου|[αά]τος|[αά]του"
    r"|αίο[ςυ]|[ιί]ου|[εέ]ας|[εέ]α"
    r"|[ιί]της|[ιί]τη|[ωώ]της|[ωώ]τη|νός|νού|νό|ρης|ρη|λης|λη|νης|νη|τζής|τζή|ας|α|ης|η|ου|ος|ο|ή|ής",
    sure=r"π[οό]υλ(?:ος|ου)|[ιί]δης|[ιί]δου|ογλου|[αά]κης|[αά]δης",
    alone="(?!)",
    middle=r"(?!)",
    titles=r"κ\.|κ\.κ\.|κα|κ[υύ]ρι[οαε][νυςι]?|κυρ[ιί]α[ςν]?|κυρ[ιί]ου|δρ\.?|δεσποιν[ιί]δα|δεσποιν[ιί]ς"
    r"|αγαπητ[έήοό][ςί]?|αξι[οό]τιμ[εη]",
    farewells=r"με εκτ[ιί]μηση|φιλικ[άα]|με φιλικο[υύ]ς χαιρετισμο[υύ]ς|ευχαριστ[ώω]|χαιρετισμο[ίύ]ς?",
    roles=r"ο|η|τον|την|του|της|στον|στην|από|πελ[άα]τη[ςν]?|παραλ[ήη]πτης|αποστολ[έε]ας|υπεύθυνο[ςυ]"
    r"|ασθεν[ήη][ςν]?|διευθυντ[ήη][ςν]?|γεια σου"
    r"|γεια σας|καλημέρα|καλησπέρα|συν[άα]δελφο[ςυν]?|υπάλληλο[ςυν]?|γιατρ[όο][ςυν]?",
    follows=",",
    cases="ς ου ο ε η α ας ης|ος ης ας α η",
    places="πόλη|ποταμό|λίμνη|νησ|βουνό|όρος|οδό|πλατεία|στάδιο|εταιρ|ομάδα|εφημερίδα|περιοδικό|ταινία|νομό|χωριό|συνοικία"
    "|δήμο|αεροδρόμιο|πανεπιστήμιο|κόλπο|μονή|ναό|συγκρότημα",
)
_ARMENIAN = _script(
    "armenian",
    capitals="\u0531-\u0556",
    letters="\u0561-\u0587",
    last=r"յան(?:ի|ը|ին|ից)?|յանց|ունի",
    sure=r"յան(?:ի|ը|ին|ից)?",
    alone="(?!)",
    middle=r"(?!)",
    titles=r"պարոն|տիկին|օրիորդ|պրն\.|տկն\.|հարգելի|սիրելի|դոկտոր",
    farewells="հարգանքով|շնորհակալություն",
    roles=r"հաճախորդ\w{0,3}",
    follows=",",
    cases="ը ի ին ից ն|",
    places="(?!)",
)
SCRIPTS = (_CYRILLIC, _GREEK, _ARMENIAN)
_BEGINS = re.compile(r"(?:\A|[.!?:;…\n•«\"”)*>|\t]|[-–—] )[ \u00a0\"«(]{0,3}\Z")  # before the first word of a sentence
_PARTS = re.compile("[-'’ʼ]")
_FEWEST = 6  # letters of a last name that is not in the list


def find_cased_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names in Cyrillic, Greek and Armenian letters."""
    for script in SCRIPTS:
        for match in find_matches(script.words, text):
            before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
            parts = list(script.part.finditer(match.group()))
            if len(parts) > 1 and script.titles.search(parts[0].group() + " "):
                before = parts.pop(0).group() + " "
            for first, last in _names(
                script, [part.group() for part in parts], before, text[match.end() : match.end() + _LOOK_AHEAD]
            ):
                end = match.start() + parts[last].end()
                yield match.start() + parts[first].start(), end


def _names(script: CasedScript, words: Sequence[str], before: str, after: str) -> Iterator[tuple[int, int]]:
    """First and last word of each name in a row of capitalized words."""
    if script.places.search(before):
        return
    kinds = [kind_of_word(script, word) for word in words]
    if script.titles.search(before) or ("\n" in before and script.farewells.search(before)):
        yield 0, min(len(words), _MOST) - 1
        return
    begins = _BEGINS.search(before) is not None
    if begins and len(words) == 1 and words[0] in names_of(script.name, "given") and script.follows.match(after):
        yield 0, 0
        return
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and kinds[end] != "":
            end += 1
        if end > at and (span := _accepted(script, words, kinds, at, end, begins and at == 0, before)):
            yield span
            end = max(end, span[1] + 1)
        at = max(end, at + 1)


def _accepted(
    script: CasedScript, words: Sequence[str], kinds: Sequence[str], at: int, end: int, begins: bool, before: str
) -> tuple[int, int] | None:
    """The name in the row of words with evidence from `at` to `end`; None if there is none."""
    evidence = "".join(kinds[at:end])
    if (end - at > 1 and ("M" in evidence or "G" in evidence)) or ("I" in evidence and "L" in evidence):
        return at, min(end, at + _MOST) - 1
    if evidence == "II" and end < len(words):
        return at, end
    if "I" in evidence:
        return None
    if evidence == "G" and end < len(words) and end - at == 1 and not words[end].isupper():
        return at, end
    if evidence == "G":
        return (at, at) if not begins or script.roles.search(before) else None
    if evidence == "L" and len(words) == 1:
        small = words[at].lower()
        inside = not begins or script.roles.search(before) is not None
        likely = script.alone.search(small) is not None or _in_list(script, words[at], "last")
        return (at, at) if script.sure_last.search(small) or (inside and likely) else None
    return None


@lru_cache(maxsize=8192)
def kind_of_word(script: CasedScript, word: str) -> str:
    """What a word can be: an initial, a given, middle or last name, or nothing."""
    if word.endswith("."):
        return "I"
    small = word.lower()
    if word in names_of(script.name, "drop"):
        return ""
    if script.middle.search(small) or word in names_of(script.name, "middle"):
        return "M"
    if word.isupper():
        word = word.title()
    if script.name in SCORED and (score := name_score(script.name, word)) <= LARGE_PLACE:
        names = _folded_names(script.name, "given") | _folded_names(script.name, "last")
        if score < _ORDINARY or _folded(word) not in names:  # "Францию" is no case of "Франц"
            return ""
    if any(_in_list(script, part, "given") for part in (word, *_PARTS.split(word))):
        return "G"
    if _in_list(script, word, "last") or (len(word) >= _FEWEST and script.last.search(small)):
        return "L"
    return ""


@lru_cache(maxsize=8192)
def _in_list(script: CasedScript, word: str, title: str) -> bool:
    """Whether a word, or the nominative of a declined one, is in a list."""
    return is_listed(script, word, _folded_names(script.name, title))


def is_listed(script: CasedScript, word: str, names: frozenset[str]) -> bool:
    """Whether a word, or the nominative of a declined one, is among folded names."""
    bare = _folded(word)
    if bare in names:
        return True
    for case in script.cases:
        if bare.endswith(_folded(case)) and len(bare) - len(case) >= 2:
            stem = bare.removesuffix(_folded(case))
            if any(stem + _folded(end) in names for end in script.nominatives):
                return True
    return False


@lru_cache(maxsize=16)
def _folded_names(script: str, title: str) -> frozenset[str]:
    return frozenset(map(_folded, names_of(script, title)))


def _folded(word: str) -> str:
    """In lower case without accents; "й" and "ї" are letters of their own."""
    parts = unicodedata.normalize("NFD", word.lower())
    bare = "".join(letter for letter in parts if letter not in "\u0301\u0308\u0344" or letter == "\u0306")
    return unicodedata.normalize("NFC", bare).replace("ς", "σ")
