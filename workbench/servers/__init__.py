"""Which servers and tools exist: connect, list, search, call. The only room that speaks to a server."""
