"""A server that somebody keeps busy answers small requests of others in less than a second."""

import threading
import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.hostile import TEXTS
from tests.servers import Server

PAIR = {"source_language": "ro", "target_language": "en"}
SMALL = {**PAIR, "segments": [{"source": "Casa este mare.", "translation": "The house is big."}], "warnings": True}
SECONDS = 1.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("busy"), {**ro_en, "ASSAY_CALL_SECONDS": "10", "ASSAY_WORKERS": "0"})
    running.start()
    yield running
    running.stop()


def body(text: str, segments: int, **options: object) -> dict[str, object]:
    return {**PAIR, **options, "segments": [{"source": text, "translation": text}] * segments}


ATTACKS = {
    "one segment of marks": ("/v1/quality", body(TEXTS["combining marks"], 1, words=True, warnings=True)),
    "blanks of no width": ("/v1/quality", body(TEXTS["blanks of no width"], 1)),
    "one word": ("/v1/quality", body(TEXTS["one word"], 2)),
    "many long segments": ("/v1/features", {**body(TEXTS["distinct words"], 30), "feature_set": "all-blackbox"}),
    "long hypotheses": (
        "/v1/score",
        {"systems": {"a": [TEXTS["one-letter words"]] * 20}, "references": {"r": [TEXTS["one-letter words"][::-1]] * 20}, "metrics": ["ter"]},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_small_requests_are_answered_within_a_second(server: Server, name: str) -> None:
    path, content = ATTACKS[name]
    over = threading.Event()

    def attack() -> None:
        with server.client() as client:
            while not over.is_set():
                try:
                    # Whoever is gone after two seconds is worked for no longer.
                    assert client.post(path, json=content, timeout=2).status_code in (200, 503)
                except httpx2.TransportError:
                    return

    # Two are worked for at once, and one waits.
    attackers = [threading.Thread(target=attack, daemon=True) for _ in range(3)]
    with server.client() as client:
        client.post("/v1/quality", json=SMALL).raise_for_status()
        for attacker in attackers:
            attacker.start()
        waits = []
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            for ask in (lambda: client.get("/health/live"), lambda: client.post("/v1/quality", json=SMALL)):
                begun = time.monotonic()
                ask().raise_for_status()
                waits.append(time.monotonic() - begun)
            time.sleep(0.05)
    over.set()
    for attacker in attackers:
        attacker.join(60)
    print(name, f"{max(waits):.2f} s at most, {sorted(waits)[len(waits) // 2]:.3f} s mostly, {len(waits)} requests")
    assert max(waits) < SECONDS


@pytest.mark.slow
def test_a_call_ends_when_its_client_is_gone(server: Server) -> None:
    long = {**body(TEXTS["distinct words"], 30), "feature_set": "all-blackbox"}
    for _ in range(2):
        with server.client() as client, pytest.raises(httpx2.TimeoutException):
            client.post("/v1/features", json=long, timeout=0.5)
    # Both heavy threads would be busy for the whole of a call's time.
    begun = time.monotonic()
    with server.client() as client:
        client.post("/v1/features", json=body(TEXTS["one word"], 2, feature_set="quest-baseline-17"), timeout=60).raise_for_status()
    assert time.monotonic() - begun < 6
