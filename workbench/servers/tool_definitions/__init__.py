"""Tool definitions: reading them, pinning what the user has seen, their history, and checking values against them."""
