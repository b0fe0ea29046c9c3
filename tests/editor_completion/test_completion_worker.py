"""Programs are read, never run, and nothing outside is read for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.editor_completion.completion_worker import Reader
from workbench.records import Hints, Tool
from workbench.sandbox.locks import kernel_calls
from workbench.wrappers.python_package import write_package

SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}, "status": {"type": "string"}}}
ANSWER = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Functions as they are generated for a real server, and a skill."""
    folder = tmp_path_factory.mktemp("generated")
    tool = Tool("demo", "list_orders", "", "Lists orders, newest first.", SCHEMA, ANSWER, Hints(), {}, "", 0)
    (folder / "servers").mkdir()
    write_package("demo", [tool], folder / "servers")
    (folder / "skills").mkdir()
    skill = 'async def late_orders(days: int = 3) -> list[str]:\n    """Orders that are late."""\n    return []\n'
    (folder / "skills" / "late_orders.py").write_text(skill)
    return folder


@pytest.fixture(scope="module")
def reader(generated: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(str(generated), str(tmp_path_factory.mktemp("cache")))


def _names(reader: Reader, code: str) -> list[str]:
    line = code.count("\n") + 1
    return [name for name, _, _ in reader.complete(code, line, len(code.split("\n")[-1]))]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from servers.demo import li", "list_orders"),
        ("from servers import de", "demo"),
        ("from servers.demo import list_orders\nlist_orders(sta", "status="),
        ("from skills.late_orders import la", "late_orders"),
        ("from skills.late_orders import late_orders\nfor one in await late_orders():\n    one.spl", "split"),
        ("sea", "search_tools"),
        ("json.du", "dumps"),
        ("import pathlib\npathlib.Path('x').read_t", "read_text"),
        ('text = "ä😀"; text.upp', "upper"),
    ],
)
def test_what_fits_is_proposed(reader: Reader, code: str, name: str) -> None:
    assert name in _names(reader, code)


def test_a_call_shows_its_parameters_and_which_one_it_is_at(reader: Reader) -> None:
    code = "from servers.demo import list_orders\nawait list_orders(limit=3, status="
    (shape,) = reader.shapes(code, 2, len(code.split("\n")[1]))
    name, parameters, current, words = shape
    assert name == "list_orders"
    assert {"limit", "status"} <= {parameter.split(":")[0] for parameter in parameters}
    assert parameters[current].startswith("status")
    assert "newest first" in words


def test_a_name_is_explained(reader: Reader) -> None:
    name, words = reader.explain("from servers.demo import list_orders\nlist_orders", 2, 4)
    assert name.endswith("list_orders")
    assert "Lists orders, newest first." in words


def test_members_are_the_same_when_they_are_asked_for_again(reader: Reader) -> None:
    assert _names(reader, "''.") == _names(reader, "x = 'a'\nx.")
    assert "append" not in _names(reader, "''.")
    own = "class A:\n    one = 1\nA()."
    assert "one" in _names(reader, own)
    assert "two" in _names(reader, own.replace("one", "two"))


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.path.insert(0, {0!r})\nimport outside\noutside.",
        "import sys\nsys.path.append({0!r})\nfrom outside import ",
        "open('{0}/out",
        "from .....{1} import ",
    ],
)
def test_a_program_cannot_say_where_is_read(reader: Reader, tmp_path: Path, code: str) -> None:
    (tmp_path / "outside.py").write_text("hidden_thing = 1\n")
    found = _names(reader, code.format(str(tmp_path), tmp_path.name))
    assert not [name for name in found if "hidden" in name or "outside" in name]


def test_nothing_of_a_program_is_run(reader: Reader, generated: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (generated / "skills" / "trap.py").write_text(f"open({str(mark)!r}, 'w').close()\nvalue = 1\n")
    code = f"open({str(mark)!r}, 'w').close()\nimport skills.trap\nskills.trap."
    assert "value" in _names(reader, code)
    assert not mark.exists()


def test_the_kernel_keeps_it_from_other_files(tmp_path: Path) -> None:
    if kernel_calls.landlock_version() < 1:
        pytest.skip("this kernel has no Landlock")
    (tmp_path / "cache").mkdir()
    (tmp_path / "other").write_text("x")
    text = (
        "import socket, sys; from workbench.editor_completion import completion_worker as worker\n"
        "assert worker.lock(worker.library(), [sys.argv[1] + '/cache'])\n"
        "open(sys.argv[1] + '/cache/own', 'w').close()\n"
        "for act in (lambda: open(sys.argv[1] + '/other'), lambda: open('/etc/hostname'), socket.socket):\n"
        "    try: act()\n"
        "    except OSError: print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", text, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n" * 3
