"""Detects names in running prose in Arabic, Hebrew and Devanagari letters, which have no capitals.

Each word has the score of `script_words.py`; words that announce a person, words of names beside it and prepositions
that are written together with it add to the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from workbench.privacy.detectors.caseless_places import follows_place, is_thing
from workbench.privacy.detectors.names_caseless import SCRIPTS, SPELLINGS, CaselessScript, kind_of_word
from workbench.privacy.detectors.script_words import LARGE_PLACE, is_well_known, name_score
from workbench.privacy.detectors.text_search import find_matches

_LONGEST: Final = 6  # words of a name
_LISTED, _ANNOUNCED, _NEAR = 1.0, 2.0, 2.0
_SURE = 2.5  # score of a name that is nothing else
_ORDINARY = -6.0
_SONS = frozenset(("ابن", "أبو", "ابو"))  # "son of", "father of": any word after them is a name
_PREPOSITIONS = "\u05dc\u05d1\u05d5"  # in Hebrew; an "\u05d4" is the article
_PREFIX, _PLACE = -0.8, -4.0
_LIKELY = -1.0  # lowest score of a word that a role announces
_REFUSED = -9.0
_FREQUENT, _AGENT = -6.0, 1.8  # the score of a frequent word is below; for somebody who does something
_KNOWN_WORD = -4.0  # score of a frequent word


class _Prose(Struct, frozen=True, eq=False):
    script: CaselessScript
    alone: float  # lowest score of a name of one word
    together: float  # lowest score of the best word of a longer one
    unlikely: float  # lowest score of a last name after a given name
    roles: re.Pattern[str]  # a word before a name
    prefixes: re.Pattern[str]
    links: frozenset[str]  # words inside a name
    opening: frozenset[str]  # words that begin a name with the next word
    stops: frozenset[str]  # words that are in no name
    unlisted: float  # for a word that is in no list
    sure: float  # lowest score of a word beside which an unlikely one is a name
    announced_last: bool  # whether any word after a role and a given name is a last name
    particles: frozenset[str]  # words after a noun
    agents: frozenset[str]  # words after somebody who does something


def _prose(
    name: str,
    alone: float,
    together: float,
    unlikely: float,
    roles: str,
    prefixes: str,
    links: str,
    opening: str,
    stops: str,
    unlisted: float = -0.4,
    sure: float = 1.0,
    announced_last: bool = False,
    particles: str = "",
    agents: str = "",
) -> _Prose:
    return _Prose(
        next(script for script in SCRIPTS if script.name == name),
        alone,
        together,
        unlikely,
        re.compile(rf"(?:{roles})\Z"),
        re.compile(rf"(?:{prefixes})(?=\w{{3}})"),
        frozenset(links.split()),
        frozenset(opening.split()),
        frozenset(stops.split()),
        unlisted,
        sure,
        announced_last,
        frozenset(particles.split()),
        frozenset(agents.split()),
    )


_PROSE = (
    _prose(
        "arabic",
        2.2,
        1.2,
        -0.8,
        roles="(?:و|ف|ل|ب|لل)?(?:ال)?(?:رئيس|رئيسة|وزير|وزيرة|ملك|ملكة|أمير|أميرة|سلطان|خليفة|إمبراطور|"
        "قائد|زعيم|نائب|سفير"
        "|جنرال|لواء|عقيد|ممثل|ممثلة|فنان|فنانة|مطرب|مطربة|مغني|مغنية|مخرج|مخرجة|كاتب|كاتبة|روائي|روائية|"
        "شاعر|شاعرة|أديب|مؤلف"
        "|عالم|طبيب|دكتور|دكتورة|بروفيسور|مهندس|فيلسوف|مؤرخ|رسام|رساما|نحات|موسيقار|ملحن|لاعب|مهاجم|حارس|"
        "مدرب|مدربه|صحفي|صحافي"
        "|إعلامي|محامي|قاضي|شيخ|إمام|بابا|بطريرك|متحدث|متحدثة|مبعوث|أستاذ|سيد|سيدة|رجل|ناشط|ناشطة|نجم|"
        "نجمة|شهيد|نبي|قديس)"
        "|(?:و|ف)?(?:قال|قالت|أعلن|أعلنت|صرح|صرحت|أكد|أكدت|أضاف|أضافت|أوضح|أوضحت|أشار|كتب|كتبت|ألف|رسم|"
        "ولد|ولدت|توفي|توفيت"
        "|اكتشف|اخترع|غنى|غنت|أخرج|فاز|فازت|خلف|التقى|زار|زارت|انتخب|اغتيل|قتل|اعتقل|تزوج|أسس|سجل|بقيادة|"
        "برئاسة|يدعى|تدعى|اسمه"
        "|زوجته|زوجها|ابنه|ابنته|شقيقه|والده|الأمريكي|الأميركي|الفرنسي|البريطاني|الألماني|الروسي|الإيطالي|"
        "الإسباني|التركي|المصري"
        "|السوري|العراقي|اللبناني|الإنجليزي|البرتغالي|الأرجنتيني|البرازيلي|الأمريكية|الفرنسية|البريطانية)",
        prefixes="[وفبلك]|لل",
        links="بن ابن بنت آل أبو أبي عبد الدين دي فان فون دا دو لا أم ديل",
        opening="عبد أبو أبي أم ابن آل بو سانت",
        stops="في من إلى على عن مع أن إن هو هي قد ثم أو كما بعد قبل عام حتى كل هذا هذه ذلك بين كان كانت "
        "حيث عند منذ حي هدفين"
        " بأن أنه أنها لأن كأن بما فيما ولا ولم وقد فقد أيضا أي بها به له لها لهم فيه فيها منه منها عليه "
        "عليها إليه اليوم نادي الهلال النادي إسرائيل سيدي أحد ما يا ديك جود فرد بي عمه أخيه أخته خاله ظبي "
        "المصري الإنجليزي "
        "الفرنسي الأمريكي",
    ),
    _prose(
        "hebrew",
        1.8,
        1.2,
        -1.2,
        roles="[ושהבלמכ]{0,2}(?:נשיא|נשיאת|שר|שרת|השר|השרה|מלך|מלכה|מלכת|קיסר|נסיך|נסיכה|סופר|סופרת|משורר|"
        "משוררת|זמר|זמרת|שחקן|שחקנית"
        "|במאי|במאית|מלחין|מלחינה|פסנתרן|צייר|ציירת|פסל|אמן|אמנית|רופא|רופאה|פרופסור|פיזיקאי|מתמטיקאי|"
        "כימאי|ביולוג|מדען|מדענית"
        "|פילוסוף|היסטוריון|בלשן|כלכלן|אדריכל|מהנדס|מאמן|מאמנת|חלוץ|שוער|כדורגלן|כדורסלן|טניסאי|טניסאית|"
        "שופט|שופטת|דובר|דוברת"
        '|עיתונאי|עיתונאית|מנכ"ל|יו"ר|רמטכ"ל|אלוף|גנרל|סגן|רב|הרב|אדמו"ר|ח"כ|חבר הכנסת|ראש הממשלה|הממשלה|'
        "מזכיר|מייסד|יזם"
        "|אשתו|בעלה|בנו|בתו|אחיו|אביו|לדברי|לפי|של|בבימויו|מאת|בשם|עורך הדין|המפורסם|האמריקאי|הצרפתי|"
        "הבריטי|הגרמני|הרוסי)",
        prefixes="[ולבשמכה]|וב|ול|של|ומ",
        links="בן בר אבו אל דה ואן פון דו לה דל די",
        opening="בן בר אבו אבן",
        stops="של את על עם הוא היא אביב תל ישראל ירושלים הר יום ראש שני בית כי לא כל או גם אך אם זה בין "
        "עד יש אין שאין שיש לו לה אולי אבל אנא אנו שלי שלו שלה אליו אדם לב ב ל מ בו בה האם",
        unlisted=-0.8,
        announced_last=True,
    ),
    _prose(
        "devanagari",
        2.7,
        1.2,
        -3.0,
        roles="प्रधानमंत्री|राष्ट्रपति|मुख्यमंत्री|मंत्री|उपराष्ट्रपति|राज्यपाल|नेता|अध्यक्ष|सांसद|विधायक|"
        "न्यायाधीश|न्यायमूर्ति|अभिनेता"
        "|अभिनेत्री|लेखक|लेखिका|कवि|गायक|गायिका|संगीतकार|निर्देशक|वैज्ञानिक|डॉक्टर|प्रोफेसर|पत्रकार|वकील|"
        "खिलाड़ी|कप्तान|कोच|बल्लेबाज"
        "|गेंदबाज|राजा|रानी|सम्राट|बादशाह|सुल्तान|महाराजा|महारानी|तानाशाह|संत|गुरु|स्वामी|पंडित|उस्ताद|"
        "कलाकार|चित्रकार|दार्शनिक"
        "|इतिहासकार|अर्थशास्त्री|उद्योगपति|निर्माता|प्रमुख|सेनापति|जनरल|कर्नल|पुत्र|पुत्री|पत्नी|पति|बेटे|"
        "बेटी|भाई|बहन|पिता|माता|श्री|श्रीमती|डॉ|राजकुमार"
        "|भौतिकशास्त्री|वास्तुकार|ऑलराउंडर|नर्तक|पहलवान|गीतकार|उपन्यासकार|जनरल|मेजर|उपाध्यक्ष|गणितज्ञ|संस्थापक|प्रवक्ता|सचिव|भगवान|आचार्य",
        prefixes="(?!)",
        links="",
        opening="एस ए आर के पी वी एम जी डी बी सी एन टी जे एच छत्रपति महात्मा मुंशी महाराणा",
        stops="ने का की के को से में पर और है हैं था थी थे भारत सरकार गंगा सीमा दिल्ली मुंबई एक यह वह इस "
        "उस कर हो ही भी तो जो सिंधु अपने अपनी अपना उसके उनके उनकी उनका इसके इसकी इनके लिए साथ बाद "
        "शेष रेखा शुल्क दावा",
        sure=0.3,
        particles="ने का की के को से में पर और",
        agents="ने द्वारा",
    ),
)
_GERESH = re.compile("['’׳](?![\u05d0-\u05ea])")
_SPACES = (" ", "\u00a0")


def find_caseless_prose_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names in Arabic, Hebrew and Devanagari prose."""
    for prose in _PROSE:
        row: list[re.Match[str]] = []
        for word in find_matches(prose.script.word, text):
            if row and text[row[-1].end() : word.start()] not in _SPACES:
                yield from _in_row(prose, text, row)
                row = []
            row.append(word)
        yield from _in_row(prose, text, row)


