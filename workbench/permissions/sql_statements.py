"""Reads SQL: what each statement of a text does, to which tables, and whether the text certainly only reads.

A server may speak any dialect, so a text counts as reading only if every dialect takes it for a reading statement: no
quoting or comment that dialects end at different places, no word that begins a change anywhere outside quotes (T-SQL
needs no `;` between statements, PostgreSQL allows `DELETE` in `WITH`), and only functions that are known to compute.
Everything else is described as far as possible, with the reason for the doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from msgspec import Struct

from workbench.permissions.word_sets import names

LONGEST = 20_000  # characters of a text that is read
MOST_TABLES = 20  # tables of one statement that are named


class SqlKind(Enum):
    """What a statement does."""

    READ = "read"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"
    OTHER = "other"  # changes more than rows and tables, or runs something
    UNKNOWN = "unknown"


class SqlStatement(Struct, frozen=True):
    """One statement."""

    kind: SqlKind
    verb: str = ""  # its first word, in capitals
    tables: tuple[str, ...] = ()  # all tables that it names, the changed one first
    target: str = ""  # the table, or other object, that it changes
    restricted: bool = False  # whether a condition limits the rows of an UPDATE or DELETE
    doubt: str = ""  # why it is not certain that the statement only reads; empty for one that does


def read_sql(text: str) -> tuple[SqlStatement, ...]:
    """Return the statements of a text; empty ones are left out."""
    return _read(text)


def only_reads(text: str) -> bool:
    """Whether the text is SQL that certainly changes nothing, in every dialect."""
    statements = _read(text)
    return bool(statements) and all(one.kind is SqlKind.READ and not one.doubt for one in statements)


@lru_cache(maxsize=256)
def table_of_added_rows(text: str) -> str:
    """Return the table to which the text certainly only adds rows with constant values, in every dialect; empty if it
    may do anything else."""
    tokens, doubt = _tokens(text) if len(text) <= LONGEST else ([], "it is too long")
    tables = {_table_of_insert(part) for part in _split(tokens)}
    return "" if doubt or len(tables) != 1 else tables.pop()


_CONSTANTS = names("NULL TRUE FALSE DEFAULT CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME")
# `INSERT INTO a.b (c, d) VALUES (1, 'x'), (2, 'y')`, with one letter for each token
_INSERT = re.compile(r"IN(?:\.N)*(?:\(N(?:,N)*\))?V\(-?C(?:,-?C)*\)(?:,\(-?C(?:,-?C)*\))*")


def _table_of_insert(tokens: Sequence[_Token]) -> str:
    shape = "".join(_shape(token) for token in tokens).replace("INSERTINTO", "I", 1)
    name, _ = _name_at(tokens, 2) if _INSERT.fullmatch(shape) else ("", 0)
    return name.casefold()


def _shape(token: _Token) -> str:
    if token.kind == "sign":
        return token.text
    if token.kind in ("text", "number", "param") or token.upper in _CONSTANTS:
        return "C"
    if token.upper in ("INSERT", "INTO"):
        return token.upper
    return "V" if token.upper == "VALUES" else "N" if token.kind == "name" or token.upper not in _CHANGING else "?"


@lru_cache(maxsize=256)
def _read(text: str) -> tuple[SqlStatement, ...]:
    if len(text) > LONGEST:
        return (SqlStatement(SqlKind.UNKNOWN, doubt="it is too long"),)
    tokens, doubt = _tokens(text)
    statements = tuple(_statement(part, doubt) for part in _split(tokens))
    return statements or ((SqlStatement(SqlKind.UNKNOWN, doubt=doubt),) if doubt else ())


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────
class _Token(Struct, frozen=True):
    """A word, a quoted name, a text, a number or a sign; comments and blanks are left out."""

    kind: str  # word, name, text, number, sign
    text: str

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+|--(?=[\s])[^\r\n]*|--$|/\*(?![!+M])(?:(?!/\*)[^*]|\*(?!/))*\*/)
    |(?P<text>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[\w .,:$]*\])
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w))
    |(?P<word>[^\W\d]\w*)
    |(?P<param>\$\d+|:[^\W\d]\w*|@[^\W\d]\w*|\?\d*|%s)
    |(?P<sign><=>|->>|->|\|\||<>|<=|>=|!=|==|::|[-+*/%<>=~(),.;|&])""",
    re.VERBOSE,
)
_ESCAPED_QUOTE = re.compile(r"""\\['"`]""")


