"""Reads corpora of other authors with labelled persons for `privacy_others_fetch.py`: sentences with marked names.

Places, organisations and everything else stay innocent. A name of one letter or syllable, and a letter that a language
joins to a name as a preposition (Hebrew), is marked as EITHER: it counts neither as value nor as innocent.
"""

from __future__ import annotations

import io
import json
import random
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from privacy_marked import mark

EITHER = "EITHER"
_PERSON = {"PER", "PERSON", "PS", "人名"}
_NO_SPACE_BEFORE = re.compile(r"[,.;:!?)\]}»”…%،؛؟।]+|['’](?:s|re|ve|ll|t|d|m)|n['’]t", re.IGNORECASE)
_NO_SPACE_AFTER = re.compile(r"[(\[{«„“¿¡]|.*['’]")
_HEBREW_PREFIX = re.compile(r"[ובהלשמכ](?=[א-ת]{2})")
Read = Callable[[str], bytes]
Token = tuple[str, str]  # text, label


@dataclass(frozen=True)
class Corpus:
    """Files of one language in one repository."""

    language: str
    repository: str
    paths: tuple[str, ...]
    parse: Callable[[bytes], Iterator[str]]


def texts(corpus: Corpus, read: Read, seed: int, names: int = 420, most: int = 90_000) -> Iterator[str]:
    """Texts of eight successive sentences, in random order, until they contain enough names or characters."""
    sentences = [one for path in corpus.paths for one in corpus.parse(read(path)) if 20 <= len(one) <= 700]
    blocks = [sentences[at : at + 8] for at in range(0, len(sentences), 8)]
    random.Random(f"{seed} {corpus.language}").shuffle(blocks)
    found = size = 0
    for block in blocks:
        text = "\n".join(block)
        found += text.count(mark("NAME", "").split("\ue001")[0])
        size += len(text)
        yield text
        if found >= names or size >= most:
            return


def name(text: str) -> str:
    """A marked name, without the punctuation after it that some annotators include."""
    kept = text.rstrip(' ,;:»”"')
    letters = sum(map(str.isalpha, kept))
    return mark("NAME" if letters > 1 else EITHER, kept) + text[len(kept) :]


def _sentences(data: bytes, label: int, text: int) -> Iterator[tuple[str, list[Token]]]:
    """Sentences of a column format: the comment with the original text, if any, and the tokens."""
    original, tokens = "", list[Token]()
    for line in [*data.decode("utf-8").splitlines(), ""]:
        if line.startswith("# text = "):
            original = line[9:]
        columns = line.rstrip("\r").split("\t") if "\t" in line else line.split()
        if not line.strip():
            if tokens:
                yield original, tokens
            original, tokens = "", []
        elif not line.startswith(("# ", "## ", "-DOCSTART-")) and len(columns) > max(text, label):
            tokens.append((columns[text], columns[label]))


def universal_ner(data: bytes) -> Iterator[str]:
    """IOB2 with the original text as a comment; sentences whose names cannot be found in it are left out."""
    for original, tokens in _sentences(data, 2, 1):
        spans: list[tuple[int, int]] = []
        at, complete = 0, True
        for token, label in tokens:
            start = original.find(token, at, at + len(token) + 12)
            is_person = label[2:] in _PERSON
            if start < 0:
                complete = complete and not is_person
                continue
            at = start + len(token)
            if is_person and label[0] == "I" and spans:
                spans[-1] = (spans[-1][0], at)
            elif is_person:
                spans.append((start, at))
        if complete and original:
            yield _marked(original, spans)


def _marked(text: str, spans: list[tuple[int, int]]) -> str:
    parts, end = [], 0
    for start, stop in spans:
        parts += [text[end:start], name(text[start:stop])]
        end = stop
    return "".join([*parts, text[end:]])


def columns(label: int, text: int, joined: bool = True) -> Callable[[bytes], Iterator[str]]:
    """A reader of tokens with labels in columns; `joined` writes punctuation without a space before it."""

    def parse(data: bytes) -> Iterator[str]:
        for _, tokens in _sentences(data, label, text):
            yield _written(_with_names(tokens), joined)

    return parse


def _with_names(tokens: list[Token]) -> Iterator[tuple[list[str], bool]]:
    """Groups of tokens, each with whether it is a name."""
    before = ""
    group: list[str] = []
    for token, label in tokens:
        kind = re.sub(r"^[BIESMLU][-_]", "", label)
        starts = label[:2] in ("B-", "B_", "S-", "U-")
        if kind in _PERSON and before == kind and not starts:
            group.append(token)
        else:
            if group:
                yield group, before in _PERSON
            group = [token]
        before = kind
    if group:
        yield group, before in _PERSON


def _written(groups: Iterator[tuple[list[str], bool]], joined: bool) -> str:
    text, quoted, glue = "", False, True
    for group, is_name in groups:
        value, start = "", True
        for token in group:
            no_gap = glue or (joined and bool(_NO_SPACE_BEFORE.fullmatch(token))) or (not start and token == "-")
            glue = bool(_NO_SPACE_AFTER.fullmatch(token)) or (not start and token == "-")
            if token == '"':
                no_gap, glue, quoted = no_gap or quoted, not quoted, not quoted
            gap = "" if no_gap else " "
            if start:
                text += gap
                value = token
            else:
                value += gap + token
            start = False
        text += name(value) if is_name else value
    return text


