"""Dialog that asks what the annotations of a server are worth: which groups of its tools run without asking."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.shell.context import Context
from workbench.records import ToolGroup, ToolProposal, TrustQuestion
from workbench.records.common_types import count_of

_ORDER = tuple(ToolGroup)
_NAMES_SHOWN = 12
_LETTERS_SHOWN = 150  # of the names of one group
_ROWS_SHOWN = 5
_STILL_ASKS = (
    "A call still waits for you if outsiders' text decides where it goes, or if it could send private data outside. "
    "Your rules about single tools apply first. New and changed tools ask until you decide again."
)


async def ask_trust(context: Context, server: str, parent: QWidget) -> bool:
    """Ask what the annotations of a server are worth, and store the answer. False if the user cancelled."""
    dialog = TrustDialog(context, await context.api.trust_question(server), parent)
    if not await dialog.ask("Decide", settles=True):
        return False
    try:
        await context.api.decide_trust(server, dialog.question.sha, dialog.ticked)
    except WorkbenchError as fault:
        raise WorkbenchError(f"{one_line(server, 60)}: {fault.message}", fault.hint) from fault
    context.say(f"Decided. {summarize(dialog.question, dialog.ticked)}")
    return True


def summarize(question: TrustQuestion, ticked: tuple[ToolGroup, ...]) -> str:
    """Return which programs run without asking, and which ask."""
    name = one_line(question.server, 60)
    running = sum(row.group in ticked for row in question.tools)
    total = len(question.tools)
    if not running:
        return f"Every program that uses {name} asks you."
    if running == total:
        return f"Programs that use {name} run without asking, whichever of its {count_of(total, 'tool')} they use."
    which = f"only these {running} tools" if running > 1 else "only this tool"
    rest = total - running
    others = f"one of the other {rest}" if rest > 1 else "the other one"
    return f"Programs that use {which} of {name} run without asking. Programs that use {others} ask you."


class TrustDialog(Question):
    """A tick per group of tools, and a table of all tools: what the server says about each, and what we found."""

    def __init__(self, context: Context, question: TrustQuestion, parent: QWidget | None = None) -> None:
        name = one_line(question.server, 60)
        super().__init__(context.theme, f"What may programs do with “{name}” without asking?", _intro(question), parent)
        self.setMinimumWidth(context.theme.unit * 170)
        self.question = question
        self.boxes: dict[ToolGroup, TickBox] = {}
        self.ticked: tuple[ToolGroup, ...] = question.groups
        self.summary = label("", "heading")
        self.summary.setWordWrap(True)
        self.table = ToolsTable(context, question)
        for group in _ORDER:
            if rows := [row for row in question.tools if row.group is group]:
                self.body.addLayout(self._make_group(context, group, rows))
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.summary)
        self.show_note(_STILL_ASKS)
        self._show_ticks()

    def _make_group(self, context: Context, group: ToolGroup, rows: list[ToolProposal]) -> QVBoxLayout:
        box = self.boxes[group] = TickBox(context.theme, f"Tools that {group.description} — {len(rows)}")
        box.setChecked(group in self.ticked)
        box.toggled.connect(self._show_ticks)
        names = _name_some(rows)
        tools = ForeignLabel(names, role="muted")
        box.setAccessibleDescription(names)
        tools.setContentsMargins(context.theme.unit * 6, 0, 0, 0)
        return column(None, box, tools, spacing=0)

    def _show_ticks(self) -> None:
        self.ticked = tuple(group for group, box in self.boxes.items() if box.isChecked())
        self.summary.setText(summarize(self.question, self.ticked))


class ToolsTable(Table[ToolProposal]):
    """One row per tool, those that can do most harm last."""

    def __init__(self, context: Context, question: TrustQuestion) -> None:
        columns = (
            Column[ToolProposal]("Tool", lambda row: one_line(row.tool, 80), letters=28),
            Column[ToolProposal](
                "We found",
                lambda row: row.found,
                tip=lambda row: row.doubt,
                icon=_basis_icon,
                letters=30,
            ),
            Column[ToolProposal]("The server says", lambda row: row.says or "nothing", tip=lambda row: row.doubt),
            Column[ToolProposal]("", lambda row: "" if row.decided else "new or changed", letters=14, rank=1),
        )
        shown = columns if question.decided and question.undecided else columns[:-1]
        model = TableModel(shown, lambda row: row.tool)
        super().__init__(context.theme, f"Tools of {one_line(question.server, 60)}", model, grows=2)
        model.setParent(self)
        model.replace(sorted(question.tools, key=lambda row: (row.decided, _ORDER.index(row.group))))
        height = self.verticalHeader().defaultSectionSize()
        self.setMinimumHeight(height * (min(len(question.tools), _ROWS_SHOWN) + 1) + height // 2)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)


def _name_some(rows: list[ToolProposal]) -> str:
    """Return the names of the first tools of a group, and how many more there are."""
    names: list[str] = []
    for row in rows[:_NAMES_SHOWN]:
        if names and len(", ".join((*names, row.tool))) > _LETTERS_SHOWN:
            break
        names.append(one_line(row.tool, 60))
    more = f" and {len(rows) - len(names)} more" if len(rows) > len(names) else ""
    return f"{', '.join(names)}{more}"


def _basis_icon(row: ToolProposal) -> tuple[str, str]:
    if row.doubt:
        return "warning", "warning"
    return ("check", "success") if row.reviewed else ("help", "muted")


def _intro(question: TrustQuestion) -> str:
    name = one_line(question.server, 60)
    if question.decided and (new := question.undecided):
        names = ", ".join(one_line(tool, 60) for tool in new[:_NAMES_SHOWN])
        return f"{name} has new or changed tools: {names}. Your other decisions are ticked."
    if question.earlier:
        return f"You trusted {name} before this question existed: programs that only read or only add with it run."
    if question.decided:
        return "This is what you decided. Change it here at any time."
    reviewed = sum(row.reviewed for row in question.tools)
    which = "all" if reviewed == len(question.tools) else f"{reviewed}"
    others = "" if which == "all" else f" The others are judged by their names and by what {name} says."
    source = (
        f"We have reviewed {which} of them.{others}"
        if reviewed
        else f"They are judged by their names and by what {name} says, which may be wrong."
    )
    rest = " Until you decide, programs that use them ask" + (
        ", except for reviewed tools that only read." if reviewed else "."
    )
    return f"{name} has {count_of(len(question.tools), 'tool')}. {source}{rest}"
