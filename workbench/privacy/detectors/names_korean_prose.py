"""Detects names in running prose in Korean: words that look like names of persons before particles and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.script_name_lists import all_names_of
from workbench.privacy.detectors.script_words import is_well_known, name_score
from workbench.privacy.detectors.text_search import find_matches

_WORD = re.compile("(?<![\uac00-\ud7a3])[\uac00-\ud7a3]{1,12}")
_PARTICLES = (
    "은 는 이 가 을 를 의 에게 에게서 한테 께 께서 와 과 도 로 으로 이며 며 이고 만 씨 님 씨는 씨가 씨의 "
    "이다 였다 이었다 부터 까지 라고 이라고"
    " 라는 이라는 처럼 보다 에 등 측 전 이나 나 랑 이랑 마저 조차 에게는 에게도 과의 와의 만의 에서 측은 "
    "측이 인 이자 로부터 으로부터 이란 란"
)
_SORTED: Final = sorted(_PARTICLES.split(), key=len, reverse=True)
_TITLE = re.compile(
    "[ ]?(?:씨|전 대통령|대통령|총리|장관|의원|대표|위원장|회장|부회장|사장|감독|선수|교수|박사|기자|작가|"
    "시인|화백|변호사|판사|검사|장군|제독|국왕|황제"
    "|여왕|왕자|공주|총재|총장|원장|의장|서기장|주석|국장|팀장|후보|지사|시장|이사장|이사|대사|목사|신부|"
    "스님|추기경|교황|여사|양|군|옹|정부|정권|행정부)"
    "(?=[은는이가을를의에와과도로]?(?![\uac00-\ud7a3]))"
)
_ROLE = re.compile(
    "(?:대통령|총리|수상|장관|의원|대표|위원장|회장|사장|감독|배우|가수|선수|투수|타자|공격수|골키퍼|작가|"
    "소설가|시인|화가|작곡가|교수|박사|기자|변호사|장군|국왕"
    "|황제|여왕|왕자|철학자|물리학자|수학자|화학자|과학자|역사가|사업가|기업가|정치인|독립운동가|음악가|"
    "지휘자|피아니스트|래퍼|아이돌|개그맨|아나운서|앵커|디자이너"
    "|건축가|발명가|탐험가|성우|모델|방송인|코치|창업자|설립자|후보|대변인|아내|남편|아들|딸|동생|형|아버지|어머니) "
)
_ROLE_BEFORE = re.compile(_ROLE.pattern + "\\Z")
_ALONE, _KNOWN_LAST, _FOREIGN = 1.6, 1.5, 2.4
_TITLED, _ROLED, _NEAR = 1.8, 1.5, 1.5
_INFLECTED_WORDS = """
한 된 할 될 합 됩 하 되 했 됐 에 으 니다 습니 합니 됩니 하는 되는 하고 하게 하여 해서 위해 대해 이후
이전 적 들
"""
_INFLECTED: Final = tuple(_INFLECTED_WORDS.split())
_SMALL = frozenset("전그이저한두세네새각총약제등및첫현내네본당타")  # words of one letter
_LINKS = frozenset(["판", "폰", "반", "데", "디", "르", "알", "빈", "이븐", "드"])  # inside a foreign name
_LONGEST = 5  # words of a name


def find_korean_prose_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Korean and foreign names in Hangul."""
    row: list[tuple[int, int, float, bool]] = []  # start, end, score, whether nothing follows in the word
    for word in find_matches(_WORD, text):
        size, score = _stem(word.group())
        start, end = word.start(), word.start() + size
        if row and (text[row[-1][1] : start] != " " or not row[-1][3] or len(row) == _LONGEST):
            yield from _in_row(text, row)
            row = []
        row.append((start, end, score, end == word.end()))
    yield from _in_row(text, row)


def _in_row(text: str, row: list[tuple[int, int, float, bool]]) -> Iterator[tuple[int, int]]:
    """The names among words without particles between them."""
    scores = [score for _, _, score, _ in row]
    for at, (start, end, score, _) in enumerate(row):
        if _ROLE.match(f"{text[start:end]} "):
            scores[at] = -5.0
        if score <= -3:
            continue
        if _TITLE.match(text, end):
            scores[at] += _TITLED
        if _ROLE_BEFORE.search(text, max(0, start - 9), start):
            scores[at] += _ROLED
            if at + 1 < len(row) and not _korean(text[start:end]) and row[at + 1][2] > -_FOREIGN:
                scores[at + 1] += _ROLED
        if at and row[at - 1][2] > 1 and not _korean(text[row[at - 1][0] : row[at - 1][1]]):
            scores[at] += _NEAR
        if at + 1 < len(row) and row[at + 1][2] > 1:
            scores[at] += 0.5
    at = 0
    while at < len(row):
        end = at
        while end < len(row) and scores[end] > 0:
            end += 1
        while end > at and text[row[end - 1][0] : row[end - 1][1]] in _LINKS:
            end -= 1
        words = [text[row[place][0] : row[place][1]] for place in range(at, end)]
        if words and _accepted(words, scores[at:end]):
            yield row[at][0], row[end - 1][1]
        at = max(end, at + 1)


def _accepted(words: list[str], scores: list[float]) -> bool:
    if len(words) > 1:
        return max(scores) >= _ALONE
    return scores[0] >= (_KNOWN_LAST if _korean(words[0]) else _FOREIGN)


@lru_cache(maxsize=8192)
def _korean(word: str) -> bool:
    """Whether a word is a Korean last name with a given name of two letters."""
    last = all_names_of("hangul", "last")
    return (len(word) == 3 and word[0] in last) or (len(word) == 4 and word[:2] in last)


@lru_cache(maxsize=16384)
def _stem(word: str) -> tuple[int, float]:
    """The number of letters of a word before its particle, as it looks most like a name, and its score."""
    best, size = _score(word), len(word)
    if best < -4:
        return size, best
    for particle in _SORTED:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            stem = word[: -len(particle)]
            score = _score(stem)
            if score <= -5:  # an ordinary word with a particle
                return len(stem), score
            foreign = score > 0.5 and len(stem) > 2 and not _korean(word) and not is_well_known("hangul", word)
            if foreign or score > best - (1.5 if score > 0.5 and not _korean(word) else 0.5):
                best, size = score, len(stem)
    return size, best


def _score(word: str) -> float:
    if len(word) > 8 or word.endswith(_INFLECTED):
        return -5.0
    if word in _LINKS:
        return 0.2
    if word in _SMALL:
        return -5.0
    common = 3.0 if word[-1] in "자님" else 1.0 if len(word) < 3 else 0.0
    return max(-5.0, min(5.0, name_score("hangul", word))) - common + is_well_known("hangul", word)
