"""The append-only memory: write, verify, query."""
