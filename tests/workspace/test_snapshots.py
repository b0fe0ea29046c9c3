"""What runs changed is known to the file, whoever else was at work, and costs little where nothing changed."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace

from workbench.settings import Settings
from workbench.workspace import snapshots as module
from workbench.workspace.directory_scan import DEEPEST, TooMany, look
from workbench.workspace.snapshots import NotQuick, Snapshots, Writer


@pytest.fixture
def home(store, root, tmp_path):
    root.mkdir()
    box = type("Box", (), {"settings": Settings()})()
    made = Snapshots(store.confined, tmp_path / "undo", lambda: box.settings)
    made.box = box
    yield made
    made.close()


def run(name="r1"):
    return Writer(name, "run", "agent", "what for")


def deeds(writer):
    return {path: ("a" if not one.before else "d" if not one.after else "c") for path, one in writer.files.items()}


def test_what_the_workbench_keeps_there_is_no_runs_doing_until_a_run_changes_it(home, root):
    (root / "old.txt").write_text("old")
    home.begin(run())
    with home.housekeeping("results/a.txt"):
        (root / "results").mkdir()
        (root / "results/a.txt").write_text("the workbench's")
    with home.housekeeping("old.txt"):
        (root / "old.txt").unlink()
    (root / "mine.txt").write_text("the run's")
    assert deeds(home.end("r1")) == {"mine.txt": "a"}
    home.begin(run("r2"))
    with home.housekeeping("results/a.txt"):
        (root / "results/a.txt").write_text("the workbench's again")
    (root / "results/a.txt").write_text("the run's, after that")
    assert deeds(home.end("r2")) == {"results/a.txt": "c"}


def test_what_a_run_does_not_mean_to_change_is_shared_with_whoever_it_was(home, root):
    writer = run()
    writer.claims = lambda path: path.startswith("mine")
    (root / "same.txt").write_text("same")
    home.begin(writer)
    (root / "mine.txt").write_text("the run's")
    (root / "notes.txt").write_text("saved in an editor meanwhile")
    (root / "same.txt").write_text("same")
    ended = home.end("r1")
    assert {path: sorted(one.shared) for path, one in ended.files.items()} == {"mine.txt": [], "notes.txt": ["outside"]}
    assert not ended.rewritten
    assert [sorted(one.shared) for one in home.book.find("r1").files.values()] == [[], ["outside"]]


def test_of_several_runs_the_one_that_means_to_change_a_file_did_it(home, root):
    one, other = run("r1"), run("r2")
    one.claims, other.claims = (lambda path: path == "one.txt"), (lambda path: False)
    home.begin(one)
    home.begin(other)
    (root / "one.txt").write_text("x")
    (root / "both.txt").write_text("x")
    assert deeds(home.end("r1")) == {"one.txt": "a", "both.txt": "a"}
    ended = home.end("r2")
    assert deeds(ended) == {"both.txt": "a"}
    assert ended.files["both.txt"].shared == {"r1", "outside"}


def test_a_run_is_told_apart_from_what_was_there_and_from_what_a_person_does_between_runs(home, root):
    (root / "old.txt").write_text("old")
    (root / "gone.txt").write_text("gone")
    home.begin(run())
    (root / "old.txt").write_text("new")
    (root / "gone.txt").unlink()
    (root / "sub").mkdir()
    (root / "sub/made.txt").write_text("made")
    (root / "brief.txt").write_text("made and taken away")
    (root / "brief.txt").unlink()
    first = home.end("r1")
    assert deeds(first) == {"old.txt": "c", "gone.txt": "d", "sub": "a", "sub/made.txt": "a"}
    assert home.contents.read(first.files["gone.txt"].before.sha) == b"gone"
    (root / "old.txt").write_text("by a person")
    home.begin(run("r2"))
    (root / "sub/made.txt").chmod(0o755)
    assert deeds(home.end("r2")) == {"sub/made.txt": "c"}
    home.begin(run("r3"))
    assert home.end("r3").files == {}
    assert home.book.ids() == ["r1", "r2"], "a run that changed nothing leaves nothing"


def test_a_file_of_the_far_future_or_past_stops_no_later_run(home, root):
    for at in (-1 << 40, 1 << 34, 1 << 50):
        home.begin(run(str(at)))
        (root / f"{at}.txt").write_text("x")
        os.utime(root / f"{at}.txt", (at, at))
        assert deeds(home.end(str(at))) == {f"{at}.txt": "a"}


def test_of_runs_at_once_each_has_its_own_and_what_nobody_can_tell_is_shared(home, root):
    home.begin(run("a"))
    (root / "a.txt").write_text("a alone")
    home.begin(run("b"))
    (root / "both.txt").write_text("by one of them")
    first = home.end("a")
    (root / "b.txt").write_text("b alone")
    second = home.end("b")
    assert {path: set(one.shared) for path, one in first.files.items()} == {"a.txt": set(), "both.txt": {"b"}}
    assert {path: set(one.shared) for path, one in second.files.items()} == {"both.txt": {"a"}, "b.txt": set()}


def test_what_is_done_by_our_own_verbs_meanwhile_is_not_the_runs(home, root, store):
    home.begin(run())
    with home.direct_change(Writer("d1", "person", "you", "wrote mine.txt", only=("mine.txt",))):
        store.write("mine.txt", "mine")
        (root / "its.txt").write_text("a program writes just then")
    assert deeds(home.end("r1")) == {"its.txt": "a"}
    assert list(home.book.find("d1").files) == ["mine.txt"]


def test_the_same_content_written_again_is_no_change_and_an_equal_size_and_time_is_one(home, root):
    (root / "a.txt").write_text("same")
    (root / "b.txt").write_text("1234")
    before = (root / "b.txt").stat()
    home.begin(run())
    (root / "a.txt").write_text("same")
    (root / "b.txt").write_text("4321")
    os.utime(root / "b.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    writer = home.end("r1")
    assert deeds(writer) == {"b.txt": "c"}
    assert writer.rewritten == {"a.txt"}


def test_a_file_changed_twice_within_a_tick_of_the_clock_is_seen(home, root, monkeypatch):
    place = root / "a.txt"
    place.write_text("1111")
    home.begin(run())
    place.write_text("2222")
    home.end("r1")
    frozen = place.stat()
    home.begin(run("r2"))
    place.write_text("3333")
    true = module.look

    def frozen_look(*words):
        return {path: stamp._replace(changed=frozen.st_mtime_ns, touched=frozen.st_ctime_ns)
                for path, stamp in true(*words).items()}  # fmt: skip

    monkeypatch.setattr(module, "look", frozen_look)
    monkeypatch.setattr(module, "_TICK", 10**18)
    home._late.add("a.txt")
    assert deeds(home.end("r2")) == {"a.txt": "c"}


def test_links_are_kept_as_links_and_nothing_behind_them_is_read(home, root, outside):
    home.begin(run())
    (root / "link").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    os.mkfifo(root / "pipe")
    writer = home.end("r1")
    assert deeds(writer) == {"link": "a", "folder": "a"}
    assert home.contents.read(writer.files["link"].after.sha) == os.fsencode(outside)
    assert b"secret" not in [home.contents.read(sha) for sha in home.contents.all()]


def test_only_so_many_changes_and_so_much_is_kept_and_the_oldest_goes_first(home, root):
    home.box.settings = replace(Settings(), workspace_undo_runs=2, workspace_undo_mb=1)
    for number in range(4):
        home.begin(run(f"r{number}"))
        (root / "a.txt").write_text(str(number) * 300_000)
        home.end(f"r{number}")
    assert home.book.ids() == ["r2", "r3"]
    assert sum(home.contents.all().values()) <= 1_000_000
    home.begin(run("big"))
    (root / "big.bin").write_bytes(b"x" * 1_500_000)
    assert home.end("big").files["big.bin"].after.sha == "", "known, and not kept"
    home.forget()
    assert home.stored_size()[0] == 0
    assert len(home.contents.all()) <= 1, "what the workspace holds now"


def test_switched_off_nothing_is_kept_and_what_a_run_wrote_is_still_told(home, root, tmp_path):
    home.box.settings = replace(Settings(), workspace_undo_runs=0)
    home.begin(run())
    (root / "a.txt").write_text("x")
    assert deeds(home.end("r1")) == {"a.txt": "a"}
    assert not (tmp_path / "undo").exists()


def test_where_there_is_too_much_it_says_so_and_blames_nobody(home, root, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    for number in range(3):
        (root / f"{number}.txt").write_text("x")
    home.begin(run())
    (root / "more.txt").write_text("x")
    writer = home.end("r1")
    assert writer.note == module.TOO_MANY
    assert writer.files == {}
    (root / "more.txt").unlink()
    home.begin(run("r2"))
    (root / "0.txt").write_text("yy")
    assert deeds(home.end("r2")) == {"0.txt": "c"}


def test_a_core_that_was_killed_leaves_its_run_what_it_had_written(home, root, tmp_path, store):
    (root / "a.txt").write_text("before")
    home.warm()
    home.begin(run())
    (root / "a.txt").write_text("after")
    home.close()
    later = Snapshots(store.confined, tmp_path / "undo", lambda: Settings())
    later.recover([run()])
    found = later.book.find("r1")
    assert later.contents.read(found.files["a.txt"].before.sha) == b"before"
    later.close()


def test_on_the_loop_only_what_is_little_is_done(home, root):
    home.begin(run(), quick=True)
    home.end("r1", quick=True)
    for number in range(150):
        (root / f"{number}.txt").write_text("x")
    with pytest.raises(NotQuick):
        home.begin(run("r2"), quick=True)
    assert not home.knows("r2")
    with home.scanned(), pytest.raises(NotQuick):
        home.begin(run("r2"), quick=True)


def test_a_book_that_is_damaged_is_set_aside(home, root, tmp_path):
    (tmp_path / "undo").mkdir()
    (tmp_path / "undo/changes.db").write_bytes(b"no database at all" * 100)
    home.begin(run())
    (root / "a.txt").write_text("x")
    home.end("r1")
    assert home.book.ids() == ["r1"]
    assert (tmp_path / "undo/changes.damaged").exists()


def test_what_is_kept_is_for_nobody_elses_eyes(home, root, tmp_path):
    home.begin(run())
    (root / "a.txt").write_text("private")
    home.end("r1")
    for place in (tmp_path / "undo").rglob("*"):
        assert place.stat().st_mode & 0o077 == 0, place


def test_folders_too_deep_are_too_much(root):
    here = root
    root.mkdir()
    for _ in range(DEEPEST + 3):
        here = here / "d"
        here.mkdir()
    handle = os.open(root, os.O_RDONLY)
    try:
        with pytest.raises(TooMany):
            look(handle, 100_000)
    finally:
        os.close(handle)
