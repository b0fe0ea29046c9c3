"""What may be written next in a program: completion, signatures and explanations, read from stubs, never by running."""
