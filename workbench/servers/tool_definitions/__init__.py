"""Tool definitions: parsing, pinning of definitions that the user has seen, their history, and validation of values."""
