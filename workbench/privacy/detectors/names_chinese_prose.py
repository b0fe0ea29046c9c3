"""Detects names in running prose in Chinese by the likeliest division of a sentence into words and names.

A name is a last name with letters of given names, a foreign name in the letters that spell those, or a known person.
It counts where it is likelier than the ordinary words of the dictionary in its place. Traditional letters are read as
simplified ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import log
from typing import Final

from msgspec import Struct

from workbench.privacy.detectors.script_words import section, word_set
from workbench.privacy.detectors.text_search import find_matches

_RUN = re.compile("[\u3400-\u9fff·•‧]{2,400}")
_KANA = re.compile("[\u3041-\u30ff]")
_NEAR = 60  # characters in which Kana makes a line Japanese
_TOTAL: Final = log(6e7)
_UNKNOWN: Final = -15.0  # a letter that is no word
_PERSON, _PERSON_TWO, _FOREIGN, _TITLED = (
    -6.2,
    -8.2,
    -7.5,
    4.0,
)  # how likely a name of these forms is in a place of a sentence
_PLACE: Final = -5.0  # for a name that ends like a place
_RARE: Final = -10.5  # a letter that is in no given name of the list
_LONGEST_WORD, _LONGEST_FOREIGN, _LONGEST_RUN = 6, 8, 16
_TITLES_WORDS = """
总统 总理 首相 主席 部长 外长 国务卿 书记 市长 省长 州长 议员 参议员 众议员 将军 上将 中将 元帅 皇帝
国王 女王 王子 公主 教授 博士 院士 先生 女士 小姐 导演 演员 歌手 作家 诗人 画家 记者 主教练 教练
球员 选手 律师 法官 医生 董事长 总裁 主任 秘书长 发言人 队长 校长 大使 科学家 物理学家 数学家 化学家
哲学家 经济学家 历史学家 企业家 小说家 作曲家 艺术家 主持人 特首 立委 委员 议长 副总统 副总理 司令
天文学家 建筑师 设计师 摄影师 工程师 生物学家 思想家 政治家 军事家 剧作家 翻译家 书法家 评论家 编剧
制片人 前锋 后卫 门将 中场 主攻手 球星 影星 歌星 棋手 宇航员 航天员 探险家 发明家 传教士 名将 大臣 宰相
丞相 总督 巡抚 县长 区长 局长 厅长 司长 会长 理事长 行长 首席执行官 主编 院长
创始人 夫人 妻子 丈夫 儿子 女儿 父亲 母亲 祖父 弟弟 哥哥 学生
"""
_TITLES: Final = tuple(_TITLES_WORDS.split())
_SAYS = re.compile(
    "派|出使|奉命|率军|起兵|字|号|原名|翻译|参与|搭档|夺|战胜|不敌|击|合作|主持|主演|饰演|执导|出席|创作|"
    "发表|获得?|击败|领导|率领|赢得|"
    "前往|访问|抵达|回应|赞|也|还|又|已|会|要|自|及|等|提出|写|打|生于|出任|逝世|去世|病逝|离开|加入|成为|"
    "当选|接任|参加|毕业|就读|来到|回到|之"
    "|说|表示|认为|指出|宣布|称|在|于|是|的|与|和|曾|被|将|出生|担任|率|对|为|以|从|向|因|则|"
    "[\u3001\uff0c,\uff08(\u3002]|$"
)
_FOREIGN_PLACE: Final = 6.0  # for a foreign word that is a place rather than a person
_LANDMARK = re.compile(".?(?:[岛湖河湾港峡峰]|古城|古镇|城堡|天文台|望远镜)")  # after a foreign word
_LANDMARKS = frozenset("塔岛堡峰湖港")
_COUNTRIES_WORDS = """
中国 日本 韩国 朝鲜 越南 泰国 印度 印尼 缅甸 老挝 柬埔寨 菲律宾 马来西亚 巴基斯坦 阿富汗 伊朗 伊拉克 叙利亚 约旦
以色列 沙特 土耳其 埃及 利比亚 突尼斯 摩洛哥 肯尼亚 南非 俄罗斯 乌克兰 波兰 捷克 匈牙利 罗马尼亚 保加利亚 希腊
塞尔维亚 奥地利 瑞士 德国 法国 英国 意大利 西班牙 葡萄牙 荷兰 比利时 丹麦 瑞典 挪威 芬兰 冰岛 加拿大 墨西哥 巴西
阿根廷 智利 秘鲁 哥伦比亚 克罗地亚 尼加拉瓜 古巴 乌拉圭 委内瑞拉 埃塞俄比亚 尼日利亚
澳大利亚 新西兰 欧洲 亚洲 非洲 北美 南美 位于 地处 坐落于 坐落在 首都 首都为
"""
_COUNTRIES: Final = tuple(_COUNTRIES_WORDS.split())
_EMPEROR = re.compile("[汉唐宋元明清隋晋魏周秦梁陈齐][\u3400-\u9fff][帝宗祖]")
_NO_PERSON = re.compile("[省市县区镇乡村州岛湖港湾路街队社报党派馆寺庙站校院厂矿城宫殿草藻鱼菌虫蛇鹿兽鼎册鹤雀鹰莺]")
_THING: Final = -20.0  # for a name before a word that makes it the name of a place, a group or an idea
_THINGS = re.compile(
    "病|症|链|定理|定律|方程|效应|猜想|函数|墙|塔|族|王朝|帝国|公国|机场|捷运|位于|地处|附近|一带|境内|遗址|沿岸|"
    "流域|盆地|平原|山脉|半岛|群岛|海峡|海域|沙漠|草原|运河|航空|公司|集团|银行|证券|汽车|电子|科技|股份|基金会|"
    "大学|学院|中学|医院|球场|体育场|大道|广场|大厦|大桥|隧道|工业|工艺|文化|时期|时代|年间|遗迹|化石|人口|地区|"
    "防线|纪念馆|博物馆|美术馆|故居|群礁|剧场|法案|法则|原理|悖论|模型|算法|指数|系数|数列|级数|空间|测试|细胞|"
    "综合征|病毒|飞艇|导弹|战机|步枪|防卫|品牌|食品|药业|制药|地产|置业|物流|能源|资本|传媒|影业|酒店|水电站|"
    "寺|庙|宫|鼎|舞|礁|语|转换|变换|分布|第[一二三]定|啤酒|年间|[省市县区镇乡村州郡路街]"
)
_NUMBERED = re.compile("[二三四五六七八九十][国族省部州]")
_ORDINAL = re.compile("[一二三四五六七八九十]{1,2}世")  # after the name of a king
_FUNCTION = frozenset(
    "的了在是和不有个这那与及或被把从到由为将会其之各每本该某称说对以并就也还都又着过去来上下中里后前时年月日等"
)


class _Model(Struct, frozen=True, eq=False):
    words: dict[str, float]
    people: dict[str, float]
    last: dict[str, float]
    given: tuple[dict[str, float], dict[str, float], dict[str, float]]  # first of two, second of two, alone
    foreign: dict[str, float]
    simplified: dict[int, int]


def find_chinese_prose_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of names of persons on lines without Japanese letters."""
    for run in find_matches(_RUN, text):
        start, end = run.span()
        title = text[start - 1 : start] == "《" and text[end : end + 1] == "》" and "的" not in run.group()
        if not title and not _KANA.search(text, max(0, start - _NEAR), end + _NEAR):
            for low, high in _names(run.group()):
                yield start + low, start + high


