"""Saved calls as tests in CI: a table, an exit code, a JUnit file."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

SOME = {"path": "orders", "count": 1}
GOOD = {"server": "demo", "tool": "list_orders", "arguments": {"limit": 1}, "expect": [SOME]}
BAD = {**GOOD, "expect": [{"path": "total", "equals": 3}, {"text": "<&>\u0001"}], "tags": ["slow"]}
RISKY = {"server": "demo", "tool": "delete_customer", "arguments": {"customer_id": "CUS-0002"}}
STRANGE = {"server": "strange", "tool": "x"}


@pytest.fixture
def saved(project):
    """Write these calls into the project; they are gone afterwards."""
    written = []

    def save(**calls: object) -> None:
        for name, call in calls.items():
            file = project.project / "calls" / f"{name.replace('__', '/')}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(call if isinstance(call, str) else json.dumps(call))
            written.append(file)

    yield save
    for file in written:
        file.unlink()


def test_everything_as_expected_is_code_zero(command, saved):
    saved(shop__a=GOOD, b=GOOD)
    code, out, err = command("check")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["ok", "ok"]
    assert err.endswith("2 checked, 2 as expected, 0 not.\n")


def test_what_is_not_as_expected_is_told_and_code_one(command, saved):
    saved(shop__a=BAD, shop__b=GOOD)
    code, out, err = command("check")
    assert code == 1
    assert "FAIL " in out
    assert "Expected 3 at total, found " in out
    assert "1 not." in err


def test_a_file_that_cannot_be_read_is_a_failure_with_its_line(command, saved):
    saved(shop__a='{\n"server": "demo",\n}', shop__b=GOOD)
    code, out, _ = command("check")
    assert code == 1
    assert "calls/shop/a.json cannot be read: line 3" in out


def test_a_risky_call_needs_a_yes(command, saved):
    saved(risky=RISKY)
    code, out, _ = command("check")
    assert code == 1
    assert "Add --yes" in out
    assert command("check", "--yes")[0] == 0


def test_a_server_that_nobody_allowed_is_not_started(command, saved):
    saved(strange=STRANGE, good=GOOD)
    code, out, _ = command("check")
    assert code == 1
    assert "has not been allowed to start" in out
    assert "ok " in out
    assert command("check", "--server", "demo")[0] == 0


@pytest.mark.parametrize("path", ["shop", "shop/a", "calls/shop", "calls/shop/a.json"])
def test_paths_choose_files_folders_and_collections(command, saved, path):
    saved(shop__a=GOOD, other=BAD)
    code, out, _ = command("check", path)
    assert (code, len(out.splitlines())) == (0, 1)


def test_a_path_is_understood_from_where_one_stands(command, saved, project, monkeypatch):
    saved(shop__a=GOOD, other=BAD)
    monkeypatch.chdir(project.project / "calls")
    assert command("check", "shop")[0] == 0
    assert command("check", str(project.project / "calls" / "shop" / "a.json"))[0] == 0


@pytest.mark.parametrize("arguments", [("nowhere",), ("--tag", "none"), ("--jobs", "0"), ("/etc",)])
def test_what_means_no_call_is_wrong_usage(command, saved, arguments):
    saved(a=GOOD)
    assert command("check", *arguments)[0] == 2


def test_calls_are_chosen_by_tag_and_made_side_by_side(command, saved):
    saved(a=GOOD, b=BAD, c=GOOD)
    assert command("check", "--tag", "slow")[1].count("\n") == 3
    assert command("check", "--jobs", "4", "a")[0] == 0


def test_json_has_the_answer_of_what_failed(command, saved):
    saved(a=GOOD, b=BAD)
    _, out, _ = command("check", "--json")
    good, bad = json.loads(out)
    assert (good["state"], good["outcome"]) == ("ok", None)
    assert (bad["state"], len(bad["outcome"]["structuredContent"]["orders"])) == ("FAIL", 1)


def test_a_junit_report_is_written(command, saved, tmp_path):
    saved(shop__a=GOOD, shop__b=BAD, risky=RISKY)
    command("check", "--junit", str(tmp_path / "report.xml"))
    root = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    assert {suite.get("name") for suite in root} == {"shop", "calls"}
    (failure,) = root.iter("failure")
    assert "Expected 3 at total" in failure.get("message")


def test_a_report_that_cannot_be_written_is_a_fault(command, saved, tmp_path):
    saved(a=GOOD)
    assert command("check", "--junit", str(tmp_path))[0] == 1
