"""Copies project files to children that do not see this machine's folders, and programs' changes back."""
