"""Interprets library functions that evaluate text: table expressions, formulas, templates, pickles and doctests.

A constant text is judged by the names that it uses. A text known only at run time may do whatever the evaluator can,
which for most evaluators is anything that Python can.
"""

from __future__ import annotations

import ast
import pickletools
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from workbench.analysis.interpreter.effects import note, note_file
from workbench.analysis.interpreter.imports import note_import, note_skill
from workbench.analysis.interpreter.indirect_names import evaluates, mention
from workbench.analysis.interpreter.interpreter import Interpreter, NameScope, SpecialCall, for_names
from workbench.analysis.interpreter.values import HOLE, NOTHING, Arguments, Value, each, first_of_kind, known, text_of
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.methods_and_attributes import FOREIGN, FORMATTER, HOOKS, SAFE_TEMPLATES, TEXT_METHODS
from workbench.analysis.tables.modules import ALIASES
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import Risk
from workbench.records.common_types import at_least

# Parts of a constant text that do more than compute with the given values.
_REACHING = re.compile(r"__|\bimport\b|\b(?:exec|eval|open|getattr|compile)\s{0,9}\(|@[\w.\[\]'\"]{1,200}\(")
_REACHING_TEMPLATE = re.compile(
    r"__|\|\s{0,9}attr\b|<%|\.\s{0,9}(?:unlink|rmdir|rename|write_text|write_bytes|touch|mkdir|chmod|symlink_to"
    r"|rmtree|remove|system|popen|run|open|write)\s{0,9}\("
)
_REACHING_FIELD = re.compile(r"\{[^{}:!]{0,80}(?:__|\.(?:gi|cr|f|tb|ag)_)[^{}]{0,80}\}")
_REACHING_NAME = re.compile(r"[\w\[\]]*\.[\w.\[\]]*__\w+__")
_QUERIES, _TESTS = TEXT_METHODS["pandas"], TEXT_METHODS["unittest"]
_STORED_TEMPLATES = names("get_template select_template get_or_select_template")
_IMPORTERS = frozenset({"pytest.importorskip", "pandas.compat._optional.import_optional_dependency"})
_TEST_OPTIONS = names("argv exit verbosity failfast buffer warnings catchbreak tb_locals")
_TESTMOD = names("name verbose report optionflags raise_on_error")
_SHORT = 80


def call_bound(interpreter: Interpreter, node: ast.Call, target: Value, arguments: Arguments) -> Value | None:
    """Interpret a call of a stored text-evaluating method, or a call that gets one as an argument.

    None for other calls."""
    for value in (target, *arguments.every):
        owner, _, name = value.kind.rpartition(".")
        if owner == "method":
            given = arguments if value is target else Arguments((NOTHING,))
            return evaluate_method(interpreter, node, name, Value(taint=value.taint), given)
    return None


def evaluate_method(
    interpreter: Interpreter, node: ast.Call, name: str, owner: Value, arguments: Arguments
) -> Value | None:
    """Note the text that a method of an unknown object evaluates. None if the method evaluates none.

    The method is recognized by its name and the imported packages."""
    if owner.refs and owner.refs[0].endswith(".DataFrame"):  # `DataFrame.query(table, text)`
        arguments = Arguments(arguments.positional[1:], arguments.named)
    if not evaluates(interpreter, name) or owner.kind in SAFE_TEMPLATES:
        return None
    if name in _QUERIES:
        _judge(interpreter, node, f".{name}", arguments.get(0, "expr"), _REACHING)
    elif name in _TESTS:
        _note(interpreter, node, "Imports and runs tests from files, which are not part of this program", Risk.HIGH)
    elif name in _STORED_TEMPLATES:
        _note(interpreter, node, "Fills a template from a file, which is not part of this program", Risk.HIGH)
    else:
        _judge(interpreter, node, f".{name}", arguments.get(0, "source"), _REACHING_TEMPLATE)
    return Value(taint=owner.taint | arguments.taint)


