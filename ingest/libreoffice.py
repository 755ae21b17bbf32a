"""Office files that an installed LibreOffice converts first: DOC, PPT, RTF, ODT, ODP.

It runs without a window, in a folder and a profile of its own that allow no macros and no links to
other files, and without network. What it writes is read by the readers for Word and PowerPoint.
"""

from __future__ import annotations

import datetime as dt
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from chapterverse.ingest import media_types as media
from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.schema.errors import Corrupt, Unsupported
from chapterverse.schema.records import Parsed

__all__ = ["PARSER", "read_doc", "read_odp", "read_odt", "read_ppt", "read_rtf"]

PARSER = "libreoffice/1"
"""The name of a reading goes on with that of the reader of what was converted."""

_VARIABLE = "CHAPTERVERSE_SOFFICE"
_RESTART = 81
"""Exit code by which the program asks to be started again, as it does in a new profile."""

_NO_PROGRAM = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC}
_PARTS = {"docx": "Writer", "pptx": "Impress"}
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{items}
</oor:items>
"""
_SCRIPTING = "/org.openoffice.Office.Common/Security/Scripting"
_UPDATES = "/org.openoffice.Office.Writer/Content/Update"
_INET = "/org.openoffice.Inet/Settings"
_ITEMS = (
    (_SCRIPTING, "MacroSecurityLevel", "3"),
    (_SCRIPTING, "DisableMacrosExecution", "true"),
    (_SCRIPTING, "BlockUntrustedRefererLinks", "true"),
    (_UPDATES, "Link", "2"),
    # A proxy that is nowhere, for systems where a process cannot give up its network.
    (_INET, "ooInetProxyType", "1"),
    (_INET, "ooInetHTTPProxyName", "127.0.0.1"),
    (_INET, "ooInetHTTPProxyPort", "9"),
    (_INET, "ooInetHTTPSProxyName", "127.0.0.1"),
    (_INET, "ooInetHTTPSProxyPort", "9"),
)


def read_doc(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a Word 97-2003 file.

    :raises Unsupported: there is no LibreOffice; the message says how to get it.
    :raises Corrupt: LibreOffice cannot open the file.
    :raises TooLarge: as the reader for Word files.
    """
    return _word(data, context, media.DOC, "doc")


def read_rtf(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an RTF file; raises as :func:`read_doc` does."""
    return _word(data, context, media.RTF, "rtf")


def read_odt(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an OpenDocument text; raises as :func:`read_doc` does."""
    return _word(data, context, media.ODT, "odt")


def read_ppt(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a PowerPoint 97-2003 file; raises as :func:`read_doc` does."""
    return _slides(data, context, media.PPT, "ppt")


def read_odp(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an OpenDocument presentation; raises as :func:`read_doc` does."""
    return _slides(data, context, media.ODP, "odp")


def _word(data: bytes, context: ReadContext, media_type: str, suffix: str) -> Parsed:
    from chapterverse.ingest.docx import read_docx

    started = _now()
    parsed = read_docx(_converted(data, context, suffix, "docx"), context)
    return _named(parsed, media_type, started)


def _slides(data: bytes, context: ReadContext, media_type: str, suffix: str) -> Parsed:
    from chapterverse.ingest.pptx import read_pptx

    started = _now()
    parsed = read_pptx(_converted(data, context, suffix, "pptx"), context)
    return _named(parsed, media_type, started)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")[:19]


def _named(parsed: Parsed, media_type: str, started: str) -> Parsed:
    # What is made of a template is dated anew, which says nothing of the file.
    properties = {
        name: text
        for name, text in parsed.properties.items()
        if name not in ("created", "modified") or text < started
    }
    return replace(
        parsed,
        media_type=media_type,
        parser=f"{PARSER}+{parsed.parser}",
        properties=properties,
    )


def _converted(data: bytes, context: ReadContext, suffix: str, target: str) -> bytes:
    program = _program()
    if program is None:
        raise Unsupported(
            f"{context.name}: .{suffix} files are read with the help of LibreOffice, which was not "
            "found; install it (Debian, Ubuntu: apt install libreoffice-writer "
            f"libreoffice-impress), name its program in {_VARIABLE}, or save the file as .{target}"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, result = folder / f"document.{suffix}", folder / "out" / f"document.{target}"
        source.write_bytes(data)
        _write_profile(folder / "profile")
        words = [
            str(program),
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck",
            "--convert-to", target, "--outdir", str(result.parent), str(source),
        ]  # fmt: skip
        try:
            said = _run(words, folder)
        except OSError as exc:
            if exc.errno not in _NO_PROGRAM:
                raise
            raise Unsupported(
                f"{context.name}: {program} cannot be started ({exc.strerror}); name the soffice "
                f"program of LibreOffice in {_VARIABLE}, or save the file as .{target}"
            ) from exc
        if not result.is_file():
            raise Corrupt(
                f"{context.name}: LibreOffice cannot open the file ({said}); see that its "
                f"{_PARTS[target]} is installed, or open the file by hand and save it as .{target}"
            )
        return result.read_bytes()


def _program() -> Path | None:
    """What CHAPTERVERSE_SOFFICE names (an empty text: nothing), else the first one on the path."""
    named = os.environ.get(_VARIABLE)
    if named is None:
        named = shutil.which("soffice") or shutil.which("libreoffice")
    if not named:
        return None
    # Without the script around it there is one process, which can be told to die with this one.
    binary = Path(named).resolve().with_name("soffice.bin")
    return binary if os.access(binary, os.X_OK) else Path(named)


def _write_profile(folder: Path) -> None:
    items = "\n".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value>'
        "</prop></item>"
        for path, name, value in _ITEMS
    )
    (folder / "user").mkdir(parents=True)
    text = _PROFILE.format(items=items)
    (folder / "user" / "registrymodifications.xcu").write_text(text, encoding="utf-8")


def _run(words: list[str], folder: Path) -> str:
    """Run the program and give the last line that it printed, or how it ended.

    It stays in the process group of the parsing process, so that the time limit ends both.
    """
    kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    own = {"HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "TZ": "UTC"}
    confine = _confinement()
    for _ in range(2):
        ended = subprocess.run(
            words,
            cwd=folder,
            env={**environment, **own, "SAL_USE_VCLPLUGIN": "svp"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=confine,
            check=False,
        )
        if ended.returncode != _RESTART:
            break
    lines = ended.stdout.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last[:300] or f"exit code {ended.returncode}"


def _confinement() -> Callable[[], None] | None:
    """What the converter's process does before it becomes LibreOffice: no network, no new rights,
    death with this process. Only on Linux, and as far as the system lets it."""
    if sys.platform != "linux":
        return None
    import ctypes

    new_user, new_network = 0x10000000, 0x40000000
    set_parent_death_signal, set_no_new_privileges = 1, 38
    libc, parent = ctypes.CDLL(None), os.getpid()

    def confine() -> None:
        if libc.unshare(new_user | new_network) != 0:
            libc.unshare(new_network)
        libc.prctl(set_no_new_privileges, 1, 0, 0, 0)
        # Last, since a change of user forgets it.
        libc.prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return confine