def _tokens(text: str) -> tuple[list[_Token], str]:
    """Return the tokens, and why dialects may disagree about them. Reading goes on after a doubtful character."""
    tokens: list[_Token] = []
    doubt, position = "", 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            doubt = doubt or "databases read its quotes, comments or signs differently"
            position += 1
            continue
        kind, found = str(match.lastgroup), match.group()
        if found == "-" and tokens and tokens[-1].text == "-" and text[position - 1] == "-":
            doubt = doubt or "databases read its quotes, comments or signs differently"  # `--'`: a comment for most
        if kind in ("text", "name") and _is_ambiguous(found, tokens, text, match.start()):
            doubt = doubt or "databases end its quoted texts at different places"
        if kind != "blank":
            tokens.append(_Token(kind, found[1:-1] if kind == "name" else found))
        position = match.end()
    return tokens, doubt


def _is_ambiguous(found: str, before: Sequence[_Token], text: str, start: int) -> bool:
    """Whether a backslash may escape the end of a quoted text, or a letter before it changes how it is quoted."""
    if found.startswith("["):  # a name, or an index after an array
        return False
    if _ESCAPED_QUOTE.search(found):
        return True
    attached = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$@&")
    return attached and (not before or before[-1].upper not in ("N", "X", "B"))


def _split(tokens: Sequence[_Token]) -> Iterator[Sequence[_Token]]:
    part: list[_Token] = []
    for token in tokens:
        if token.kind == "sign" and token.text == ";":
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


# ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────────
_KINDS = {
    "INSERT": SqlKind.INSERT,
    "REPLACE": SqlKind.INSERT,
    "UPSERT": SqlKind.INSERT,
    "UPDATE": SqlKind.UPDATE,
    "MERGE": SqlKind.UPDATE,
    "DELETE": SqlKind.DELETE,
    "TRUNCATE": SqlKind.DELETE,
    "CREATE": SqlKind.CREATE,
    "ALTER": SqlKind.ALTER,
    "RENAME": SqlKind.ALTER,
    "DROP": SqlKind.DROP,
}
_READING = names("SELECT WITH VALUES TABLE EXPLAIN DESCRIBE DESC SHOW PRAGMA")
_CHANGING = names(
    """INSERT UPSERT UPDATE DELETE MERGE TRUNCATE CREATE ALTER DROP RENAME GRANT REVOKE DENY ATTACH DETACH VACUUM
    REINDEX CALL EXEC EXECUTE DO COPY LOAD LOCK UNLOCK REFRESH SET BACKUP RESTORE BULK DBCC KILL SHUTDOWN DECLARE
    WAITFOR RECONFIGURE USE WRITETEXT UPDATETEXT INTO OUTFILE DUMPFILE PROGRAM BEGIN PREPARE IMPORT INSTALL HANDLER
    OPENROWSET OPENQUERY OPENDATASOURCE"""
)
_TABLE_AFTER = names("FROM JOIN INTO UPDATE TABLE")
_NO_TABLE = names(
    """SELECT VALUES LATERAL UNNEST ONLY IF NOT EXISTS SET WHERE DEFAULT AS ON USING OR IGNORE ABORT FAIL ROLLBACK
    REPLACE LOW_PRIORITY DELAYED"""
)
_FILLERS = names("ONLY IF NOT EXISTS OR IGNORE ABORT FAIL ROLLBACK REPLACE LOW_PRIORITY DELAYED TABLE INTO FROM")
_OBJECTS = names(
    """TABLE VIEW INDEX DATABASE SCHEMA TRIGGER FUNCTION PROCEDURE SEQUENCE TYPE USER ROLE EXTENSION COLUMN UNIQUE TEMP
    TEMPORARY MATERIALIZED VIRTUAL CONCURRENTLY GLOBAL LOCAL UNLOGGED EXTERNAL"""
)
# words that a bracket may follow without being a function's arguments: syntax, and types with a length
_BEFORE_BRACKET = names(
    """SELECT FROM JOIN WHERE AND OR NOT IN EXISTS AS ON USING OVER BY HAVING WHEN THEN ELSE CASE LIKE ILIKE GLOB
    BETWEEN ANY ALL SOME FILTER WITHIN GROUP UNION EXCEPT INTERSECT MINUS LIMIT OFFSET FETCH DISTINCT VALUES
    MATERIALIZED LATERAL ROW SETS ROLLUP CUBE IS ORDER PARTITION RETURNING ARRAY VARCHAR CHAR CHARACTER NVARCHAR
    NCHAR VARYING TEXT DECIMAL NUMERIC NUMBER FLOAT BINARY VARBINARY TIME TIMESTAMP DATETIME2 BIT INT INTEGER
    BIGINT PRECISION INTERVAL ESCAPE TOP PIVOT KEY"""
)
_FUNCTIONS = names(
    """COUNT SUM AVG MIN MAX TOTAL GROUP_CONCAT STRING_AGG ARRAY_AGG LISTAGG JSON_AGG JSONB_AGG JSON_OBJECT_AGG
    JSON_GROUP_ARRAY JSON_GROUP_OBJECT STDDEV STDDEV_POP STDDEV_SAMP STDEV STDEVP VARIANCE VAR_POP VAR_SAMP VAR VARP
    CORR COVAR_POP COVAR_SAMP REGR_SLOPE REGR_INTERCEPT REGR_R2 MEDIAN MODE PERCENTILE_CONT PERCENTILE_DISC BOOL_AND
    BOOL_OR EVERY BIT_AND BIT_OR ANY_VALUE APPROX_COUNT_DISTINCT GROUPING ROW_NUMBER RANK DENSE_RANK PERCENT_RANK
    CUME_DIST NTILE LAG LEAD FIRST_VALUE LAST_VALUE NTH_VALUE COALESCE IFNULL NVL ISNULL NULLIF IIF IF GREATEST LEAST
    CAST TRY_CAST CONVERT TRY_CONVERT TYPEOF ABS ROUND FLOOR CEIL CEILING TRUNC SIGN MOD POWER POW SQRT CBRT EXP LN LOG
    LOG2 LOG10 SIN COS TAN ASIN ACOS ATAN ATAN2 PI RADIANS DEGREES DIV RANDOM RAND LOWER UPPER INITCAP LENGTH LEN
    CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH DATALENGTH BIT_LENGTH SUBSTR SUBSTRING LEFT RIGHT MID TRIM LTRIM RTRIM
    BTRIM LPAD RPAD REPEAT REPLICATE REVERSE REPLACE TRANSLATE OVERLAY POSITION STRPOS INSTR LOCATE CHARINDEX PATINDEX
    CONCAT CONCAT_WS SPLIT_PART STRING_SPLIT STRING_TO_ARRAY ARRAY_TO_STRING ARRAY_LENGTH CARDINALITY UNNEST FORMAT
    PRINTF QUOTE HEX UNHEX ASCII UNICODE CHR CHAR SPACE SOUNDEX MD5 SHA1 SHA2 SHA256 REGEXP_REPLACE REGEXP_MATCHES
    REGEXP_MATCH REGEXP_LIKE REGEXP_SUBSTR REGEXP_COUNT REGEXP_EXTRACT LIKE GLOB DATE TIME DATETIME JULIANDAY UNIXEPOCH
    STRFTIME TIMEDIFF NOW CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME LOCALTIME LOCALTIMESTAMP GETDATE SYSDATE
    SYSDATETIME GETUTCDATE CURDATE CURTIME DATE_TRUNC DATE_PART DATE_ADD DATE_SUB DATE_DIFF DATEDIFF DATEADD DATEPART
    DATENAME DATE_FORMAT TIMESTAMPDIFF TIMESTAMPADD STR_TO_DATE TO_DATE TO_CHAR TO_NUMBER TO_TIMESTAMP EXTRACT YEAR
    MONTH DAY HOUR MINUTE SECOND QUARTER WEEK WEEKDAY DAYOFWEEK DAYOFYEAR DAYNAME MONTHNAME LAST_DAY EOMONTH AGE
    MAKE_DATE FROM_UNIXTIME UNIX_TIMESTAMP GENERATE_SERIES JSON_EXTRACT JSON_VALUE JSON_QUERY JSON_ARRAY JSON_OBJECT
    JSON_ARRAY_LENGTH JSONB_ARRAY_LENGTH JSON_TYPE JSON_VALID JSON_EACH JSON_TREE JSONB_EACH JSON_ARRAY_ELEMENTS
    JSONB_ARRAY_ELEMENTS JSON_EXTRACT_PATH_TEXT JSONB_BUILD_OBJECT JSON_BUILD_OBJECT ROW_TO_JSON TO_JSON TO_JSONB
    VERSION SQLITE_VERSION CURRENT_DATABASE CURRENT_SCHEMA CURRENT_USER DATABASE SCHEMA CHANGES TOTAL_CHANGES
    LAST_INSERT_ROWID PG_SIZE_PRETTY PG_TOTAL_RELATION_SIZE PG_RELATION_SIZE PG_DATABASE_SIZE PG_TABLE_SIZE
    BM25 HIGHLIGHT SNIPPET MATCH STRUCT_PACK LIST LIST_VALUE"""
)
_BEFORE_TABLES = names("FROM JOIN TABLE")
_BEHIND_TABLES = names(
    "SELECT WHERE GROUP ORDER HAVING LIMIT OFFSET FETCH ON USING UNION EXCEPT INTERSECT WINDOW QUALIFY"
)
_PRAGMAS = names(
    """TABLE_INFO TABLE_XINFO TABLE_LIST INDEX_LIST INDEX_INFO INDEX_XINFO FOREIGN_KEY_LIST DATABASE_LIST
    COLLATION_LIST FUNCTION_LIST MODULE_LIST PRAGMA_LIST COMPILE_OPTIONS INTEGRITY_CHECK QUICK_CHECK
    FOREIGN_KEY_CHECK"""
)
_BARE_PRAGMAS = names(
    """USER_VERSION SCHEMA_VERSION APPLICATION_ID ENCODING PAGE_COUNT PAGE_SIZE FREELIST_COUNT JOURNAL_MODE
    FOREIGN_KEYS DATA_VERSION CACHE_SIZE SYNCHRONOUS"""
)


