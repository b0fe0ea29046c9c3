"""Tokens in the text of a program compare equal to values that it has read, and never help to find out others."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace

import pytest

from tests.broker.test_program_answers import with_echo_server
from workbench.analysis.reading import read_program
from workbench.broker.broker import Broker
from workbench.events import RunChanged
from workbench.records import (
    CallDecision,
    Origin,
    Permission,
    Proposal,
    Run,
    RunState,
    ToolCall,
)
from workbench.runs.token_literals import TokenLiterals

LIST = "from servers.demo import list_customers\nrows = (await list_customers(limit=5))['customers']\n"


@pytest.fixture
async def office(demo):
    """A core with the demo's customers and a server that echoes, in which every program is allowed."""
    return await with_echo_server(demo)


async def ran(core, session, code, **more):
    async with asyncio.timeout(60):
        return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, **more).id)


async def result(core, session, code, **more):
    done = await ran(core, session, code, **more)
    assert done.state is RunState.DONE, done.fault
    return json.loads(done.result)


async def customers(core):
    call = ToolCall("c", "demo", "list_customers", {"limit": 5}, Origin.PERSON, "person")
    return json.loads((await Broker(core.services).call(call)).structured)["customers"]


async def first_tokens(core, session):
    """The tokens of the first customer's e-mail address, name and phone number, as an agent reads them."""
    done = await ran(core, session, f"{LIST}print(rows[0]['email'], rows[0]['name'], rows[0]['phone'], sep='|')")
    email, name, phone = done.model_view.split("|")
    assert re.fullmatch(r"\[EMAIL_\d+\.\w{4}\]", email), done.model_view
    return email, name.strip(), phone.strip()


FORMS = """
wanted, label, listed = {"<MAIL>"}, {"<MAIL>": "VIP"}, ["<MAIL>"]
<LIST>
one, other = rows[0], rows[1]
by_mail = {row["email"]: row["id"] for row in rows}
note = f"Write to {one['email']} or to {one['name']}."
target = "<MAIL>"
def kind(value):
    match value:
        case "<MAIL>":
            return "same"
        case {"email": "<MAIL>"}:
            return "row"
    return "none"
result = {
    "==": one["email"] == "<MAIL>", "reversed": "<MAIL>" == one["email"], "!=": one["email"] != "<MAIL>",
    "alias": [row["id"] for row in rows if row["email"] == target] == [one["id"]],
    "in list": one["email"] in listed, "in values": target in [row["email"] for row in rows],
    "in set": one["email"] in {"<MAIL>", "x"}, "in early set": one["email"] in wanted,
    "set": bool(wanted & set(by_mail)) and not {one["email"]} - wanted and not {target}.isdisjoint(by_mail),
    "in dict": target in by_mail, "[]": by_mail["<MAIL>"] == one["id"], "get": by_mail.get(target) == one["id"],
    "early dict": label.get(one["email"]) == "VIP" and label[one["email"]] == "VIP" and label["<MAIL>"] == "VIP",
    "match": kind(one["email"]) == "same" and kind(one) == "row",
    "in text": "<MAIL>" in note and "<NAME>" in note, "startswith": note[9:].startswith(target),
    "count": note.count("<MAIL>") == 1, "replace": note.replace("<NAME>", "X").endswith("to X."),
    "case": one["email"].upper() == target.upper(), "filter": len([*filter(target.__eq__, by_mail)]) == 1,
    "index": [row["email"] for row in rows].index(target) == 0,
    "not other": not (other["email"] == target or other["email"] in wanted or kind(other["email"]) != "none"),
    "token stays": len(target) == <LENGTH> and f"{target}" + target == <TWICE> and type(target.encode()) is bytes,
}
"""


async def test_every_form_of_comparison_finds_the_value_that_the_program_read(office):
    agent = office.services.sessions.open("agent")
    email, name, _ = await first_tokens(office, agent)
    parts = {"LIST": LIST, "LENGTH": str(len(email)), "TWICE": json.dumps(email + email), "MAIL": email, "NAME": name}
    code = FORMS
    for part, text in parts.items():
        code = code.replace(f"<{part}>", text)
    done = await ran(office, agent, code)
    assert done.state is RunState.DONE, done.fault
    found = json.loads(done.result)
    found["!="] = not found["!="]
    assert [form for form, works in found.items() if not works] == []
    assert "because its value was not found" not in done.model_view, done.model_view
    assert "is used as text" not in done.model_view, done.model_view


