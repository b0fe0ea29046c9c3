"""Letters of scripts without spaces become borders next to Latin letters and digits."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.script_borders import with_borders


@pytest.mark.parametrize(
    ("text", "bordered"),
    [
        ("電話は03-1234です", "電話 03-1234 す"),
        ("请发到a@b.cn谢谢", "请发 a@b.cn 谢"),
        ("전화02입니다", "전 02 니다"),
        ("โทร081ครับ", "โท 081 รับ"),
        ("naïve 12é ärger3", "naïve 12é ärger3"),
        ("plain 12 text", "plain 12 text"),
        ("東京 12 件", "東京 12 件"),
        ("тел 12б", "тел 12б"),
        ("", ""),
    ],
)
def test_only_letters_beside_latin_ones_change(text: str, bordered: str) -> None:
    assert with_borders(text) == bordered


def test_long_texts_change_in_the_same_way() -> None:
    text = "電話は03です。" * 20_000
    assert with_borders(text) == "電話 03 す。" * 20_000
