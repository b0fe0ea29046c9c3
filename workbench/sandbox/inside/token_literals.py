"""Tokens such as `[EMAIL_1.k7q2]` in a program's text, which compare equal to the values that they stand for.

A token in the text stays a token: it is printed, joined and passed to tools as it is written. Comparisons and look-ups
find its value as soon as the program has received that value, in an answer of a tool, a file or a variable of its REPL
session; before that, a token equals only itself. The core never sends a value: it says where in the received data the
value is, and only the hash of the value is kept. Uses only the standard library.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, Final

TABLE: Final = "__tokens__"  # name of the table in a program
_TOKEN = re.compile(r"(?:\[|%5B)[A-Z_]{2,20}_\d{1,7}\.[0-9a-z]{4}(?:\]|%5D)", re.IGNORECASE | re.ASCII)
_SET_METHODS: Final = {ast.BitAnd: "intersection", ast.Sub: "difference"}
_METHODS: Final = frozenset(  # methods whose first argument may be a token
    ("count", "endswith", "find", "get", "index", "partition", "removeprefix", "removesuffix", "replace", "rfind"),
).union(("rindex", "rpartition", "rsplit", "split", "startswith", "difference", "intersection", "isdisjoint"))
_FORMS: Final = ("lower", "upper", "casefold")
_MOST: Final = 2_000_000  # values of a REPL session that are searched


class TokenText(str):
    """A token of the program's text, which equals its value once the program has received that value."""

    __slots__ = ("form", "token")

    token: Token
    form: str

    def __new__(cls, text: str, token: Token, form: str = "") -> TokenText:
        made = super().__new__(cls, text)
        made.token, made.form = token, form
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other) or self.token.has_value(other, self.form)
        return self.token.number is not None and not self.form and self.token.number == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        """The hash of the value; that of the text if it was asked for before the value was known, because a hash never
        changes."""
        if self.form not in self.token.early and (known := self.token.hash_of(self.form)) is not None:
            return known
        self.token.early[self.form] = self[:]
        return str.__hash__(self)

    def __str__(self) -> str:
        return self

    def equals_value(self, other: object) -> bool | None:
        """Whether the value is this text in any spelling; None if that is not known here."""
        if not isinstance(other, str) or isinstance(other, TokenText) or not self.token.is_known or self.form:
            return None
        return self == other or any(self.token.has_value(text, form) for form, text in _spellings(other).items())

    def strip(self, *letters: Any) -> str:  # Any: as in the method of `str`
        return str.strip(self, *letters) if letters else self

    def lower(self) -> str:
        return self._in_form("lower")

    def upper(self) -> str:
        return self._in_form("upper")

    def casefold(self) -> str:
        return self._in_form("casefold")

    def _in_form(self, form: str) -> str:
        text = getattr(str, form)(self)
        return text if self.form else TokenText(text, self.token, form)

    def __copy__(self) -> TokenText:
        return self

    def __deepcopy__(self, memo: object) -> TokenText:
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self[:],)


