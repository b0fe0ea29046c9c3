"""Pickers of the editor: lines and symbols, problems, texts to compare with, earlier runs, examples, colour schemes."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.colour_schemes import EditorAppearance, scheme_names
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.editor.drafts import Draft, new_key
from workbench.gui.editor.program_files import read_text
from workbench.gui.editor.program_tab import ProgramTab
from workbench.gui.kit.picker import Picker, RowsFor
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import run_state_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.palette_matches import score
from workbench.records import Run, Skill

MAX_SYMBOLS = 5_000
_PYTHON = re.compile(r"(?P<lead>[ \t]{0,200})(?:async[ \t]{1,8})?(?P<kind>def|class)[ \t]{1,8}(?P<name>\w{1,200})")
_SCRIPT = re.compile(
    r"(?P<lead>[ \t]{0,200})(?:export[ \t]{1,8})?(?:default[ \t]{1,8})?(?:async[ \t]{1,8})?"
    r"(?P<kind>function|class|interface|type|enum|const|let)[ \t]{1,8}(?P<name>[\w$]{1,200})"
)
_MARKDOWN = re.compile(r"(?P<kind>#{1,6})[ \t]{1,8}(?P<name>.{1,200})")
_TOML = re.compile(r"(?P<kind>\[{1,2})(?P<name>[^\[\]]{1,200})\]")
_JSON = re.compile(r'(?P<lead>[ ]{2}|\t)"(?P<name>[^"\\]{1,200})"[ \t]{0,8}:')
_PATTERNS = {"python": _PYTHON, "typescript": _SCRIPT, "markdown": _MARKDOWN, "toml": _TOML, "json": _JSON}
_TRIPLE_QUOTES = re.compile(r'"""|\'\'\'')


class Symbol(Struct, frozen=True):
    """A function, class, heading or key to go to."""

    name: str
    kind: str  # def, class, the sign of a heading
    line: int  # from 1
    depth: int  # indentation in characters


