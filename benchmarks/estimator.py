"""Measures the error of the token estimator against OpenAI's o200k vocabulary, on this project's own files.

    pip install rs-bpe && python benchmarks/estimator.py

The wheel of rs-bpe contains the vocabulary.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from pathlib import Path

from workbench import tokens
from workbench.agent.tool_definitions import TOOLS

ROOT = Path(__file__).resolve().parents[1]
SLICE = 2_000  # characters; the size of a typical answer to an agent


def main() -> None:
    try:
        from rs_bpe.bpe import openai  # type: ignore[import-not-found]
    except ImportError:
        raise SystemExit("This needs rs-bpe: pip install rs-bpe") from None
    vocabulary = openai.o200k_base()
    for kind, texts in _texts().items():
        real = [max(1, int(vocabulary.count(text))) for text in texts]
        off = [abs(tokens.estimate(text) - number) / number for text, number in zip(texts, real, strict=True)]
        bias = sum(map(tokens.estimate, texts)) / sum(real) - 1
        print(f"{kind}: {statistics.mean(off):.1%} off on average, {bias:+.1%} in sum, {len(texts)} texts")


def _texts() -> dict[str, list[str]]:
    return {
        "Python": _slices((ROOT / "workbench").rglob("*.py")),
        "prose": _slices(ROOT.glob("*.md")),
        "definitions": [json.dumps(tool.schema) for tool in TOOLS],
        "records": [json.dumps([_record(number + row) for row in range(8)]) for number in range(0, 400, 8)],
    }


def _slices(paths: Iterable[Path]) -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    return [text[at : at + SLICE] for text in texts for at in range(0, len(text), SLICE) if len(text) - at > 100]


def _record(number: int) -> dict[str, object]:
    return {"id": number, "customer": f"Customer {number}", "total": number * 1.25, "status": "open"}


if __name__ == "__main__":
    main()
