"""What is no plain file is refused at once, whatever it would give."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import files
from workbench.files import LARGEST, MOST_PARTS, parse_toml, read_plain


def test_a_plain_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("grün", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert read_plain(tmp_path / "link") == "grün"


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no plain file"):
        read_plain(tmp_path / "pipe")


def test_an_endless_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="no plain file"):
        read_plain(tmp_path / "endless")


def test_a_giant_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "giant").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(OSError, match="larger than 4 MB"):
        read_plain(tmp_path / "giant")


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "none")


LONG = ".".join("a" * 40)
KEYS = st.one_of(st.just("a"), st.just('"x.y"'), st.just("'.'"))


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"[{LONG}]",
        f"[[{LONG}]]",
        f"x = {{{LONG} = 1}}",
        f"x = [1, {{{LONG} = 1}}]",
        f"x = 'y'\n# '\n{LONG} = 1",
        f'x = """\n\\""" "" """\n{LONG} = 1',
        f"x = '''\n'''\n{LONG} = 1",
        f'x = "\\\\"\n{LONG} = 1',
        f't = {{x = """a"""", {LONG} = 1}}',
        f't = {{x = """a""""", {LONG} = 1}}',
        f"t = {{x = '''a'''', {LONG} = 1}}",
        f"{' . '.join('a' * 40)} = 1",
        ".".join(['"a"'] * 40) + " = 1",
    ],
)
def test_a_long_key_is_refused_wherever_it_stands(text: str) -> None:
    with pytest.raises(ValueError, match="more than 16 parts"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f"x = '{LONG}'",
        f'x = "{LONG}"',
        f'x = """\n{LONG}\n{LONG}"""',
        f"x = '''{LONG}'''",
        f"# {LONG}",
        f'x = "\\"{LONG}"',
        f"x = [{', '.join(['1.5'] * 400)}]",
        "\n".join(f"a.k{at} = 1.5" for at in range(400)),
        f'x = """"{LONG}""""',
    ],
)
def test_dots_that_join_no_keys_are_no_matter(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("="), st.lists(KEYS, min_size=1, max_size=24)),
            st.tuples(st.just("["), st.lists(KEYS, min_size=1, max_size=24)),
            st.tuples(st.just("#"), st.text(max_size=8)),
            st.tuples(st.just('"""'), st.text(alphabet="a.\"'\\\n#", max_size=40)),
        ),
        max_size=6,
    )
)
def test_a_text_is_read_as_ever_or_refused_for_its_long_key(lines: list[tuple[str, list[str] | str]]) -> None:
    text, longest = "", 0
    for at, (kind, what) in enumerate(lines):
        if kind == "=":
            text += f"k{at}.{'.'.join(what)} = 1\n"
            longest = max(longest, len(what) + 1)
        elif kind == "[":
            text += f"[k{at}.{'.'.join(what)}]\n"
            longest = max(longest, len(what) + 1)
        elif kind == "#":
            text += f"# {what!r}\n"
        else:
            text += f'k{at} = """{what}"""\n'
    try:
        known = tomllib.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # whichever fault is found first
            parse_toml(text)
        return
    if longest > MOST_PARTS:
        with pytest.raises(ValueError, match="more than 16 parts"):
            parse_toml(text)
    else:
        assert parse_toml(text) == known


def test_nobody_reads_toml_by_another_way() -> None:
    package = Path(files.__file__).parent
    others = [path for path in package.rglob("*.py") if "tomllib.load" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(package).as_posix() for path in sorted(others)] == ["files.py", "sandbox/attacks.py"]
