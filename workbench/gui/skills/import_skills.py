"""The dialog that reviews skills of a folder, zip file or git checkout, and imports them as drafts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QTabWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import AssessmentStrip
from workbench.gui.code.code_view import CodeView, marks_of
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import visible
from workbench.gui.kit.wording import risk_word, skill_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.skills.tests_page import PlainView
from workbench.records import SkillReview
from workbench.records.common_types import count_of


class ImportSkillsDialog(Dialog):
    """Lists the skills of one source; each is reviewed and imported separately. Nothing is written before that."""

    imported = Signal(object)
    """Carries the Skill, a draft now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        intro = "Review each skill before you import it. It becomes a draft, which agents do not see until you keep it."
        super().__init__(context.theme, "Import skills", intro, parent)
        self._context = context
        self._reviews: dict[str, SkillReview] = {}
        self._build()
        self._show_selected()

    def review(self, path: str) -> None:
        """Read the skills in this folder or file; nothing is written."""
        self.path.setText(path)
        self._show_reviews(())
        self.run(self._context.tasks, "review skills", self._load(path))

    async def _load(self, path: str) -> None:
        self._show_reviews(await self._context.api.review_skills(path))

    def _show_reviews(self, reviews: tuple[SkillReview, ...]) -> None:
        self._reviews = {review.key: review for review in reviews}
        self._rows.show_rows([_review_row(review) for review in reviews])
        self.list.setCurrentIndex(self.model.index(0))
        self._show_selected()

    def import_selected(self) -> None:
        review = self.selected()
        if review is not None and not review.refusal:
            self.run(self._context.tasks, "import a skill", self._import(review))

    async def _import(self, review: SkillReview) -> None:
        self.imported.emit(await self._context.api.import_skill(review.key))
        self._show_reviews(tuple(other for other in self._reviews.values() if other is not review))
        if not self._reviews:
            self.accept()

    def selected(self) -> SkillReview | None:
        return self._reviews.get(self.list.key())

    def _show_selected(self) -> None:
        review = self.selected()
        self._split.setVisible(review is not None)
        self.update_buttons()
        if review is not None:
            self.show_fault(WorkbenchError(f"Cannot be imported: {review.refusal}") if review.refusal else None)
            self._context.tasks.run("read a skill", self._show(review))

    def update_buttons(self) -> None:
        review = self.selected()
        for part in (self.import_button, self._import_action):
            part.setEnabled(review is not None and not review.refusal)

    async def _show(self, review: SkillReview) -> None:
        code, notes = await fetch_whole(self._context.fetch, [review.skill.code, review.skill.notes])
        if self.selected() is not review:
            return
        self._code.show_code(code)
        self._code.show_marks(marks_of(review.verdict) if review.verdict is not None else {})
        self._card.setPlainText(visible(f"{review.skill.description}\n\n{notes}"))
        self.overview.setPlainText(visible(_overview(review)))
        self._assessment.setVisible(review.verdict is not None)
        if review.verdict is not None:
            self._assessment.show_verdict(review.verdict)

    def _build(self) -> None:
        self.path = QLineEdit()
        self.path.setPlaceholderText("A folder with SKILL.md, a zip file, or a git checkout")
        self.path.setAccessibleName("Folder or file with skills")
        self.path.returnPressed.connect(lambda: self.review(self.path.text().strip()))
        source = row(None, self.path, grows=self.path, spacing=self.theme.unit * 2)
        for symbol, text, mode in (
            ("folder", "Folder…", QFileDialog.FileMode.Directory),
            ("file", "Zip file…", QFileDialog.FileMode.ExistingFile),
        ):
            button = QPushButton(icon(symbol, "muted"), text)
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._browse, mode))
            source.addWidget(button)
        self.body.addLayout(source)
        self.body.addWidget(self._make_split(), 1)
        self.body.addStretch(0)
        close = self.add_button("Close", self.reject)
        self.import_button = self.add_button("Import as a draft", self.import_selected, "primary")
        self.import_button.setIcon(icon("download", "on_accent"))
        for button in (close, self.import_button):
            button.setAutoDefault(False)  # Return in the path field reads the path
        self.resize(self.theme.unit * 190, self.theme.unit * 150)

    def _browse(self, mode: QFileDialog.FileMode, _checked: bool = False) -> None:
        dialog = QFileDialog(self, "Import skills", str(Path.home()), "Skills (*.zip);;All files (*)")
        dialog.setFileMode(mode)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.review)
        dialog.open()

    def _make_split(self) -> AdaptiveSplit:
        theme = self.theme
        self._rows = ListPane(theme, "Skills to import", EmptyState(theme, "book", "No skills", ""))
        self.list, self.model = self._rows.view, self._rows.model
        self._import_action = menu_action(self, "Import as a draft", self.import_selected, "download")
        self._rows.set_menu(lambda _key: (self._import_action,))
        self._rows.selection_changed.connect(self._show_selected)
        self._assessment, self.overview = AssessmentStrip(theme), PlainView(theme, "Overview")
        self._code, self._card = CodeView(theme), PlainView(theme, "SKILL.md")
        self._assessment.line_wanted.connect(self._code.go_to)
        self._code.setAccessibleName("Code")
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.tabBar().setAccessibleName("Overview, code and SKILL.md")
        for page, text in ((self.overview, "Overview"), (self._code, "Code"), (self._card, "SKILL.md")):
            tabs.addTab(page, text)
        right = QWidget()
        column(right, self._assessment, tabs, grows=tabs)
        self._split = AdaptiveSplit(80, (1, 2), self._rows, right)
        return self._split


def _review_row(review: SkillReview) -> Row:
    skill, verdict = review.skill, review.verdict
    if review.refusal:
        badge = ("cannot be imported", "danger")
    elif verdict is not None:
        badge = (risk_word(verdict.risk).text, risk_word(verdict.risk).tone)
    else:
        badge = ("instructions only", "info")
    return Row(
        key=review.key,
        title=visible(skill.name),
        detail=visible(review.refusal or skill.description),
        icon="ban" if review.refusal else "book",
        tone="danger" if review.refusal else "muted",
        badges=(badge,),
        mono=True,
        tip=visible(f"{skill.name}\n{review.source}"),
    )


def _overview(review: SkillReview) -> str:
    """Everything the user should know, one fact per line; warnings come first."""
    skill, before = review.skill, review.before
    lines = [f"Source: {review.source}"]
    if before is not None:
        same = "the same code" if before.sha == skill.sha else "different code"
        state = skill_word(before.state).text.lower()
        lines.append(
            f"A {state} skill named {before.name} already exists, with {same}. The import becomes its next version."
        )
    lines += ["", *(f"! {notice}" for notice in review.notices)]
    lines += [f"! Missing: {missing}" for missing in skill.missing]
    recordings = sum(file.path.startswith("cassettes/") for file in review.files)
    lines += ["", f"Tools      {', '.join(skill.tools) or 'none'}"]
    lines += [f"License    {skill.license or 'not stated'}", f"Tags       {', '.join(skill.tags) or 'none'}"]
    lines += [f"Tests      {count_of(recordings, 'recording')}", ""]
    lines += [f"{file.bytes:>9,}  {file.path}" for file in review.files]
    return "\n".join(lines)
