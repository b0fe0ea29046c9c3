"""Counts the model tokens of texts, and what programs save compared with direct calls.

The estimator needs no tokenizer file. It splits text like the vocabularies of current models and weighs each kind of
piece. The weights were fitted to OpenAI's o200k vocabulary over tool definitions, code, prose and records; on as many
other texts the error is 4 % on average. `benchmarks/estimator.py` prints the error on our own files. With rs-bpe (the
extra `tokens`) the core counts with that vocabulary, several times faster. Claude's counts are higher, by an eighth to
two thirds, so the savings shown are cautious. Each number names its counter: "≈" the estimator, "o200k" the vocabulary.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from workbench.records import Ledger, ModeAdvice, ModelFactor

ESTIMATE = "≈"  # the sign before numbers of the estimator
EXACT = "o200k"  # the name of the vocabulary, after its numbers

_vocabulary: Any = None  # of rs-bpe, which has no types; None: the estimator counts

# Tokens per piece of each kind.
_WEIGHTS = {
    "word": 1.006,  # up to nine letters, split where lower case meets upper
    "long": 1.042,  # a word of ten letters or more
    "over": 0.24,  # each letter of a long word beyond the tenth, of capitals beyond the fourth
    "caps": 0.984,  # several capitals together
    "digits": 1.488,  # up to three digits; a blank before them counts by itself
    "lines": 1.069,  # line breaks together, with the blanks before them
    "indent": 0.16,  # two blanks or more inside a line; they usually join what follows
    "marks": 0.723,  # punctuation together
    "second": 0.443,  # the same when it is more than one sign
    "accent": 0.823,  # a Latin letter with an accent: it tends to break its word in two
    "wide": 0.696,  # Chinese, Japanese, Korean
    "script": 0.344,  # Greek, Cyrillic, Arabic, Indic and their neighbours
    "other": 2.974,  # emoji, arrows, box drawing
}
_LONG = 10  # letters from which a word costs more than one token
_LONG_CAPS = 4


def count(text: str) -> int:
    """The number of tokens in a text, estimated or exact: see `counter`."""
    if _vocabulary is not None:
        return _count_exactly(text)
    return estimate(text)


def estimate(text: str) -> int:
    """The estimated number of tokens."""
    return _count_cached(text) if len(text) < 4096 else _count(text)


def counter() -> str:
    """The counter of this process."""
    return ESTIMATE if _vocabulary is None else EXACT


def take_vocabulary() -> bool:
    """Count with o200k from now on if it is installed. It takes 0.05 s and 50 MB, so the core decides."""
    global _vocabulary
    try:
        _vocabulary = importlib.import_module("rs_bpe.bpe").openai.o200k_base()
    except ImportError:
        return False
    return True


def with_counter(number: str, made_by: str = ESTIMATE) -> str:
    """A number of tokens with its counter, as all clients show it."""
    return f"≈ {number} tokens" if made_by == ESTIMATE else f"{number} tokens ({made_by})"


def _count_exactly(text: str) -> int:
    try:
        return int(_vocabulary.count(text))
    except UnicodeEncodeError:  # a lone surrogate, which JSON may contain
        return int(_vocabulary.count(text.encode("utf-8", "replace").decode("utf-8")))


@lru_cache(maxsize=4096)
def _count_cached(text: str) -> int:
    return _count(text)


def _count(text: str) -> int:
    if not text:
        return 0
    return max(1, round(sum(_WEIGHTS[kind] * number for kind, number in _pieces(text).items())))


@cache
def _piece_pattern() -> re.Pattern[str]:
    """Compiled at first use: the classes of other scripts take 2 ms."""
    return re.compile(
        r"""
      (?P<word>   [A-Z]?[a-z]+ | [A-Z](?![A-Za-z]) )
    | (?P<caps>   [A-Z]+(?![a-z]) )
    | (?P<digits> [0-9]{1,3} )
    | (?P<lines>  [ \t]*[\r\n]+ )
    | (?P<indent> [ \t]{2,} )
    | (?P<marks>  [!-/:-@\[-`{-~]+ )
    | (?P<accent> [\u00c0-\u024f] )
    | (?P<wide>   [\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef] )
    | (?P<script> [\u0370-\u1fff] )
    | (?P<other>  [^\x00-\x7f] )
        """,
        re.VERBOSE,
    )


def _pieces(text: str) -> Counter[str]:
    """The number of pieces of each kind in the text."""
    found: Counter[str] = Counter()
    for piece in _piece_pattern().finditer(text):
        kind = str(piece.lastgroup)
        length = piece.end() - piece.start()
        if kind == "word" and length >= _LONG:
            kind = "long"
            found["over"] += length - _LONG
        elif kind == "caps":
            found["over"] += max(0, length - _LONG_CAPS)
        elif kind == "marks" and length > 1:
            found["second"] += 1
        found[kind] += 1
    return found


def add(first: Ledger, second: Ledger) -> Ledger:
    """The sum of two ledgers."""
    kept = first.kept_bytes + second.kept_bytes
    made_by = {one.counter for one in (first, second) if one.direct or one.actual} or {counter()}
    both = made_by.pop() if len(made_by) == 1 else ESTIMATE
    return Ledger(
        first.direct + second.direct, first.actual + second.actual, kept, both, first.definitions + second.definitions
    )


def saved(ledger: Ledger) -> int:
    """Tokens that programs saved; zero if direct calls would have cost less."""
    return max(0, ledger.direct - ledger.actual)


def lost(ledger: Ledger) -> int:
    """Tokens that direct calls would have saved; zero if programs cost less."""
    return max(0, ledger.actual - ledger.direct)


def ledger_sentence(ledger: Ledger, cents_per_million: int) -> str:
    """The cost of programs compared with direct calls, as a sentence."""
    sign = f"{ESTIMATE} " if ledger.counter == ESTIMATE else ""
    parts = [f"Direct calls {with_counter(f'{ledger.direct:,}', ledger.counter)}"]
    if ledger.definitions:
        parts[0] += f", {ledger.definitions:,} of them tool definitions"
    parts.append(f"this run {sign}{ledger.actual:,}")
    if ledger.kept_bytes:
        parts.append(f"{size(ledger.kept_bytes)} of answers stayed in the sandbox")
    if less := lost(ledger):
        return " · ".join((*parts, f"did not pay: direct calls cost {sign}{less:,} less"))
    gain = saved(ledger)
    return " · ".join((*parts, f"saved {sign}{gain:,}, worth {money(gain, cents_per_million)}"))


def size(number: int) -> str:
    """A number of bytes with its unit."""
    if number < 1000:
        return f"{number} bytes"
    return f"{number / 1_000_000:,.1f} MB" if number >= 1_000_000 else f"{number / 1000:,.1f} kB"


def money(tokens: int, cents_per_million: int) -> str:
    """The price of tokens in dollars."""
    dollars = tokens * cents_per_million / 100 / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else "< $0.01"


def factor_sentence(factors: Sequence[ModelFactor], made_by: str) -> str:
    """The counter, and how much more other models count, as a sentence."""
    counted = "Estimated (≈), close to OpenAI's o200k" if made_by == ESTIMATE else f"Counted with OpenAI's {made_by}"
    others = "; ".join(
        f"{one.models} × {one.least:.2f}" + (f"–{one.most:.2f}" if one.most > one.least else "") for one in factors
    )
    how = "by ctok, on definitions of yours" if any(one.measured for one in factors) else "estimates"
    return f"{counted}. Other models count more: {others} ({how})." if others else f"{counted}."


def advice_sentence(advice: ModeAdvice) -> str:
    """Whether programs or direct calls cost less, as a sentence with its numbers."""
    if not advice.tools:
        return "No tools are known yet: connect a server first."
    sign = f"{ESTIMATE} " if advice.counter == ESTIMATE else ""
    named = "" if sign else f", counted with {advice.counter}"
    whole = f"The definitions of all {advice.tools} tools are {sign}{advice.definitions:,} tokens{named}"
    finding = f"finding and reading two {sign}{advice.finding:,}"
    ours = f"the workbench's own tools {sign}{advice.entry:,}, and {finding}"
    if advice.mode == "direct":
        return (
            f"{whole}; {ours}. With so few tools direct calls cost less, as long as answers are short. Programs still "
            "keep long answers away from the model."
        )
    return f"{whole}; {ours}. Programs pay, for up to {advice.searches} searches in one conversation."