def note_format(interpreter: Interpreter, node: ast.AST, owner: Value, arguments: Arguments) -> None:
    """Note access by a format text, which can read attributes.

    `Formatter().get_field` takes one such field without braces."""
    texts = [text_of(owner), *map(text_of, arguments.positional)]
    if any(_REACHING_FIELD.search(text) for text in texts) or _REACHING_NAME.match(text_of(arguments.get(0))):
        note(interpreter, ProgramAction.INTERNALS, node, "a format text", rule="python.internals.format")
    if owner.kind == FORMATTER:
        _note_template(interpreter, node, arguments.get(0, "format_string", "field_name"), arguments.every[1:])
    else:
        _note_template(interpreter, node, owner, arguments.every)


def _note_template(interpreter: Interpreter, node: ast.AST, template: Value, values: Iterable[Value]) -> None:
    """Note a template known only at run time. Its fields can access attributes of its arguments."""
    if all(known(choice) is not None for choice in each(template)):
        return
    given = [part for value in values for part in (value, *(value.items or ()))]
    from_outside = template.kind == FOREIGN or any(source.kind in ("untrusted", "private") for source in template.taint)
    objects = any(part.refs or part.functions or part.kind in ("class", "own") for part in given)
    if objects or (from_outside and any(known(part) is None and not _is_number(part) for part in given)):
        words = (
            "Fills a template that is only known at run time: its fields may access attributes of the objects it gets"
        )
        _note(interpreter, node, words, Risk.MEDIUM)


def _is_number(value: Value) -> bool:
    return isinstance(value.const, int | float)


def _judge(interpreter: Interpreter, node: ast.Call, what: str, text: Value, reaching: re.Pattern[str]) -> None:
    for choice in each(text):
        constant = known(choice)
        if source := first_of_kind(choice.taint, "untrusted"):
            words = f"Uses {what} to evaluate text that came from {source.label} (line {source.line})"
            note(
                interpreter,
                ProgramAction.CODE,
                node,
                "text from outside",
                risk=Risk.CRITICAL,
                rule="code.untrusted",
                words=words,
            )
        elif constant is None:
            partly = text_of(choice).replace(HOLE, "").strip() != "" and choice.kind != FOREIGN
            words = f"Uses {what} to evaluate text that is only known at run time"
            _note(interpreter, node, words, Risk.MEDIUM if partly else Risk.HIGH)
        elif reaching.search(constant):
            short = " ".join(constant.split())[:_SHORT]
            note(
                interpreter,
                ProgramAction.CODE,
                node,
                short,
                words=f"Uses {what} to evaluate text that can access other objects: {short}",
            )


def _note(interpreter: Interpreter, node: ast.AST, words: str, risk: Risk) -> None:
    note(interpreter, ProgramAction.CODE, node, rule="code.text", risk=risk, words=words)
    interpreter.report.not_assessed["Text that is evaluated and only known at run time."] = None


