"""The one adapter around rapidocr: finds and reads lines of text in pictures, offline.

The models lie inside the wheel. An engine starts no threads of its own, but it must be made in
the process that uses it, after any fork: sessions of onnxruntime do not survive one.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from chapterverse.schema.errors import DocumentError
from chapterverse.schema.telemetry import silence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

__all__ = [
    "HOW_TO_INSTALL",
    "Engine",
    "Quad",
    "Reading",
    "engine_version",
    "is_installed",
    "measure_ink",
    "open_engine",
]

HOW_TO_INSTALL = 'pip install "chapterverse[ocr]"'
"""What a person has to do when rapidocr is missing."""

DETECT_SIDE = 1280
"""Longer side in pixels of the picture that lines are looked for in: A4 at 110 dots an inch.

At 1600 the search takes twice as long and finds the same lines, at 960 it joins columns.
"""

DETECT_LEAST = 640
"""Smaller pictures are enlarged to this longer side, at most twice."""

_UPSIDE_DOWN = 0.8
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Corners of a line in pixels: top left, top right, bottom right, bottom left."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line says: ``score`` in 0..1, ``centres`` of its characters that are no spaces.

    A centre is a share of the line's width, 0 its left end. ``top`` and ``bottom`` are where the
    ink begins and ends as shares of the line's height, ``stroke`` is the usual width of a stroke
    as a share of that height.
    """

    text: str
    score: float
    centres: tuple[float, ...]
    top: float = 0.0
    bottom: float = 1.0
    stroke: float = 0.0


class Engine(Protocol):
    """Finds and reads lines; pictures are height x width x 3 bytes (blue, green, red)."""

    def detect(self, image: Pixels) -> list[Quad]:
        """The lines of the picture, in no particular order."""

    def flipped(self, image: Pixels, quads: Sequence[Quad]) -> list[bool | None]:
        """Whether each line stands upside down (``None``: unsure)."""

    def read(self, image: Pixels, quads: Sequence[Quad]) -> list[Reading]:
        """The text of each line, ``""`` where nothing was read."""


def is_installed() -> bool:
    """Whether rapidocr can be imported."""
    return importlib.util.find_spec("rapidocr") is not None


@cache
def engine_version() -> str:
    """Name and version of what recognises: changes whenever results may."""
    return f"rapidocr-{importlib.metadata.version('rapidocr')}"


@cache
def open_engine() -> Engine:
    """The engine of this process, made on first use (about two seconds).

    :raises DocumentError: when rapidocr is not installed.
    """
    if not is_installed():
        raise DocumentError(f"Text recognition is not installed; run {HOW_TO_INSTALL}")
    return _Rapid()


class _Rapid:
    def __init__(self) -> None:
        silence()
        import cv2
        import rapidocr

        cv2.setNumThreads(1)
        self._cv2 = cv2
        models = Path(rapidocr.__file__).parent / "models"
        settings: dict[str, Any] = {
            "Global.log_level": "critical",
            "Global.use_vertical_padding": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # The picture is brought to size here; the library only rounds it.
            "Det.limit_type": "max",
            "Det.limit_side_len": 10 * DETECT_SIDE,
        }
        # With a path given, nothing is ever downloaded.
        settings |= {f"{part}.model_path": str(models / name) for part, name in _MODELS.items()}
        self._rapid = rapidocr.RapidOCR(params=settings)

    def detect(self, image: Pixels) -> list[Quad]:
        height, width = image.shape[:2]
        longer = max(height, width)
        scale = min(DETECT_SIDE / longer, max(1.0, min(2.0, DETECT_LEAST / longer)))
        size = (max(32, round(width * scale)), max(32, round(height * scale)))
        area = self._cv2.INTER_AREA if scale < 1 else self._cv2.INTER_LINEAR
        found = self._detector()(self._cv2.resize(image, size, interpolation=area)).boxes
        if found is None:
            return []
        across, down = width / size[0], height / size[1]
        return [_quad([(x * across, y * down) for x, y in box]) for box in found.tolist()]

    def _detector(self) -> Any:
        return self._rapid._load_det_model()

    def flipped(self, image: Pixels, quads: Sequence[Quad]) -> list[bool | None]:
        if not quads:
            return []
        answers = self._rapid.cls_and_rotate(self._crops(image, quads))[1].cls_res or ()
        return [None if score < _UPSIDE_DOWN else "180" in label for label, score in answers]

    def read(self, image: Pixels, quads: Sequence[Quad]) -> list[Reading]:
        if not quads:
            return []
        self._rapid.return_word_box = True
        crops = self._crops(image, quads)
        found = self._rapid.recognize_txt(crops)
        rows = zip(found.txts, found.scores, found.word_results, crops, strict=True)
        return [
            Reading(text, float(score), _centres(words), *measure_ink(crop))
            for text, score, words, crop in rows
        ]

    def _crops(self, image: Pixels, quads: Sequence[Quad]) -> list[Pixels]:
        return [self._crop(image, quad) for quad in quads]

    def _crop(self, image: Pixels, quad: Quad) -> Pixels:
        import numpy as np

        width = max(2, round(max(_length(quad[0], quad[1]), _length(quad[3], quad[2]))))
        height = max(2, round(max(_length(quad[0], quad[3]), _length(quad[1], quad[2]))))
        target = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        matrix = self._cv2.getPerspectiveTransform(np.array(quad, np.float32), target)
        crop: Pixels = self._cv2.warpPerspective(
            image,
            matrix,
            (width, height),
            borderMode=self._cv2.BORDER_REPLICATE,
            flags=self._cv2.INTER_CUBIC,
        )
        return crop


def measure_ink(crop: Pixels) -> tuple[float, float, float]:
    """Top, bottom and stroke of a line of text (see :class:`Reading`), whatever its colours."""
    import numpy as np

    grey = crop.astype(np.int16).mean(axis=2)
    paper = float(np.median(grey))
    away = np.abs(grey - paper)
    # Half of the way to the colour of the letters; faint specks and paper stay below.
    ink = away > max(24.0, 0.5 * float(np.percentile(away, 99)))
    height, width = ink.shape
    # Rules above or below the letters are no ink of theirs.
    ink[ink.sum(axis=1) > 0.8 * width] = False
    profile = ink.sum(axis=1)
    least = 1 + 0.0005 * width
    middle = round(0.3 * height)
    top = bottom = middle + int(profile[middle : max(middle + 1, round(0.7 * height))].argmax())
    gap = max(1, round(0.08 * height))
    # Ink beyond a gap belongs to the lines above and below.
    while (profile[max(0, top - gap) : top] > least).any():
        top -= 1
    while (profile[bottom + 1 : bottom + 1 + gap] > least).any():
        bottom += 1
    body = ink[top : bottom + 1]
    runs = int((body[:, 1:] & ~body[:, :-1]).sum()) + int(body[:, 0].sum())
    stroke = float(body.sum()) / max(1, runs) / height
    return round(top / height, 4), round((bottom + 1) / height, 4), round(stroke, 4)


def _quad(points: Sequence[Point]) -> Quad:
    a, b, c, d = points
    return a, b, c, d


def _length(a: Point, b: Point) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _centres(info: Any) -> tuple[float, ...]:
    """Centres of the characters from the columns of the network's answer."""
    columns = [column for group in info.word_cols for column in group]
    whole = info.line_txt_len or 1.0
    return tuple(round(min(1.0, (column + 0.5) / whole), 5) for column in columns)
