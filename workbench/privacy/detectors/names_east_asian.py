"""Detects names in prose in Chinese, Japanese, Korean and Thai, which are written without spaces between words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workbench.privacy.detectors.script_name_lists import all_names_of, names_of
from workbench.privacy.detectors.text_search import find_matches

_HAN = "\u3400-\u9fff々"
_KANA = re.compile("[\u3041-\u30ff]")

# --- Chinese

_CHINESE_TITLE = re.compile(
    "(?:先生|女士|小姐|太太|老师|老師|经理|經理|医生|醫生|医师|醫師|教授|主任|总监|總監|总裁|博士|律师|律師|同学"
    "|同學|同志|阿姨|叔叔"
    "|师傅|師傅|警官|法官|护士|護士|秘书|秘書|工程师|工程師|店长|店長|董事|主管|大夫|校长|校長|局长|局長|处长"
    "|院长|院長)"
)
_CHINESE_LABEL = re.compile(
    "(?:联系人|聯絡人|收件人|收货人|收貨人|寄件人|姓名|名字|申请人|申請人|负责人|負責人|经办人|签名|簽名|患者"
    "|乙方|我叫|名叫|我是|抄送|此致)"
    "(?:姓名)?[ ::为為是\u3000]{0,3}(?P<name>[\u3400-\u9fff]{2,4})"
)
_CHINESE_BEFORE = re.compile(
    "(?:\\A|[^\u3400-\u9fff]|昨天|今天|明天|前天|上周|请|請|由|和|跟|与|與|给|給|向|找|让|讓|叫|是|对|對|联系"
    "|聯繫|通知|客户|客戶|用户|员工|員工"
    "|同事|朋友|经|被|把|致|为|為|及|同|问|問|告诉|告訴|感谢|感謝|谢谢|謝謝|到|了|的)\\Z"
)
_CHINESE_AFTER = re.compile(
    "\\Z|[^\u3400-\u9fff]|提交|发|發|说|說|表示|批准|负责|負責|的|已|在|将|將|会|會|也|就|正|刚|剛|要|想|申请"
    "|申請|购买|購買|订购|訂購|投诉|投訴|要求"
    "|退|签|簽|写|寫|是|和|与|與|来|來|去|打|给|給|把|没|沒|不|都|从|從|因|同意|确认|確認|回复|回覆|报告|報告"
    "|完成|修改|创建|創建|邀请|邀請|说明|参加|參加|住|今|昨|明"
)
_CHINESE_ANNOUNCED = re.compile(
    "(?:昨天|今天|明天|前天|上周|联系|聯繫|通知|员工|員工|同事|朋友|寄给|寄給|交给|交給|告诉|告訴|感谢|感謝|谢谢|謝謝|由|找|让|讓|叫)\\Z"
)
_CHINESE_VERB = re.compile(
    "提交|发来|發來|发送|说|說|表示|批准|负责|負責|申请|申請|购买|購買|投诉|投訴|要求|签|簽|写|寫|同意|确认|確認"
    "|回复|回覆|打电话|打電話|已经|已經"
)


_CHINESE_POLITE = frozenset({"先生", "女士", "小姐", "太太", "阿姨", "叔叔", "同志"})
_CHINESE_FUNCTION = frozenset("的了在是和不有个這这那与與及或被把从從到由为為将將会會之其各每本该該某")


def find_chinese_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Chinese names on lines without Japanese letters."""
    for title in find_matches(_CHINESE_TITLE, text):
        if not _japanese(text, title.start()) and (start := _chinese_start(text, title)) is not None:
            yield start, title.start()
    for label in find_matches(_CHINESE_LABEL, text):
        if not _japanese(text, label.start()) and _chinese_last(text, label.start("name")):
            yield label.span("name")
    for first in find_matches(_chinese_last_names(), text):
        if (end := _chinese_name(text, first.start())) and not _japanese(text, first.start()):
            yield first.start(), end


@lru_cache(maxsize=1)
def _chinese_last_names() -> re.Pattern[str]:
    return re.compile(f"[{''.join({name[0] for name in names_of('chinese', 'last')})}]")


