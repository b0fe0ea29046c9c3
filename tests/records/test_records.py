"""Records are frozen Structs without behaviour: every package may hold them, compare them and send them."""

from __future__ import annotations

import copy
import enum
import importlib
import inspect
import pickle
import pkgutil
from types import ModuleType

import pytest
from msgspec import Struct
from msgspec.structs import fields

import workbench.records
from workbench.records import Fault, Risk


def _modules() -> list[ModuleType]:
    package = workbench.records
    return [
        importlib.import_module(f"{package.__name__}.{part.name}") for part in pkgutil.iter_modules(package.__path__)
    ]


def _nouns() -> list[type]:
    found = [noun for module in _modules() for noun in vars(module).values() if inspect.isclass(noun)]
    return sorted({noun for noun in found if noun.__module__.startswith("workbench.records")}, key=lambda n: n.__name__)


def _records() -> list[type[Struct]]:
    return [noun for noun in _nouns() if issubclass(noun, Struct)]


def test_every_class_is_a_frozen_struct_or_an_enumeration_of_text() -> None:
    for noun in _nouns():
        if issubclass(noun, enum.Enum):
            assert all(isinstance(member.value, str) for member in noun), noun
        else:
            assert issubclass(noun, Struct), noun
            assert noun.__struct_config__.frozen, noun


def test_every_class_says_what_it_is() -> None:
    for noun in _nouns():
        assert noun.__doc__, noun
        assert noun.__doc__.rstrip().endswith("."), noun


def test_a_record_has_no_behaviour() -> None:
    for record in _records():
        own = [name for name, part in vars(record).items() if inspect.isfunction(part) and not name.startswith("_")]
        assert own == [], record


def test_no_two_records_share_a_mutable_default() -> None:
    for record in _records():
        for field in fields(record):
            assert not isinstance(field.default, (list, dict, set)), (record, field.name)


def test_a_record_cannot_be_changed_but_can_be_compared_copied_and_sent() -> None:
    fault = Fault("Sentence.", "Hint.")
    with pytest.raises(AttributeError):
        fault.message = "other"  # type: ignore[misc]
    assert fault == Fault("Sentence.", "Hint.") == copy.deepcopy(fault) == pickle.loads(pickle.dumps(fault))
    assert hash(fault) == hash(Fault("Sentence.", "Hint."))


def test_every_record_is_offered_by_the_package() -> None:
    assert {noun.__name__ for noun in _nouns()} <= set(workbench.records.__all__)
    assert sorted(workbench.records.__all__) == list(workbench.records.__all__)


def test_there_are_four_risks() -> None:
    assert [risk.value for risk in Risk] == ["low", "medium", "high", "critical"]
