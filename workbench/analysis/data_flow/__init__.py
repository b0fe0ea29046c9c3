"""Data-flow analysis: finds the tool answers that call arguments and output are made of."""
