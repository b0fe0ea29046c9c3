"""Programs written to make the analysis slow or fail: each gets a verdict that asks the user, in bounded time."""

from __future__ import annotations

import time

import pytest

from workbench.analysis.reading import read_program
from workbench.records import Gate, Hints, Tool

MOST_SECONDS = 20.0  # of CPU time; each takes about one second, and without its limit would take minutes or for ever
READS = Tool("demo", "list_orders", hints=Hints(read_only=True), private=True)
SENDS = Tool("demo", "send_email", hints=Hints(read_only=False, open_world=True), sends=True)
HEAD = "from servers.demo import list_orders, send_email\nx = await list_orders(limit=20)\n"
TAIL = "await send_email(to='a@example.org', subject=x, body=str(x))\n"


def lines(form: str, times: int) -> str:
    return "".join(form.format(n=number, next=number + 1) for number in range(times))


HOSTILE = {
    "one name assigned 5,000 times": lines("x = x + {n}\n", 5_000),
    "5,000 names": lines("x{n} = x\n", 5_000),
    "a chain of aliases of a tool": "f0 = send_email\n" + lines("f{next} = f{n}\n", 3_000),
    "1,500 calls": lines("await send_email(to='a{n}', body=str(x))\n", 1_500),
    "each call sends what another one read": lines("y = await list_orders(limit={n})\n", 700)
    + lines("await send_email(to='a', body=str(y))\n", 700),
    "lists that double": "x = ['a']\n" + "x = [x, x]\n" * 60,
    "mappings that double": "x = ['a']\n" + "x = {'left': x, 'right': x}\n" * 60,
    "a list that contains itself": "x = []\n" + "x.append(x)\nx = [x, x]\n" * 1_000,
    "lists inside lists": "x = ['a']\n" + "x = [x]\n" * 3_000,
    "texts that double": "x = 'a'\n" + "x = x + x\n" * 60 + "exec(x)\n",
    "functions that call twice": "def f0(a): return a\n"
    + lines("def f{next}(a): return f{n}(a) + f{n}(a)\n", 60)
    + "x = f60(x)\n",
    "loops inside loops": "".join("    " * depth + f"for a{depth} in x:\n" for depth in range(18))
    + "    " * 18
    + "x = a0\n",
    "a number of 9,000 digits": f"x = 0x{'f' * 9_000}\n",
    "more turns than a machine word counts": f"for y in range({10**20}):\n    await send_email(to='a', body='b')\n",
    "a text repeated less than never": f"x = 'a' * -{10**20}\n",
    "a long line of statements behind a letter that is not ASCII": "y = 'é'; " + "str(x); " * 6_000 + "\n",
    "an operator after another": f"x = {'+'.join(['x'] * 20_000)}\n",
    "a display of 30,000 numbers": f"x = [{'1,' * 30_000}]\n",
    "a command of 20,000 parts": f"import os\nos.system({'echo a && ' * 20_000 + 'ls'!r})\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_gets_a_verdict_in_bounded_time(name: str) -> None:
    started = time.thread_time()
    reading = read_program(HEAD + HOSTILE[name] + TAIL, (READS, SENDS))
    assert reading.verdict.gate is Gate.ASK, reading.verdict.sentence
    assert all(call.known_arguments for call in reading.calls)
    texts = {text for text, _ in reading.texts()}
    assert reading.tree is None or "orders" not in texts | reading.constants
    assert time.thread_time() - started < MOST_SECONDS