def _japanese(text: str, at: int) -> bool:
    """Whether the line has Kana near this position."""
    low = text.rfind("\n", max(0, at - 60), at) + 1 or max(0, at - 60)
    high = text.find("\n", at, at + 60)
    return _KANA.search(text, low, high if high >= 0 else at + 60) is not None


def _chinese_last(text: str, at: int) -> int:
    """The number of letters of the last name that begins here; 0 if there is none."""
    last = names_of("chinese", "last")
    return 2 if text[at : at + 2] in last else 1 if text[at : at + 1] in last else 0


def _chinese_start(text: str, match: re.Match[str]) -> int | None:
    """The start of the name before a title; None if there is none. A profession needs a likelier name."""
    ordinary, letters = names_of("chinese", "ordinary"), names_of("chinese", "letters")
    title, polite = match.start(), match.group() in _CHINESE_POLITE
    for size in (4, 3, 2, 1):
        start = title - size
        if start < 0 or not (length := _chinese_last(text, start)) or (size == 4 and length == 1):
            continue
        if size > 1 and (text[start : start + 2] in ordinary or text[title - 2 : title] in ordinary):
            if size == 2:  # "任何先生": its second letter is no name either
                return None
            continue
        name = text[start:title]
        if size - length > 2 or not all(_is_han(letter) and letter not in _CHINESE_FUNCTION for letter in name):
            continue
        likely = letters.issuperset(name[length:]) and (
            size > 1 or _CHINESE_BEFORE.search(text, max(0, start - 2), start)
        )
        if polite or likely:
            return start
    return None


def _chinese_name(text: str, at: int) -> int:
    """The end of the name of three or four letters, or of two before a verb, that begins here; 0 if there is none."""
    length = _chinese_last(text, at)
    letters, ordinary = names_of("chinese", "letters"), names_of("chinese", "ordinary")
    if _CHINESE_BEFORE.search(text, max(0, at - 2), at) is None:
        return 0
    announced = _CHINESE_ANNOUNCED.search(text, max(0, at - 2), at) is not None
    for given, after in ((2, _CHINESE_AFTER), (1, _CHINESE_VERB)):
        end = at + length + given
        name = text[at:end]
        if len(name) < length + given or not all(letter in letters for letter in name[length:]):
            continue
        if any(name[place : place + 2] in ordinary for place in range(len(name) - 1)):
            continue
        if after.match(text, end) or (announced and (given > 1 or _CHINESE_AFTER.match(text, end))):
            return end
    return 0


# --- Japanese

_JAPANESE_TITLE = re.compile(
    r"[ \u3000]?(?:さん|さま|様|氏|君|くん|ちゃん|先生|殿|部長|課長|係長|社長|専務|常務|主任|教授|店長|先輩|選手"
    r"|弁護士|医師|記者|議員|博士|課長代理|マネージャー)"
)
_JAPANESE_LABEL = re.compile(
    r"(?:氏名|お?名前|担当者?|宛名|宛先|申込者|申請者|契約者|患者|受取人|差出人|責任者|代表者?|記入者|作成者"
    r"|承認者|署名|連絡先)(?:名|様)?"
    rf"(?:は、?|が|[::]\s?|\s)(?P<name>(?:(?!様)[{_HAN}]){{2,5}}(?:[ \u3000](?:(?!様)[{_HAN}\u3041-\u30ff]){{1,4}})?)"
    r"(?=です|でした|でござ|と|が|、|。|,|様|さん|まで|に|\s|$)"
)
_JAPANESE_CALLED = re.compile(
    rf"(?P<name>[{_HAN}]{{1,4}}[ \u3000]?[{_HAN}\u3041-\u3096]{{0,4}}?)(?=と申し(?:ます|上げ)|(?:より|拝)\s*$)",
    re.MULTILINE,
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,10}(?:[ \u3000・][\u30a1-\u30fa\u30fc]{2,10})?\Z")
_HIRAGANA = re.compile(r"(?<![\u3041-\u3096])[\u3041-\u3096]{2,4}\Z")
_HAN_BEFORE = re.compile(rf"(?<![{_HAN}])[{_HAN}]{{2,3}}\Z")
_GIVEN_END = frozenset("子美郎太介也樹香奈恵一二三雄男夫之人斗翔平輔彦司志希佳菜花乃代江枝実穂織音羽那里莉吾哉真紀")
_NOT_PERSONS_WORDS = """
ユーザー ユーザ メーカー スタッフ ゲスト メンバー クライアント パートナー オーナー
ドライバー カスタマー オペレーター マネージャー プレイヤー サポーター リーダー
エンジニア デザイナー ベンダー テナント サプライヤー ホスト サーバー トレーナー
"""
_NOT_PERSONS = frozenset(_NOT_PERSONS_WORDS.split())
_NOT_LAST = frozenset("者員生師手屋家人長官士母父子供社店客皆奥神王仕同模多様等方")


