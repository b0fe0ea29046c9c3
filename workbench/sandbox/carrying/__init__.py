"""Files on their way to a child that does not see this machine's folders, and the program's changes on their way back.

`lading` reads the bench's folders and `harvest` puts changes into the workspace, both here; `cargo` is the same at the
other end. What crosses are parcels. Virtual machines use it, and containers of an engine on another machine.
"""
