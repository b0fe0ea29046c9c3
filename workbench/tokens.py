"""Counts model tokens of texts, and what programs save compared with direct calls.

The estimator needs no tokenizer file. It splits text like the vocabularies of current models and weighs each kind of
piece. The weights were fitted to OpenAI's o200k vocabulary on tool definitions, code, prose and records; on an equal
amount of held-out text the mean error is 4 %. `benchmarks/estimator.py` prints the error on our own files. With rs-bpe
(the extra `tokens`), the core counts with that vocabulary, several times faster. Claude's counts are 12 % to 67 %
higher, so the savings shown are conservative. Each number names its counter: "≈" is the estimator, "o200k" the
vocabulary.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from workbench.records import Ledger, ModeAdvice, ModelFactor

ESTIMATE = "≈"  # precedes estimated numbers
EXACT = "o200k"  # follows exact numbers
NOTHING_SAVED = "No tokens saved yet"

_vocabulary: Any = None  # of rs-bpe, which has no types; None: use the estimator

# Tokens per piece of each kind.
_WEIGHTS = {
    "word": 1.006,  # up to nine letters, split where lower case meets upper
    "long": 1.042,  # a word of ten letters or more
    "over": 0.24,  # each letter of a long word after the tenth, of capitals after the fourth
    "caps": 0.984,  # a run of capitals
    "digits": 1.488,  # up to three digits; a blank before them counts separately
    "lines": 1.069,  # a run of line breaks with the blanks before them
    "indent": 0.16,  # two blanks or more inside a line; they usually merge with the next piece
    "marks": 0.723,  # a run of punctuation
    "second": 0.443,  # a run of punctuation with more than one character
    "accent": 0.823,  # a Latin letter with an accent: it often splits its word in two
    "wide": 0.696,  # Chinese, Japanese, Korean
    "script": 0.344,  # Greek, Cyrillic, Arabic, Indic and related scripts
    "other": 2.974,  # emoji, arrows, box drawing
}
_LONG = 10  # minimum length of a word that costs more than one token
_LONG_CAPS = 4


def count(text: str) -> int:
    """The number of tokens in a text, estimated or exact (see `counter`)."""
    if _vocabulary is not None:
        return _count_exactly(text)
    return estimate(text)


def estimate(text: str) -> int:
    """The estimated number of tokens."""
    return _count_cached(text) if len(text) < 4096 else _count(text)


def counter() -> str:
    """The name of the counter that this process uses."""
    return ESTIMATE if _vocabulary is None else EXACT


def take_vocabulary() -> bool:
    """Switch to the o200k vocabulary if rs-bpe is installed.

    Loading takes 0.05 s and 50 MB, so only the core does it.
    """
    global _vocabulary
    try:
        _vocabulary = importlib.import_module("rs_bpe.bpe").openai.o200k_base()
    except ImportError:
        return False
    return True


def with_counter(number: str, made_by: str = ESTIMATE) -> str:
    """Format a number of tokens with its counter, as all clients show it."""
    tokens = f"{number} token" if number == "1" else f"{number} tokens"
    return f"≈ {tokens}" if made_by == ESTIMATE else f"{tokens} ({made_by})"


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
    """The compiled pattern, created on first use because the character classes take 2 ms to compile."""
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
        return " · ".join((*parts, f"no tokens saved; direct calls would have used {sign}{less:,} fewer"))
    gain = saved(ledger)
    return " · ".join((*parts, f"saved {sign}{gain:,}, worth {money(gain, cents_per_million)}"))


def size(number: int) -> str:
    """Format a number of bytes with its unit."""
    if number < 1000:
        return f"{number} bytes"
    return f"{number / 1_000_000:,.1f} MB" if number >= 1_000_000 else f"{number / 1000:,.1f} kB"


def money(tokens: int, cents_per_million: int) -> str:
    """The price of tokens in dollars."""
    dollars = tokens * cents_per_million / 100 / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else "< $0.01"


def factor_sentence(factors: Sequence[ModelFactor], made_by: str) -> str:
    """A sentence that names the counter and how many more tokens other models count."""
    counted = "Estimated (≈), close to OpenAI's o200k" if made_by == ESTIMATE else f"Counted with OpenAI's {made_by}"
    others = "; ".join(
        f"{one.models} × {one.least:.2f}" + (f"–{one.most:.2f}" if one.most > one.least else "") for one in factors
    )
    how = "measured by ctok on your tool definitions" if any(one.measured for one in factors) else "estimates"
    return f"{counted}. Other models count more: {others} ({how})." if others else f"{counted}."


def advice_sentence(advice: ModeAdvice) -> str:
    """A sentence that says whether programs or direct calls cost less, with the numbers."""
    if not advice.tools:
        return "No tools are known yet. Connect a server first."
    sign = f"{ESTIMATE} " if advice.counter == ESTIMATE else ""
    named = "" if sign else f", counted with {advice.counter}"
    whole = f"The definitions of all {advice.tools} tools are {sign}{advice.definitions:,} tokens{named}"
    finding = f"finding and reading two tools costs {sign}{advice.finding:,}"
    ours = f"the workbench's own tools are {sign}{advice.entry:,}, and {finding}"
    if advice.mode == "direct":
        return (
            f"{whole}; {ours}. With so few tools, direct calls cost less as long as answers are short. Programs still "
            "keep long answers away from the model."
        )
    return f"{whole}; {ours}. Programs cost less for up to {advice.searches} searches in one conversation."
