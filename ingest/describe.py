"""Words for figures, written by a model of the user's choice and marked as generated."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace

from chapterverse.ingest.snapshot import Blobs
from chapterverse.schema.records import Asset, AssetKind, Origin, Parsed, ParseWarning, Picture

__all__ = ["Describer", "VisionEndpoint", "describe_figures"]

Describer = Callable[[bytes, str, str], str]
"""Takes the bytes of a picture, its media type and the text around it; gives a description."""

_READABLE = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_SMALLEST = 64
_PROMPT = (
    "Describe this figure from a document for a search index, in the language of its caption: "
    "what kind of figure it is, what it shows, labels and numbers that can be read. "
    "Plain text, at most 120 words. Context: "
)


def describe_figures(parsed: Parsed, blobs: Blobs, describer: Describer) -> Parsed:
    """*parsed* with a description after the text of each figure whose picture was kept.

    Pictures of less than 64 pixels a side are left out. A describer that fails costs a warning,
    never the document.
    """
    assets, warnings = [], []
    for asset in parsed.assets:
        picture = asset.picture
        if asset.kind is not AssetKind.FIGURE or picture is None or not _worth(picture):
            assets.append(asset)
            continue
        try:
            data = blobs.path(picture.sha256).read_bytes()
            text = describer(data, picture.media_type, asset.text[:500]).strip()
        except Exception as error:
            page = next((region.page for region in asset.regions), None)
            message = f"A figure was not described: {type(error).__name__}: {error}"
            warnings.append(ParseWarning("not_described", message, page))
            text = ""
        assets.append(_with_description(asset, text))
    return replace(parsed, assets=tuple(assets), warnings=(*parsed.warnings, *warnings))


def _worth(picture: Picture) -> bool:
    return picture.media_type in _READABLE and min(picture.width, picture.height) >= _SMALLEST


def _with_description(asset: Asset, text: str) -> Asset:
    if not text:
        return asset
    before = f"{asset.text}\n" if asset.text else ""
    origin = Origin(len(before), len(before) + len(text), "generated")
    whole = asset.regions[:1]
    regions = asset.regions + tuple(replace(r, start=origin.start, end=origin.end) for r in whole)
    return replace(asset, text=before + text, origins=(*asset.origins, origin), regions=regions)


@dataclass(frozen=True, slots=True)
class VisionEndpoint:
    """A server that speaks the chat completions protocol of OpenAI (Ollama, vLLM and others do).

    ``url`` is its base, as in ``http://localhost:11434/v1``.
    """

    url: str
    model: str
    key: str | None = None
    seconds: float = 60.0

    def __call__(self, picture: bytes, media_type: str, context: str) -> str:
        """The model's description.

        :raises httpx.HTTPError: the server cannot be reached or refuses.
        """
        import httpx

        image = f"data:{media_type};base64,{base64.b64encode(picture).decode()}"
        content = [
            {"type": "text", "text": _PROMPT + context},
            {"type": "image_url", "image_url": {"url": image}},
        ]
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        answer = httpx.post(
            f"{self.url.rstrip('/')}/chat/completions",
            json={"model": self.model, "messages": [{"role": "user", "content": content}]},
            headers=headers,
            timeout=self.seconds,
        )
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])
