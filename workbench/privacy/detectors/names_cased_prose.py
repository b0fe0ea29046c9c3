"""Detects names in running prose in Cyrillic and Greek letters: capitalized words that look like names of persons.

`script_words.py` scores each word of a row of capitalized words; lists, words before and after the row and the
neighbours in it add to the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from workbench.privacy.detectors.names_cased import SCRIPTS, CasedScript, is_listed, kind_of_word
from workbench.privacy.detectors.script_words import LARGE_PLACE, fold, name_score, word_set
from workbench.privacy.detectors.text_search import find_matches

_LOOK_BACK: Final = 48  # characters before a row that may contain a role
_TOGETHER = 0.6  # lowest score of the best word of a name of several words
_BEGINNING = -1.0  # for the first word of a sentence, which is capitalized anyway
_ROLE, _PLACE, _QUOTED, _IN = 2.5, -4.0, -4.0, -1.0
_AFTER_GIVEN, _WITH_MIDDLE = 2.5, 5.0  # for a last name after a given name; beside a name of the father
_MOST_REPEATED = 200  # stems of a text that are looked for again
_FEWEST = 4  # letters of a stem
_SURE, _DOUBTFUL = 1.5, -3.0  # score of a word that makes the next one, above the other score, part of the name
_FREQUENT = -5.95  # the score of a frequent word is below
_NOVEL = "Роман"  # a novel, or the given name Roman
_CAPITALS = 5  # letters of an abbreviation


class _Prose(Struct, frozen=True, eq=False):
    script: CasedScript
    row: re.Pattern[str]
    roles: re.Pattern[str]
    inside: re.Pattern[str]  # prepositions of places
    stem: re.Pattern[str]  # endings of cases
    alone: float  # lowest score of a name of one word
    things: re.Pattern[str]  # words before no name of one word: articles of the neuter and the plural


def _prose(
    script: CasedScript,
    capitals: str,
    letters: str,
    particles: str,
    roles: str,
    inside: str,
    endings: str,
    alone: float,
    things: str = "(?!)",
) -> _Prose:
    word = rf"[{capitals}](?:[{letters}]|['’ʼ-](?=[{capitals}{letters}])|(?<=['’ʼ-])[{capitals}]){{1,30}}"
    part = rf"(?:{word}|[{capitals}]\.)"
    small = rf"(?<![\w.])(?:{roles})[{letters}]{{0,6}}[ \u00a0](?:[{letters}]{{5,20}}[ \u00a0])?\Z"
    return _Prose(
        script,
        re.compile(
            rf"(?<![\w@/.#-]){part}(?:[ \u00a0]?{part}|[ \u00a0](?:{particles})[ \u00a0-]{part}){{0,7}}(?![\w@/])"
        ),
        re.compile(small, re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{inside})[ \u00a0]\Z", re.IGNORECASE),
        re.compile(rf"(?:{endings})\Z"),
        alone,
        re.compile(rf"(?<!\w)(?:{things})[ \u00a0]\Z", re.IGNORECASE),
    )


_CYRILLIC, _GREEK, _ = SCRIPTS
_ROLES = (
    "президент|премьер|прем'єр|министр|міністр|канцлер|корол|цар|импера|імпера|княз|княг|князь|герцог|"
    "граф|султан|хан|папа"
    "|патриарх|патріарх|епископ|єпископ|генерал|полковник|маршал|адмирал|адмірал|капитан|капітан|"
    "лейтенант|майор|актёр|актер"
    "|актор|актрис|акторк|режисс|режис|певец|певц|певиц|співак|співачк|писател|письменни|поэт|поет|художни|композитор"
    "|музыкант|музикант|скрипач|скрипал|пианист|піаніст|физик|фізик|математик|химик|хімік|биолог|учён|"
    "учен|вчен|философ"
    "|філософ|историк|історик|лингвист|лінгвіст|экономист|економіст|инженер|інженер|архитектор|архітектор|изобретател"
    "|винахідни|тренер|нападающ|нападник|вратар|воротар|защитник|захисник|полузащитник|футболист|футболіст|теннисист"
    "|тенісист|боксёр|боксер|шахматист|чемпион|чемпіон|гонщик|депутат|сенатор|губернатор|мэр|мера|меру|мером|глав|"
    "лидер|лідер|вожд"
    "|председател|секретар|голов|основател|засновни|предпринимател|підприєм|миллиардер|бизнесмен|бізнесмен|жен|муж"
    "|сын|син|доч|доньк|брат|сестр|отц|отец|батьк|матер|мать|учени|учн|журналист|журналіст|телеведущ|ведущ|адвокат|судь|судд"
    "|академик|академік|професс|профес|доктор|врач|лікар|спикер|спікер|речни|представител|посол|космонавт|астронавт"
    "|генсек|гетьман|гетман|диктатор|пророк|свят|блогер|рэпер|репер|солист|фигурист|пловец|директор|менеджер|пианист"
    "|имени|імені|памяти|пам'яті|по словам|за словами|фамили|прізвищ|супруг|дружин|вдов|наследник|спадкоємец|преемник"
    "|фельдмаршал|барон|рыцар|лорд|сэр|принц|княжн|монах|дипломат|разведчик|прокурор|следовател|комик|"
    "художниц|балерин"
)
_PROSE = (
    _prose(
        _CYRILLIC,
        capitals="\u0400-\u042f\u0490",
        letters="\u0430-\u045f\u0491",
        particles="ван|фон|де|дер|ла|ле|ди|да|дель|делла|бен|бин|ибн|ібн|аль|ель|эль|оглы|тер|дю|дос|ван дер|ван ден",
        roles=_ROLES,
        inside="в|во|на|из|із|у|під|под|біля|близ|возле|через",
        endings="[аеёиіїйоуъыьэєюя]{1,2}|[аоеєёіи]м[иі]?|ов[іи]|[оея]го|[оея]му|их|ых",
        alone=0.7,
    ),
    _prose(
        _GREEK,
        capitals="\u0386\u0388-\u038f\u0391-\u03ab",
        letters="\u03ac-\u03ce\u0390",
        particles="βαν|φον|ντε|ντι|ντα|λα|λε|ντελ|ντερ|μπιν|αλ|ελ|του",
        roles="πρωθυπουργ|πρόεδρ|προέδρ|υπουργ|βασιλι|βασίλισσ|αυτοκράτορ|στρατηγ|ναύαρχ|συνταγματάρχ|ηθοποι|σκηνοθέτ"
        "|τραγουδιστ|τραγουδίστρι|συγγραφέ|ποιητ|ποιήτρι|ζωγράφ|συνθέτ|μουσικ|φυσικ|μαθηματικ|χημικ|φιλόσοφ|ιστορικ"
        "|προπονητ|επιθετικ|τερματοφύλακ|ποδοσφαιριστ|παίκτ|βουλευτ|δήμαρχ|δημάρχ|ηγέτ|αρχηγ|γραμματέ|"
        "ιδρυτ|επιχειρηματί"
        "|δημοσιογράφ|δικηγόρ|δικαστ|καθηγητ|καθηγήτρι|γιατρ|εκπρόσωπ|πρέσβ|αστροναύτ|μητροπολίτ|πατριάρχ|"
        "πάπα|άγιο|αγία"
        "|γιος|γιου|γιο |κόρη|κόρης|αδελφ|σύζυγ|σκιτσογράφ|καγκελάρι|γερουσιαστ|πρίγκιπα|αρχιτέκτον|μηχανικ|στέλεχ|"
        "αθλητ|αθλήτρι",
        inside="στ[ηο]ν?|στα|στις|στους",
        endings="[αεηιουω]{1,2}[σ]?",
        alone=1.7,
        things="το|τα|στο|στα|οι|τους|τις|στους|στις",
    ),
)
_NUMBER = re.compile("[ \u00a0](?:[IVXІХ]{1,5}|[Α-ΙΚ]['΄ʹ])(?![\\w])")
_ADJECTIVE = re.compile("(?:ск|цк|ськ|цьк|зьк)(?:ий|ого|ому|им|ом|ім|ая|ой|ую|а|ої|ій|у|ое|ом|е|ие|их|им|ими|і)\\Z")
_NOUN = re.compile(  # a word in small letters that does not look like a verb or a preposition
    "[ \u00a0](?![а-яёіїє]{1,14}(?:л|ла|ли|ло|лся|лась|лись|в|ив|ав|ть|ет|ит|ёт|ют|ят|є|їть|ить|вся|"
    "лася)(?![а-яёіїє]))"
    "[а-яёіїє]{4,}"
)
_BEGINS = re.compile(r"(?:\A|[.!?…\n•*>|\t]|[-–—] )[ \u00a0\"«(„“]{0,3}\Z")
_SAYS = re.compile(
    "[ \u00a0](?:сказал|заявил|сообщил|отметил|добавил|считает|родил|умер|скончал|написал|стал|был|заявля|"
    "сообща|ответил"
    "|народи|помер|сказа|заяви|зазнач|дода|повідом|вважа|написа|ста[влн]|δήλωσε|είπε|ανέφερε|πρόσθεσε|"
    "τόνισε|γεννήθηκε|πέθανε"
    "|έγραψε|υποστήριξε)"
)


def find_cased_prose_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names in Cyrillic and Greek prose."""
    for prose in _PROSE:
        stems: set[str] = set()
        rest: list[tuple[int, int]] = []
        for match in find_matches(prose.row, text):
            words = list(prose.script.part.finditer(match.group()))
            scores = _scores(prose, [word.group() for word in words], text, match)
            names = list(_segments([word.group() for word in words], scores, prose.alone))
            at = match.start()
            for first, last in names:
                end = at + words[last].end()
                number = _NUMBER.match(text, end)
                yield at + words[first].start(), number.end() if number else end
                if last > first:
                    stems.update(_stem(prose, word.group()) for word in words[first : last + 1])
            named = {place for first, last in names for place in range(first, last + 1)}
            rest += [
                (at + word.start(), at + word.end())
                for place, word in enumerate(words)
                if place not in named and scores[place] > -_ROLE
            ]
        if len(stems) <= _MOST_REPEATED:
            stems = {stem for stem in stems if len(stem) >= _FEWEST}
            yield from (span for span in rest if stems and _stem(prose, text[span[0] : span[1]]) in stems)


