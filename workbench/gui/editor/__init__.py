"""The editor pane: programs in tabs, drafts, files."""
