"""Tool calls as the code shows them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.analysis.interpreter.tool_lookup import ToolLookup, UnknownTool, by_name, tool_lookup
from workbench.permissions.tool_annotations import tool_risk
from workbench.records import EffectKind, Hints, Risk, Tool, Verdict

DELETES = [
    "from servers.demo import delete_customer\nawait delete_customer(id=1)",
    "from servers.demo import delete_customer as d\nawait d(id=1)",
    "import servers.demo as m\nawait m.delete_customer(id=1)",
    "import servers.demo\nawait servers.demo.delete_customer(id=1)",
    "from servers import demo\nawait demo.delete_customer(id=1)",
    "from servers.demo.delete_customer import delete_customer\nawait delete_customer(id=1)",
    "from servers.demo import *\nawait delete_customer(id=1)",
    "import servers.demo as m\nawait getattr(m, 'delete_customer')(id=1)",
    "import servers.demo as m\nawait getattr(m, 'delete_' + 'customer')(id=1)",
    "import servers.demo as m\nawait vars(m)['delete_customer'](id=1)",
    "import importlib\nawait importlib.import_module('servers.demo').delete_customer(id=1)",
    "from client import call_tool\nawait call_tool('demo', 'delete_customer', {'id': 1})",
    "await call_tool(server='demo', tool='delete_customer')",
    "from client import call_mcp_tool as c\nawait c('mcp__demo__delete_customer', {})",
    "from client import get_client\nawait get_client().call_tool('demo', 'delete_customer')",
    "import client\nawait client._client.call_tool('demo', 'delete_customer')",
    "from servers.demo import delete_customer\nx = {'f': delete_customer}\nawait x['f'](id=1)",
    "from servers.demo import delete_customer\nimport asyncio\nawait asyncio.gather(*map(delete_customer, [1, 2]))",
    "from servers.demo import delete_customer\ndef go(f):\n    return f(id=1)\nawait go(delete_customer)",
    "from servers.demo import delete_customer\nimport functools\nawait functools.partial(delete_customer, id=1)()",
]


@pytest.mark.parametrize("code", DELETES)
def test_a_tool_is_seen_however_it_is_named(code: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(code)
    assert {(use.server, use.tool) for use in verdict.tools} == {("demo", "delete_customer")}
    assert verdict.risk is Risk.HIGH


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("demo.list_orders", Risk.LOW),
        ("old.lookup_user", Risk.MEDIUM),
        ("demo.create_ticket", Risk.MEDIUM),
        ("demo.send_email", Risk.MEDIUM),
        ("old.frobnicate", Risk.HIGH),
        ("demo.delete_customer", Risk.HIGH),
        ("liar.delete_all", Risk.HIGH),
    ],
)
def test_the_risk_of_a_call_is_that_of_its_tool(name: str, risk: Risk, judge: Callable[[str], Verdict]) -> None:
    server, tool = name.split(".")
    assert judge(f"from servers.{server} import {tool}\nawait {tool}(x=1)").risk is risk


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(3):\n    await send_email(to=i)",
        "while True:\n    await send_email(to=1)",
        "[await send_email(to=i) for i in range(3)]",
        "async def go(i):\n    await send_email(to=i)\nfor i in range(3):\n    await go(i)",
        "import asyncio\nawait asyncio.gather(*[send_email(to=i) for i in range(3)])",
        "list(map(send_email, [1, 2]))",
        "list(map(lambda i: send_email(to=i), [1, 2]))",
    ],
)
def test_sending_in_a_loop_is_said_and_weighs_more(loop: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(f"from servers.demo import send_email\n{loop}")
    assert "in a loop" in verdict.sentence or "3 times" in verdict.sentence or "once per" in verdict.sentence
    assert verdict.risk is Risk.HIGH


def test_one_call_is_not_in_a_loop(judge: Callable[[str], Verdict]) -> None:
    sentence = judge("from servers.demo import send_email\nawait send_email(to=1)").sentence
    assert "in a loop" not in sentence
    assert "times" not in sentence


@pytest.mark.parametrize(
    "code",
    [
        "import servers.demo as m\nawait getattr(m, name)()",
        "await call_tool('demo', name)",
        "await call_tool(name, 'list_orders')",
        "await call_mcp_tool(f'mcp__demo__{name}')",
        "for tool in tools:\n    await call_tool('demo', tool['name'], {})",
    ],
)
def test_a_tool_chosen_at_run_time_is_high_and_said(code: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(code)
    assert verdict.risk is Risk.HIGH
    assert "chosen at run time" in verdict.sentence
    assert verdict.not_assessed


def test_an_effect_that_may_not_happen_is_told_as_such(judge: Callable[[str], Verdict]) -> None:
    code = "from servers.demo import send_email\nawait send_email()\nif x:\n    await send_email()\n"
    assert [effect.kind for effect in judge(code).effects] == [EffectKind.WILL, EffectKind.MAY]


def test_sending_cannot_be_taken_back(judge: Callable[[str], Verdict]) -> None:
    (effect,) = judge("from servers.demo import send_email\nawait send_email()").effects
    assert effect.reversible is False


@pytest.mark.parametrize(
    ("argument", "place"), [("{'to': x['mail']}", "to"), ("to=x['mail']", "to"), ("to=x['mail'], body=str(x)", "body")]
)
def test_private_data_of_one_server_that_goes_to_another_is_named(
    argument: str, place: str, judge: Callable[[str], Verdict]
) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.mail import send_message\n"
        f"x = await get_customer(id=1)\nawait send_message({argument})"
    )
    words = [finding.message for finding in judge(code).findings if finding.rule == "flow.private"]
    assert words == [f"Data from demo.get_customer (line 3) goes to mail.send-message ({place})"]


def test_data_is_said_to_come_from_the_answer_it_stood_in_and_not_from_what_that_answer_was_asked_for(
    judge: Callable[[str], Verdict],
) -> None:
    code = """
