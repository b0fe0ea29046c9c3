"""Changes to what all code shares are told, however they are written; a program's own tables are its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk, Verdict

Rules = Callable[[str], dict[str, Risk]]
Judge = Callable[[str], Verdict]

TAMPERING = [
    "import client\ndel client.call_tool",
    "import client\ndelattr(client, 'call_tool')",
    "import client\ntype.__setattr__(client.Client, 'call_tool', print)",
    "import client\nobject.__setattr__(client, 'dict', print)",
    "import client\nclient.__setattr__('dict', print)",
    "import client\nvars(client).update(dict=print)",
    "import client\nclient.__dict__.update({'dict': print})",
    "import client\ndict.update(vars(client), {'dict': print})",
    "import client\ndict.__setitem__(vars(client), 'dict', print)",
    "import client\nnames = vars(client)\nnames |= {'dict': print}",
    "import client\nput = vars(client).update\nput(dict=print)",
    "import client\ndel vars(client)['call_tool']",
    "from operator import setitem as put\nimport client\nput(vars(client), 'dict', print)",
    "import client, functools\nfunctools.update_wrapper(client, print)",
    "import client, functools\nfunctools.partial(setattr, client)('dict', print)",
    "import client\nlist(map(setattr, [client], ['dict'], [print]))",
    "import client, itertools\nlist(itertools.starmap(setattr, [(client, 'dict', print)]))",
    "import client\nfrom unittest import mock\nmock.patch.object(client, 'dict', print).start()",
    "from unittest.mock import patch\npatch('client.dict', print).start()",
    "import sys\nsys.meta_path.insert(0, None)",
    "import sys\nfinders = sys.meta_path\nfinders += [None]",
    "import sys\nsys.meta_path[:] = []",
    "import sys\nsys.path_hooks.append(None)",
    "import sys\nsys.modules.update({'servers.demo': None})",
    "def put(table):\n    table.update(dict=print)\nimport client\nput(vars(client))",
]

HONEST = [
    "import collections\nfound = collections.Counter()\nfound.update('abc')\nfound['a'] = 2\ndel found['a']\ndel found",
    "import sys\nsys.path.insert(0, 'lib')",
    "import logging\nlogging.root.handlers.clear()",
    "class Box:\n    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)",
    "class Box:\n    pass\nbox = Box()\nsetattr(box, 'a', 1)\ndelattr(box, 'a')\nbox.b = 2\ndel box.b",
    "import functools\ndef outer(f):\n    inner = lambda: f()\n    return functools.update_wrapper(inner, f)",
    "import operator\ntable = {}\noperator.setitem(table, 'a', 1)\ndict.update(table, b=2)\ntable |= {'c': 3}",
    "import os\nnames = [*os.environ]\nnames.append('x')",
    "import json\nrows = json.loads('[]')\nrows.append(1)\nrows.insert(0, 2)",
]


@pytest.mark.parametrize("code", TAMPERING)
def test_what_changes_other_code_is_told(code: str, rules: Rules) -> None:
    assert rules(code)["python.tamper"] is Risk.HIGH


@pytest.mark.parametrize("code", HONEST)
def test_what_changes_its_own_things_is_not(code: str, rules: Rules) -> None:
    assert "python.tamper" not in rules(code)


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.path.insert(0, '/workspace')\nimport json",
        "import sys\nsys.path.extend(['/workspace'])",
        "import sys\nsys.path[0] = '/workspace'",
        "from sys import path\npath.append('lib')",
    ],
)
def test_where_imports_are_looked_for_is_told(code: str, rules: Rules) -> None:
    assert rules(code)["code.import.path"] is Risk.MEDIUM


@pytest.mark.parametrize(
    "lent",
    [
        "bisect.insort({}, 'w')",
        "list(map({}.append, ['w']))",
        "types.SimpleNamespace(it={}).it.append('w')",
        "first, *rest = {}, 1\nfirst.append('w')",
        "dict(it={})['it'].append('w')",
        "def give():\n    yield {}\nnext(give()).append('w')",
        "{}.reverse()",
    ],
)
def test_where_imports_are_looked_for_is_told_when_it_is_lent(lent: str, rules: Rules) -> None:
    code = "import sys, bisect, types\n" + lent.replace("{}", "sys.path")
    assert rules(code)["code.import.path"] is Risk.MEDIUM


@pytest.mark.parametrize(
    "kept",
    [
        "ChainMap({}).new_child(vars(client))['call_tool'] = print",
        "x = ChainMap()\nx.maps.append(vars(client))\nx.maps[1]['call_tool'] = print",
        "x = ChainMap()\nx.maps[0] = vars(client)\nx['call_tool'] = print",
        "x = UserDict()\nx.data = vars(client)\nx['call_tool'] = print",
    ],
)
def test_a_table_of_names_that_is_handed_on_is_told(kept: str, rules: Rules) -> None:
    assert rules(f"import client\nfrom collections import ChainMap, UserDict\n{kept}")["name.hidden"] is Risk.MEDIUM


@pytest.mark.parametrize(
    "code",
    [
        "import sys, os, json\nprint(os.pathsep.join(sys.path), len(sys.path), sorted(sys.path), json.dumps(sys.path))",
        "import sys\nfrom pathlib import Path\nfor place in map(Path, sys.path):\n    print(place)\nresult = sys.path",
        "import sys\nplaces = list(sys.path)\nplaces.insert(0, 'x')\nprint(places)",
        "import math\nprint(sorted(vars(math)), len(vars(math)))\nfirst, *rest = [3, 4]",
        "class Own: pass\nrows = [vars(Own())]\nrows.append(vars(Own()))",
    ],
)
def test_what_only_looks_at_shared_things_changes_nothing(code: str, rules: Rules) -> None:
    assert rules(code) == {}


@pytest.mark.parametrize(
    "code",
    [
        "import sys, collections\ncollections.ChainMap(sys.modules)['os'].system('id')",
        "import sys, collections\ncollections.ChainMap({}, sys.modules).maps[1]['os']",
        "import sys\ndict(sys.modules)['os'].system('id')",
        "import sys, types\ntypes.MappingProxyType(sys.modules).get('os').system('id')",
        "import os, collections\ncollections.ChainMap(os.__dict__)['system']('id')",
    ],
)
def test_a_table_of_names_is_seen_through_a_view_or_copy(code: str, judge: Judge) -> None:
    assert judge(code).risk is Risk.HIGH


def test_a_change_through_a_view_is_a_change(rules: Rules) -> None:
    changed = rules("import sys, collections\ncollections.ChainMap(sys.modules)['json'] = None")
    assert changed["python.tamper"] is Risk.HIGH
    assert rules("import sys\nif 'numpy' in sys.modules:\n    print(1)") == {}
    assert rules("from collections import ChainMap\nprint(dict(ChainMap({'a': 1}, {'b': 2})))") == {}
