from __future__ import annotations

from pathlib import Path

import pytest

from workbench.skills.skill_usage import MOST, OFTEN, SkillUsage


def test_uses_and_forms_are_counted_and_remembered(tmp_path: Path) -> None:
    usage = SkillUsage(tmp_path)
    usage.used(["add-up"], done=True, saved=100, at=1.0)
    usage.used(["add-up", "other"], done=False, saved=-5, at=2.0)
    for number in range(OFTEN):
        usage.ran("form", f"run{number}", "count", ["demo.get"], saved=10, at=float(number))
    usage.ran("once", "run9", "", [], saved=0, at=9.0)
    for known in (usage, SkillUsage(tmp_path)):
        use, (hint,) = known.use("add-up"), known.hints()
        assert use is not None
        assert (use.runs, use.done, use.saved, use.last) == (2, 1, 100, 2.0)
        assert (hint.times, hint.run_id, hint.tools, hint.saved) == (OFTEN, f"run{OFTEN - 1}", ("demo.get",), 30)
    usage.renamed("add-up", "sum-up")
    usage.dismiss("form")
    known = SkillUsage(tmp_path)
    assert [one.name for one in known.uses()] == ["other", "sum-up"]
    assert known.hints() == ()


def test_forms_not_seen_for_longest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SkillUsage(tmp_path)
    monkeypatch.setattr(usage, "_save_soon", lambda: None)
    for number in range(MOST + 10):
        for _ in range(OFTEN):
            usage.ran(f"form{number}", "run", "", [], saved=0, at=float(number))
    assert len(usage.hints()) == MOST
    assert usage.hints()[-1].key == "form10"


@pytest.mark.parametrize("text", ["", "[]", '{"uses": [{"name": 1, "odd": 2}]}', "\x00"])
def test_a_file_that_cannot_be_read_costs_only_the_numbers(tmp_path: Path, text: str) -> None:
    (tmp_path / ".usage.json").write_text(text)
    assert SkillUsage(tmp_path).uses() == ()
