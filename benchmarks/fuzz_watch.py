"""What a damaged document must not do, and where an unexpected exception came from."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

__all__ = ["SOCKET_SIGN", "origin", "refuse_sockets"]

SOCKET_SIGN = "the reader opened a socket"
"""Stands in the error of a document whose reader tried to reach a network."""

_FRAMES = 6
_REFUSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"}


def refuse_sockets(event: str, arguments: object) -> None:
    """An audit hook that ends this process when a socket is used."""
    if event in _REFUSED:
        # Raising would not do: a reader may catch what its libraries raise.
        os.write(2, f"{SOCKET_SIGN} ({event})\n".encode())
        os._exit(77)


def origin(exc: Exception) -> str:
    """The exception, and the last places it came through, innermost first."""
    frames = traceback.extract_tb(exc.__traceback__)[-_FRAMES:]
    places = (f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))
    return f"{type(exc).__name__}: {str(exc)[:120]} at {' < '.join(places)}"
