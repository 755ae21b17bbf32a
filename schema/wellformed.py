"""Text that every encoding can hold, whatever the caller handed over."""

from __future__ import annotations

__all__ = ["well_formed"]


def well_formed(text: str) -> str:
    """*text* with surrogate pairs joined and lone surrogates replaced by U+FFFD.

    Python strings may hold halves of characters (undecodable file names, JSON cut in the middle
    of an escape); databases, indexes and JSON may not.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
