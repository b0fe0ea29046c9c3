"""Which servers and tools exist: connect to them, list them, search them, call them. The only room that speaks to a server."""
