"""Outlook messages for tests, as trees of properties."""

from __future__ import annotations

import struct

from tests.ingest.ole_files import Tree

__all__ = ["SENT", "attachment", "fixed", "full", "message"]

SENT = 133_000_000_000_000_000  # 2022-06-18T04:26:40Z in steps of 100 ns since 1601


def fixed(header: int, **numbers: int) -> bytes:
    """The stream of fixed properties; names are ``p`` and the number in hexadecimal digits."""
    data = bytes(header)
    for name, value in numbers.items():
        kind = 0x0040 if value > 0xFFFFFFFF else 0x0003
        data += struct.pack("<HHIQ", kind, int(name[1:], 16), 6, value)
    return data


def message(header: int = 32, sent: int = SENT, **texts: str) -> Tree:
    tree: Tree = {"__properties_version1.0": fixed(header, p0039=sent, p3FDE=65001)}
    for name, text in texts.items():
        tree[f"__substg1.0_{name[1:]}001F"] = text.encode("utf-16-le")
    return tree


def attachment(method: int, name: str, data: bytes | Tree, **texts: str) -> Tree:
    tree = message(8, SENT, **{"p3707": name, **texts})
    tree["__properties_version1.0"] = fixed(8, p3705=method)
    tree["__substg1.0_37010102" if isinstance(data, bytes) else "__substg1.0_3701000D"] = data
    return tree


def full(**more: bytes | Tree) -> Tree:
    tree = message(
        p0037="水泵检修", p0C1A="Ada", p5D01="ada@example.org", p1000="Hello from Outlook."
    )
    receiver = message(8, p3001="Bob", p39FE="bob@example.org")
    receiver["__properties_version1.0"] = fixed(8, p0C15=1)
    copied = message(8, p3001="Cyd", p39FE="cyd@example.org")
    copied["__properties_version1.0"] = fixed(8, p0C15=2)
    tree["__recip_version1.0_#00000000"] = receiver
    tree["__recip_version1.0_#00000001"] = copied
    return {**tree, **more}
