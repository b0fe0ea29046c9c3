"""Runs programs on fake servers whose answers are marked, to observe which answers each tool argument was made of.

Reads JSON lines {"id", "code"} from standard input and writes {"id", "flows", "errors", "calls"} for each. Every text
and number of an answer carries a mark of the call that returned it, and texts keep theirs through splitting, searching,
case and formatting. Each program runs several times with different data, so that its branches are taken.

Run by `flow_oracle.py` in a child process with limits. Only generated and checked-in programs are run.
"""

from __future__ import annotations

import ast
import asyncio
import json
import random
import re
import resource
import signal
import sys
import types
from collections.abc import Callable
from typing import Any

PROGRAM = "<program>"
RUNS = 12
SECONDS = 10
_MARK = re.compile(r"zq([a-p]{4})qz", re.IGNORECASE)


def mark(number: int) -> str:
    """Return the text that marks the answer of one call."""
    return "zq" + "".join("abcdefghijklmnop"[(number >> shift) & 15] for shift in (12, 8, 4, 0)) + "qz"


def marks_in(text: str) -> set[int]:
    found = set()
    for letters in _MARK.findall(text):
        number = 0
        for letter in letters.lower():
            number = number * 16 + "abcdefghijklmnop".index(letter)
        found.add(number)
    return found


class Number(float):
    """A number that knows the calls it was computed from."""

    marks: frozenset[int]

    def __new__(cls, value: float, marks: frozenset[int]) -> Number:
        made = super().__new__(cls, value)
        made.marks = marks
        return made

    def __str__(self) -> str:
        return f"{float(self):g}" + "".join(map(mark, sorted(self.marks)))

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(float(self), form) + "".join(map(mark, sorted(self.marks)))

    def __round__(self, digits: int | None = None) -> Number:
        return Number(round(float(self), digits or 0), self.marks)

    def __hash__(self) -> int:
        return hash(float(self))

    def __index__(self) -> int:
        return int(self)


def _operation(name: str) -> Callable[[Number, Any], Any]:
    plain = getattr(float, name)

    def operate(self: Number, *others: Any) -> Any:
        found = plain(float(self), *map(float, others))
        marks = self.marks.union(*(one.marks for one in others if isinstance(one, Number)))
        return Number(found, marks) if isinstance(found, float) else found

    return operate


_ARITHMETIC = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"),
    *("floordiv", "rfloordiv", "mod", "rmod", "neg", "abs", "pow"),
)
for _name in _ARITHMETIC:
    setattr(Number, f"__{_name}__", _operation(f"__{_name}__"))


