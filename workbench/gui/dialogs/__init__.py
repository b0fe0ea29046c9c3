"""Windows above the window: none of them blocks the loop (`open`, never `exec`)."""
