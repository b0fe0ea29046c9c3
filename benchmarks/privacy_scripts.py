"""Names of persons in prose of news and encyclopedias in nine languages that are not written in Latin letters.

    .venv/bin/python benchmarks/privacy_scripts.py            # recall and innocent characters masked, for each language
    .venv/bin/python benchmarks/privacy_scripts.py --misses   # also each miss and each innocent text of the tuned half

The sentences in `privacy_script_passages.txt` are our own, with names of persons in braces, and places, organisations
and titles of works as traps. The rules were written with the tuned half in view; the other half is held apart, and its
misses are not printed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from workbench.privacy.detectors.detector import detect

PASSAGES = Path(__file__).with_name("privacy_script_passages.txt")
_BRACES = re.compile(r"\{([^{}]+)\}")


def main(arguments: list[str]) -> None:
    """Print both figures for each half and language."""
    counts: dict[str, Counter[str]] = {}
    for line in PASSAGES.read_text(encoding="utf-8").splitlines():
        half, language, marked = line.split("\t")
        missed, innocent, found = measure(marked)
        for key in (f"{half} {language}", f"{half} all"):
            counts.setdefault(key, Counter()).update(found)
        if "--misses" in arguments and half == "tuned" and (missed or innocent):
            print(language, "missed", missed, "innocent", innocent, "in", marked)
    print(f"{'half, language':16}{'names':>6}{'found':>10}{'innocent':>10}")
    for key, found in sorted(counts.items(), key=lambda item: item[0].endswith("all")):
        recall, innocent_share = found["found"] / found["names"], found["innocent"] / found["rest"]
        print(f"{key:16}{found['names']:6}{recall:10.1%}{innocent_share:10.2%}")


def measure(marked: str) -> tuple[list[str], list[str], Counter[str]]:
    """The missed names, the innocent texts that were masked, and the counts of a sentence with names in braces."""
    text = _BRACES.sub(r"\1", marked)
    names = [(name.start() - 2 * at, name.end() - 2 * at - 2) for at, name in enumerate(_BRACES.finditer(marked))]
    masked = {place for span in detect(text) for place in range(span.start, span.end)}
    named = {place for start, end in names for place in range(start, end)}
    missed = [text[start:end] for start, end in names if not {p for p in range(start, end) if text[p] != " "} <= masked]
    bare = "".join(letter if at in masked - named else "\n" for at, letter in enumerate(text))
    innocent = bare.replace(" \n", "\n").replace("\n ", "\n").split()
    counts = Counter(names=len(names), found=len(names) - len(missed), rest=len(text) - len(named))
    return missed, innocent, counts + Counter(innocent=sum(map(len, innocent)))


if __name__ == "__main__":
    main(sys.argv[1:])