def _statement(tokens: Sequence[_Token], doubt: str) -> SqlStatement:
    main = _main_verb(tokens)
    if main == "PRAGMA":
        return _pragma(tokens, doubt)
    if main in _KINDS:
        return _changing(tokens, main, _KINDS[main])
    doubt = doubt or _doubt(tokens)
    tables = _tables(tokens)
    if main not in _READING:
        kind = SqlKind.OTHER if main in _CHANGING else SqlKind.UNKNOWN
        return SqlStatement(kind, main, tables, doubt=doubt or f"{main or 'its first word'} is no statement that reads")
    words = (one.upper for at, one in enumerate(tokens) if one.upper in _KINDS and not _is_function(tokens, at))
    changed = next(words, "")
    if changed:  # in the WITH of a SELECT, or the next statement of a T-SQL text
        return _changing(tokens, main, _KINDS[changed])
    return SqlStatement(SqlKind.READ if not doubt else SqlKind.UNKNOWN, main, tables, doubt=doubt)


def _main_verb(tokens: Sequence[_Token]) -> str:
    """Return the verb of a statement: after EXPLAIN the one that it explains, after WITH the one that uses it."""
    verb = tokens[0].upper
    if verb == "EXPLAIN":
        named = (token.upper for token in tokens[1:] if token.upper in _READING - {verb} or token.upper in _CHANGING)
        return next(named, verb)
    if verb == "WITH":
        depth = 0
        for token in tokens:
            depth += (token.text == "(") - (token.text == ")") if token.kind == "sign" else 0
            if depth == 0 and (token.upper in _KINDS or token.upper in ("SELECT", "VALUES")):
                return token.upper
    return "SELECT" if tokens[0].text == "(" and len(tokens) > 1 and tokens[1].upper == "SELECT" else verb


