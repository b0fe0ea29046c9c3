"""What a program touches in all."""

from __future__ import annotations

from collections.abc import Callable

from workbench.analysis.verdict import merge_impacts
from workbench.records import Impact, Verdict

Judge = Callable[[str], Verdict]


def test_files_hosts_commands_and_tools_are_named_once_each(judge: Judge) -> None:
    verdict = judge(
        "import os, requests, subprocess\nfrom servers.demo import list_orders, create_ticket, delete_customer\n"
        "from servers.mail import send_message\n"
        "open('workspace/a.csv').read()\nopen('workspace/b.csv', 'w')\nos.remove('workspace/c')\n"
        "requests.get('https://example.com/x')\nrequests.get('https://example.com/y')\n"
        "subprocess.run(['git', 'push'])\nopen(input())\n"
        "await list_orders()\nawait create_ticket()\nawait delete_customer()\nawait send_message()\n"
    )
    found = verdict.impact
    assert (found.read, found.changed) == (("workspace/a.csv",), ("workspace/b.csv", "workspace/c"))
    assert (found.networks, found.commands) == (("example.com",), ("git push",))
    assert found.tools == {
        "reads": ("demo.list_orders",),
        "adds": ("demo.create_ticket",),
        "changes": ("demo.delete_customer",),
        "sends": ("mail.send-message",),
    }
    assert (
        found.lasting >= 2
    )  # the customer, the message; the file can be brought back, and what the sandbox refuses does not happen
    assert found.unnamed == 1


def test_a_program_that_only_computes_touches_nothing(judge: Judge) -> None:
    verdict = judge("for n in range(3):\n    if n:\n        print(n)\n\n")
    assert verdict.impact == Impact()
    assert (verdict.lines, verdict.forks) == (3, 2)


def test_a_program_and_its_skill_are_one() -> None:
    first = Impact(read=("a",), tools={"sends": ("x.y",)}, lasting=1)
    second = Impact(read=("a", "b"), tools={"sends": ("x.y", "x.z"), "reads": ("q.r",)}, lasting=1)
    assert merge_impacts(first, second) == Impact(
        read=("a", "b"), tools={"reads": ("q.r",), "sends": ("x.y", "x.z")}, lasting=2
    )
