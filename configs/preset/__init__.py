"""Named presets of the training job: each says only what differs from the defaults."""
