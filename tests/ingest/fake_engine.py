"""An engine that reads what the test says, for the rules around recognition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chapterverse.ingest.ocr import Quad, Reading


def quad(x0: float, y0: float, x1: float, y1: float) -> Quad:
    """Corners of an upright box."""
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


class FakeEngine:
    """Finds the given boxes and reads the given texts in them; counts the pictures looked at.

    ``upside_down`` is what the classifier says of every line, ``None`` for unsure;
    ``certain_after`` gives the score of readings call by call.
    """

    def __init__(
        self,
        lines: Sequence[tuple[Quad, str]],
        upside_down: bool | None = False,
        scores: Sequence[float] = (),
    ) -> None:
        self.lines = lines
        self.upside_down = upside_down
        self.scores = list(scores)
        self.pictures = 0
        self.sizes: list[tuple[int, int]] = []

    def detect(self, image: Any) -> list[Quad]:
        self.pictures += 1
        return [box for box, _ in self.lines]

    def flipped(self, image: Any, quads: Sequence[Quad]) -> list[bool | None]:
        return [self.upside_down for _ in quads]

    def read(self, image: Any, quads: Sequence[Quad]) -> list[Reading]:
        self.sizes.append(image.shape[:2])
        score = self.scores.pop(0) if self.scores else 0.99
        texts = [text for _, text in self.lines]
        return [
            Reading(texts[index % len(texts)], score, (), 0.14, 0.86, 0.1)
            for index in range(len(quads))
        ]
