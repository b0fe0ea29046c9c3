"""RPC between clients (window, command line, Python API) and the core: methods, events, and the core's sockets."""
