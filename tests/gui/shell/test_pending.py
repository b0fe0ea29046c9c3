"""What waits is offered one after the other, the most urgent first, without what a person put aside."""

from __future__ import annotations

from workbench.gui.shell.pending_strips import Pending


def made(**urgencies: float) -> Pending[float]:
    pending: Pending[float] = Pending(lambda item: item)
    for key, urgency in urgencies.items():
        pending.take(key, urgency)
    return pending


def test_the_most_urgent_comes_first_and_of_equals_the_oldest() -> None:
    assert made(a=2, b=1).first() == 1
    pending: Pending[str] = Pending()
    pending.take("a", "older")
    pending.take("b", "newer")
    assert pending.first() == "older"


def test_what_was_put_aside_still_waits_and_something_new_is_offered() -> None:
    pending = made(a=1)
    pending.put_aside()
    assert (pending.first(), len(pending), pending.every()) == (None, 1, (1,))
    pending.take("b", 2)
    assert pending.first() == 2


def test_what_is_over_may_come_again_and_is_offered_again() -> None:
    pending = made(a=1)
    pending.put_aside()
    pending.drop("a")
    pending.take("a", 1)
    assert pending.first() == 1


def test_a_new_list_replaces_the_old_one_and_keeps_what_was_put_aside() -> None:
    pending = made(a=1, b=2)
    pending.put_aside()
    pending.replace([("b", 2), ("c", 3)])
    assert (pending.first(), pending.find("a"), pending.find("b")) == (3, None, 2)
