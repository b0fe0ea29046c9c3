"""Schemas that are difficult for code generators, and a generator of valid values, for `wrappers.py`."""

from __future__ import annotations

import random
import re
from typing import Any

_PARSER: Any = re._parser  # type: ignore[attr-defined]  # the standard library's own reader of patterns
_DEEPEST = 5  # below this depth, only required properties are generated
_TEXTS = ("", "a", "two words", 'quotes " and \\', "line\nbreak", "ü ✓ 漢字", "*/", '"""', "{x}", "2024-02-29")
_FORMATS = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T12:30:00Z",
    "uri": "https://example.com/a?b=c",
    "email": "someone@example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}


def _object(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"inputSchema": {"type": "object", "properties": properties, "required": list(required), **more}}


_NODE = {"type": "object", "properties": {"x": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}
_ANY_JSON = {
    "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {"type": "array", "items": {"$ref": "#/$defs/Json"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
    ]
}
_KINDS = [
    {
        "type": "object",
        "properties": {"kind": {"const": "a"}, "size": {"type": "integer"}},
        "required": ["kind", "size"],
    },
    {"type": "object", "properties": {"kind": {"const": "b"}, "name": {"type": "string"}}, "required": ["kind"]},
]
AWKWARD: dict[str, dict[str, Any]] = {
    "plain": _object({"text": {"type": "string"}, "count": {"type": "integer"}}, "text"),
    "nullable_any_of": _object({"body": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}),
    "nullable_old": _object({"body": {"type": "string", "nullable": True}}),
    "type_list": _object({"n": {"type": ["string", "integer", "null"]}}),
    "mixed_enum": _object({"n": {"enum": [1, 2, None, True, 'a"b', "*/"]}}, "n"),
    "const": _object({"version": {"const": 2}}, "version"),
    "tuple": _object(
        {"n": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}}
    ),
    "tuple_with_rest": _object(
        {"n": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "number"}}}
    ),
    "tagged_union": _object({"v": {"oneOf": _KINDS}}, "v"),
    "list_of_union": _object({"v": {"type": "array", "items": {"anyOf": [*_KINDS, {"type": "string"}]}}}),
    "all_of": {
        "inputSchema": {
            "type": "object",
            "allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}}},
            ],
        }
    },
    "whole_any_of": _object(
        {"a": {"type": "string"}, "b": {"type": "string"}}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]
    ),
    "recursive": _object({"p": {"$ref": "#/$defs/Node"}}, "p", **{"$defs": {"Node": _NODE}}),
    "any_json": _object({"value": {"$ref": "#/$defs/Json"}}, "value", **{"$defs": {"Json": _ANY_JSON}}),
    "words_of_python": _object(
        {key: {"type": "string"} for key in ("from", "class", "self", "None", "print", "await", "match")},
        "from",
        "None",
    ),
    "keys_of_all_kinds": _object(
        {
            key: {"type": "integer"}
            for key in ("x-api-key", "a b", "2nd", "", "ü", "$top", "@type", "a.b", "a_b", "a-b", "__x")
        }
    ),
    "names_of_ours": _object(
        {key: {"type": "string"} for key in ("arguments", "call_tool", "typing", "whole", "input", "answer")}
    ),
    "names_of_types": _object(
        {"str": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}, "dict": {"type": "object"}}
    ),
    "free": {"inputSchema": {}},
    "nothing": _object({}, additionalProperties=False),
    "numbers_by_name": {"inputSchema": {"type": "object", "additionalProperties": {"type": "number"}}},
    "more_keys": _object({"a": {"type": "string"}}, additionalProperties={"type": "number"}),
    "true_and_false": _object({"any": True, "never": False}),
    "deep": _object(
        {
            "a": {
                "type": "array",
                "items": {"type": "array", "items": _object({"b": {"type": "boolean"}}, "b")["inputSchema"]},
            }
        }
    ),
    "hostile_words": {
        "description": '*/ """ \\ @ts-nocheck\r\n\x00\u202e',
        **_object({"a": {"type": "string", "description": '*/"""'}}),
    },
    "wrapped_result": {
        **_object({"a": {"type": "string"}}),
        "outputSchema": {"type": "object", "properties": {"result": {"type": "array", "items": {"type": "string"}}}},
    },
    "recursive_result": {
        **_object({"a": {"type": "string"}}),
        "outputSchema": {
            "$ref": "#/$defs/Tree",
            "$defs": {"Tree": {"properties": {"kids": {"items": {"$ref": "#/$defs/Tree"}}}}},
        },
    },
    "delete": _object({}),
    "3d-render": _object({}),
    "a.b/c d": _object({}),
    "a-b": _object({"one": {"type": "string"}}),
    "a_b": _object({"two": {"type": "string"}}),
    "../../x": _object({}),
    "index": _object({}),
    "Promise": _object(
        {"a": {"$ref": "#/$defs/Promise"}}, **{"$defs": {"Promise": {"properties": {"b": {"type": "string"}}}}}
    ),
}


