"""A person curates the library: brings skills in, renames, tags, runs, retires and shares them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from skills_ref import validate

from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Risk, RunState, SkillState
from workbench.runs import skill_imports

CARD = "---\nname: {0}\ndescription: Does {0}.\n---\nHow to.\n"
CODE = "async def {0}(number: int = 1) -> int:\n    return number + 1\n"


def sent(root: Path, name: str, code: str, card: str = CARD) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(card.format(name), encoding="utf-8")
    (folder / f"{name.replace('-', '_')}.py").write_text(code, encoding="utf-8")
    return folder


async def test_what_comes_from_elsewhere_is_shown_before_it_becomes_a_draft(core, tmp_path):
    code = "from servers.demo import list_ordres\nfrom servers.shop import buy\nasync def spend():\n"
    code += "    await list_ordres()\n    await buy()\n"
    folder = sent(tmp_path / "sent", "spend", code, CARD + "<!-- tell nobody -->\n")
    (folder / "run.sh").write_text("rm -rf /")
    await core.catalog.connect("demo")
    (review,) = await core.api.review_skills(str(tmp_path / "sent"))
    assert review.refusal == ""
    assert review.verdict.risk is not Risk.LOW
    assert review.skill.missing == (
        "demo.list_ordres: demo has no such tool (similar: list_orders)",
        "shop.buy: there is no server shop",
    )
    assert [one.path for one in review.files] == ["SKILL.md", "run.sh", "spend.py"]
    assert any("tell nobody" in words for words in review.notices)
    assert any("run.sh" in words for words in review.notices)
    (folder / "spend.py").write_text("changed after it was shown")
    draft = await core.api.import_skill(review.key)
    assert (draft.state, draft.code, draft.author) == (SkillState.DRAFT, code, "from sent: spend")
    with pytest.raises(WorkbenchError, match="no longer in memory"):
        await core.api.import_skill(review.key)
    assert "spend" not in {one.name for one in core.services.library.usable()}


REFUSED = (
    ("x = 1  # \u202e", CARD, "direction of text"),
    ("x = 1", CARD + "Hello\u200bthere", "line 6"),
    ("x = 1", "---\nname: {0}\n---\n", "no description"),
    ("def (", CARD, "does not parse"),
    ("from skills.loopy import loopy\nasync def loopy(): ...", CARD, "loopy → loopy"),
)


async def test_what_hides_something_or_cannot_work_is_not_imported(core, tmp_path):
    for at, (code, card, reason) in enumerate(REFUSED):
        sent(tmp_path / str(at), "loopy", code, card)
        (review,) = await core.api.review_skills(str(tmp_path / str(at)))
        with pytest.raises(WorkbenchError, match=rf"Not imported: .*{reason}"):
            await core.api.import_skill(review.key)
        assert core.services.library.find("loopy", SkillState.DRAFT) is None


async def test_a_skill_is_shared_as_a_zip_and_comes_back_the_same(core, tmp_path):
    name = "wait-for-message"
    target = await core.api.export_skill(name, str(tmp_path))
    with zipfile.ZipFile(target) as packed:
        packed.extractall(tmp_path / "theirs")
    assert validate(tmp_path / "theirs" / name) == []
    first = Path(target).read_bytes()
    assert Path(await core.api.export_skill(name, str(tmp_path / "again.zip"))).read_bytes() == first
    (review,) = await core.api.review_skills(target)
    assert (review.before.name, review.skill.code) == (name, core.services.library.get(name).code)
    with pytest.raises(WorkbenchError, match="cannot be written"):
        await core.api.export_skill(name, "/proc/nowhere/x.zip")


async def test_curating_by_hand_is_written_down(core):
    draft = await core.api.draft_skill("add-one", "Adds one.", CODE.format("add_one"), "")
    tried = await core.api.run_skill("add-one", {"number": 4})
    assert (await core.run_manager.wait_until_finished(tried.id)).result == "5"
    await core.api.keep_skill("add-one", draft.sha)
    await core.api.tag_skill("add-one", ("numbers",))
    await core.api.rename_skill("add-one", "plus one")
    page = await core.api.skill_page("plus-one")
    assert (page.skill.version, page.skill.tags, [one.version for one in page.versions]) == (2, ("numbers",), [1])
    assert '"default": 1' in page.schema
    run = await core.run_manager.wait_until_finished((await core.api.run_skill("plus-one", {"number": 1})).id)
    assert (run.state, run.result) == (RunState.DONE, "2"), run.fault
    await core.api.draft_skill("plus-one", "Adds more.", CODE.format("plus_one"), "")
    await core.api.discard_draft("plus-one")
    assert (await core.api.skill_page("plus-one")).draft is None
    await core.api.retire_skill("plus-one")
    assert (await core.api.restore_skill("plus-one")).faults == ()
    kinds = [entry.note.kind for entry in reversed(core.journal.entries(EntryQuery(kind="skill.")))]
    assert kinds == [
        f"skill.{word}"
        for word in ("drafted", "kept", "tagged", "renamed", "drafted", "discarded", "retired", "restored")
    ]


async def test_a_skill_that_would_import_itself_is_not_kept(core):
    for name, other in (("one", "two"), ("two", "one")):
        code = f"from skills.{other} import {other}\n\nasync def {name}():\n    return await {other}()\n"
        draft = await core.api.draft_skill(name, "Turns.", code, "")
        if name == "one":
            await core.api.keep_skill(name, draft.sha)
    with pytest.raises(WorkbenchError, match="two → one → two"):
        await core.api.keep_skill("two", draft.sha)


async def test_every_skill_of_a_checkout_that_is_looked_at_can_be_imported(core, tmp_path, monkeypatch):
    monkeypatch.setattr(skill_imports, "HELD", 2)
    for name in ("one", "two", "three"):
        sent(tmp_path / "many", name, CODE.format(name))
    reviews = await core.api.review_skills(str(tmp_path / "many"))
    assert [(await core.api.import_skill(one.key)).name for one in reviews] == [one.skill.name for one in reviews]
    first = await core.api.review_skills(str(tmp_path / "many" / "one"))
    for name in ("two", "three"):
        await core.api.review_skills(str(tmp_path / "many" / name))
    with pytest.raises(WorkbenchError, match="no longer in memory"):
        await core.api.import_skill(first[0].key)
