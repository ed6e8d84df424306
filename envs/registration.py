"""The environments by name, for `gymnasium.make` and `gymnasium.make_vec`.

`import dotzero` registers them, so that `gymnasium.make("dotzero:Kropki-v0")` needs no import. Only names are
given here: nothing of the games is loaded before an environment is made.
"""

from gymnasium.envs.registration import register, registry

ENVIRONMENTS = {
    "DotsAndBoxes-v0": ("DotsAndBoxesEnv", "DotsAndBoxesVectorEnv"),
    "Kropki-v0": ("KropkiEnv", "KropkiVectorEnv"),
}
"""Every identifier with the classes of one game and of many games side by side."""


def register_environments() -> None:
    """Make all environments known to Gymnasium; again is harmless."""
    for name, (single, vector) in ENVIRONMENTS.items():
        if name not in registry:
            register(
                name,
                entry_point=f"dotzero.envs.gym_env:{single}",
                vector_entry_point=f"dotzero.envs.gym_vector:{vector}",
            )
