"""Measures how long the call history takes to store 100,000 calls and to find some of them."""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workbench.calls.call_history import History
from workbench.records import Content, Origin, Outcome, PastQuery, Tool, ToolCall
from workbench.settings import Settings

CALLS = 100_000
PAUSE = 2_000  # calls between two yields to the event loop
QUESTIONS = (
    PastQuery(),
    PastQuery("sandbox"),
    PastQuery("t"),
    PastQuery("the sandbox program"),
    PastQuery("answer77777"),
    PastQuery("a", server="server3", state="failed"),
    PastQuery("the", server="nowhere"),
)


async def main() -> None:
    """Print milliseconds, the best of five."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "history.sqlite"
        history = History(file, Settings, lambda event: None)
        begun = time.perf_counter()
        await fill(history)
        print(f"{CALLS:,} calls kept in {time.perf_counter() - begun:.1f} s, {file.stat().st_size / 1e6:.0f} MB")
        for question in QUESTIONS:
            found, best = await ask(history, question)
            words = f"{question.text!r} {question.server} {question.state}".strip()
            print(f"{best * 1000:7.1f} ms  {found:3} found  {words}")
        await history.close()


async def fill(history: History) -> None:
    words = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8").split()
    chance = random.Random(1)
    tools = [Tool(f"server{n % 7}", f"tool_{n}") for n in range(40)]
    for number in range(CALLS):
        tool = chance.choice(tools)
        text = " ".join([*chance.choices(words, k=60), f"answer{number}"])
        call = ToolCall("", tool.server, tool.name, {"limit": number}, Origin.PERSON, "person")
        history.keep(call, tool, Outcome("", number % 10 > 0, (Content("text", text),)))
        if number % PAUSE == 0:
            await history.find(PastQuery(limit=1))


async def ask(history: History, question: PastQuery) -> tuple[int, float]:
    best = 1e9
    for _ in range(5):
        begun = time.perf_counter()
        found = len(await history.find(question))
        best = min(best, time.perf_counter() - begun)
    return found, best


asyncio.run(main())
