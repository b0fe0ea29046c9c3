"""The PIN of answers from a terminal: hashed, private, and slower to guess with each wrong try."""

from __future__ import annotations

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.api_handlers import secrets as terminal_pin
from workbench.api_handlers.secrets import LONGEST, SHORTEST, TerminalPin
from workbench.errors import WorkbenchError


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """The real cost is for whoever guesses."""
    monkeypatch.setattr(terminal_pin, "_COST", {"n": 16, "r": 8, "p": 1})


def _waits(file, clock):
    """Whether even the right PIN is refused; it costs no try."""
    kept = file.read_bytes()
    try:
        TerminalPin(file, clock).check("orange")
    except WorkbenchError:
        return True
    finally:
        file.write_bytes(kept)
    return False


class Clock:
    at = 1_000.0

    def __call__(self):
        return self.at


def test_only_a_salted_hash_is_kept_where_the_user_alone_can_read(tmp_path):
    files = [tmp_path / name / "pin.json" for name in ("one", "two")]
    for file in files:
        TerminalPin(file).set("orange 1")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "orange" not in file.read_text()
    one, two = (json.loads(file.read_text()) for file in files)
    assert one["hash"] != two["hash"], "each has a salt of its own"
    TerminalPin(files[0]).check("orange 1")
    with pytest.raises(WorkbenchError, match="The PIN is wrong"):
        TerminalPin(files[0]).check("orange 2")


def test_it_is_replaced_and_removed_by_who_knows_it(tmp_path):
    pin = TerminalPin(tmp_path / "pin.json")
    pin.set("orange")
    for wrong in ("", "apple"):
        with pytest.raises(WorkbenchError):
            pin.set("pear tree", wrong)
        pin.check("orange")
        with pytest.raises(WorkbenchError):
            pin.clear(wrong)
        pin.check("orange")
    pin.set("pear tree", "orange")
    pin.clear("pear tree")
    assert not pin.is_set
    with pytest.raises(WorkbenchError, match="No PIN is set"):
        pin.clear("")
    for short in ("", "abc", "x" * (LONGEST + 1)):
        with pytest.raises(WorkbenchError, match=f"{SHORTEST} to {LONGEST}"):
            pin.set(short)


def test_wrong_tries_wait_longer_and_a_new_core_does_not_forget_them(tmp_path):
    clock, file = Clock(), tmp_path / "pin.json"
    TerminalPin(file, clock).set("orange")
    waits = []
    for _ in range(12):
        with pytest.raises(WorkbenchError, match="The PIN is wrong"):
            TerminalPin(file, clock).check("apple")
        waits.append(0)
        while _waits(file, clock):
            clock.at += 1
            waits[-1] += 1
    assert waits[:3] == [0, 0, 0]
    assert waits[3:] == sorted(waits[3:])
    assert waits[-1] >= 500
    TerminalPin(file, clock).check("orange")
    with pytest.raises(WorkbenchError, match="Enter it again"):
        TerminalPin(file, clock).check("apple")


def test_while_it_waits_the_right_one_is_refused_too(tmp_path):
    clock, file = Clock(), tmp_path / "pin.json"
    pin = TerminalPin(file, clock)
    pin.set("orange")
    for _ in range(4):
        with pytest.raises(WorkbenchError):
            pin.check("apple")
    with pytest.raises(WorkbenchError, match="Too many wrong PINs"):
        pin.check("orange")
    clock.at += 3
    pin.check("orange")


@given(st.binary(max_size=200))
def test_a_damaged_file_opens_nothing(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("pin") / "pin.json"
    file.write_bytes(data)
    pin = TerminalPin(file)
    assert pin.is_set
    for deed in (lambda: pin.check("orange"), lambda: pin.set("orange", "orange"), lambda: pin.clear("orange")):
        with pytest.raises(WorkbenchError, match="cannot be read"):
            deed()


@pytest.mark.parametrize(
    "kept", [{"salt": "zz", "hash": "", "wrong": 0, "until": 0}, {"salt": 1}, [], None, {"wrong": "x"}]
)
def test_so_does_one_of_another_shape(tmp_path, kept):
    file = tmp_path / "pin.json"
    file.write_text(json.dumps(kept))
    with pytest.raises(WorkbenchError, match="cannot be read"):
        TerminalPin(file).check("orange")