def _stem(prose: _Prose, word: str) -> str:
    return prose.stem.sub("", fold(word))


def _scores(prose: _Prose, words: Sequence[str], text: str, match: re.Match[str]) -> list[float]:
    """The score of each word of a row; initials have none."""
    kinds = [kind_of_word(prose.script, word) for word in words]
    scores = [_score(prose.script, word, kind) for word, kind in zip(words, kinds, strict=True)]
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    begins = _BEGINS.search(before) is not None
    after = text[match.end() : match.end() + 1]
    for at, kind in enumerate(kinds):
        if prose.script.titles.search(words[at] + " ") or (
            begins and at == 0 and len(words) > 2 and words[0] == _NOVEL
        ):
            scores[at] = _PLACE
        if at and prose.script.places.search(words[at - 1] + " "):
            scores[at] += _PLACE
        if kind == "M":
            for near in (at - 1, at + 1):
                if 0 <= near < len(words):
                    scores[near] += _WITH_MIDDLE
        elif kind == "G" and at + 1 < len(words) and (scores[at] > 0 and scores[at + 1] > -_WITH_MIDDLE):
            scores[at + 1] += _AFTER_GIVEN
        elif at + 1 < len(words) and _lowest_next(scores[at]) < scores[at + 1] <= 0:
            scores[at + 1] = 0.3
        elif kind == "I":
            for near in (at - 1, at + 1):
                if 0 <= near < len(words) and kinds[near] != "I":
                    scores[near] += _AFTER_GIVEN
    if begins:
        known = kinds[0] in ("G", "L") or is_listed(prose.script, words[0], well_known(prose.script))
        scores[0] += _BEGINNING if known else 2 * _BEGINNING
    if prose.script.places.search(before) or (before.endswith(("«", '"', "“", "„")) and after in ("»", '"', "”", "“")):
        scores = [score + _PLACE for score in scores]
    elif prose.roles.search(before):  # "президент Франции Эмманюэль": of a country
        first = 1 if len(words) > 1 and scores[0] < 0 and kinds[1] != "I" else 0
        scores[first] += _ROLE
        if len(words) > first + 1 and scores[first] > 0 and _DOUBTFUL - 1 < scores[first + 1] <= 0:
            scores[first + 1] = 0.3
    elif prose.inside.search(before):
        scores = [score + _IN for score in scores]
    elif _SAYS.match(text, match.end()):
        scores[-1] += 1.0
    if len(words) == 1 and kinds[0] != "G" and prose.things.search(before):
        scores[0] += _PLACE
    adjective = len(words) == 1 and _ADJECTIVE.search(words[0]) and _NOUN.match(text, match.end())
    if adjective and not is_listed(prose.script, words[0], well_known(prose.script)):
        scores[0] += _PLACE  # "Софійський собор"
    # the first word of a sentence may be a role: "Режиссёр Андрей"
    known = kinds[0] in ("G", "M") or is_listed(prose.script, words[0], well_known(prose.script))
    if len(words) > 1 and kinds[1] != "I" and not known and prose.roles.search(words[0].lower() + " "):
        scores[0] = min(scores[0], -1.0)
        scores[1] += _ROLE
    return scores


