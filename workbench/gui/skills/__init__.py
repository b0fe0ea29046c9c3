"""The skill library: list, page, tests, and the dialogs that make and run skills."""
