"""Matches regular expressions from files in a subprocess with a timeout, because catastrophic backtracking would block
the core.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

SECONDS = 3.0
LONGEST = 100_000  # characters of a text that are searched
_PROGRAM = """
import json, re, sys
answers = []
for pattern, text in json.load(sys.stdin):
    try:
        answers.append("yes" if re.search(pattern, text) else "no")
    except (re.error, OverflowError, RecursionError) as fault:
        answers.append(f"the pattern is not a regular expression: {fault}")
json.dump(answers, sys.stdout)
"""


def match_patterns(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """For each pattern and text: "yes", "no", or why matching failed."""
    if not pairs:
        return []
    asked = json.dumps([(pattern, text[:LONGEST]) for pattern, text in pairs])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            input=asked, capture_output=True, text=True, timeout=SECONDS, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [f"matching took longer than {SECONDS:g} seconds"] * len(pairs)
    except (OSError, subprocess.CalledProcessError) as fault:
        return [f"matching failed: {type(fault).__name__}"] * len(pairs)
    answers: list[str] = json.loads(done.stdout)
    return answers
