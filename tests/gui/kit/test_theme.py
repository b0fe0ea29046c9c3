from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontInfo, QPalette
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QProxyStyle, QStyle

from workbench.gui.kit import icons
from workbench.gui.kit.colours import DARK, LIGHT, RISK_ROLES, Colours, blend, contrast
from workbench.gui.kit.theme import load_fonts
from workbench.records import Risk

GROUNDS = ("background", "surface", "raised", "sunken", "hover", "selected")
MEANINGS = ("accent", "success", "warning", "danger", "info", "critical")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_can_be_read_on_every_ground(colours: Colours, ground: str) -> None:
    under = getattr(colours, ground)
    assert contrast(colours.text, under) >= 7
    assert contrast(colours.muted, under) >= 4.5
    for role in MEANINGS:
        assert contrast(getattr(colours, role), under) >= 4.5, role


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_badges_buttons_and_code_can_be_read(colours: Colours) -> None:
    for role in (*MEANINGS, "muted"):
        own = getattr(colours, role)
        assert contrast(own, blend(own, colours.surface, 0.15)) >= 4.5, role
    assert contrast(colours.on_accent, colours.accent_fill) >= 4.5
    assert contrast("#ffffff", colours.danger_fill) >= 4.5
    for field in msgspec.structs.fields(Colours):
        if field.name.startswith("code_"):
            assert contrast(getattr(colours, field.name), colours.sunken) >= 4.5, field.name


def test_every_risk_has_a_colour_of_its_own() -> None:
    assert set(RISK_ROLES) == set(Risk)
    for colours in (LIGHT, DARK):
        assert len({getattr(colours, role) for role in RISK_ROLES.values()}) == len(Risk)


def test_another_setting_is_shown_at_once_and_told(theme: Any, qapp: Any, qtbot: Any) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.choose("light")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT.surface
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.surface


def test_an_icon_is_drawn_in_the_colour_of_the_theme_without_being_set_again(theme: Any, qtbot: Any) -> None:
    def ink() -> str:
        image = icons.icon("dot", "text").pixmap(24, 24).toImage()
        return image.pixelColor(12, 12).name()

    assert ink() == DARK.text
    theme.choose("light")
    assert ink() == LIGHT.text


def test_a_missing_icon_is_still_something(theme: Any) -> None:
    image = icons.icon("no-such-icon").pixmap(24, 24).toImage()
    assert any(image.pixelColor(x, 12).alpha() for x in range(24))


def test_the_fonts_come_with_the_app(theme: Any) -> None:
    families = load_fonts()
    assert any(family.startswith("Inter") for family in families)
    assert "JetBrains Mono" in families
    assert QFontInfo(theme.mono()).fixedPitch()


def test_a_copied_icon_survives_its_origin(theme: Any) -> None:
    from PySide6.QtGui import QIcon

    copy = QIcon(icons.icon("server"))
    copy.setIsMask(True)  # makes Qt clone the drawing engine
    label = QLabel()
    label.setPixmap(copy.pixmap(16, 16))
    assert not label.pixmap().isNull()


def test_an_icon_has_as_many_pixels_as_a_fine_screen_shows(theme: Any) -> None:
    picture = icons.icon("x").pixmap(QSize(16, 16), 2.0)
    assert picture.size() == QSize(32, 32)
    assert picture.devicePixelRatio() == 2.0
    assert icons.icon("x").pixmap(QSize(16, 16), 1.0).size() == QSize(16, 16)


class _WithIcons(QProxyStyle):
    """A desktop that wants its own icons on the buttons of dialogs."""

    def styleHint(self, hint: Any, option: Any = None, widget: Any = None, data: Any = None) -> int:
        if hint == QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons:
            return 1
        return super().styleHint(hint, option, widget, data)


def test_no_button_of_a_dialog_has_an_icon_of_the_desktop(theme: Any, qapp: Any, qtbot: Any) -> None:
    qapp.setStyle(_WithIcons("Fusion"))
    try:
        bare, dressed = QDialogButtonBox(), QDialogButtonBox()
        qapp.setStyleSheet("")
        bare.addButton(QDialogButtonBox.StandardButton.Close)
        theme.apply()
        dressed.addButton(QDialogButtonBox.StandardButton.Close)
        icons_of = [box.buttons()[0].icon().isNull() for box in (bare, dressed)]
        assert icons_of == [False, True]
        for box in (bare, dressed):
            box.deleteLater()
    finally:
        qapp.setStyle("Fusion")