def _names(run: str) -> list[tuple[int, int]]:
    model = _model()
    text = run.translate(model.simplified)
    best = [0.0] + [-1e9] * len(text)
    origin: list[tuple[int, bool]] = [(0, False)] * (len(text) + 1)
    for at in range(len(text)):
        for size, score, person in _edges(model, text, at):
            if best[at] + score > best[at + size]:
                best[at + size], origin[at + size] = best[at] + score, (at, person)
    found: list[tuple[int, int]] = []
    at = len(text)
    while at:
        start, person = origin[at]
        if person:
            if found and text[at : found[-1][0]] == "·":
                found[-1] = (start, found[-1][1])
            else:
                ordinal = _ORDINAL.match(text, at)
                found.append((start, ordinal.end() if ordinal else at))
        at = start
    return found[::-1]


def _edges(model: _Model, text: str, at: int) -> Iterator[tuple[int, float, bool]]:
    """The words and names that begin at a letter: their lengths, scores and whether they are names."""
    yield 1, model.words.get(text[at], _UNKNOWN), False
    for size in range(2, _LONGEST_WORD + 1):
        part = text[at : at + size]
        if len(part) == size:
            if (score := model.words.get(part)) is not None:
                yield size, score, False
            if (score := model.people.get(part)) is not None:
                thing = _THINGS.match(text, at + size) or _THINGS.match(text, _foreign_end(model, text, at))
                yield size, score + 1 + (_THING if thing else 0.0), True
    bonus = _TITLED if text.endswith(_TITLES, 0, at) else 0.0
    yield from _chinese(model, text, at, bonus)
    if text[at] in model.foreign:
        yield from _foreign(model, text, at, bonus)
    if _EMPEROR.match(text, at):
        yield 3, _RARE, True
    if text[at : at + 2] in word_set("ja_last") and text[at + 2 : at + 4] in word_set("ja_given"):
        yield 4, -12.0 + bonus + (1.0 if _follows(text, at + 4) else 0.0), True


