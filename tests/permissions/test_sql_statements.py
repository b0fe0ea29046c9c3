"""Which SQL certainly only reads in every dialect, and what other statements are said to do."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from workbench.permissions.sql_statements import SqlKind, only_reads, read_sql, table_of_added_rows

READING = """
SELECT 1
select name, total from orders where state = 'open' order by total desc limit 10
SELECT o.id, c.name AS customer FROM orders o JOIN customers AS c ON c.id = o.customer_id WHERE o.total > 10.5;
SELECT count(*), sum(total), round(avg(total), 2) FROM orders GROUP BY state HAVING count(*) > 2
WITH big AS (SELECT * FROM orders WHERE total > 5), t(a, b) AS (SELECT 1, 2) SELECT * FROM big, t
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
EXPLAIN SELECT * FROM orders
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id IN (SELECT id FROM old)
PRAGMA table_info(orders)
PRAGMA main.table_info('orders');
PRAGMA user_version
SELECT * FROM pragma_table_info('orders')
SELECT replace(name, 'DROP TABLE x; --', '') FROM t -- a comment; DELETE FROM t
SELECT 'it''s' AS "delete", `insert` FROM [update]
/* first */ SELECT cast(x AS decimal(10, 2)), CASE WHEN a THEN 1 ELSE (2) END FROM s.t WHERE d BETWEEN ? AND :end
SHOW TABLES
DESCRIBE orders
SELECT 1; SELECT 2;
SELECT a, 'b', 'https://example.org' FROM t WHERE c IN ('https://example.org', 'd/e') ORDER BY 1, 'x'
SELECT trim(both ' ' from name), a - -1 FROM (SELECT 'x' AS name, 2 AS a) s WHERE d = (SELECT max(d) FROM u)
SELECT extract(year FROM day) y, row_number() OVER (PARTITION BY a ORDER BY b) FROM t WHERE c IS NOT DISTINCT FROM 3
SELECT data->>'name', x::text, tags[1] FROM t WHERE id = $1
""".strip().split("\n")

NOT_READING = [
    *(
        "DROP TABLE t",
        "SELECT 1; DROP TABLE t",
        "SELECT 1 DROP TABLE t",
        "SELECT 1 DELETE FROM t",
        "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
        "SELECT * INTO copy FROM t",
        "SELECT * FROM t FOR UPDATE",
        "SELECT 'a' INTO OUTFILE '/tmp/x'",
        "EXPLAIN ANALYZE DELETE FROM t",
        "EXPLAIN (ANALYZE) UPDATE t SET a = 1",
        "SELECT pg_terminate_backend(1)",
        "SELECT setval('s', 1)",
        "SELECT nextval('s')",
        "SELECT load_extension('x')",
        "SELECT myschema.count(1)",
        'SELECT "setval"(1)',
        "SELECT /*!50000 sleep(9) */ 1",
        "SELECT 1 /*! ; DROP TABLE t */",
        "SELECT 1 /* /* */ ; DROP TABLE t; -- */",
        r"SELECT '\'; DROP TABLE t; -- '",
        "SELECT 1 --1; DROP TABLE t",
        "SELECT 1--'\n; DROP TABLE t --'",
        "SELECT a[ /* ] FROM t WHERE b = '*/ 1]; DROP TABLE t; --'",
        "SELECT * FROM 'https://example.org/x.csv'",
        "SELECT * FROM t, 'x.csv'",
        "SELECT * FROM (t), ('/etc/passwd')",
        "SELECT * FROM t JOIN 'x.parquet' ON 1 = 1",
        'SELECT * FROM "https://example.org/x.parquet"',
        "SELECT * FROM csv.`/etc/passwd`",
        "SELECT $1 FROM @stage",
        "SELECT NEXT VALUE FOR s",
        "SELECT 1 # '\n; DROP TABLE t; -- '",
        "SELECT $$ ' $$; DROP TABLE t; -- '",
        "SELECT q'[ ' ]'; DROP TABLE t; -- ']'",
        "SELECT [a'b]; DROP TABLE t; -- '",
        "SELECT [ 'b]; DROP TABLE t; -- ' ]",
        "PRAGMA user_version = 4",
        "PRAGMA writable_schema(1)",
        "PRAGMA journal_mode(off)",
        "ATTACH 'x.db' AS y",
        "VACUUM INTO 'x.db'",
        "CALL p()",
        "DO $$ BEGIN END $$",
        "COPY t TO PROGRAM 'sh'",
        "SET ROLE admin",
        "BEGIN; SELECT 1; COMMIT",
        "\\! rm -rf /",
        "SELECT 'open",
        "SELECT \ufdd0 FROM t",
        "SELECT * FROM t WHERE a = '\ufdd0",
        "find orders of last week",
        "",
        "   ;  ",
        "ＤＲＯＰ TABLE t",
        "x" * 30_000,
        "SELECT @x := 1",
        "SELECT * FROM OPENROWSET('x')",
        "HANDLER t OPEN",
        "SELECT dblink_exec('drop table t')",
    )
]


@pytest.mark.parametrize("text", READING)
def test_plain_reading_is_recognised(text: str) -> None:
    assert only_reads(text), read_sql(text)


def test_everything_that_some_database_takes_for_more_is_not_reading() -> None:
    for text in NOT_READING:
        assert not only_reads(text), text


@pytest.mark.parametrize(
    ("text", "kind", "target", "tables", "restricted"),
    [
        ("UPDATE orders SET state = 'x' WHERE id = 1", SqlKind.UPDATE, "orders", ("orders",), True),
        ("update shop.orders set a = (select 1 where 1=2)", SqlKind.UPDATE, "shop.orders", ("shop.orders",), False),
        ("DELETE FROM orders", SqlKind.DELETE, "orders", ("orders",), False),
        ("DELETE FROM orders WHERE 1 = 1", SqlKind.DELETE, "orders", ("orders",), False),
        ("delete from orders where id in (select id from old)", SqlKind.DELETE, "orders", ("orders", "old"), True),
        ("TRUNCATE TABLE orders", SqlKind.DELETE, "orders", ("orders",), False),
        ("INSERT OR REPLACE INTO t (a, b) VALUES (1, 2)", SqlKind.INSERT, "t", ("t",), False),
        ("INSERT INTO t SELECT * FROM u, v w", SqlKind.INSERT, "t", ("t", "u", "v"), False),
        ("CREATE TABLE IF NOT EXISTS t (a int)", SqlKind.CREATE, "t", ("t",), False),
        ("DROP TABLE IF EXISTS t", SqlKind.DROP, "t", ("t",), False),
        ("ALTER TABLE t ADD COLUMN x int", SqlKind.ALTER, "t", ("t",), False),
        ('DROP VIEW "my view"', SqlKind.DROP, "my view", ("my view",), False),
        ("WITH x AS (SELECT 1) DELETE FROM t WHERE a = 1", SqlKind.DELETE, "t", ("t",), True),
        ("GRANT ALL ON t TO bob", SqlKind.OTHER, "", (), False),
        ("SELECT a FROM t1 x, t2 AS y JOIN s.t3 ON 1", SqlKind.READ, "", ("t1", "t2", "s.t3"), False),
        ("please drop it", SqlKind.UNKNOWN, "", (), False),
    ],
)
def test_what_a_statement_does(
    text: str, kind: SqlKind, target: str, tables: tuple[str, ...], restricted: bool
) -> None:
    (found,) = read_sql(text)
    assert (found.kind, found.target, found.tables, found.restricted) == (kind, target, tables, restricted)


def test_rows_of_one_form_are_read_at_once() -> None:
    rows = ", ".join(["(1, 'a')"] * 500)
    assert table_of_added_rows(f"INSERT INTO shop.Orders (id, name) VALUES {rows}") == "shop.orders"
    assert table_of_added_rows(f"INSERT INTO orders VALUES {rows} RETURNING id") == ""


def test_statements_are_split_outside_quotes_only() -> None:
    kinds = [one.kind for one in read_sql("SELECT ';'; UPDATE t SET a = ';' WHERE b = 1; -- ;\n DROP TABLE t")]
    assert kinds == [SqlKind.READ, SqlKind.UPDATE, SqlKind.DROP]


def test_texts_that_count_as_reading_change_nothing_in_sqlite() -> None:
    """The pieces of reading and changing statements, joined in every order, never change a database unnoticed."""
    pieces = ("SELECT 1", "/*", "*/", "--", "-- ", "'", '"', "`", "[", "]", "\n", ";", "DELETE FROM t", "/*!", "\\'")
    before = [(1,), (2,)]
    for first in pieces:
        for second in pieces:
            for third in pieces:
                text = " ".join(("SELECT 1", first, second, third, "DELETE FROM t"))
                if not only_reads(text):
                    continue
                database = sqlite3.connect(":memory:")
                database.executescript("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)")
                with contextlib.suppress(sqlite3.Error):
                    database.executescript(text)
                assert database.execute("SELECT a FROM t").fetchall() == before, text
                database.close()
