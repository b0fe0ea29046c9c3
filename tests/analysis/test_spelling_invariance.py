"""One deed in many spellings: the verdict stays the same where a text says plainly what it does, and where it does not,
it asks at least as much as the plain program."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.certain_failures import find_certain_failures
from workbench.analysis.reading import assess, read_program
from workbench.analysis.used_skills import read_all
from workbench.records import EffectKind, Gate, Hints, Risk, Skill, SkillState, Tool, Verdict
from workbench.records.common_types import at_least

TOOLS = (
    Tool("demo", "list_orders", hints=Hints(True, False, False), hash="a"),
    Tool("demo", "send_email", hints=Hints(False, False, open_world=True), hash="b"),
    Tool("demo", "delete_customer", hints=Hints(False, True, False), hash="c"),
)
SKILLS = (
    Skill("tidy", "", "import os\n\n\ndef tidy():\n    os.remove('workspace/a.csv')\n", SkillState.KEPT, 1, "d"),
    Skill("double", "", "def double(n=2):\n    return 2 * n\n", SkillState.KEPT, 1, "e"),
)


@dataclass(frozen=True, slots=True)
class Deed:
    """A call: the module and the name of what is called, with the names of its arguments and their constants."""

    module: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    awaited: bool = False
    positional: bool = True
    after: str = ""


DEEDS = (
    Deed("servers.demo", "list_orders", (("status", "open"),), awaited=True, positional=False),
    Deed("servers.demo", "send_email", (("to", "a@b.example"), ("body", "hi")), awaited=True, positional=False),
    Deed("servers.demo", "delete_customer", (("id", "C-1"),), awaited=True, positional=False),
    Deed("client", "call_tool", (("server", "demo"), ("tool", "delete_customer")), awaited=True),
    Deed("client", "call_tool", (("server", "demo"), ("tool", "list_orders")), awaited=True),
    Deed("client", "call_mcp_tool", (("tool_id", "mcp__demo__send_email"),), awaited=True),
    Deed("client", "load_skill", (("name", "tidy"),), after=".tidy()"),
    Deed("client", "load_skill", (("name", "double"),), after=".double()"),
    Deed("builtins", "open", (("file", "workspace/a.csv"), ("mode", "w"))),
    Deed("builtins", "open", (("file", "workspace/a.csv"), ("mode", "r"))),
    Deed("os", "remove", (("path", "workspace/a.csv"),)),
    Deed("os", "rename", (("src", "workspace/a.csv"), ("dst", "workspace/b.csv"))),
    Deed("os", "makedirs", (("name", "workspace/new"),)),
    Deed("shutil", "rmtree", (("path", "workspace/old"),)),
    Deed("shutil", "copy", (("src", "workspace/a.csv"), ("dst", "workspace/b.csv"))),
    Deed("shutil", "move", (("src", "workspace/a.csv"), ("dst", "workspace/b.csv"))),
    Deed("pathlib", "Path", (("path", "workspace/a.csv"),), after=".unlink()"),
    Deed("pathlib", "Path", (("path", "workspace/a.csv"),), after=".write_text('x')"),
    Deed("pathlib", "Path", (("path", "workspace/a.csv"),), after=".rename('workspace/b.csv')"),
    Deed("pathlib", "Path", (("path", "workspace/a.csv"),), after=".open('w')"),
    Deed("requests", "get", (("url", "https://api.example.org/x"),)),
    Deed("urllib.request", "urlopen", (("url", "https://api.example.org/x"),)),
    Deed("socket", "create_connection", (("address", "api.example.org"),)),
)


# ── how a constant is written ─────────────────────────────────────────────────────────────────────────────────────
def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


CONSTANTS: dict[str, Callable[[str], str]] = {
    "literal": repr,
    "sum": lambda text: " + ".join(map(repr, _halves(text))),
    "beside": lambda text: "(" + " ".join(map(repr, _halves(text))) + ")",
    "formatted": lambda text: f"f'{text}'",
}
FOLDED: dict[str, Callable[[str], str]] = {
    "join": lambda text: f"''.join({list(text)!r})",
    "slice": lambda text: f"{text[::-1]!r}[::-1]",
    "percent": lambda text: "'%s%s' % " + repr(_halves(text)),
    "format": lambda text: f"'{{}}{{}}'.format{_halves(text)!r}",
    "letters": lambda text: f"''.join(chr(n) for n in {[ord(letter) for letter in text]!r})",
    "bytes": lambda text: f"{text.encode()!r}.decode()",
    "item": lambda text: f"['', {text!r}][1]",
    "key": lambda text: f"{{'a': '', 'b': {text!r}}}['b']",
    "first key": lambda text: f"next(iter({{{text!r}: 'other'}}))",
    "either": lambda text: f"({text!r} if len('a') else 'workspace/other.csv')",
    "stripped": lambda text: f"' {text} '.strip()",
    "typed": lambda text: f"str(input() or {text!r})",
}


# ── how the arguments are given ───────────────────────────────────────────────────────────────────────────────────
Written = tuple[tuple[str, str], ...]


def _keywords(parts: Written) -> str:
    return ", ".join(f"{name}={text}" for name, text in parts)


def _dict(parts: Written) -> str:
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in parts) + "}"


def _list(parts: Written) -> str:
    return "[" + ", ".join(text for _, text in parts) + "]"


PLAIN_GIVING: dict[str, Callable[[Written], tuple[str, str]]] = {
    "keywords": lambda parts: ("", _keywords(parts)),
    "double star": lambda parts: ("", f"**{_dict(parts)}"),
}
PLAIN_POSITIONAL: dict[str, Callable[[Written], tuple[str, str]]] = {
    "positional": lambda parts: ("", ", ".join(text for _, text in parts)),
    "star": lambda parts: ("", f"*{_list(parts)}"),
    "first by position": lambda parts: ("", ", ".join(filter(None, (parts[0][1], _keywords(parts[1:]))))),
}
GIVING: dict[str, Callable[[Written], tuple[str, str]]] = {
    "names": lambda parts: (
        "".join(f"given_{name} = {text}\n" for name, text in parts),
        ", ".join(f"{name}=given_{name}" for name, _ in parts),
    ),
    "double star of a name": lambda parts: (f"given = {_dict(parts)}\n", "**given"),
    "double star of dict()": lambda parts: ("", f"**dict({_keywords(parts)})"),
    "double star filled later": lambda parts: (
        "given = {}\n" + "".join(f"given[{name!r}] = {text}\n" for name, text in parts),
        "**given",
    ),
    "two double stars": lambda parts: ("", f"**{_dict(parts[:1])}, **{{**{_dict(parts[1:])}}}"),
}
POSITIONAL: dict[str, Callable[[Written], tuple[str, str]]] = {
    "star of a name": lambda parts: (f"given = {_list(parts)}\n", "*given"),
    "star filled later": lambda parts: (
        "given = []\n" + "".join(f"given.append({text})\n" for _, text in parts),
        "*given",
    ),
    "star of a loop": lambda parts: ("", f"*[one for one in {_list(parts)}]"),
    "star of keys": lambda parts: ("", "*{" + ", ".join(f"{text}: 'other'" for _, text in parts) + "}"),
    "set late": lambda parts: (
        "given = ''\ndef set_it():\n    global given\n    given = " + parts[0][1] + "\nset_it()\n",
        ", ".join(("given", *(text for _, text in parts[1:]))),
    ),
}


# ── how what is called is named ───────────────────────────────────────────────────────────────────────────────────
Naming = Callable[[Deed], tuple[str, str]]


def _short(deed: Deed) -> str:
    return deed.module.replace(".", "_") + "_module"


PLAIN_NAMES: dict[str, Naming] = {
    "from": lambda deed: (f"from {deed.module} import {deed.name}\n", deed.name),
    "from as": lambda deed: (f"from {deed.module} import {deed.name} as do\n", "do"),
    "import": lambda deed: (f"import {deed.module}\n", f"{deed.module}.{deed.name}"),
    "import as": lambda deed: (f"import {deed.module} as {_short(deed)}\n", f"{_short(deed)}.{deed.name}"),
}


def _wide(name: str) -> str:
    """As Python folds identifiers, this is the same name."""
    parts = name.split(".")
    wide = ("".join(chr(ord(letter) + 0xFEE0) if letter.isalpha() else letter for letter in part) for part in parts)
    return ".".join(parts[number] if keyword.iskeyword(parts[number]) else one for number, one in enumerate(wide))


def _named(before: str, called: str) -> Naming:
    return lambda deed: (
        before.format(module=deed.module, name=deed.name),
        called.format(module=deed.module, name=deed.name),
    )


NAMES: dict[str, Naming] = {
    "full width": lambda deed: (f"from {_wide(deed.module)} import {_wide(deed.name)}\n", _wide(deed.name)),
    "alias": _named("from {module} import {name}\ndo = {name}\n", "do"),
    "getattr": _named("import {module}\n", "getattr({module}, '{name}')"),
    "getattr in pieces": lambda deed: (
        f"import {deed.module}\n",
        f"getattr({deed.module}, {' + '.join(map(repr, _halves(deed.name)))})",
    ),
    "import by name": _named("import importlib\n", "importlib.import_module('{module}').{name}"),
    "import by name in pieces": lambda deed: (
        "import importlib\n",
        f"importlib.import_module({' + '.join(map(repr, _halves(deed.module)))}).{deed.name}",
    ),
    "dunder import": _named("", "__import__('{module}', fromlist=['x']).{name}"),
    "table of names": _named("import {module}\n", "vars({module})['{name}']"),
    "call of call": _named("from {module} import {name}\n", "{name}.__call__"),
    "in a list": _named("from {module} import {name}\ndo = [{name}]\n", "do[0]"),
    "in a dict": _named("from {module} import {name}\ndo = {{'x': {name}}}\n", "do['x']"),
    "in an attribute": _named("from {module} import {name}\nclass A: pass\na = A()\na.do = {name}\n", "a.do"),
    "in a class": _named("from {module} import {name}\nclass A:\n    do = staticmethod({name})\n", "A.do"),
    "helper": _named("from {module} import {name}\ndef do(*a, **k):\n    return {name}(*a, **k)\n", "do"),
    "helper that gives": _named("from {module} import {name}\ndef give():\n    return {name}\n", "give()"),
    "helper that takes": _named(
        "from {module} import {name}\ndef do(f, *a, **k):\n    return f(*a, **k)\n", "D({name})"
    ),
    "lambda": _named("from {module} import {name}\ndo = lambda *a, **k: {name}(*a, **k)\n", "do"),
    "partial": _named("from functools import partial\nfrom {module} import {name}\n", "partial({name})"),
    "wrapped": _named(
        "import functools\nfrom {module} import {name}\n"
        "@functools.wraps({name})\ndef do(*a, **k): return {name}(*a, **k)\n",
        "do",
    ),
    "decorated": _named(
        "from {module} import {name}\ndef swap(f):\n    return {name}\n@swap\ndef do(*a, **k): pass\n", "do"
    ),
    "pattern": _named("import {module}\nmatch {module}:\n    case object({name}=do): pass\n", "do"),
    "walrus": _named("from {module} import {name}\n", "(do := {name})"),
    "either": _named("from {module} import {name}\n", "(print if not len('a') else {name})"),
}


def program(
    deed: Deed, naming: Naming, giving: Callable[[Written], tuple[str, str]], constants: tuple[str, ...]
) -> str:
    every = CONSTANTS | FOLDED
    written = tuple(
        (name, every[constant](text)) for (name, text), constant in zip(deed.arguments, constants, strict=False)
    )
    before, called = naming(deed)
    setting, given_ = giving(written)
    call = f"do({called[2:-1]}, {given_})" if called.startswith("D(") else f"{called}({given_})"
    line = f"await {call}" if deed.awaited else call
    text = f"{before}{setting}result = ({line}){deed.after}\n"
    ast.parse(text)
    return text


def judged(code: str) -> Verdict:
    verdict = read_all(code, TOOLS, SKILLS).verdict
    assert verdict.gate is not Gate.BLOCKED, verdict.sentence
    return verdict


def plain(deed: Deed) -> Verdict:
    giving = PLAIN_POSITIONAL["positional"] if deed.positional else PLAIN_GIVING["keywords"]
    return judged(program(deed, PLAIN_NAMES["from"], giving, ("literal", "literal")))


def what_it_says(verdict: Verdict) -> tuple[object, ...]:
    """All that a reviewer reads of it, but for the places in the text."""
    return (
        verdict.risk,
        verdict.gate,
        sorted({(effect.kind, effect.risk) for effect in verdict.effects}),
        sorted({(use.server, use.tool) for use in verdict.tools}),
        sorted(verdict.definitions.items()),
        sorted(verdict.impact.read),
        sorted(verdict.impact.changed),
        sorted(verdict.impact.networks),
        verdict.sentence,
    )


def asks_as_much(verdict: Verdict, than: Verdict) -> bool:
    if than.gate is Gate.AUTO:
        return True
    if verdict.gate is Gate.AUTO:
        return False
    if than.gate is Gate.REFUSED or any(effect.kind is EffectKind.REFUSED for effect in than.effects):
        return True
    return verdict.gate is Gate.ASK and at_least(verdict.risk, than.risk)


deeds = st.sampled_from(DEEDS)
constants = st.tuples(st.sampled_from(sorted(CONSTANTS)), st.sampled_from(sorted(CONSTANTS)))


@st.composite
def plainly(draw: st.DrawFn) -> tuple[Deed, str]:
    deed = draw(deeds)
    ways = PLAIN_GIVING | (PLAIN_POSITIONAL if deed.positional else {})
    if deed.name == "Path":
        ways = PLAIN_POSITIONAL
    naming = draw(st.sampled_from(sorted(PLAIN_NAMES)))
    giving = draw(st.sampled_from(sorted(ways)))
    return deed, program(deed, PLAIN_NAMES[naming], ways[giving], draw(constants))


@st.composite
def roundabout(draw: st.DrawFn) -> tuple[Deed, str]:
    deed = draw(deeds)
    names = PLAIN_NAMES | NAMES
    by_name = PLAIN_GIVING | GIVING
    by_position = PLAIN_POSITIONAL | POSITIONAL
    ways = by_name | by_position if deed.positional else by_name
    if deed.name == "Path":
        ways = by_position
    every = st.sampled_from(sorted(CONSTANTS | FOLDED))
    naming, giving = draw(st.sampled_from(sorted(names))), draw(st.sampled_from(sorted(ways)))
    return deed, program(deed, names[naming], ways[giving], (draw(every), draw(every)))


@given(plainly())
def test_a_deed_that_is_spelled_plainly_has_the_same_verdict_in_every_spelling(spelled: tuple[Deed, str]) -> None:
    deed, code = spelled
    assert what_it_says(judged(code)) == what_it_says(plain(deed)), code


@given(roundabout())
def test_a_deed_in_any_spelling_asks_at_least_as_much_as_the_plain_one(spelled: tuple[Deed, str]) -> None:
    deed, code = spelled
    verdict = judged(code)
    assert asks_as_much(verdict, plain(deed)), (code, verdict.risk, verdict.gate, verdict.sentence)


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: f"{deed.name}{deed.after}")
def test_each_way_to_name_and_to_give_asks_at_least_as_much(deed: Deed) -> None:
    """Each of them once, so that none depends on what is drawn."""
    wanted, ways = plain(deed), PLAIN_GIVING | GIVING
    if deed.positional:
        ways = ways | PLAIN_POSITIONAL | POSITIONAL
    if deed.name == "Path":
        ways = PLAIN_POSITIONAL | POSITIONAL
    first = ways["positional"] if deed.positional else ways["keywords"]
    texts = [program(deed, naming, first, ("literal", "literal")) for naming in (PLAIN_NAMES | NAMES).values()]
    texts += [program(deed, PLAIN_NAMES["from"], giving, ("literal", "literal")) for giving in ways.values()]
    texts += [program(deed, PLAIN_NAMES["from"], first, (constant, constant)) for constant in CONSTANTS | FOLDED]
    fewer = [code for code in texts if not asks_as_much(judged(code), wanted)]
    assert not fewer, "\n---\n".join(fewer)


def test_a_program_that_only_reads_is_not_asked_about_because_of_how_it_is_spelled() -> None:
    for naming in PLAIN_NAMES.values():
        for deed in DEEDS:
            if plain(deed).gate is Gate.AUTO:
                code = program(deed, naming, PLAIN_GIVING["keywords"], ("literal", "literal"))
                assert judged(code).gate is Gate.AUTO, code


@pytest.mark.parametrize(
    "code",
    [
        "t = 'list_orders'\nfor _ in 'ab':\n    await call_tool('demo', t, {})\n    t = 'delete_customer'",
        "t = u = 'list_orders'\nfor _ in 'abc':\n    await call_tool('demo', t, {})\n"
        "    t = u\n    u = 'delete_customer'",
        "t = 'list_orders'\nwhile await call_tool('demo', t, {}):\n    t = 'delete_customer'",
        "t = 'delete_customer'\nasync def f():\n    await call_tool('demo', t, {})\nawait f()\nt = 'list_orders'",
        "def f():\n    t = 'delete_customer'\n    async def g():\n        await call_tool('demo', t, {})\n"
        "    yield g()\n    t = 'list_orders'\nfor one in f(): await one",
        "def f():\n    t = 'list_orders'\n    def g():\n        nonlocal t\n        t = 'delete_customer'\n    g()\n"
        "    return call_tool('demo', t, {})\nawait f()",
        "for t in ['list_orders', 'get'] * 4 + ['delete_customer']:\n    await call_tool('demo', t, {})",
        "for t in {'delete_customer': 'list_orders'}:\n    await call_tool('demo', t, {})",
        "[t] = {'delete_customer': 'list_orders'}\nawait call_tool('demo', t, {})",
        "t = ''.join({'delete_customer': 'list_orders'})\nawait call_tool('demo', t, {})",
        "t = {'a': 'list_orders', 'b': 'delete_customer'}\nfor key in t:\n    await call_tool('demo', t[key], {})",
        "for k, t in {'a': 'delete_customer'}.items():\n    await call_tool('demo', t, {})",
        "m = ['r']\nm[0] = 'w'\nopen('workspace/a.csv', m[0])",
        "i = 0\nif input(): i = 1\nopen('workspace/a.csv', 'rw'[i])",
        "m = 'r'\nif input(): m = input()\nopen('workspace/a.csv', m)",
        "from pathlib import Path\nPath('workspace/a.csv').open(input())",
        "def put(path, mode):\n    open(path, mode)\nprint(put)",
        "import zipfile\nzipfile.ZipFile('workspace/a.zip', mode)",
        "import gzip\ngzip.GzipFile('workspace/a.gz', 'wb')",
        "import os\nos.open('workspace/a.csv', 577)",
        "import os\nos.open('workspace/a.csv', flags=os.O_RDWR)",
        "import numpy\nnumpy.load('workspace/a.npy', None, True)",
        "from pathlib import Path\nnext(Path('workspace').glob('*')).rename('workspace/b')",
        "from pathlib import Path\nmax(Path('workspace').iterdir()).rename('workspace/b')",
        "list(map(open, ['workspace/a.csv'], ['w']))",
        "list(map(write_file, ['a.csv'], ['']))",
        "list(map(call_tool, ['demo'], ['delete_customer']))",
        "".join(f"open('workspace/{n}')\n" for n in range(510)) + "import os\nos.remove('workspace/a')",
        "def f(mode='r'):\n    open('workspace/a.csv', mode)\nf()\nlist(map(f, ['w']))",
    ],
)
def test_what_a_name_may_be_at_another_time_is_read_too(code: str) -> None:
    assert assess(code, TOOLS).gate is not Gate.AUTO


@pytest.mark.parametrize(
    "code",
    [
        "total = 0\nfor n in range(9):\n    total += n\nprint(total)",
        "rows = []\nwith open('workspace/a.csv') as file:\n    for line in file:\n"
        "        rows.append(line.split(','))\nprint(rows)",
        "for name in ['a', 'b']:\n    print(open(f'workspace/{name}.csv').read())",
        "paths = {'a': 'workspace/a.csv'}\nfor name, path in paths.items():\n    print(name, open(path).read())",
        "page = 1\nwhile True:\n    found = await call_tool('demo', 'list_orders', {'page': page})\n"
        "    if not found: break\n    page += 1",
        "def show(*rows, **how):\n    print(*rows, **how)\nshow(1, 2, sep=',')",
        "import gzip\nopener = gzip.open\nwith opener('workspace/a.gz', 'rt') as f: print(f.read())",
        "import os\nos.open('workspace/a.csv', os.O_RDONLY | os.O_CLOEXEC)",
        "import tarfile\nprint(tarfile.open('workspace/a.txz', 'r:xz').getnames())",
        "count = 0\ndef more():\n    global count\n    count += 1\nmore()\nprint(count)",
    ],
)
def test_everyday_loops_and_helpers_ask_nobody(code: str) -> None:
    assert assess(code, TOOLS).gate is Gate.AUTO


def test_what_later_questions_ask_of_a_reading_is_the_same_in_every_plain_spelling() -> None:
    deed = DEEDS[1]
    for name, naming in PLAIN_NAMES.items():
        for way, giving in PLAIN_GIVING.items():
            for constant in CONSTANTS:
                code = program(deed, naming, giving, (constant, constant))
                reading = read_program(code, TOOLS)
                calls = [one for one in reading.calls if one.tool.name == "send_email"]
                assert reading.servers == {"demo"}, (name, way, constant, code)
                assert any({"a@b.example", "hi"} <= one.texts for one in calls), (name, way, constant, code)


def test_a_call_that_cannot_work_is_found_in_every_spelling_of_its_function_and_parameter() -> None:
    """Names that stand for the function through one assignment, an import of any form, `getattr`, or full-width
    letters. What a helper or a container hands on is only known at run time, so nothing is certain of it."""
    schema = {"type": "object", "properties": {"status": {"type": "string"}}, "additionalProperties": False}
    tool = Tool("demo", "list_orders", hints=Hints(True, False, False), input_schema=schema)
    named = PLAIN_NAMES | {name: NAMES[name] for name in ("full width", "alias", "getattr", "getattr in pieces")}
    for name, naming in named.items():
        for given_ in ("statu='open'", "ｓtatu='open'", "status=5"):
            before, called = naming(DEEDS[0])
            code = f"{before}x = await {called}({given_})\n"
            assert find_certain_failures(read_program(code, [tool]), [tool]), (name, code)
    for written in ("'list_order' + 'z'", "name", "f'list_orderz'"):
        code = f"name = 'list_orderz'\nfrom client import call_tool as call\nawait call('demo', {written}, {{}})\n"
        assert find_certain_failures(read_program(code, [tool]), [tool]), code


# ── ways around the plain spelling, one test for each technique ──────────────────────────────────────
Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import os\n[f] = [v for k, v in vars(os).items() if k == 'popen']", "name.hidden"),
        ("import inspect, os\ninspect.getmembers(os)", "name.hidden"),
        ("import sys\nfor m in sys.modules.values(): print(m)", "name.hidden"),
        ("import asyncio\nawait getattr(asyncio.get_running_loop(), 'create_' + 'connection')()", "network.mention"),
        ("from pathlib import Path\nlist(map(Path.unlink, Path('.').glob('*')))", "file.delete.mention"),
        ("from pathlib import Path\ngetattr(Path('workspace/a'), 'un' + 'link')()", "file.delete.mention"),
        ("from pathlib import Path\nf = Path('workspace/a').unlink\nf()", "file.delete.mention"),
        ("from pathlib import Path\nPath.write_text(Path('workspace/a'), 'x')", "file.write"),
        ("import os\nprint(open(os.sep + 'etc' + os.path.sep + 'shadow').read())", "file.read"),
        ("import string\nx = string.ascii_lowercase\nexec(x[4])", "code.run"),
        ("import fileinput\nfileinput.input(['/proc/self/environ'])", "file.read"),
        ("import configparser\nconfigparser.ConfigParser().read('/home/ada/.pypirc')", "file.read"),
        ("import numpy\nnumpy.load('workspace/a.npy', allow_pickle=True)", "code.unpack"),
        (
            "from string import Formatter\nFormatter().get_field('0.__init__.__globals__', [1], {})",
            "python.internals.format",
        ),
        ("import client\nclient.call_tool = print", "python.tamper"),
        ("setattr(__import__('client'), 'call_tool', print)", "python.tamper"),
        ("import os\nmatch os:\n    case object(system=f):\n        f('id')", "process"),
        ("match '':\n    case object(__base__=b):\n        print(b)", "python.internals"),
        ("import operator\noperator.methodcaller('system', 'id')(x)", "name.hidden"),
        ("T = type('T', (), {'__reduce__': lambda self: (print, ())})", "code.unpack"),
        ("import sqlite3\nsqlite3.connect(':memory:').execute(\"ATTACH 'workspace/a.db' AS a\")", "database.change"),
    ],
)
def test_an_evasion_is_seen(code: str, rule: str, rules: Rules) -> None:
    assert rules(code).get(rule, Risk.LOW) is not Risk.LOW


@pytest.mark.parametrize(
    "code",
    [
        "import os, string\nprint(os.sep.join(['a', 'b']), string.digits)",
        "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.cursor().execute('create table t (a)')",
        "from operator import attrgetter\nprint(sorted(x, key=attrgetter('name')))",
        "print(type(x).__name__, '{0.name} {1[a]}'.format(x, y))",
        "match p:\n    case Point(x=0, y=y):\n        print(y)",
        "for name in globals().items(): print(name)",
        "f = x.get\nf('a')",
    ],
)
def test_honest_code_of_the_same_shape_is_low(code: str, rules: Rules) -> None:
    assert set(rules(code).values()) <= {Risk.LOW}


def test_functions_that_learn_from_each_other_are_read_again(rules: Rules) -> None:
    code = "def name():\n    return part() + 'tem'\ndef part():\n    return 'sys'\nimport os\ngetattr(os, name())('id')"
    assert rules(code)["process"] is Risk.HIGH
