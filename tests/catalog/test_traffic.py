"""The memory of a server's pipes is bounded in every direction."""

from __future__ import annotations

from workbench.catalog.traffic import Traffic


def test_everything_is_bounded() -> None:
    traffic = Traffic("one")
    for number in range(3_000):
        traffic.received(b"x" * 50)
        traffic.said(b"line %d" % number)
        traffic.rubbish(b"rubbish")
    traffic.sent(b"y" * 1_000_000)
    traffic.said(b"z" * 1_000_000)
    assert len(traffic.frames()) == 1_000
    assert len(traffic.stderr()) == 400
    assert len(traffic.frames()[-1].text) < 5_000
    assert traffic.frames()[-1].bytes == 1_000_000
    assert len(traffic.stderr()[-1]) < 3_000
    assert len(traffic.warnings()) == 4
    assert "2997 more" in traffic.warnings()[-1]


def test_after_gives_each_frame_exactly_once() -> None:
    traffic = Traffic("one")
    seen, after = [], 0.0
    for number in range(100):
        traffic.sent(b"%d" % number)
        new = traffic.frames(after)
        seen += [frame.text for frame in new]
        after = new[-1].at
    assert seen == [str(number) for number in range(100)]


def test_a_new_process_starts_with_clean_warnings_and_the_old_stderr() -> None:
    traffic = Traffic("one")
    traffic.rubbish(b"\xff not text")
    traffic.said(b"last words")
    traffic.begin()
    assert traffic.warnings() == ()
    assert traffic.tail() == "last words"
