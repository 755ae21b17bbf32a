"""Run the command line as ``python -m chapterverse``."""

import sys

from chapterverse.engine.cli import main

if __name__ == "__main__":
    sys.exit(main())