def characters(data: bytes) -> Iterator[str]:
    """One character a line, spaces included (KLUE)."""
    for sentence in data.decode("utf-8").split("\n\n"):
        lines = [line.split("\t") for line in sentence.splitlines() if not line.startswith("##")]
        spans: list[tuple[int, int]] = []
        text = ""
        for character, label in (line for line in lines if len(line) == 2):
            if label == "B-PS":
                spans.append((len(text), len(text) + len(character)))
            elif label == "I-PS" and spans:
                spans[-1] = (spans[-1][0], len(text) + len(character))
            text += character
        yield _marked(text, spans)


def wikipedia_japanese(data: bytes) -> Iterator[str]:
    """JSON with spans of characters."""
    for one in json.loads(data):
        spans = sorted(tuple(entity["span"]) for entity in one["entities"] if entity["type"] in _PERSON)
        yield _marked(one["text"], spans)


def archive(member: str, parse: Callable[[bytes], Iterator[str]]) -> Callable[[bytes], Iterator[str]]:
    """A reader of one file of a compressed archive."""

    def read(data: bytes) -> Iterator[str]:
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            found = packed.extractfile(member)
            assert found is not None
            yield from parse(found.read())

    return read


def hebrew(data: bytes) -> Iterator[str]:
    for sentence in columns(1, 0)(data):
        yield re.sub(
            "\ue000NAME\ue001([^\ue002]*)\ue002",
            lambda match: (
                mark(EITHER, match[1][0]) + mark("NAME", match[1][1:]) if _HEBREW_PREFIX.match(match[1]) else match[0]
            ),
            sentence,
        )


def _universal(name: str, stem: str) -> tuple[str, tuple[str, ...]]:
    return f"UniversalNER/UNER_{name}", (f"{stem}.iob2",)


_WIKINEURAL = "Babelscape/wikineural"
CORPORA = (
    Corpus("English", *_universal("English-EWT", "en_ewt-ud-test"), universal_ner),
    Corpus("German", *_universal("German-PUD", "de_pud-ud-test"), universal_ner),
    Corpus("French", _WIKINEURAL, ("data/wikineural/fr/test.conllu",), columns(2, 1)),
    Corpus("Spanish", _WIKINEURAL, ("data/wikineural/es/test.conllu",), columns(2, 1)),
    Corpus("Italian", "dhfbk/KIND", ("dataset/wikinews_test.tsv",), columns(1, 0)),
    Corpus("Portuguese", *_universal("Portuguese-Bosque", "pt_bosque-ud-test"), universal_ner),
    Corpus("Dutch", _WIKINEURAL, ("data/wikineural/nl/test.conllu",), columns(2, 1)),
    Corpus("Polish", _WIKINEURAL, ("data/wikineural/pl/test.conllu",), columns(2, 1)),
    Corpus("Swedish", *_universal("Swedish-PUD", "sv_pud-ud-test"), universal_ner),
    Corpus(
        "Danish", "UniversalNER/UNER_Danish-DDT", ("da_ddt-ud-test.iob2", "da_ddt-ud-dev.iob2"), universal_ner
    ),
    Corpus("Croatian", *_universal("Croatian-SET", "hr_set-ud-test"), universal_ner),
    Corpus("Russian", *_universal("Russian-PUD", "ru_pud-ud-test"), universal_ner),
    Corpus(
        "Greek", "nmpartzio/elNER", ("dataset/elNER4/IOB2.tar.gz",), archive("IOB2/test_elNER4.iob2", columns(1, 0))
    ),
    Corpus("Hebrew", "OnlpLab/NEMO-Corpus", ("data/ud/gold/token-single_gold_test.bmes",), hebrew),
    Corpus(
        "Arabic",
        "HussamHallak/AQMAR-Arabic-NERC-Dataset",
        tuple(
            f"aqmar/articles/{name}.txt"
            for name in (
                "Christiano_Ronaldo", "Enrico_Fermi", "Raul_Gonzales", "Razi", "Real_Madrid", "Richard_Stallman",
                "Linux", "Physics", "Crusades", "Soccer_Worldcup",
            )
        ),
        columns(1, 0),
    ),
    Corpus("Hindi", "cfiltnlp/HiNER", ("data/collapsed/validation.conll",), columns(1, 0)),
    Corpus("Chinese", *_universal("Chinese-GSD", "zh_gsd-ud-test"), universal_ner),
    Corpus("Japanese", "stockmarkteam/ner-wikipedia-dataset", ("ner.json",), wikipedia_japanese),
    Corpus("Korean", "KLUE-benchmark/KLUE", ("klue_benchmark/klue-ner-v1.1/klue-ner-v1.1_dev.tsv",), characters),
)  # fmt: skip
