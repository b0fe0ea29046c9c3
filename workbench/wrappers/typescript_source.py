"""Writes a tool as the TypeScript module that a program imports."""

from __future__ import annotations

from workbench.identifiers import type_name
from workbench.records import Tool
from workbench.wrappers.generated_comments import LONGEST_DESCRIPTION, cut, hint_words, jsdoc, result_words
from workbench.wrappers.schema_reader import read_definition, wraps_result
from workbench.wrappers.type_shapes import AliasShape, NamedShape, RecordShape, Shape, ToolShapes
from workbench.wrappers.typescript_types import TypeScriptTypeWriter, quoted, type_names

_KEPT = frozenset(("Promise", "any", "unknown"))  # types that a generated module uses itself


def typescript_source(tool: Tool, function: str, written: str) -> str:
    """The module of one tool; `written` is the time its head names."""
    return _Script(tool, function).source(written)


def interface_names(function: str) -> tuple[str, str]:
    """The names of what a function takes and of what it answers."""
    base = type_name(function)
    return f"{base}Input", f"{base}Response"


class _Script:
    """One tool's module while it is written."""

    def __init__(self, tool: Tool, function: str) -> None:
        self._tool, self._function = tool, function
        self._definition: ToolShapes = read_definition(tool, function)
        self._input, self._response = interface_names(function)
        taken = {*_KEPT, function, self._input, self._response}
        self._given_names = type_names(self._definition.given, taken)
        self._back_names = type_names(self._definition.back, taken)
        if isinstance(result := self._definition.result, NamedShape) and result.name in self._back_names:
            self._back_names[result.name] = self._response
        self._given = TypeScriptTypeWriter({**self._given_names, self._input: self._input}, given=True)
        self._back = TypeScriptTypeWriter({**self._back_names, self._response: self._response}, given=False)

    def source(self, written: str) -> str:
        inputs = RecordShape(self._input, self._definition.fields, self._definition.more)
        given = [self._given.declare(one) for one in (*self._definition.given, inputs)]
        back = [self._back.declare(one) for one in self._definition.back]
        back += [self._answer(self._definition.result)] if self._response not in self._back_names.values() else []
        return "\n".join([self._head(written), *given, *back, self._body()])

    def _head(self, written: str) -> str:
        about = f"// The tool {quoted(self._tool.name)} of the server {quoted(self._tool.server)}."
        return f'{about}\n// Generated at {written}\nimport {{ callMCPTool }} from "../client.js";\n'

    def _answer(self, result: Shape) -> str:
        return self._back.declare(AliasShape(self._response, result))

    def _body(self) -> str:
        needed = any(field.required for field in self._definition.fields)
        head = f"export async function {self._function}(input: {self._input}{'' if needed else ' = {}'})"
        return f"{self._comment()}{head}: Promise<{self._response}> {{\n{self._statements()}}}\n"

    def _statements(self) -> str:
        server = self._tool.server
        whole = "__" in server or wraps_result(self._tool.output_schema)  # else the first "__" ends the server's name
        named = f", {quoted(server)}" if whole else ""
        given = f"{quoted(f'{server}__{self._tool.name}')}, input{named}"
        if not wraps_result(self._tool.output_schema):
            return f"  return callMCPTool<{self._response}>({given});\n"
        return (
            f"  const answer: any = await callMCPTool<{{ result: {self._response} }}>({given});\n"
            "  return answer?.result === undefined ? answer : answer.result;\n"
        )

    def _comment(self) -> str:
        claims = hint_words(self._tool.hints)
        about = cut(self._tool.description.strip() or self._tool.title or self._tool.name, LONGEST_DESCRIPTION)
        text = f"{about}\n\nThe server says: {', '.join(claims)}." if claims else about
        back = result_words(self._tool)
        return jsdoc(text, f"returns {back}" if back else "")
