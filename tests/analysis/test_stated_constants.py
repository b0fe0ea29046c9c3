"""A sentence names a recipient only if the program can mail nobody else, or says that there may be others.

Programs that change values in many ways are run for real with a tool that records what it gets, and compared with the
sentence about them.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import sys
import types
from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from workbench.analysis.reading import assess
from workbench.records import Hints, Tool

BOB, EVE, AMY = "bob@acme.example", "eve@evil.example", "amy@acme.example"
FIELDS: Final = {"to": {"type": "array"}, "subject": {"type": "string"}, "body": {"type": "string"}}
MAIL = Tool(
    "mail", "send_email", hints=Hints(destructive=True, open_world=True), hash="h", input_schema={"properties": FIELDS}
)
START: Final = "from servers.mail import send_email\n"
SEND: Final = 'await send_email(to={}, subject="x", body="y")'
OPEN: Final = ("another value", "another text", "known only", "taken from", "more arguments")

# How a program holds the recipients: the text, and the expression that gives them.
HOLDERS: Final = {
    "list": (f'to = ["{BOB}"]', "to"),
    "list in a dict": (f'd = {{"to": ["{BOB}"], "n": 1}}', 'd["to"]'),
    "text in a dict": (f'd = {{"to": "{BOB}", "cc": ""}}', 'd["to"]'),
    "keywords": (f'd = {{"to": ["{BOB}"]}}', None),
    "list in a list": (f'to = [["{BOB}"]]', "to[0]"),
    "attribute": (f'class Box: pass\nbox = Box()\nbox.to = ["{BOB}"]', "box.to"),
    "text": (f'to = "{BOB}"', "to"),
    "attribute with a text": (f'class Box: pass\nbox = Box()\nbox.to = "{BOB}"', "box.to"),
}
# How it changes them. {o}: what holds them, {v}: the new recipient, as text.
CHANGES: Final = (
    "",
    "{e}.append({v})",
    "{e}.insert(0, {v})",
    "{e}.extend([{v}])",
    "{e}[0] = {v}",
    "{e}[:] = [{v}]",
    "{e} += [{v}]",
    "{e} = [{v}]",
    "{e} = {v}",
    "alias = {e}\nalias.append({v})",
    "alias = {o}\nalias['to'] = [{v}]",
    "alias = {o}\nalias.update(to=[{v}])",
    "pair = ({e}, 1)\npair[0].append({v})",
    "box2 = {{'a': {e}}}\nbox2['a'].append({v})",
    "def change():\n    {e}.append({v})\nchange()",
    "def change(z):\n    z.append({v})\nchange({e})",
    "def change(*z):\n    z[0].append({v})\nchange({e})",
    "def change(z={e}):\n    z.append({v})\nchange()",
    "def give(z): return z\ngive({e}).append({v})",
    "(lambda z: z.append({v}))({e})",
    "[z.append({v}) for z in [{e}]]",
    "for z in [{e}]:\n    z.append({v})",
    "for z, w in zip([{e}], [{v}]):\n    z.append(w)",
    "for number, z in enumerate([{e}]):\n    z.append({v})",
    "next(iter([{e}])).append({v})",
    "add = {e}.append\nadd({v})",
    "getattr({e}, 'append')({v})",
    "import functools\nfunctools.partial({e}.append, {v})()",
    "list(map({e}.append, [{v}]))",
    "list.append({e}, {v})",
    "type({e}).append({e}, {v})",
    "import heapq\nheapq.heappush({e}, {v})",
    "import operator\noperator.iadd({e}, [{v}])",
    "import operator\noperator.setitem({o}, 'to', {v})",
    "import copy\ncopy.copy([{e}])[0].append({v})",
    "import threading\nt = threading.Thread(target={e}.append, args=({v},))\nt.start()\nt.join()",
    "import asyncio\nasyncio.get_running_loop().call_soon({e}.append, {v})\nawait asyncio.sleep(0)",
    "import re\nre.sub('a', lambda m: {e}.append({v}) or '', 'a')",
    "class A:\n    def __eq__(self, other):\n        {e}.append({v})\nA() == 1",
    "class A:\n    @property\n    def p(self):\n        {e}.append({v})\nA().p",
    "class A:\n    def __init_subclass__(cls):\n        {e}.append({v})\nclass B(A): pass",
    "@lambda f: {e}.append({v})\ndef unused(): pass",
    "def many():\n    {e}.append({v})\n    yield 1\nlist(many())",
    "{o}['to'] = {v}",
    "{o}['to'] = [{v}]",
    "{o}.update(to={v})",
    "{o}.update([('to', {v})])",
    "{o}.pop('to')\n{o}.setdefault('to', {v})",
    "dict.update({o}, to=[{v}])",
    "{o} |= {{'to': [{v}]}}",
    "{o} = {{**{o}, 'to': {v}}}",
    "{o} = dict({o}, to={v})",
    "for {o}['to'] in [{v}]: pass",
    "import contextlib\nwith contextlib.nullcontext({v}) as {o}['to']: pass",
    "globals()['{o}'] = {{'to': [{v}]}}",
    "globals().update({o}=[{v}])",
    "vars()['{o}'] = [{v}]",
    "exec('{o} = [' + repr({v}) + ']')",
    "import sys\nsys._getframe().f_globals['{o}'] = [{v}]",
    "def change():\n    global {o}\n    {o} = [{v}]\nchange()",
    "def change():\n    global {o}\n    {o} = {v}\nchange()",
    "[{o} := [{v}] for _ in 'a']",
    "[{o} := {v} for _ in 'a']",
    "match [{v}]:\n    case {o}: pass",
    "for {o} in [[{v}]]: pass",
    "for {o} in ['{bob}', {v}]: pass",
    "setattr(box, 'to', [{v}])",
    "box.__dict__['to'] = {v}",
    "vars(box).update(to=[{v}])",
    "object.__setattr__(box, 'to', {v})",
    "other = box\nother.to = {v}",
    "box.to = box.to or [{v}]\nbox.to = [{v}]",
    "{e} = {e} and [{v}]",
    "{e} = sorted([{v}, '{bob}', 'zoe@acme.example'])[1]",
    "{e} = list(reversed(['{bob}', {v}]))[0]",
    "{e} = ['{bob}', {v}][-1:]",
    "{e} = ','.join(['{bob}', {v}])",
    "{e} = '{bob}'.replace('bob@acme', 'eve@evil')",
    "{e} = [*'' , *[{v}], '{bob}'][0]",
    "{e} = ([x for x in [{v}, {v}]] + ['{bob}'])[1]",
    "{e} = {{'a': '{bob}'}}.get('b', {v})",
    "import collections\n{e} = collections.defaultdict(lambda: {v}, a='{bob}')['b']",
    "import collections\n{e} = collections.ChainMap({{'a': {v}}}, {{'a': '{bob}'}})['a']",
    "import functools\n{e} = functools.reduce(lambda a, b: b, ['{bob}', {v}])",
    "rows = [{{'a': {v}}}, {{'a': '{bob}'}}]\nfor row in rows:\n    {e} = row['a']\n    break",
    "rows = [({v}, 1), ('{bob}', 2)]\nfor row in rows:\n    {e} = row[0]\n    break",
    "pairs = {{'{bob}': 1, {v}: 2}}\n*_, {e} = pairs",
    "n = 0\nwhile n < 1:\n    n += 1\n    {e} = [{v}]",
    "try:\n    raise ValueError({v})\nexcept ValueError as error:\n    {e} = [str(error)]",
    "def choose(z={v}): return z\n{e} = choose()",
    "def choose(z={v}): return z\nchoose('{bob}')\n{e} = choose()",
    "calls = [lambda z={v}: z]\n{e} = calls[0]()",
    "makers = []\nfor z in ('{bob}', {v}):\n    makers.append(lambda: z)\n{e} = makers[0]()",
)
# How it uses them.
USES: Final = (
    SEND.format("{e}"),
    'async def mail():\n    await send_email(to={e}, subject="x", body="y")\nawait mail()',
    'async def mail(who):\n    await send_email(to=who, subject="x", body="y")\nawait mail({e})',
    'for who in [{e}]:\n    await send_email(to=who, subject="x", body="y")',
    'import asyncio\nawait asyncio.gather(*[send_email(to=who, subject="x", body="y") for who in [{e}]])',
    'arguments = {{"to": {e}, "subject": "x"}}\nawait send_email(**arguments)',
)
# Other programs that were found to mislead.
# Ways in which `b` becomes the list `to`, which no assignment shows.
RETURNS: Final = (
    "class A:\n    def __add__(s, o): return to\nb = A() + 1",
    "class A:\n    def __enter__(s): return to\n    def __exit__(s, *a): pass\nwith A() as b: pass",
    "class A:\n    def __iter__(s): return iter([to])\nb = list(A())[0]",
    "class A:\n    def __getattr__(s, i): return to\nb = A().q",
    "class A(dict):\n    def __missing__(s, i): return to\nb = A()[1]",
    "class A:\n    def __call__(s): return to\nb = A()()",
    "class A:\n    @property\n    def p(s): return to\nb = A().p",
    "def o():\n    def i(): return to\n    return i\nb = o()()",
    "def wrap(f): return lambda: to\n@wrap\ndef g(): pass\nb = g()",
    "import asyncio\nb = (await asyncio.gather(asyncio.sleep(0, to)))[0]",
    "from operator import attrgetter\nclass A: x = to\nb = attrgetter('x')(A)",
    "b = sum([], to)",
)
OTHERS: Final = (
    f'n = 0\nto = ["{BOB}"]\nwhile n < 2:\n    await send_email(to=to, subject="x")\n    to = ["{EVE}"]\n    n += 1',
    f'to = ["{BOB}"]\nfor n in range(2):\n    await send_email(to=to, subject="x")\n    to.append("{EVE}")',
    f'async def mail(to="{EVE}"):\n    await send_email(to=to)\nawait mail("{BOB}")\nawait mail()',
    f"async def mail(to):\n    await send_email(to=to)\ncalls = []\ncalls.append(mail)\n"
    f'await mail("{BOB}")\nawait calls[0]("{EVE}")',
    f'async def mail(to):\n    await send_email(to=to)\nawait mail("{BOB}")\nawait globals()["mail"]("{EVE}")',
    f'class A:\n    def __init__(self, to="{BOB}"):\n        self.to = to\nawait send_email(to=A("{EVE}").to)',
    f'class A:\n    to = "{EVE}"\na = A()\na.to = "{BOB}"\nawait send_email(to=A.to)',
    f"class A:\n    async def __call__(self, to):\n        await send_email(to=to)\n"
    f'await A().__call__("{BOB}")\nawait A()("{EVE}")',
    f'd = {{"to": "{BOB}"}}\nasync def mail():\n    await send_email(to=d["to"])\n'
    f'd["to"] = "{EVE}"\nawait mail()\nd["to"] = "{BOB}"',
    f'd = {{"subject": "x"}}\nd["to"] = "{EVE}"\nawait send_email(**d)',
    f'd = {{}}\nd["cc"] = "{EVE}"\nawait send_email(to="{BOB}", **d)',
    f'to = ["{BOB}", "{EVE}"]\nto.reverse()\nawait send_email(to=to[0])',
    f'for n in range(60):\n    await send_email(to="{BOB}" if n < 50 else "{EVE}")',
    "async def mail(to):\n    await send_email(to=to)\n"
    + "".join(f'await mail("p{n}@acme.example")\n' for n in range(45))
    + f'await mail("{EVE}")',
    "for to in [" + ", ".join(f'"p{n}@acme.example"' for n in range(70)) + f', "{EVE}"]:\n    await send_email(to=to)',
    "await send_email(to=[" + ", ".join(f'"p{n}@acme.example"' for n in range(30)) + f', "{EVE}"])',
    f'def get(z):\n    z.append("{EVE}")\nto = ["{BOB}"]\nget(to)\nawait send_email(to=to)',
    f'def pick():\n    yield "{BOB}"\n    yield "{EVE}"\nfound = list(pick())\nawait send_email(to=found[1])',
    f'def pick():\n    return to\nto = "{BOB}"\nfirst = pick()\nto = "{EVE}"\nawait send_email(to=pick())',
    f'from functools import partial\nmail = partial(send_email, to="{BOB}")\nawait mail(to="{EVE}")',
    f'str = lambda text: "{EVE}"\nawait send_email(to=str("{BOB}"))',
    f'async def bob(): return "{BOB}"\nasync def eve(): return "{EVE}"\nfirst = [bob]\nsame = first\nsame[0] = eve\n'
    "pick = first[0]\nawait send_email(to=await pick())",
    f'class A:\n    def __getattribute__(self, name): return "{EVE}"\nclass B(A): pass\nb = B()\nb.to = "{BOB}"\n'
    "await send_email(to=b.to)",
    f'class A:\n    __getattribute__ = lambda self, name: "{EVE}"\na = A()\na.to = "{BOB}"\nawait send_email(to=a.to)',
    f'class A: pass\na = A()\na.to = "{BOB}"\nA.__getattribute__ = lambda self, name: "{EVE}"\n'
    "await send_email(to=a.to)",
    f'import json\njson.loads = lambda text: "{EVE}"\nawait send_email(to=json.loads(\'"{BOB}"\'))',
)
# Programs whose constants are certain, and stay exact.
EXACT: Final = (
    SEND.format(f'"{BOB}"'),
    SEND.format(f'["{BOB}"]'),
    f'to = ["{BOB}"]\n' + SEND.format("to"),
    f'TO = "{BOB}"\nasync def mail():\n    {SEND.format("TO")}\nawait mail()',
    f'to = ["{BOB}"]\nto.append("{AMY}")\n' + SEND.format("to"),
    f'for to in ["{BOB}", "{AMY}"]:\n    ' + SEND.format("to"),
    f'TEAM = ["{BOB}", "{AMY}"]\nfor to in TEAM:\n    ' + SEND.format("to"),
    f'TEAM = {{"bob": "{BOB}"}}\n' + SEND.format('TEAM["bob"]'),
    f'TEAM = {{"bob": "{BOB}"}}\n' + SEND.format('TEAM.get("bob")'),
    f'TEAM = [{{"mail": "{BOB}"}}, {{"mail": "{AMY}"}}]\nfor one in TEAM:\n    ' + SEND.format('one["mail"]'),
    f'TEAM = ["{BOB}"]\nfor n, one in enumerate(TEAM, 1):\n    ' + SEND.format("one"),
    f'TEAM = ["{BOB}"]\nprint(len(TEAM), TEAM[0])\n' + SEND.format('", ".join(TEAM)'),
    f'arguments = {{"to": "{BOB}", "subject": "x"}}\nawait send_email(**arguments)',
    f'arguments = {{"to": "{BOB}"}}\narguments["subject"] = "x"\nawait send_email(**arguments)',
    f'async def mail(to, subject):\n    await send_email(to=to, subject=subject)\nawait mail("{BOB}", "x")',
    f'import asyncio\nTEAM = ["{BOB}"]\nawait asyncio.gather(*(send_email(to=one) for one in TEAM))',
    'user = "bob"\nto = f"{user}@acme.example"\n' + SEND.format("to"),
    'def build(name):\n    return f"{name}@acme.example"\n' + SEND.format('build("bob")'),
)


def _record(code: str) -> tuple[set[str], bool]:
    """Run a program. Returns the texts that the tool got as recipients, and whether the program reached its end."""
    sent: set[str] = set()

    async def send_email(*positional: object, **named: object) -> str:
        for value in (*positional, named.get("to"), named.get("cc")):
            sent.update(_texts(value))
        return "ok"

    kept = {name: sys.modules.get(name) for name in ("servers", "servers.mail", "json")}
    module = types.ModuleType("servers.mail")
    module.send_email = send_email  # type: ignore[attr-defined]
    sys.modules["servers"], sys.modules["servers.mail"] = types.ModuleType("servers"), module
    space: dict[str, object] = {"__name__": "program"}
    import json

    loads = json.loads
    try:
        compiled = compile(code, "program", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        made = eval(compiled, space)  # the programs above, with stand-ins for the tools
        if inspect.iscoroutine(made):
            asyncio.run(made)
        return sent, True
    except Exception:
        return sent, False
    finally:
        json.loads = loads
        for name, old in kept.items():
            if old is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, (part.strip() for part in value.split(",")))
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _texts(one)


def _generated() -> Iterator[str]:
    for number, ((start, held), change) in enumerate(product(HOLDERS.values(), CHANGES)):
        use = USES[number % len(USES)]
        name = start.split(" = ")[0].split("\n")[-1] if "class" not in start else "box"
        words = {"e": held or f'{name}["to"]', "o": name, "v": f'"{EVE}"', "bob": BOB}
        end = 'await send_email(subject="x", **d)' if held is None else use.format(**words)
        yield "\n".join((START + start, change.format(**words), end))


def _is_misled(code: str) -> str:
    sent, _ = _record(code)
    sentence = assess(code, [MAIL]).sentence
    stated = all(one in sentence for one in sent)
    return "" if stated or any(words in sentence for words in OPEN) or " more" in sentence else sentence


def test_a_recipient_that_the_program_can_change_is_not_stated_as_the_only_one() -> None:
    returned = [f'to = ["{BOB}"]\n{one}\nb.append("{EVE}")\nawait send_email(to=to)' for one in RETURNS]
    programs = [*dict.fromkeys(_generated()), *(START + one for one in (*OTHERS, *returned))]
    wrong = [f"{code}\n→ {sentence}" for code in programs if (sentence := _is_misled(code))]
    sent = sum(bool(_record(code)[0] - {BOB}) for code in programs[::10])
    assert sent > 10  # the changes do happen
    assert not wrong, f"{len(wrong)} of {len(programs)}\n\n" + "\n\n".join(wrong[:12])


@pytest.mark.parametrize("code", EXACT)
def test_certain_constants_stay_exact(code: str) -> None:
    sentence = assess(START + code, [MAIL]).sentence
    sent, ended = _record(START + code)
    assert ended
    assert sent
    assert all(one in sentence for one in sent)
    assert not any(words in sentence for words in OPEN)
