"""A preview says what was found and why."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.privacy.detector_preview import preview_masking


def test_json_is_read_with_its_keys_and_each_span_says_why():
    text = json.dumps({"full_name": "Ada Lovelace", "phone": 4915112345678, "city": "Turin"})
    trial = preview_masking(text)
    found = {text[span.start : span.end]: span for span in trial.spans}
    assert found["Ada Lovelace"].kind == "NAME"
    assert found["4915112345678"].kind == "PHONE"
    assert all(span.why for span in trial.spans)
    assert "Turin" in trial.masked


def test_a_value_that_stands_a_second_time_is_found_there_too():
    text = '{"full_name": "Grace Hopper"}'
    again = f'[{text}, "Yours, Grace Hopper"]'
    assert len(preview_masking(again).spans) > len(preview_masking(text).spans)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_laid_out_in_order_without_overlaps(text):
    at = 0
    for span in preview_masking(text).spans:
        assert at <= span.start < span.end <= len(text)
        at = span.end