def find_japanese_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Japanese names."""
    for title in find_matches(_JAPANESE_TITLE, text):
        if (start := _japanese_start(text, title)) is not None:
            yield start, title.start()
    if next(find_matches(_KANA, text), None):
        for pattern in (_JAPANESE_LABEL, _JAPANESE_CALLED):
            for match in find_matches(pattern, text):
                if _japanese_last(text, match.start("name")):
                    yield match.span("name")
    for first in find_matches(_japanese_last_names(), text):
        if _begins_word(text, first.start()) and (end := _japanese_full_name(text, first.start())):
            yield first.start(), end


@lru_cache(maxsize=1)
def _japanese_last_names() -> re.Pattern[str]:
    names = names_of("japanese", "last") | names_of("japanese", "kana_last")
    return re.compile(f"[{''.join({name[0] for name in names})}]")


_JAPANESE_BEFORE = (
    *(
        "昨日",
        "今日",
        "明日",
        "先日",
        "先週",
        "今週",
        "来週",
        "今朝",
        "担当",
        "担当者",
        "同僚",
        "部下",
        "上司",
        "弊社",
        "当社",
    ),
    *(
        "御社",
        "貴社",
        "新人",
        "現在",
        "本日",
        "営業",
        "経理",
        "総務",
        "人事",
        "店長",
        "部長",
        "課長",
        "社長",
        "友人",
        "患者",
        "顧客",
    ),
)


def _begins_word(text: str, at: int) -> bool:
    """Whether the letter here is the first of its run, or follows a word that often stands before a name."""
    return at == 0 or not _is_han(text[at - 1]) or text.endswith(_JAPANESE_BEFORE, 0, at)


def _japanese_last(text: str, at: int) -> int:
    """The number of letters of the last name that begins here; 0 if there is none."""
    last = all_names_of("japanese", "last")
    return next((size for size in (4, 3, 2, 1) if text[at : at + size] in last), 0)


def _japanese_full_name(text: str, at: int) -> int:
    """The end of a last name with a given name after it; 0 if there is none."""
    given = all_names_of("japanese", "given")
    last, kana = names_of("japanese", "last"), names_of("japanese", "kana_last")
    for size in (6, 5, 4, 3, 2, 1):
        name = text[at : at + size]
        if len(name) < size or (name not in last and name not in kana):
            continue
        begin = at + size + (text[at + size : at + size + 1] in (" ", "\u3000"))
        spaced = begin > at + size
        for length in (4, 3, 2, 1):
            end = begin + length
            part, after = text[begin:end], text[end : end + 1]
            if len(part) < length or (length == 1 and not spaced and size < 2):
                continue
            if "\u3400" <= after <= "\u9fff" and not _JAPANESE_TITLE.match(text, end):
                continue
            if part in given and (length > 1 or spaced):
                return end
            if 2 <= length <= 3 and all("\u3400" <= letter <= "\u9fff" for letter in part) and part[-1] in _GIVEN_END:
                return end
            if spaced and name in kana and all("\u30a1" <= letter <= "\u30fc" for letter in part):
                return _katakana_end(text, begin)
    return 0


def _katakana_end(text: str, at: int) -> int:
    while at < len(text) and "\u30a1" <= text[at] <= "\u30fc":
        at += 1
    return at


def _japanese_start(text: str, title: re.Match[str]) -> int | None:
    """The start of the name before a title; None if there is none."""
    at = title.start()
    word = title.group().strip()
    if not (_is_han(text[at - 1 : at]) or "\u3041" <= text[at - 1 : at] <= "\u30fc"):
        return None
    for size in range(min(8, at), 0, -1):
        start = at - size
        length = _japanese_last(text, start)
        if not length or not _begins_word(text, start):
            continue
        rest = text[start + length : at].strip(" \u3000")
        if len(rest) <= 3 and (rest in names_of("japanese", "given") or all(map(_is_han, rest)) or _is_katakana(rest)):
            return start
    before = text[max(0, at - 22) : at]
    if word in ("さん", "さま", "様", "氏", "くん", "ちゃん") and (match := _KATAKANA.search(before)):
        return None if match.group() in _NOT_PERSONS else at - len(match.group())
    if word in ("くん", "ちゃん", "さん") and (match := _HIRAGANA.search(before)):
        known = match.group() in all_names_of("japanese", "given")
        return at - len(match.group()) if known else None
    if word in ("さん", "氏") and (match := _HAN_BEFORE.search(before)) and _NOT_LAST.isdisjoint(match.group()):
        return at - len(match.group())
    return None


def _is_han(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff" or letter == "々"


def _is_katakana(part: str) -> bool:
    return all("\u30a1" <= letter <= "\u30fc" for letter in part)


# --- Korean

_KOREAN_WORD = re.compile("(?<![\uac00-\ud7a3])[\uac00-\ud7a3]{2,9}")
_KOREAN_TITLE = re.compile(
    " ?(?:씨|선생님|선생|과장|부장|대리|사원|팀장|대표|차장|교수|박사|의사|변호사|간호사|기자|고객님|회원님|환자"
    "|실장|본부장|상무|전무)(?![\uac00-\ud7a3]{3})"
)
_KOREAN_PARTICLE = re.compile(
    "(?:은|는|이|가|을|를|의|에게|에게서|한테|께|께서|와|과|도|로|으로|이며|이고|만|씨|님|님께|님이|님은|님의"
    "|님도|드림|올림|입니다|이다|이에요|예요)?(?![\uac00-\ud7a3])"
)
_KOREAN_LABEL = re.compile(
    "(?:담당자|수신|발신|이름|성명|고객명|고객|신청인|신청자|작성자|받는 ?사람|보내는 ?사람|예금주|환자명|환자"
    "|대표자|책임자)(?:은|는|명)?(?P<mark> ?[::] ?| )\\Z"
)
_KOREAN_ROLES = frozenset("자사원장인객생님주모수")  # last letters of words for persons
_KOREAN_FEW = frozenset("김이박최정강조윤장임한오서신권황안송류유홍전고문손양배백허남심노하곽성차주우구민진나지")


def find_korean_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Korean names."""
    for word in find_matches(_KOREAN_WORD, text):
        if length := _korean_length(text, word.start(), word.group()):
            yield word.start(), word.start() + length


