"""Which field of an answer an argument is, is said only if nothing in the program can make it something else."""

from __future__ import annotations

import time

import pytest

from workbench.analysis.reading import assess
from workbench.records import Hints, Tool

READS, SENDS = Hints(read_only=True, destructive=False, open_world=False), Hints(False, False, open_world=True)
TOOLS = (
    Tool("demo", "get_customer", hints=READS, input_schema={"properties": {"customer_id": {}}}, hash="a"),
    Tool("demo", "list_customers", hints=READS, input_schema={"properties": {"limit": {}}}, hash="b"),
    Tool("demo", "delete_customer", hints=Hints(False, True), input_schema={"properties": {"id": {}}}, hash="d"),
    Tool("demo", "send_email", hints=SENDS, input_schema={"properties": {"to": {}, "body": {}}}, hash="c"),
)
IMPORTS = "from servers.demo import get_customer, list_customers, send_email, delete_customer\nimport json\n"
ONE = IMPORTS + "c = await get_customer(customer_id='C-3')\n"
EVERY = IMPORTS + "p = await list_customers(limit=9)\n"
SEND = "\nawait send_email(to=c['email'], body='x')"
OWN = "to the “email” of customer C-3 (demo.get_customer, line 3) through"


def first(code: str) -> str:
    return assess(code, TOOLS).headline[0].text


@pytest.mark.parametrize(
    ("before", "address"),
    [
        ("", "c['email']"),
        ("", "[c['email']]"),
        ("", "c.get('email')"),
        ("", "c.get('email', '')"),
        ("", "str(c['email']).strip().lower()"),
        ("", "c['email'] or ''"),
        ("to = c['email']\n", "to"),
        ("if c['name'] != 'x' and c['id'] in {'a'}:\n    print(f\"{c['name']}\", json.dumps(c))\n", "c['email']"),
        ("n = len(c['name'].upper())\n", "c['email']"),
    ],
)
def test_the_own_field_of_a_record_is_named(before: str, address: str) -> None:
    assert OWN in first(f"{ONE}{before}await send_email(to={address}, body='x')")


@pytest.mark.parametrize(
    "address",
    [
        "c['email'][1:]",
        "c['email'] + '.x'",
        "f\"{c['email']}.x\"",
        "c['email'].replace('a', 'b')",
        "c.get('email', 'eve@evil.example')",
        "c['email'] or 'eve@evil.example'",
        "c['email'] if c['id'] else input()",
        "[c['email'], input()]",
        "c[input()]",
        "c.pop('email')",
        "str.join('x', c['email'])",
    ],
)
def test_what_is_made_of_a_field_is_not_called_the_field(address: str) -> None:
    assert OWN not in first(f"{ONE}await send_email(to={address}, body='x')")


@pytest.mark.parametrize(
    "change",
    [
        "c['email'] = input()",
        "c = {'email': input()}",
        "c.update(email=input())",
        "c |= {'email': input()}",
        "c.__setitem__('email', input())",
        "alias = c\nalias['email'] = input()",
        "alias = [c]\nalias[0]['email'] = input()",
        "alias = c or {}\nalias['email'] = input()",
        "for alias in (c,):\n    alias['email'] = input()",
        "[alias.update(email=input()) for alias in [c]]",
        "def change(z):\n    z['email'] = input()\nchange(c)",
        "def change():\n    c['email'] = input()\nchange()",
        "def change():\n    global c\n    c = {'email': input()}\nchange()",
        "(lambda z: z.update(email=input()))(c)",
        "sorted([c], key=lambda z: z.update(email=input()))",
        "import operator\noperator.setitem(c, 'email', input())",
        "import functools\nfunctools.partial(c.update, email=input())()",
        "change = c.update\nchange(email=input())",
        "globals()['c'] = {'email': input()}",
        "import __main__\n__main__.c = {'email': input()}",
        "exec('c = 1')",
        "class E:\n    def __eq__(self, z):\n        z['email'] = input()\nE() == c",
        "E = type('E', (), {'__eq__': lambda s, z: z.update(email=input())})\nE() == c",
        "match c:\n    case z:\n        z['email'] = input()",
        "match {'email': input()}:\n    case c:\n        pass",
        "try:\n    pass\nexcept OSError as c:\n    pass",
        "import contextlib\nwith contextlib.nullcontext(c) as z:\n    z['email'] = input()",
        "json.dumps(object(), default=lambda _: c.update(email=input()))",
        "if (z := c):\n    z['email'] = input()",
        "z = {**{'a': c}}\nz['a']['email'] = input()",
        "z, w = c, 1\nz['email'] = input()",
        "def str(z):\n    z['email'] = input()\nstr(c)",
        "def get_customer(customer_id):\n    return {'email': input()}",
        "import servers.demo as d\nd.get_customer = input\nc = d.get_customer(customer_id='C-3')",
        "from skills.own import *",
        "import __main__ as m\nm.c['email'] = input()",
        "json.dumps = lambda z: z.update(email=input())\njson.dumps(c)",
        "import helper\nhelper.dumps(c)",
    ],
)
def test_a_field_that_may_have_been_changed_is_not_named(change: str) -> None:
    assert "“email”" not in first(f"{ONE}{change}{SEND}")


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("for c in p['customers']:\n    await send_email(to='a@b.example', body=c['email'])", "the “email” of up to 9"),
        (
            "for c in p['customers'][:5]:\n    x = c['email']\n    await send_email(to='a@b.example', body=x)",
            "the “ema",
        ),
        (
            "for c in sorted(p['customers']):\n    x = c['email'] + '\\n' + c['name']\n"
            "    await send_email(to='a@b.example', body=x)",
            "the “email” and “name” of up to 9 customers",
        ),
        (
            "for c in p['customers']:\n    k = '-'.join(chr(ord(x) + 7) for x in c['email'])\n"
            "    await send_email(to='a@b.example', body=k)",
            "the “email” of up to 9 customers",
        ),
        (
            "rows = [c for c in p['customers'] if c['vip']]\nfor r in rows:\n"
            "    await send_email(to='a@b.example', body=r['name'])",
            "the “name” of up to 9 customers",
        ),
        (
            "for c in p['customers']:\n    await send_email(to='a@b.example', body=c['email'] + str(c))",
            "data of up to 9 customers",
        ),
        ("await send_email(to='a@b.example', body=str(p['customers']))", "data of up to 9 customers"),
        (
            "for c in p['customers']:\n    c['email'] = str(p)\n"
            "    await send_email(to='a@b.example', body=c['email'])",
            "data of up to 9 customers",
        ),
        (
            "import operator\nfor c in p['customers']:\n    operator.setitem(c, 'email', str(c))\n"
            "    await send_email(to='a@b.example', body=c['email'])",
            "data of up to 9 customers",
        ),
        (
            "q = p['customers']\nfor c in q:\n    q[0]['email'] = str(p)\n"
            "    await send_email(to='a@b.example', body=c['email'])",
            "data of up to 9 customers",
        ),
    ],
)
def test_the_fields_of_a_list_are_named_if_nothing_else_of_it_is_used(code: str, data: str) -> None:
    assert first(f"{EVERY}{code}").startswith(f"Mails {data}")


