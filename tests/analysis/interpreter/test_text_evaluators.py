"""Packages that evaluate text: what only the run knows asks, and constant texts that compute do not."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter.text_evaluators import called
from workbench.analysis.reading import assess
from workbench.records import Gate, Risk

EVALUATED = [
    "import pandas as pd\npd.eval(open('workspace/x').read())",
    "import pandas as pd\npd.eval(\"__import__('os').system('x')\")",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ndf.query(open('workspace/q.txt').read())",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ndf.query(\"@pd.io.common.os.remove('x')\")",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ndf.eval(input())",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\npd.DataFrame.query(df, input())",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\nq=df.query\nq(input())",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ngetattr(df,'query')(input())",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ndf.groupby('a').apply(lambda g: g.query(x))",
    "import sympy\nsympy.sympify(open('workspace/f').read())",
    "from sympy import sympify as s\ns(input())",
    "from sympy.parsing.sympy_parser import parse_expr\nparse_expr(input())",
    "import sympy\nsympy.simplify(open('workspace/f').read())",
    "import sympy\nsympy.sympify(\"__import__('os').system('id')\")",
    "import sympy\nsympy.lambdify('x', \"__import__('os').system('id')\")",
    "from jinja2 import Template\nTemplate(open('workspace/t').read()).render()",
    "from jinja2 import Environment\nEnvironment().from_string(input()).render()",
    (
        "import jinja2\n"
        "env=jinja2.Environment(loader=jinja2.FileSystemLoader('workspace'))\n"
        "env.get_template('a.html').render()"
    ),
    "import jinja2\njinja2.Template(\"{{ ''.__class__.__mro__ }}\").render()",
    (
        "from jinja2 import Template\n"
        "from pathlib import Path\n"
        "Template(\"{{ p.unlink() }}\").render(p=Path('workspace/a'))"
    ),
    "t = open('workspace/t').read()\nclass U:\n  pass\nprint(t.format(user=U()))",
    "t = open('workspace/t').read()\nprint(t.format(user=x))",
    "import string\nclass U: pass\nprint(string.Formatter().vformat(input(), (U(),), {}))",
    "import string\nprint(string.Formatter().format(input(), x))",
    "class U: pass\nprint(str.format(input(), U()))",
    "from lxml import etree\netree.XSLT(etree.parse('workspace/a.xsl'))(doc)",
    "import pandas as pd\npd.read_hdf('workspace/a.h5')",
    "import keras\nkeras.models.load_model('workspace/m.h5')",
    "from tensorflow.keras.models import load_model\nload_model('workspace/m.h5')",
    "import numpy.f2py\nnumpy.f2py.compile(b'x')",
    "from numpy import f2py\nf2py.compile('x')",
    "import unittest\nunittest.defaultTestLoader.discover('workspace')",
    "import unittest\nunittest.TestLoader().loadTestsFromName('workspace.x')",
    "import numexpr\nnumexpr.evaluate(input())",
    "from mako.template import Template\nTemplate('<% import os %>').render()",
    "import asteval\nasteval.Interpreter()(x)",
    "import shelve\nshelve.open('workspace/a')",
    "import joblib\njoblib.load('workspace/a')",
    "import torch\ntorch.load('workspace/a')",
    "import yaml\nyaml.load(x, Loader=yaml.UnsafeLoader)",
    "import yaml\nyaml.load(x, Loader=yaml.SafeLoader if a else yaml.UnsafeLoader)",
    "import code\ncode.InteractiveInterpreter().runsource('x')",
    "import runpy\nrunpy.run_path('workspace/a.py')",
    "import timeit\ntimeit.timeit(setup=\"import os; os.remove('x')\")",
    "import timeit\ntimeit.Timer(\"import os; os.remove('workspace/a')\").timeit(1)",
    "import doctest\ndoctest.testfile('workspace/a.txt')",
    "import cProfile\np=cProfile.Profile()\np.run(\"import os; os.remove('workspace/a')\")",
    "import pkgutil\npkgutil.resolve_name('os:remove')('workspace/a')",
    "import pydoc\npydoc.locate('os.remove')('workspace/a')",
    "import xml.sax\nxml.sax.make_parser(['skills.evil'])",
    "import tkinter\ntkinter.Tcl().eval('file delete x')",
    "import _xxsubinterpreters as s\ns.run_string(s.create(), 'x')",
    "import _testcapi",
    "from PIL import ImageMath\nImageMath.eval(input())",
    "import pydoc\npydoc.pipepager('x','rm a')",
    "import importlib.metadata as m\nm.EntryPoint('a','skills.evil:go','g').load()()",
]
HARMLESS = [
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\nprint(df.query('age > 3 and name == \"x\"'))",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\nlimit=3\nprint(df.query('age > @limit'))",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\nlimit=3\nprint(df.query(f'age > {limit}'))",
    "import pandas as pd\ndf=pd.read_csv('workspace/a.csv')\ndf=df.eval('c = a + b')",
    "import pandas as pd\nprint(pd.eval('1 + 2'))",
    (
        "import sympy\n"
        "x=sympy.symbols('x')\n"
        "print(sympy.solve(x**2-1, x), sympy.simplify((x**2-1)/(x-1)), sympy.sympify('x+1'))\n"
        "print(sympy.lambdify(x, x**2)(3))"
    ),
    "import sympy\nprint(sympy.sympify(3), sympy.S(1)/2, sympy.diff(sympy.sympify('x**2'),'x'))",
    (
        "from jinja2 import Template\n"
        "t = Template('Hello {{ name }}! {% for i in items %}{{ i.title() }}{% endfor %}')\n"
        "print(t.render(name='x', items=[1]))"
    ),
    "from jinja2 import Environment\nt=Environment().from_string('{{ a|upper }}')\nprint(t.render(a='x'))",
    (
        "from jinja2.sandbox import SandboxedEnvironment\n"
        "print(SandboxedEnvironment().from_string(open('workspace/t').read()).render())"
    ),
    "print('{} {:>10} {name}'.format(a, b, name=c))",
    "t='Dear {name}'\nfor r in rows: print(t.format(name=r['name']))",
    "def show(template, **k): return template.format(**k)\nprint(show('{a}', a=1))",
    "class U: pass\nu=U()\nprint('{0.name}'.format(u))",
    "import string\nprint(string.Formatter().format('{a}', a=1), string.Template('$a').substitute(a=1))",
    "t=open('workspace/t.txt').read()\nprint(t.format(name='Ada', day=3))",
    "import timeit\nprint(timeit.timeit(lambda: sum(range(10)), number=10))",
    "def f(): return 1\nimport timeit\nprint(timeit.repeat(f, number=10))",
    "import torch\nm=torch.load('workspace/m.pt', weights_only=True)",
    "import yaml\nprint(yaml.safe_load(open('workspace/a.yml')), yaml.load('a: 1', Loader=yaml.SafeLoader))",
    (
        "import unittest\n"
        "class T(unittest.TestCase):\n"
        "  def test_a(self): self.assertEqual(1,1)\n"
        "unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))"
    ),
    "import _thread, cProfile\np=cProfile.Profile()\np.enable(); p.disable()",
    "from lxml import etree\nprint(etree.fromstring('<a/>').xpath('//a'))",
    "x = 5\nprint(f'{x:>5}', '%s' % x)",
    "import datetime\nprint(datetime.date(2020,1,1).strftime('%d'))",
]


@pytest.mark.parametrize("code", EVALUATED)
def test_text_that_is_evaluated_asks(code: str) -> None:
    verdict = assess(code, ())
    assert verdict.gate is not Gate.AUTO
    assert verdict.risk is not Risk.LOW


@pytest.mark.parametrize("code", HARMLESS)
def test_constant_texts_and_safe_ways_ask_nobody(code: str) -> None:
    verdict = assess(code, ())
    assert verdict.gate is Gate.AUTO, verdict.sentence


def test_text_from_outsiders_is_critical() -> None:
    code = "import pandas as pd\nfrom servers.web import fetch_page\npd.eval((await fetch_page(url='https://a.b'))['text'])"
    assert assess(code, None).risk is Risk.CRITICAL


TESTED = """\
import os
from client import load_skill as load


