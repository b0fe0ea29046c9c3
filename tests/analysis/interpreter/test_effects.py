"""What is done to files, hosts and other programs, in words."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter.effects import SANDBOX, host
from workbench.analysis.interpreter.path_places import PathPlace, certain, place, within
from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.shell.command_reader import read_arguments, read_command
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
            "Runs the command rm -rf … (runs shell commands, partly known only at run time; deletes a file chosen at "
            "run time and everything in it)",
            Risk.CRITICAL,
            EffectKind.REFUSED,
        ),
        (
            "import subprocess\nsubprocess.run(['git', 'push'])",
            "Runs the command git push (sends commits to the remote repository)",
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


Judge = Callable[[str], Verdict]


QUIET = """
git status
git --no-pager log --oneline -5
git commit -m 'fix the bug'
git add workspace/a.py
ls -la workspace
find . -name '*.py'
pip list
/usr/bin/git status
ls; id
cat workspace/a > workspace/b
sort -o a b
sed -i s/a/b/ x
"""
RISKY = r"""
git push origin main
git clean -fd
git reset --hard
git -C /etc status
git -c core.pager=x log
git frobnicate
cat /etc/shadow
grep -f/etc/shadow x
grep --file=/etc/shadow x
cat workspace/../../a
find . -delete
find . -exec x +
npm install evil
npm test
python3.11 a.py
frobnicate
./git status
/home/ana/git status
rm -rf workspace
ls | sh
ls 'x
/usr/bin/gıt status
cat ~/.ssh/id_rsa
sh -c 'rm -rf workspace'
awk 'BEGIN{system("id")}'
sudo ls
env -S 'rm -rf /'
"""


def test_a_command_is_read_alike_as_a_text_and_as_arguments() -> None:
    for block, risky in ((QUIET, False), (RISKY, True)):
        for line in block.strip().split("\n"):
            read = [read_command(line, SANDBOX)]
            if not set(line) & set(";|><") and not line.endswith("'x"):
                read.append(read_arguments(shlex.split(line), SANDBOX))
            assert all((one.risk is not Risk.LOW) == risky for one in read), line


@given(st.lists(st.text(max_size=12), max_size=5))
def test_nothing_that_could_be_a_command_breaks_it(argv: list[str]) -> None:
    assert read_arguments(argv, SANDBOX).sentence
    assert read_command(" ".join(argv), SANDBOX).sentence


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import subprocess\nsubprocess.run(['git', 'status'])", "Runs the command git status (it only reads)"),
        ("import os\nos.system('git push')", "Runs the command git push (sends commits to the remote"),
        ("import os\nos.system('ls; id > /etc/x')", "Runs the command ls; id > /etc/x (writes /etc/x (the system))"),
        ("import subprocess\nsubprocess.run(['ls', input()])", "reads a file chosen at run time"),
        ("import subprocess\nsubprocess.run('git push -f' if x else 'ls', shell=True)", "overwrites history"),
        ("import subprocess\nsubprocess.run(['git push -f', 'ls'], shell=True)", "overwrites history"),
        ("import subprocess\nsubprocess.run(f'ls {x}', shell=True)", "partly known only at run time"),
        ("import asyncio\nawait asyncio.create_subprocess_exec('python', '-c', 'x')", "runs Python code: x"),
    ],
)
def test_a_finding_says_what_the_command_comes_to(code: str, told: str, judge: Judge) -> None:
    found = [finding for finding in judge(code).findings if finding.rule == "process"]
    assert told in found[0].message
    assert found[0].risk is Risk.HIGH