def _chinese(model: _Model, text: str, at: int, bonus: float) -> Iterator[tuple[int, float, bool]]:
    for length in (1, 2):
        last = model.last.get(text[at : at + length])
        if last is None:
            continue
        first, second, alone = model.given
        begin = at + length
        one, two = text[begin : begin + 1], text[begin + 1 : begin + 2]
        if two in _FUNCTION:
            pass
        elif (one in first and two in second) or (bonus and two and (one in first or two in second)):
            follows = 1.0 if _follows(text, begin + 2) else 0.0
            place = _PLACE if _NO_PERSON.match(two) or _NO_PERSON.match(text, begin + 2) else 0.0
            place += _THING if _NUMBERED.match(text, begin) or _THINGS.match(text, begin + 2) else 0.0
            yield (
                length + 2,
                _PERSON + last + first.get(one, _RARE) + second.get(two, _RARE) + bonus + follows + place,
                True,
            )
        likely = alone.get(one) or second.get(one) or first.get(one)
        if one and one not in _FUNCTION and (bonus or (likely and _follows(text, begin + 1))):
            yield length + 1, _PERSON_TWO + last + (likely or _RARE) + bonus, True


def _foreign(model: _Model, text: str, at: int, bonus: float) -> Iterator[tuple[int, float, bool]]:
    score = _FOREIGN + bonus
    run = _foreign_end(model, text, at)
    if not bonus and (text.endswith(_COUNTRIES, 0, at) or _LANDMARK.match(text, run)):
        score += _THING
        yield run - at, _FOREIGN + _FOREIGN_PLACE + sum(model.foreign[letter] for letter in text[at:run]), False
    dotted = text[at - 1 : at] == "·"
    for size in range(1, _LONGEST_FOREIGN + 1):
        letter = text[at + size - 1 : at + size]
        if letter not in model.foreign:
            return
        score += model.foreign[letter]
        after = text[at + size : at + size + 1]
        thing = _THING if _THINGS.match(text, at + size) or _THINGS.match(text, run) else 0.0
        if dotted or after == "·":
            yield size, score + 8, True
        elif size > 1 and not _NO_PERSON.match(after) and size > (1 if bonus else 2):
            if letter in _LANDMARKS and not bonus:
                thing += _PLACE
            yield size, score + thing + (1.0 if _follows(text, at + size) else 0.0), True


def _foreign_end(model: _Model, text: str, at: int) -> int:
    """The end of the letters that spell foreign names."""
    end = at
    while end < min(len(text), at + _LONGEST_RUN) and text[end] in model.foreign:
        end += 1
    return end


def _follows(text: str, at: int) -> bool:
    """Whether a word that often follows a name is here, or the end."""
    return at >= len(text) or _SAYS.match(text, at) is not None or text.startswith(_TITLES, at)


@lru_cache(maxsize=1)
def _model() -> _Model:
    words = _logarithms("zh_words", _TOTAL) | _logarithms("zh_letters", _TOTAL)
    people = _logarithms("zh_people", _TOTAL)
    parts = section("zh_given").split(b"\n")
    first, second, alone = (_shares(_steps(part)) for part in parts)
    old, new = section("zh_simplified").decode("utf-8").split("\n")
    return _Model(
        words,
        people,
        _shares(_steps(section("zh_last"))),
        (first, second, alone),
        _shares(_steps(section("zh_foreign"))),
        str.maketrans(old, new) | str.maketrans("•‧", "··"),
    )


def _logarithms(name: str, total: float) -> dict[str, float]:
    return {word: log(2) * step - total for word, step in _steps(section(name))}


def _shares(steps: list[tuple[str, int]]) -> dict[str, float]:
    total = log(sum(2.0**step for _, step in steps))
    return {word: log(2) * step - total for word, step in steps}


def _steps(data: bytes) -> list[tuple[str, int]]:
    """Words with the logarithms of their frequencies, which stand before the words that have them."""
    found: list[tuple[str, int]] = []
    step = 0
    for word in data.decode("utf-8").split(" "):
        if word.isascii():
            step = int(word)
        else:
            found.append((word, step))
    return found
