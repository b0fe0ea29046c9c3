"""Reads the programs of `sed` and `awk`, which can start commands and write files in places that are easy to overlook.

Both functions answer True only for programs that were understood to their end.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+")
_BLANKS = re.compile(r"[ \t]*")
_LABEL = re.compile(r"[ \t]*[\w.-]*")
_CLASS = re.compile(r"\[:\w+:\]|\[\.[^]]{1,3}\.\]|\[=[^]]{1,3}=\]")
_PLAIN_COMMANDS = "=dDgGhHnNpPxzF"
_TEXT_COMMANDS = "aic"
_LABEL_COMMANDS = ":btT"
_NUMBER_COMMANDS = "qQlL"

_AWK_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_AWK_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SLASH = re.compile(r"\s*/")
_AWK_ACTING = frozenset({"system", "getline", "ARGV", "ENVIRON", "SYMTAB"})
_AWK_BEFORE_VALUE = frozenset({"print", "printf", "return", "in", "case", "exit", "delete", "do", "else"})
_AWK_BEFORE_CONDITION = frozenset({"if", "while", "for", "switch"})


class _NotUnderstood(Exception):
    """The program has a form that is not read."""


def sed_only_edits(program: str) -> bool:
    """Whether a sed program changes only the text that it reads: no commands (`e`), no further files (`r`, `w`)."""
    try:
        _SedProgram(program).read()
    except (_NotUnderstood, IndexError):
        return False
    return True


class _SedProgram:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> None:
        while self._skip_separators():
            self._address()
            self._command()

    def _skip_separators(self) -> bool:
        while self._at < len(self._text) and self._text[self._at] in " \t\n;}":
            self._at += 1
        return self._at < len(self._text)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return match.group() if match else ""

    def _address(self) -> None:
        if self._one_address():
            self._match(_BLANKS)
            if self._next() == ",":
                self._at += 1
                self._match(_BLANKS)
                self._at += self._next() in ("+", "~")
                if not self._one_address():
                    raise _NotUnderstood
        self._match(_BLANKS)
        while self._next() == "!":
            self._at += 1
            self._match(_BLANKS)

    def _one_address(self) -> bool:
        one = self._next()
        if one == "$":
            self._at += 1
        elif one in ("/", "\\"):
            self._at += 1 + (one == "\\")
            self._pattern(self._text[self._at - 1])
            while self._next() in ("I", "M"):
                self._at += 1
        elif self._match(_NUMBER):
            if self._next() == "~":
                self._at += 1
                self._match(_NUMBER)
        else:
            return False
        return True

    def _pattern(self, end: str) -> None:
        """Skip a regular expression; in brackets the sign that ends it stands for itself."""
        if end in ("\n", "\\"):
            raise _NotUnderstood
        while (one := self._text[self._at]) != end:
            if one == "\n":
                raise _NotUnderstood
            if one == "[":
                self._at += 1 + (self._text[self._at + 1] == "^")
                self._at += self._text[self._at] == "]"
                while self._text[self._at] != "]":
                    if not self._match(_CLASS):
                        self._at += 1
            self._at += 2 if one == "\\" else 1
        self._at += 1

    def _plain_part(self, end: str) -> None:
        """Skip a replacement, or a part of `y`."""
        while (one := self._text[self._at]) != end:
            if one == "\n":
                raise _NotUnderstood
            self._at += 2 if one == "\\" else 1
        self._at += 1

    def _command(self) -> None:
        name = self._text[self._at]
        self._at += 1
        if name == "{":
            return
        if name == "#":
            self._skip_line()
            return
        if name in _TEXT_COMMANDS:
            self._skip_text()
            return
        if name in _LABEL_COMMANDS:
            self._match(_LABEL)
        elif name in _NUMBER_COMMANDS:
            self._match(_BLANKS)
            self._match(_NUMBER)
        elif name in ("s", "y"):
            end = self._text[self._at]
            self._at += 1
            (self._pattern if name == "s" else self._plain_part)(end)
            self._plain_part(end)
            while name == "s" and self._next() and self._next() in "gpiIMm0123456789":
                self._at += 1
        elif name not in _PLAIN_COMMANDS:
            raise _NotUnderstood
        self._match(_BLANKS)
        if self._next() == "#":
            self._skip_line()
        elif self._next() and self._next() not in "\n;}":
            raise _NotUnderstood

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = end if end >= 0 else len(self._text)

    def _skip_text(self) -> None:
        """Skip the text of `a`, `i` and `c`: it ends with a line that no backslash continues."""
        while self._at < len(self._text) and self._text[self._at] != "\n":
            self._at += 2 if self._text[self._at] == "\\" else 1


def awk_only_prints(program: str) -> bool:
    """Whether an awk program only computes and prints: no commands, no further files, no redirections of `print`."""
    try:
        _AwkProgram(program).read()
    except (_NotUnderstood, IndexError):
        return False
    return True


class _AwkProgram:
    """Reads an awk program by its tokens: texts, regular expressions and comments contain no code."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._divides = False  # a slash here divides, and does not begin a regular expression
        self._word = ""  # the word before this token
        self._conditions: list[bool] = []  # for each open parenthesis: it belongs to `if`, `while` or `for`
        self._printing: int | None = None  # parentheses that were open where `print` was written

    def read(self) -> None:
        while self._at < len(self._text):
            one = self._text[self._at]
            if one == '"' or (one == "/" and not self._divides):
                self._skip_literal(one)
            elif one == "#":
                end = self._text.find("\n", self._at)
                self._at = end if end >= 0 else len(self._text)
            elif word := _AWK_WORD.match(self._text, self._at):
                self._read_word(word.group())
            elif number := _AWK_NUMBER.match(self._text, self._at):
                self._at, self._divides, self._word = number.end(), True, ""
            elif one in " \t\r" or self._text.startswith("\\\n", self._at):
                self._at += 2 if one == "\\" else 1
            else:
                self._read_sign(one)

    def _read_word(self, word: str) -> None:
        if word in _AWK_ACTING:
            raise _NotUnderstood
        if word in ("print", "printf"):
            self._printing = len(self._conditions)
        self._at += len(word)
        self._divides, self._word = word not in _AWK_BEFORE_VALUE, word

    def _read_sign(self, one: str) -> None:
        two = self._text[self._at : self._at + 2]
        if one not in "(){}[];,\n+-*/%^!<>=&|?:~$" or (one == "|" and two != "||"):
            raise _NotUnderstood  # `|` starts a command, `@` calls or loads what a text names
        if one == ">" and self._printing is not None and len(self._conditions) <= self._printing:
            raise _NotUnderstood
        self._divides = one == "]"
        if one == "(":
            self._conditions.append(self._word in _AWK_BEFORE_CONDITION)
        elif one == ")":
            if not self._conditions:
                raise _NotUnderstood
            self._divides = not self._conditions.pop()
        elif one in ";}":
            self._printing = None
        self._at += 2 if two in ("||", "++", "--") else 1
        if two in ("++", "--") and _SLASH.match(self._text, self._at):
            raise _NotUnderstood  # it divides after a variable, and begins an expression before one
        self._word = ""

    def _skip_literal(self, end: str) -> None:
        """Skip a text or a regular expression."""
        self._at += 1
        while (one := self._text[self._at]) != end:
            if one == "\n":
                raise _NotUnderstood
            if end == "/" and one == "[":  # programs disagree about a slash in brackets
                close = self._text.find("]", self._at + 2)
                if close < 0 or "/" in self._text[self._at : close]:
                    raise _NotUnderstood
            self._at += 2 if one == "\\" else 1
        self._at, self._divides, self._word = self._at + 1, True, ""