def _korean_length(text: str, at: int, word: str) -> int:
    """The number of letters of the name that begins here; 0 if there is none."""
    last = all_names_of("hangul", "last")
    given = names_of("hangul", "given")
    size = 2 if word[:2] in last else 1 if word[0] in last else 0
    if not size:
        return 0
    if (
        len(word) > size + 2
        and word[size + 2] == "님"
        and word[0] in _KOREAN_FEW
        and word[size + 1] not in _KOREAN_ROLES
    ):
        return size + 2
    label = _KOREAN_LABEL.search(text, max(0, at - 12), at)
    for length in (size + 2, size + 1) if len(word) > size + 1 else (size + 1,):
        known = word[size:length] in given or (label and word[size:length] in names_of("hangul", "given_words"))
        end = at + length
        if (
            known
            and length == size + 2
            and word[0] in _KOREAN_FEW
            and (_KOREAN_PARTICLE.match(text, end) or _KOREAN_TITLE.match(text, end))
        ):
            return length
        title = _KOREAN_TITLE.match(text, end)
        if title and (title.group() in ("씨", " 씨") or (length == 3 and word[0] in _KOREAN_FEW and len(word) == 3)):
            return length
        if label and label["mark"].strip() and length == len(word) and word[0] in _KOREAN_FEW and length == 3:
            return length
    return 0


# --- Thai

