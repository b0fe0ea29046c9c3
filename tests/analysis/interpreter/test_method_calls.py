"""Methods on paths, connections, archives, databases and containers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("from pathlib import Path\nPath('workspace/a').unlink()", "file.delete"),
        ("from pathlib import Path\nPath('workspace/a').rename('workspace/b')", "file.move"),
        ("from pathlib import Path\nPath('workspace/a').open('w')", "file.write"),
        ("from pathlib import Path\nPath('workspace/a').open()", "file.read"),
        ("from pathlib import Path\nfor p in Path('workspace').glob('*'):\n    p.unlink()", "file.delete"),
        (
            "from pathlib import Path\nwith Path('workspace/a').parent.joinpath('b').open('a') as f:\n    pass",
            "file.write",
        ),
        ("something.unlink()", "file.delete"),
        ("frame.to_csv('workspace/a.csv')", "file.write"),
        ("import zipfile\nzipfile.ZipFile('workspace/a.zip').extractall('workspace')", "file.write"),
        ("import requests\ns = requests.Session()\ns.post('https://example.com')", "network"),
        ("import socket\ns = socket.socket()\ns.connect(('example.com', 80))", "network"),
        ("mail.send_message(x)", "network"),
        ("import sqlite3\nsqlite3.connect('workspace/a.db').execute('DROP TABLE a')", "database.change"),
        (
            "import sqlite3\nsqlite3.connect('workspace/a.db').cursor().execute('insert into a values (1)')",
            "database.change",
        ),
        ("import sqlite3\nsqlite3.connect('workspace/a.db').execute(input())", "database.change"),
        ("import sqlite3\nd = {'x': sqlite3.connect('workspace/a.db')}\nd[k].execute(sql)", "database.change"),
        ("import sqlite3\nsqlite3.connect('a.db').execute('PRAGMA writable_schema=1')", "database.change"),
        ("import sqlite3\nsqlite3.connect('a.db').backup(other)", "file.write"),
    ],
)
def test_a_method_is_told_by_its_deed(code: str, rule: str, rules: Rules) -> None:
    assert rule in rules(code)


@pytest.mark.parametrize(
    "code",
    [
        "'a'.replace('a', 'b')",
        "[1].remove(1)",
        "{}.update(a=1)",
        "frame.to_csv()",
        "import io\nframe.to_csv(io.StringIO())",
        "import sqlite3\nsqlite3.connect(':memory:').execute('SELECT 1')",
        "import sqlite3\nsqlite3.connect('shop.db').execute('SELECT 1 FROM a WHERE b = ' + x)",
        "import sqlite3\nsqlite3.connect('shop.db').execute('PRAGMA table_info(a)').fetchall()",
        "class Light:\n    def touch(self):\n        return 1\nLight().touch()",
        "re.compile('x').match('y')",
    ],
)
def test_ordinary_methods_are_fine(code: str, rules: Rules) -> None:
    assert not set(rules(code)) & {"file.write", "file.delete", "file.move", "database.change", "network", "code.run"}


@pytest.mark.parametrize(
    "fill", ["x.append(secret)", "x.update(a=secret)", "x['a'] = secret", "x += [secret]", "x = [*x, secret]"]
)
def test_a_container_carries_the_origin_of_what_it_holds(fill: str, rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.mail import send_message\n"
        f"x = []\nsecret = await get_customer()\n{fill}\nawait send_message(body=x)"
    )
    assert "flow.private" in rules(code)