async def test_a_value_in_a_repl_variable_or_a_file_is_found(office):
    agent = office.services.sessions.open("agent")
    await ran(office, agent, f"{LIST}keep = {{'deep': [rows]}}\nprint(rows)", state="work")
    email, _, _ = await first_tokens(office, agent)
    again = f"""
def find(token):
    return [row["id"] for row in keep["deep"][0] if row["email"] == token]
result = find("{email}")
"""
    real = await customers(office)
    assert await result(office, agent, again, state="work") == [real[0]["id"]]
    helper = f'def is_wanted(row):\n    return row["email"] == "{email}"'
    await ran(office, agent, helper, state="helper")
    assert (
        await result(office, agent, f"{LIST}result = [*map(is_wanted, rows)]", state="helper") == [True] + [False] * 4
    )
    await ran(office, agent, f"{LIST}write_file('people.csv', 'mail\\n' + rows[0]['email'] + '\\n')")
    read = f"""
lines = open("workspace/people.csv").read().splitlines()
result = [number for number, line in enumerate(lines) if line == "{email}"]
"""
    assert await result(office, agent, read) == [1]


async def test_a_comparison_that_cannot_work_is_named_with_its_line_and_cure(office):
    agent = office.services.sessions.open("agent")
    email, name, _ = await first_tokens(office, agent)
    cure = f'use equal(value, "{email}") from client'

    async def told(code):
        return (await ran(office, agent, code)).model_view

    for line, words in (
        (f'print(x == "{email}")', "compared as text here, because its value"),
        (f'print({{x: 1}}.get("{email}"))', "compared as text here, because its value"),
        (f'y = "{email}"; print(x in [y])', "compared as text here, because its value"),
        (f'print(x == "mailto:{email}")', "compared as text here"),
        (f'print(x == "{email[:6]}" + "{email[6:]}")', "compared as text here"),
        (f'print(x == f"<{email}>")', "compared as text here"),
        (f'y = "to: " + "{email}"\nprint(x == y)', "compared as text here"),
        (f'y = "{email}\\n{name}".splitlines()\nprint(x in y)', "compared as text here"),
        (f'print(re.search("{email}", x))', "used as text here"),
        (f'print("{email}".startswith(x))', "used as text here"),
    ):
        words = f"{email} {'is ' if 'text' in words else ''}{words}"
        view = await told(f'x = "something"\n{line}\n')
        assert words in view, (line, view)
        assert cure in view, (line, view)
        assert f"line {2 + line.count(chr(10))}: {words}" in view, (line, view)
    view = await told(f'x = "something"\nprint(x == "{email}")')
    assert "not found in this program's answers of demo, where it comes from. Read it with demo.list_customers" in view
    for quiet in (
        f'to = "{email}"\nprint(to)',
        f'print(f"for {name}")',
        f'x = ["{email}"]\nresult = len(x)',
        'print("a" == "b", {1: 2}.get(1))',
    ):
        view = await told(quiet)
        assert "here, because" not in view, view
        assert "is used as" not in view, view


async def test_an_unknown_token_of_a_program_is_named(office):
    agent, other = (office.services.sessions.open(name) for name in ("one", "two"))
    foreign, _, _ = await first_tokens(office, other)
    view = (await ran(office, agent, f'x = "{foreign}"\ny = ["hello [EMAIL_9.abcd]"]\nprint(1)')).model_view
    assert f"line 1: {foreign} is no token of this session" in view
    assert "line 2: [EMAIL_9.abcd] is no token of this session" in view
    call = "from servers.demo import get_customer\nawait get_customer(customer_id='[NAME_7.zzzz]')"
    view = (await ran(office, agent, call)).model_view
    assert "line 2: [NAME_7.zzzz] is no token of this session" in view
    assert "The token [NAME_7.zzzz] is unknown in this session" in view
    assert "LITERAL" not in view
    view = (await ran(office, agent, call.replace("NAME_7.zzzz", "EMAIL_1"))).model_view
    assert "The token [EMAIL_1] is unknown in this session: it is damaged" in view


# ── attacks ──────────────────────────────────────────────────────────────────────────────────────────────
ASK = "import client\nhints = client._client._line.ask_now('tokens')\n"