def _in_row(prose: _Prose, text: str, row: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The names among words with only single spaces between them."""
    words = [word.group() for word in row]
    name = prose.script.name
    scored = [_score(prose, word) for word in words]
    own = [score for score, _ in scored]
    announces = [own[at] < 2 and prose.roles.match(word) is not None for at, word in enumerate(words)]
    scores = list(own)
    for at, word in enumerate(words):
        if scores[at] <= _REFUSED or announces[at]:
            scores[at] = _REFUSED
            continue
        if at > 1 and own[at - 1] >= 1 and own[at - 2] >= 1 and not _is_listed(prose, word):
            scores[at] -= 1.0  # rather a verb than a third word of the name
        elif at and own[at] > prose.unlikely and (own[at - 1] >= prose.sure or words[at - 1] in prose.links):
            scores[at] += _NEAR
        if at + 1 < len(words) and own[at + 1] >= 1 and not scored[at + 1][1]:
            scores[at] += 0.5
        if word in prose.opening:
            scores[at] = max(scores[at], 0.5)
        elif at and words[at - 1] in _SONS and len(word) > 2:
            scores[at] = max(scores[at], 2.0)
        if follows_place(name, words[:at]):
            scores[at] += _PLACE
            if at + 1 < len(words):
                own[at + 1] -= 1
                scores[at + 1] -= 1
        if at and announces[at - 1] and own[at] > _LIKELY:
            scores[at] += _ANNOUNCED
        elif at > 1 and announces[at - 2] and own[at - 1] <= _LIKELY < own[at]:  # "the president of France Macron"
            scores[at] += _ANNOUNCED / 2
    for at in range(len(words)):
        after = words[at + 1] if at + 1 < len(words) else ""
        if after in prose.agents and scores[at] > prose.unlikely and own[at] > _FREQUENT:
            scores[at] += _AGENT
        elif after in prose.particles and own[at] > prose.unlikely:
            scores[at] += _AGENT / 3
        if at and after in prose.particles and scores[at] > 0 and own[at - 1] > prose.unlikely:
            scores[at - 1] += 1.0
        if after in prose.particles and at > 1 and announces[at - 2] and min(own[at - 1], own[at]) > _FREQUENT:
            scores[at - 1], scores[at] = max(scores[at - 1], 0.5), max(scores[at], prose.alone)
        expected = after in prose.particles or (prose.announced_last and at > 1 and announces[at - 2])
        if at and expected and scores[at] <= 0 and own[at] > _FREQUENT and _names_somebody(prose, words[at - 1]):
            scores[at] = 0.5  # a last name that looks like no name
    at = 0
    while at < len(words):
        end = at
        while (
            end < len(words)
            and end - at < _LONGEST
            and (scores[end] > 0 or (end > at and words[end] in prose.links))
            and (end == at or not scored[end][1])
        ):
            end += 1
        while end > at and (words[end - 1] in prose.links or words[end - 1] in prose.opening):
            end -= 1
        if end > at and _accepted(prose, scores[at:end]) and not is_thing(name, words, at, end):
            yield row[at].start() + scored[at][1], _with_geresh(text, row[end - 1].end())
        at = max(end, at + 1)


def _with_geresh(text: str, end: int) -> int:
    """The end of a word with the mark that changes the sound of its last letter."""
    return end + 1 if "\u05d0" <= text[end - 1] <= "\u05ea" and _GERESH.match(text, end) else end


def _accepted(prose: _Prose, scores: Sequence[float]) -> bool:
    best = max(scores)
    return best >= prose.alone if len(scores) == 1 else best >= prose.together and sum(scores) >= prose.alone


@lru_cache(maxsize=16384)
def _score(prose: _Prose, word: str) -> tuple[float, int]:
    """The score of a word and the length of a preposition in it."""
    if word in prose.stops:
        return _REFUSED, 0
    best, length = _bare_score(prose, word), 0
    if best > _KNOWN_WORD and (prefix := prose.prefixes.match(word)):
        bare = word[prefix.end() :]
        score = _bare_score(prose, bare)
        if bare in prose.stops:
            pass
        elif score <= LARGE_PLACE and len(bare) > 3 and not _is_listed(prose, word):
            best = min(best, score)
        elif score + _PREFIX > max(best, 0.5) or (
            score > 1 and _is_listed(prose, bare) and not _is_listed(prose, word)
        ):
            best, length = score + _PREFIX, prefix.end()
    return best, length


def _names_somebody(prose: _Prose, word: str) -> bool:
    """Whether a word is a given name of the lists and nothing else."""
    return kind_of_word(prose.script, word.translate(SPELLINGS)) in ("G", "B") or (
        _bare_score(prose, word) > _SURE and is_well_known(prose.script.name, word)
    )


def _is_listed(prose: _Prose, word: str) -> bool:
    kind = kind_of_word(prose.script, word.translate(SPELLINGS))
    return kind in ("G", "B", "L") or is_well_known(prose.script.name, word)


def _bare_score(prose: _Prose, word: str) -> float:
    found = name_score(prose.script.name, word)
    if found <= _ORDINARY:
        return _ORDINARY - 0.5
    score = max(-5.5, min(4.0, found))
    if _is_listed(prose, word):
        return score + _LISTED
    if '"' in word or "\u05f4" in word:  # an abbreviation
        return _REFUSED
    return score + prose.unlisted - (1.5 if word[0] == "\u05d4" else 0.7 if word[0] in _PREPOSITIONS else 0.0)
