"""Reads JSON schemas of any draft into type shapes.

An unknown construct becomes AnyShape: an unusual schema costs a type hint, never a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.identifiers import type_name
from workbench.records import JsonValue, Tool
from workbench.wrappers.type_shapes import (
    AliasShape,
    AnyShape,
    ChoiceShape,
    ListShape,
    MapShape,
    NamedShape,
    NothingShape,
    RecordField,
    RecordShape,
    ScalarShape,
    Shape,
    ToolShapes,
    TupleShape,
    UnionShape,
    union,
)

DEEPEST = 24  # maximum depth of nesting
MOST_READS = 20_000  # maximum number of schemas read for one tool, each counted as often as it is written
MOST_COPIED = 500_000  # maximum number of keys and parts copied for one tool while schemas are merged
MOST_VALUES = 1_000  # maximum number of values of an enumeration; above it, only their types are used
LARGEST_ROW = 200  # maximum number of schemas in a tuple, which is written twice; larger ones become plain lists

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_RANGES = (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items"))
_BRANCHES = ("allOf", "anyOf", "oneOf")
_LIMITS = frozenset(("format", "pattern", *(word for low, high, _ in _RANGES for word in (low, high))))
_LIMITS_ONLY = frozenset(("required", "not", "description", "title", "$comment"))
_TYPING = frozenset(("type", "$ref", "properties", "const", "enum", "items", "anyOf", "oneOf", "allOf"))
_STRUCTURE = frozenset(("type", "properties", "required", "additionalProperties", "patternProperties", "items"))


def read_definition(tool: Tool, function: str) -> ToolShapes:
    """Return the input and output of a tool as shapes. The names of its types start with the function's name."""
    base = type_name(function)
    given = SchemaReader(tool.input_schema, {function, f"{base}Input"})
    fields, more = given.read_fields(base)
    if tool.output_schema is None:
        return ToolShapes(fields, more, AnyShape(), given.named(), (), given.too_large)
    back = SchemaReader(tool.output_schema, {function, f"{base}Input", *given.taken})
    result = back.read(result_schema(tool.output_schema), f"{base}Result")
    return ToolShapes(fields, more, result, given.named(), back.named(), given.too_large or back.too_large)


def wraps_result(output_schema: JsonValue) -> bool:
    """Return whether structured results come as `{"result": X}` and callers expect X."""
    properties = output_schema.get("properties") if isinstance(output_schema, Mapping) else None
    return isinstance(properties, Mapping) and list(properties) == ["result"]


def result_schema(output_schema: JsonValue) -> JsonValue:
    """Return the schema of a function's result, unwrapped."""
    return output_schema["properties"]["result"] if wraps_result(output_schema) else output_schema


