"""Training: self-play, replay, learner and the loop around them."""
