"""Detects Russian, Ukrainian, Belarusian and Kazakh addresses: a street word before or after its name, and a number.

Everything is read in bounded windows around street words, so the time grows linearly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches

_BEFORE = 80  # characters before a street word that are read
_UPPER = "А-ЯЁІЇЄҐЎӘҒҚҢӨҰҮҺ"
_CAP = rf"(?:[{_UPPER}][\w'’-]{{1,24}}+|[{_UPPER}]\.)"
_SHORT_WORDS = "ул|пр|просп|пер|пл|наб|ш|бул|бульв|мкр|мкрн|ал|вул|пров|завул|пр-т|пр-кт|пр-д|б-р|м-н|мк-н"
_LONG_WORDS = (
    "улиц(?:а|е|у|ы|ей)|проспект(?:а|е|у|і)?|переул(?:ок|ке|ка)|площад[ьи]|бульвар(?:а|е|у|і)?|шоссе|шосе"
    "|набережн(?:ая|ой|ую|а|ій)|алле[яеию]|алея|алеї|микрорайон(?:а|е)?|мікрорайон(?:і)?|проезд(?:а|е)?|тупик(?:е)?"
    "|вулиц(?:я|і|ю|ею)|провул(?:ок|ку)|площ[аіу]|узвіз|вуліц(?:а|ы|у)|завул(?:ак|ку)|праспект(?:а|е)?|плошч[аы]"
    "|көшесі(?:нде|нің|не)?|даңғылы(?:нда|ның|на)?"
)
_WORD = re.compile(
    rf"(?<![\w-])(?:(?i:{_SHORT_WORDS})(?:\.|(?<=-[ртднк])|(?= [{_UPPER}]))|(?i:{_LONG_WORDS})(?!\w))"
    r"|(?<=\w),(?= ?(?:д\.|дом |буд\.) ?\d{1,3}[а-я]?(?:/\d{1,3})?,? ?(?:кв|корп|стр|оф)\b)"
)
_SMALL = (
    "(?:реки|канала|имени|им\\.|ім\\.|імені|генерала|академика|академіка|маршала|адмирала|космонавта|героев|лет|років"
    "|и|і|й|батыр|жырау|би|хан|ана)"
)
_ORDINAL = r"\d{1,3}(?:-[а-яіїйө]{1,3}| лет| років)?"
_NAME = rf"(?:(?:{_SMALL}|{_ORDINAL}) ){{0,2}}{_CAP}(?: ?(?:{_SMALL} )?{_CAP}| {_SMALL}(?= )){{0,3}}"
_HOUSE = (
    r"(?:(?i:д\.|дом|буд\.|будинок|зд\.|здание|вл\.|владение|№) ?\d{1,4}|\d{1,3}(?!\d))"
    r"(?:[А-ЯІ](?!\w)| [А-ЯІ](?![\w.])|[кс]\d{1,3}(?!\w)|[а-яі](?!\w)| [абгдежз](?![\w.]| [а-я]))?"
    r"(?:[/-]\d{1,4}(?:[а-яА-Я](?!\w))?){0,2}"
)
_COUNTED = (
    r"(?! ?(?i:январ|феврал|март|апрел|ма[йея]\b|июн|июл|август|сентябр|октябр|ноябр|декабр|січ|лют|берез|квіт|трав"
    r"|черв|лип|серп|верес|жовт|листоп|груд|студз|сакав|крас|ліп|жні|кастр|снеж|қаңтар|ақпан|наурыз|сәуір|мамыр|маусым"
    r"|шілде|тамыз|қыркүйек|қазан|қараша|желтоқсан|год|лет\b|рок|рік|чел|людей|люд|раза?\b|мин|час|годин|хвилин|дн[еія]"
    r"|день|сут|недел|тижн|месяц|місяц|проц|руб|грн|гривн|тенге|теңге|тыс|тис|млн|млрд|км|га\b|гектар|метр|м²|м\b"
    r"|кв\.? ?к?м\b|автомоб|машин|магазин|мест[ао]?\b|квартир\b|жит|сезон|сери|деревь|останов|зупин|адам|ДТП|%"
    r"|(?-i:[а-яіё]{3,12}(?:ов|ев|ёв|ів))\b)|[.,:]\d|[%²]|[:\w])"
)
_UNIT = (
    r"(?:,? ?(?i:корпус|корп|к|строение|стр|литера?|лит|подъезд|під'їзд|п|этаж|эт|поверх|квартира|кв|оф|офис|офіс"
    r"|помещение|пом|комн?|секция|блок|д|дом|буд)\.? ?\d{1,4}[а-яА-Я]?(?!\w)|-?,? ?\d{0,4}[ -]?(?:үй|пәтер)(?!\w)){0,5}"
)
_TOWN = rf"(?:(?:г|м|с|гор|пос|пгт|смт|дер|мкр|қ)\. ?|(?:город|місто|село|горад) )?{_CAP}(?:[ -]{_CAP}){{0,2}}"
_TAIL = (
    rf"(?:,?[ \n](?:\d{{5,6}},?[ \n]{_TOWN}|{_TOWN},?[ \n]\d{{5,6}}|\d{{6}})(?![\w-]| ?(?:руб|грн))"
    rf"|, {_TOWN}(?=[.;:,)\n]|\Z))?"
)
_NUMBER = rf"(?:,? ?{_HOUSE}){_COUNTED}{_UNIT}{_TAIL}"
_NAME_AND_NUMBER = re.compile(rf" ?{_NAME}{_NUMBER}")
_NUMBER_AFTER = re.compile(_NUMBER)
_NAME_BEFORE = re.compile(rf"(?<![\w-])(?:{_ORDINAL} )?{_CAP}(?: (?:{_SMALL}|{_CAP})){{0,3}} ?\Z")
_HOUSE_BEFORE = re.compile(
    r"(?<!\w)(?i:дом[аеу]?|д\.|буд\.|будин(?:ок|ку)) ?№? ?(?P<number>\d{1,3}[а-яА-Я]?(?:/\d{1,3})? (?:по|на) )\Z"
    r"|(?<![\w.,:/-])(?<![\d.,/вксВКС-] )(?P<first>\d{1,3}[а-яА-Я]?(?:/\d{1,3})?, )\Z"
)
_NAME_AFTER = re.compile(rf" ?{_NAME}")
_REGION = r"(?: (?:обл(?:\.|асть)|край|р-н|район|қ\.|қаласы|ауданы|облысы|ауылы))?"
_TOWN_BEFORE = re.compile(
    rf"(?<![\w-])(?:\d{{5,6}},? )?(?:{_TOWN}{_REGION}, ?){{1,4}}\Z"
    r"|(?<![\w-])\d{5,6},? \Z"
)


def find_cyrillic_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses, with the town and the postal code beside the street."""
    done = 0
    for word in find_matches(_WORD, text):
        start, end = word.span()
        if start < done:
            continue
        match = _NAME_AND_NUMBER.match(text, end)
        house = _HOUSE_BEFORE.search(text, max(done, start - _BEFORE), start)
        if house and (name := _NAME_AFTER.match(text, end)):
            match, start = match or name, house.start(house.lastgroup or 0)
        elif match is None:
            match = _NUMBER_AFTER.match(text, end)
            name = match and _NAME_BEFORE.search(text, max(done, start - _BEFORE), start)
            if not match or not name:
                continue
            start = name.start()
        if town := _TOWN_BEFORE.search(text, max(done, start - _BEFORE), start):
            start = town.start()
        yield start, match.end()
        done = match.end()