class Servers:
    """The fake servers of one run: they mark what they return and note what they are given."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.fails = seed % 3 == 2  # whether some calls fail, so that handlers run
        self.calls: list[tuple[str, int]] = []  # tool and line of each call; its position is its mark
        self.flows: dict[str, set[tuple[str, int]]] = {}

    def call(self, tool: str, fields: list[str], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != PROGRAM:
            frame = frame.f_back  # type: ignore[assignment]
        line = frame.f_lineno if frame is not None else 0
        if len(given) == 1 and isinstance(given[0], dict):
            named = {**given[0], **named}
        else:
            named = {**dict(zip(fields, given, strict=False)), **named}
        for argument, value in named.items():
            found = {self.calls[number] for number in _marks_of(value) if number < len(self.calls)}
            self.flows.setdefault(f"{tool}.{argument}@{line}", set()).update(found)
        self.calls.append((tool, line))
        answer = self.answer(ANSWERS[tool][1], len(self.calls) - 1)
        fails = self.fails and tool in FAILING and self.chance.random() < 0.4

        async def later() -> Any:
            await asyncio.sleep(0)
            if fails:
                raise sys.modules["client"].ToolError("not found")  # type: ignore[attr-defined]
            return answer

        return later()

    def answer(self, shape: Any, number: int) -> Any:
        """Return an answer of this shape in which every leaf is marked."""
        if isinstance(shape, dict):
            return {key: self.answer(part, number) for key, part in shape.items()}
        if isinstance(shape, list):
            return [self.answer(shape[0], number) for _ in range(self.chance.randint(2, 4))]
        return self.leaf(shape, number)

    def leaf(self, kind: str, number: int) -> Any:
        sign, chance = mark(number), self.chance
        some = chance.randint(10, 99)
        match kind:
            case "number":
                return Number(chance.randint(1, 2000), frozenset({number}))
            case "flag":
                return chance.random() < 0.5
            case "email":
                return f"{chance.choice(('ann', 'bob', 'eve'))}.{sign}@{sign}.example"
            case "name":
                return f"{chance.choice(('Ann', 'Bob', 'Eve'))}{sign} {chance.choice(('Lee', 'Ray'))}{sign}"
            case "text":
                return (
                    f"Please{sign} write to x{sign}@{sign}.example or see https://{sign}.example/{sign} today{sign}.\n"
                    f"Order {sign}-{some} is urgent{sign}."
                )
            case "url":
                return f"https://{sign}.example/{sign}"
            case "state":
                return chance.choice(("open", "closed", "pending"))
        return f"{kind.upper()}-{sign}-{some}"


def _marks_of(value: Any) -> set[int]:
    if isinstance(value, Number):
        return set(value.marks)
    if isinstance(value, dict):
        return set().union(*(_marks_of(key) | _marks_of(part) for key, part in value.items()))
    if isinstance(value, list | tuple | set | frozenset):
        return set().union(*map(_marks_of, value))
    return marks_in(str(value))


FAILING = ("web.fetch_page", "crm.get_customer")
# Tool → the names of its arguments and the shape of its answer.
ANSWERS: dict[str, tuple[list[str], Any]] = {}


def _modules(servers: Servers) -> dict[str, types.ModuleType]:
    made: dict[str, types.ModuleType] = {"servers": types.ModuleType("servers")}
    made["servers"].__path__ = []  # type: ignore[attr-defined]
    client = made["client"] = types.ModuleType("client")

    def call_tool(server: str, tool: str, arguments: dict[str, Any] | None = None) -> Any:
        return servers.call(f"{server}.{tool}", ANSWERS[f"{server}.{tool}"][0], (), arguments or {})

    client.call_tool = call_tool  # type: ignore[attr-defined]
    client.ToolError = type("ToolError", (Exception,), {})  # type: ignore[attr-defined]
    for full, (fields, _) in ANSWERS.items():
        server, name = full.split(".")
        module = made.setdefault(f"servers.{server}", types.ModuleType(f"servers.{server}"))
        setattr(made["servers"], server, module)

        def tool(*given: Any, _full: str = full, _fields: list[str] = fields, **named: Any) -> Any:
            return servers.call(_full, _fields, given, named)

        setattr(module, name, tool)
    return made


def run(code: str, seed: int) -> tuple[Servers, str]:
    """Run a program once. Returns what the servers saw, and the error that ended it."""
    servers = Servers(seed)
    modules = _modules(servers)
    sys.modules.update(modules)
    names = {"__name__": "__main__", "asyncio": asyncio, "json": json, "re": re}
    names |= {name: getattr(modules["client"], name) for name in ("call_tool", "ToolError")}
    random.seed(seed)
    try:
        compiled = compile(code, PROGRAM, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

        async def whole() -> None:
            found = eval(compiled, names)  # noqa: S307  # programs of this benchmark
            if asyncio.iscoroutine(found):
                await found

        asyncio.run(whole())
    except Exception as error:
        return servers, f"{type(error).__name__}: {error}"
    return servers, ""


def main() -> None:
    """Run every program of the standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    ANSWERS.update({name: (fields, shape) for name, (fields, shape) in json.loads(sys.stdin.readline()).items()})
    out, sys.stdout = sys.stdout, sys.stderr
    sys.stderr.write = lambda text: len(text)  # type: ignore[method-assign, assignment]
    for line in sys.stdin:
        program = json.loads(line)
        flows: dict[str, set[tuple[str, int]]] = {}
        errors = []
        signal.alarm(SECONDS)
        for seed in range(RUNS):
            servers, error = run(program["code"], seed)
            errors += [error] if error else []
            for sink, sources in servers.flows.items():
                flows.setdefault(sink, set()).update(sources)
        signal.alarm(0)
        told = {sink: sorted(map(list, sources)) for sink, sources in flows.items()}
        out.write(json.dumps({"id": program["id"], "flows": told, "errors": errors}) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