from servers.demo import list_orders, get_customer, send_email
for one in await list_orders():
    who = await get_customer(customer_id=one["customer_id"])
    await send_email(to="a@b.co", body=who["name"])
"""
    words = [finding.message for finding in judge(code).findings if finding.rule == "flow.private"]
    assert words == ["Data from demo.get_customer (line 4) goes to demo.send_email (body)"]


def test_data_that_stays_with_its_server_is_no_flow(judge: Callable[[str], Verdict]) -> None:
    code = "from servers.demo import get_customer, create_ticket\nawait create_ticket(body=await get_customer(id=1))"
    assert "flow.private" not in {finding.rule for finding in judge(code).findings}


def test_data_that_its_own_server_sends_out_is_a_flow(rules: Callable[[str], dict[str, Risk]]) -> None:
    code = "from servers.demo import get_customer, send_email\nawait send_email(body=await get_customer(id=1))"
    assert rules(code)["flow.private"] is Risk.HIGH


def test_a_destination_out_of_foreign_content_is_named(rules: Callable[[str], dict[str, Risk]]) -> None:
    code = (
        "from servers.web import fetch_page\nfrom servers.demo import send_email\n"
        "p = await fetch_page(url='x')\nawait send_email(to=p['mail'])"
    )
    assert rules(code)["flow.destination"] is Risk.HIGH


def test_destroying_on_the_word_of_foreign_content_is_named(rules: Callable[[str], dict[str, Risk]]) -> None:
    code = (
        "from servers.web import fetch_page\nfrom servers.demo import delete_customer\n"
        "if 'go' in await fetch_page(url='x'):\n    await delete_customer(id=1)"
    )
    assert "flow.decides" in rules(code)


def test_sql_that_changes_makes_a_reading_tool_risky(rules: Callable[[str], dict[str, Risk]]) -> None:
    code = "from servers.demo import list_orders\nawait list_orders({'query': 'DELETE FROM orders'})"
    assert rules(code)["tool.sql"] is Risk.HIGH


def test_a_sensitive_path_makes_a_reading_tool_risky(rules: Callable[[str], dict[str, Risk]]) -> None:
    assert (
        rules("from servers.demo import list_orders\nawait list_orders(path='/etc/shadow')")["tool.path"] is Risk.HIGH
    )


def test_each_flow_says_from_which_line_into_which_argument(judge: Callable[[str], Verdict]) -> None:
    code = (
        "from servers.web import fetch_page\nfrom servers.demo import send_email, list_orders\n"
        "page = await fetch_page(url='https://x.org')\n"
        "await send_email(to=page['mail'], subject='hi', body=str(await list_orders()))\n"
    )
    told = {(flow.kind, flow.source, flow.line, flow.sink, flow.sink_line) for flow in judge(code).flows}
    assert ("untrusted", "web.fetch_page", 3, "demo.send_email.to", 4) in told
    assert ("private", "demo.list_orders", 4, "demo.send_email.body", 4) in told
    assert not any(sink.endswith("subject") for *_, sink, _ in told)


def test_where_nothing_that_was_read_goes_anywhere_no_flow_is_told(judge: Callable[[str], Verdict]) -> None:
    code = "from servers.demo import list_orders, send_email\nprint(await list_orders())\nawait send_email(to='a@b.co')"
    assert judge(code).flows == ()


def test_the_sandboxs_own_ways_to_files_are_judged_like_open(judge):
    for code in ("write_file('a.csv', 'x')", "from client import write_file as w\nw('/workspace/a.csv', 'x')"):
        verdict = judge(code)
        assert [(one.rule, one.subject) for one in verdict.findings] == [("file.write", "workspace/a.csv")]
        assert verdict.risk is Risk.MEDIUM
    assert judge("print(read_file('workspace/a.csv'))").impact.read == ("workspace/a.csv",)


# ── what a tool is given can make even a reading tool risky ──────────────────────────────────────────
Rules = Callable[[str], dict[str, Risk]]


def _list(argument: str) -> str:
    return f"from servers.demo import list_orders\nawait list_orders({argument})"


@pytest.mark.parametrize(
    "statement",
    [
        "delete from orders",
        "select 1; drop table users",
        "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
        "/* harmless */ UPDATE users SET admin = true",
        "EXPLAIN ANALYZE DELETE FROM users",
        "COPY users TO PROGRAM 'sh'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM users INTO OUTFILE '/tmp/x'",
    ],
)
@pytest.mark.parametrize("key", ["sql", "query"])
def test_a_statement_that_changes_is_high(statement: str, key: str, rules: Rules) -> None:
    assert rules(_list(f'{key}="{statement}"'))["tool.sql"] is Risk.HIGH


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT deleted, updated_at FROM orders WHERE action = 'drop'",
        "WITH recent AS (SELECT * FROM orders) SELECT replace(name, 'a', 'b') FROM recent",
        "EXPLAIN SELECT 1",
    ],
)
def test_a_statement_that_reads_is_not(statement: str, rules: Rules) -> None:
    assert "tool.sql" not in rules(_list(f'sql="{statement}"'))


@pytest.mark.parametrize("words", ["update on the launch", "delete account", "insert coin", "create index cards"])
def test_words_to_search_for_are_no_statement(words: str, rules: Rules) -> None:
    assert "tool.sql" not in rules(_list(f"query={words!r}"))


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:8080/admin",
        "http://user@10.0.0.5/",
        "http://[::1]/",
        "http://2130706433/",
        "file:///etc/passwd",
    ],
)
def test_an_address_inside_the_network_is_high(address: str, rules: Rules) -> None:
    assert rules(f"from servers.web import fetch_page\nawait fetch_page(url={address!r})")["tool.address"] is Risk.HIGH


@pytest.mark.parametrize("address", ["https://example.org/localhost", "https://docs.example/10.0/", "http://11.2.3.4/"])
def test_an_address_outside_is_only_read(address: str, rules: Rules) -> None:
    assert "tool.address" not in rules(f"from servers.web import fetch_page\nawait fetch_page(url={address!r})")


def test_private_data_inside_an_address_goes_out_with_it(rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.web import fetch_page\n"
        "c = await get_customer(id=1)\nawait fetch_page(url=f\"https://x.example/{c['mail']}\")"
    )
    assert rules(code)["flow.private"] is Risk.HIGH


def test_following_a_link_out_of_private_data_tells_its_host_which_one_was_read(rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.web import fetch_page\n"
        "c = await get_customer(id=1)\nawait fetch_page(url=c['link'])"
    )
    assert rules(code)["flow.private"] is Risk.HIGH


def test_a_path_that_climbs_is_medium(rules: Rules) -> None:
    assert rules(_list("path='../../notes.md'"))["tool.path"] is Risk.MEDIUM


# ── names in code find their tools: raw, generated, or nearly ────────────────────────────────────────
@pytest.fixture
def book(tools: tuple[Tool, ...]) -> ToolLookup:
    return ToolLookup(tools)


def test_an_unknown_tool_comes_with_the_nearest_names(book: ToolLookup) -> None:
    found = book.find("demo", "list_order")
    assert isinstance(found, UnknownTool)
    assert found.server_known
    assert found.nearest[0] == "demo.list_orders"
    missing = book.find("nowhere", "x")
    assert isinstance(missing, UnknownTool)
    assert not missing.server_known


def test_of_tools_whose_names_collide_the_exact_one_wins_and_else_the_riskiest() -> None:
    reading, deleting = Tool("s", "a-b", hints=Hints(read_only=True)), Tool("s", "a.b", hints=Hints(destructive=True))
    book = ToolLookup([reading, deleting])
    assert book.find("s", "a-b") is reading
    assert book.find("s", "a_b") is deleting


def test_without_a_catalogue_names_must_do() -> None:
    found = ToolLookup(None).find("any", "get_thing")
    assert isinstance(found, Tool)
    assert tool_risk(found) is Risk.LOW
    assert tool_risk(by_name("any", "thing_do")) is Risk.HIGH


def test_a_list_that_nobody_can_change_is_read_once_and_another_one_anew():
    tools = (Tool("a", "one"), Tool("a", "two"))
    assert tool_lookup(tools) is tool_lookup(tools)
    assert tool_lookup((*tools, Tool("a", "three"))).find("a", "three") == Tool("a", "three")
    assert isinstance(tool_lookup(tools).find("a", "three"), UnknownTool)
    assert tool_lookup(list(tools)) is not tool_lookup(list(tools))
