"""Damaged copies of documents, the same ones in every run."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable

__all__ = ["MUTATIONS", "mutate"]

_NUMBER = re.compile(rb"\d+")
_EXTREMES = (b"0", b"-1", b"99999999999", b"1e309", b"2147483648", b"")


def mutate(data: bytes, other: bytes, seed: str) -> tuple[str, bytes]:
    """*data* damaged in a way that *seed* chooses, and the name of that way.

    *other* is a document of the same type, spliced in by one of the ways. Archives are damaged
    from within half of the time, so that what lies behind their checksums is reached.
    """
    chance = random.Random(seed)
    name = chance.choice(sorted(MUTATIONS))
    change = MUTATIONS[name]
    if data[:4] == b"PK\x03\x04" and chance.random() < 0.5:
        return f"inside {name}", _inside(data, other, change, chance)
    return name, change(data, other, chance)


def _flip(data: bytes, other: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 64) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _truncate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _duplicate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _chunk(data, chance)
    return data[:end] + data[start:end] * chance.randint(1, 4) + data[end:]


def _zero(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _chunk(data, chance)
    return data[:start] + bytes(end - start) + data[end:]


def _renumber(data: bytes, other: bytes, chance: random.Random) -> bytes:
    found = list(_NUMBER.finditer(data))
    for match in sorted(chance.sample(found, min(len(found), 8)), key=lambda m: -m.start()):
        data = data[: match.start()] + chance.choice(_EXTREMES) + data[match.end() :]
    return data


def _chunk(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((1, 16, 256, 4096, 65536)))


MUTATIONS: dict[str, Callable[[bytes, bytes, random.Random], bytes]] = {
    "duplicate": _duplicate,
    "flip": _flip,
    "renumber": _renumber,
    "splice": _splice,
    "truncate": _truncate,
    "zero": _zero,
}
"""The ways to damage a document, by name."""


def _inside(
    data: bytes,
    other: bytes,
    change: Callable[[bytes, bytes, random.Random], bytes],
    chance: random.Random,
) -> bytes:
    """An archive anew, with one member damaged."""
    try:
        members = _members(data)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return change(data, other, chance)
    if not members:
        return change(data, other, chance)
    chosen = chance.choice(sorted(members))
    donor = members[chance.choice(sorted(members))]
    members[chosen] = change(members[chosen], donor, chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            # A fixed time, so that the bytes are the same in every run.
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > 64 << 20:
            raise ValueError("too large to be packed anew")
        return {info.filename: archive.read(info) for info in infos if not info.is_dir()}
