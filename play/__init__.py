"""Everyone who makes a move, and what they play in: levels, arena, terminal."""
