"""The window says of each number what counted it, as the core told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.gui.kit.wording import cost, learn_counter, tokens_text
from workbench.tokens import ESTIMATE, EXACT


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    learn_counter(ESTIMATE)  # a window of an earlier test may have been told another
    yield
    learn_counter(ESTIMATE)


def test_until_the_core_has_told_a_number_is_an_estimate() -> None:
    assert (cost(1_200), tokens_text(1_200)) == ("≈ 1.2k tokens", "≈ 1.2k tokens")


def test_an_exact_count_names_its_vocabulary() -> None:
    learn_counter(EXACT)
    assert (cost(1_200), tokens_text(1_200)) == ("1.2k tokens (o200k)", "1.2k tokens")
    assert cost(7, ESTIMATE) == "≈ 7 tokens"
