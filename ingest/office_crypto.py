"""Office files behind a password, decrypted before anything looks at what they are.

Office 2007 and later encrypt the whole package into an OLE file ([MS-OFFCRYPTO]), older ones the
streams inside theirs; msoffcrypto-tool knows both.
"""

from __future__ import annotations

import io
from typing import Any

from chapterverse.ingest.context import ReadContext
from chapterverse.schema.errors import Corrupt, Encrypted

__all__ = ["opened"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BUILT_IN = {
    "ooxml": "VelvetSweatshop",
    "xls97": "VelvetSweatshop",
    "ppt97": "/01Hannes Ruescher/01",
}
"""What Excel and PowerPoint encrypt with where a file is only kept from changes ([MS-XLS],
[MS-PPT]): they open such a file without asking."""


def opened(data: bytes, context: ReadContext) -> bytes:
    """*data*, decrypted with the password of *context* where it is an encrypted Office file.

    OpenDocument files and PDF are left to their readers.

    :raises Encrypted: the password is missing or wrong.
    :raises Corrupt: the encryption is damaged or of no known kind.
    """
    if not data.startswith(_OLE):
        return data
    import msoffcrypto

    try:
        file = msoffcrypto.OfficeFile(io.BytesIO(data))
        if not file.is_encrypted():
            return data
    except Exception:  # no Office file or a damaged one, and what that raises is written nowhere
        return data
    for password in (context.password, _BUILT_IN.get(file.format)):
        decrypted = _decrypted(file, password, context.name) if password else None
        if decrypted is not None:
            return decrypted
    if context.password is None:
        raise Encrypted(f"{context.name}: the Office file is encrypted; give its password")
    raise Encrypted(
        f"{context.name}: the password does not open the Office file; check it, or save the file "
        "without one"
    )


def _decrypted(file: Any, password: str, name: str) -> bytes | None:
    """The whole file in the clear; nothing when *password* is not the right one."""
    from msoffcrypto.exceptions import InvalidKeyError

    target = io.BytesIO()
    # Only the formats before 2007 always compare the password with the one of the file.
    check = {"verify_password": True} if file.format == "ooxml" else {}
    try:
        file.load_key(password=password, **check)
        file.decrypt(target)
    except InvalidKeyError:
        return None
    except MemoryError:
        raise
    except Exception as exc:  # as above
        raise Corrupt(
            f"{name}: the encrypted Office file is damaged or encrypted in a way that is not known "
            f"({type(exc).__name__}: {exc}); open it and save it without a password"
        ) from exc
    return target.getvalue()
