"""One tab of the editor: the text, its live assessment, and the run it was last sent off as."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code_view import marks_of
from workbench.gui.context import Context
from workbench.gui.editor.assessment import AssessmentStrip
from workbench.gui.editor.completing import Completing
from workbench.gui.editor.drafts import Draft, Drafts, print_of
from workbench.gui.editor.find_bar import EditorFindBar
from workbench.gui.editor.language_choice import LANGUAGES, LanguageChoice
from workbench.gui.editor.looks import Looks
from workbench.gui.editor.problems import of_text, of_verdict
from workbench.gui.editor.profile_choice import ProfileChoice
from workbench.gui.editor.program_editor import ProgramEditor
from workbench.gui.fault_card import FaultCard
from workbench.gui.words import language_word
from workbench.records import Fault, Finding, Run, Verdict
from workbench.records.runs import ENDS

_ASSESS_MS = 350
_KEEP_MS = 700  # from the first letter that is not kept yet: who types on and on is kept, too


class Sheet(QWidget):
    """Text is kept on disk a moment after each change."""

    settled = Signal()
    """The run of this sheet began or ended."""
    kept = Signal()
    """The text changed a moment ago, and is on disk."""

    def __init__(
        self, context: Context, drafts: Drafts, draft: Draft, looks: Looks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._drafts = drafts
        self.key, self.title, self.skill = draft.key, draft.title, draft.skill
        self.original = draft.code
        self.saved = draft.saved or print_of(draft.code)
        self.file, self.ends = draft.file, draft.ends
        self.language = draft.language
        self.run_id = ""
        self._asked = 0
        self.editor = ProgramEditor(context.theme, looks)
        self.finder = EditorFindBar(self.editor, context.theme)
        self.completing = Completing(context, self.editor)
        self._languages = LanguageChoice(draft.language, self)
        self._profiles = ProfileChoice(context, self)
        self.strip = AssessmentStrip(context.theme)
        self.fault = FaultCard(context.theme)
        self._assess_pause = QTimer(self, singleShot=True, interval=_ASSESS_MS)
        self._keep_pause = QTimer(self, singleShot=True, interval=_KEEP_MS)
        self._build(draft)

    def text(self) -> str:
        return self.editor.text()

    @property
    def profile(self) -> str:
        """The bounds that a person chose for it; empty: the usual ones."""
        return self._profiles.profile

    def keep(self) -> None:
        """Write the text to disk now; where that fails, say so beside the text."""
        self._keep_pause.stop()
        try:
            self._drafts.keep(self.draft())
        except WorkbenchError as fault:
            self._not_kept(fault)

    def _not_kept(self, fault: WorkbenchError) -> None:
        words = f"This text could not be kept on disk: {fault.message}"
        self.fault.show_fault(Fault(words, "Copy it somewhere safe before you close the window."))

    def draft(self) -> Draft:
        """All of it, as it is kept."""
        place, steps = self.editor.textCursor().position(), self.editor.past.told()
        named = (self.key, self.title, self.text(), self.skill, place, self.language)
        return Draft(*named, self.file, self.saved, steps, self.ends, self.editor.past.ahead())

    def touched(self) -> bool:
        """Whether a person changed the text since it was opened or saved."""
        return print_of(self.text()) != self.saved

    def _keep_aside(self) -> None:
        """On a thread: a busy disk must not hold up a key."""
        self.kept.emit()
        self._context.tasks.run("keep a program", self._keep_there(self._drafts.keeper(self.draft())))

    async def _keep_there(self, keep: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(keep)
        except WorkbenchError as fault:
            self._not_kept(fault)

    def _keep_soon(self) -> None:
        if not self._keep_pause.isActive():
            self._keep_pause.start()

    def assess(self) -> None:
        """Ask what policy says; only the answer to the latest question is shown. A tab nobody sees waits."""
        self._assess_pause.stop()
        if not self.isVisible():
            return
        code = self.text()
        self._asked += 1
        if not code.strip() or self.language not in LANGUAGES:
            self._look(code)
            return
        self._context.tasks.run("assess a program", self._assess(code, self.language, self._asked))

    def _look(self, code: str) -> None:
        """What is not run is not assessed, but read."""
        problems = of_text(code, self.language)
        self.editor.show_marks({})
        self.editor.show_problems(problems)
        if not code.strip():
            self.strip.say("Nothing to assess yet.")
        elif problems:
            self.strip.say(problems[0].words)
        else:
            self.strip.say(f"{language_word(self.language)} is not run, so it is not assessed.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._profiles.refresh()
        self._assess_pause.start()

    def follow(self, run: Run) -> None:
        """The run of this sheet took a step."""
        if run.state in ENDS:
            self.run_id = ""
            self.settled.emit()

    async def _assess(self, code: str, language: str, number: int) -> None:
        try:
            verdict = await self._context.api.assess(code, language, self.profile)
        except WorkbenchError as fault:
            if number == self._asked:
                self.strip.say(f"Not assessed: {fault.message}")
            return
        more = await self._checked(code) if language == "python" and number == self._asked else ()
        if number == self._asked:
            self._show(verdict, more)

    async def _checked(self, code: str) -> tuple[Finding, ...]:
        """What the check before a run would say of its calls; that it cannot say anything is no news."""
        try:
            return await self._context.api.check_code(code)
        except WorkbenchError:
            return ()

    def _show(self, verdict: Verdict, more: tuple[Finding, ...]) -> None:
        self.strip.show_verdict(verdict)
        self.editor.show_marks(marks_of(verdict))
        self.editor.show_problems(of_verdict(verdict, more))

    def _build(self, draft: Draft) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.strip)
        self.strip.add(self._languages)
        self.strip.add(self._profiles)
        layout.addWidget(self.fault)
        layout.addWidget(self.finder)
        layout.addWidget(self.editor, 1)
        self.editor.setAccessibleName(f"Program {draft.title}")
        self._speak(draft.language)
        self.editor.past.bring_back(draft.code, draft.steps, draft.ahead)
        cursor = self.editor.textCursor()
        cursor.setPosition(min(draft.place, self.editor.document().characterCount() - 1))
        self.editor.setTextCursor(cursor)
        self.strip.line_wanted.connect(self._go)
        self._assess_pause.timeout.connect(self.assess)
        self._keep_pause.timeout.connect(self._keep_aside)
        self.editor.edited.connect(self._assess_pause.start)
        self.editor.edited.connect(self._keep_soon)
        self._languages.chosen.connect(self._choose)
        self._profiles.chosen.connect(self.assess)

    def _choose(self, language: str) -> None:
        self._speak(language)
        self.fault.show_fault(None)
        self.keep()
        self.assess()

    def _speak(self, language: str) -> None:
        self.language = language
        self.editor.speak(language)
        self.editor.setPlaceholderText(
            'Write TypeScript here. Tools are functions: import { … } from "./servers/demo"'
            if language == "typescript"
            else "Write Python here. Tools are functions: from servers.demo import …"
            if language == "python"
            else f"Write {language_word(language)} here."
        )

    def _go(self, line: int) -> None:
        self.editor.go_to(line)
        self.editor.setFocus()
