"""Every record is frozen, slotted, documented and without behaviour, so that any room may hold any of them."""

from __future__ import annotations

import copy
import enum
import importlib
import inspect
import pickle
import pkgutil
from dataclasses import FrozenInstanceError, fields, is_dataclass
from types import ModuleType

import pytest

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


@pytest.mark.parametrize("noun", _nouns())
def test_a_noun_is_a_frozen_slotted_record_or_a_set_of_words(noun: type) -> None:
    if issubclass(noun, enum.Enum):
        assert all(isinstance(word.value, str) for word in noun)
        return
    assert is_dataclass(noun)
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(noun)


@pytest.mark.parametrize("noun", _nouns())
def test_a_noun_says_what_it_is(noun: type) -> None:
    assert noun.__doc__
    assert not noun.__doc__.startswith(f"{noun.__name__}(")
    assert noun.__doc__.rstrip().endswith(".")


@pytest.mark.parametrize("noun", [noun for noun in _nouns() if is_dataclass(noun)])
def test_a_record_has_no_behaviour(noun: type) -> None:
    own = [name for name, part in vars(noun).items() if callable(part) and not name.startswith("_")]
    assert own == []


@pytest.mark.parametrize("noun", [noun for noun in _nouns() if is_dataclass(noun)])
def test_no_two_records_share_a_mutable_default(noun: type) -> None:
    for part in fields(noun):
        assert not isinstance(part.default, (list, dict, set))


def test_a_record_cannot_be_changed_but_can_be_compared_copied_and_sent() -> None:
    fault = Fault("Sentence.", "Hint.")
    with pytest.raises(FrozenInstanceError):
        fault.message = "other"  # type: ignore[misc]
    assert fault == Fault("Sentence.", "Hint.") == copy.deepcopy(fault) == pickle.loads(pickle.dumps(fault))


def test_every_public_noun_is_offered_by_the_package() -> None:
    assert {noun.__name__ for noun in _nouns()} <= set(workbench.records.__all__)
    assert sorted(workbench.records.__all__) == list(workbench.records.__all__)


def test_risk_words_are_the_four_of_the_house() -> None:
    assert [risk.value for risk in Risk] == ["low", "medium", "high", "critical"]
