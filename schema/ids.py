"""Identifiers: 63-bit integers derived from place, never from text.

The place is knowledge base, document, revision, chunking and ordinal, so equal text in two
documents stays two things and the same bytes under the same configuration give the same ids.
With *n* ids of one kind the chance of any collision is about n² / 2⁶⁴ (birthday bound): 5e-6
for ten million. A collision is refused by the primary key, never merged.
"""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["format_id", "make_id", "parse_id", "text_hash"]


def make_id(kind: str, *place: str | int) -> int:
    """The id of the thing of *kind* at *place*; positive and below 2**63 (a SQL BIGINT)."""
    digest = blake2b(digest_size=8, person=kind.encode()[:16])
    for part in place:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big") >> 1


def format_id(number: int) -> str:
    """Sixteen hexadecimal digits, as shown to people and in JSON."""
    return f"{number:016x}"


def parse_id(text: str) -> int | None:
    """The inverse of :func:`format_id`; ``None`` when *text* is not such an id."""
    if len(text) != 16 or not all(c in "0123456789abcdef" for c in text):
        return None
    number = int(text, 16)
    return number if number < 2**63 else None


def text_hash(text: str) -> bytes:
    """Sixteen bytes that stand for *text* in the embedding cache (lookup only, not identity)."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
