"""Parser for POSIX shell and bash scripts: returns every simple command that may run, wherever it is written.

Commands of substitutions, subshells, functions, loops and branches are all returned, because any of them may run. A
part of a word that is known only at run time is HOLE. Whatever the parser does not understand becomes a problem, and a
script with a problem must not be judged by the commands that were found.

Bash evaluates the value of a variable in arithmetic and in the index of an array, and runs the commands in it. So
arithmetic on a value that does not certainly consist of digits is a problem too.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.interpreter.values import HOLE

LONGEST: Final = 60_000  # characters of a script
DEEPEST: Final = 12  # nested substitutions and groups
MOST: Final = 400  # commands of a script
_MOST_WORDS: Final = 200  # words that one brace expansion may make
_MOST_BRACES: Final = 100  # in one word
_SPLIT = "\ufdd1"  # a word break that an expansion makes; scripts that contain it are refused
_SUBSTITUTED = "/dev/fd/63"  # the file of `<(…)`
_BLANK = " \t"
_ENDS_WORD = frozenset(" \t\n;&|<>()")
_SKIPPED_WORDS = frozenset({"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "time", "coproc"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?\+?=", re.ASCII)
_REDIRECTION = re.compile(r"(\d*|\{\w+\})(&>>|&>|>>|>\||>&|<<<|<<-|<<|<>|<&|>|<)")
_ARITHMETIC = re.compile(r"[\w\s+\-*/%<>=!&|^~?:,$\[\]{}\"#.]*(?:\([\w\s+\-*/%<>=!&|^~?:,$\[\]{}\"#.]*\)[^()]*)*")
_IDENTIFIER = re.compile(r"(?<![\w.-])[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_POSITIONAL = re.compile(r"\$\{?[1-9@*]")
_NUMBER_TESTS = frozenset({"-eq", "-ne", "-lt", "-gt", "-le", "-ge"})
_VARIABLE_NAME = re.compile(r"\s-v\s*(\S+)")
_READ_WITH_IFS = re.compile(r"""IFS=(?:'[^']{0,9}'|"[^"]{0,9}"|\$'[^']{0,9}'|[^\s;|&'"$]{0,9})\s+read\b""")
# programs that print numbers only, the options that this needs, and programs that pass lines on
_NUMBERS = {"wc": "", "seq": "", "nproc": "", "date": r"\+%[sYmdHMSNjuVy]+", "grep": r"-\w*c\w*|--count",
            "id": r"-[ug]", "stat": r"-c\S*|--format=\S+|--printf=\S+|-f\S*", "expr": "", "tput": r"cols|lines",
            "git": r"--count", "rg": r"-c|--count"}  # fmt: skip
_PASSES_ON = frozenset({"tr", "head", "tail", "cut", "sort", "awk", "sed", "xargs"})
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_CODES = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})")


class Word(Struct, frozen=True):
    """One word after quotes and known expansions; HOLE stands for what only the shell knows."""

    text: str
    quoted: bool = False  # some part was quoted, so it is no keyword

    @property
    def known(self) -> bool:
        return HOLE not in self.text


class Redirection(Struct, frozen=True):
    """`operator` is one of > >> < <> << <<<; for the last two, `target` is the text itself."""

    operator: str
    target: Word


