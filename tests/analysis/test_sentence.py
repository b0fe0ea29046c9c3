"""The sentence a person reads first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Verdict


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print(1)", "Only computes: it uses no tool, no file and no network."),
        ("from servers.demo import list_orders\nawait list_orders()", "Reads with demo.list_orders."),
        (
            "from servers.demo import *\nawait list_orders()\nawait get_customer()\n"
            "import servers.old as o\nawait o.lookup_user()",
            "Looks up user through old.lookup_user, which its server does not describe. "
            "Reads with demo.list_orders and demo.get_customer.",
        ),
        (
            "from servers.demo import send_email, list_orders\n"
            "for o in await list_orders():\n    await send_email(to=o)\n"
            "open('workspace/report.csv', 'w')",
            "Sends e-mail through demo.send_email in a loop. "
            "Data from demo.list_orders (line 2) goes to demo.send_email (to). "
            "Writes workspace/report.csv. Reads with demo.list_orders.",
        ),
        (
            "from servers.demo import delete_customer\nawait delete_customer()",
            "Deletes customer through demo.delete_customer.",
        ),
        ("open('workspace/a.txt').read()", "Reads workspace/a.txt."),
        (
            "import os\nos.system('ls')",
            "The sandbox will refuse what it tries: it runs the command ls (it only looks).",
        ),
        (
            "import requests\nrequests.get('https://example.com/a')",
            "The sandbox will refuse what it tries: it contacts example.com.",
        ),
        (
            "from servers.liar import delete_all\nawait delete_all()",
            "Calls liar.delete_all, which claims to read only but whose name says otherwise.",
        ),
        (
            "from servers.demo import list_order\nlist_order()",
            "There is no tool demo.list_order; the nearest is demo.list_orders.",
        ),
    ],
)
def test_a_program_in_one_sentence(code: str, sentence: str, judge: Callable[[str], Verdict]) -> None:
    assert judge(code).sentence == sentence


def test_many_effects_are_counted_instead_of_listed(judge: Callable[[str], Verdict]) -> None:
    code = "\n".join(f"open('workspace/{name}', 'w')" for name in "abcdef")
    assert judge(code).sentence.endswith("And 3 further effects.")


def test_many_reading_tools_are_counted(judge: Callable[[str], Verdict]) -> None:
    code = (
        "from servers.demo import list_orders, get_customer\nfrom servers.web import fetch_page\n"
        "await list_orders()\nawait get_customer()\nawait fetch_page()"
    )
    assert judge(code).sentence == "Reads with 3 tools."
