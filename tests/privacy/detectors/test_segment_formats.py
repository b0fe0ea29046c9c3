"""Formats whose fields have places or short tags."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.segment_formats import find_in_segments

PATIENT = (
    "MSH|^~\\&|EPIC|HOSP|LAB|LABSYS|202403121200||ADT^A01|MSG00001|P|2.5\n"
    "PID|1||48213377^^^HOSP^MR||LUND^ROSA^Q||19810312|F||2106-3|12 OAK ROW^^AKRON^OH^44301^USA||330-555-0132\n"
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (PATIENT, {"48213377", "LUND", "ROSA", "19810312", "12 OAK ROW", "44301", "330-555-0132"}),
        (":25:10020030/1234567\n:86:166?00MIETE?30DEUTDEFF152?31DE02120300000000202051?32ROSA LUND\n",
         {"10020030/1234567", "DEUTDEFF152", "DE02120300000000202051", "ROSA LUND"}),
        ("RP/LONU123AA\n  1.LUND/ROSA MRS\n  4 AP LON 020 7946 0000-H\n", {"LUND", "ROSA"}),
        ("0 @I1@ INDI\n1 NAME Rosa /Lund/\n1 RESI\n2 ADDR 12 Oak Row\n", {"Rosa", "Lund", "12 Oak Row"}),
    ],
)  # fmt: skip
def test_fields_are_found_by_place_and_tag(text: str, values: set[str]) -> None:
    assert {text[one.start : one.end] for one in find_in_segments(text)} == values


def test_other_texts_with_such_signs_stay() -> None:
    assert list(find_in_segments("PID|USER|TIME\n1|root|2\ncalc 1.A/B and AP :25: x")) == []
