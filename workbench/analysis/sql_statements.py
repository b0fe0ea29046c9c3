"""Says what SQL statements do: "Updates every row of orders", "Drops table x".

A small reader of the words of a statement, not a parser: the first words say what it does and to which table. What it
cannot read, it says. Unknown parts of a text (`HOLE`) are shown as "…". Whether a text certainly only reads is decided
by `permissions/sql_statements.py`; a text about which it has a doubt is never described as reading alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from itertools import islice, pairwise
from typing import Final

from msgspec import Struct

from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.visible_text import shorten
from workbench.permissions.sql_statements import SqlKind, read_sql

MOST_STATEMENTS: Final = 6
MOST_CHANGES: Final = 20  # of one statement
MOST_TEXT: Final = 20_000  # characters that are read
MOST_TABLES: Final = 3
MOST_COLUMNS: Final = 3
_TOKEN: Final = re.compile(
    r"""--[^\n]*|/\*.{0,20000}?\*/|'(?:[^']|''){0,20000}'|"(?:[^"]|""){0,300}"|`[^`]{0,300}`|\[[^\]]{1,300}\]
    |[\w$\ufdd0.]+|;|\(|\)|<=|>=|<>|!=|[^\s\w]""",
    re.VERBOSE | re.DOTALL,
)
_NOISE: Final = frozenset({"ONLY", "TABLE", "IF", "EXISTS", "NOT", "LOW_PRIORITY", "IGNORE", "DELAYED", "TEMP"})
_OBJECTS: Final = frozenset(
    (
        *("TABLE", "VIEW", "INDEX", "DATABASE", "SCHEMA", "USER", "ROLE", "FUNCTION", "TRIGGER", "SEQUENCE"),
        *("PROCEDURE", "TYPE", "EXTENSION", "COLUMN", "MATERIALIZED", "POLICY"),
    )
)
_READING: Final = frozenset(["SELECT", "VALUES", "SHOW", "DESCRIBE", "DESC", "PRAGMA", "TABLE"])
_SESSION: Final = frozenset(["BEGIN", "COMMIT", "ROLLBACK", "START", "END", "SAVEPOINT", "RELEASE", "USE", "ANALYZE"])
_ALWAYS: Final = re.compile(r"1|TRUE|('[^']{0,80}'|\d{1,9}) = \1", re.IGNORECASE)


class SqlClass(IntEnum):
    """What a statement does, from harmless to worst."""

    READS = 0
    ADDS = 1
    UNKNOWN = 2
    CHANGES = 3
    DESTROYS = 4


class SqlEffect(Struct, frozen=True):
    """One statement in words."""

    text: str
    kind: SqlClass


_FURTHER: Final = SqlEffect("Runs further SQL statements that are not listed", SqlClass.UNKNOWN)


def describe_sql(text: str) -> tuple[SqlEffect, ...]:
    """Return what the statements of a text do, in order. Equal ones are listed once."""
    found: dict[SqlEffect, None] = {}
    statements = [words for words in _statements(text[:MOST_TEXT]) if words]
    for words in statements[:MOST_STATEMENTS]:
        found.update(dict.fromkeys(_describe(words)))
    if len(statements) > MOST_STATEMENTS or len(text) > MOST_TEXT:
        found[_FURTHER] = None
    if found and all(one.kind is SqlClass.READS for one in found):
        doubts = _doubts(text, {words[0].upper() for words in statements}, len(statements))
        found |= dict.fromkeys(SqlEffect(f"May change data, because {doubt}", SqlClass.UNKNOWN) for doubt in doubts[:1])
    return tuple(found)


def _doubts(text: str, first_words: set[str], count: int) -> list[str]:
    """Return why a text of statements that seem to read may change data, in some dialect."""
    statements, doubts = read_sql(text.replace(HOLE, "?")), list[str]()
    for one in statements:
        changes = one.kind not in (SqlKind.READ, SqlKind.OTHER, SqlKind.UNKNOWN)
        explained = first_words == {"EXPLAIN"} and len(statements) == count and changes
        session = one.verb in _SESSION and not one.tables
        if one.doubt and not explained and not session:
            doubts.append("a change begins inside it" if changes else one.doubt)
    return doubts


def _statements(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == ";":
            yield words
            words = []
        elif not token.startswith(("--", "/*")):
            words.append(token)
    yield words


def _describe(words: list[str]) -> list[SqlEffect]:
    upper = [word.upper() for word in words]
    if upper[0] == "EXPLAIN":
        runs = "ANALYZE" in upper[1:3]
        rest = next((at for at, word in enumerate(upper) if at and word in _READING | _VERBS.keys()), None)
        if not runs or rest is None:
            return [SqlEffect("Explains a query", SqlClass.READS)]
        return _describe(words[rest:])
    changes = (effect for at in range(len(words)) if (effect := _change_at(words, upper, at)) is not None)
    if found := list(islice(changes, MOST_CHANGES + 1)):
        return found if len(found) <= MOST_CHANGES else [*found[:MOST_CHANGES], _FURTHER]
    if upper[0] in _READING or (upper[0] == "WITH" and "SELECT" in upper):
        reaching = _reaches_files(upper)
        if reaching:
            return [reaching]
        tables = _tables_read(words, upper)
        return [SqlEffect(f"Reads rows of {tables}" if tables else "Reads from the database", SqlClass.READS)]
    if upper[0] in _SESSION and len(words) < 6:
        return [SqlEffect(f"Runs {shorten(' '.join(words), 40)}", SqlClass.READS)]
    known = _VERBS.get(upper[0])
    if known is not None:
        return [known(words, upper)]
    return [SqlEffect(f"Runs SQL that could not be read: {shorten(_text(words), 80)}", SqlClass.UNKNOWN)]


def _change_at(words: list[str], upper: list[str], at: int) -> SqlEffect | None:
    """Return the change of rows that begins here: at the start, after a CTE, or inside its parentheses."""
    first = at == 0 or upper[at - 1] in ("(", ")", "AS")
    word, after = upper[at], upper[at + 1] if at + 1 < len(upper) else ""
    if not first:
        return None
    if word == "UPDATE" and "SET" in upper[at:]:
        return _on_rows("Updates", words, upper, at + 1, SqlClass.CHANGES)
    if word == "DELETE" and after == "FROM":
        return _on_rows("Deletes", words, upper, at + 2, SqlClass.DESTROYS)
    if word in ("INSERT", "REPLACE", "MERGE") and "INTO" in upper[at:]:
        into = upper.index("INTO", at)
        replaces = word == "REPLACE" or upper[at + 1 : at + 3] == ["OR", "REPLACE"] or "CONFLICT" in upper[at:]
        verb = "Merges rows into" if word == "MERGE" else "Adds or replaces rows of" if replaces else "Adds rows to"
        kind = SqlClass.CHANGES if replaces or word == "MERGE" else SqlClass.ADDS
        return SqlEffect(f"{verb} {_table(words, upper, into + 1)}", kind)
    return None


def _on_rows(verb: str, words: list[str], upper: list[str], at: int, kind: SqlClass) -> SqlEffect:
    table = _table(words, upper, at)
    depth, where = 0, None
    for place in range(at, len(words)):
        depth += (words[place] == "(") - (words[place] == ")")
        if depth < 0:
            break
        if upper[place] == "WHERE" and depth == 0:
            where = place
    condition = [] if where is None else _until_closed(words[where + 1 :])
    limited = bool(condition) and not _ALWAYS.fullmatch(_text(condition))
    unknown = ", with parts known only while it runs" if any(HOLE in word for word in words[at:]) else ""
    end = f" where {shorten(_text(condition), 60)}" if limited else ""
    if verb == "Updates" and (changes := _assignments(words, upper, at, where)):
        rows = table if limited else f"every row of {table}"
        return SqlEffect(f"Sets {changes} in {rows}{end}{unknown}", kind)
    return SqlEffect(f"{verb} {'rows' if limited else 'every row'} of {table}{end}{unknown}", kind)


def _assignments(words: list[str], upper: list[str], at: int, where: int | None) -> str:
    """Return what an UPDATE sets: "status = 'paid', paid_at = now()"; empty if that cannot be read."""
    if "SET" not in upper[at:]:
        return ""
    depth, parts = 0, [list[str]()]
    for word in _until_closed(words[upper.index("SET", at) + 1 : where]):
        if depth == 0 and word.upper() == "FROM":
            break
        depth += (word == "(") - (word == ")")
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    shown = [shorten(_text(part), 40) for part in parts if part]
    if len(shown) > MOST_COLUMNS:
        shown = [*shown[: MOST_COLUMNS - 1], f"{len(shown) - MOST_COLUMNS + 1} more columns"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _until_closed(words: list[str]) -> list[str]:
    depth = 0
    for place, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth < 0 or word.upper() in ("RETURNING", "ORDER", "LIMIT"):
            return words[:place]
    return words


def _truncate(words: list[str], upper: list[str]) -> SqlEffect:
    return SqlEffect(f"Deletes every row of {_table(words, upper, 1)}", SqlClass.DESTROYS)


def _on_object(words: list[str], upper: list[str]) -> SqlEffect:
    """Describe DROP, CREATE and ALTER: the kind of object and its name."""
    verb = {"DROP": "Drops", "CREATE": "Creates", "ALTER": "Alters"}[upper[0]]
    kind = SqlClass.DESTROYS if upper[0] == "DROP" or "DROP" in upper[1:] else SqlClass.CHANGES
    if upper[0] == "CREATE":
        kind = SqlClass.CHANGES if "REPLACE" in upper[1:4] else SqlClass.ADDS
    place = next((at for at, word in enumerate(upper[1:6], 1) if word in _OBJECTS), None)
    if place is None:
        return SqlEffect(f"{verb} {shorten(_text(words[1:4]), 60)}", kind)
    dropped = ", and drops a part of it" if upper[0] == "ALTER" and kind is SqlClass.DESTROYS else ""
    return SqlEffect(f"{verb} {upper[place].lower()} {_table(words, upper, place + 1)}{dropped}", kind)


def _permissions(words: list[str], upper: list[str]) -> SqlEffect:
    verb = "Grants" if upper[0] == "GRANT" else "Revokes"
    return SqlEffect(f"{verb} permissions: {shorten(_text(words[1:]), 60)}", SqlClass.CHANGES)


def _other(words: list[str], upper: list[str]) -> SqlEffect:
    """Describe a command that may reach beyond rows, such as ATTACH, COPY, CALL and VACUUM."""
    return SqlEffect(f"Runs {upper[0]} {shorten(_text(words[1:]), 60)}".rstrip(), SqlClass.CHANGES)


def _reaches_files(upper: list[str]) -> SqlEffect | None:
    for first, second in pairwise(upper):
        if first == "INTO" and second in ("OUTFILE", "DUMPFILE"):
            return SqlEffect("Writes query results to a file of the database server", SqlClass.CHANGES)
    return None


def _tables_read(words: list[str], upper: list[str]) -> str:
    starts = (at for at in range(1, len(words) - 1) if upper[at] == "AS" and words[at + 1] == "(")
    named = {upper[at - 1] for at in starts}  # queries of WITH
    tables: dict[str, None] = {}
    for at, word in enumerate(upper[:-1]):
        if word in ("FROM", "JOIN") and words[at + 1] != "(" and upper[at + 1] not in named:
            tables[_table(words, upper, at + 1)] = None
    listed = list(tables)
    more = f" and {len(listed) - MOST_TABLES} more tables" if len(listed) > MOST_TABLES else ""
    return ", ".join(listed[:MOST_TABLES]) + more


def _table(words: list[str], upper: list[str], at: int) -> str:
    """Return the name of a table as it is shown."""
    while at < len(words) and upper[at] in _NOISE:
        at += 1
    if at >= len(words) or not words[at].strip(HOLE + "."):
        return "a table known only at run time"
    return shorten(words[at].strip('"`[]'), 60)


def _text(words: list[str]) -> str:
    return re.sub(r"(?<=\() | (?=[),])", "", " ".join(words))


_OTHERS: Final = (
    *("ATTACH", "DETACH", "COPY", "LOAD", "CALL", "DO", "EXEC", "EXECUTE", "VACUUM", "LOCK", "RENAME", "REINDEX"),
    *("REFRESH", "SET", "REPLACE", "INSERT", "UPDATE", "DELETE", "MERGE"),
)
_VERBS: Final[Mapping[str, Callable[[list[str], list[str]], SqlEffect]]] = {
    "TRUNCATE": _truncate,
    **dict.fromkeys(("DROP", "CREATE", "ALTER"), _on_object),
    **dict.fromkeys(("GRANT", "REVOKE"), _permissions),
    **dict.fromkeys(_OTHERS, _other),
}
