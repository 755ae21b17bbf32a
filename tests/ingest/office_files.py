"""Office files of other programs for tests: encrypted ones, and a stand-in for LibreOffice."""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Mapping
from hashlib import md5
from pathlib import Path

from msoffcrypto.format.ooxml import OOXMLFile
from msoffcrypto.method.rc4 import DocumentRC4

from tests.ingest.ole_files import ole_file
from tests.ingest.zip_files import packed

__all__ = ["fake_office", "locked_doc", "locked_package", "locked_xls", "open_document"]

_SALT = bytes(range(16))


def locked_package(data: bytes, password: str) -> bytes:
    """A file of Office 2007 or later behind *password*; *data* has 4,096 bytes or more."""
    target = io.BytesIO()
    OOXMLFile(io.BytesIO(data)).encrypt(password, target)
    return target.getvalue()


def _rc4(data: bytes, password: str, block: int) -> bytes:
    stream: io.BytesIO = DocumentRC4.decrypt(password, _SALT, io.BytesIO(data), block)
    return stream.read()


def _verifier(password: str) -> bytes:
    # [MS-OFFCRYPTO] 2.3.6.4: a value and its hash, encrypted as one run.
    value = bytes(16)
    return _SALT + _rc4(value + md5(value).digest(), password, 512)


def locked_xls(workbook: bytes, password: str) -> bytes:
    """*workbook*, a stream of BIFF8 records with one sheet, encrypted (RC4, [MS-XLS] 2.2.10)."""
    start = 4 + struct.unpack_from("<H", workbook, 2)[0]
    body = struct.pack("<HHH", 1, 1, 1) + _verifier(password)
    added = struct.pack("<HH", 0x2F, len(body)) + body
    plain = bytearray(workbook[:start] + added + workbook[start:] + b"\0\0")
    secret = _rc4(bytes(plain), password, 1024)
    at = 0
    while at + 4 <= len(plain):
        kind, size = struct.unpack_from("<HH", plain, at)
        first = at + 4
        if kind == 0x85:  # the place of a sheet stays readable
            place = struct.unpack_from("<I", plain, first)[0] + len(added)
            plain[first : first + 4] = struct.pack("<I", place)
            first += 4
        if kind not in (0x0809, 0x2F):
            plain[first : at + 4 + size] = secret[first : at + 4 + size]
        at += 4 + size
    return ole_file({"Workbook": bytes(plain)})


def locked_doc(text: bytes, password: str) -> bytes:
    """A Word 97 file that holds no more than its header and *text*, encrypted (RC4)."""
    head = struct.pack("<HHHHHHHI", 0xA5EC, 0x00C1, 0, 0x0409, 0, 0x0100, 0x00BF, 52)
    plain = head.ljust(68, b"\0") + text.ljust(512, b"\0")
    document = plain[:68] + _rc4(plain, password, 512)[68:]
    table = struct.pack("<HH", 1, 1) + _verifier(password)
    return ole_file({"WordDocument": document, "0Table": table.ljust(512, b"\0")})


def open_document(kind: str, manifest: str = "") -> bytes:
    """An OpenDocument file of *kind* (``text``, ``presentation``) without content."""
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
            "content.xml": "<content/>",
        }
    )


_PROGRAM = """#!{python}
import json, os, signal, sys, time
from pathlib import Path

here = Path(__file__).resolve().parent
words = sys.argv[1:]
target, folder, source = (
    words[words.index("--convert-to") + 1],
    Path(words[words.index("--outdir") + 1]),
    Path(words[-1]),
)
profile = next(w for w in words if w.startswith("-env:UserInstallation=file://"))[29:]
seen = {{
    "words": words,
    "environment": dict(os.environ),
    "source": source.read_bytes().hex(),
    "profile": (Path(profile) / "user" / "registrymodifications.xcu").read_text(),
    "status": Path("/proc/self/status").read_text(),
    "network": os.readlink("/proc/self/ns/net"),
}}
with open(here / "seen.jsonl", "a") as log:
    log.write(json.dumps(seen) + "\\n")
for line in (here / "orders").read_text().split("\\n"):
    word, _, rest = line.partition(" ")
    if word == "restart" and not (here / "restarted").exists():
        (here / "restarted").touch()
        sys.exit(81)
    if word == "print":
        print(rest)
    if word == "exit":
        sys.exit(int(rest))
    if word in ("orphan", "sleep"):
        (here / "asleep").write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGKILL if word == "orphan" else 0)
        time.sleep(600)
folder.mkdir(exist_ok=True)
(folder / (source.stem + "." + target)).write_bytes((here / ("answer." + target)).read_bytes())
"""


def fake_office(
    folder: Path, answers: Mapping[str, bytes], orders: str = "", name: str = "soffice"
) -> Path:
    """A program that converts every file to the one of *answers* that was asked for.

    *orders* are lines: ``restart``, ``print TEXT``, ``exit CODE``, ``sleep``, or ``orphan``, which
    kills who started it and sleeps. What it was asked is appended to ``seen.jsonl`` beside it, and
    its process id written to ``asleep`` before it sleeps.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(_PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    (folder / "orders").write_text(orders)
    for target, data in answers.items():
        (folder / f"answer.{target}").write_bytes(data)
    return program
