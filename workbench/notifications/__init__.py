"""Notifies the user outside of window and terminal that requests wait: desktop notification, command, webhook."""
