"""Settings of the search that comparisons alone would let through."""

import math
from dataclasses import fields

import pytest

from dotzero.play.zero import ZeroConfig
from dotzero.search.search_config import SearchConfig


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("kind", [SearchConfig, ZeroConfig])
def test_every_number_must_be_finite(kind, value):
    names = [item.name for item in fields(kind) if item.type in (float, float | None)]
    assert {"margin_weight"} <= set(names)
    for name in names:
        message = rf"^{kind.__name__}\.{name} must be a finite number, got {value}$"
        with pytest.raises(ValueError, match=message):
            kind(**{name: value})


def test_simulations_are_bounded():
    for name in ("num_simulations", "num_considered"):
        with pytest.raises(ValueError, match=rf"^SearchConfig\.{name} must be at most 1000000, got 3"):
            SearchConfig(**{name: 3_000_000_000})
        SearchConfig(**{name: 1_000_000})
    with pytest.raises(ValueError, match=r"^ZeroConfig\.simulations must be at most 1000000, got 1000001$"):
        ZeroConfig(simulations=1_000_001)
