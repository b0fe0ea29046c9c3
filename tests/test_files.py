"""Reading refuses what is no plain file, and writing leaves the old file or the new one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import files
from workbench.errors import WorkbenchError
from workbench.files import LARGEST, MOST_PARTS, parse_toml, read_plain, replacing_file, write_file


def test_a_plain_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("grün", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert read_plain(tmp_path / "link") == "grün"


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_plain(tmp_path / "pipe")


def test_an_endless_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
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
    assert [path.relative_to(package).as_posix() for path in sorted(others)] == ["files.py"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "folder"


def test_a_written_file_and_its_new_folder_are_private(folder: Path) -> None:
    write_file(folder / "file", b"one")
    write_file(folder / "file", "zwei \u20ac \ud800")
    assert (folder / "file").read_text("utf-8", "surrogatepass") == "zwei \u20ac \ud800"
    assert (folder / "file").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_rights_are_those_asked_for_or_those_of_the_present_file(folder: Path) -> None:
    write_file(folder / "shared", "a", mode=0o644)
    assert (folder / "shared").stat().st_mode & 0o777 == 0o644
    (folder / "shared").chmod(0o640)
    write_file(folder / "shared", "b", mode=0o644, keep_mode=True)
    assert (folder / "shared").stat().st_mode & 0o777 == 0o640
    write_file(folder / "shared", "c")
    assert (folder / "shared").stat().st_mode & 0o777 == 0o600
    write_file(folder / "new", "d", mode=0o644, keep_mode=True)
    assert (folder / "new").stat().st_mode & 0o777 == 0o644


def test_nothing_is_written_through_a_symbolic_link(folder: Path) -> None:
    folder.mkdir()
    (folder / "target").write_text("kept")
    for name, leads_to in (("link", "target"), ("dangling", "nowhere"), ("away", "/etc/passwd")):
        (folder / name).symlink_to(leads_to)
        with pytest.raises(WorkbenchError, match="symbolic link"):
            write_file(folder / name, "planted")
        assert (folder / name).is_symlink(), name
    assert (folder / "target").read_text() == "kept"
    assert not (folder / "nowhere").exists()


def test_a_link_planted_while_the_file_is_written_is_replaced_and_not_followed(folder: Path) -> None:
    folder.mkdir()
    (folder / "target").write_text("kept")
    with replacing_file(folder / "file") as file:
        (folder / "file").symlink_to("target")
        file.write(b"new")
    assert not (folder / "file").is_symlink()
    assert (folder / "file").read_bytes() == b"new"
    assert (folder / "target").read_text() == "kept"


def test_a_failure_while_writing_leaves_the_old_file_and_no_other(folder: Path) -> None:
    write_file(folder / "file", "old")
    with contextlib.suppress(ZeroDivisionError), replacing_file(folder / "file") as file:
        file.write(b"new")
        file.write(bytes(1 // 0))
    assert (folder / "file").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_what_prevents_a_write_is_said_with_a_remedy(folder: Path) -> None:
    folder.mkdir()
    (folder / "plain").write_text("")
    (folder / "taken").mkdir()
    (folder / "taken" / "inside").write_text("")
    for path in (folder / "plain" / "file", folder / "taken", folder / ("x" * 300)):
        with pytest.raises(WorkbenchError, match="cannot be written") as caught:
            write_file(path, "x")
        assert caught.value.hint, path
    with pytest.raises(WorkbenchError, match="The book cannot be written") as caught:
        write_file(folder / "plain" / "file", "x", name="The book", hint="Buy another.")
    assert caught.value.hint == "Buy another."
    assert not [path for path in folder.iterdir() if path.name.startswith(".new-")]


def test_a_full_disk_leaves_the_old_file(folder: Path) -> None:
    write_file(folder / "file", "old")
    ended = _in_a_process(
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))",
        "try: write_file(path, b'x' * 100_000)",
        "except WorkbenchError as fault: print(fault.message)",
        folder=folder,
    )
    assert "cannot be written: File too large" in ended
    assert (folder / "file").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_a_kill_before_the_new_file_is_in_place_leaves_the_old_one(folder: Path) -> None:
    write_file(folder / "file", "old")
    for moment in ("os.fsync", "os.replace"):
        _in_a_process(
            f"{moment} = lambda *_: os.kill(os.getpid(), 9)", "write_file(path, b'x' * 100_000)", folder=folder
        )
        assert (folder / "file").read_text() == "old", moment
    write_file(folder / "file", "new")
    assert (folder / "file").read_text() == "new"


def test_those_who_write_at_the_same_time_leave_one_whole_file(folder: Path) -> None:
    contents = [bytes([48 + number]) * 200_000 for number in range(8)]
    seen: set[bytes] = set()

    def write(content: bytes) -> None:
        for _ in range(10):
            write_file(folder / "file", content, durable=False)
            seen.add((folder / "file").read_bytes())

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, contents))
    assert seen <= set(contents)
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_a_durable_file_and_its_name_are_on_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}")))
    write_file(folder / "quick", "x", durable=False)
    assert synced == []
    write_file(folder / "file", "x")
    assert [Path(name).name[:5] for name in synced] == [".new-", "folde"]


def _in_a_process(*lines: str, folder: Path) -> str:
    """What a process prints that writes `folder/file`."""
    start = (
        "import os, resource, sys, pathlib",
        "from workbench.errors import WorkbenchError",
        "from workbench.files import write_file",
        f"path = pathlib.Path({str(folder / 'file')!r})",
    )
    command = [sys.executable, "-c", "\n".join((*start, *lines))]
    return subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False).stdout


def test_a_folder_that_the_user_misspelt_is_not_made(folder: Path) -> None:
    with pytest.raises(WorkbenchError, match="cannot be written"), replacing_file(folder / "file"):
        pytest.fail("there is nothing to write to")
    assert not folder.exists()
