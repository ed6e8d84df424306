"""The games as Python sees them: rules, batches of states, observations, symmetries, notation."""
