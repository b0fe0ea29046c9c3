"""Everything about one server, in the centre of the window: one page a topic."""
