"""Plays the recorded requests against a server that has nothing in its data folder yet.

``python -m tests.recorded.playing ADDRESS --write`` records the answers, ``--compare`` prints every difference from the recorded
ones and exits with 1 where there is one that ``differences.json`` does not allow.
"""

import argparse
import base64
import gzip
import io
import json
import sys
import time
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.recorded.arithmetic import arithmetic_here
from tests.recorded.comparing import differences, read_allowed, unexpected
from tests.recorded.normalising import Normaliser, ids_in, without_counts
from tests.recorded.requests import RecordedRequest, read_requests, repeated, sent

__all__ = ["ANSWERS", "Recording", "play", "read_recording", "write_recording"]

Json = dict[str, Any]
ANSWERS: Final = Path(__file__).parent / "answers.json.gz"
OVER: Final = frozenset({"succeeded", "failed", "cancelled"})
POLL_SECONDS: Final = 0.02
LONGEST_WAIT: Final = 240.0
# These say when or how long, and nothing else.
LEFT_OUT: Final = frozenset({"date", "content-length", "connection", "server", "x-request-id"})


class Player:
    """One run through the requests."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client
        self._normal = Normaliser()
        self._known: dict[str, str] = {}
        self.answers: dict[str, Json] = {}
        self.seconds: dict[str, float] = {}

    def play(self, request: RecordedRequest) -> None:
        """Send one request, wait for its job where that is asked, and keep all answers."""
        begun = time.perf_counter()
        for each in repeated(request):
            response = self._client.request(**sent(each, self._known))
            self._learn(request, response)
        answer = self._answer(response)
        if response.status_code == 202 and request.path.startswith("/v1/jobs"):
            answer["body"] = self._normal.made(answer["body"])
        self.answers[request.name] = answer
        if request.begun:
            self._reached(f"/v1/jobs/{self._known[request.name]}", OVER | {"running"})
        if request.wait and request.name in self._known:
            address = f"/v1/jobs/{self._known[request.name]}"
            self.answers[f"{request.name}/job"] = self._answer(self._reached(address, OVER))
            for form in request.results:
                result = self._client.get(f"{address}/result", params={"format": form})
                self.answers[f"{request.name}/result.{form}"] = self._answer(result)
        self.seconds[request.name] = time.perf_counter() - begun

    def _learn(self, request: RecordedRequest, response: httpx2.Response) -> None:
        if "etag" in response.headers:
            self._known[f"{request.name}:etag"] = response.headers["etag"]
        if response.status_code != 202:
            return
        for number, each in enumerate(ids_in(response.json())):
            name = request.name if number == 0 else f"{request.name}.{number}"
            self._known[name] = each
            self._normal.learn(each, name)

    def _reached(self, address: str, states: Collection[str]) -> httpx2.Response:
        deadline = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < deadline:
            view = self._client.get(address)
            if view.json()["state"] in states:
                return view
            time.sleep(POLL_SECONDS)
        raise TimeoutError(f"the job at {address} reached none of {sorted(states)}: {view.text}")

    def _answer(self, response: httpx2.Response) -> Json:
        self._normal.note_day()
        body = self._body(response)
        if isinstance(body, str) and response.status_code == 200 and body != response.content.decode():
            # A tag of content that holds an id is another one each time.
            self._normal.learn_tag(response.headers.get("etag", "").strip('"'))
        headers = {key: self._normal.header(value) for key, value in sorted(response.headers.items()) if key not in LEFT_OUT}
        return {"status": response.status_code, "headers": headers, "body": body}

    def _body(self, response: httpx2.Response) -> str | Json:
        if response.content.startswith(b"PK"):
            return {"members": _members(response.content)}
        try:
            text = self._normal.text(response.content.decode())
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(response.content).decode()}
        return without_counts(text) if response.request.url.path == "/metrics" else text


def _members(raw: bytes) -> list[Json]:
    """What an archive holds; how its bytes are packed is the library's business."""
    found = []
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for info in archive.infolist():
            content = archive.read(info)
            found.append(
                {
                    "name": info.filename,
                    "date": list(info.date_time),
                    "method": info.compress_type,
                    "content": base64.b64encode(content).decode() if b"\0" in content else content.decode("utf-8", "replace"),
                }
            )
    return found


def play(client: httpx2.Client) -> Player:
    """Play all requests in their order."""
    player = Player(client)
    for request in read_requests():
        player.play(request)
    return player


@dataclass(frozen=True)
class Recording:
    """Answers by the name of their request, and with what they were computed."""

    arithmetic: Mapping[str, str]
    answers: Mapping[str, Json]


def read_recording(path: Path = ANSWERS) -> Recording:
    """The answers that were recorded."""
    return Recording(**json.loads(gzip.decompress(path.read_bytes())))


def write_recording(recording: Recording, path: Path = ANSWERS) -> None:
    """The same answers give the same bytes."""
    text = json.dumps(asdict(recording), ensure_ascii=False, indent=0)
    path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0))


def _compare(answers: Mapping[str, Json], path: Path, tolerance: float) -> int:
    allowed, recorded = read_allowed(), read_recording(path)
    found = differences(recorded.answers, answers)
    left = unexpected(found, allowed, tolerance)
    for each in left:
        print(each)
    for rule in allowed:
        if not any(rule.covers(each) for each in found):
            print(f"not met: {rule.request}  {rule.path}  ({rule.why})")
    here = arithmetic_here()
    for name, value in recorded.arithmetic.items():
        if here.get(name) != value:
            print(f"recorded with {name} {value}, here {here.get(name)}; last digits may differ")
    print(f"{len(answers)} answers, {len(found)} differences, {len(found) - len(left)} of them meant or within {tolerance:g}")
    return 1 if left else 0


def main() -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded.playing", description=__doc__)
    parser.add_argument("address", help="a server with a data folder of its own, as http://127.0.0.1:8000")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="record the answers")
    what.add_argument("--compare", action="store_true", help="print every difference from the recorded answers")
    parser.add_argument("--answers", type=Path, default=ANSWERS, help="the file of answers")
    parser.add_argument("--tolerance", type=float, default=0.0, help="how far numbers may be off; 0 means not at all")
    parser.add_argument("--slowest", type=int, default=0, help="print so many requests that took longest")
    asked = parser.parse_args()
    begun = time.monotonic()
    with httpx2.Client(base_url=asked.address, timeout=300) as client:
        player = play(client)
    print(f"{len(player.answers)} answers to {len(player.seconds)} requests in {time.monotonic() - begun:.1f} s")
    for name in sorted(player.seconds, key=player.seconds.__getitem__, reverse=True)[: asked.slowest]:
        print(f"{player.seconds[name]:8.2f} s  {name}")
    if asked.write:
        write_recording(Recording(arithmetic_here(), player.answers), asked.answers)
        return 0
    return _compare(player.answers, asked.answers, asked.tolerance)


if __name__ == "__main__":
    sys.exit(main())
