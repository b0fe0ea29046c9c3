"""The panes around the centre of the window; each listens, draws, and asks the core by itself."""
