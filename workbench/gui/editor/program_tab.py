"""One tab of the editor: a program with its assessment, language, profile, find bar and completion."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import AssessmentStrip, problems_of_text, problems_of_verdict, syntax_error
from workbench.gui.code.code_view import marks_of
from workbench.gui.code.colour_schemes import EditorAppearance
from workbench.gui.code.completion import CodeCompletion
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.editor.drafts import Draft, Drafts, digest_of
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.find_bar import FindBar
from workbench.gui.kit.layouts import column
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import plain_tip, visible
from workbench.gui.kit.wording import language_word
from workbench.gui.shell.context import Context
from workbench.records import Fault, Finding, Profiles, RunProfile, Verdict

PROGRAM_LANGUAGES = ("python", "typescript")
"""Languages that can be run."""
TEXT_LANGUAGES = ("json", "markdown", "toml")
"""Languages that can be edited only."""


_HINTS = {
    "python": "Write Python here. Tools are functions: from servers.demo import …",
    "typescript": 'Write TypeScript here. Tools are functions: import { … } from "./servers/demo"',
}


class ProfileChoice(CalmCombo):
    """Chooses the profile of a run; empty: the default profile. Each item's tooltip says what the profile allows."""

    chosen = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._profiles = Profiles()
        self.setAccessibleName("Profile of the run")
        self.setMinimumContentsLength(12)
        self.addItem("Default profile", "")
        self.activated.connect(self._activate)

    def load(self) -> None:
        """Read the profiles again; the chosen one stays."""
        self._context.tasks.run("read the profiles", self._context.api.profiles(), self.show_profiles)

    @property
    def profile(self) -> str:
        return str(self.currentData() or "")

    def show_profiles(self, profiles: Profiles) -> None:
        """List the profiles; one that is not accepted yet asks when it is chosen."""
        before = self.profile
        self.clear()
        self.addItem("Default profile", "")
        self._describe(0, profiles.default)
        for profile in profiles.all:
            name = visible(profile.name)
            self.addItem(name if profile.accepted else f"Accept {name}…", profile.name)
            self._describe(self.count() - 1, profile.sentence)
        self._profiles = profiles
        self.setCurrentIndex(max(0, self.findData(before)))
        self._update_tip()

    async def _accept(self, profile: RunProfile) -> None:
        """A profile of the project that allows more than its base needs the user's consent."""
        self.setCurrentIndex(0)
        sentence = f"This project's workbench.toml defines a profile that allows more than {profile.base}."
        text = f"{profile.name}: {profile.sentence}"
        if await self._context.ask("Accept a profile", sentence, "Accept", text=text, parent=self.window()):
            self.show_profiles(await self._context.api.accept_profile(profile.sha))
            self.setCurrentIndex(max(0, self.findData(profile.name)))
        self._update_tip()
        self.chosen.emit(self.profile)

    def _activate(self, _row: int) -> None:
        profile = next((profile for profile in self._profiles.all if profile.name == self.profile), None)
        if profile is not None and not profile.accepted:
            self._context.tasks.run("accept a profile", self._accept(profile))
            return
        self._update_tip()
        self.chosen.emit(self.profile)

    def _describe(self, row: int, sentence: str) -> None:
        self.setItemData(row, plain_tip(sentence), Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, sentence, Qt.ItemDataRole.AccessibleDescriptionRole)

    def _update_tip(self) -> None:
        sentence = self.itemData(self.currentIndex(), Qt.ItemDataRole.AccessibleDescriptionRole) or ""
        tip = f"What the run may do. {sentence}".strip()
        self.setToolTip(plain_tip(tip))
        self.setAccessibleDescription(tip)


_ASSESS_MS = 350
KEEP_MS = 700  # from the first change that is not on disk, also while typing goes on


