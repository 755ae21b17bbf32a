"""Write the knowledge base that later versions must be able to open: tests/data/base_v1.

Run once for each schema version, from the root of the repository:

    python tests/data/make_base.py tests/data/base_v1

A base that was committed is never written again; a new schema version gets a folder of its own.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from chapterverse import KnowledgeBase, TextSource
from chapterverse.ingest.sources import Labels
from tests.bases import HANDBOOK, MANUAL

__all__ = ["make"]


def make(folder: Path) -> None:
    """Two Markdown documents and a replaced text, with tags and metadata; the hash embedder."""
    labels = Labels(tags=["technical"], metadata={"year": "2024"})
    sources = [
        TextSource(MANUAL, "text:manual", None, "text/markdown", labels),
        TextSource(HANDBOOK, "text:handbook", None, "text/markdown"),
        TextSource("The turbine has serial number 1.", "text:turbine"),
        TextSource("The turbine has serial number 2.", "text:turbine", "Turbine"),
    ]
    with KnowledgeBase.open(folder, embedder="hash", name="golden") as kb:
        report = kb.ingest_texts(sources)
        assert [item.status for item in report.items] == [*["ingested"] * 3, "replaced"]
        assert kb.search("oil")
    (folder / "writer.lock").unlink(missing_ok=True)
    # Large, and filled up with what was in memory by chance; it is made anew when needed.
    shutil.rmtree(folder / "generations" / "1" / "chroma")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
