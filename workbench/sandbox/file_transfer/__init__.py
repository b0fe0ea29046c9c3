"""Copies project files to children that cannot mount this machine's folders, and copies programs' changes back."""
