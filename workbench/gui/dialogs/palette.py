"""Finds and does anything: actions, tools, resources, prompts, servers and skills by a few typed letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from workbench.gui.actions import ACTIONS
from workbench.gui.commands import Commands, keys_text, translate
from workbench.gui.context import Context
from workbench.gui.fuzzy import score
from workbench.gui.models.rows import RowsModel
from workbench.gui.rows import Row
from workbench.gui.server.offer_words import mime_icon
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import RowsView, label
from workbench.gui.wishes import Act, ShowCall, ShowServer, ShowSkill, ShowTool, Wish
from workbench.gui.words import hint_words, skill_word
from workbench.records import (
    Offers,
    Resource,
    SavedCalls,
    ServerState,
    Skill,
    SkillState,
    ToolSummary,
)

SHOWN = 60
"""How many finds are listed; more letters find the rest."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something the palette can go to."""

    row: Row
    words: str  # what the letters are compared with
    wish: Wish
    weight: int = 0  # actions before tools where both fit equally


def action_targets(commands: Commands) -> list[Target]:
    """Every action that can be done now."""
    found = []
    for entry in ACTIONS:
        if entry.id == "palette.open" or not commands[entry.id].isEnabled():
            continue
        text = translate(entry.text).removesuffix("…")
        row = Row(
            f"action:{entry.id}",
            text,
            aside=keys_text(entry.keys) or translate(entry.category),
            icon=entry.icon or "bolt",
        )
        found.append(Target(row, f"{text} {translate(entry.category)}", Act(entry.id), 20))
    return found


def tool_targets(tools: Iterable[ToolSummary]) -> list[Target]:
    return [
        Target(
            Row(
                f"tool:{tool.server}\n{tool.name}",
                one_line(tool.name, 100),
                aside=one_line(tool.server, 40),
                icon="tool",
                badges=hint_words(tool.hints)[:1],
            ),
            f"{tool.name} {tool.server} {tool.title}",
            ShowTool(tool.server, tool.name, enter=True),
            10,
        )
        for tool in tools
    ]


def offer_targets(offers: Offers, resources: Iterable[Resource]) -> list[Target]:
    """What a server offers besides tools; each leads to its place on the server's sheet."""
    server = one_line(offers.server, 40)
    items = [("resources", one.uri, one.title or one.name, mime_icon(one.mime)) for one in resources]
    items += [("resources", one.template, one.title or one.name, "pencil") for one in offers.templates]
    items += [("prompts", one.name, one.title or one.name, "message") for one in offers.prompts]
    return [
        Target(
            Row(f"{page}:{offers.server}\n{item}", one_line(title, 100), aside=server, icon=symbol),
            f"{title} {item[:200]} {offers.server}",
            ShowServer(offers.server, page, item),
            15,
        )
        for page, item, title, symbol in items
    ]


def server_targets(servers: Iterable[ServerState]) -> list[Target]:
    return [
        Target(
            Row(
                f"server:{state.config.name}", one_line(state.config.name, 60), aside=state.status.value, icon="server"
            ),
            state.config.name,
            ShowTool(state.config.name, ""),
        )
        for state in servers
    ]


def skill_targets(skills: Iterable[Skill]) -> list[Target]:
    return [
        Target(
            Row(f"skill:{skill.name}", one_line(skill.name, 60), aside=_skill_words(skill), icon="book"),
            f"{skill.name} {skill.description}",
            ShowSkill(skill.name),
        )
        for skill in skills
        if skill.state is not SkillState.RETIRED
    ]


def saved_targets(saved: SavedCalls) -> list[Target]:
    return [
        Target(
            Row(f"saved:{call.file}", one_line(call.name, 60), aside=one_line(call.tool, 40), icon="bookmark"),
            f"{call.name} {call.collection} {call.tool} {' '.join(call.tags)}",
            ShowCall(call.server, call.tool, call.arguments, call.withheld),
        )
        for call in saved.calls
    ]


def _skill_words(skill: Skill) -> str:
    """A kept skill is simply a skill; what else it is has to be said."""
    word = translate("Skill")
    return word if skill.state is SkillState.KEPT else f"{word} · {skill_word(skill.state).text}"


def find_targets(text: str, targets: Sequence[Target]) -> list[Target]:
    """The best first."""
    scored = [
        (points + target.weight, place, target)
        for place, target in enumerate(targets)
        if (points := score(text, target.words)) is not None
    ]
    scored.sort(key=lambda found: (-found[0], found[1]))
    return [target for _, _, target in scored[:SHOWN]]


class Palette(QDialog):
    """The box. It opens with the actions at once; the catalogue joins when the core has answered."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Search or run anything"))
        self.setObjectName("palette")
        self._context = context
        self.wish: Wish | None = None
        """What was chosen; None when nothing was."""
        self._targets = action_targets(commands)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Type an action, a tool, a server or a skill"))
        self.field.setAccessibleName(self.windowTitle())
        mark(self.field, kind="palette")
        self.field.installEventFilter(self)
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, self.tr("What was found"), self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.chosen.connect(self._take)
        self.list.clicked.connect(self._clicked)
        self._foot = label(self.tr("↑ ↓ to move · Enter to go · Esc to close"), "palette-foot")
        self._lay_out()
        self.field.textChanged.connect(self._draw)
        self._draw()
        context.tasks.run("palette", self._load())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.key())
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        window = self.parentWidget()
        if window is not None:
            width = min(self._context.theme.unit * 160, window.width() - self._context.theme.unit * 10)
            self.resize(width, min(self._context.theme.unit * 110, window.height() * 2 // 3))
            corner = window.mapToGlobal(window.rect().topLeft())
            self.move(corner.x() + (window.width() - width) // 2, corner.y() + self._context.theme.unit * 14)
        self.field.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """A click anywhere else closes it."""
        super().changeEvent(event)
        left = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if left and self.isVisible() and self.wish is None:  # accepting hides it too, and must not become a refusal
            self.reject()

    def _lay_out(self) -> None:
        line = QFrame()
        mark(line, kind="line")
        line.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.field)
        column.addWidget(line)
        column.addWidget(self.list, 1)
        column.addWidget(self._foot)

    async def _load(self) -> None:
        questions = self._context.questions
        self._add(tool_targets(await questions.tools()))
        states = await questions.servers()
        self._add(server_targets(states))
        self._add(skill_targets(await questions.skills()))
        self._add(saved_targets(await questions.saved_calls()))
        for state in states:
            await self._load_offers(state)

    async def _load_offers(self, state: ServerState) -> None:
        """The first thousand resources of each server; its page finds the others."""
        questions, name = self._context.questions, state.config.name
        if state.resource_count or state.prompt_count:
            self._add(offer_targets(await questions.offers(name), await questions.resources(name, 0)))

    def _add(self, targets: list[Target]) -> None:
        self._targets += targets
        self._draw()

    def _draw(self) -> None:
        found = find_targets(self.field.text(), self._targets)
        self.model.show_rows([target.row for target in found])
        self.list.setCurrentIndex(self.model.index(0))
        self.list.scrollToTop()
        none = self.tr("Nothing fits these letters · Esc to close")
        self._foot.setText(self.tr("↑ ↓ to move · Enter to go · Esc to close") if found else none)

    def _clicked(self) -> None:
        self._take(self.list.key())

    def _take(self, key: str) -> None:
        for target in self._targets:
            if target.row.key == key:
                self.wish = target.wish
                self.accept()
                return
