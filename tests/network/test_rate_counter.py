"""How often something happened within the last minute."""

from __future__ import annotations

from workbench.network.network_access import Rate


def test_a_name_has_its_share_each_minute_and_no_more() -> None:
    now = [0.0]
    rate = Rate(lambda: now[0])
    assert [rate.take("a", 2) for _ in range(3)] == [True, True, False]
    assert rate.take("b", 2)
    now[0] = 60.1
    assert rate.take("a", 2)


def test_names_of_long_ago_are_forgotten() -> None:
    now = [0.0]
    rate = Rate(lambda: now[0])
    for number in range(50):
        rate.take(str(number), 5)
    now[0] = 61.0
    rate.take("new", 5)
    assert list(rate._times) == ["new"]