async def test_a_token_of_another_session_never_equals_its_value(office):
    agent, other = (office.services.sessions.open(name) for name in ("one", "two"))
    foreign, _, _ = await first_tokens(office, other)
    await first_tokens(office, agent)
    code = f'{LIST}{ASK}result = [hints, [row["email"] == "{foreign}" for row in rows], rows[0]["email"] in {{T}}]'
    assert await result(office, agent, f'T = "{foreign}"\n{code}') == [{}, [False] * 5, False]


async def test_a_program_that_does_not_read_a_value_gets_nothing_about_it(office):
    agent = office.services.sessions.open("agent")
    email, name, phone = await first_tokens(office, agent)
    real = (await customers(office))[0]
    guesses = [real["email"], real["email"].upper(), real["name"], real["phone"]]
    code = f"""
{ASK}
import gc
own = ["{email}", "{name}", "{phone}"]
guesses = {guesses!r}
held = [type(one).__name__ for one in gc.get_objects() if type(one).__name__ == "Token" and one.is_known]
result = [hints, [guess == token for token in own for guess in guesses], [hash(guess) == hash(token) for token in own
    for guess in guesses], any(guess in set(own) for guess in guesses), held]
"""
    assert await result(office, agent, code) == [{}, [False] * 12, [False] * 12, False, []]


async def test_the_echo_of_a_guess_is_no_oracle(office):
    agent = office.services.sessions.open("agent")
    email, _, _ = await first_tokens(office, agent)
    real = (await customers(office))[0]["email"]
    code = f"""
from client import call_tool
said = str(await call_tool("echo", "say", {{"text": {f"{real} bo@example.org"!r}}}))
result = ["{email}" in said, any("{email}" == word for word in said.split("'"))]
"""
    assert await result(office, agent, code) == [False, False], "it is no answer of the customers' server"


async def test_a_file_of_guesses_is_no_oracle_for_a_value_that_no_server_supplied(office):
    agent = office.services.sessions.open("agent")
    token = agent.vault.token("EMAIL", "rosa.lund@example.org")
    guesses = "ada@example.org rosa.lund@example.org bo@example.org"
    await ran(office, agent, f"write_file('guesses.txt', {guesses!r})")
    code = f"""
{ASK}
text = open("workspace/guesses.txt").read()
result = [hints, "{token}" in text, any("{token}" == word for word in text.split())]
"""
    assert await result(office, agent, code) == [{}, False, False]


async def test_sealed_values_are_never_equal_and_guesses_stay_limited(office):
    agent = office.services.sessions.open("agent")
    email, _, _ = await first_tokens(office, agent)
    await ran(office, agent, f"{LIST}write_file('people.csv', rows[0]['email'])")
    await ran(office, agent, f"{LIST}keep = rows", state="work")
    real = (await customers(office))[0]["email"]
    rule = Permission("", "sealed", CallDecision.DENY, "demo", "list_customers", data="email")
    office.services.rules.set_rule(rule, office.catalog.tool("demo", "list_customers"))
    guess = f"""
{ASK}
text = open("workspace/people.csv").read()
result = [hints, {real!r} == "{email}", {real!r} in {{"{email}"}}, "{email}" in {real!r}]
"""
    assert await result(office, agent, guess) == [{}, False, False, False], "sealed after a program had read it"
    assert await result(office, agent, guess, state="work") == [{}, False, False, False]
    sealed = (
        f'{LIST}{ASK}result = [hints, rows[0]["email"] == "{email}", {real!r} == "{email}", {real!r} in {{"{email}"}}]'
    )
    assert await result(office, agent, sealed) == [{}, True, False, False], "data and text have the same token"
    many = f"from client import equal\nfor n in range(250):\n    equal('{email}', f'guess{{n}}@example.org')"
    done = await ran(office, agent, many)
    assert done.state is RunState.FAILED
    assert "200 times in this session" in done.fault.message


@pytest.mark.parametrize("word", [CallDecision.DENY, CallDecision.ASK])
async def test_what_the_rules_no_longer_let_a_program_read_is_not_found_in_files(office, word):
    agent = office.services.sessions.open("agent")
    email, _, _ = await first_tokens(office, agent)
    await ran(office, agent, f"{LIST}write_file('people.csv', rows[0]['email'])")
    code = f'{ASK}text = read_file("people.csv")\nresult = [len(hints), text == "{email}"]'
    assert await result(office, agent, code) == [0, True], "its values are told once"
    rule = Permission("", "tool", word, "demo", "list_customers")
    office.services.rules.set_rule(rule, office.catalog.tool("demo", "list_customers"))
    assert await result(office, agent, code) == [0, False]


