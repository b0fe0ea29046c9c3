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
_TOWN_BLOCK = re.compile(f"[市区郡].{{1,20}}町{_D}{{1,4}}[{_DASH}]{_D}")
_LINE = re.compile(f"(?:バス|線|行き|ホーム){_D}")
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
    if _TOWN_BLOCK.search(address) is not None:
        return True
    return _BLOCKS.search(address) is not None and _ROAD.search(address) is None and _LINE.search(address) is None


# --- Chinese

_CHINESE_UNIT = "号楼|號樓|号|號|楼|樓|栋|棟|单元|單元|室|层|層|座|幢|弄|巷|户|戶"
_NO_HOUSE = (
    "(?!线|線|口|选手|選手|信号|信號|任务|任務|桥墩|橋墩|[门門](?![口牌前])|展位|出口|隧道|车|車|机|機|公交|文件|令)"
)
_CHINESE_NUMBER = re.compile(
    f"{_D}{{1,5}}(?:(?:号|號){_NO_HOUSE}|弄|巷(?=[{_HAN}]{{0,6}}{_D}))(?:之{_D}{{1,3}})?"
    f"(?:[{_HAN}A-Za-z]{{0,12}}+(?<![号號弄楼樓栋棟室层層]{_D}){_D}{{1,5}}(?:{_CHINESE_UNIT})(?:之{_D}{{1,3}})?){{0,5}}"
    f"(?:(?<=[号號楼樓栋棟元座幢层層])(?:{_D}{{1,3}}-{_D}{{1,4}}|-?{_D}{{3,4}})(?!{_D}|[元年月天]))?"
    f"(?:[，,、 ]{{1,2}}{_D}{{6}}(?!{_D}|[元万萬人年]))?"
)
_ROAD = re.compile("路|街|道|巷|弄|胡同|村|园|園|桥|橋|小区|社区|[一二三四五六七八九十]段|庄|莊|苑|坊")
_NO_ADDRESS = re.compile(
    ".*(?:[国國县縣省県府都]道|第|高速|[频頻渠轨軌跑通航频]道|[铁鐵线線网網电電]路|公路|道路|路由|[有站了])", re.DOTALL
)  # before a number
_REGION = re.compile("省|自治区|市|区|區|县|縣|镇|鎮|乡|鄉")
_CHINESE_STOP = re.compile(
    ".*(?:地址|寄到|寄至|寄往|寄给|寄|到了|家住|住|送到|送至|位于|位於|住在|住址|搬到|搬至|发到|发往|發到|请到|前往|是|在|到|为|為|至)",
    re.DOTALL,
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
        if _ROAD.search(before[-_ROAD_NEAR:]) is None or _NO_ADDRESS.fullmatch(before):
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
_LONGEST_KOREAN = 120  # characters of an address
_POSTCODE_BEFORE = re.compile(r"(?<![\d-])(?:\(\d{5}\)|\d{5}) \Z")
_NO_CITY = (
    "(?!(?:또?다시|잠시|역시|혹시|즉시|임시|반드시|출시|표시|제시|지시|공시|동시|당시|실시|무시|전시|게시|명시|예시"
    "|도시|일시|수시|상시|친구|연구|요구|도구|기구|가구|야구|축구|농구|배구|탁구|당구|입구|출구|지구|영구|청구|촉구"
    "|복구|누구|장군|문구) )"
)
_NO_ROAD = (
    "(?!(?:고속|자동차)?도로 |국도 |지방도 |철도 |[가-힣]{0,10}으로 |(?:그대|마음대|제대|따|별|새|서|바|주|때|홀|함부"
    "|별도|수시|대체|실제|스스|결과|오류|최)로 |[활행이운자수작변공아노감연구]동 )"
)
_KOREAN_START = re.compile(
    r"(?<![가-힣])(?=[가-힣]{2,6}동 \d{1,4}(?:-\d{1,4})?번지)|"
    f"(?<![가-힣])(?:(?:{_REGIONS})|{_NO_CITY}[가-힣]{{1,6}}(?:시|군|구) (?=[가-힣])"
    r"|(?=[가-힣]{2,8}(?:대로|로) ?\d{1,3}번?길 ?\d)|(?=[가-힣]{2,8}(?:로|길) ?\d{1,4}(?:-\d{1,3})?, ?\d{1,4}[층호동]))"
)
_KOREAN_ROAD = (
    rf"{_NO_ROAD}(?:[가-힣]{{1,8}}(?:읍|면) ?(?:[가-힣]{{1,8}}리)?)?(?:(?<=리)"
    r"|[가-힣][가-힣0-9]{0,12}?(?:(?:로|길) ?\d{1,3}번?길|로 ?\d가|로|길|동|(?<=\d)가))"
    r" ?\d{1,5}(?:-\d{1,4})?(?:번지|번길 ?\d{1,4})?"
)
_COUNTED = (
    "년|월|일|시|분|원|명|개|건|대|회|번|차|척|위|세|살|배|점|킬로|미터|만|억|여|팀|곳|코스|층|가지|종|단|이[하상내]"
)
_KOREAN = re.compile(
    f"(?:(?:{_REGIONS})(?:특별자치시|특별자치도|특별시|광역시|시|도)? ?)?"
    f"(?:[가-힣]{{1,6}}(?:시|군|구) ?){{0,2}}{_KOREAN_ROAD}"
    r"(?:,? ?(?:[가-힣A-Za-z]{1,12} )?\d{1,4}(?:층|호|동)){0,3}(?: ?\(우\) ?\d{5}| ?\([가-힣, ]{2,20}\))?"
    r"(?:,? \d{5}(?![\d원명개]))?"
    rf"(?![\dA-Za-z%]|-\d|[.,:]\d|{_COUNTED}| (?:년|명|원|개|km|회|팀|차이|증가)(?![가-힣]))"
)


def find_korean_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses that begin with a region, a city or a road with a number, and of postal codes before them."""
    done = 0
    for start in find_matches(_KOREAN_START, text):
        if start.start() < done:
            continue
        if match := _KOREAN.match(text, start.start(), start.start() + _LONGEST_KOREAN):
            code = _POSTCODE_BEFORE.search(text, max(0, start.start() - 9), start.start())
            yield (code or match).start(), match.end()
            done = match.end()


def find_eastern_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Japanese, Chinese and Korean addresses."""
    if not all(next(find_matches(needed, text), None) for needed in (_LETTER, _DIGIT)):
        return
    yield from find_japanese_addresses(text)
    yield from find_chinese_addresses(text)
    yield from find_korean_addresses(text)
