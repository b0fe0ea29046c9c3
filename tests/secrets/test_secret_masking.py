"""No way of writing a hidden value gets through."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from workbench.secrets.secret_masking import MASK, SHORTEST, SecretMasks

SECRET = "tok/" + 'en "one" + zwölf'


def test_a_value_is_masked_as_it_is_in_json_in_json_inside_json_and_in_an_address():
    masks = SecretMasks()
    masks.add_secret(SECRET)
    inner = json.dumps({"a": SECRET})
    for text in (
        SECRET,
        inner,
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps({"text": inner}),
        quote(SECRET, safe=""),
    ):
        assert "zw" not in masks.mask(f"before {text} after")
        assert masks.mask(f"before {text} after").startswith("before ")


def test_a_secret_that_begins_another_one_leaves_no_rest():
    masks = SecretMasks()
    masks.add_secret("abcdefgh")
    masks.add_secret("abcdefgh-and-more")
    assert masks.mask("x abcdefgh-and-more y") == f"x {MASK} y"


def test_values_too_short_to_be_told_from_chance_stay():
    masks = SecretMasks()
    masks.add_secret("abc")
    assert masks.mask("abc") == "abc"


def test_a_structure_is_masked_in_texts_and_keys():
    masks = SecretMasks()
    masks.add_secret("secret-value")
    assert masks.mask_json({"secret-value": ["x secret-value", 5, None]}) == {MASK: [f"x {MASK}", 5, None]}


@given(st.text(min_size=SHORTEST, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_value_survives_in_any_text(secret, before, after):
    masks = SecretMasks()
    masks.add_secret(secret)
    assert secret not in masks.mask(before + secret + after) or secret in before + after or secret in MASK * 3


def test_slashes_may_be_written_with_a_backslash() -> None:
    masks = SecretMasks()
    masks.add_secret("ab/cd/efgh")
    assert "efgh" not in masks.mask(r'{"token": "ab\/cd\/efgh"}')


def test_values_that_are_hidden_on_many_threads_at_once_are_all_masked() -> None:
    masks, values = SecretMasks(), [f"value-{number:04}" for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(masks.add_secret, values))
    assert masks.mask(" ".join(values)).split() == [MASK] * 200
