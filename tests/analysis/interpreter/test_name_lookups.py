"""Names reached in roundabout ways lead to the same deed, and the way round is a finding of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk
from workbench.records.common_types import at_least

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    "callee",
    [
        "os.system",
        "posix.system",
        "getattr(os, 'system')",
        "getattr(os, 'sys' + 'tem')",
        "vars(os)['system']",
        "os.__dict__['system']",
        "os.__dict__.get('system')",
        "sys.modules['os'].system",
        "sys.modules.get('os').system",
        "__import__('os').system",
        "__import__('o' + 's').system",
        "importlib.import_module('os').system",
        "importlib.__import__('os').system",
        "shutil.os.system",
        "tempfile._os.system",
        "__builtins__.__import__('os').system",
        "globals()['__builtins__'].__import__('os').system",
        "operator.attrgetter('system')(os)",
        "functools.partial(os.system)",
        "[os.system][0]",
        "{'a': os.system}['a']",
        "(lambda: os.system)()",
        "(os.system if x else print)",
        "(x or os.system)",
        "(y := os.system)",
    ],
)
def test_every_way_to_a_function_leads_to_it(callee: str, rules: Rules) -> None:
    found = rules(f"import os, posix, sys, importlib, shutil, tempfile, operator, functools\n{callee}('id')")
    assert at_least(found["process"], Risk.HIGH)


@pytest.mark.parametrize(
    "code",
    [
        "f = os.system\nf('id')",
        "def go(f=os.system):\n    f('id')\ngo()",
        "def go(f):\n    f('id')\ngo(os.system)",
        "def get():\n    return os.system\nget()('id')",
        "class A:\n    run = os.system\nA.run('id')",
        "class A:\n    def __init__(self):\n        self.run = os.system\n    def go(self):\n        self.run('id')",
        "a = b = os\nb.system('id')",
        "a, b = os.system, 1\na('id')",
        "for f in (print, os.system):\n    f('id')",
        "x = []\nx.append(os.system)\nx[0]('id')",
        "x = {}\nx['f'] = os.system\nx['f']('id')",
        "try:\n    f = os.system\nexcept Exception:\n    f = print\nf('id')",
        "def deco(f):\n    return f\n@deco\ndef go():\n    os.system('id')",
        "[f('id') for f in [os.system]]",
        "match os.system:\n    case f:\n        f('id')",
    ],
)
def test_a_function_is_followed_through_names(code: str, rules: Rules) -> None:
    found = rules(f"import os\n{code}")
    assert at_least(found.get("process", found.get("process.mention", Risk.LOW)), Risk.HIGH)


@pytest.mark.parametrize(
    "use",
    [
        "print(os.system)",
        "map(os.system, x)",
        "threading.Thread(target=os.system)",
        "x.key = os.system",
        "yield os.system",
    ],
)
def test_handing_on_a_powerful_function_is_a_finding(use: str, rules: Rules) -> None:
    assert rules(f"import os, threading\ndef f():\n    {use}")["process.mention"] is Risk.HIGH


@pytest.mark.parametrize(
    "code",
    [
        "().__class__.__bases__[0].__subclasses__()",
        "f.__globals__['x']",
        "f.__code__",
        "x.gi_frame.f_back.f_globals",
        "e.__traceback__.tb_frame",
        "getattr(x, '__subclasses__')",
        "getattr(x, '__glo' + 'bals__')",
        "__loader__.load_module('os')",
        "''.__class__.__mro__[1]",
        "'{0.__class__.__init__.__globals__}'.format(x)",
        "operator.attrgetter('__globals__')(f)",
    ],
)
def test_steps_into_the_interpreter_are_high(code: str, rules: Rules) -> None:
    assert (
        rules(f"import operator\n{code}")["python.internals" if "format" not in code else "python.internals.format"]
        is Risk.HIGH
    )


@pytest.mark.parametrize(
    "code", ["type(x).__name__", "x.__doc__", "obj.__dict__", "X(1).__dict__", "x.__class__.__name__", "vars(x)"]
)
def test_honest_looks_at_an_object_are_fine(code: str, rules: Rules) -> None:
    assert rules(code) == {}


@pytest.mark.parametrize("code", ["getattr(os, name)", "vars(os)[name]", "sys.modules[name]", "os.__dict__[x]"])
def test_a_name_only_known_at_run_time_is_high_on_a_powerful_module(code: str, rules: Rules) -> None:
    assert rules(f"import os, sys\n{code}")["name.hidden"] is Risk.HIGH


def test_a_name_only_known_at_run_time_on_an_object_is_fine(rules: Rules) -> None:
    assert rules("getattr(order, field)") == {}