def _changing(tokens: Sequence[_Token], verb: str, kind: SqlKind) -> SqlStatement:
    target = _target(tokens)
    tables = tuple(dict.fromkeys(name for name in (target, *_tables(tokens)) if name))
    return SqlStatement(kind, verb, tables, target, _is_restricted(tokens), f"{verb} changes data")


def _doubt(tokens: Sequence[_Token]) -> str:
    """Return why a statement that begins as a reading one may do more."""
    named = _defined_names(tokens)
    if _reads_elsewhere(tokens):
        return "it may read a file or an address"
    for at, token in enumerate(tokens):
        if token.upper in _CHANGING:
            return f"it contains {token.upper}"
        if token.upper == "NEXT" and at + 1 < len(tokens) and tokens[at + 1].upper == "VALUE":
            return "it takes the next number of a sequence"
        if not _is_function(tokens, at):
            continue
        name = token.text.upper()
        qualified = at > 0 and tokens[at - 1].text == "." and tokens[at - 1].kind == "sign"
        pragma = name.startswith("PRAGMA_") and name.removeprefix("PRAGMA_") in _PRAGMAS
        if (qualified or name not in _FUNCTIONS) and not pragma and name not in named:
            return f"it calls {token.text}"
    return ""


def _reads_elsewhere(tokens: Sequence[_Token]) -> bool:
    """Whether a text, a parameter or a name that looks like a path stands for a table. DuckDB, Spark and others read
    the file or address that it names, and so can send what is in it."""
    listing = [False]  # for each open bracket, whether the tables of FROM are listed there
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else token
        sign = token.text if token.kind == "sign" else ""
        if token.kind == "name" and re.search(r"[/\\]|:\W", token.text):
            return True
        if listing[-1] and token.kind in ("text", "param") and _begins_table(before):
            return True
        if sign == "(":
            listing.append(listing[-1] and _begins_table(before))
        elif sign == ")" and len(listing) > 1:
            listing.pop()
        elif token.upper in _BEFORE_TABLES and not _is_extract(tokens, at):
            listing[-1] = True
        elif token.upper in _BEHIND_TABLES:
            listing[-1] = False
    return False


def _begins_table(before: _Token) -> bool:
    return before.upper in _BEFORE_TABLES or before.text in (",", "(")


def _is_function(tokens: Sequence[_Token], at: int) -> bool:
    """Whether the token is a name that is followed by arguments."""
    if tokens[at].kind not in ("word", "name") or tokens[at].upper in _BEFORE_BRACKET:
        return False
    return at + 1 < len(tokens) and tokens[at + 1].kind == "sign" and tokens[at + 1].text == "("


def _defined_names(tokens: Sequence[_Token]) -> frozenset[str]:
    """Return the names that WITH defines: a name before `AS (`, or before `(columns) AS (`."""
    found: set[str] = set()
    for at, token in enumerate(tokens):
        if token.upper == "AS" and at + 1 < len(tokens) and tokens[at + 1].text in ("(", "MATERIALIZED", "NOT"):
            back = at - 1
            if back >= 0 and tokens[back].text == ")":
                while back > 0 and tokens[back].text != "(":
                    back -= 1
                back -= 1
            if back >= 1 and tokens[back].kind in ("word", "name") and _begins_definition(tokens[back - 1]):
                found.add(tokens[back].text.upper())
    return frozenset(found)


def _begins_definition(before: _Token) -> bool:
    return before.upper in ("WITH", "RECURSIVE") or before.text == ","


