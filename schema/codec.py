"""Records to JSON text and back, for table columns."""

from __future__ import annotations

import msgspec

from chapterverse.schema.records import ParseWarning, Region, Segment, Table

__all__ = [
    "decode_labels",
    "decode_metadata",
    "decode_pages",
    "decode_regions",
    "decode_segments",
    "decode_strings",
    "decode_table",
    "decode_warnings",
    "encode",
]

_encoder = msgspec.json.Encoder()


def encode(value: object) -> str:
    """Compact JSON of records, tuples, strings and numbers."""
    return _encoder.encode(value).decode()


decode_strings = msgspec.json.Decoder(tuple[str, ...]).decode
decode_labels = msgspec.json.Decoder(tuple[str | None, ...]).decode
decode_pages = msgspec.json.Decoder(tuple[int, ...]).decode
decode_segments = msgspec.json.Decoder(tuple[Segment, ...]).decode
decode_regions = msgspec.json.Decoder(tuple[Region, ...]).decode
decode_table = msgspec.json.Decoder(Table).decode
decode_warnings = msgspec.json.Decoder(tuple[ParseWarning, ...]).decode
decode_metadata = msgspec.json.Decoder(dict[str, str]).decode