class ProgramTab(QWidget):
    """A program or text. It is written to disk shortly after each change, and assessed while it is visible."""

    run_changed = Signal()
    """`run_id` changed."""
    text_kept = Signal()
    """The text changed and is being written to disk."""

    def __init__(self, context: Context, drafts: Drafts, draft: Draft, appearance: EditorAppearance) -> None:
        super().__init__()
        self._context = context
        self._drafts = drafts
        self.key, self.title, self.skill = draft.key, draft.title, draft.skill
        self.original = draft.code  # as it was opened or saved last
        self.saved = draft.saved or digest_of(draft.code)
        self.file, self.line_ends = draft.file, draft.line_ends
        self.language = draft.language
        self.run_id = ""  # of the run that is under way
        self._request = 0  # number of the latest assessment
        self.editor = ProgramEditor(context.theme, appearance)
        self.find_bar = FindBar(context.theme, "Find in the program")
        self.find_bar.search_in(self.editor)
        self.completion = CodeCompletion(context, self.editor)
        self._languages = CalmCombo(self)
        self._profiles = ProfileChoice(context, self)
        self.strip = AssessmentStrip(context.theme, compact=True)
        self.fault = Notice(context.theme)
        self._assess_pause = QTimer(self, singleShot=True, interval=_ASSESS_MS)
        self._keep_pause = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._build(draft)

    def text(self) -> str:
        return self.editor.text()

    @property
    def profile(self) -> str:
        """The chosen profile; empty: the default one."""
        return self._profiles.profile

    @property
    def folder(self) -> str:
        """The name of the folder that the file is in."""
        return Path(self.file).parent.name

    def show_fault(self, fault: WorkbenchError | None) -> None:
        self.fault.show_fault(Fault(fault.message, fault.hint) if fault is not None else None)

    def draft(self) -> Draft:
        """What is stored of the tab."""
        place = self.editor.textCursor().position()
        return Draft(
            self.key, self.title, self.text(), self.skill, place, self.language, self.file, self.saved, self.line_ends
        )

    def is_changed(self) -> bool:
        """Whether the text differs from what was opened or saved last."""
        return digest_of(self.text()) != self.saved

    def mark_saved(self, text: str) -> None:
        """This text is in the tab's file or skill now."""
        self.original, self.saved = text, digest_of(text)
        self.show_fault(None)
        self.keep()

    def keep(self) -> None:
        """Write the text to disk now."""
        self._keep_pause.stop()
        try:
            self._drafts.keep(self.draft())
        except WorkbenchError as fault:
            self._show_not_kept(fault)

    def _keep_in_thread(self) -> None:
        """Write the text to disk without waiting for a busy disk."""
        self.text_kept.emit()
        self._context.tasks.run("keep a program", self._write(self._drafts.writer(self.draft())))

    async def _write(self, write: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(write)
        except WorkbenchError as fault:
            self._show_not_kept(fault)

    def _show_not_kept(self, fault: WorkbenchError) -> None:
        message = f"The editor could not store this text: {fault.message}"
        self.fault.show_fault(Fault(message, "Copy the text somewhere safe before you close the window."))

    def _keep_soon(self) -> None:
        if not self._keep_pause.isActive():
            self._keep_pause.start()

    def assess(self) -> None:
        """Ask the core for an assessment; a hidden tab waits until it is shown."""
        self._assess_pause.stop()
        if not self.isVisible():
            return
        code = self.text()
        self._request += 1
        if not code.strip() or self.language not in PROGRAM_LANGUAGES:
            self._check_syntax(code)
        else:
            self._context.tasks.run("assess a program", self._assess(code, self.language, self._request))

    def _check_syntax(self, text: str) -> None:
        """A text that cannot be run is not assessed."""
        problems = problems_of_text(text, self.language)
        self.editor.show_marks({})
        self.editor.show_problems(problems)
        if not text.strip():
            self.strip.say("Nothing to assess yet.")
        elif problems:
            self.strip.say(problems[0].text)
        else:
            self.strip.say(f"{language_word(self.language)} cannot be run, so it is not assessed.")

    async def _assess(self, code: str, language: str, request: int) -> None:
        """Only the answer to the latest request is shown."""
        try:
            verdict = await self._context.api.assess(code, language, self.profile)
        except WorkbenchError as fault:
            if request == self._request:
                self.strip.say(f"Not assessed: {fault.message}")
            return
        failures: tuple[Finding, ...] = ()  # calls and imports that will fail
        if language == "python" and request == self._request:
            with contextlib.suppress(WorkbenchError):  # the verdict is shown without them
                failures = await self._context.api.check_code(code)
        if request == self._request:
            self._show_verdict(verdict, failures)

    def _show_verdict(self, verdict: Verdict, failures: tuple[Finding, ...]) -> None:
        self.strip.show_verdict(verdict, failures)
        error = syntax_error(verdict)
        risks = tuple(finding for finding in verdict.findings if finding is not error)
        self.editor.show_marks(marks_of(replace(verdict, findings=risks)))
        self.editor.show_problems(problems_of_verdict(verdict, failures))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._profiles.load()
        self._assess_pause.start()

    def set_run(self, run_id: str) -> None:
        """The id of the run that is under way; empty: none."""
        if run_id != self.run_id:
            self.run_id = run_id
            self.run_changed.emit()

    def _build(self, draft: Draft) -> None:
        for name in (*PROGRAM_LANGUAGES, *TEXT_LANGUAGES):
            self._languages.addItem(language_word(name), name)
        self._languages.setCurrentIndex(max(0, self._languages.findData(draft.language)))
        self._languages.setAccessibleName("Language of the program")
        self._languages.setToolTip("Python is analyzed before it runs. TypeScript is not, so it always needs approval.")
        self.strip.add(self._languages)
        self.strip.add(self._profiles)
        column(self, self.strip, self.fault, self.find_bar, self.editor, grows=self.editor)
        self._set_language(draft.language)
        self.editor.set_text(draft.code)
        cursor = self.editor.textCursor()
        cursor.setPosition(min(draft.place, self.editor.document().characterCount() - 1))
        self.editor.setTextCursor(cursor)
        self.strip.line_wanted.connect(self.go_to)
        self._assess_pause.timeout.connect(self.assess)
        self._keep_pause.timeout.connect(self._keep_in_thread)
        self.editor.edited.connect(self._assess_pause.start)
        self.editor.edited.connect(self._keep_soon)
        self._languages.currentIndexChanged.connect(self._choose_language)
        self._profiles.chosen.connect(self.assess)

    def _choose_language(self, _number: int) -> None:
        self._set_language(str(self._languages.currentData()))
        self.show_fault(None)
        self.keep()
        self.assess()

    def _set_language(self, language: str) -> None:
        self.language = language
        self.editor.set_language(language)
        self.editor.setPlaceholderText(_HINTS.get(language, f"Write {language_word(language)} here."))

    def go_to(self, line: int) -> None:
        """Move the cursor to a line, counted from 1."""
        self.editor.go_to(line)
        self.editor.setFocus()
