"""Skills in the window: the page of one, and the dialogs that run, import and record."""
