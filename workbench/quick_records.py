"""Makes the same frozen, slotted dataclasses as the standard library does, in a third of its time.

WORKAROUND(dataclasses compiles each method of a class by itself, Python >= 3.13, which compiles them together). There
are more than three hundred of them, and making them was a third of what window and core did before anything else. Here
only `__init__` is compiled. What is asked for beyond frozen and slots is left to the standard library.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **wishes: bool) -> Any:
        """Used as the standard library's."""
        plain = wishes == _PLAIN and sys.version_info < (3, 13)
        make = quick if plain else dataclasses.dataclass(**wishes)
        return make if cls is None else make(cls)


@dataclasses.dataclass(frozen=True, slots=True)
class _Example:
    """Holds what the standard library writes into every such class."""

    one: int


_PLAIN: Final = {"frozen": True, "slots": True}
_SPECIAL: Final = ("ClassVar", "InitVar", "KW_ONLY")  # in annotations of what is no plain field
_OURS: Final = frozenset({"__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__slots__"})
_KIND: Final[Any] = _Example.__dataclass_fields__["one"]._field_type  # type: ignore[attr-defined]  # a private mark
_SAME: Final = {name: vars(_Example)[name] for name in ("__dataclass_params__", "__getstate__", "__setstate__")}
_UNSET: Final = object()  # the default of a parameter whose value is made anew each time


def quick(cls: type) -> type:
    """The class as a frozen record with slots."""
    own = get_annotations(cls)
    if not _OURS.isdisjoint(cls.__dict__) or any(word in kind for kind in map(str, own.values()) for word in _SPECIAL):
        return dataclasses.dataclass(frozen=True, slots=True)(cls)
    before = _inherited(cls)
    if any(map(_is_special, (*before.values(), *cls.__dict__.values()))):
        return dataclasses.dataclass(frozen=True, slots=True)(cls)
    fields = before | {name: _field(cls, name, kind) for name, kind in own.items()}
    made = _slotted(cls, fields)
    starting = ["self"]
    filling = ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    names: dict[str, Any] = {"_UNSET": _UNSET}  # Any: what the compiled function refers to
    for at, one in enumerate(fields.values()):
        starting.append(_parameter(at, one, names))
        filling.insert(at, _assignment(at, one, names, made))
    exec(f"def __init__({', '.join(starting)}):\n " + "\n ".join(filling or ["pass"]), names)  # noqa: S102  # of names of fields only
    names["__init__"].__qualname__ = f"{made.__qualname__}.__init__"
    made.__init__ = names["__init__"]  # type: ignore[misc]  # that is what a dataclass is
    return made


def _inherited(cls: type) -> dict[str, Field[Any]]:
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        found.update(getattr(base, "__dataclass_fields__", {}))
    return found


def _is_special(one: object) -> bool:
    """Whether a field is asked for more than a default, and whether it is shown and compared."""
    return isinstance(one, Field) and (not one.init or one.kw_only is True or one.hash is not None)


def _field(cls: type, name: str, kind: str) -> Field[Any]:
    given = cls.__dict__.get(name, MISSING)
    one: Any = given if isinstance(given, Field) else field(default=given)
    if one.default is not MISSING and type(one.default).__hash__ is None:
        raise ValueError(f"mutable default {type(one.default)} for field {name} is not allowed: use default_factory")
    one.name, one.type, one.kw_only, one._field_type = name, kind, False, _KIND
    found: Field[Any] = one
    return found


def _slotted(cls: type, fields: dict[str, Field[Any]]) -> type:
    """Slots belong to a class from its beginning, so it is made once more."""
    content = {name: value for name, value in cls.__dict__.items() if name not in fields}
    content.pop("__dict__", None)
    content.pop("__weakref__", None)
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    values, shown = _getter(one.name for one in fields.values() if one.compare), [n for n in fields if fields[n].repr]
    content |= {
        **_SAME,
        "__dataclass_fields__": fields,
        "__match_args__": tuple(fields),
        "__slots__": tuple(name for name in fields if name not in taken),
        "__setattr__": _refuse_change,
        "__delattr__": _refuse_removal,
        **_comparing(values),
        "__repr__": _telling(shown),
        "__qualname__": cls.__qualname__,
    }
    return type(cls)(cls.__name__, cls.__bases__, content)


def _parameter(at: int, one: Field[Any], names: dict[str, Any]) -> str:
    if one.default_factory is not MISSING:
        names[f"_default{at}"] = one.default_factory
        return f"{one.name}=_UNSET"
    if one.default is MISSING:
        return one.name
    names[f"_default{at}"] = one.default
    return f"{one.name}=_default{at}"


def _assignment(at: int, one: Field[Any], names: dict[str, Any], made: type) -> str:
    """By the slot itself, which the refusal of changes does not guard."""
    names[f"_set{at}"] = getattr(made, one.name).__set__
    fresh = one.default_factory is not MISSING
    value = f"_default{at}() if {one.name} is _UNSET else {one.name}" if fresh else one.name
    return f"_set{at}(self, {value})"


def _getter(names: Iterable[str]) -> Callable[[object], object]:
    """All values at once; as a tuple also where there is but one. Each value once: records that hold records would
    otherwise take twice as long to hash with every level."""
    wanted = list(names)
    if len(wanted) == 1:
        only = attrgetter(wanted[0])
        return lambda self: (only(self),)
    return attrgetter(*wanted) if wanted else lambda self: ()


def _comparing(values: Callable[[object], object]) -> dict[str, Any]:
    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(values(self))}


def _telling(names: Iterable[str]) -> Callable[[object], str]:
    @recursive_repr()
    def tell(self: object) -> str:
        words = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({words})"

    return tell


def _refuse_change(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_removal(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
