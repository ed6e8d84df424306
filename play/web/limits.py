"""What one server lets in: who may connect, and how much each connection may say.

The one idea: the page of another site that a user has open must not reach the server. A browser tells who
asks (Origin) and under what name (Host): both have to be the server's own. A name that only seems to be it
(DNS rebinding) is no address and is refused, unless it was allowed.
"""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from dotzero.play.timers import Now

MOST_CONNECTIONS = 256
MESSAGES_A_SECOND = 20.0
MESSAGES_AT_ONCE = 60.0


@dataclass(slots=True)
class Bucket:
    """A token bucket: so many at once, and so many a second in the long run."""

    now: Now
    rate: float = MESSAGES_A_SECOND
    most: float = MESSAGES_AT_ONCE
    _tokens: float = field(init=False)
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._tokens, self._since = self.most, self.now()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self.now()
        self._tokens = min(self.most, self._tokens + (now - self._since) * self.rate)
        self._since = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def is_known_host(host: str | None, allowed: Collection[str] = ()) -> bool:
    """Whether a Host header names this machine: by an address, as localhost, or by an allowed name."""
    try:
        name = urlsplit(f"//{host or ''}").hostname
        if name is None or name == "localhost" or name in allowed:
            return name is not None
        ipaddress.ip_address(name)
    except ValueError:  # no name, or none that is an address
        return False
    return True


def is_own_origin(origin: str | None, host: str | None, allowed: Collection[str] = ()) -> bool:
    """Whether a request comes from a page of this server; without an Origin it comes from no page."""
    if not is_known_host(host, allowed):
        return False
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host
