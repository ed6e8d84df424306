"""The weights that a run begins with where they are another run's, such as one on a smaller board."""

from dataclasses import asdict

from dotzero.checkpoints import RELEASED, released_folder
from dotzero.mistakes import told_of
from dotzero.models.checkpoint import load_checkpoint
from dotzero.models.export import checkpoint_file
from dotzero.models.network import Network


def start_network(network: Network, path: str) -> None:
    """Give a new network the weights of a checkpoint.

    Args:
        network: Changed in place. It keeps its own largest margin, on which no weight depends.
        path: The name of a released network, an exported folder or a checkpoint's file.

    Raises:
        ValueError: There is none, it is damaged, of another game or encoding version, or its network has
            another size; one line names the setting or the file.
    """
    named = released_folder(path) if path in RELEASED else path
    with told_of("TrainConfig.start_from"):
        file = checkpoint_file(named, "TrainConfig.start_from")
        start, _ = load_checkpoint(file, network.encoding)
    wanted = asdict(network.config)
    for name, found in asdict(start.config).items():
        if found != wanted[name]:
            raise ValueError(
                f"TrainConfig.start_from must hold, as this run has, a network with {name} = {wanted[name]}, "
                f"got {found}"
            )
    network.load_state_dict(start.state_dict())
