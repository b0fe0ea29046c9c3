"""Detects names in running prose in Japanese: last and given names of the lists, and foreign names in Katakana."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.script_words import is_well_known, name_score, word_set
from workbench.privacy.detectors.text_search import find_matches

_KANA = re.compile("[\u3041-\u30ff]")
_HAN = "\u3400-\u9fff々ヶケ"
_RUN = re.compile(f"[{_HAN}]{{1,40}}")
_GIVEN_KANA = re.compile("[\u3041-\u3096]{2,4}|[\u30a1-\u30fa\u30fc]{2,6}")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{2,15}(?:[・=＝ ][\u30a1-\u30fa\u30fc]{1,15}){0,5}")
_LIST = re.compile("[やと、,]|および|並びに")  # between two names
_JOINT = re.compile("[・=＝ ]")
_BORDERS = re.compile("[、。,，（(」』・\\n]|は|が|の|を|に|と|も|さん|ら|$")
_TITLE_WORDS = (
    "氏|さん|様|君|選手|首相|大統領|総理|大臣|議員|知事|市長|町長|会長|社長|監督|投手|捕手|教授|博士|先生|"
    "容疑者|被告|代表|幹事長|書記長|主席|国王|女王"
    "|皇帝|天皇|王子|王女|殿下|陛下|将軍|大将|元帥|提督|卿|公|侯|伯|神父|司教|法王|教皇|弁護士|医師|記者|"
    "騎手|横綱|大関|棋士|九段|八段|七段|名人|竜王"
    "|元首相|前首相|元大統領|前大統領|外相|財務相|防衛相|官房長官|長官|総裁|理事長|最高経営責任者|夫人|夫妻|家"
)
_TITLE = re.compile(f"(?:{_TITLE_WORDS})")
_ROLES_WORDS = """
絵師 浮世絵師 剣豪 僧侶 茶人 武士 思想家 軍師 儒学者 国学者 蘭学者 探検家 登山家 冒険家 書家 陶芸家 評論家
劇作家 児童文学者 翻訳家 編集者
俳優 女優 歌手 作家 小説家 詩人 歌人 俳人 画家 漫画家 作曲家 作詞家 音楽家 指揮者 監督 演出家 脚本家
写真家 建築家 彫刻家 声優 芸人 落語家 司会 選手 投手 騎手 棋士 力士 学者 教授 博士 科学者 物理学者
化学者 数学者 哲学者 経済学者 歴史学者 医師 弁護士 政治家 実業家 起業家 創業者 社長 会長 首相 総理
大統領 大臣 知事 市長 議員 代表 長官 国王 女王 皇帝 将軍 武将 大名 藩主 藩士 軍人 父 母 兄 弟 姉 妹
妻 夫 息子 娘 長男 次男 三男 長女 次女 祖父 祖母 弟子 師匠 同級生 ピアニスト アナウンサー タレント
モデル アイドル ギタリスト ボーカル ドラマー ミュージシャン デザイナー プロデューサー ジャーナリスト
キャスター 記者 当時の 故
"""
_ROLES: Final = tuple(_ROLES_WORDS.split())
_NO_GIVEN = frozenset(("時代", "平和", "未来", "正月", "一般", "幸福", "自由", "平成", "昭和", "大正", "明治", "中央"))
_COMMON_ENDS = frozenset("市県区町村駅線川山寺城社駅島湖港橋通道庁署局部課室院館園場会校")
_ALONE, _TOGETHER, _ANNOUNCED = 2.2, 0.4, 2.0
_PLACES_AFTER = re.compile(
    "(?:州|市|県|島|川|山|湖|海|半島|諸島|大学|社|株式会社|郡|区|地方|帝国|王国|共和国|語|人|教|賞|級|式|"
    "型|法|杯|城|宮殿|通り|駅|空港|文字|祭|病|連鎖|定理|変換|分布|線|条約|図書館|効果|方程式|法則|症候群|反応|遺跡|"
    "大陸|鉄道|銀行|証券|自動車|製薬|財団|研究所|競技場|地区|新聞|音楽院|交響|管弦楽|博物館|美術館|映画祭|数|空間)"
)


def find_japanese_prose_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Japanese names, and of foreign ones in Katakana."""
    if next(find_matches(_KANA, text), None) is None:
        return
    for run in find_matches(_RUN, text):
        yield from _in_run(text, *run.span())
    named = 0  # the end of the last foreign name
    for match in find_matches(_KATAKANA, text):
        listed = named and _LIST.fullmatch(text, named, match.start()) is not None
        for start, end in _foreign(text, match, _ANNOUNCED if listed else 0.0):
            yield start, end
            named = end


