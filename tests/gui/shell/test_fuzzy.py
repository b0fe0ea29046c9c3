from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.gui.kit.rows import Row
from workbench.gui.shell.navigation import DoAction
from workbench.gui.shell.palette_matches import Target, find_targets, score


def best(needle: str, *texts: str) -> str:
    return max(texts, key=lambda text: -10_000 if (points := score(needle, text)) is None else points)


def test_letters_must_stand_in_order() -> None:
    assert score("lo", "list_orders") is not None
    assert score("ol", "list") is None


def test_an_exact_name_wins_over_one_that_contains_it() -> None:
    assert best("list_orders", "list_orders_of_customer", "list_orders", "relist_orders") == "list_orders"


def test_starts_of_words_win() -> None:
    assert best("lor", "colour", "list_orders") == "list_orders"
    assert best("gi", "Go to the centre: magic", "get_invoice") == "get_invoice"


def test_a_word_of_the_title_wins_over_the_name_of_the_menu() -> None:
    titles = ("Phones", "Network", "Pause or resume agents")
    targets = [Target(Row(title, title), f"{title} Agents", DoAction(title)) for title in titles]
    assert next(target.row.title for _, target in find_targets("agents", targets)) == "Pause or resume agents"


@given(st.text(), st.text())
def test_any_text_is_taken(needle: str, text: str) -> None:
    assert score(needle, needle + text) is None or isinstance(score(needle, needle + text), int)


@given(st.text(min_size=1))
def test_a_text_always_fits_itself(text: str) -> None:
    assert score(text, text) is not None