@pytest.mark.parametrize(
    ("code", "objects"),
    [
        (
            "for c in p['customers']:\n    await delete_customer(id=c['id'])",
            "Deletes all customers of the list, up to 9 (",
        ),
        (
            "for c in p['customers']:\n    if c['old']:\n        await delete_customer(id=c['id'])",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
        (
            "for c in p['customers'][:3]:\n    await delete_customer(id=c['id'])",
            "Deletes up to 9 customers from the list (",
        ),
        (
            "for c in p['customers']:\n    await delete_customer(id=c['id'])\n    if input():\n        break",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
        (
            "x = [c for c in p['customers'] if c['vip']]\nfor c in p['customers']:\n    if c['old']:\n"
            "        await delete_customer(id=c['id'])",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
        (
            "for c in p['customers']:\n    if c['old']:\n        continue\n    await delete_customer(id=c['id'])",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
        (
            "if input():\n    for c in p['customers']:\n        await delete_customer(id=c['id'])",
            "Deletes all customers of the list, up to 9 (",
        ),
        (
            "for c in p['customers']:\n    c['old'] and await delete_customer(id=c['id'])",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
        (
            "[await delete_customer(id=c['id']) for c in p['customers'] if c['old']]",
            "Deletes up to 9 customers that the program selects from the list (",
        ),
    ],
)
def test_it_is_said_whether_the_program_selects_from_a_list(code: str, objects: str) -> None:
    assert first(f"{EVERY}{code}").startswith(objects)


def test_a_field_of_an_answer_without_a_noun_is_named() -> None:
    lookup = Tool("crm", "lookup", hints=READS, input_schema={"properties": {"q": {}}}, hash="l")
    code = f"{IMPORTS}from servers.crm import lookup\nc = await lookup(q='a')\nawait send_email(to=c['mail'], body='x')"
    assert "to the “mail” of the answer (crm.lookup, line 4)" in assess(code, (*TOOLS, lookup)).headline[0].text


def test_data_of_several_records_goes_out_in_one_mail() -> None:
    assert first(f"{EVERY}await send_email(to='a@b.example', body=str(p))").endswith(
        " to a@b.example in one mail through demo.send_email."
    )
    assert "in one mail" not in first(
        f"{EVERY}async def go():\n    await send_email(to='a@b.example', body=str(p))\nawait go()\nawait go()"
    )


@pytest.mark.parametrize(
    "code",
    [
        "d = await list_customers()\n" * 1_000 + "print(d['x'])\n" * 1_000,
        "\n".join(f"y{number} = {' + '.join(['p'] * 90)}" for number in range(20)),
        "x = 1\n" * 2_000 + "print(p['x'] == x)\n" * 1_000,
        "y = " + " + ".join(["p['x']"] * 900),
    ],
)
def test_programs_written_to_stop_the_proof_are_assessed_in_seconds(code: str) -> None:
    began = time.monotonic()
    assess(f"{EVERY}{code}\nawait send_email(to='a@b.example', body=p['x'])", TOOLS)
    assert time.monotonic() - began < 10
