"""Detects Japanese, Chinese and Korean addresses, which go from the region to the number without spaces.

Each search takes a whole run of letters and digits at once and reads it once, so its time grows linearly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches

_D = "[0-9\uff10-\uff19]"
_HAN = "\u3400-\u9fff\u3005"
_DASH = "\u2010-\u2013\u2212\u30fc\uff0d-"
_DIGIT = re.compile(_D)
_LETTER = re.compile("[\u3012\u3400-\u9fff\uac00-\ud7a3]")

# --- Japanese

_PREFECTURES = """
北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県
埼玉県 千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県
岐阜県 静岡県 愛知県 三重県 滋賀県 京都府 大阪府 兵庫県 奈良県 和歌山県
鳥取県 島根県 岡山県 広島県 山口県 徳島県 香川県 愛媛県 高知県 福岡県
佐賀県 長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県
"""
_PREFECTURE = "|".join(_PREFECTURES.split())
_POSTCODE = f"〒 ?{_D}{{3}}[{_DASH}]?{_D}{{4}}"
_JAPANESE_START = re.compile(f"{_POSTCODE}|{_PREFECTURE}|(?<![{_HAN}])[{_HAN}]{{1,4}}[市区郡](?=[{_HAN}\u3041-\u30ff])")
_PART = f"(?:(?![はをにでへも])[{_HAN}\u3041-\u3096\u30a1-\u30fa\u3000 ])"
_UNIT = f"(?:丁目|番地?|号室?|条|の|[{_DASH}])"
_JAPANESE = re.compile(
    f"(?:{_POSTCODE}[\u3000 \n]{{0,2}})?(?:{_PREFECTURE})?{_PART}{{2,30}}+(?:(?<=[一二三四五六七八九十])|{_D}{{1,4}})"
    f"(?:{_UNIT}{{1,2}}(?:[{_HAN}]{{1,2}}(?={_D}))?{_D}{{0,4}}){{1,6}}"
    f"(?:[\u3000 ]?[{_HAN}\u30a1-\u30ffA-Za-z]{{1,16}}+{_D}{{1,4}}(?:階|号室|F)?|[\u3000 ]?{_D}{{1,4}}(?:階|号室|F))?"
)
_REGIONAL = re.compile(f"〒|{_PREFECTURE}")
_BLOCKS = re.compile(f"丁目|番|号|{_D}[-−ー]{_D}{{1,3}}[-−ー]{_D}")
_KANJI_NUMBER = re.compile(
    f"(?:{_PREFECTURE})?{_PART}{{2,24}}?[一二三四五六七八九十]{{1,3}}丁目(?:{_D}{{1,4}}(?:番地?|号"
    f"|[{_DASH}]){{0,2}}){{0,3}}"
)


def find_japanese_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses, and of postal codes with their sign."""
    done = 0
    for start in find_matches(_JAPANESE_START, text):
        if start.start() < done:
            continue
        match = _JAPANESE.match(text, start.start()) or _KANJI_NUMBER.match(text, start.start())
        if match and (_REGIONAL.match(match.group()) or _is_block(match.group())):
            yield match.span()
        elif start.group()[0] == "〒":
            yield start.span()
        done = match.end() if match else start.end()


def _is_block(address: str) -> bool:
    """Whether an address without a prefecture has a Japanese number, and no Chinese road."""
    return _BLOCKS.search(address) is not None and _ROAD.search(address) is None


# --- Chinese

_CHINESE_NUMBER = re.compile(
    f"{_D}{{1,5}}(?:号|號|弄)(?:之{_D}{{1,3}})?"
    f"(?:[{_HAN}]{{0,8}}+(?<![号號弄楼樓栋棟室层層]{_D}){_D}{{1,5}}(?:号楼|號樓|号|號|楼|樓|栋|棟|单元|單元|室|层"
    f"|層|座|幢)){{0,4}}"
)
_ROAD = re.compile("路|街|道|巷|弄|胡同|村|园|園")
_REGION = re.compile("省|自治区|市|区|區|县|縣|镇|鎮|乡|鄉")
_CHINESE_STOP = re.compile(
    ".*(?:地址|寄到|寄至|送到|送至|位于|位於|住在|住址|搬到|搬至|发到|发往|發到|请到|前往|是|在|到|为|為|至)", re.DOTALL
)
_LONGEST = 32  # letters of an address before its number
_ROAD_NEAR = 12  # letters before a number that must contain a word for a road


def find_chinese_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses with a road and a number."""
    for number in find_matches(_CHINESE_NUMBER, text):
        start = number.start()
        while start > max(0, number.start() - _LONGEST) and _is_han(text[start - 1]):
            start -= 1
        before = text[start : number.start()]
        if _ROAD.search(before[-_ROAD_NEAR:]) is None:
            continue
        region = _REGION.search(before)
        head = before[: region.end()] if region else before[:-2]
        if stop := _CHINESE_STOP.match(head):
            start += stop.end()
        yield start, number.end()


def _is_han(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff"


# --- Korean

_REGIONS = (
    "서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충청[남북]|전라[남북]|경상[남북]|충[남북]|전[남북]|경[남북]|제주"
)
_KOREAN_RUN = re.compile(f"(?<![가-힣])(?:{_REGIONS})[가-힣A-Za-z0-9 ,()-]{{4,90}}+")
_KOREAN = re.compile(
    f"(?:{_REGIONS})(?:특별자치시|특별자치도|특별시|광역시|시|도)? ?(?:[가-힣]{{1,6}}(?:시|군"
    f"|구) ?){{0,2}}(?:[가-힣]{{1,8}}(?:읍|면) ?)?"
    "[가-힣0-9]{1,12}?(?:로|길|동|리|가) ?\\d{1,5}(?:-\\d{1,4})?(?:번지|번길 ?\\d{1,4})?"
    "(?:,? ?(?:[가-힣A-Za-z]{1,12} )?\\d{1,4}(?:층|호|동)){0,3}(?: ?\\(우\\) ?\\d{5}"
    "| ?\\([가-힣, ]{2,20}\\))?(?!\\d|[년월일시분원명개건])"
)


def find_korean_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses that begin with a region."""
    for run in find_matches(_KOREAN_RUN, text):
        if match := _KOREAN.match(text, run.start(), run.end()):
            yield match.span()


def find_eastern_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Japanese, Chinese and Korean addresses."""
    if not all(next(find_matches(needed, text), None) for needed in (_LETTER, _DIGIT)):
        return
    yield from find_japanese_addresses(text)
    yield from find_chinese_addresses(text)
    yield from find_korean_addresses(text)
