"""Choosing a move by looking ahead: the driver of the core's batched tree search."""