class Token:
    """What is known about the value of one token: its hash and length in several forms, never the value."""

    def __init__(self) -> None:
        self.number: int | float | None = None  # the value, if it is a number
        self.early: dict[str, str] = {}  # forms that were hashed before the value was known → their text
        self._values: dict[str, tuple[int, int]] = {}

    @property
    def is_known(self) -> bool:
        return bool(self._values) or self.number is not None

    def learn(self, value: object) -> None:
        """Remember the hash of the value, which the program has received."""
        if isinstance(value, str):
            texts = {"": value, **{form: getattr(value, form)() for form in _FORMS}, **_spellings(value)}
            self._values = {form: (hash(text), len(text)) for form, text in texts.items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.number = value

    def has_value(self, text: str, form: str) -> bool:
        """Whether a text is the value in this form."""
        known = self._values.get(form)
        return known is not None and len(text) == known[1] and str.__hash__(text) == known[0]

    def hash_of(self, form: str) -> int | None:
        """The hash of the value in this form, if it is known."""
        if self.number is not None and not form:
            return hash(self.number)
        return self._values[form][0] if form in self._values else None

    def piece_of(self, text: str, form: str) -> str | None:
        """The first piece of a text that is the value."""
        length = self._values[form][1] if form in self._values else 0
        pieces = (text[at : at + length] for at in range(len(text) - length + 1)) if length else iter(())
        return next((piece for piece in pieces if self.has_value(piece, form)), None)


class TokenTable:
    """All tokens in the texts of the programs of this process; the programs call its methods in place of some of
    Python's operations."""

    def __init__(self) -> None:
        self._tokens: dict[str, Token] = {}

    def add(self, text: str) -> str:
        """Add a token; returns the name of the attribute that holds it."""
        numbers = {known: number for number, known in enumerate(self._tokens)}
        if text not in numbers:
            self._tokens[text] = Token()
            setattr(self, f"token_{len(numbers)}", TokenText(text, self._tokens[text]))
        return f"token_{numbers.get(text, len(numbers))}"

    @property
    def needs_values(self) -> bool:
        """Whether the value of a token is not known yet."""
        return not all(token.is_known for token in self._tokens.values())

    def learn(self, places: Any, value: Any) -> None:  # Any: JSON
        """Learn values from an answer. A place is a token, the path of a value in the answer, and its begin and end."""
        for text, path, start, end in places:
            with contextlib.suppress(LookupError, TypeError):
                found = value
                for step in path:
                    found = list(found)[step[0]] if isinstance(step, list) else found[step]
                self._tokens[text].learn(found[start:end] if isinstance(found, str) else found)

    def learn_ahead(self, hints: Mapping[str, Any], names: Mapping[str, Any], workspace: Path) -> None:
        """Learn values that the program can already read. A hint is a place in a file of the workspace, or salt, digest
        and length of a value that is in a variable. Any: JSON, and a program's names."""
        digests: dict[int, list[tuple[str, bytes, str]]] = {}
        for text, hint in hints.items():
            if "file" in hint:
                with contextlib.suppress(OSError, ValueError):
                    whole = (workspace / hint["file"]).read_text(encoding="utf-8")
                    self._tokens[text].learn(whole[hint["start"] : hint["end"]])
            else:
                digests.setdefault(hint["length"], []).append((text, bytes.fromhex(hint["salt"]), hint["digest"]))
        for leaf in _texts(names) if digests else ():
            for text, salt, digest in digests.get(len(leaf), ()):
                if not self._tokens[text].is_known and digest_of(salt, leaf) == digest:
                    self._tokens[text].learn(leaf)

    def contains(self, item: Any, container: Any) -> bool:  # Any: values of the program
        """`item in container`."""
        if item in container:
            return True
        if isinstance(container, str):
            return isinstance(item, TokenText) and item.token.piece_of(container, item.form) is not None
        return isinstance(container, Set | Mapping) and self._key_in(container, item) is not None

    def call(self, method: str, owner: Any, *arguments: Any, **named: Any) -> Any:  # Any: values of the program
        """`owner.method(…)`, with the value in place of a token that is looked up."""
        if arguments:
            first, *rest = arguments
            if isinstance(owner, Set) and not rest and self._hashed_early:
                return self._combine(method, owner, first)
            if isinstance(owner, str):
                first = _piece(owner, first)
            elif isinstance(owner, dict) and method == "get" and first not in owner:
                key = self._key_in(owner, first)
                first = first if key is None else key
            arguments = (first, *rest)
        return getattr(owner, method)(*arguments, **named)

    def operate(self, method: str, left: Any, right: Any) -> Any:  # Any: values of the program
        """`left & right` or `left - right`."""
        if isinstance(left, Set) and isinstance(right, Set) and self._hashed_early:
            return self._combine(method, left, right)
        return left & right if method == "intersection" else left - right

    @property
    def _hashed_early(self) -> bool:
        return any(token.early and token.is_known for token in self._tokens.values())

    def _combine(self, method: str, owner: Any, other: Any) -> Any:  # Any: sets of the program
        """The result of a set's method where a token may have been put into a set before its value was known."""
        other = other if isinstance(other, Set | Mapping) else set(other)
        if method == "isdisjoint":
            return not any(self.contains(one, other) for one in owner)
        kept = (one for one in owner if self.contains(one, other) is (method == "intersection"))
        return frozenset(kept) if isinstance(owner, frozenset) else set(kept)

    def item(self, owner: Any, key: Any) -> Any:  # Any: values of the program
        """`owner[key]`."""
        if isinstance(owner, dict) and isinstance(key, str | int | float) and key not in owner:
            other = self._key_in(owner, key)
            key = key if other is None else other
        return owner[key]

    def _key_in(self, container: Any, wanted: Any) -> Any:  # Any: values of the program
        """What finds a token in a set or dict although its hash was taken before its value was known."""
        if isinstance(wanted, TokenText) and wanted.form in wanted.token.early:
            probe = _Probe(wanted)
            if wanted.token.is_known and probe in container:
                return probe
        for token in self._tokens.values():
            for form, text in token.early.items():
                if TokenText(text, token, form) == wanted and text in container:
                    return text
        return None

    def transform(self, tree: ast.Module) -> None:
        """Replace the tokens of a program, and the operations that look values up."""
        _TokenLiterals(self).visit(tree)
        ast.fix_missing_locations(tree)


class _Probe:
    """Finds the value of a token in a set or dict by the hash of the value."""

    def __init__(self, wanted: TokenText) -> None:
        self._wanted = wanted

    def __eq__(self, other: object) -> bool:
        return self._wanted == other

    def __hash__(self) -> int:
        return self._wanted.token.hash_of(self._wanted.form) or 0


class _TokenLiterals(ast.NodeTransformer):
    """Replaces tokens by attributes of the table. `in`, `x[…]` and look-up methods become calls of the table, unless a
    constant is looked up."""

    def __init__(self, table: TokenTable) -> None:
        self._table = table

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str) and _TOKEN.fullmatch(node.value):
            return ast.copy_location(_table(self._table.add(node.value)), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        node.values = [one if isinstance(one, ast.Constant) else self.visit(one) for one in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], ast.In | ast.NotIn) or isinstance(node.left, ast.Constant):
            return node
        found: ast.expr = _call("contains", node.left, *node.comparators)
        found = found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)
        return ast.copy_location(found, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Constant | ast.Slice | ast.Tuple):
            return node
        return ast.copy_location(_call("item", node.value, node.slice), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        method = _SET_METHODS.get(type(node.op))
        if method is None or isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant):
            return node
        return ast.copy_location(_call("operate", ast.Constant(method), node.left, node.right), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in _METHODS:
            return node
        if not node.args or isinstance(node.args[0], ast.Constant):
            return node
        made = _call("call", ast.Constant(function.attr), function.value, *node.args)
        made.keywords = node.keywords
        return ast.copy_location(made, node)


def _table(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(TABLE, ast.Load()), name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_table(name), list(arguments), [])


def _spellings(text: str) -> dict[str, str]:
    """A text in the forms in which `equal` compares it: without differences of case and blanks; numbers also without
    separators."""
    forms = {"words": " ".join(text.casefold().split())}
    bare = "".join(filter(str.isalnum, text)).upper()
    if sum(map(str.isdigit, bare)) * 2 > len(bare) and "@" not in text:
        forms["bare"] = bare.removeprefix("00")
    return forms


def has_tokens(text: str) -> bool:
    """Whether a text contains what may be a token."""
    return _TOKEN.search(text) is not None


def digest_of(salt: bytes, text: str) -> str:
    """The digest by which the core describes a value that is in a variable."""
    import hashlib  # few programs need it

    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=salt, digest_size=16).hexdigest()


def _piece(text: str, wanted: Any) -> Any:  # Any: an argument of the program
    """The piece of a text that is the value of a token, in place of the token."""
    if isinstance(wanted, tuple):
        return tuple(_piece(text, one) for one in wanted)
    if not isinstance(wanted, TokenText):
        return wanted
    piece = wanted.token.piece_of(text, wanted.form)
    return wanted if piece is None else piece


def _texts(names: Mapping[str, Any]) -> Iterator[str]:  # Any: a program's names
    """All texts in the variables of a program, also in lists, sets and dicts."""
    left: list[Any] = [names[name] for name in list(names) if not name.startswith("__")]
    seen: set[int] = set()
    for _ in range(_MOST):
        if not left:
            return
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list | tuple | set | frozenset) and id(value) not in seen:
            seen.add(id(value))
            left += [*value.keys(), *value.values()] if isinstance(value, dict) else value
