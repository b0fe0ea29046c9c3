"""Banners about the files of a project: shown when the core reports them, dropped when they are no longer true."""

from __future__ import annotations

from typing import Any

from workbench.events import Noticed, SettingsChanged
from workbench.records import Fault

UNREADABLE = Fault("settings.toml cannot be read: line 2.", "The defaults are used until it is corrected.")
OTHER = Fault("The definition of a tool of demo changed, so the tool is blocked: send.", "Review the change.")


def shown(window: Any) -> list[Fault]:
    return [banner.fault for banner in window.banners.visible_banners()]


def report(fake_core: Any, *faults: Fault) -> None:
    """As the core does after it read a settings file again."""
    for fault in faults:
        if fault not in fake_core.notices:
            fake_core.bus.tell(Noticed(fault))
    fake_core.notices = faults
    fake_core.bus.tell(SettingsChanged(()))


def test_the_banner_of_a_corrected_file_goes(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    fake_core.bus.tell(Noticed(OTHER))  # not a notice of the core's status: it was said once
    report(fake_core, UNREADABLE)
    settled()
    assert shown(window) == [OTHER, UNREADABLE]
    report(fake_core)
    qtbot.waitUntil(lambda: shown(window) == [OTHER])
    report(fake_core, UNREADABLE)
    qtbot.waitUntil(lambda: shown(window) == [OTHER, UNREADABLE])
    settled()


def test_the_banner_of_a_lost_core_goes_if_the_new_one_has_nothing_to_say(
    window: Any, fake_core: Any, settled: Any
) -> None:
    report(fake_core, UNREADABLE)
    settled()
    fake_core.notices = ()
    window.context.store.load(restarted=True)
    settled()
    assert shown(window) == []