def _lowest_next(score: float) -> float:
    """Above which score a word belongs to the name of which a word with this score is before it."""
    return _FREQUENT if score > 2 * _SURE else _DOUBTFUL if score > _SURE else 0.0


def _score(script: CasedScript, word: str, kind: str) -> float:
    if kind == "I":
        return 0.0
    if word.isupper() and len(word) <= _CAPITALS:
        return -2 * _WITH_MIDDLE
    score = max(-6.0, min(5.0, name_score(script.name, word)))
    known = 1.0 if kind != "G" and score > LARGE_PLACE and is_listed(script, word, well_known(script)) else 0.0
    return score + {"M": 4.0, "G": 1.0, "L": 0.5}.get(kind, 0.0) + known


def well_known(script: CasedScript) -> frozenset[str]:
    """Names that many countries know."""
    return word_set(f"{script.name}_names")


def _segments(words: Sequence[str], scores: Sequence[float], alone: float) -> Iterator[tuple[int, int]]:
    """First and last word of each name in a row."""
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and (scores[end] > 0 or words[end].endswith(".")):
            end += 1
        real = [place for place in range(at, end) if not words[place].endswith(".")]
        if real and max(scores[place] for place in real) >= (alone if len(real) == 1 else _TOGETHER):
            yield at, end - 1
        at = max(end, at + 1)