async def test_a_compared_token_is_still_released_as_a_token_and_audited_as_one(office):
    """Comparing gives the program no other way to send the value: arguments, approval and audit have the token."""
    agent = office.services.sessions.open("agent")
    email, _, _ = await first_tokens(office, agent)
    real = (await customers(office))[0]["email"]
    code = f"""
{LIST}
found = [row for row in rows if row["email"] == "{email}"]
from client import call_tool
said = await call_tool("echo", "say", {{"text": "for {email}"}})
result = [len(found), said]
"""
    asked = []
    office.bus.listen(lambda event: asked.append(event.run.verdict) if isinstance(event, RunChanged) else None)
    done = await ran(office, agent, code)
    assert json.loads(done.result)[0] == 1
    assert email in done.proposal.code
    assert real not in done.proposal.code
    verdicts = [verdict for verdict in asked if verdict is not None]
    assert any("would be sent to echo.say" in line for verdict in verdicts for line in verdict.asks)
    assert all(real not in repr(verdict) for verdict in verdicts)
    assert real not in done.model_view


async def test_functions_about_values_take_values_and_tokens_of_many_rows(office):
    agent = office.services.sessions.open("agent")
    email, name, phone = await first_tokens(office, agent)
    real = (await customers(office))[0]
    code = f"""
from client import domain_of, equal, initials, last4, masked
{LIST}
one = rows[0]
spelled = [one["email"].upper(), f" {{one['email']}} ", one["email"], "bo@example.org"]
result = {{
    "rows": [row["id"] for row in rows * 100 if equal(row["email"], "{email}")] == [one["id"]] * 100,
    "spelled": [equal("{email}", text) for text in spelled], "phone": equal("{phone}", one["phone"].replace(" ", "-")),
    "plain": [equal(one["name"], one["name"].lower()), equal("a", "b")],
    "masked": [masked(one["email"]), masked(one["name"]), masked(one["phone"]), masked("{email}")],
    "parts": [domain_of(one["email"]) == domain_of("{email}"), initials(one["name"]) == initials("{name}"),
        last4(one["phone"]) == last4("{phone}")],
}}
"""
    found = await result(office, agent, code)
    domain, initials = real["email"].partition("@")[2], "".join(f"{part[0]}." for part in real["name"].split())
    shown = f"{real['email'][0]}…@{domain}"
    assert found["masked"] == [shown, initials, f"…{''.join(filter(str.isalnum, real['phone']))[-4:]}", shown]
    assert found["spelled"] == [True, True, True, False]
    assert (found["rows"], found["phone"], found["plain"], found["parts"]) == (True, True, [True, False], [True] * 3)
    assert agent.guesses == 0, "what the program holds is no guess"


async def test_a_script_is_told_which_line_compares_a_token_and_what_compares_the_value(office):
    """TypeScript programs are not parsed; the line of a comparison is found in the text."""
    session = office.services.sessions.open("agent")
    email = session.vault.token("EMAIL", "rosa.lund@example.org")
    code = f'const to = "{email}";\nif (row.email === "{email}") n++;\nawait sendEmail({{ to: "[EMAIL_9.abcd]" }});'
    reading = read_program(code, (), language="typescript")
    proposal = Proposal("r1", code, "", Origin.AGENT, session.id, "a", "", 1.0)
    run = SimpleNamespace(session=session, reading=reading, record=Run("r1", proposal, RunState.DONE))
    lines = TokenLiterals(run).notices().split("\n")
    assert lines[0].startswith("line 3: [EMAIL_9.abcd] is no token of this session")
    assert lines[1:] == [
        f"line 2: {email} is compared as text here. To compare the value,"
        f' use await equal(value, "{email}") from ./client.'
    ]


async def test_a_call_without_a_program_names_an_unknown_token_without_a_line(office):
    agent = office.services.sessions.open("agent")
    code = "from servers.demo import get_customer\nresult = await get_customer({'customer_id': '[NAME_7.zzzz]'})\n"
    view = (await ran(office, agent, code, wish="call")).model_view
    assert "\n[NAME_7.zzzz] is no token of this session: it was changed or comes from a different session." in view
