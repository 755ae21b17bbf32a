"""Draw `docs/result.svg`: what the command line answers, as a picture.

    python examples/picture.py [KB]

Run the demo first; it makes the knowledge base (by default `demo-kb`).
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 96
QUESTIONS = ("报销需要在几天内提交？", "How often must the mechanical seal be inspected?")


def answer(question: str, base: str) -> str:
    """What `chapterverse search` prints in a terminal."""
    words = [sys.executable, "-m", "chapterverse", "search", question, "--kb", base, "-k", "1"]
    size = {"COLUMNS": str(COLUMNS), "LINES": "50", "TERM": "xterm-256color"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, cwd=ROOT, env=os.environ | size, stdout=theirs)
    os.close(theirs)
    printed = b""
    # Linux reports the end of a terminal as an input/output error.
    with suppress(OSError):
        while piece := os.read(ours, 65536):
            printed += piece
    if process.wait() != 0:
        raise SystemExit(f"chapterverse search failed; run the demo first to make {base}.")
    return printed.decode().replace("\r\n", "\n")


def main(argv: list[str]) -> int:
    """Write the picture."""
    base = argv[0] if argv else "demo-kb"
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        for question in QUESTIONS:
            console.print(Text.assemble(("$ ", "green"), f'chapterverse search "{question}" -k 1'))
            console.print(Text.from_ansi(answer(question, base).rstrip()))
            console.print()
        picture = console.export_svg(title="chapterverse", unique_id="result")
    # Without the font addresses: whoever opens the file must not fetch anything.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    picture = picture.replace("Fira Code", "DejaVu Sans Mono")
    (ROOT / "docs" / "result.svg").write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
