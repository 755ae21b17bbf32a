"""Ingest the sample documents and ask questions in two languages.

Four questions go through the command line, as a person would ask them; then every question of
`questions.json` is asked through the Python interface and its answer compared.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHOWN = (
    "How often must the mechanical seal be inspected?",
    "报销需要在几天内提交？",
    "How many days does the buyer have to pay an invoice?",
    "去上海出差住宿标准是多少？",
)


def chapterverse(*args: str) -> int:
    """Show a command, then run it."""
    print(f"\n$ chapterverse {shlex.join(args)}", flush=True)
    return subprocess.run(
        [sys.executable, "-m", "chapterverse", *args], cwd=HERE.parent, check=False
    ).returncode


def wrong_answers(base: Path) -> list[str]:
    """Questions whose expected words, page and heading are not those of the first passage."""
    from chapterverse import KnowledgeBase

    wrong = []
    with KnowledgeBase.open(base) as kb:
        for expected in json.loads((HERE / "questions.json").read_text(encoding="utf-8")):
            first = kb.search(expected["question"], k=1)[0]
            cited = first.citations[0]
            right = (
                first.document.uri.endswith(expected["document"])
                and expected["answer"] in first.text
                and (expected["page"] is None or expected["page"] in cited.pages)
                and cited.heading_path[-1] == expected["heading"]
            )
            if not right:
                wrong.append(f"{expected['question']} -> {cited.label}")
    return wrong


def main(argv: list[str]) -> int:
    """Run the demo in the folder named, by default `demo-kb`; 0 when all answers are right."""
    base = argv[0] if argv else "demo-kb"
    documents = str((HERE / "documents").relative_to(HERE.parent))
    if chapterverse("ingest", documents, "--kb", base) != 0:
        return 1
    for question in SHOWN:
        if chapterverse("search", question, "--kb", base, "-k", "1") != 0:
            return 1
    total = len(json.loads((HERE / "questions.json").read_text(encoding="utf-8")))
    wrong = wrong_answers(HERE.parent / base)
    print(f"\n{total - len(wrong)} of {total} sample questions answered from the expected place.")
    for line in wrong:
        print(f"  wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
