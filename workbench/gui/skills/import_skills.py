"""Shows what a skill from elsewhere is and would do, before anything of it is written: risk, tools, files, code."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import AssessmentStrip
from workbench.gui.code.code_view import CodeView, marks_of
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import risk_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.skills.tests_page import PlainView
from workbench.records import Fault, Skill, SkillReview


class ImportSkillsDialog(QDialog):
    """A folder, a zip file or a git checkout; what is in it is listed, and each is looked at by itself."""

    imported = Signal(object)
    """Carries the Skill, a draft now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._reviews: dict[str, SkillReview] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Import skills")
        self._build()
        self._draw()

    def look(self, path: str) -> None:
        """Read what stands there; nothing of it is written."""
        self.path.setText(path)
        self._fault.show_fault(None)
        self._context.tasks.run("look at skills", self._look(path))

    async def _look(self, path: str) -> None:
        try:
            found = await self._context.api.review_skills(path)
        except WorkbenchError as fault:
            found = ()
            self._fault.show_fault(Fault(fault.message, fault.hint))
        self._reviews = {one.key: one for one in found}
        self.model.show_rows([_row(one) for one in found])
        self.list.setCurrentIndex(self.model.index(0))
        self._draw()

    def bring_in(self) -> None:
        review = self.chosen()
        if review is not None and not review.refusal:
            self.import_button.setEnabled(False)
            self._context.tasks.run("import a skill", self._bring_in(review))

    async def _bring_in(self, review: SkillReview) -> None:
        try:
            skill: Skill = await self._context.api.import_skill(review.key)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            self.import_button.setEnabled(True)
            return
        self.imported.emit(skill)
        del self._reviews[review.key]
        self.model.show_rows([_row(one) for one in self._reviews.values()])
        if not self._reviews:
            self.done(QDialog.DialogCode.Accepted)
        self._draw()

    def chosen(self) -> SkillReview | None:
        return self._reviews.get(self.list.key())

    def _draw(self) -> None:
        review = self.chosen()
        self._review.setVisible(review is not None)
        self._hint.setVisible(review is None)
        self.import_button.setEnabled(review is not None and not review.refusal)
        if review is not None:
            self._fault.show_fault(Fault(_sentence(review), "") if review.refusal else None)
            self._context.tasks.run("read a skill", self._show(review))

    async def _show(self, review: SkillReview) -> None:
        code, notes = await fetch_whole(self._context.fetch, [review.skill.code, review.skill.notes])
        if self.chosen() is not review:
            return
        self._code.show_code(code)
        self._code.show_marks(marks_of(review.verdict) if review.verdict is not None else {})
        self._card.setPlainText(visible(f"{review.skill.description}\n\n{notes}"))
        self._about.setPlainText(visible(_facts(review)))
        self._strip.setVisible(review.verdict is not None)
        if review.verdict is not None:
            self._strip.show_verdict(review.verdict)

    # what it looks like

    def _build(self) -> None:
        theme, unit = self._context.theme, self._context.theme.unit
        self._fault = FaultCard(theme)
        self._hint = label(
            "Nothing is written before you have looked at it. An import becomes a draft; agents do not see it.",
            "muted",
        )
        self._hint.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.setSpacing(unit * 3)
        column.addLayout(self._make_place())
        column.addWidget(self._hint)
        column.addWidget(self._fault)
        column.addWidget(self._make_review(), 1)
        column.addStretch(0)
        column.addLayout(self._make_foot())
        self.resize(unit * 190, unit * 150)

    def _make_place(self) -> QHBoxLayout:
        self.path = QLineEdit()
        self.path.setPlaceholderText("A folder with SKILL.md, a zip file, or a git checkout")
        self.path.setAccessibleName("Where the skill is")
        self.path.returnPressed.connect(lambda: self.look(self.path.text().strip()))
        row = QHBoxLayout()
        row.addWidget(self.path, 1)
        for symbol, word, mode in (
            ("folder", "Folder…", QFileDialog.FileMode.Directory),
            ("file", "Zip file…", QFileDialog.FileMode.ExistingFile),
        ):
            button = QPushButton(icon(symbol, "muted"), word)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, mode=mode: self._browse(mode))
            row.addWidget(button)
        return row

    def _browse(self, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, "Import skills", str(Path.home()), "Skills (*.zip);;All files (*)")
        dialog.setFileMode(mode)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.look)
        dialog.open()

    def _make_review(self) -> QSplitter:
        theme = self._context.theme
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Skills that were found")
        self.list.setModel(self.model)
        self.list.selection_changed.connect(self._draw)
        self._strip, self._about = AssessmentStrip(theme), PlainView(theme, "What came")
        self._code, self._card = CodeView(theme), PlainView(theme, "Card")
        self._strip.line_wanted.connect(self._code.go_to)
        self._code.setAccessibleName("Code")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("What came, its code, its card")
        for page, word in ((self._about, "What came"), (self._code, "Code"), (self._card, "Card")):
            self.tabs.addTab(page, word)
        right = QWidget()
        inner = QVBoxLayout(right)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self._strip)
        inner.addWidget(self.tabs, 1)
        self._review = QSplitter()
        self._review.addWidget(self.list)
        self._review.addWidget(right)
        self._review.setStretchFactor(1, 1)
        self._review.setSizes([theme.unit * 60, theme.unit * 120])
        return self._review

    def _make_foot(self) -> QHBoxLayout:
        close = QPushButton("Close")
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        self.import_button = QPushButton(icon("download", "on_accent"), "Import as a draft")
        self.import_button.setAutoDefault(False)
        self.import_button.clicked.connect(self.bring_in)
        mark(self.import_button, kind="primary")
        words = ForeignLabel("Keep it afterwards, once it was tried.", elide=True)
        mark(words, role="muted")
        row = QHBoxLayout()
        row.addWidget(words, 1)
        row.addWidget(close)
        row.addWidget(self.import_button)
        return row


def _row(review: SkillReview) -> Row:
    skill = review.skill
    word = risk_word(review.verdict.risk) if review.verdict is not None else None
    risk = (word.text, word.tone) if word is not None else ("instructions", "info")
    refused = bool(review.refusal)
    return Row(
        key=review.key,
        title=visible(skill.name),
        detail=visible(review.refusal or skill.description),
        icon="ban" if refused else "book",
        tone="danger" if refused else "muted",
        badges=(("refused", "danger") if refused else risk,),
        mono=True,
        tip=visible(f"{skill.name}\n{review.source}"),
    )


def _sentence(review: SkillReview) -> str:
    return f"It cannot be imported: {review.refusal}"


def _facts(review: SkillReview) -> str:
    """Everything a person should know, a thing a line; the worst first."""
    skill, before = review.skill, review.before
    lines = [f"Comes from {review.source}."]
    if before is not None:
        same = "with the same code" if before.sha == skill.sha else "with other code"
        lines.append(f"There is a {before.state} skill {before.name} already, {same}. This would be its next version.")
    lines += ["", *(f"! {words}" for words in review.notices)]
    lines += [f"! missing: {words}" for words in skill.missing]
    lines += ["", f"Tools      {', '.join(skill.tools) or 'none'}"]
    lines += [f"Licence    {skill.license or 'not said'}", f"Tags       {', '.join(skill.tags) or 'none'}"]
    lines += [f"Tests      {sum(one.path.startswith('cassettes/') for one in review.files)} recordings", ""]
    lines += [f"{one.bytes:>9,}  {one.path}" for one in review.files]
    return "\n".join(lines)