def _in_run(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names that begin a run of Han letters, or follow a role in it."""
    at = start
    while at < end:
        if (at == start or text.endswith(_ROLES, start, at)) and (stop := _name(text, at, end)):
            yield at, stop
            at = stop
            continue
        at += 1


def _name(text: str, at: int, end: int) -> int:
    """The end of the name that begins here; 0 if there is none."""
    for size in (6, 5, 4, 3):
        if at + size <= end and text[at : at + size] in word_set("ja_people") and _ends(text, at + size, end):
            return at + size
    last, last_words = word_set("ja_last"), word_set("ja_last_words")
    given, given_words = word_set("ja_given"), word_set("ja_given_words")
    for size in (2, 3, 1, 4):
        begin = at + size
        name = text[at:begin]
        sure = name in last
        if begin > end or not (sure or name in last_words):
            continue
        for length in (3, 2, 1):
            stop = begin + length
            part = text[begin:stop]
            if stop > end or not _ends(text, stop, end):
                continue
            if part in given and (sure or length > 1) and size + length > 2:
                return stop
            if part in _NO_GIVEN:
                continue
            if part in given_words and size > 1 and length > 1 and stop == end and _AGENT.match(text, stop):
                return stop
            if part in given_words and (sure or length > 2) and size + length > 2 and size > 1:
                return stop
        if begin == end and size > 1 and (kana := _GIVEN_KANA.match(text, end)):
            part = kana.group()
            if part[0] >= "\u30a1" and name_score("katakana", part) > -0.5 and _ends(text, kana.end(), kana.end()):
                return kana.end()
            for length in range(len(part), 1, -1):
                if part[:length] in word_set("ja_given_kana") and _BORDERS.match(text, end + length):
                    return end + length
    return _single(text, at, end)


def _single(text: str, at: int, end: int) -> int:
    """The end of a last or given name that stands alone."""
    last, given = word_set("ja_last"), word_set("ja_given")
    for stop in range(min(end, at + 4), at + 1, -1):
        part = text[at:stop]
        if part[-1] in _COMMON_ENDS:
            continue
        if (part in last or part in given) and (
            (stop == end and _ALONE_AFTER.match(text, stop)) or _TITLE.match(text, stop)
        ):
            return stop
    return 0


_AGENT = re.compile("(?:は|が|も|ら|と)(?![\u3400-\u9fff])")
_ALONE_AFTER = re.compile("(?:は|が|を|と|に|の|も|ら)")


def _ends(text: str, at: int, end: int) -> bool:
    """Whether a name can end here: at the end of the run, or before a title in it."""
    return at == end or _TITLE.match(text, at) is not None


def _foreign(text: str, match: re.Match[str], bonus: float) -> Iterator[tuple[int, int]]:
    """The names of persons in a run of Katakana words."""
    start, end = match.span()
    parts = _JOINT.split(match.group())
    scores = [_katakana_score(part) for part in parts]
    if _PLACES_AFTER.match(text, end) and not _TITLE.match(text, end):
        return
    if _TITLE.match(text, end):
        bonus += _ANNOUNCED
    before = text[max(0, start - 12) : start]
    if before.endswith(_ROLES) or (before.endswith("の") and before.removesuffix("の").endswith(_ROLES)):
        bonus += _ANNOUNCED
    if text[start - 1 : start] in ("『", "「", "《") and text[end : end + 1] in ("』", "」", "》"):
        bonus -= 3.0
    if len(parts) == 1 and _AGENT.match(text, end):
        bonus += 0.6
    if len(parts) > 1:
        if sum(scores) / len(scores) + bonus >= _TOGETHER and min(scores) > -3:
            yield start, end
    elif scores[0] + bonus >= _ALONE:
        yield start, end


@lru_cache(maxsize=8192)
def _katakana_score(word: str) -> float:
    if len(word) < 2:
        return 0.0
    return name_score("katakana", word) - (1.0 if len(word) < 3 else 0.0) + is_well_known("katakana", word)
