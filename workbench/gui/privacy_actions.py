"""What a person can do about personal data: the part of the table that the page Personal data stands for."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

PAGES = {"hidden": "privacy.open", "try": "privacy.try", "marks": "privacy.marks", "kinds": "privacy.kinds"}
"""Which action opens which page."""

PRIVACY_ACTIONS: tuple[Action, ...] = (
    Action(
        "privacy.open",
        "Personal data…",
        "Show what was hidden from models in each conversation, where it came from and where it went.",
        "Workbench",
        "eye-off",
        "Ctrl+Shift+P",
        (LINKED,),
    ),
    Action(
        "privacy.try",
        "Try the detector",
        "Paste a text or JSON and see what would be hidden of it, why, and what a model would read.",
        "Workbench",
        "search",
        when=(LINKED,),
    ),
    Action(
        "privacy.marks",
        "What you marked as personal or harmless",
        "Show and take back what you said was missed or is not personal; add a value, a pattern or a key.",
        "Workbench",
        "bookmark",
        when=(LINKED,),
    ),
    Action(
        "privacy.kinds",
        "Kinds of personal data",
        "Choose which kinds are looked for, how eagerly, and whether anything is hidden at all.",
        "Workbench",
        "settings",
        when=(LINKED,),
    ),
)
