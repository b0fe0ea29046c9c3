"""The code editor widget with completion, search, highlighting and diffs."""
