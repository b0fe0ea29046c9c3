"""The bounds of a program in the editor: which are offered, what they mean, and accepting one of the project."""

from __future__ import annotations

from typing import Any

from workbench.gui.editor.program_tab import ProfileChoice
from workbench.gui.kit.dialogs import Question

WIDE = '[profiles.wide]\nbase = "read_only"\ntools = "all"\n'


def test_profiles_are_offered_and_the_chosen_one_stays(context: Any, fake_core: Any, qtbot: Any) -> None:
    choice = ProfileChoice(context)
    qtbot.addWidget(choice)
    choice.load()
    qtbot.waitUntil(lambda: choice.count() == 4)
    assert [choice.itemData(row) for row in range(4)] == ["", "read_only", "write_restricted", "execute_full"]
    with qtbot.waitSignal(choice.chosen) as told:
        choice.setCurrentIndex(1)
        choice.activated.emit(1)
    assert told.args == ["read_only"]
    assert "has no network access" in choice.toolTip()
    fake_core.trust_folder.joinpath("settings.toml").write_text("[profiles.mine]\nnetwork = false\n")
    choice.load()
    qtbot.waitUntil(lambda: choice.count() == 5)
    assert choice.profile == "read_only"


def test_a_wider_profile_of_the_project_counts_once_a_person_has_read_it(
    context: Any, fake_core: Any, qtbot: Any, press: Any
) -> None:
    fake_core.trust_folder.joinpath("workbench.toml").write_text(WIDE)
    choice = ProfileChoice(context)
    qtbot.addWidget(choice)
    choice.show()
    choice.load()
    qtbot.waitUntil(lambda: choice.count() == 5)
    assert choice.itemText(4) == "Accept wide…"
    choice.setCurrentIndex(4)
    choice.activated.emit(4)
    qtbot.waitUntil(lambda: choice.findChild(Question) is not None)
    assert choice.profile == ""
    question = choice.findChild(Question)
    press(question, "Accept")
    qtbot.waitUntil(lambda: choice.profile == "wide")
    assert fake_core.rooms_bounds.find("wide").accepted
