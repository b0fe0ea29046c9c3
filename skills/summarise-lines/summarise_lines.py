"""Reads a long text so that nobody else has to: counts, matches, and the forms of lines that come again."""

import re
from collections import Counter, deque
from pathlib import Path
from typing import Any

LONGEST = 300
NUMBERS = re.compile(r"0x[0-9a-fA-F]{1,40}|[0-9a-f]{8}-[0-9a-f-]{20,40}|\d{1,40}")


async def summarise_lines(
    path: str, words: str = "error|fail|exception|warn", around: int = 1, show: int = 10
) -> dict[str, Any]:
    """`words` is a regular expression; `around` lines before each match are shown with it."""
    wanted = re.compile(words, re.IGNORECASE)
    before: deque[str] = deque(maxlen=max(0, around))
    forms: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    lines = matches = letters = 0
    with (Path("workspace") / path.removeprefix("workspace/")).open(encoding="utf-8", errors="replace") as file:
        for line in file:
            lines, letters = lines + 1, letters + len(line)
            text = line.rstrip("\n")[:LONGEST]
            forms[NUMBERS.sub("#", text)[:120]] += 1
            if wanted.search(text):
                matches += 1
                if len(found) < show:
                    found.append({"line": lines, "text": text, "before": list(before)})
            before.append(text)
            if len(forms) > 20_000:
                forms = Counter(dict(forms.most_common(5_000)))
    often = [{"times": times, "form": form} for form, times in forms.most_common(show) if times > 1]
    return {"lines": lines, "letters": letters, "matches": matches, "first": found, "often": often}
