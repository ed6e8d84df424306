"""What several tests need: the data folder, one way to play random games, and a browser."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import open_browser

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session", autouse=True)
def own_data_folder(tmp_path_factory):
    """Saved games of tests and of the commands that they start lie apart from the user's own."""
    before = os.environ.get("DOTZERO_DATA")
    os.environ["DOTZERO_DATA"] = str(tmp_path_factory.mktemp("data"))
    yield
    if before is None:
        del os.environ["DOTZERO_DATA"]
    else:
        os.environ["DOTZERO_DATA"] = before


@pytest.fixture(scope="session")
def load_case():
    """Reads a file of known answers, `load_case("boxes_games.json")`."""

    def load(name: str) -> Any:
        return json.loads((DATA / name).read_text(encoding="utf-8"))

    return load


@pytest.fixture(scope="session")
def random_actions():
    """Draws one random legal action a game, -1 for finished games: `random_actions(game, state, rng)`."""

    def draw(game: Any, state: Any, rng: np.random.Generator) -> np.ndarray:
        legal = game.legal(state)
        lots = np.where(legal, rng.random(legal.shape), -1.0)
        return np.where(legal.any(axis=1), lots.argmax(axis=1), -1).astype(np.int32)

    return draw


@pytest.fixture(scope="session")
def random_states(random_actions):
    """A batch of positions from all phases of random games: `random_states(game, num_games, rng)`."""

    def make(game: Any, num_games: int, rng: np.random.Generator) -> Any:
        state = game.start(num_games)
        stop = rng.integers(0, game.num_actions + 1, num_games)  # some games stay new, some end
        for ply in range(game.num_actions):
            going = np.flatnonzero((stop > ply) & ~state.finished)
            if len(going):
                state[going] = game.step(state[going], random_actions(game, state[going], rng))
        return state

    return make


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of a module, which are marked `needs_browser`."""
    with open_browser() as opened:
        yield opened


@pytest.fixture
def context(browser):
    """A phone's screen in it, without anything of earlier tests."""
    made = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US", has_touch=True)
    yield made
    made.close()
