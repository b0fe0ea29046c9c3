"""Ways around the plain spelling, one test for each technique."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import os\n[f] = [v for k, v in vars(os).items() if k == 'popen']", "name.hidden"),
        ("import inspect, os\ninspect.getmembers(os)", "name.hidden"),
        ("import sys\nfor m in sys.modules.values(): print(m)", "name.hidden"),
        ("import asyncio\nawait getattr(asyncio.get_running_loop(), 'create_' + 'connection')()", "network.mention"),
        ("from pathlib import Path\nlist(map(Path.unlink, Path('.').glob('*')))", "file.delete.mention"),
        ("from pathlib import Path\ngetattr(Path('workspace/a'), 'un' + 'link')()", "file.delete.mention"),
        ("from pathlib import Path\nf = Path('workspace/a').unlink\nf()", "file.delete.mention"),
        ("from pathlib import Path\nPath.write_text(Path('workspace/a'), 'x')", "file.write"),
        ("import os\nprint(open(os.sep + 'etc' + os.path.sep + 'shadow').read())", "file.read"),
        ("import string\nx = string.ascii_lowercase\nexec(x[4])", "code.run"),
        ("import fileinput\nfileinput.input(['/proc/self/environ'])", "file.read"),
        ("import configparser\nconfigparser.ConfigParser().read('/home/ada/.pypirc')", "file.read"),
        ("import numpy\nnumpy.load('workspace/a.npy', allow_pickle=True)", "code.unpack"),
        (
            "from string import Formatter\nFormatter().get_field('0.__init__.__globals__', [1], {})",
            "python.internals.format",
        ),
        ("import client\nclient.call_tool = print", "python.tamper"),
        ("setattr(__import__('client'), 'call_tool', print)", "python.tamper"),
        ("import os\nmatch os:\n    case object(system=f):\n        f('id')", "process"),
        ("match '':\n    case object(__base__=b):\n        print(b)", "python.internals"),
        ("import operator\noperator.methodcaller('system', 'id')(x)", "name.hidden"),
        ("T = type('T', (), {'__reduce__': lambda self: (print, ())})", "code.unpack"),
        ("import sqlite3\nsqlite3.connect(':memory:').execute(\"ATTACH 'workspace/a.db' AS a\")", "database.change"),
    ],
)
def test_an_evasion_is_seen(code: str, rule: str, rules: Rules) -> None:
    assert rules(code).get(rule, Risk.LOW) is not Risk.LOW


@pytest.mark.parametrize(
    "code",
    [
        "import os, string\nprint(os.sep.join(['a', 'b']), string.digits)",
        "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.cursor().execute('create table t (a)')",
        "from operator import attrgetter\nprint(sorted(x, key=attrgetter('name')))",
        "print(type(x).__name__, '{0.name} {1[a]}'.format(x, y))",
        "match p:\n    case Point(x=0, y=y):\n        print(y)",
        "for name in globals().items(): print(name)",
        "f = x.get\nf('a')",
    ],
)
def test_honest_code_of_the_same_shape_is_low(code: str, rules: Rules) -> None:
    assert set(rules(code).values()) <= {Risk.LOW}


def test_functions_that_learn_from_each_other_are_read_again(rules: Rules) -> None:
    code = "def name():\n    return part() + 'tem'\ndef part():\n    return 'sys'\nimport os\ngetattr(os, name())('id')"
    assert rules(code)["process"] is Risk.HIGH