def _pragma(tokens: Sequence[_Token], doubt: str) -> SqlStatement:
    """Read SQLite's PRAGMA. Most of them change a setting when they get a value."""
    rest = tokens[1:]
    if len(rest) > 2 and rest[1].text == ".":  # with the name of a database
        rest = rest[2:]
    name = rest[0].text.upper() if rest else ""
    argument = [one.text for one in rest[1:] if one.kind != "sign"]
    harmless = (name in _PRAGMAS and "=" not in {one.text for one in rest}) or (
        name in _BARE_PRAGMAS and len(rest) == 1
    )
    tables = (_plain(argument[0]),) if harmless and argument else ()
    doubt = doubt or ("" if harmless and len(argument) < 2 else f"PRAGMA {name.lower()} may change a setting")
    return SqlStatement(SqlKind.OTHER if doubt else SqlKind.READ, "PRAGMA", tables, doubt=doubt)


def _tables(tokens: Sequence[_Token]) -> tuple[str, ...]:
    """Return the tables after FROM, JOIN, INTO, UPDATE and TABLE, without names that WITH defines."""
    defined, found = _defined_names(tokens), dict[str, None]()
    for at, token in enumerate(tokens):
        if token.upper not in _TABLE_AFTER or len(found) >= MOST_TABLES or _is_extract(tokens, at):
            continue
        place = at
        for _ in range(MOST_TABLES):
            name, place = _name_at(tokens, place + 1)
            if name and name.upper() not in defined:
                found[name] = None
            place = _after_alias(tokens, place)
            if not name or place >= len(tokens) or tokens[place].text != ",":
                break
    return tuple(found)


def _is_extract(tokens: Sequence[_Token], at: int) -> bool:
    """Whether FROM belongs to `extract(year FROM day)`, `trim(… FROM …)` or `IS DISTINCT FROM`."""
    before = [one.upper for one in tokens[max(0, at - 4) : at]]
    return "EXTRACT" in before or before[-1:] == ["DISTINCT"] or "TRIM" in before or "SUBSTRING" in before


def _name_at(tokens: Sequence[_Token], at: int) -> tuple[str, int]:
    """Return the dotted name at a place, and the place after it."""
    last = min(at + 5, len(tokens))
    while at < last and tokens[at].upper in _FILLERS:
        at += 1
    if at >= len(tokens) or tokens[at].kind not in ("word", "name") or tokens[at].upper in _NO_TABLE:
        return "", at
    if at + 1 < len(tokens) and tokens[at + 1].text == "(" and tokens[at].text.upper() in _FUNCTIONS:
        return "", at
    parts, at = [tokens[at].text], at + 1
    while at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].kind in ("word", "name"):
        parts.append(tokens[at + 1].text)
        at += 2
    return ".".join(parts), at


def _after_alias(tokens: Sequence[_Token], at: int) -> int:
    if at < len(tokens) and tokens[at].upper == "AS":
        at += 1
    plain = at < len(tokens) and tokens[at].kind in ("word", "name") and at + 1 < len(tokens)
    return at + 1 if plain and tokens[at + 1].text == "," else at


def _target(tokens: Sequence[_Token]) -> str:
    """Return the name of the object that a statement changes."""
    at = next((place for place, one in enumerate(tokens) if one.upper in _KINDS), 0) + 1
    while at < len(tokens) and (tokens[at].upper in _FILLERS or tokens[at].upper in _OBJECTS):
        at += 1
    return _name_at(tokens, at)[0]


def _is_restricted(tokens: Sequence[_Token]) -> bool:
    """Whether a condition outside brackets limits the rows; `WHERE true` and `WHERE 1 = 1` do not."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")") if token.kind == "sign" else 0
        if depth == 0 and token.upper == "WHERE":
            rest = [one.text.upper() for one in tokens[at + 1 :]]
            same = len(rest) == 3 and rest[1] in ("=", "==") and rest[0] == rest[2]
            return bool(rest) and not same and rest not in (["TRUE"], ["1"])
    return False


def _plain(text: str) -> str:
    return text.strip("'\"")
