"""The SARIF log of verdicts."""

from __future__ import annotations

import json

import pytest

from workbench.analysis.__main__ import main
from workbench.analysis.reading import assess
from workbench.analysis.sarif import sarif


def _run(*programs: tuple[str, str]) -> dict[str, object]:
    log = json.loads(json.dumps(sarif((name, assess(code, None)) for name, code in programs)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def test_each_finding_is_a_result_with_its_rule_and_place() -> None:
    run = _run(("a b.py", "print('ö'); exec(x)"))
    (result,) = run["results"]  # type: ignore[misc]
    rules = run["tool"]["driver"]["rules"]  # type: ignore[index]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "code.run"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.py", "index": 0}
    assert place["region"] == {"startLine": 1, "startColumn": 13, "endLine": 1, "endColumn": 20}
    assert run["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize(
    ("code", "level"),
    [
        ("open('workspace/a').read()", "note"),
        ("open('workspace/a', 'w')", "warning"),
        ("exec(x)", "error"),
        ("import os\nos.system('rm -rf /')", "error"),
    ],
)
def test_the_risk_becomes_a_level(code: str, level: str) -> None:
    assert [result["level"] for result in _run(("a", code))["results"]] == [level]  # type: ignore[attr-defined]


def test_a_program_without_findings_is_still_an_artifact() -> None:
    run = _run(("a", "print(1)"), ("b", "exec(x)"))
    assert [artifact["properties"]["gate"] for artifact in run["artifacts"]] == ["auto", "ask"]  # type: ignore[attr-defined]
    assert [r["locations"][0]["physicalLocation"]["artifactLocation"]["index"] for r in run["results"]] == [1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", ["x =", "a\u202eb", "\x00", "", "\n\n\n", "exec(\n  x\n)"])
def test_regions_never_end_before_they_start(code: str) -> None:
    for result in _run(("a", code))["results"]:  # type: ignore[attr-defined]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"])
        assert min(region.values()) >= 1


def test_the_command_prints_one_log_for_all_files(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    files = [f"{tmp_path}/{name}" for name in ("a.py", "b.py")]
    for file in files:
        with open(file, "w", encoding="utf-8") as opened:
            opened.write("exec(x)\n")
    assert main(["--sarif", *files]) == 0
    log = json.loads(capsys.readouterr().out)
    assert len(log["runs"][0]["results"]) == 2
