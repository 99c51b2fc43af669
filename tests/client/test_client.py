"""The Python client against a running server, in both of its forms, and what it does when the server is busy."""

import asyncio
import inspect
from pathlib import Path

import httpx2
import pytest
from assay_client import AssayError, AsyncClient, Client

from tests.conftest import Server

SAMPLES = Path(__file__).parents[1] / "documents" / "samples"
PAIRS = [("Casa este mare.", "The house is big."), ("Bună ziua.", "Good day.")]


def test_the_calls_of_a_day(server: Server, tmp_path: Path) -> None:
    with Client(server.address) as assay:
        answer = assay.quality("ro", "en", PAIRS, warnings=True)
        assert len(answer["segments"]) == 2 and 0 <= answer["segments"][0]["confidence"] <= 1
        ranked = assay.rank("ro", "en", [("Casa este mare.", {"a": "The house is big.", "b": "Of the big."})])
        assert ranked["systems"][0]["system"] == "a"
        scored = assay.score(["bleu"], {"s": ["a b c d"]}, {"r": ["a b c d"]})
        assert scored["metrics"][0]["score"] == pytest.approx(100)
        assert any(card["id"] == answer["model"] for card in assay.models())
        job = assay.submit_file(SAMPLES / "omegat.tmx", {}, key="a-day", owner="Ana")
        assert assay.submit_file(SAMPLES / "omegat.tmx", {}, key="a-day", owner="Ana")["id"] == job["id"]
        assert assay.wait(job["id"])["done"] == 2
        assert b'<prop type="x-assay-quality">' in assay.result(job["id"], "annotated")
        assert job["id"] in [each["id"] for each in assay.jobs(limit=2)]
        sources = tmp_path / "sources.txt"
        sources.write_text("casa este mare\nbună ziua\n", "utf-8")
        listed = assay.submit_file(SAMPLES / "moses.nbest", {}, source=sources)
        assert assay.result(assay.wait(listed["id"])["id"], "annotated").count(b" Assay= ") == 3
        kept = assay.feedback(answer["model"], [{"source": "Casa.", "translation": "House.", "post_edit": "The house."}])
        assert kept["accepted"] == 1
        with pytest.raises(AssayError) as refused:
            assay.quality("xx", "en", PAIRS)
        assert (refused.value.code, refused.value.status) == ("unknown-language-pair", 422)


def test_many_at_once(server: Server) -> None:
    async def run() -> list[float]:
        async with AsyncClient(server.address) as assay:
            answers = await asyncio.gather(*(assay.quality("ro", "en", [(f"Casa {k}.", f"House {k}.")]) for k in range(20)))
            job = await assay.submit("quality", {"source_language": "ro", "target_language": "en", "segments": [{"source": "a", "translation": "b"}]})  # fmt: skip
            assert (await assay.wait(job["id"]))["state"] == "succeeded"
            assert b"segments" in await assay.result(job["id"])
            return [answer["segments"][0]["score"] for answer in answers]

    together = asyncio.run(run())
    with Client(server.address) as assay:
        alone = [assay.quality("ro", "en", [(f"Casa {k}.", f"House {k}.")])["segments"][0]["score"] for k in range(20)]
    assert together == pytest.approx(alone, abs=1e-6)


def test_a_busy_server_is_asked_again() -> None:
    asked = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        busy = len(asked) < 3
        return httpx2.Response(
            503 if busy else 200, headers={"Retry-After": "0"} if busy else {}, json={} if busy else {"models": []}
        )

    with Client("http://x", transport=httpx2.MockTransport(answer)) as assay:
        assert assay.models() == [] and len(asked) == 3


def test_both_clients_have_the_same_calls() -> None:
    def calls(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}

    assert calls(Client) == calls(AsyncClient)
