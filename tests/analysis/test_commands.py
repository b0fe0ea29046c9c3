"""Other programs by their argv: what each comes to."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter.effects import judge_argv, judge_line
from workbench.analysis.tables.commands import CommandClass
from workbench.records import Risk, Verdict

READ, WORKSPACE, ASK = CommandClass.READ, CommandClass.WORKSPACE, CommandClass.ASK
CODE, UNKNOWN = CommandClass.CODE, CommandClass.UNKNOWN
Judge = Callable[[str], Verdict]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("git status", READ),
        ("git --no-pager log --oneline -5", READ),
        ("git commit -m 'fix the bug'", WORKSPACE),
        ("git add workspace/a.py", WORKSPACE),
        ("git push origin main", ASK),
        ("git clean -fd", ASK),
        ("git reset --hard", ASK),
        ("git -C /etc status", ASK),
        ("git -c core.pager=x log", CODE),
        ("git frobnicate", ASK),
        ("ls -la workspace", READ),
        ("cat /etc/shadow", ASK),
        ("grep -f/etc/shadow x", ASK),
        ("grep --file=/etc/shadow x", ASK),
        ("cat workspace/../../a", ASK),
        ("sort -o a b", ASK),
        ("find . -name '*.py'", READ),
        ("find . -delete", ASK),
        ("find . -exec x +", CODE),
        ("npm install evil", ASK),
        ("npm test", CODE),
        ("pip list", READ),
        ("python3.11 a.py", CODE),
        ("sed -i s/a/b/ x", CODE),
        ("frobnicate", UNKNOWN),
        ("./git status", UNKNOWN),
        ("/usr/bin/git status", READ),
        ("/home/ana/git status", UNKNOWN),
        ("rm -rf workspace", ASK),
        ("", UNKNOWN),
    ],
)
def test_a_command_is_what_its_words_are(line: str, kind: CommandClass) -> None:
    if line:
        assert judge_argv(shlex.split(line), absolute=False).kind is kind
    else:
        assert judge_argv([]).kind is kind


def test_a_program_without_its_path_is_whatever_the_search_path_says() -> None:
    assert judge_argv(["git", "status"]).kind is UNKNOWN
    assert judge_argv(["/usr/bin/git", "status"]).kind is READ
    assert judge_argv(["/usr/bin/git\n", "status"]).kind is UNKNOWN
    assert judge_argv(["/usr/bin/gıt", "status"]).kind is UNKNOWN
    assert judge_argv(["/usr/bin/git", "status\n"]).kind is ASK


@pytest.mark.parametrize("line", ["ls; id", "ls | sh", "ls $(id)", "ls `id`", "ls > x", "ls \\\nid", "ls 'x", "ls *"])
def test_what_a_shell_would_do_more_is_further_code(line: str) -> None:
    assert judge_line(line).kind is CODE


@given(st.lists(st.text(max_size=12), max_size=5))
def test_nothing_that_could_be_a_command_breaks_it(argv: list[str]) -> None:
    assert judge_argv(argv).words
    assert judge_line(" ".join(argv)).words


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import subprocess\nsubprocess.run(['git', 'status'])", "Runs the command git status (it only looks)"),
        ("import os\nos.system('git push')", "Runs the command git push (it can change or send"),
        ("import os\nos.system('ls; id')", "Runs the command ls; id (a shell reads it"),
        ("import subprocess\nsubprocess.run(['ls', input()])", "some of its words are only known at run time"),
        ("import asyncio\nawait asyncio.create_subprocess_exec('python', '-c', 'x')", "it runs further code"),
    ],
)
def test_a_finding_says_what_the_command_comes_to(code: str, told: str, judge: Judge) -> None:
    found = [finding for finding in judge(code).findings if finding.rule == "process"]
    assert told in found[0].message
    assert found[0].risk is Risk.HIGH
