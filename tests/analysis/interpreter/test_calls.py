"""Calls: arguments reach functions of the program, answers come back, and effects name what was passed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Verdict

Judge = Callable[[str], Verdict]


@pytest.mark.parametrize(
    "code",
    [
        "def go(c):\n    os.system(c)\ngo('ls')",
        "def go(*, c):\n    os.system(c)\ngo(c='ls')",
        "def go(c='ls'):\n    os.system(c)\ngo()",
        "def one(c):\n    two(c)\ndef two(c):\n    os.system(c)\none('ls')",
        "def get():\n    return 'ls'\nos.system(get())",
        "class A:\n    def go(self, c):\n        os.system(c)\nA().go('ls')",
        "go = lambda c: os.system(c)\ngo('ls')",
        "os.system(*['ls'])",
        "c = 'l' + 's'\nos.system(c)",
        "os.system(command='ls')",
        "import subprocess\nsubprocess.run(args='ls')",
    ],
)
def test_the_command_is_named_however_it_gets_there(code: str, judge: Judge) -> None:
    subjects = {finding.subject for finding in judge(f"import os\n{code}").findings if finding.rule == "process"}
    assert subjects == {"ls"}


def test_a_function_nobody_calls_is_still_read(judge: Judge) -> None:
    assert (
        judge("import os\ndef go(c):\n    os.system(c)").sentence
        == "The sandbox will refuse what it tries: it runs another program."
    )


def test_functions_that_call_each_other_end(judge: Judge) -> None:
    assert judge("def a(x):\n    return b(x)\ndef b(x):\n    return a(x)\na(1)").sentence.startswith("Only computes")


def test_what_a_function_gives_back_carries_its_origin(judge: Judge) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.mail import send_message\n"
        "async def load(n):\n    c = await get_customer(id=n)\n    return c['email']\n"
        "await send_message(to='a', body=await load(1))"
    )
    assert "flow.private" in {finding.rule for finding in judge(code).findings}
