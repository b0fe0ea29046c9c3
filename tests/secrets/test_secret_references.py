"""A configuration names secrets; it does not hold them."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.secrets.secret_references import check_name, find_names, missing_secret_error, reference


def test_names_are_found_once_and_in_order():
    texts = ["Bearer ${keyring:b}", "x", "${keyring:a} ${keyring:b} ${HOME}"]
    assert find_names(texts) == ("b", "a")
    assert find_names([reference("my own.name")]) == ("my own.name",)


@pytest.mark.parametrize("name", ["", " a", "a ", "a}b", "a{b", "a\nb", "-a", "x" * 201])
def test_a_name_that_could_not_be_referred_to_is_refused(name):
    with pytest.raises(WorkbenchError):
        check_name(name)


@pytest.mark.parametrize("name", ["github", "oauth:a b:https://x/y", "ключ", "a-b.c"])
def test_other_names_are_fine(name):
    check_name(name)
    assert find_names([reference(name)]) == (name,)


def test_a_missing_secret_says_where_to_enter_it():
    assert str(missing_secret_error("github")).startswith("The secret 'github' is not stored. Press Connect")