def work(path):
    '''
    >>> {example}
    2
    '''
    {body}


import doctest
doctest.testmod()
"""


@pytest.mark.parametrize(
    ("example", "body", "gate"),
    [
        ("work(1)", "return path + 1", Gate.AUTO),
        ("print(open('workspace/a.csv').read())", "return 2", Gate.AUTO),
        ("work('workspace/a.csv')", "os.remove(path)", Gate.ASK),
        ("os.remove('workspace/a.csv')", "return 2", Gate.ASK),
        ("open('workspace/a.csv', 'w')", "return 2", Gate.ASK),
        ("load('tidy').tidy()", "return load('double').double()", Gate.AUTO),
        ("[load(name) for name in ['tidy']]", "return 2", Gate.ASK),
        ("exec('import os')", "return 2", Gate.ASK),
        ("work(1)", "work.__doc__ = path", Gate.ASK),
        ("work(1)", "return property(len, None, None, path)", Gate.ASK),
    ],
)
def test_examples_in_docstrings_are_read_like_any_line(example: str, body: str, gate: Gate) -> None:
    verdict = assess(TESTED.format(example=example, body=body), ())
    assert verdict.gate is gate, verdict.sentence
    if "tidy" in example and gate is Gate.AUTO:
        assert set(verdict.skills) == {"tidy", "double"}


@pytest.mark.parametrize(
    "code",
    [
        "import timeit\ntimeit.timeit('import os; os.remove(\"workspace/a\")')",
        "import timeit\ntimeit.timeit('pass', 'open(\"workspace/a\", \"w\")')",
        "import timeit\ntimeit.repeat(stmt='f(\"workspace/a\")', setup='from os import remove as f')",
        'import timeit, os\ntimeit.timeit(\'sys.modules["os"].remove("workspace/a")\')',
        "import timeit, os\nf = os.remove\ntimeit.timeit('f(\"workspace/a\")', globals=globals())",
        "import timeit\ntimeit.timeit('load_skill(n)', globals={'n': 'tidy', 'load_skill': load_skill})",
        "import timeit\ntimeit.timeit(input())",
        "import doctest\ndoctest.testmod(other)",
        "import doctest, os\ndoctest.testmod(extraglobs={'f': os.remove})",
    ],
)
def test_texts_that_are_timed_or_tested_are_read(code: str) -> None:
    assert assess(code, ()).gate is not Gate.AUTO


@pytest.mark.parametrize(
    "code",
    [
        "import timeit\ndef f(): return 1\nprint(timeit.timeit('f()', setup='from __main__ import f', number=3))",
        "import timeit\nprint(timeit.timeit('sum(range(9))', number=9))",
        "import sys\nbest = sys.maxsize\nfor n in range(3):\n    best -= n\nprint(best)",
        "import math\nfor name in ('sin', 'cos'):\n    print(getattr(math, name)(1))",
    ],
)
def test_everyday_measuring_and_counting_asks_nobody(code: str) -> None:
    assert assess(code, ()).gate is Gate.AUTO


class _Calls:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("id",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_unpacking_would_call_is_named(protocol: int, rules: Callable[[str], dict[str, Risk]]) -> None:
    data = pickle.dumps(_Calls(), protocol)
    assert list(called(data)) == ["os.system"]
    assert rules(f"import pickle\npickle.loads({data!r})")["code.unpack.calls"] is Risk.CRITICAL


def test_harmless_data_calls_nothing_but_unpacking_stays_risky(rules: Callable[[str], dict[str, Risk]]) -> None:
    found = rules(f"import pickle\npickle.loads({pickle.dumps([1, 'os', 'system'])!r})")
    assert "code.unpack.calls" not in found
    assert found["code.unpack"] is Risk.HIGH


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert all("." in name for name in called(data))
