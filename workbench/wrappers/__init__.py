"""A tool's definition becomes the typed Python function an agent imports; what a server wrote is data, never code."""
