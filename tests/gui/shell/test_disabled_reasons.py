from __future__ import annotations

from workbench.gui.shell.actions import ACTIONS, MISSING


def test_every_condition_of_the_table_has_words_for_its_absence() -> None:
    wanted = {condition for entry in ACTIONS for condition in entry.when}
    assert wanted == set(MISSING)