_THAI_TITLE = re.compile(
    r"(?P<title>คุณ|นางสาว|นาง|นาย|น\.ส\.|ด\.ช\.|ด\.ญ\.|เด็กชาย|เด็กหญิง|ดร\.|ศ\.|ผศ\.|รศ\.|นพ\.|พญ\.|ครู|อาจารย์"
    r"|หมอ|พี่|น้อง) ?(?P<name>[ก-์]{2,20})"
)
_THAI_LAST = re.compile(r" (?P<name>[ก-์]{3,24})")
_THAI_LABEL = re.compile(
    r"(?:ผู้รับ|ผู้ส่ง|ชื่อ|ชื่อ-สกุล|ลูกค้า|ผู้ป่วย|ผู้จัดการ|ผู้ติดต่อ"
    r"|เรียน) ?[:：]? ?(?P<name>[ก-์]{2,20})"
)
_THAI_FULL = re.compile(r"(?<=[ก-์]) (?=[ก-์]{3})")
_THAI_BEFORE = re.compile(r"(?:\A|[^ก-์]|ติดต่อ|กับ|ของ|ให้|โดย|ถึง|และ|จาก|แจ้ง|โทรหา|พบ|เรียน|เชิญ|หรือ)\Z")
_THAI_STOP = re.compile(
    "เพื่อ|ส่ง|ได้|จะ|ที่|ใน|และ|เป็น|มา|ไป|ว่า|ให้|กับ|แล้ว|เซ็น|โทร|ขอ|แจ้ง|ต้อง|ไม่|ครับ|ค่ะ|คะ|นะ|ซื้อ|สั่ง"
    "|จาก|เมื่อ|ถูก|มี|อยู่|บอก|ทำ|ยัง|กำลัง|รับ|ติดต่อ"
)
_THAI_FEWEST, _THAI_LONGEST = 3, 14  # letters of a given name
_THAI_SURE = frozenset({"นางสาว", "น.ส.", "ด.ช.", "ด.ญ.", "เด็กชาย", "เด็กหญิง", "ดร.", "นพ.", "พญ.", "ผศ.", "รศ."})


def find_thai_names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of Thai names with their titles."""
    for title in find_matches(_THAI_TITLE, text):
        if length := _thai_given(title["name"], title["title"] in _THAI_SURE):
            yield title.start(), _thai_end(text, title.start("name") + length)
    for space in find_matches(_THAI_FULL, text):
        if (start := _thai_full_name(text, space.start())) is not None:
            end = _thai_end(text, space.start())
            if end > space.start():
                yield start, end
    for label in find_matches(_THAI_LABEL, text):
        if (length := _thai_given(label["name"], False)) and _THAI_LAST.match(text, label.start("name") + length):
            yield label.start("name"), _thai_end(text, label.start("name") + length)


def _thai_full_name(text: str, space: int) -> int | None:
    """The start of a given name of the list that ends at this space, after a word that can be before a name."""
    given = names_of("thai", "given")
    for size in range(min(_THAI_LONGEST, space), _THAI_FEWEST - 1, -1):
        if text[space - size : space] in given and _THAI_BEFORE.search(text, max(0, space - size - 6), space - size):
            return space - size
    return None


def _thai_given(run: str, sure: bool) -> int:
    """The number of letters of the given name at the beginning of a run; 0 if there is none."""
    given = names_of("thai", "given")
    known = next((size for size in range(len(run), 1, -1) if run[:size] in given), 0)
    rest = run[known:]
    if known and (not rest or _THAI_STOP.match(rest)):
        return known
    stop = _THAI_STOP.search(run, 2)
    return (stop.start() if stop else len(run)) if sure else 0


def _thai_end(text: str, end: int) -> int:
    """The end of a name with the last name after a space, as far as no ordinary word follows."""
    last = _THAI_LAST.match(text, end)
    if last is None:
        return end
    names = names_of("thai", "last")
    known = next((size for size in range(len(last["name"]), 2, -1) if last["name"][:size] in names), 0)
    if known:
        return last.start("name") + known
    stop = _THAI_STOP.search(last["name"])
    if stop is None:
        return last.end()
    return last.start("name") + stop.start() if stop.start() > 2 else end
