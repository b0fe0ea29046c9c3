"""Draws the skills: their list, the page of one, a test that failed, a review of what came from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest

from workbench.gui.skills.import_skills import ImportSkillsDialog
from workbench.gui.skills.run_skill import RunSkillDialog
from workbench.records import (
    CassetteInfo,
    DifferenceKind,
    Effect,
    EffectKind,
    Finding,
    Gate,
    Risk,
    Skill,
    SkillDifference,
    SkillFile,
    SkillHint,
    SkillReview,
    SkillState,
    SkillTest,
    SkillUse,
    Span,
    Verdict,
)

CODE = """\
from servers.shop import list_orders


async def late_orders(days: int = 14, country: str = "") -> dict:
    \"\"\"Customers whose orders are late, and by how much.\"\"\"
    page = await list_orders(status="pending", limit=10_000)
    late = [one for one in page["orders"] if one["age_days"] > days]
    return {"late": len(late), "read": page["total"]}
"""
NOTES = """\
# Late orders

Finds what should have been sent.

## Usage

```python
from skills.late_orders import late_orders

result = await late_orders(days=10)
```

## Features

- Reads all pending orders inside the sandbox.
- `country` keeps one country only.
"""
SKILL = Skill(
    "late-orders", "Customers whose orders are late, and by how much. Use it before writing to customers.", CODE,
    SkillState.KEPT, 3, "5f1c9a7e" * 8, ("orders", "weekly"), ("shop.list_orders",), "a81b2f90c3d4", "Claude", "you",
    1_763_500_000.0, notes=NOTES, license="MIT", kept_at="2026-11-17T09:12:00+00:00", cassettes=("first", "germany"),
)  # fmt: skip
FAILED = SkillTest("late-orders", "germany", "failed", (
    SkillDifference(DifferenceKind.DEFINITION, "The definition of shop.list_orders changed: state was added, status"
                    " was removed.", breaks=False),
    SkillDifference(DifferenceKind.FAILURE, "The skill fails: TypeError: list_orders() takes no status", "",
                    "TypeError"),
), 412.0, 3)  # fmt: skip
VERDICT = Verdict(
    "", Risk.HIGH, Gate.ASK, "Sends mail to addresses out of an answer.",
    (Finding("tool.call", Risk.HIGH, "Calls mail.send as often as its data says", Span(7)),),
    (Effect(EffectKind.WILL, "Sends an e-mail", 7, Risk.HIGH),),
)  # fmt: skip


@pytest.fixture
def library(fake_core: Any) -> Any:
    fake_core.skill_list = {
        "late-orders": SKILL,
        "save-table-as-csv": replace(SKILL, name="save-table-as-csv", starter=True, version=1, tags=("files", "tables"),
                                     description="Write a list of records as a CSV file in the workspace."),
        "sync-tickets": replace(SKILL, name="sync-tickets", description="Copies tickets.", tags=("support",),
                                missing=("jira.search: there is no server jira",), cassettes=()),
        "weekly-mail": replace(SKILL, name="weekly-mail", state=SkillState.DRAFT, version=0, tags=(),
                               description="Writes the weekly mail.", cassettes=()),
    }  # fmt: skip
    fake_core.skill_use = SkillUse("late-orders", 48, 46, 182_000, 1_763_500_000.0)
    fake_core.skill_versions = (replace(SKILL, version=2, code=CODE.replace("14", "7"), kept_at="2026-10-02"),)
    fake_core.hint_list = [SkillHint("k", 6, "r1", "count pending orders per country", ("shop.list_orders",), 9_000)]
    fake_core.cassette_list = [
        CassetteInfo("first", "2026-11-02", "a81b2f90c3d4", '{"days": 10}', ("shop.list_orders",), 1, '{"late": 3}'),
        CassetteInfo("germany", "2026-11-04", "b2", '{"country": "Germany"}', ("shop.list_orders",), 2, '{"late": 1}'),
    ]  # fmt: skip
    fake_core.skill_results = [replace(FAILED, cassette="first", state="passed", differences=()), FAILED]
    return fake_core


FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(100)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize(("colours", "width"), [("light", 1440), ("dark", 900)])
def test_the_page_of_a_skill(library: Any, window: Any, qtbot: Any, settled: Any, colours: str, width: int) -> None:
    window.context.theme.choose(colours)
    window.resize(width, 900)
    window.docks["skills"].come()
    window.skills.list.chosen.emit("late-orders")
    settled()
    page = window.centre.skill
    qtbot.waitUntil(lambda: page.page is not None)
    assert "48 runs" in page.facts.full_text()
    qtbot.waitUntil(lambda: page.risk.text() == "Low risk")
    shoot(window, f"skill-about-{colours}")
    page.tabs.setCurrentIndex(2)
    assert page.versions.diff.changed_lines()
    shoot(window, f"skill-versions-{colours}")
    window.commands.do("skill.test")
    qtbot.waitUntil(lambda: "germany" in page.tests.results)
    page.tests.rows.select("germany")
    settled()
    assert "status was removed" in page.tests.report.toPlainText()
    assert page.tests.accept.isEnabled()
    shoot(window, f"skill-tests-{colours}")
    page.tests.accept.trigger()
    settled()
    assert ("accept_cassette", ("late-orders", "germany", False)) in library.asked


def test_what_came_from_elsewhere(library: Any, window: Any, settled: Any) -> None:
    words = "Writes to all late customers."
    draft = replace(SKILL, name="mail-everybody", state=SkillState.DRAFT, description=words)
    draft = replace(draft, tools=("mail.send", "shop.list_orders"), missing=("mail.send: there is no server mail",))
    sizes = (("SKILL.md", 812), ("mail_everybody.py", 640), ("run.sh", 90))
    files = tuple(SkillFile(path, size) for path, size in sizes)
    notices = (
        "SKILL.md has hidden comments (1), for example: tell nobody",
        "It contains programs that the workbench does not run: run.sh",
    )
    bad = replace(draft, name="hidden-words")
    library.review_list = [
        SkillReview("one", draft, "skills.zip: mail-everybody", files, VERDICT, notices),
        SkillReview("two", bad, "skills.zip: hidden-words", refusal="SKILL.md, line 6: A character nobody sees."),
    ]
    window.commands.do("skill.import")
    dialog = window.findChild(ImportSkillsDialog)
    dialog.review("/home/me/skills.zip")
    settled()
    assert dialog.import_button.isEnabled()
    assert "Missing: mail.send" in dialog.overview.toPlainText()
    shoot(dialog, "skill-import")
    dialog.list.setCurrentIndex(dialog.model.find("two"))
    settled()
    assert not dialog.import_button.isEnabled()
    shoot(dialog, "skill-import-refused")
    dialog.list.setCurrentIndex(dialog.model.find("one"))
    settled()
    dialog.button("Import as a draft").click()
    settled()
    assert ("import_skill", ("one",)) in library.asked
    library.review_list = []
    dialog.review("/nowhere")
    settled()
    assert "is a link" in dialog.fault.sentence()
    dialog.reject()


def test_a_skill_runs_with_a_form_and_is_recorded(library: Any, window: Any, settled: Any, qtbot: Any) -> None:
    window.docks["skills"].come()
    window.skills.select("late-orders")
    window.commands.do("skill.run")
    qtbot.waitUntil(lambda: window.findChild(RunSkillDialog) is not None)
    settled()
    dialog = window.findChild(RunSkillDialog)
    dialog.form.set_value({"limit": 7})
    dialog.record.setChecked(True)
    shoot(dialog, "skill-run")
    dialog.button("Run").click()
    qtbot.waitUntil(lambda: any(name == "record_cassette" for name, _ in library.asked))
    assert ("run_skill", ("late-orders", {"limit": 7})) in library.asked


def test_forms_that_come_again_are_offered_once(library: Any, window: Any, settled: Any) -> None:
    settled()
    assert "ran 6 times" in window.skills.hints.sentence.full_text()
    window.skills.hints.dismiss()
    settled()
    assert window.skills.hints.isHidden()
    assert ("dismiss_hint", ("k",)) in library.asked
