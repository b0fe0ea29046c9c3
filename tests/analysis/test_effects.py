"""What is done to files, hosts and other programs, in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.analysis.interpreter.effects import host
from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.tables.commands import CommandClass
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
        ("import os\nos.system('ls -l')", "Runs the command ls -l (it only looks)", Risk.HIGH, EffectKind.REFUSED),
        (
            "import os\nos.system(f'rm -rf {x}')",
            "Runs the command rm -rf … (a shell reads it, which may do more than its words say)",
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