class SimpleCommand(Struct, frozen=True):
    """One program with its arguments, assignments and redirections."""

    words: tuple[Word, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    redirections: tuple[Redirection, ...] = ()
    input_from: tuple[SimpleCommand, ...] = ()  # the commands whose output it reads

    @property
    def text(self) -> str:
        """The command with single spaces and without quotes, as rules compare it."""
        parts = [f"{name}={value.text}" for name, value in self.assignments]
        parts += [word.text for word in self.words]
        parts += [f"{one.operator} {one.target.text}" for one in self.redirections]
        return " ".join(" ".join(parts).split())


class CommandPosition(Struct, frozen=True):
    """Where a command is in its script, as far as this decides in which folder it runs."""

    scope: tuple[int, ...]  # of subshells; a change of folder counts in its own scope and in those inside it
    after_and: bool = False  # it runs only if the command before it in the same list succeeded
    certain: bool = False  # it runs whenever the script gets there
    calls_function: bool = False  # its program is a function that the script certainly has defined before


class ShellScript(Struct, frozen=True):
    """All commands of a script, where they are in it, and why it may do more than they say."""

    commands: tuple[SimpleCommand, ...]
    problems: tuple[str, ...] = ()
    positions: tuple[CommandPosition, ...] = ()


def parse_script(text: str, depth: int = 0) -> ShellScript:
    """Parse a script. Never fails; what is not understood is a problem."""
    if len(text) > LONGEST:
        return ShellScript((), ("it is too long to be read",))
    if (hidden := _hidden_character(text)) is not None:
        return ShellScript((), (f"it contains the invisible character U+{ord(hidden):04X}",))
    state = _State(text)
    _Parser(text, state, depth).script("")
    state.note_computed_arithmetic()
    return ShellScript(tuple(state.commands), tuple(dict.fromkeys(state.problems)), tuple(state.positions))


def _hidden_character(text: str) -> str | None:
    """Return a character that a reader of the command does not see; line breaks and tabs are visible."""
    return next(
        (
            one
            for one in text
            if one in (HOLE, _SPLIT) or (one not in "\n\t\r" and unicodedata.category(one) in ("Cc", "Cf", "Co", "Cn"))
        ),
        None,
    )


class _State:
    """What all nested parsers of one script share."""

    def __init__(self, text: str) -> None:
        self.commands: list[SimpleCommand] = []
        self.positions: list[CommandPosition] = []  # of the commands
        self.scope: tuple[int, ...] = ()
        self.scopes = 0
        self.joined = ""  # the operator before the command that is parsed
        self.uncertain = 0  # lists around it that may not get there
        self.branches = False  # it contains a branch, loop or function so far
        self.controls = False  # it contains a branch or loop so far
        self.associative: set[str] = set()  # arrays that certainly have texts as indexes, which bash does not evaluate
        self.functions: dict[str, int] = {}  # name of a function that is certainly defined → its first command
        self.problems: list[str] = []
        self.variables: dict[str, str] = {"HOME": "~", "PWD": ".", "IFS": _SPLIT}
        self.names = _count_names(_READ_WITH_IFS.sub("", text))
        self.splits_as_usual = "IFS" not in self.names  # a changed IFS splits values elsewhere than at blanks
        self.computed: set[str] = set()  # variables with a value that a command or a file decides
        self.takes_from: dict[str, set[str]] = {}  # variable → variables in the values that it gets
        self.calculated: set[str] = set()  # variables in arithmetic and in indexes

    def add(self, command: SimpleCommand) -> None:
        certain = not self.branches and not self.uncertain
        calls = bool(command.words) and command.words[0].text in self.functions
        self.commands.append(command)
        self.positions.append(CommandPosition(self.scope, self.joined == "&&", certain, calls))

    def defines_certainly(self) -> bool:
        """Whether what is defined here is defined for all later commands."""
        return not (self.controls or self.uncertain or self.scope or "unset" in self.names)

    def new_scope(self) -> tuple[int, ...]:
        self.scopes += 1
        return (*self.scope, self.scopes)

    def move_to_own_scope(self, first: int) -> None:
        """Move the commands from this one on to a scope of their own: stages of pipelines run in subshells."""
        own, depth = self.new_scope(), len(self.scope)
        self.functions = {name: number for name, number in self.functions.items() if number < first}
        self.positions[first:] = [replace(one, scope=(*own, *one.scope[depth:])) for one in self.positions[first:]]

    def assign(self, name: str, value: Word) -> None:
        """Remember a value if nothing else in the script can change it."""
        once = self.names.get(name, 0) == 1 and self.splits_as_usual
        self.variables[name] = value.text if once and value.known else HOLE

    def note_value(self, name: str, raw: str, commands: Sequence[SimpleCommand]) -> None:
        """Note what a variable may contain. `raw`: the value as written; `commands`: those of its substitutions."""
        if (commands and not _print_numbers(commands)) or _POSITIONAL.search(raw):
            self.computed.add(name)
        self.takes_from.setdefault(name, set()).update(_IDENTIFIER.findall(raw))

    def note_arithmetic(self, raw: str, commands: Sequence[SimpleCommand] = ()) -> None:
        """Note an expression that bash evaluates, or an index."""
        if (commands and not _print_numbers(commands)) or _POSITIONAL.search(raw):
            self.problems.append("arithmetic on the output of a command or on an argument may run commands in it")
        self.calculated.update(_IDENTIFIER.findall(raw))

    def note_computed_arithmetic(self) -> None:
        """Add a problem for arithmetic on values that may be more than numbers."""
        waiting, seen = list(self.calculated), set[str]()
        while waiting:
            name = waiting.pop()
            if name in self.computed:
                self.problems.append(f"arithmetic on {name[:40]}, which a command or a file decides, may run commands")
                return
            new = self.takes_from.get(name, set()) - seen
            seen |= new
            waiting += new


def _print_numbers(commands: Sequence[SimpleCommand]) -> bool:
    """Whether the commands of a substitution print numbers only."""
    feeding = {id(source) for one in commands for source in one.input_from}
    return all(id(one) in feeding or _prints_numbers(one) for one in commands)


def _prints_numbers(command: SimpleCommand) -> bool:
    words = [word.text for word in command.words]
    name = words[0].rpartition("/")[2] if words else ""
    if any("[" in one for one in words):
        return False
    if name in _PASSES_ON:
        return bool(command.input_from) and any(_prints_numbers(one) for one in command.input_from)
    needed = _NUMBERS.get(name)
    return needed is not None and (not needed or any(re.fullmatch(needed, one) for one in words[1:]))


def _count_names(text: str) -> Mapping[str, int]:
    """How often each name occurs where it may be assigned: everywhere but after `$` and `${`."""
    counts: dict[str, int] = {}
    for match in _NAME.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        if not before.endswith(("$", " -")) and before != "${":
            counts[match.group()] = counts.get(match.group(), 0) + 1
    return counts


class _Unreadable(Exception):
    """The script ends inside a quote or group."""


class _Parser:
    """Parses one text: a script, or the text of a substitution in it."""

    def __init__(self, text: str, state: _State, depth: int) -> None:
        self._text = text
        self._at = 0
        self._state = state
        self._depth = depth
        self._heredocs: list[tuple[str, bool, bool, list[SimpleCommand]]] = []

    # ── scripts and groups ───────────────────────────────────────────────────────────────────────
    def script(self, closing: str, feeding: tuple[SimpleCommand, ...] = ()) -> list[SimpleCommand]:
        """Parse until the end, or until `closing` at the place of a command: `)`, `}`, `;;`. `feeding`: commands whose
        output the whole script reads."""
        if self._depth > DEEPEST or len(self._state.commands) > MOST:
            self._problem("it is nested too deeply" if self._depth > DEEPEST else "it has too many commands")
            self._at = len(self._text)
            return []
        found: list[SimpleCommand] = []
        try:
            self._read_script(closing, feeding, found)
        except _Unreadable:
            self._problem("a quote or bracket in it is not closed")
            self._at = len(self._text)
        return found

    def _read_script(self, closing: str, feeding: tuple[SimpleCommand, ...], found: list[SimpleCommand]) -> None:
        previous, joined = feeding, self._state.joined
        while True:
            self._skip_blanks()
            if self._at >= len(self._text):
                self._take_heredocs()
                if closing:
                    raise _Unreadable
                return
            if len(self._state.commands) > MOST:
                self._problem("it has too many commands")
                self._at = len(self._text)
                return
            if self._closes(closing):
                return
            before = self._at
            if self._take("\n"):
                self._take_heredocs()
                previous, joined = feeding, ""
            elif operator := next((one for one in ("&&", "||", ";", "&") if self._take(one)), ""):
                previous, joined = feeding, operator
            elif self._take("|&") or self._take("|"):
                previous, joined = previous or feeding, "|"
            else:
                first = len(self._state.commands)
                stage = self._listed_stage(previous, joined)
                found += stage
                self._skip_blanks()
                piped = self._looking_at("|") and not self._looking_at("||")
                if piped or joined == "|" or (self._looking_at("&") and not self._looking_at("&&")):
                    self._state.move_to_own_scope(first)
                previous = tuple(stage) if self._looking_at("|") and not self._looking_at("||") else feeding
            if self._at == before:
                self._problem(f"{self._text[self._at]!r} is not understood")
                self._at += 1

    def _listed_stage(self, feeding: tuple[SimpleCommand, ...], joined: str) -> list[SimpleCommand]:
        """Parse a stage after an operator."""
        state, conditional = self._state, joined in ("&&", "||")
        state.joined, state.uncertain = joined, state.uncertain + conditional
        try:
            return self._stage(feeding)
        finally:
            state.joined, state.uncertain = joined, state.uncertain - conditional

    def _closes(self, closing: str) -> bool:
        if closing == ";;":
            if self._looking_at(";;") or self._looking_at(";&"):
                self._at += 3 if self._looking_at(";;&") else 2
                return True
            return self._keyword() == "esac"
        if closing == "}":
            if self._keyword() == "}":
                self._at += 1
                return True
            return False
        return bool(closing) and self._take(closing)

    def _keyword(self) -> str:
        """The bare word at this place, without consuming it."""
        end = self._at
        while end < len(self._text) and self._text[end] not in _ENDS_WORD and self._text[end] not in "\"'\\$`":
            end += 1
        complete = end == len(self._text) or self._text[end] in _ENDS_WORD
        return self._text[self._at : end] if complete else ""

    def _stage(self, feeding: tuple[SimpleCommand, ...]) -> list[SimpleCommand]:
        """Parse one stage of a pipeline: a simple or compound command."""
        while (word := self._keyword()) in _SKIPPED_WORDS:
            self._state.branches = self._state.controls = True
            self._at += len(word)
            self._skip_blanks()
            if self._at >= len(self._text) or self._text[self._at] in "\n;&|)":
                if self._redirects_here():
                    break
                return []
        if self._looking_at("((") and self._arithmetic(2):
            return self._after_group([])
        if self._take("("):
            return self._after_group(self._nested_script(")", feeding))
        if word == "{":
            self._at += 1
            return self._after_group(self._nested_script("}", feeding))
        self._state.controls = self._state.controls or word in ("for", "select", "case")
        self._state.branches = self._state.branches or self._state.controls
        if word in ("for", "select"):
            return self._loop_words()
        if word == "case":
            return self._after_group(self._case(feeding))
        if word == "function":
            self._at += len(word)
            self._skip_blanks()
            name = self._word()
            self._skip_blanks()
            if self._take("("):
                self._skip_blanks()
                self._take(")")
            self._skip_lines()
            return self._function(name[0].text if name else "", feeding)
        if word == "[[":
            return self._test()
        return self._simple(feeding)

    def _function(self, name: str, feeding: tuple[SimpleCommand, ...]) -> list[SimpleCommand]:
        """Parse the body of a function, which may be called anywhere."""
        number, self._state.branches = len(self._state.commands), True
        body = self._stage(feeding)
        if any(one.words[:1] and one.words[0].text == name for one in self._state.commands[number:]):
            self._problem(f"the function {name[:40]} in it calls itself")
        if self._state.defines_certainly():
            self._state.functions[name] = number
        return body

    def _redirects_here(self) -> bool:
        return self._at < len(self._text) and _REDIRECTION.match(self._text, self._at) is not None

    def _nested_script(self, closing: str, feeding: tuple[SimpleCommand, ...] = ()) -> list[SimpleCommand]:
        outside = self._state.scope
        self._depth += 1
        self._state.scope = self._state.new_scope() if closing == ")" else outside
        try:
            found = self.script(closing, feeding)
        finally:
            self._depth -= 1
            self._state.scope = outside
        return found

    def _after_group(self, group: list[SimpleCommand]) -> list[SimpleCommand]:
        """Parse the redirections after a group."""
        self._skip_blanks()
        return [*group, *self._simple(())] if self._redirects_here() else group

    def _loop_words(self) -> list[SimpleCommand]:
        """Parse `for x in a b c` up to the end of its words, and `for ((…))`."""
        self._at += len(self._keyword())
        self._skip_blanks()
        if self._looking_at("((") and self._arithmetic(2, loop=True):
            return []
        name = self._word()
        started, number, words = self._at, len(self._state.commands), list[Word]()
        if name:
            self._state.variables[name[0].text] = HOLE
            if name[0].text.isupper():  # perhaps a variable that other programs look at
                self._add(SimpleCommand((), ((name[0].text, Word("")),)))
        self._skip_blanks()
        if self._keyword() == "in":
            self._at += 2
            self._skip_blanks()
            while self._at < len(self._text) and self._text[self._at] not in "\n;&|":
                if not (found := self._word()):
                    break
                words += found
                self._skip_blanks()
        if name:
            self._state.note_value(name[0].text, self._text[started : self._at], self._state.commands[number:])
            if (
                len(words) == 1
                and words[0].known
                and not words[0].quoted
                and any(one in words[0].text for one in "*?[")
            ):
                self._state.assign(name[0].text, words[0])  # it stands for each of the files
        return []

    def _case(self, feeding: tuple[SimpleCommand, ...]) -> list[SimpleCommand]:
        self._at += len("case")
        self._skip_blanks()
        self._word()
        self._skip_lines()
        if self._keyword() != "in":
            self._problem("a case is not understood")
            return []
        self._at += 2
        found: list[SimpleCommand] = []
        while True:
            self._skip_lines()
            if self._at >= len(self._text):
                raise _Unreadable
            if self._keyword() == "esac":
                self._at += 4
                return found
            self._take("(")
            while not self._take(")"):
                self._skip_blanks()
                if not (self._take("|") or self._word()):
                    raise _Unreadable
                self._skip_blanks()
            found += self._nested_script(";;", feeding)

    def _test(self) -> list[SimpleCommand]:
        """Parse `[[ … ]]`, whose operators are words."""
        words = [Word("[[")]
        started, number = self._at, len(self._state.commands)
        self._at += 2
        while True:
            self._skip_lines()
            if self._at >= len(self._text):
                raise _Unreadable
            if self._keyword() == "]]":
                self._at += 2
                break
            words += self._word() or [Word(self._step())]
        self._note_builtin(words, self._text[started : self._at], self._state.commands[number:])
        return self._after_group([self._add(SimpleCommand((*words, Word("]]"))))])

    # ── simple commands ──────────────────────────────────────────────────────────────────────────
    def _simple(self, feeding: tuple[SimpleCommand, ...]) -> list[SimpleCommand]:
        words: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        redirections: list[Redirection] = []
        nested: list[SimpleCommand] = []
        number, started = len(self._state.commands), self._at
        heredocs = len(self._heredocs)
        body: list[SimpleCommand] = []
        while True:
            self._skip_blanks()
            if self._at >= len(self._text):
                break
            if (match := _REDIRECTION.match(self._text, self._at)) is not None:
                if match[2] in ("<", ">") and self._text[match.end() : match.end() + 1] == "(" and not match[1]:
                    words += self._word()
                else:
                    self._redirection(match, redirections, body)
                continue
            if self._text[self._at] in "\n;&|)":
                break
            if self._text[self._at] == "(":
                if len(words) == 1 and self._takes_empty_brackets():
                    self._skip_lines()
                    return self._function(words[0].text, feeding)
                self._problem("a bracket in it is not understood")
                self._at += 1
                continue
            if not words and (match := _ASSIGNMENT.match(self._text, self._at)) is not None:
                before, index = len(self._state.commands), match[2]
                if index:
                    _Parser(index, self._state, self._depth + 1).expanded()
                    if match[1] not in self._state.associative:
                        self._state.note_arithmetic(index, self._state.commands[before:])
                self._at = match.end()
                before = len(self._state.commands)
                assignments.append((match[1], self._assigned()))
                self._state.note_value(match[1], self._text[match.end() : self._at], self._state.commands[before:])
                continue
            words += self._word()
        if not words:
            for name, value in assignments:
                self._state.assign(name, value)
        # commands inside its words ran before it, and what they print may be part of it
        inner = tuple(self._state.commands[number:])
        self._note_builtin(words, self._text[started : self._at], inner)
        made = SimpleCommand(tuple(words), tuple(assignments), tuple(redirections), (*feeding, *inner))
        nested.append(self._add(made))
        for index in range(heredocs, len(self._heredocs)):
            self._heredocs[index] = (*self._heredocs[index][:3], nested)
        return nested

    def _note_builtin(self, words: Sequence[Word], raw: str, inner: Sequence[SimpleCommand]) -> None:
        """Note which variables a builtin sets, and what it evaluates."""
        names = [one.text for one in itertools.dropwhile(lambda one: one.text in ("command", "builtin"), words)]
        name, rest = (names[0], names[1:]) if names else ("", [])
        state = self._state
        if name == "let":
            state.note_arithmetic(raw, inner)
        elif name in ("declare", "typeset", "local", "readonly", "export"):
            if any(re.fullmatch(r"-\w*A\w*", one) for one in rest) and state.defines_certainly():
                state.associative.update(one.partition("=")[0] for one in rest)
            integer = any(re.fullmatch(r"[-+]\w*i\w*", one) for one in rest)
            for one in (one for one in rest if not one.startswith("-")):
                state.note_value(one.partition("=")[0].partition("[")[0], raw, inner)
                state.calculated |= {one.partition("=")[0]} if integer else set()
                if any(re.fullmatch(r"-\w*n\w*", option) for option in rest):  # one variable under two names
                    state.takes_from.setdefault(one.partition("=")[2], set()).add(one.partition("=")[0])
        elif name in ("read", "mapfile", "readarray", "getopts", "printf", "wait"):
            state.computed.update(one for one in (*rest, "REPLY", "MAPFILE", "OPTARG") if _NAME.fullmatch(one))
        if name in ("test", "[", "[[", "printf", "wait") and (match := _VARIABLE_NAME.search(raw)):
            state.note_arithmetic(match[1], inner)
        sets = ("unset", "read", "mapfile", "readarray", "declare", "typeset", "local", "readonly", "export")
        if name in sets and 0 <= raw.find("[") < raw.rfind("]"):
            state.note_arithmetic(raw[raw.find("[") : raw.rfind("]")], inner)
        if name in ("unset", "read") and any(not word.known for word in words):
            state.note_arithmetic(" ".join(re.findall(r"\$\{?(\w+)", raw)), inner)
        if name == "[[":
            parts = raw.split()
            for left, operator, right in zip(parts, parts[1:], parts[2:], strict=False):
                if operator in _NUMBER_TESTS:
                    state.note_arithmetic(f"{left} {right}", inner)

    def _add(self, command: SimpleCommand) -> SimpleCommand:
        self._state.add(command)
        return command

    def _takes_empty_brackets(self) -> bool:
        match = re.compile(r"\(\s*\)").match(self._text, self._at)
        if match is not None:
            self._at = match.end()
        return match is not None

    def _assigned(self) -> Word:
        if self._take("("):  # an array
            while not self._take(")"):
                self._skip_lines()
                if self._at >= len(self._text):
                    raise _Unreadable
                if not self._looking_at(")") and not self._word():
                    self._problem("an array in it is not understood")
                    self._at += 1
                self._skip_lines()
            return Word(HOLE)
        found = self._word(splits=False)
        return found[0] if found else Word("")

    def _redirection(self, match: re.Match[str], redirections: list[Redirection], body: list[SimpleCommand]) -> None:
        self._at = match.end()
        operator = match[2]
        self._skip_blanks()
        if operator in ("<<", "<<-"):
            start = self._at
            words = self._word(splits=False)
            raw = self._text[start : self._at]
            quoted = any(one in raw for one in "'\"\\")
            self._heredocs.append((words[0].text if words else "", operator == "<<-", quoted, body))
            return
        words = self._word(splits=False)
        target = words[0] if words else Word(HOLE)
        if operator in (">&", "<&") and re.fullmatch(r"\d*-?", target.text):
            return  # copies a descriptor
        kind = {"&>": ">", "&>>": ">>", ">|": ">", ">&": ">", "<&": "<"}.get(operator, operator)
        redirections.append(Redirection(kind, target))

    def _take_heredocs(self) -> None:
        """Read the texts of the heredocs of the line that has just ended, and give each to its command."""
        waiting, self._heredocs = self._heredocs, []
        for end, tabs, quoted, holders in waiting:
            lines: list[str] = []
            while self._at < len(self._text):
                stop = self._text.find("\n", self._at)
                line = self._text[self._at : stop if stop >= 0 else len(self._text)]
                self._at = stop + 1 if stop >= 0 else len(self._text)
                line = line.lstrip("\t") if tabs else line
                if line == end:
                    break
                lines.append(line)
            else:
                self._problem("a heredoc in it is not closed")
            text = "\n".join(lines)
            if not quoted:
                text = _Parser(text, self._state, self._depth + 1).expanded()
            self._feed(holders, text)

    def _feed(self, holders: list[SimpleCommand], text: str) -> None:
        if not holders:
            return
        before = holders[-1]
        redirection = Redirection("<<", Word(text, quoted=True))
        after = SimpleCommand(before.words, before.assignments, (*before.redirections, redirection), before.input_from)
        commands = self._state.commands
        commands[:] = [after if one is before else one for one in commands]
        holders[-1] = after

    # ── words ────────────────────────────────────────────────────────────────────────────────────
    def expanded(self) -> str:
        """Expand a text as inside double quotes."""
        parts: list[str] = []
        try:
            while self._at < len(self._text):
                parts.append(self._quoted_part(""))
        except _Unreadable:
            self._problem("a substitution in it is not closed")
            self._at = len(self._text)
        return "".join(parts)

    def _word(self, *, splits: bool = True) -> list[Word]:
        """Parse one word; brace expansion and known variables may make several of it, or none."""
        letters: list[str] = []
        quoted: list[bool] = []

        def add(text: str, *, inside: bool) -> None:
            letters.extend(text)
            quoted.extend([inside] * len(text))

        any_quote, started = False, self._at
        while self._at < len(self._text):
            one = self._text[self._at]
            if one in "<>" and self._text[self._at + 1 : self._at + 2] == "(" and not letters:
                self._at += 2
                self._nested_script(")")
                add(_SUBSTITUTED, inside=True)
                continue
            if one in _ENDS_WORD:
                break
            if one == "\\":
                if not self._looking_at("\\\n"):
                    add(self._text[self._at + 1 : self._at + 2], inside=True)
                    any_quote = True
                self._at += 2
            elif one == "'":
                any_quote = True
                add(self._single_quoted(), inside=True)
            elif one == '"':
                any_quote = True
                self._at += 1
                while not self._take('"'):
                    add(self._quoted_part('"'), inside=True)
            elif one == "$":
                text = self._dollar()
                decoded = self._text[self._at - 1] == "'"
                add(text if splits or decoded else text.replace(_SPLIT, " "), inside=decoded)
            elif one == "`":
                add(self._backticks(), inside=False)
            else:
                add(one, inside=False)
                self._at += 1
        if self._at == started:
            return []
        return self._finished(letters, quoted, any_quote, splits)

    def _finished(self, letters: list[str], quoted: list[bool], any_quote: bool, splits: bool) -> list[Word]:
        pairs = list(zip(letters, quoted, strict=True))
        if pairs.count(("{", False)) > _MOST_BRACES:
            self._problem("it has too many braces")
            splits = False
        expanded = _braces(pairs) if splits else [pairs]
        if len(expanded) >= _MOST_WORDS:
            self._problem("a brace expansion in it makes too many words")
        words: list[Word] = []
        for one in expanded:
            for part in _split(one) if splits else [one]:
                text = "".join(letter for letter, _ in part).replace(_SPLIT, " ")
                if text or any_quote:
                    words.append(Word(text, any_quote))
        return words

    def _quoted_part(self, end: str) -> str:
        """Parse one piece inside double quotes."""
        if self._at >= len(self._text):
            raise _Unreadable
        one = self._text[self._at]
        if one == "\\":
            after = self._text[self._at + 1 : self._at + 2]
            self._at += 2
            return "" if after == "\n" else after if after in '$`"\\' else f"\\{after}"
        if one == "$" and self._text[self._at + 1 : self._at + 2] not in ("'", '"'):
            return self._dollar().replace(_SPLIT, " ")
        if one == "`":
            return self._backticks()
        self._at += 1
        return one

    def _single_quoted(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise _Unreadable
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return text

    def _dollar(self) -> str:
        """Expand what follows a dollar sign."""
        self._at += 1
        following = self._text[self._at : self._at + 1]
        if following == "'":
            return self._escaped_text()
        if following == '"':
            self._at += 1
            parts = []
            while not self._take('"'):
                parts.append(self._quoted_part('"'))
            return "".join(parts)
        if self._looking_at("((") and self._arithmetic(2):
            return HOLE
        if following == "(":
            self._at += 1
            inner = self._nested_script(")")
            only = inner[0] if len(inner) == 1 else None
            return "." if only is not None and only.text == "pwd" else HOLE
        if following == "{":
            return self._braced_variable()
        if following == "[":
            start, depth = self._at + 1, 0
            for at in range(self._at, len(self._text)):
                depth += {"[": 1, "]": -1}.get(self._text[at], 0)
                if depth == 0:
                    break
            else:
                raise _Unreadable
            self._evaluate(self._text[start:at])
            self._at = at + 1
            return HOLE
        if (name := _NAME.match(self._text, self._at)) is not None:
            self._at = name.end()
            return self._value(name.group())
        if following and following in "@*#?$!-0123456789":
            self._at += 1
            return HOLE
        return "$"

    def _value(self, name: str) -> str:
        return self._state.variables.get(name, HOLE).replace(" ", _SPLIT)

    def _braced_variable(self) -> str:
        start = self._at + 1
        depth, at = 0, self._at
        while at < len(self._text):
            one = self._text[at]
            if one == "\\":
                at += 1
            elif one == "'":
                close = self._text.find("'", at + 1)
                at = close if close >= 0 else at
            elif one == "{":
                depth += 1
            elif one == "}":
                depth -= 1
                if depth == 0:
                    break
            at += 1
        if at >= len(self._text):
            raise _Unreadable
        inner, self._at = self._text[start:at], at + 1
        if _NAME.fullmatch(inner):
            return self._value(inner)
        number = len(self._state.commands)
        if "`" in inner or "$(" in inner or "<(" in inner or ">(" in inner:
            _Parser(inner, self._state, self._depth + 1).expanded()
        self._note_expansion(inner, self._state.commands[number:])
        if "@P" in inner:
            self._problem("it expands a value as a prompt, which may run commands")
        return HOLE

    def _note_expansion(self, inner: str, commands: Sequence[SimpleCommand]) -> None:
        """Note what `${…}` sets or evaluates: `${x:=value}`, `${x[index]}`, `${x:offset:length}`."""
        name = _NAME.match(inner.lstrip("!#"))
        if name is None:
            return
        rest = inner.lstrip("!#")[name.end() :]
        if rest.startswith(("[@]", "[*]")):
            rest = rest[3:]
        elif rest.startswith("[") and "]" in rest:
            index, _, rest = rest[1:].rpartition("]")
            if name.group() not in self._state.associative:
                self._state.note_arithmetic(index, commands)
        if rest.startswith((":=", "=")):
            value = rest.lstrip(":=")
            self._state.variables[name.group()] = HOLE
            self._state.note_value(name.group(), value, commands)
            self._add(SimpleCommand((), ((name.group(), Word(value if "$" not in value else HOLE)),)))
        elif rest.startswith(":") and rest[1:2] not in ("-", "+", "?"):
            self._state.note_arithmetic(rest[1:], commands)

    def _backticks(self) -> str:
        end = self._at + 1
        while end < len(self._text) and self._text[end] != "`":
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise _Unreadable
        inner = re.sub(r"\\([`\\$])", r"\1", self._text[self._at + 1 : end])
        self._at = end + 1
        outside, self._state.scope = self._state.scope, self._state.new_scope()
        _Parser(inner, self._state, self._depth + 1).script("")
        self._state.scope = outside
        return HOLE

    def _escaped_text(self) -> str:
        r"""Decode `$'…'`, for example `$'\x72m'`."""
        self._at += 1
        parts: list[str] = []
        while self._at < len(self._text):
            one = self._text[self._at]
            if one == "'":
                self._at += 1
                return "".join(parts)
            if one != "\\":
                parts.append(one)
                self._at += 1
                continue
            self._at += 1
            following = self._text[self._at : self._at + 1]
            if (match := _CODES.match(self._text, self._at)) is not None:
                digits = next(group for group in match.groups() if group is not None)
                code = int(digits, 8 if match[4] is not None else 16)
                parts.append(chr(code) if code < 0x110000 else "\ufffd")
                self._at = match.end()
            elif following == "c":
                self._problem("it contains a control character")
                self._at += 2
            else:
                parts.append(_ESCAPES.get(following, f"\\{following}"))
                self._at += 1
        raise _Unreadable

    def _arithmetic(self, opening: int, *, loop: bool = False) -> bool:
        """Skip `((…))` if it is arithmetic, and parse the substitutions in it."""
        start = self._at + opening
        depth, at = opening, start
        while at < len(self._text) and depth:
            depth += {"(": 1, ")": -1}.get(self._text[at], 0)
            at += 1
        inner = self._text[start : at - opening]
        if depth or self._text[at - 2 : at] != "))":
            return False
        substitutes = "$(" in inner or "`" in inner
        if not substitutes and not _ARITHMETIC.fullmatch(inner.replace(";", ",") if loop else inner):
            return False
        self._evaluate(inner)
        self._at = at
        return True

    def _evaluate(self, expression: str) -> None:
        """Note an arithmetic expression, and parse the substitutions in it."""
        number = len(self._state.commands)
        _Parser(expression, self._state, self._depth + 1).expanded()
        self._state.note_arithmetic(expression, self._state.commands[number:])

    # ── reading ──────────────────────────────────────────────────────────────────────────────────
    def _skip_blanks(self) -> None:
        """Skip blanks, continued lines and a comment."""
        while self._at < len(self._text):
            if self._text[self._at] in _BLANK or self._looking_at("\r\n"):
                self._at += 1
            elif self._looking_at("\\\n"):
                self._at += 2
            elif self._text[self._at] == "#" and (self._at == 0 or self._text[self._at - 1] in " \t\n;&|()"):
                end = self._text.find("\n", self._at)
                self._at = end if end >= 0 else len(self._text)
            else:
                return

    def _skip_lines(self) -> None:
        self._skip_blanks()
        while self._take("\n"):
            self._skip_blanks()

    def _looking_at(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        if not self._looking_at(text):
            return False
        self._at += len(text)
        return True

    def _step(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _problem(self, text: str) -> None:
        self._state.problems.append(text)


_Letters = list[tuple[str, bool]]


def _split(letters: _Letters) -> list[_Letters]:
    """Split a word where an unquoted expansion contains blanks."""
    parts: list[_Letters] = [[]]
    for letter, quoted in letters:
        if letter == _SPLIT and not quoted:
            parts.append([])
        else:
            parts[-1].append((letter, quoted))
    return [part for part in parts if part] or [[]]


def _braces(letters: _Letters, budget: int = _MOST_WORDS) -> list[_Letters]:
    """Expand the first unquoted `{a,b}`, then those in the results. A range such as `{1..9}` becomes HOLE."""
    for start, (letter, quoted) in enumerate(letters):
        if letter != "{" or quoted or (start and letters[start - 1] == ("$", False)):
            continue
        depth, commas = 0, []
        for at in range(start, len(letters)):
            one, inside = letters[at]
            if inside:
                continue
            depth += {"{": 1, "}": -1}.get(one, 0)
            if one == "," and depth == 1:
                commas.append(at)
            if depth == 0:
                break
        else:
            continue
        if not commas:
            inner = "".join(one for one, _ in letters[start + 1 : at])
            if ".." in inner:
                return _braces([*letters[:start], (HOLE, True), *letters[at + 1 :]], budget)
            continue
        edges = [start, *commas, at]
        found: list[_Letters] = []
        for left, right in itertools.pairwise(edges):
            part = [*letters[:start], *letters[left + 1 : right], *letters[at + 1 :]]
            found += _braces(part, budget - len(found))
            if len(found) >= budget:
                break
        return found[:_MOST_WORDS]
    return [letters]