class SchemaReader:
    """Reads the schemas that share one root, and collects the types that need a name.

    A schema of 2 KB can expand to billions of types: `allOf` that doubles, nested tuples, one reference used in many
    places. So reads, copies and writes are counted, and above a limit a schema becomes AnyShape."""

    def __init__(self, root: JsonValue, taken: set[str]) -> None:
        self.taken = set(taken)
        self._root = root
        self._named: dict[str, RecordShape | AliasShape] = {}
        self._refs: dict[str, Shape] = {}
        self._open: dict[str, str] = {}  # pointer being read → name of its type if it recurs
        self._recurring: set[str] = set()
        self._reserved: set[str] = set()  # names reserved for the record that a pointer leads to
        self._costs: dict[str, int] = {}  # pointer → number of reads that its shape costs wherever it is written
        self._numbers: dict[str, int] = {}  # name → last number appended to it
        self._reads = 0
        self._copied = 0

    @property
    def too_large(self) -> bool:
        """Whether the limits are exceeded."""
        return self._reads > MOST_READS or self._copied > MOST_COPIED

    def named(self) -> tuple[RecordShape | AliasShape, ...]:
        """Return the types that need a name. An alias that only refers to itself becomes AnyShape."""
        return tuple(
            AliasShape(name, AnyShape())
            if isinstance(one, AliasShape) and self._is_itself(name, one.shape, set())
            else one
            for name, one in self._named.items()
        )

    def _is_itself(self, name: str, shape: Shape, seen: set[str]) -> bool:
        members = shape.members if isinstance(shape, UnionShape) else (shape,)
        for member in members:
            other = self._named.get(member.name) if isinstance(member, NamedShape) and member.name not in seen else None
            if isinstance(other, AliasShape):
                seen.add(other.name)
                if other.name == name or self._is_itself(name, other.shape, seen):
                    return True
        return False

    def read_fields(self, base: str) -> tuple[tuple[RecordField, ...], Shape | None]:
        """Return the root as keywords: the properties of all branches, required if all branches require them."""
        parts = list(self._roots(self._root, 0))
        found: dict[str, list[RecordField]] = {}
        for part in parts:
            for field in self._fields(part, base, 1):
                found.setdefault(field.key, []).append(field)
        if self.too_large:
            return (), AnyShape()
        always = set.intersection(*({*_required(part)} for part in parts)) if parts else set()
        fields = tuple(_joined(fields, key in always) for key, fields in found.items())
        more = [shape for part in parts if (shape := self._more(part, base, 1)) is not None]
        return fields, union(more) if more else None

    def _roots(self, schema: JsonValue, depth: int) -> Iterator[Mapping[str, JsonValue]]:
        for part in self._branches(self._resolved(schema), depth):
            if isinstance(part, Mapping) and "$ref" in part and depth < DEEPEST:
                yield from self._roots(part, depth + 1)
            elif isinstance(part, Mapping):
                yield part

    def read(self, schema: JsonValue, hint: str, depth: int = 0) -> Shape:
        """Return one schema as a shape. `hint` is its name if it needs one."""
        self._reads += 1
        shape = self._read(schema, hint, depth)
        return AnyShape() if self.too_large else shape

    def _read(self, schema: JsonValue, hint: str, depth: int) -> Shape:
        if schema is False:
            return NothingShape()
        if not isinstance(schema, Mapping) or depth > DEEPEST or self.too_large:
            return AnyShape()
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], hint, depth)
        if _branching(schema):
            return union([self.read(part, hint, depth + 1) for part in self._branches(schema, depth)])
        if "const" in schema:
            return _choice([schema["const"]])
        if _listed(schema, "enum"):
            return _choice(schema["enum"])
        shape = union([self._typed(kind, schema, hint, depth) for kind in _types(schema)])
        return union([shape, ScalarShape("None")]) if schema.get("nullable") is True else shape

    def _typed(self, kind: str, schema: Mapping[str, JsonValue], hint: str, depth: int) -> Shape:
        if kind in _SCALARS:
            return ScalarShape(_SCALARS[kind])
        if kind == "array":
            return self._array(schema, hint, depth)
        if kind == "object":
            return self._object(schema, hint, depth)
        return AnyShape()

    def _array(self, schema: Mapping[str, JsonValue], hint: str, depth: int) -> Shape:
        places = schema.get("prefixItems", schema.get("items"))
        if not isinstance(places, list):
            return ListShape(self.read(schema.get("items", True), f"{hint}Item", depth + 1))
        rest = schema.get("items") if "prefixItems" in schema else schema.get("additionalItems")
        before = self._reads
        items = tuple(self.read(place, f"{hint}{at}", depth + 1) for at, place in enumerate(places, 1))
        more = self.read(rest, f"{hint}Rest", depth + 1) if isinstance(rest, Mapping) or rest is True else None
        if (cost := self._reads - before) > LARGEST_ROW:
            return ListShape(union([*items, *([more] if more else [])]))
        self._reads += cost
        return TupleShape(items, more)

    def _object(self, schema: Mapping[str, JsonValue], hint: str, depth: int) -> Shape:
        if not isinstance(schema.get("properties"), Mapping) or not schema["properties"]:
            return MapShape(self._more(schema, hint, depth) or AnyShape())
        name = hint if hint in self._reserved else self._name(hint)
        self._reserved.discard(name)
        fields = tuple(self._fields(schema, hint, depth + 1))
        self._named[name] = RecordShape(name, fields, self._more(schema, hint, depth))
        return NamedShape(name)

    def _fields(self, schema: Mapping[str, JsonValue], hint: str, depth: int) -> Iterator[RecordField]:
        properties, required = schema.get("properties"), _required(schema)
        known = properties if isinstance(properties, Mapping) else {}
        self._copied += len(known) + len(required)
        for key, part in {**known, **{key: True for key in required if key not in known}}.items():
            if self.too_large:
                return
            shape = self.read(part, f"{hint}{type_name(str(key))}", depth)
            if shape == NothingShape() and key not in required:
                continue
            about = part if isinstance(part, Mapping) else {}
            yield RecordField(
                key=str(key),
                shape=shape,
                required=key in required,
                note=str(about.get("description") or ""),
                limits=_limits(about),
                default=about.get("default"),
                has_default="default" in about,
            )

    def _more(self, schema: Mapping[str, JsonValue], hint: str, depth: int) -> Shape | None:
        """Return the shape of other keys.

        If a schema with properties does not mention other keys, they are not allowed, so that misspelled keys are
        detected."""
        if "additionalProperties" in schema:
            more = self.read(schema["additionalProperties"], f"{hint}Value", depth + 1)
            return None if isinstance(more, NothingShape) else more
        return AnyShape() if "patternProperties" in schema or "properties" not in schema else None

    def _reference(self, pointer: str, hint: str, depth: int) -> Shape:
        if pointer in self._refs:
            self._reads += self._costs[pointer]
            return self._refs[pointer]
        if pointer in self._open:
            self._recurring.add(pointer)
            return NamedShape(self._open[pointer])
        target = self._target(pointer)
        if target is None:
            return AnyShape()
        wished = hint if pointer == "#" else type_name(pointer.rsplit("/", 1)[-1])
        self._open[pointer] = name = self._name(wished)
        if _is_record(target):
            self._reserved.add(name)
        before = self._reads
        shape = self.read(target, name, depth + 1)
        del self._open[pointer]
        self._refs[pointer] = settled = self._settle(pointer, name, shape)
        self._costs[pointer] = 0 if isinstance(settled, NamedShape) else self._reads - before
        return settled

    def _settle(self, pointer: str, name: str, shape: Shape) -> Shape:
        """Return the final shape of a reference. Only a record or a recursive type needs a name."""
        if name in self._named:
            return shape
        if pointer not in self._recurring:
            self.taken.discard(name)
            return shape
        if shape == NamedShape(name):
            return AnyShape()
        self._named[name] = AliasShape(name, shape)
        return NamedShape(name)

    def _target(self, pointer: str) -> JsonValue:
        if not pointer.startswith("#"):
            return None
        self._copied += len(pointer) // 8
        found = self._root
        for step in pointer[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        return found

    def _branches(self, schema: JsonValue, depth: int) -> list[JsonValue]:
        """Return a schema without allOf, anyOf, oneOf.

        There is one entry per alternative, each merged with its sibling keywords."""
        if not isinstance(schema, Mapping) or depth > DEEPEST or self.too_large:
            return [schema]
        self._reads += 1
        base = {key: value for key, value in schema.items() if key != "allOf"}
        for part in _listed(schema, "allOf"):
            base = self._merged(base, self._resolved(part))
            if self.too_large:
                return [schema]
        if _listed(base, "allOf"):
            return self._branches(base, depth + 1)
        for word in ("anyOf", "oneOf"):
            if members := _listed(base, word):
                rest = {key: value for key, value in base.items() if key != word}
                return self._alternatives(rest, members, depth)
        return [base]

    def _alternatives(self, base: dict[str, JsonValue], members: list[JsonValue], depth: int) -> list[JsonValue]:
        shape = {key: value for key, value in base.items() if key in _STRUCTURE or _listed(base, key)}
        if all(isinstance(member, Mapping) and member.keys() <= _LIMITS_ONLY for member in members):
            return [base]
        found: list[JsonValue] = []
        for member in members:
            if self.too_large:
                break
            alone = shape.keys() <= {"type"} and isinstance(member, Mapping) and not _TYPING.isdisjoint(member)
            whole = member if alone or not shape else self._merged(shape, self._resolved(member))
            found.extend(self._branches(whole, depth + 1) if isinstance(whole, Mapping) else [whole])
        return found

    def _resolved(self, schema: JsonValue) -> Mapping[str, JsonValue]:
        for _ in range(DEEPEST):
            if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
                break
            self._copied += len(schema)
            schema = {**(self._mapping(schema["$ref"])), **{k: v for k, v in schema.items() if k != "$ref"}}
        return schema if isinstance(schema, Mapping) else {}

    def _mapping(self, pointer: str) -> Mapping[str, JsonValue]:
        target = self._target(pointer)
        return target if isinstance(target, Mapping) else {}

    def _name(self, wished: str) -> str:
        name = plain = type_name(wished)
        while name in self.taken:
            self._numbers[plain] = number = self._numbers.get(plain, 1) + 1
            name = f"{plain}{number}"
        self.taken.add(name)
        return name

    def _merged(self, first: Mapping[str, JsonValue], second: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Merge two schemas, as far as types need it."""
        self._copied += _size(first) + _size(second)
        whole = {**first, **second}
        if isinstance(first.get("properties"), Mapping) and isinstance(second.get("properties"), Mapping):
            whole["properties"] = {**first["properties"], **second["properties"]}
        if "required" in whole:
            whole["required"] = list(dict.fromkeys([*_required(first), *_required(second)]))
        for word in ("anyOf", "oneOf", "allOf"):
            if found := [*_listed(first, word), *_listed(second, word)]:
                whole[word] = found
        return whole


def _size(schema: Mapping[str, JsonValue]) -> int:
    """Return the number of items that merging copies from a schema."""
    parts = (schema.get(word) for word in ("properties", "required", "anyOf", "oneOf", "allOf"))
    return len(schema) + sum(len(part) for part in parts if isinstance(part, Mapping | list))


def _branching(schema: Mapping[str, JsonValue]) -> bool:
    return not schema.keys().isdisjoint(_BRANCHES) and any(_listed(schema, word) for word in _BRANCHES)


def _is_record(schema: JsonValue) -> bool:
    """Return whether reading the schema gives exactly one record."""
    return (
        isinstance(schema, Mapping)
        and not _branching(schema)
        and schema.keys().isdisjoint(("$ref", "const", "enum"))
        and bool(schema.get("properties"))
        and _types(schema) == ["object"]
        and schema.get("nullable") is not True
    )


def _listed(schema: Mapping[str, JsonValue], word: str) -> list[JsonValue]:
    found = schema.get(word)
    return found if isinstance(found, list) else []


def _required(schema: Mapping[str, JsonValue]) -> list[str]:
    return [key for key in _listed(schema, "required") if isinstance(key, str)]


def _types(schema: Mapping[str, JsonValue]) -> list[str]:
    """Return the types that a schema names, or those implied by its other keywords."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [str(one) for one in kind]
    if not schema.keys().isdisjoint(("properties", "additionalProperties", "required")):
        return ["object"]
    return ["array"] if not schema.keys().isdisjoint(("items", "prefixItems")) else ["any"]


def _number(value: JsonValue) -> int | float | None:
    return value if isinstance(value, int | float) else None


def _limits(schema: Mapping[str, JsonValue]) -> str:
    """Return the limits that types cannot express, as text."""
    if schema.keys().isdisjoint(_LIMITS):
        return ""
    found = []
    for low, high, unit in _RANGES:
        least, most = _number(schema.get(low)), _number(schema.get(high))
        if least is not None and most is not None:
            found.append(f"{least} to {most}{unit}")
        elif least is not None or most is not None:
            found.append(f"at least {least}{unit}" if most is None else f"at most {most}{unit}")
    found.extend(f"{word} {schema[word]}" for word in ("format", "pattern") if isinstance(schema.get(word), str))
    return ", ".join(found)


def _choice(values: list[JsonValue]) -> Shape:
    """Return a choice.

    Literal types hold strings, integers, booleans and null; other values are replaced by their type."""
    if len(values) > MOST_VALUES:
        kinds = dict.fromkeys(type(value).__name__ if value is not None else "None" for value in values)
        return union([ScalarShape(kind) if kind in _SCALARS.values() else AnyShape() for kind in kinds])
    plain = [value for value in values if value is None or isinstance(value, str | int)]
    rest = [value for value in values if not (value is None or isinstance(value, str | int))]
    others: list[Shape] = [ScalarShape("float") if isinstance(value, float) else AnyShape() for value in rest]
    different = tuple({repr(value): value for value in plain}.values())
    return union([*([ChoiceShape(different)] if different else []), *others])


def _joined(fields: list[RecordField], required: bool) -> RecordField:
    first = fields[0]
    shape = union([field.shape for field in fields])
    return RecordField(first.key, shape, required, first.note, first.limits, first.default, first.has_default)
