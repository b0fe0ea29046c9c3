"""Servers: the list, the pages of one server, and the dialogs that add, import and export them."""
