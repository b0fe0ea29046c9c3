"""What an import brings in and what it means by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk, Verdict

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import requests", "network.import"),
        ("from http import client\nclient.HTTPSConnection('x.org')", "network"),
        ("import http.client", "network.import"),
        ("import ctypes", "native.import"),
        ("import pyautogui", "machine.drive.import"),
        ("import reqeusts", "import.unknown"),
        ("from . import helper", "import.unknown"),
        ("from os import *", "import.star"),
        ("from os import *\nsystem('id')", "process"),
    ],
)
def test_telling_imports(code: str, rule: str, rules: Rules) -> None:
    assert rule in rules(code)


@pytest.mark.parametrize(
    "code",
    [
        "import os, sys, json",
        "import pandas as pd",
        "from __future__ import annotations",
        "import client, servers.demo",
        "from math import *",
    ],
)
def test_ordinary_imports(code: str, rules: Rules) -> None:
    assert rules(code) == {}


@pytest.mark.parametrize(
    "code", ["from servers.demo import send_email as get_status", "from os import system as print"]
)
def test_a_harmless_looking_new_name_is_a_finding(code: str, rules: Rules) -> None:
    assert rules(code)["name.misleading"] is Risk.HIGH


def test_a_skill_is_listed_as_not_assessed(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("from skills.late_orders import late_orders")
    assert verdict.not_assessed == ("The text of the skill late_orders.",)
