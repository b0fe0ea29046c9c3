"""The window: the only package that uses Qt. It decides nothing; it calls the core and shows the answers."""
