"""Write the PDF and Word samples in `documents/`; every run gives the same bytes.

    python examples/make_samples.py [FOLDER]

Needs `pip install -e ".[examples]"` and the Debian package `fonts-droid-fallback`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from samples.contract import write_contract
from samples.handbook import FontMissing, write_handbook
from samples.manual import write_manual

DOCUMENTS = Path(__file__).resolve().parent / "documents"


def main(argv: list[str]) -> int:
    """Write all samples into the folder named, by default `documents/`."""
    folder = Path(argv[0]) if argv else DOCUMENTS
    folder.mkdir(parents=True, exist_ok=True)
    write_manual(folder / "pump-manual.pdf")
    write_contract(folder / "supply-contract.docx")
    try:
        write_handbook(folder / "handbook-zh.pdf")
    except FontMissing as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
