"""Networks, their checkpoints and exports, and the back-ends that evaluate positions with them.

Nothing here knows a game: an `EncodingSpec` says what a network reads and which moves it writes.
"""

from dotzero.models.encoding import EncodingSpec, known_encoding
from dotzero.models.network import Network, NetworkConfig, NetworkOutput

__all__ = ["EncodingSpec", "Network", "NetworkConfig", "NetworkOutput", "known_encoding"]
