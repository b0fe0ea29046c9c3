"""The workspace: file tree, preview, changes and undo."""
