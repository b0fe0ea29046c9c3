"""The message format of the parameters and the result of an API method, read from its annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

from msgspec import Raw, Struct, defstruct

from workbench.api.codec import Hint, Keep, Resolve, decode, encode
from workbench.errors import WorkbenchError


class MethodSchema(Struct, frozen=True):
    """Encodes and decodes the arguments and the result of one method."""

    name: str
    signature: inspect.Signature  # signature without `self`
    arguments: type[Struct]  # a record of the arguments; those with their default value are not sent
    answer: Hint

    def encode_arguments(self, *args: Any, **kwargs: Any) -> Raw:
        """Encode arguments. Any: arguments of the method; wrong ones raise TypeError as a plain call would."""
        return encode(self.arguments, self.arguments(**self.signature.bind(*args, **kwargs).arguments))

    def decode_arguments(self, given: Raw, resolve: Resolve) -> dict[str, Any]:
        """Decode the arguments that do not have their default value. Any: decoded to the declared types, or refused."""
        try:
            record = decode(self.arguments, given, resolve)
        except WorkbenchError as fault:
            raise WorkbenchError(f"The method was called with wrong arguments. {fault.message}", fault.hint) from None
        values = {name: getattr(record, name) for name in self.arguments.__struct_fields__}
        return {name: value for name, value in values.items() if value != self.signature.parameters[name].default}

    def encode_answer(self, value: Any, keep: Keep) -> Raw:
        """Encode the result. Any: a value of the declared type."""
        return encode(self.answer, value, keep)


@cache
def schema_of(function: Callable[..., Any], name: str) -> MethodSchema:
    """Return the schema of a method. Any: a method of any signature. Created at the first call, because 200 schemas
    take 6 ms."""
    hints = get_type_hints(function)
    whole = inspect.signature(function)
    own = whole.replace(parameters=[p for p in whole.parameters.values() if p.name != "self"])
    parts = [(p.name, hints[p.name], *(() if p.default is p.empty else (p.default,))) for p in own.parameters.values()]
    arguments = defstruct(name, parts, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True)
    return MethodSchema(name, own, arguments, hints["return"])
