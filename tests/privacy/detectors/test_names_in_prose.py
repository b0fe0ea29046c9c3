"""Names and addresses in sentences."""

from __future__ import annotations

import time

import pytest

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import detect


def found(text: str, rules: DetectionRules = DEFAULT_RULES) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in detect(text, rules)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I met Tomasz Zieliński at the fair and he asked for a quote.", "Tomasz Zieliński"),
        ("The parcel for Brakoun Teisva was left with the neighbours.", "Brakoun Teisva"),
        ("Please tell Mrs. Abernathy that the doctor is late.", "Mrs. Abernathy"),
        ("Anna's laptop is broken again, she says.", "Anna"),
    ],
)
def test_a_name_in_a_sentence_is_found(text: str, name: str) -> None:
    assert ("NAME", name) in found(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("De rechtbank veroordeelde gisteren Sjoerd van den Berk tot acht maanden cel.", ["Sjoerd van den Berk"]),
        ("In 1661 begann Ludwig XIV selbst zu regieren.", ["Ludwig XIV"]),
        ("Sąd Okręgowy w Krakowie skazał Zbigniewa Nowaka na dwa lata więzienia.", ["Zbigniewa Nowaka"]),
        ("Trener Nenad Kovačević pohvalio je vratara.", ["Nenad Kovačević"]),
        ("Statsminister Ingrid Sandberg träffade pressen i Stockholm.", ["Ingrid Sandberg"]),
        ("La Universidad de Salamanca y el Ayuntamiento de Zaragoza firmaron un convenio.", []),
        ("Die Friedrich-Ebert-Stiftung lud nach Bonn und in die Schillerstraße ein.", []),
        ("Enligt Dagens Nyheter vill Riksbanken sänka räntan i Göteborg.", []),
        ("Sveučilište u Rijeci i Hrvatska narodna banka pokrenuli su projekt.", []),
    ],
)
def test_names_are_told_from_organisations_and_places_in_many_languages(text: str, names: list[str]) -> None:
    assert [value for kind, value in found(text) if kind == "NAME"] == names


@pytest.mark.parametrize("name", ["Mateo Eriksen", "Priya Raman", "Katarzyna Castillo"])
@pytest.mark.parametrize("between", [" ", ", ", ": "])
def test_a_name_and_the_address_behind_it_are_two_values(name: str, between: str) -> None:
    mail = f"{name.replace(' ', '.').lower()}1@example.com"
    spans = found(f"{name}{between}{mail} +1 503 555 0181")
    assert ("EMAIL", mail) in spans
    assert all(text in (name, mail) or kind == "PHONE" for kind, text in spans)


@pytest.mark.parametrize(
    "address",
    ["48 Wellington Road, Leeds LS2 9AB", "Lindenstraße 12, 10969 Berlin", "1600 Harbor Blvd, Apt 4, Tampa, FL 33602"],
)
def test_an_address_in_a_sentence_is_found(address: str) -> None:
    assert found(f"Please send the parcel to {address} and ring twice.") == [("ADDRESS", address)]


@pytest.mark.parametrize(
    "text",
    [
        "The Annual Budget Review of Northwind Holdings takes place in Berlin on Monday.",
        "raise ValueError if the Decimal is not finite, see Context and Inexact",
        "from collections import Counter, OrderedDict\nclass Parser(Base):\n    Tokens = 4",
        "Install Visual Studio Code 1.92 on Windows Server 2022, then open Settings.",
        "Total 12 Street lights were replaced in Phase 3.",
    ],
)
def test_headings_firms_products_and_code_are_let_stand(text: str) -> None:
    assert found(text) == []


def test_an_order_at_the_beginning_of_a_sentence_is_no_name() -> None:
    for text in ("Mend the line and try again.", "It did not run. Mend a line of it.", "- Mend your program first"):
        assert found(text) == []
    assert found("We asked Wulf the same question.") == [("NAME", "Wulf")]


def test_a_kind_that_is_off_is_not_looked_for() -> None:
    text = "I met Tomasz Zieliński at 48 Wellington Road, Leeds LS2 9AB."
    assert {kind for kind, _ in found(text)} == {"NAME", "ADDRESS"}
    assert {kind for kind, _ in found(text, DetectionRules(off=frozenset({"NAME"})))} == {"ADDRESS"}
    assert found(text, DetectionRules(off=frozenset({"NAME", "ADDRESS"}))) == []


def test_a_threshold_says_how_sure_a_finding_must_be() -> None:
    text = "The parcel for Brakoun Teisva was left with the neighbours."
    assert found(text, DetectionRules(thresholds=(("NAME", 1.0),))) == []
    assert found(text, DetectionRules(thresholds=(("ADDRESS", 1.0),))) == [("NAME", "Brakoun Teisva")]


def test_recall_first_finds_at_least_as_much() -> None:
    text = "Talk to Hollis or to Quarry Bell; Marlow knows. Signed, the office of Reva Stowe in Kent."
    usual, eager = found(text), found(text, DetectionRules(recall_first=True))
    assert len("".join(value for _, value in eager)) >= len("".join(value for _, value in usual))


def test_what_stands_beside_a_token_is_read_and_the_token_is_not() -> None:
    text = "Ask Tomasz Zieliński \0\0\0\0\0\0\0\0\0\0\0\0 about the invoice"
    assert found(text) == [("NAME", "Tomasz Zieliński")]


@pytest.mark.parametrize("piece", ["Rosa ", "Rosa", "R. ", "12 Rosa ", "Mc", "O'", "Rosa\n", "Rosa-", "\0Rosa "])
def test_a_long_row_of_candidates_is_read_in_linear_time(piece: str) -> None:
    def once(size: int) -> float:
        began = time.thread_time()
        detect(piece * (size // len(piece)))
        return time.thread_time() - began

    def took(size: int) -> float:
        """The quickest of three: what else happens on a busy machine, or in the collector, is no part of it."""
        return min(once(size) for _ in range(3))

    assert took(40_000) < 12 * max(took(10_000), 0.004)
