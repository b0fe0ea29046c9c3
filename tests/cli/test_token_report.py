"""`tokens` from the command line, above a real core."""

from __future__ import annotations

import json


def test_the_table_ends_with_advice_and_what_counted(command):
    code, out, _ = command("tokens")
    assert code == 0
    head, everything, *_ = out.splitlines()
    assert head.split() == ["conversation", "direct", "definitions", "programs", "saved", "worth", "kept", "back"]
    assert everything.split()[:3] == ["all", "0", "0"]
    advice, counted = out.splitlines()[-2:]
    assert "tokens" in advice
    assert "o200k" in counted


def test_scripts_get_the_whole_report(command):
    code, out, _ = command("tokens", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["advice"]["mode"] in ("code", "direct")
    assert report["cents_per_million"] == 300