class Instances:
    """Generates values that match a schema in most cases; use a validator where it matters.

    Additional keys and items are generated only where the schema declares them, because undeclared ones are mostly
    errors.
    """

    def __init__(self, root: Any, dice: random.Random) -> None:
        self._root, self._dice = root, dice

    def make(self, schema: Any, depth: int = 0) -> Any:
        schema = self._one_branch(schema, depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._dice.choice(schema["enum"])
        kinds = schema.get("type") or _implied(schema)
        return self._typed(self._dice.choice(kinds) if isinstance(kinds, list) else kinds, schema, depth)

    def _one_branch(self, schema: Any, depth: int) -> dict[str, Any]:
        """Resolve references and alternatives: one alternative is chosen, and all conditions that must hold are
        merged.
        """
        while isinstance(schema, dict) and not schema.keys().isdisjoint(("$ref", "allOf", "anyOf", "oneOf")):
            rest = {key: part for key, part in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
            parts = [self._target(schema["$ref"])] if "$ref" in schema else []
            parts += schema.get("allOf", [])
            for word in ("anyOf", "oneOf"):
                if word in schema:
                    few = schema[word][:1] if depth > _DEEPEST else schema[word]
                    parts.append(self._dice.choice(few))
            schema = _joined([rest, *(part for part in parts if isinstance(part, dict))])
        return schema if isinstance(schema, dict) else {}

    def _target(self, pointer: str) -> Any:
        found = self._root
        for step in pointer.lstrip("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found[int(key)] if isinstance(found, list) else found.get(key, {})
        return found

    def _typed(self, kind: str, schema: dict[str, Any], depth: int) -> Any:
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return self._number(kind, schema)
            case "boolean":
                return self._dice.random() < 0.5
            case "null":
                return None
            case _:
                return self._dice.choice([None, True, 7, 1.5, "text", [1, "a"], {"k": [None]}])

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties") or {}, schema.get("required") or []
        wanted = [key for key in properties if key in required or (depth < _DEEPEST and self._dice.random() < 0.6)]
        made = {key: self.make(properties[key], depth + 1) for key in wanted if properties[key] is not False}
        made |= {key: self._typed("any", {}, depth) for key in required if key not in properties}
        more = schema.get("additionalProperties", "properties" not in schema and "type" in schema and depth < _DEEPEST)
        if isinstance(more, dict) or more is True:
            made |= {key: self.make(more, depth + 1) for key in ("other", "x y") if self._dice.random() < 0.4}
        return made

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        places = schema.get("prefixItems") or []
        if isinstance(schema.get("items"), list):
            return [self.make(place, depth + 1) for place in schema["items"]]
        made = [self.make(place, depth + 1) for place in places]
        if schema.get("items") is False or (places and "items" not in schema):
            return made
        least = max(schema.get("minItems", 0) - len(made), 0)
        most = least if depth > _DEEPEST else max(least, min(schema.get("maxItems", 3) - len(made), least + 2))
        return made + [self.make(schema.get("items", {}), depth + 1) for _ in range(self._dice.randint(least, most))]

    def _number(self, kind: str, schema: dict[str, Any]) -> int | float:
        least = schema.get(
            "minimum", schema.get("exclusiveMinimum", -1 if "maximum" not in schema else schema["maximum"] - 5)
        )
        least += 1 if "exclusiveMinimum" in schema else 0
        most = schema.get(
            "maximum", schema.get("exclusiveMaximum", least + 101) - (1 if "exclusiveMaximum" in schema else 0)
        )
        if kind == "number" and self._dice.random() < 0.5:
            return self._dice.uniform(least, most)
        step = schema.get("multipleOf", 1)
        return int(-(-self._dice.randint(int(least), int(max(least, most))) // step) * step)

    def _text(self, schema: dict[str, Any]) -> str:
        if "pattern" in schema:
            return self._matching(_PARSER.parse(schema["pattern"]))
        text = _FORMATS.get(schema.get("format", "")) or self._dice.choice(_TEXTS)
        least, most = schema.get("minLength", 0), schema.get("maxLength", 10_000)
        return (text + "x" * (least - len(text)))[:most]

    def _matching(self, pattern: Any) -> str:
        """A text for the plain parts of a pattern. Look-arounds are ignored."""
        return "".join(self._part(str(kind), value) for kind, value in pattern)

    def _part(self, kind: str, value: Any) -> str:
        match kind:
            case "LITERAL":
                return chr(value)
            case "NOT_LITERAL" | "ANY":
                return "x" if value != ord("x") else "y"
            case "IN":
                return self._of_set(value)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, inner = value
                return "".join(self._matching(inner) for _ in range(self._dice.randint(least, min(most, least + 2))))
            case "SUBPATTERN":
                return self._matching(value[-1])
            case "BRANCH":
                return self._matching(self._dice.choice(value[1]))
            case _:
                return ""

    def _of_set(self, members: Any) -> str:
        if str(members[0][0]) == "NEGATE":
            banned = re.compile(f"[{''.join(chr(low) for low in range(33, 48))}\\s]")
            return next(mark for mark in "xkz7_" if not banned.match(mark))
        kind, value = self._dice.choice(members)
        if str(kind) == "RANGE":
            return chr(self._dice.randint(*value))
        return (
            chr(value)
            if str(kind) == "LITERAL"
            else {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " "}.get(str(value), "w")
        )


def _implied(schema: dict[str, Any]) -> str:
    if not schema.keys().isdisjoint(("properties", "required", "additionalProperties")):
        return "object"
    return "array" if not schema.keys().isdisjoint(("items", "prefixItems")) else "any"


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for part in parts:
        properties = {**whole.get("properties", {}), **part.get("properties", {})}
        required = [*whole.get("required", []), *part.get("required", [])]
        whole = {
            **whole,
            **part,
            **({"properties": properties} if properties else {}),
            **({"required": required} if required else {}),
        }
    return whole
