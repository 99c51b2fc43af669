"""While one client attacks, another is answered: health and a small request within a second, in bounded memory."""

import contextlib
import json
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.servers import Server

pytestmark = [pytest.mark.faults, pytest.mark.slow]
SMALL = {
    "source_language": "ro",
    "target_language": "en",
    "segments": [{"source": "Casa este mare.", "translation": "A big house."}],
}
SLOW = {"ASSAY_WORKERS": "0", "ASSAY_BODY_SECONDS": "2", "ASSAY_MAX_WAITING_REQUESTS": "16", "ASSAY_MAX_CLIENT_REQUESTS": "8"}
MORE_MEGABYTES = 200


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("attacked")
    server = Server(folder, {**ro_en, **SLOW})
    server.start()
    yield server
    server.stop()


def forget_peak(server: Server) -> None:
    """From here on the most memory is that of what comes, not of an attack before."""
    assert server.process is not None
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")


def resident(server: Server) -> float:
    """The most megabytes that were resident since the peak was forgotten."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextlib.contextmanager
def undisturbed(server: Server) -> Iterator[None]:
    """A second client, at another address, asks all the while and is answered within a second; half of the answers sooner."""
    with httpx2.Client(
        base_url=server.address, timeout=30, transport=httpx2.HTTPTransport(local_address="127.0.0.2", verify=False)
    ) as other:
        other.post("/v1/quality", json=SMALL).raise_for_status()
        forget_peak(server)
        memory, ended, seconds = resident(server), threading.Event(), []

        def ask() -> None:
            while not ended.is_set() or len(seconds) < 3:
                begun = time.monotonic()
                assert other.get("/health/live").status_code == 200
                assert other.post("/v1/quality", json=SMALL).status_code == 200
                seconds.append(time.monotonic() - begun)
                ended.wait(0.05)

        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(ask)
            try:
                yield
            finally:
                ended.set()
            asking.result()
    assert statistics.median(seconds) < 1 and max(seconds) < 3, seconds
    assert resident(server) < memory + MORE_MEGABYTES


def post(server: Server, path: str, body: bytes, **headers: str) -> httpx2.Response:
    with server.client() as client:
        return client.post(path, content=body, headers={"Content-Type": "application/json", **headers})


def announced(server: Server, count: int) -> list[socket.socket]:
    sockets = []
    for _ in range(count):
        opened = socket.create_connection(("127.0.0.1", server.port))
        opened.sendall(
            b"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        )
        sockets.append(opened)
    return sockets


def test_bodies_that_never_come_are_given_up(attacked: Server) -> None:
    with undisturbed(attacked):
        sockets = announced(attacked, 200)
        for opened in sockets:
            opened.settimeout(20)
            assert b" 408 " in opened.recv(4096)
            opened.close()


def test_health_is_told_within_a_second_beside_two_hundred_connections(attacked: Server) -> None:
    body = json.dumps(SMALL).encode()
    head = b"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    sockets = [socket.create_connection(("127.0.0.1", attacked.port), timeout=20) for _ in range(200)]
    with attacked.client() as client:
        for _ in range(5):
            for opened in sockets:
                opened.sendall(head % len(body) + body)
            begin_time = time.monotonic()
            assert client.get("/health/live").status_code == 200
            assert time.monotonic() - begin_time < 1
            for opened in sockets:
                answer = b""
                while not answer.endswith(b"}"):
                    answer += opened.recv(65536)
                assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 429"))
    for opened in sockets:
        opened.close()


def test_a_body_may_come_in_small_pieces(attacked: Server) -> None:
    with socket.create_connection(("127.0.0.1", attacked.port), timeout=20) as opened:
        opened.sendall(
            b"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"
        )
        time.sleep(0.3)
        opened.sendall(b"}")
        assert b" 422 " in opened.recv(4096)


ZEROS = b'{"source_language": "ro", "target_language": "en", "segments": [%s0]}'
NAMES = b'{"metrics": ["bleu"], "systems": {%s"x": 0}, "references": {"r": ["a"]}}'
JOB_OF_OBJECTS = b'{"kind": "quality", "params": %s}' % (ZEROS % (b'{"source": 1, "trans": 0},' * 600_000))
BODIES: dict[str, tuple[str, Callable[[], bytes], int]] = {
    "zeros": ("/v1/quality", lambda: ZEROS % (b"0," * 1_900_000), 422),
    "as many zeros as fit": ("/v1/quality", lambda: ZEROS % (b"0," * 7_900_000), 400),
    "names": ("/v1/score", lambda: NAMES % b"".join(b'"%d": 0,' % k for k in range(300_000)), 400),
    "brackets": ("/v1/quality", lambda: b"[" * 4_000_000, 400),
    "empty objects": ("/v1/quality", lambda: ZEROS % (b"{}," * 3_000_000), 400),
    "log-probabilities": (
        "/v1/quality",
        lambda: ZEROS.replace(b"%s0", b'{"source": "a", "translation": "b", "token_log_probs": [%s0]}') % (b'"",' * 1_900_000),
        422,
    ),
    "empty lists": ("/v1/quality", lambda: ZEROS % (b"[]," * 3_000_000), 400),
    "small objects": ("/v1/quality", lambda: ZEROS % (b'{"a":0},' * 1_800_000), 400),
    "numbers": ("/v1/quality", lambda: ZEROS % (b"1.5," * 3_900_000), 400),
    "as many numbers as may be": ("/v1/quality", lambda: ZEROS % (b"1.5," * 1_900_000), 422),
    "brackets in texts": ("/v1/quality", lambda: ZEROS % (b'"[",' * 1_900_000), 422),
    "a wide character": ("/v1/quality", lambda: ZEROS % (b'"%s%s",' % ("😀".encode(), b"a" * 15_000_000)), 422),
    "a job of zeros": ("/v1/jobs", lambda: b'{"kind": "quality", "params": %s}' % (ZEROS % (b"0," * 7_900_000)), 400),
    "a job of small objects": ("/v1/jobs", lambda: JOB_OF_OBJECTS, 422),
    "a job of empty objects": ("/v1/jobs", lambda: b'{"kind": "quality", "params": %s}' % (ZEROS % (b"{}," * 3_000_000)), 400),
}


@pytest.mark.parametrize("name", BODIES)
def test_wrong_bodies_cost_no_more_than_right_ones(attacked: Server, name: str) -> None:
    path, make, status = BODIES[name]
    body = make()
    with undisturbed(attacked):
        begun = time.monotonic()
        assert post(attacked, path, body).status_code == status
        assert time.monotonic() - begun < 10


def test_one_client_leaves_places_for_others(attacked: Server) -> None:
    texts = [{"source": f"Casa {k} este mare.", "translation": f"House {k} is big."} for k in range(300)]
    with undisturbed(attacked), ThreadPoolExecutor(24) as pool:
        body = {**SMALL, "segments": texts}
        answers = list(pool.map(lambda _: httpx2.post(f"{attacked.address}/v1/quality", json=body, timeout=120), range(24)))
        refused = [answer for answer in answers if answer.status_code != 200]
        assert len(refused) < len(answers)
        for answer in refused:
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
            assert answer.json()["type"] == "/problems/too-many-requests"


HEAD = b'<xliff version="1.2"><file source-language="ro" target-language="en" original="x" datatype="plaintext"><body>'
UNIT = b"<trans-unit id='1'><source>a</source></trans-unit>"


def test_large_documents_are_read_two_at_a_time(attacked: Server) -> None:
    raw = HEAD + UNIT * 60_000 + b"</body></file></xliff>"
    with undisturbed(attacked), ThreadPoolExecutor(5) as pool:
        answers = list(
            pool.map(lambda _: httpx2.post(f"{attacked.address}/v1/files", files={"file": ("x", raw)}, timeout=120), range(5))
        )
        assert {answer.status_code for answer in answers} <= {200, 429}


CHUNKED = b"%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
STREAMS = {
    "headers behind a body": (CHUNKED % b"GET /health/live" + b"0\r\n", b"a: bbbbbbbbbb\r\n"),
    "small pieces that nobody reads": (CHUNKED % b"GET /health/live", b"1\r\n \r\n"),
    "small pieces of a body": (CHUNKED % b"POST /v1/quality", b"1\r\n \r\n"),
}


def stream(server: Server, name: str, most: int = 400_000_000) -> int:
    """Bytes that were taken in until the connection was given up."""
    head, piece = STREAMS[name]
    taken, block = 0, piece * (60_000 // len(piece))
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as opened:
        opened.sendall(head)
        try:
            while taken < most:
                opened.sendall(block)
                taken += len(block)
        except OSError:
            pass
    return taken


@pytest.mark.parametrize("name", STREAMS)
def test_a_body_in_endless_small_pieces_is_given_up(attacked: Server, name: str) -> None:
    with undisturbed(attacked), ThreadPoolExecutor(4) as pool:
        assert max(pool.map(lambda _: stream(attacked, name), range(4))) < 20_000_000


def test_a_body_that_nobody_reads_may_be_sent_to_its_end(attacked: Server) -> None:
    """Or its sender would read a reset, and not the answer."""
    with socket.create_connection(("127.0.0.1", attacked.port), timeout=20) as opened:
        opened.sendall(CHUNKED % b"GET /health/live")
        for _ in range(100):
            opened.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        opened.sendall(b"0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answered = b""
        while piece := opened.recv(65536):
            answered += piece
    assert answered.count(b"HTTP/1.1 200 OK") == 2


def test_explanations_are_work(attacked: Server) -> None:
    texts = [{"source": f"Casa {k} este mare.", "translation": "A big house."} for k in range(2000)]
    with undisturbed(attacked), ThreadPoolExecutor(8) as pool:
        begun = time.monotonic()
        refused = httpx2.post(f"{attacked.address}/v1/quality", json={**SMALL, "segments": texts, "explain": True}, timeout=120)
        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/too-much-work")
        assert time.monotonic() - begun < 10

        def leave(_: int) -> None:
            body = {**SMALL, "segments": texts[:400], "explain": True}
            with contextlib.suppress(httpx2.ReadTimeout):
                httpx2.post(f"{attacked.address}/v1/quality", json=body, timeout=2)

        list(pool.map(leave, range(8)))


def test_json_of_jobs_is_no_larger_than_that_of_calls(attacked: Server) -> None:
    raw = b'{"kind": "quality", "params": {"x": "%s"}}' % (b"a" * 100_000_000)
    with undisturbed(attacked):
        answer = post(attacked, "/v1/jobs", raw)
        assert (answer.status_code, answer.json()["type"]) == (413, "/problems/body-too-large")
        assert "send files" in answer.json()["detail"]