def symbols_of(text: str, language: str) -> list[Symbol]:
    """The symbols in the order of the text, also of one that does not parse. Python's long strings are skipped."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    symbols: list[Symbol] = []
    inside = ""  # the triple quotes that are open
    for number, line in enumerate(text.split("\n"), 1):
        if not inside and (match := pattern.match(line)) is not None and len(symbols) < MAX_SYMBOLS:
            groups = match.groupdict()
            lead = (groups.get("lead") or "").expandtabs(4)
            symbols.append(Symbol(groups["name"].strip(), groups.get("kind") or "key", number, len(lead)))
        if language == "python":
            for quotes in _TRIPLE_QUOTES.findall(line):
                inside = "" if inside == quotes else inside or quotes
    return symbols


def matching_rows(rows: Sequence[Row], text: str) -> list[Row]:
    """The rows that match what is typed, best first."""
    if not text.strip():
        return list(rows)
    scored = [(points, row) for row in rows if (points := score(text, f"{row.title} {row.aside}")) is not None]
    return [row for _, row in sorted(scored, key=lambda entry: -entry[0])]


_MAX_RUNS = 100  # in the list of earlier runs
_MAX_COMPARED_RUNS = 8
_MAX_COMPARED = 400_000  # characters


class ProgramPickers(QObject):
    """Opens the pickers about the tab in front."""

    opened = Signal(object)
    """Carries the Draft to show in a tab."""

    def __init__(
        self,
        context: Context,
        appearance: EditorAppearance,
        pane: QWidget,
        current_tab: Callable[[], ProgramTab | None],
        tabs: Callable[[], list[ProgramTab]],
    ) -> None:
        super().__init__(pane)
        self._context = context
        self._appearance = appearance
        self._pane = pane
        self._current_tab = current_tab
        self._tabs = tabs

    def go_to_symbol(self) -> None:
        """Go to a line by its number, or to a symbol by its name."""
        if (tab := self._current_tab()) is None:
            return
        rows = [
            Row(
                f"{symbol.line}:{number}",
                "  " * (symbol.depth // 4) + symbol.name,
                aside=f"{symbol.kind} · {symbol.line:,}",
                icon="code",
                mono=True,
            )
            for number, symbol in enumerate(symbols_of(tab.text(), tab.language))
        ]
        last = tab.editor.line_count()
        empty = "Type a line number, such as 120. This text has no functions, classes or headings."
        self._open(
            "Go to line or symbol",
            lambda text: [*_line_rows(last, text), *matching_rows(rows, text)],
            partial(_go_to, tab),
            empty,
        )

    def pick_problem(self) -> None:
        """Go to a problem of the program in front."""
        if (tab := self._current_tab()) is None:
            return
        rows = [
            Row(f"{problem.line}:{number}", one_line(problem.text, 160), aside=f"line {problem.line:,}", icon="alert",
                tone=problem.tone)
            for number, problem in enumerate(tab.editor.problems())
        ]  # fmt: skip
        self._open("Problems", partial(matching_rows, rows), partial(_go_to, tab), "No problems in this program.")

    # other programs

    def pick_run(self) -> None:
        """Open the program of an earlier run."""
        runs = {run.id: run for run in [*self._context.store.runs.values()][: -_MAX_RUNS - 1 : -1]}
        rows = [_run_row(run) for run in runs.values()]
        empty = "Programs that ran are listed here. Ctrl+Enter runs the program in front."
        pick = partial(self._open_run, runs)
        self._open("Open the program of a run", partial(matching_rows, rows), pick, empty)

    def pick_example(self) -> None:
        """Open a starter skill as a new program."""
        examples = {skill.name: skill for skill in self._context.store.skills if skill.starter}
        rows = [
            Row(skill.name, skill.name, detail=one_line(skill.description, 120), icon="book")
            for skill in examples.values()
        ]
        empty = "This project has no starter skills."
        self._open("Open an example", partial(matching_rows, rows), partial(self._open_example, examples), empty)

    def _open_run(self, runs: dict[str, Run], key: str) -> None:
        proposal = runs[key].proposal
        title = one_line(proposal.purpose, 40) or f"Run of {proposal.author}"
        self._context.tasks.run("open a run's program", self._fetch(title, proposal.code, proposal.language))

    def _open_example(self, examples: dict[str, Skill], key: str) -> None:
        self._context.tasks.run("open an example", self._fetch(key, examples[key].code, "python"))

    async def _fetch(self, title: str, code: str, language: str) -> None:
        (text,) = await fetch_whole(self._context.fetch, [code])
        self.opened.emit(Draft(new_key(), title, text, language=language))

    # comparing

    def compare(self) -> None:
        """Show the differences to another text."""
        if (tab := self._current_tab()) is not None:
            self._context.tasks.run("compare a program", self._pick_compared(tab))

    async def _pick_compared(self, tab: ProgramTab) -> None:
        texts: dict[str, tuple[str, str]] = {}  # title and text by the key of the row
        rows: list[Row] = []

        def add(title: str, text: str, aside: str, icon: str) -> None:
            key = f"text-{len(rows)}"
            texts[key] = (title, text)
            rows.append(Row(key, title, aside=aside, icon=icon))

        try:
            if tab.file:
                add("The file on disk", read_text(Path(tab.file)).text, Path(tab.file).name, "file")
            add("As opened or last saved", tab.original, "", "history")
            for skill in await self._versions(tab.skill) if tab.skill else ():
                (code,) = await fetch_whole(self._context.fetch, [skill.code])
                add(f"The skill {skill.name}", code, f"{skill.state}, version {skill.version}", "book")
        except WorkbenchError as fault:
            self._context.say(fault.message)
        for other in self._tabs():
            if other is not tab:
                add(one_line(other.title, 60), other.text(), "tab", "code")
        for run in [*self._context.store.runs.values()][: -_MAX_COMPARED_RUNS - 1 : -1]:
            (code,) = await fetch_whole(self._context.fetch, [run.proposal.code])
            row = _run_row(run)
            add(row.title, code, row.aside, "play")
            if run.proposal.original and run.proposal.original != run.proposal.code:
                add(f"Proposed by {one_line(run.proposal.author, 40)}", run.proposal.original, "", "agent")
        self._open("Compare with", partial(matching_rows, rows), partial(self._show_difference, tab, texts))

    async def _versions(self, name: str) -> tuple[Skill, ...]:
        page = await self._context.api.skill_page(name)
        drafts = (page.draft,) if page.draft is not None else ()
        return (page.skill, *drafts, *page.versions[::-1])

    def _show_difference(self, tab: ProgramTab, texts: dict[str, tuple[str, str]], key: str) -> None:
        title, before = texts[key]
        after = tab.text()
        if max(len(before), len(after)) > _MAX_COMPARED:
            self._context.say("These texts are too long to compare line by line.")
            return
        alike = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False).quick_ratio()
        sentence = f"{tab.title} and {title}: {alike:.0%} of the lines are the same"
        legend = f"− {title}   + this program"
        window = self._pane.window()
        DifferenceDialog(self._context, sentence, before, after, window, legend, title="Differences").open()

    # colour schemes

    def pick_scheme(self) -> None:
        """Each scheme is applied while it is highlighted; Escape restores the one from before."""
        before = self._appearance.scheme_name
        own = Row("own", "Workbench", aside="default", icon="app")
        schemes = scheme_names(dark=self._context.theme.dark)
        rows = [own, *(Row(f"scheme-{name}", name, icon="sun") for name in schemes)]
        picker = self._open("Colour scheme", partial(matching_rows, rows), self._apply_scheme)
        picker.select(f"scheme-{before}" if before else "own")
        picker.highlighted.connect(self._apply_scheme)
        picker.rejected.connect(partial(self._appearance.choose_scheme, before))

    def _apply_scheme(self, key: str) -> None:
        self._appearance.choose_scheme("" if key == "own" else key.removeprefix("scheme-"))

    def _open(self, title: str, rows_for: RowsFor, pick: Callable[[str], None], empty: str = "No matches.") -> Picker:
        picker = Picker(self._context.theme, title, rows_for, self._pane, empty)
        picker.picked.connect(pick)
        picker.show()
        return picker


def _line_rows(last: int, text: str) -> list[Row]:
    """The row of a line whose number is typed."""
    number = text.strip().lstrip(":")
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        return []
    line = max(1, min(int(number), last))
    return [Row(f"{line}", f"Line {line:,}", aside=f"of {last:,}", icon="list")]


def _go_to(tab: ProgramTab, key: str) -> None:
    tab.go_to(int(key.partition(":")[0]))


def _run_row(run: Run) -> Row:
    at = time.strftime("%d %b %H:%M", time.localtime(run.proposal.at))
    title = one_line(run.proposal.purpose or run.proposal.code, 70)
    detail = f"{one_line(run.proposal.author, 40)} · {run_state_word(run).text}"
    return Row(run.id, title, detail=detail, aside=at, icon="history")
