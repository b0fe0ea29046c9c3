"""What is done to files, hosts and other programs, in words."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter.effects import host
from workbench.analysis.interpreter.path_places import PathPlace, certain, place, within
from workbench.analysis.interpreter.shell_commands import CommandClass, judge_argv, judge_line
from workbench.analysis.interpreter.values import HOLE
from workbench.records import EffectKind, Risk, Verdict


@pytest.mark.parametrize(
    ("code", "text", "risk", "kind"),
    [
        ("open('workspace/a').read()", "Reads workspace/a", Risk.LOW, EffectKind.WILL),
        ("open('workspace/a', 'w')", "Writes workspace/a", Risk.MEDIUM, EffectKind.WILL),
        ("open(f'workspace/{x}.csv', 'a')", "Writes workspace/….csv", Risk.MEDIUM, EffectKind.MAY),
        ("open(x, 'wb')", "Writes a file chosen at run time", Risk.MEDIUM, EffectKind.MAY),
        ("open(x)", "Reads a file chosen at run time", Risk.LOW, EffectKind.MAY),
        ("open('/tmp/x', 'w')", "Writes /tmp/x", Risk.LOW, EffectKind.WILL),
        (
            "open('a.csv', 'w')",
            "Writes a.csv (only files below workspace/ can be changed)",
            Risk.MEDIUM,
            EffectKind.REFUSED,
        ),
        ("open('../a')", "Reads ../a (outside the workspace)", Risk.MEDIUM, EffectKind.REFUSED),
        ("open('/home/x/a', 'w')", "Writes /home/x/a (outside the workspace)", Risk.HIGH, EffectKind.REFUSED),
        ("open('/etc/shadow')", "Reads /etc/shadow (a sensitive place)", Risk.HIGH, EffectKind.REFUSED),
        ("open('workspace/.env')", "Reads workspace/.env (a sensitive place)", Risk.HIGH, EffectKind.WILL),
        ("open('/etc/passwd', 'a')", "Writes /etc/passwd (a sensitive place)", Risk.CRITICAL, EffectKind.REFUSED),
        ("import os\nos.remove('workspace/a')", "Deletes workspace/a", Risk.HIGH, EffectKind.WILL),
        ("import os\nos.remove('/tmp/a')", "Deletes /tmp/a", Risk.LOW, EffectKind.WILL),
        ("import os\nos.system('ls -l')", "Runs the command ls -l (it only reads)", Risk.HIGH, EffectKind.REFUSED),
        (
            "import os\nos.system(f'rm -rf {x}')",
            "Runs the command rm -rf … (a shell interprets it, so it may do more than it seems)",
            Risk.CRITICAL,
            EffectKind.REFUSED,
        ),
        (
            "import subprocess\nsubprocess.run(['git', 'push'])",
            f"Runs the command git push ({CommandClass.ASK.value})",
            Risk.HIGH,
            EffectKind.REFUSED,
        ),
        ("import subprocess\nsubprocess.run(x)", "Runs another program", Risk.HIGH, EffectKind.REFUSED),
        ("import urllib.request as r\nr.urlopen(x)", "Contacts the network", Risk.HIGH, EffectKind.REFUSED),
        (
            "import urllib.request as r\nr.urlopen('file:///etc/passwd')",
            "Reads /etc/passwd (a sensitive place)",
            Risk.HIGH,
            EffectKind.REFUSED,
        ),
        (
            "import os\nos.environ['API_KEY']",
            "Reads the environment variable API_KEY, which the sandbox does not have",
            Risk.HIGH,
            EffectKind.REFUSED,
        ),
    ],
)
def test_an_effect_says_what_where_and_how_sure(
    code: str, text: str, risk: Risk, kind: EffectKind, judge: Callable[[str], Verdict]
) -> None:
    (effect,) = [effect for effect in judge(code).effects if "Imports" not in effect.text]
    assert (effect.text, effect.risk, effect.kind) == (text, risk, kind)


def test_an_ordinary_environment_variable_is_nothing_to_tell(judge: Callable[[str], Verdict]) -> None:
    assert judge("import os\nos.environ['HOME'], os.getenv('LANG')").effects == ()


def test_after_moving_relative_paths_lead_elsewhere(judge: Callable[[str], Verdict]) -> None:
    (effect,) = judge("import os\nos.chdir('workspace')\nopen('a', 'w')").effects
    assert effect.kind is EffectKind.WILL


def test_a_command_out_of_foreign_text_is_critical(judge: Callable[[str], Verdict]) -> None:
    code = "from servers.web import fetch_page\nimport os\nos.system((await fetch_page())['cmd'])"
    assert judge(code).risk is Risk.CRITICAL


def test_a_file_that_foreign_text_chooses_is_named(rules: Callable[[str], dict[str, Risk]]) -> None:
    code = "from servers.web import fetch_page\nx = await fetch_page()\nopen('workspace/' + x['name'], 'w')"
    assert rules(code)["flow.target"] is Risk.HIGH


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://user:pass@example.com:80/a", "example.com"),
        ("example.com", "example.com"),
        (f"https://{HOLE}/x", ""),
        (f"https://{HOLE}.example.com", "….example.com"),
        ("hello world", ""),
    ],
)
def test_the_host_of_an_address(address: str, expected: str) -> None:
    assert host(address) == expected


@pytest.mark.parametrize(
    "code",
    [
        "p = 'workspace/a'\nif x:\n    p = '/etc/shadow'\nopen(p)",
        "p = 'workspace/a' if x else '/etc/shadow'\nopen(p)",
        "for p in ('workspace/a', '/etc/shadow'):\n    open(p)",
        "from pathlib import Path\np = Path('workspace' if x else '/etc') / ('a' if x else 'shadow')\np.read_text()",
        "import os\np = os.path.join('/etc' if x else 'workspace', 'shadow' if x else 'a')\nopen(p)",
        "def read(p):\n    return open(p)\nread('workspace/a')\nread('/etc/shadow')",
    ],
)
def test_of_several_files_the_worst_is_not_hidden_behind_the_first(code: str, judge: Callable[[str], Verdict]) -> None:
    assert {"Reads workspace/a", "Reads /etc/shadow (a sensitive place)"} <= {e.text for e in judge(code).effects}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("workspace/a.csv", PathPlace.WORKSPACE),
        ("./workspace/sub/../a.csv", PathPlace.WORKSPACE),
        ("/bench/workspace/a", PathPlace.WORKSPACE),
        ("/workspace", PathPlace.WORKSPACE),
        (f"workspace/{HOLE}.csv", PathPlace.WORKSPACE),
        ("report.csv", PathPlace.BESIDE),
        ("skills/x.py", PathPlace.BESIDE),
        ("/bench/servers/demo", PathPlace.BESIDE),
        ("/bench", PathPlace.BESIDE),
        ("/bench/../x", PathPlace.OUTSIDE),
        ("workspace2/a", PathPlace.BESIDE),
        ("/tmp/x", PathPlace.SCRATCH),
        ("/tmp/../etc", PathPlace.OUTSIDE),
        ("../a", PathPlace.OUTSIDE),
        ("workspace/../../a", PathPlace.OUTSIDE),
        ("/bench/workspace/../../x", PathPlace.OUTSIDE),
        ("/workspacex/a", PathPlace.OUTSIDE),
        ("/home/me/a", PathPlace.OUTSIDE),
        ("~/notes.txt", PathPlace.OUTSIDE),
        ("C:\\notes.txt", PathPlace.OUTSIDE),
        (f"{HOLE}/../../x", PathPlace.OUTSIDE),
        ("~/.ssh/id_rsa", PathPlace.SENSITIVE),
        ("/etc/passwd", PathPlace.SENSITIVE),
        ("/proc/self/environ", PathPlace.SENSITIVE),
        ("workspace/.env", PathPlace.SENSITIVE),
        ("/var/run/docker.sock", PathPlace.SENSITIVE),
        (f"/home/{HOLE}/.aws/credentials", PathPlace.SENSITIVE),
        (HOLE, PathPlace.UNKNOWN),
        ("", PathPlace.UNKNOWN),
    ],
)
def test_every_kind_of_place(path: str, expected: PathPlace) -> None:
    assert place(path) is expected


def test_workspace_paths_are_shown_alike() -> None:
    assert {within(path) for path in ("workspace/a", "./workspace//a", "/bench/workspace/a", "/workspace/a", "a")} == {
        "workspace/a"
    }
    assert within("workspace") == within("/workspace/") == "the workspace"
    assert within(f"workspace/{HOLE}.csv") == "workspace/….csv"


def test_only_places_the_sandbox_surely_lacks_are_called_refused() -> None:
    assert certain(PathPlace.OUTSIDE, "../a")
    assert certain(PathPlace.SENSITIVE, "/etc/shadow")
    assert not certain(PathPlace.SENSITIVE, "workspace/.env")
    assert not certain(PathPlace.UNKNOWN, HOLE)


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
    assert judge_argv(argv).explanation
    assert judge_line(" ".join(argv)).explanation


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import subprocess\nsubprocess.run(['git', 'status'])", "Runs the command git status (it only reads)"),
        ("import os\nos.system('git push')", "Runs the command git push (it can change or send"),
        ("import os\nos.system('ls; id')", "Runs the command ls; id (a shell interprets it"),
        ("import subprocess\nsubprocess.run(['ls', input()])", "some of its arguments are only known at run time"),
        ("import asyncio\nawait asyncio.create_subprocess_exec('python', '-c', 'x')", "it runs further code"),
    ],
)
def test_a_finding_says_what_the_command_comes_to(code: str, told: str, judge: Judge) -> None:
    found = [finding for finding in judge(code).findings if finding.rule == "process"]
    assert told in found[0].message
    assert found[0].risk is Risk.HIGH
