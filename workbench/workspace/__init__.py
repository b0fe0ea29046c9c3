"""The workspace: confined files that programs and users share, recorded changes, undo, copies and cached answers."""
