"""The client of a vision server: what it sends, and what it makes of the answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from chapterverse.engine.session import Session
from chapterverse.ingest.describe import VisionEndpoint
from chapterverse.schema.choices import choose
from chapterverse.schema.errors import SettingsError


@contextmanager
def server(status: int, answer: object) -> Iterator[tuple[str, list[Any]]]:
    """A server on the loopback that gives *answer*; its address and what it was asked."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers.get("Authorization"), json.loads(body)))
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/v1/", asked
        finally:
            http.shutdown()
            thread.join()


def test_a_picture_is_sent_with_its_context() -> None:
    answer = {"choices": [{"message": {"content": "A pump."}}]}
    with server(200, answer) as (url, asked):
        describe = VisionEndpoint(url, "some-model", "secret")
        assert describe(b"\x89PNG", "image/png", "Figure 1") == "A pump."
    path, authorization, body = asked[0]
    assert (path, authorization) == ("/v1/chat/completions", "Bearer secret")
    assert body["model"] == "some-model"
    text, image = body["messages"][0]["content"]
    assert text["text"].endswith("Figure 1")
    assert image["image_url"]["url"] == "data:image/png;base64,iVBORw=="


def test_a_refusal_is_an_error() -> None:
    with server(500, {}) as (url, _), pytest.raises(httpx.HTTPStatusError):
        VisionEndpoint(url, "m")(b"x", "image/png", "")


def test_settings_name_the_server_and_the_environment_its_key(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAPTERVERSE_DESCRIBER_KEY", "secret")
    choices = choose(embedder="hash", describer_url="http://localhost:1/v1", describer_model="m")
    session = Session(tmp_path / "kb", choices, None, create=True)
    try:
        pipeline = session.pipeline(lambda _: None)
    finally:
        session.close()
    assert pipeline.describer == VisionEndpoint("http://localhost:1/v1", "m", "secret")
    with pytest.raises(SettingsError, match="together"):
        choose(describer_url="http://localhost:1/v1")
