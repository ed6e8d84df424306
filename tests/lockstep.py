"""Our vector environment beside Gymnasium's own over our single ones: whether they tell the same."""

import numpy as np


def assert_same(ours, theirs, path="data"):
    """Equal keys in any order, equal types, shapes and values; raises AssertionError naming the place."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), path
        assert set(ours) == set(theirs), f"{path}: {set(ours) ^ set(theirs)}"
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}.{key}")
        return
    if theirs is None:
        assert ours is None, path
        return
    assert isinstance(ours, np.ndarray), path
    assert isinstance(theirs, np.ndarray), path
    assert ours.dtype == theirs.dtype, f"{path}: {ours.dtype} {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{path}: {ours.shape} {theirs.shape}"
    if ours.dtype == object:
        for index, (one, two) in enumerate(zip(ours.ravel(), theirs.ravel(), strict=True)):
            if isinstance(two, str):
                assert one == two, f"{path}[{index}]"
            else:
                assert_same(one, two, f"{path}[{index}]")
        return
    np.testing.assert_array_equal(ours, theirs, err_msg=path)


def random_actions(masks, rng, illegal_share):
    """A legal action in each game, or with some probability any action at all. [B, A] -> [B]."""
    legal = (rng.random(masks.shape) * (masks + 1e-9)).argmax(axis=1)
    anything = rng.integers(0, masks.shape[1], len(masks))
    return np.where(rng.random(len(masks)) < illegal_share, anything, legal)


def run(ours, theirs, mode, steps, rng, illegal_share=0.02, vandal=True):
    """Step both side by side and compare everything; returns the number of episodes that ended.

    With `vandal`, whatever our environment gave away is overwritten before the next step.
    """
    seen, told = ours.reset(seed=11)
    other, other_told = theirs.reset(seed=11)
    num_ended = 0
    for step in range(steps):
        assert_same(seen, other, f"step {step}: observations")
        assert_same(told, other_told, f"step {step}: infos")
        actions = random_actions(other["action_mask"], rng, illegal_share)
        if vandal:
            for values in seen.values():
                values[:] = 1
            for values in told.values():
                if isinstance(values, np.ndarray) and values.dtype != object:
                    values[:] = 1
        seen, *ends, told = ours.step(actions)
        other, *other_ends, other_told = theirs.step(actions)
        for name, one, two in zip(("rewards", "terminated", "truncated"), ends, other_ends, strict=True):
            assert_same(one, two, f"step {step}: {name}")
        ended = other_ends[1]
        num_ended += int(ended.sum())
        if mode == "Disabled" and ended.any():
            seen, told = ours.reset(options={"reset_mask": ended.copy()})
            other, other_told = theirs.reset(options={"reset_mask": ended.copy()})
    return num_ended