def _expression(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `pandas.eval`, `sympy.sympify` and similar functions."""
    text = arguments.get(0, "expr", "a", "s", "ex", "expression")
    if not _is_number(text):
        _judge(interpreter, node, ref, text, _REACHING)
    return Value(taint=arguments.taint)


def _formula(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret functions that take a formula, or a text that they evaluate to one. Only texts are reported."""
    for value in arguments.every[:2]:
        texts = (value, *(value.items or ()))
        if any(
            part.kind == FOREIGN or first_of_kind(part.taint, "untrusted") or known(part) is not None for part in texts
        ):
            for part in texts:
                if known(part) is not None or part.kind == FOREIGN or part.taint:
                    _judge(interpreter, node, ref, part, _REACHING)
    return Value(taint=arguments.taint)


def _template(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    text = arguments.get(0, "source", "text")
    if ref.startswith("mako.") or text is NOTHING:  # a mako template is a program
        _note(interpreter, node, f"Uses {ref} to run a template as a program", Risk.HIGH)
    else:
        _judge(interpreter, node, ref, text, _REACHING_TEMPLATE)
    return Value(taint=arguments.taint)


def _format(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `str.format(template, …)`."""
    note_format(interpreter, node, arguments.get(0), Arguments(arguments.positional[1:], arguments.named))
    return Value(taint=arguments.taint)


def _named_object(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `pkgutil.resolve_name("os:remove")`, which imports a module and returns an attribute by name."""
    name = known(arguments.get(0, "name", "path", "modname", "mod_name", "module"))
    if name and ref in _IMPORTERS:
        note_import(interpreter, node, name)
        return Value(refs=(ALIASES.get(name, name),))
    note(interpreter, ProgramAction.IMPORT, node, name or "", risk=Risk.MEDIUM if name else Risk.HIGH)
    if not name:
        interpreter.report.any_skill = True
        return NOTHING
    dotted = name.replace(":", ".")
    note_skill(interpreter, node, dotted)
    found = Value(refs=(ALIASES.get(dotted, dotted),))
    mention(interpreter, node, found)
    return found


def _parsers(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `xml.sax.make_parser(names)`, which imports each of the named modules."""
    if arguments.every:
        note(interpreter, ProgramAction.IMPORT, node, risk=Risk.HIGH)
        interpreter.report.any_skill = True
    return NOTHING


def _timed(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `timeit.timeit(statement, setup)`.

    Functions of the program are read anyway. Texts are read here, with the names that they can access."""
    own = arguments.get(4, "globals") is not NOTHING
    names = NameScope({name: Value(refs=(name,)) for name in ("gc", "itertools", "sys", "time")})
    with interpreter.scope(names, None if own else interpreter.scopes[:1]):
        for position, name in ((1, "setup"), (0, "stmt")):
            value = arguments.get(position, name)
            for choice in each(value) if value is not NOTHING and not value.functions else ():
                text = known(choice)
                if text is None or not _run_here(interpreter, node, text):
                    _note(interpreter, node, f"Uses {ref} to run text that is only known at run time", Risk.HIGH)
    return Value(taint=arguments.taint)


def _profiled(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `cProfile.run(statement, file)`, which runs a text with the names of the program."""
    if (target := arguments.get(1, "filename")) is not NOTHING and target.const is not None:
        note_file(interpreter, ProgramAction.WRITE, node, target)
    with interpreter.scope(NameScope(), interpreter.scopes[:1]):
        for choice in each(arguments.get(0, "statement")):
            text = known(choice)
            if text is None or not _run_here(interpreter, node, text):
                _note(interpreter, node, f"Uses {ref} to run text that is only known at run time", Risk.HIGH)
    return Value(taint=arguments.taint)


def _own_tests(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `unittest.main()`, which runs the test classes of the program. They are read like any other class.
    Further words of `argv` would name tests in other files."""
    words = arguments.get(3, "argv")
    alone = words is NOTHING or (words.items is not None and len(words.items) <= 1 and known(words) is None)
    if arguments.positional or not alone or not _TEST_OPTIONS.issuperset(arguments.named):
        note(interpreter, ProgramAction.CODE, node, ref, risk=Risk.MEDIUM)
    return Value(taint=arguments.taint)


def _doctest(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `doctest.testmod()`, which runs the docstring examples of the program.

    They are read like any other line."""
    plain = not arguments.positional and _TESTMOD.issuperset(arguments.named)
    if not plain or not all(_run_here(interpreter, node, text) for text in interpreter.examples()):
        note(interpreter, ProgramAction.CODE, node, ref)
    return Value(taint=arguments.taint)


def _run_here(interpreter: Interpreter, node: ast.Call, text: str) -> bool:
    """Read a constant text that runs with the names of this place. Returns whether it parses."""
    tree = interpreter.program(text).tree
    if tree is None:
        return False
    with interpreter.report_at(interpreter.span(node)), interpreter.branch(loop=True):
        interpreter.run(tree.body)
    return True


def _weights(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `torch.load`. With `weights_only=True` it unpickles no code."""
    given = next((keyword.value for keyword in node.keywords if keyword.arg == "weights_only"), None)
    if not (isinstance(given, ast.Constant) and given.value is True):
        note(interpreter, ProgramAction.UNPACK, node, ref)
    return Value(taint=arguments.taint)


EVALUATORS: dict[str, SpecialCall] = {
    **for_names("pandas.eval pandas.core.computation.eval.eval numexpr.evaluate PIL.ImageMath.eval", _expression),
    **for_names(
        "PIL.ImageMath.unsafe_eval sympy.sympify sympy.S sympy.parse_expr sympy.core.sympify.sympify", _expression
    ),
    **for_names("sympy.parsing.parse_expr sympy.parsing.sympy_parser.parse_expr gettext.c2py", _expression),
    **for_names("sympy.parsing.sympy_parser.eval_expr sympy.parsing.sympy_parser.stringify_expr", _expression),
    **for_names(
        "sympy.simplify sympy.expand sympy.factor sympy.solve sympy.solveset sympy.diff sympy.integrate", _formula
    ),
    **for_names(
        "sympy.limit sympy.series sympy.lambdify sympy.N sympy.nsolve sympy.Eq sympy.Poly sympy.latex", _formula
    ),
    **for_names("jinja2.Template jinja2.environment.Template jinja2.nativetypes.NativeTemplate", _template),
    **for_names("mako.template.Template mako.lookup.TemplateLookup", _template),
    **for_names("builtins.str.format builtins.str.format_map", _format),
    **for_names("pkgutil.resolve_name pydoc.locate pydoc.safeimport pydoc.resolve pydoc.render_doc", _named_object),
    **for_names("pytest.importorskip sympy.external.import_module unittest.mock._importer", _named_object),
    **for_names("pandas.compat._optional.import_optional_dependency logging.config._resolve", _named_object),
    **for_names("xml.sax.make_parser", _parsers),
    **for_names("timeit.timeit timeit.repeat timeit.Timer", _timed),
    **for_names("doctest.testmod", _doctest),
    **for_names("cProfile.run profile.run", _profiled),
    **for_names("unittest.main unittest.TestProgram", _own_tests),
    **for_names("torch.load", _weights),
}


MOST_OPCODES = 5_000
_PICKLING = HOOKS | names("copyreg dispatch_table persistent_load find_class __class__ __dict__")
_TEXTS = frozenset(
    {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE", "SHORT_BINSTRING", "BINSTRING", "STRING"}
)


def unpickle(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret unpickling, which runs what the data says.

    If the data is a constant of the program, its calls are named."""
    data = arguments.get(0, "data", "file").const
    for name in dict.fromkeys(called(data)) if isinstance(data, bytes) else ():
        rule = CALLABLES.get(ALIASES.get(name, name))
        if rule and at_least(rule.risk, Risk.MEDIUM):
            words = f"Unpacks data that calls {name}"
            note(
                interpreter, ProgramAction.UNPACK, node, name, risk=Risk.CRITICAL, rule="code.unpack.calls", words=words
            )
    if ref != "pickle.loads" or not _packed_here(interpreter, node):
        note(interpreter, ProgramAction.UNPACK, node, ref)
    return Value(taint=arguments.taint)


def _packed_here(interpreter: Interpreter, node: ast.Call) -> bool:
    """Return whether the data is what `pickle.dumps` made of an object of the program, whose classes are read."""
    data = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if isinstance(data, ast.Name):
        data = interpreter.bound_once(data.id)
    match data:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="pickle"), attr="dumps")):
            return not interpreter.mentions(_PICKLING)
    return False


def called(data: bytes) -> Iterator[str]:
    """Yield the dotted names that a pickle loads. Ends at data that cannot be parsed."""
    texts: list[str] = []
    try:
        for opcode, argument, _ in islice(pickletools.genops(data), MOST_OPCODES):
            if opcode.name in _TEXTS:
                texts.append(str(argument))
            elif opcode.name in ("GLOBAL", "INST"):
                yield _dotted(*str(argument).split(" ", 1))
            elif opcode.name == "STACK_GLOBAL" and len(texts) > 1:
                yield _dotted(texts[-2], texts[-1])
    except (ValueError, IndexError, UnicodeError, OverflowError):
        return


def _dotted(module: str, name: str = "") -> str:
    owner = {"posix": "os", "nt": "os", "__builtin__": "builtins"}.get(module, module)
    return f"{owner}.{name}"
