"""Completion, call signatures and explanations for the program editor, derived from stubs without running programs."""
