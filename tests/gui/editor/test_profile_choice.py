"""The bounds of a program in the editor: those that count are offered, and their meaning is told."""

from __future__ import annotations

from typing import Any

from workbench.gui.editor.profile_choice import ProfileChoice


def test_profiles_that_count_are_offered_and_the_chosen_one_stays(context: Any, paper: Any, qtbot: Any) -> None:
    paper.trust_folder.joinpath("workbench.toml").write_text('[profiles.wide]\nbase = "read_only"\ntools = "all"\n')
    choice = ProfileChoice(context)
    qtbot.addWidget(choice)
    choice.refresh()
    qtbot.waitUntil(lambda: choice.count() == 4)
    assert [choice.itemData(row) for row in range(4)] == ["", "read_only", "write_restricted", "execute_full"]
    with qtbot.waitSignal(choice.chosen) as told:
        choice.setCurrentIndex(1)
        choice.activated.emit(1)
    assert told.args == ["read_only"]
    assert "reaches no network" in choice.toolTip()
    paper.trust_folder.joinpath("settings.toml").write_text("[profiles.mine]\nnetwork = false\n")
    choice.refresh()
    qtbot.waitUntil(lambda: choice.count() == 5)
    assert choice.profile == "read_only"
