from __future__ import annotations

from typing import Any

from workbench.records import ReviewFigures


def test_the_audit_says_how_its_person_decides_and_leads_to_the_decisions(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    chip = window.audit.figures
    assert chip.isHidden(), "nothing was decided yet"
    fake_core.figures = ReviewFigures(12, 9, 6.4, 2)
    fake_core.put_entry(make.entry(501, "run.decided.call", "A call of demo.send was allowed by you"))
    qtbot.waitUntil(lambda: chip.text() == "Allowed 9 of 12 · median 6 s · 2 unread")
    assert "2 requests allowed faster than anyone can read" in chip.toolTip()
    chip.click()
    qtbot.waitUntil(  # entries that are here already are sifted before the core is asked
        lambda: any(name == "entry_page" and words[0].kind == "run.decided" for name, words in fake_core.asked)
    )
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == 1)


def test_nobody_who_reads_is_called_hasty(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.figures = ReviewFigures(2, 1, 30.0, 0)
    window.audit.reload()
    qtbot.waitUntil(lambda: window.audit.figures.text() == "Allowed 1 of 2 · median 30 s")
