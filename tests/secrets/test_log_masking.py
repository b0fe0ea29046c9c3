"""The log of the program holds no secret, and no traceback with one."""

from __future__ import annotations

import logging

from workbench.secrets.secret_masking import MASK, SecretMasks, mask_logs


def test_messages_and_tracebacks_are_masked_and_the_newest_masks_count(tmp_path):
    handler = logging.FileHandler(tmp_path / "log")
    logging.getLogger().addHandler(handler)
    try:
        mask_logs(SecretMasks())
        masks = SecretMasks()
        masks.add_secret("value-one")
        mask_logs(masks)
        try:
            raise ValueError("with value-one inside")
        except ValueError:
            logging.getLogger("x").exception("about value-one")
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    text = (tmp_path / "log").read_text()
    assert "value-one" not in text
    assert text.startswith(f"about {MASK}\nTraceback")
