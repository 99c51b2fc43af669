"""A real small server: LibreTranslate's documented protocol, DeepL's form of JSON, and whatever a service may do wrong.

LibreTranslate: POST /translate with `q` (a text or a list), `source`, `target`, `format` and `api_key`; the answer is
``{"translatedText": ...}`` in the form of `q`, an error ``{"error": "..."}`` with its status.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.servers import free_port

ENGLISH = {"Casa este mare.": "The house is big.", "Bună ziua.": "Good day.", "Mulțumesc mult.": "Thank you very much."}
KEY = "a-secret-of-the-operator"


@dataclass
class SmallService:
    """What was asked, and what to do wrong next: each name in `faults` spoils one request."""

    port: int
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    needs_key: bool = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        self.paths.append(str(request.url.path))
        self.headers.append(dict(request.headers))
        fault = self.faults.pop(0) if self.faults else ""
        if fault:
            return await self.wrong(fault)
        if request.url.path == "/deepl":
            return self.deepl(request, body)
        if self.needs_key and body.get("api_key") != KEY:
            return JSONResponse({"error": "Invalid API key"}, 403)
        if body["target"] != "en" or body["format"] != "text":
            return JSONResponse({"error": f"{body['target']} is not supported"}, 400)
        texts = body["q"]
        return JSONResponse({"translatedText": english(texts) if isinstance(texts, str) else [english(text) for text in texts]})

    def deepl(self, request: Request, body: Any) -> Response:
        if request.headers.get("authorization") != f"DeepL-Auth-Key {KEY}" or body["target_lang"] != "EN-GB":
            return JSONResponse({"message": "Forbidden"}, 403)
        return JSONResponse(
            {"translations": [{"detected_source_language": "RO", "text": f"{english(text)}!"} for text in body["text"]]}
        )

    async def wrong(self, fault: str) -> Response:
        if fault.isdigit():
            return JSONResponse({"error": "no"}, int(fault))
        if fault == "later":
            return JSONResponse({"error": "Slowdown"}, 429, {"Retry-After": "1"})
        if fault == "much later":
            return JSONResponse({"error": "Slowdown"}, 429, {"Retry-After": "3600"})
        if fault == "sleeps":
            await asyncio.sleep(2)
        if fault == "drips":
            return StreamingResponse(drops(), media_type="application/json")
        if fault == "redirects":
            return RedirectResponse(f"http://localhost:{self.port}/elsewhere", 307)
        if fault == "html":
            return PlainTextResponse("<html>Sign in</html>", media_type="text/html")
        if fault == "huge":
            return StreamingResponse(flood(), media_type="application/json")
        if fault == "nested":
            return Response("[" * 100_000, media_type="application/json")
        answers: dict[str, Any] = {
            "few": {"translatedText": []},
            "number": {"translatedText": [1]},
            "other": {"translation": "Good day."},
            "list": [],
            "null": None,
            "nul": {"translatedText": ["a\0b"]},
            "long": {"translatedText": ["x" * 20_001]},
        }
        if fault == "broken":
            return Response(b'{"translatedText": ["Good', media_type="application/json")
        if fault == "latin":
            return Response(b'{"translatedText": ["\xe9"]}', media_type="application/json")
        return Response(json.dumps(answers[fault]), media_type="application/json")


def english(text: str) -> str:
    return ENGLISH.get(text, f"The {text}")


async def drops() -> AsyncIterator[bytes]:
    """A byte each tenth of a second: no pause is as long as a time limit."""
    for _ in range(30):
        yield b" "
        await asyncio.sleep(0.1)


async def flood() -> AsyncIterator[bytes]:
    for _ in range(1000):
        yield b" " * (1 << 20)


@contextmanager
def small_service() -> Iterator[SmallService]:
    """A running service, in a thread of this process."""
    service = SmallService(free_port())
    routes = [Route(path, service.answer, methods=["POST", "GET"]) for path in ("/translate", "/deepl", "/elsewhere")]
    config = uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=service.port, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.05)
    yield service
    server.should_exit = server.force_exit = True
    thread.join(10)
