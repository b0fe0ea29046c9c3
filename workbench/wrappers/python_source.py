"""Writes a tool as a Python module and its stub, and a tool call as a program."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.identifiers import package_name, parameter_names, type_name
from workbench.records import JsonObject, Tool
from workbench.wrappers.compact_signatures import signature
from workbench.wrappers.generated_comments import docstring
from workbench.wrappers.python_types import PythonTypeWriter, either, literal
from workbench.wrappers.schema_reader import read_definition, wraps_result
from workbench.wrappers.type_shapes import AnyShape, MapShape, RecordField, RecordShape, ToolShapes

__all__ = ["call_source", "signature", "stub_source", "wrapper_and_stub", "wrapper_source"]

WIDTH = 100  # maximum number of columns of a program that is shown to users


def wrapper_source(tool: Tool, function: str) -> str:
    """Return the module of one tool. It only defines the function, which sends exactly the arguments it gets."""
    return _Module(tool, function).source()


def stub_source(tool: Tool, function: str) -> str:
    """Return the stub of the module for type checkers. A call without a required keyword is an error there."""
    return _Module(tool, function).stub()


def wrapper_and_stub(tool: Tool, function: str) -> tuple[str, str]:
    """Return module and stub. The definition is read only once."""
    module = _Module(tool, function)
    return module.source(), module.stub()


def call_source(tool: Tool, function: str, arguments: JsonObject) -> str:
    """Return a program that makes one call, for `Copy as Python`."""
    keywords = parameter_names([field.key for field in read_definition(tool, function).fields])
    start = f"from servers.{package_name(tool.server)} import {function}\n\nresult = await {function}("
    if any(key not in keywords for key in arguments):
        return f"{start}{_laid_out(dict(arguments), 0)})\n"
    parts = [f"{keywords[key]}={_laid_out(value, 4)}" for key, value in arguments.items()]
    flat = ", ".join(parts)
    if "\n" not in flat and len(flat) + len(function) + 18 <= WIDTH:
        return f"{start}{flat})\n"
    return f"{start}\n" + "".join(f"    {part},\n" for part in parts) + ")\n"


def _only_needed(definition: ToolShapes, tool: Tool) -> RecordField | None:
    """Return the only required argument, if its value can be distinguished from a dict of arguments.

    Programs may pass it without its name."""
    needed = [field for field in definition.fields if field.required]
    if len(needed) != 1:
        return None
    schemas = tool.input_schema.get("properties")
    schema = schemas.get(needed[0].key) if isinstance(schemas, Mapping) else None
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return needed[0] if kind in ("string", "integer", "number", "boolean", "array") else None


class _Module:
    """Builds one tool's module. Names of its own are changed if the tool uses them."""

    def __init__(self, tool: Tool, function: str) -> None:
        self._tool, self._function = tool, function
        self._definition: ToolShapes = read_definition(tool, function)
        self._keywords = parameter_names([field.key for field in self._definition.fields])
        self._input = f"{type_name(function)}Input"
        named = (*self._definition.given, *self._definition.back)
        self._taken = {function, self._input, *self._keywords.values(), *(one.name for one in named)}
        self._typing, self._call_tool = self._free("typing"), self._free("call_tool")
        self._not_given, self._arguments = self._free("NOT_GIVEN"), self._free("arguments")
        self._whole, self._answer, self._inner = self._free("whole"), self._free("answer"), self._free("inner")
        self._given, self._more, self._result = self._free("given"), self._free("more"), self._free("result")
        self._unsaid = self._free("Answer") if tool.output_schema is None else ""  # the type of an unspecified result
        self._as_arguments = self._free("as_arguments")
        self._only = _only_needed(self._definition, tool)
        self._writer = PythonTypeWriter(self._typing, named, given=True)
        self._reader = PythonTypeWriter(self._typing, named, given=False)

    def source(self) -> str:
        return _unparsed([*self._head(), *self._types(), self._function_definition()])

    def stub(self) -> str:
        """Return the stub with both call styles.

        These are one dict with additional keywords, or keywords alone including required ones."""
        required = [field for field in self._definition.fields if field.required]
        head: list[ast.stmt] = [self._about(), ast.Import([_alias("typing", self._typing)])]
        if self._unsaid:
            head.append(ast.ImportFrom("client", [_alias("Answer", self._unsaid)], 0))
        overloads = [self._overload(False), self._overload(True)] if required else [self._overload(None)]
        return _unparsed([*head, *self._types(), *overloads])

    def _overload(self, by_keywords: bool | None) -> ast.stmt:
        """Return the overload of one call style. None: the dict is optional."""
        whole, fields = either(self._inputs()), self._definition.fields
        whole = either([whole, ast.Constant(None)]) if by_keywords is None else whole
        more = self._definition.more
        needed = [by_keywords is True and field.required for field in fields]
        parameters = ast.arguments(
            posonlyargs=[] if by_keywords else [ast.arg(self._arguments, whole)],
            args=[],
            kwonlyargs=[ast.arg(self._keywords[field.key], self._writer.write(field.shape)) for field in fields],
            kw_defaults=[None if one else ast.Constant(...) for one in needed],
            kwarg=ast.arg(self._more, self._writer.write(more)) if more else None,
            defaults=[ast.Constant(...)] if by_keywords is None else [],
        )
        marks = [] if by_keywords is None else [self._writer.special("overload")]
        back = ast.Name(self._unsaid) if self._unsaid else self._reader.write(self._definition.result)
        return ast.AsyncFunctionDef(self._function, parameters, [ast.Expr(ast.Constant(...))], marks, back, lineno=0)

    def _types(self) -> list[ast.stmt]:
        given = [self._writer.declare(one) for one in self._definition.given]
        if self._definition.fields or not self._definition.more:
            given.append(self._writer.declare(RecordShape(self._input, self._definition.fields)))
        back = [self._reader.declare(one) for one in self._definition.back]
        return [*given, *back]

    def _about(self) -> ast.stmt:
        about = f"The tool {self._tool.name!r} of the server {self._tool.server!r}, written from its definition."
        return ast.Expr(ast.Constant(about))

    def _head(self) -> list[ast.stmt]:
        return [
            self._about(),
            ast.ImportFrom("__future__", [ast.alias("annotations")], 0),
            ast.Import([_alias("typing", self._typing)]),
            ast.ImportFrom(
                "client",
                [
                    *([_alias("as_arguments", self._as_arguments)] if self._only else []),
                    _alias("call_tool", self._call_tool),
                ],
                0,
            ),
            ast.AnnAssign(ast.Name(self._not_given), self._writer.special("Any"), ast.Constant(...), simple=1),
        ]

    def _function_definition(self) -> ast.stmt:
        back = self._reader.write(self._definition.result)
        doc = docstring(self._tool, self._definition, self._keywords)
        body: list[ast.stmt] = [ast.Expr(ast.Constant(doc)), *self._body(back)]
        return ast.AsyncFunctionDef(self._function, self._parameters(), body, [], back, lineno=0)

    def _parameters(self) -> ast.arguments:
        fields = self._definition.fields
        more = self._definition.more
        return ast.arguments(
            posonlyargs=[ast.arg(self._arguments, either([*self._inputs(), ast.Constant(None)]))],
            args=[],
            kwonlyargs=[ast.arg(self._keywords[field.key], self._writer.write(field.shape)) for field in fields],
            kw_defaults=[ast.Name(self._not_given) for _ in fields],
            kwarg=ast.arg(self._more, self._writer.write(more)) if more else None,
            defaults=[ast.Constant(None)],
        )

    def _inputs(self) -> list[ast.expr]:
        """Return the types of the one-dict style. If other keys are allowed, a plain dict is accepted as well."""
        known: list[ast.expr] = [ast.Name(self._input)] if self._definition.fields or not self._definition.more else []
        if self._only:
            known.append(self._writer.write(self._only.shape))
        if not self._definition.more:
            return known
        return [*known, self._writer.write(MapShape(AnyShape() if known else self._definition.more))]

    def _body(self, back: ast.expr) -> list[ast.stmt]:
        """Return the statements of the function: collect the arguments, send them, return the result."""
        call = ast.Await(
            ast.Call(
                ast.Name(self._call_tool),
                [ast.Constant(self._tool.server), ast.Constant(self._tool.name), self._sent()],
                [ast.keyword("whole", ast.Constant(True))] if wraps_result(self._tool.output_schema) else [],
            )
        )
        if wraps_result(self._tool.output_schema):
            return [*self._collected(), *self._unwrapped(call, back)]
        if isinstance(self._definition.result, AnyShape):
            return [*self._collected(), ast.Return(call)]
        return [*self._collected(), *self._typed(call, back)]

    def _typed(self, value: ast.expr, back: ast.expr) -> list[ast.stmt]:
        """Return a value with its type annotation, which type checkers trust."""
        result = ast.Name(self._result)
        return [ast.AnnAssign(result, back, value, simple=1), ast.Return(result)]

    def _unwrapped(self, call: ast.expr, back: ast.expr) -> list[ast.stmt]:
        """Return the statements that unwrap `{"result": X}`.

        If a server does not follow its schema, the whole answer is returned."""
        answer, inner = ast.Name(self._answer), self._inner
        pattern = ast.MatchMapping([ast.Constant("result")], [ast.MatchAs(None, inner)], None)
        found = ast.match_case(pattern, None, [ast.Assign([answer], ast.Name(inner), lineno=0)])
        return [
            ast.AnnAssign(answer, self._writer.special("Any"), call, simple=1),
            ast.Match(answer, [found]),
            *self._typed(answer, back),
        ]

    def _collected(self) -> list[ast.stmt]:
        one_dict: ast.expr = ast.BoolOp(ast.Or(), [ast.Name(self._arguments), ast.Dict([], [])])
        if self._only:
            given = [ast.Name(self._arguments), ast.Constant(self._only.key)]
            one_dict = ast.Call(ast.Name(self._as_arguments), given, [])
        found: list[ast.stmt] = [ast.AnnAssign(ast.Name(self._whole), self._writer.special("Any"), one_dict, simple=1)]
        if self._keywords:
            keys: list[ast.expr | None] = [ast.Constant(key) for key in self._keywords]
            pairs = ast.Dict(keys, [ast.Name(name) for name in self._keywords.values()])
            found.append(ast.Assign([ast.Name(self._given)], pairs, lineno=0))
        return found

    def _sent(self) -> ast.expr:
        parts: list[ast.expr] = [ast.Name(self._whole)]
        if self._keywords:
            parts.append(_without(self._given, self._not_given))
        if self._definition.more:
            parts.append(ast.Name(self._more))
        return ast.Dict([None] * len(parts), parts)

    def _free(self, wished: str) -> str:
        name = wished
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _unparsed(body: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n"


def _without(given: str, missing: str) -> ast.expr:
    """Return `{key: value for key, value in given.items() if value is not NOT_GIVEN}`."""
    pair = ast.Tuple([ast.Name("key"), ast.Name("value")])
    items = ast.Call(ast.Attribute(ast.Name(given), "items"), [], [])
    test = ast.Compare(ast.Name("value"), [ast.IsNot()], [ast.Name(missing)])
    return ast.DictComp(ast.Name("key"), ast.Name("value"), [ast.comprehension(pair, items, [test], 0)])


def _alias(name: str, free: str) -> ast.alias:
    return ast.alias(name, None if name == free else free)


def _laid_out(value: object, indent: int) -> str:
    """Return a value as Python source, broken into lines if it is too long for one."""
    flat = ast.unparse(literal(value))
    if len(flat) + indent <= WIDTH or not isinstance(value, Mapping | list) or not value:
        return flat
    pad, inner = " " * indent, " " * (indent + 4)
    if isinstance(value, Mapping):
        rows = [f"{ast.unparse(literal(str(key)))}: {_laid_out(part, indent + 4)}" for key, part in value.items()]
        return "{\n" + "".join(f"{inner}{row},\n" for row in rows) + pad + "}"
    return "[\n" + "".join(f"{inner}{_laid_out(part, indent + 4)},\n" for part in value) + pad + "]"
