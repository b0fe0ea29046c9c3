"""Widgets, theme and texts that know neither the core nor other rooms."""
