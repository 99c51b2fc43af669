"""Checks before any route: names of the host, pages of others, proxies, and who is signed in by them."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from sqlalchemy import Engine as Database
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.main import create_app
from app.server.api.middleware.authentication import Authentication
from app.server.api.middleware.forwarding import Forwarding
from app.server.api.problems import Refusal
from app.server.service import Service
from app.server.store import KeyStore
from app.settings import ROOT, Settings
from tests.servers import Server

PROXY, PEER = "10.0.0.1", "192.0.2.9"
BY_PROXY = {"trusted_proxies": f"{PROXY},10.1.0.0/16", "proxy_user_header": "Remote-User", "proxy_admins": "root"}
OWN = [
    "localhost",
    "LocalHost:8000",
    "127.0.0.1",
    "127.0.0.1:8000",
    "127.200.3.4",
    "[::1]",
    "[::1]:8000",
    "[::ffff:127.0.0.1]",
    "assay.localhost:9",
]
OTHERS = [
    "evil.example", "evil.example:8000", "x", "", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example", "0.0.0.0", "[::]",
    "127.0.0.1@evil.example", "evil.example@127.0.0.1", "localhost:80:80", "2130706433", "127.1", "192.168.1.2", "[::1", "::1", "localhost,evil.example",
    "localhost/", "\xb2\xff",
]  # fmt: skip

SEGMENTS = [{"source": "Da.", "translation": "Yes."}]
JOB = {"kind": "quality", "params": {"source_language": "ro", "target_language": "en", "segments": SEGMENTS}}


@contextmanager
def opened(database: Database, **fields: Any) -> Iterator[Any]:
    """What asks a guard as a request would: answers who came in, with address and scheme, or the problem's code and status."""
    settings = Settings(tagging_process=False, **fields)
    service = Service(settings)
    service.use(database)

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope["caller"]
        come = {
            "owner": caller.owner,
            "scopes": sorted(caller.scopes),
            "csrf": caller.csrf,
            "client": scope["client"][0],
            "scheme": scope["scheme"],
        }
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(come).encode()})

    app: ASGIApp = Forwarding(Authentication(inside, service, settings), service.proxies)

    def ask(
        *headers: tuple[str, str], method: str = "GET", path: str = "/v1/me", peer: str = PEER, server: str = "127.0.0.1"
    ) -> Mapping[str, Any]:
        messages: list[Message] = []
        scope = {
            "type": "http", "method": method, "path": path, "query_string": b"", "client": (peer, 5000), "server": (server, 8000),
            "scheme": "http", "headers": [(name.lower().encode(), value.encode("utf-8")) for name, value in headers],
        }  # fmt: skip

        async def send(message: Message) -> None:
            messages.append(message)

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        anyio.run(app, scope, receive, send)
        return {"status": messages[0]["status"], **json.loads(messages[1]["body"] or b"{}")}

    yield ask
    service.stop()


@pytest.mark.parametrize("host", OWN)
def test_while_nobody_needs_a_key_this_machine_has_its_own_names(database: Database, host: str) -> None:
    with opened(database) as ask:
        assert ask(("Host", host))["status"] == 200
        assert ask(("Host", host), server="192.168.1.2")["status"] == 401


def test_while_nobody_needs_a_key_no_other_name_will_do(database: Database) -> None:
    with opened(database) as ask:
        for host in OTHERS:
            answer = ask(("Host", host))
            assert (answer["status"], answer["type"]) == (421, "/problems/unknown-host"), host
        assert "ASSAY_HOSTS" in answer["detail"]
        assert ask()["status"] == 421
        # A page that was made to be of the same origin as what it asks.
        assert ask(("Host", "evil.example"), ("Origin", "http://evil.example"), method="POST")["status"] == 421
        assert ask(("Host", "evil.example"), path="/health/ready")["status"] == 200


def test_names_that_the_settings_have_will_do(database: Database) -> None:
    with opened(database, hosts="assay.example") as ask:
        assert ask(("Host", "assay.example:8000"))["status"] == 200
        assert ask(("Host", "localhost"))["status"] == 421
        assert ask(("Host", "10.0.0.5:8000"), path="/health/live")["status"] == 200
    with opened(database, allow_anonymous=True) as ask:
        assert ask(("Host", "evil.example"))["status"] == ask()["status"] == 200


def test_with_keys_every_name_will_do_for_who_has_one(database: Database) -> None:
    _, token = KeyStore(database).create("ana", ["quality"])
    with opened(database) as ask:
        assert ask(("Host", "x"), ("Authorization", f"Bearer {token}"))["owner"] == "ana"
        assert ask(("Host", "localhost"))["status"] == 401
        twice = ask(("Host", "x"), ("Host", "y"), ("Authorization", f"Bearer {token}"))
        assert (twice["status"], twice["type"]) == (421, "/problems/unknown-host")


@pytest.mark.parametrize(
    "origin", ["null", "", "http://evil.example", "file://", "http://localhost:8001", "http://localhost", "localhost:8000"]
)
def test_pages_of_other_origins_change_nothing(database: Database, origin: str) -> None:
    with opened(database, allow_anonymous=True) as ask:
        for headers in ([("Host", "localhost:8000")], [], [("Host", "")]):
            answer = ask(*headers, ("Origin", origin), method="POST")
            assert (answer["status"], answer["type"]) == (403, "/problems/cross-origin")
        assert ask(("Host", "localhost:8000"), ("Origin", "http://localhost:8000"), method="POST")["status"] == 200


def test_a_trusted_proxy_says_who_asks(database: Database) -> None:
    KeyStore(database).create("first", ["admin"])
    with opened(database, **BY_PROXY) as ask:
        ana = ask(("Remote-User", "ana"), peer=PROXY)
        assert (ana["owner"], ana["scopes"]) == ("ana", ["feedback", "jobs", "quality", "score"])
        assert ask(("Remote-User", "root"), peer=PROXY)["scopes"] == ["admin"]
        for headers in ((), (("Remote-User", ""),), (("X-Forwarded-User", "ana"),)):
            assert ask(*headers, peer=PROXY)["status"] == 401
        for headers in (
            (("Remote-User", "ana"), ("Remote-User", "root")),
            (("Remote-User", "ana,root"),),
            (("Remote-User", "x" * 101),),
        ):
            answer = ask(*headers, peer=PROXY)
            assert (answer["status"], answer["type"]) == (403, "/problems/invalid-user")
        # Pages of the browser are for who is not signed in, too, and lead to signing in with a key.
        assert ask(("Accept", "text/html"), path="/jobs", peer=PROXY)["status"] == 303


@pytest.mark.parametrize("peer", ["192.0.2.9", "127.0.0.1", "::1", "10.0.0.2"])
def test_from_elsewhere_a_user_is_refused(database: Database, peer: str) -> None:
    _, token = KeyStore(database).create("first", ["admin"])
    with opened(database, **BY_PROXY) as ask:
        for headers in ((), (("Authorization", f"Bearer {token}"),), (("X-Forwarded-For", PROXY),)):
            answer = ask(("Remote-User", "root"), *headers, peer=peer)
            assert (answer["status"], answer["type"]) == (403, "/problems/untrusted-proxy")
        assert ask(("Authorization", f"Bearer {token}"), peer=peer)["owner"] == "first"


def test_the_header_says_nothing_where_no_proxy_signs_in(database: Database) -> None:
    KeyStore(database).create("first", ["admin"])
    for fields in ({}, {"trusted_proxies": PROXY}):
        with opened(database, **fields) as ask:
            assert ask(("Remote-User", "root"), peer=PROXY)["status"] == 401


def test_nobody_comes_in_without_a_name_where_a_proxy_signs_in(database: Database) -> None:
    """Not even while there is no key: whoever the proxy did not sign in would do everything."""
    with opened(database, **BY_PROXY) as ask:
        assert ask(("Host", "localhost"), peer=PROXY)["status"] == ask(("Host", "localhost"), peer="127.0.0.1")["status"] == 401
        # What a change needs is made from a key, which assay serve makes at its first start.
        assert ask(("Remote-User", "root"), peer=PROXY)["status"] == 401


def test_a_key_comes_before_the_name_of_a_user(database: Database) -> None:
    keys = KeyStore(database)
    _, token = keys.create("tool", ["score"])
    with opened(database, **BY_PROXY) as ask:
        tool = ask(("Remote-User", "root"), ("Authorization", f"Bearer {token}"), peer=PROXY, method="POST")
        assert (tool["owner"], tool["scopes"], tool["csrf"]) == ("tool", ["score"], None)
        assert ask(("Remote-User", "root"), ("Authorization", "Bearer x"), peer=PROXY)["status"] == 401


def test_changes_by_users_of_a_proxy_need_what_its_pages_know(database: Database) -> None:
    keys = KeyStore(database)
    keys.create("first", ["admin"])
    ana, bo = ("Remote-User", "ana"), ("Remote-User", "bo")
    with opened(database, **BY_PROXY) as ask, opened(database, **BY_PROXY) as another:
        csrf = ask(ana, peer=PROXY)["csrf"]
        assert csrf and csrf == another(ana, peer=PROXY)["csrf"] != ask(bo, peer=PROXY)["csrf"]
        for method in ("POST", "DELETE", "PUT"):
            for headers in (
                (),
                (("X-Assay-CSRF", ""),),
                (("X-Assay-CSRF", "0" * 64),),
                (("X-Assay-CSRF", ask(bo, peer=PROXY)["csrf"]),),
            ):
                answer = ask(ana, *headers, peer=PROXY, method=method)
                assert (answer["status"], answer["type"]) == (403, "/problems/cross-origin")
            assert ask(ana, ("X-Assay-CSRF", csrf), peer=PROXY, method=method)["status"] == 200
        own = (ana, ("X-Assay-CSRF", csrf), ("Host", "assay.example"))
        assert ask(*own, ("Origin", "https://evil.example"), peer=PROXY, method="POST")["status"] == 403
        assert ask(*own, ("Origin", "https://assay.example"), peer=PROXY, method="POST")["status"] == 200
        keys.revoke("first")
        assert another(ana, peer=PROXY)["csrf"] == csrf


def test_addresses_and_schemes_are_those_that_a_trusted_proxy_says(database: Database) -> None:
    forwarded = (("X-Forwarded-For", "203.0.113.5, 198.51.100.7, 10.1.0.9"), ("X-Forwarded-Proto", "https"), ("Host", "localhost"))
    with opened(database, trusted_proxies=BY_PROXY["trusted_proxies"]) as ask:
        assert ask(*forwarded, peer=PROXY)["client"] == "198.51.100.7"
        assert ask(*forwarded, peer=PROXY)["scheme"] == "https"
        for peer in (PEER, "127.0.0.1"):
            answer = ask(*forwarded, peer=peer)
            assert (answer["client"], answer["scheme"]) == (peer, "http")
        for value, scheme in (
            ("HTTPS", "https"),
            ("javascript", "http"),
            ("", "http"),
            ("http, https", "https"),
            ("https, http", "http"),
        ):
            assert ask(("X-Forwarded-Proto", value), ("Host", "localhost"), peer=PROXY)["scheme"] == scheme
    with opened(database) as ask:
        answer = ask(*forwarded, peer="127.0.0.1")
        assert (answer["client"], answer["scheme"]) == ("127.0.0.1", "http")


# Through a real server, byte for byte.


def status_of(server: Server, request: bytes) -> int:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request)
        return int(connection.recv(100).split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        (b"GET /v1/me HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /v1/me HTTP/1.0\r\n\r\n", 421),
        (b"GET /v1/me HTTP/1.1\r\nHost:\r\n\r\n", 421),
        (b"GET /v1/me HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", 421),
        # What stands in the target of a request does not count: the Host does.
        (b"GET http://localhost/v1/me HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 0\r\n\r\n", 403),
        (b"GET /health/ready HTTP/1.0\r\n\r\n", 200),
    ],
)
def test_names_of_the_host_over_a_socket(server: Server, request_bytes: bytes, status: int) -> None:
    assert status_of(server, request_bytes) == status


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    """A server that believes 127.0.0.2, and nobody else on this machine, whatever Uvicorn's own variable says."""
    data = tmp_path_factory.mktemp("behind")
    settings = {
        "ASSAY_TRUSTED_PROXIES": "127.0.0.2", "ASSAY_PROXY_USER_HEADER": "Remote-User", "ASSAY_PROXY_ADMINS": "root",
        "ASSAY_MAX_CLIENT_REQUESTS": "1", "ASSAY_WORKERS": "0", "FORWARDED_ALLOW_IPS": "*",
    }  # fmt: skip
    server = Server(data, {**ro_en, **settings})
    server.start()
    yield server
    server.stop()


@contextmanager
def proxied(server: Server, user: str | None = None, peer: str = "127.0.0.2") -> Iterator[httpx2.Client]:
    transport = httpx2.HTTPTransport(local_address=peer, verify=False)
    with httpx2.Client(base_url=server.address, timeout=60, transport=transport) as client:
        if user is not None:
            client.headers["Remote-User"] = user
        yield client


def csrf_of(page: httpx2.Response) -> str:
    return page.text.partition('<meta name="csrf" content="')[2].partition('"')[0]


def test_users_of_a_proxy_work_with_pages_and_own_what_they_make(behind: Server) -> None:
    with proxied(behind, "Ana Pop") as ana, proxied(behind, "bo") as bo, proxied(behind, "root") as root:
        page = ana.get("/jobs", headers={"Accept": "text/html"})
        assert page.status_code == 200 and "no-store" in page.headers["cache-control"]
        assert "Ana Pop" in page.text and "Sign out" not in page.text
        assert ana.post("/v1/jobs", json=JOB).status_code == 403
        ana.headers["X-Assay-CSRF"] = csrf_of(page)
        job = ana.post("/v1/jobs", json=JOB).json()
        assert job["owner"] == "Ana Pop"
        assert bo.get(f"/v1/jobs/{job['id']}").status_code == 404
        assert root.get(f"/v1/jobs/{job['id']}").status_code == ana.get(f"/v1/jobs/{job['id']}").status_code == 200
        assert ana.get("/v1/me").json()["scopes"] == ["feedback", "jobs", "quality", "score"]
        assert ana.post("/v1/models/nothing/promote", json={}).status_code == 403
        assert root.post("/v1/models/nothing/promote", json={}, headers={"X-Assay-CSRF": csrf_of(root.get("/"))}).status_code == 404
    with proxied(behind, "root", "127.0.0.1") as liar:
        assert liar.get("/v1/me").json()["type"] == "/problems/untrusted-proxy"
    with proxied(behind, None, "127.0.0.1") as nobody:
        assert nobody.get("/v1/me").status_code == 401


def test_the_first_start_prints_a_key_with_which_cookies_are_secure_behind_tls(behind: Server) -> None:
    log = (behind.data / "server.log").read_text()
    token = next(line for line in log.splitlines() if line.startswith("assay_"))
    with proxied(behind) as proxy, proxied(behind, None, "127.0.0.1") as other:
        secure = proxy.post("/signin", data={"key": token}, headers={"X-Forwarded-Proto": "https"})
        assert "secure" in secure.headers["set-cookie"].lower()
        for plain in (
            proxy.post("/signin", data={"key": token}),
            other.post("/signin", data={"key": token}, headers={"X-Forwarded-Proto": "https"}),
        ):
            assert plain.status_code == 303 and "secure" not in plain.headers["set-cookie"].lower()


def test_places_are_counted_by_the_clients_of_a_proxy(behind: Server) -> None:
    """One stream of events for each address, of a job that never ends: the address that the proxy saw, not what its client says."""
    with proxied(behind, "cai") as cai:
        cai.headers["X-Assay-CSRF"] = csrf_of(cai.get("/"))
        address = f"/v1/jobs/{cai.post('/v1/jobs', json=JOB).json()['id']}/events"
        with cai.stream("GET", address, headers={"X-Forwarded-For": "198.51.100.1"}) as first:
            statuses = {}
            for forwarded in ("198.51.100.1", "198.51.100.9, 198.51.100.1", "198.51.100.2"):
                with cai.stream("GET", address, headers={"X-Forwarded-For": forwarded}) as another:
                    statuses[forwarded] = another.status_code
            assert first.status_code == 200
            assert statuses == {"198.51.100.1": 429, "198.51.100.9, 198.51.100.1": 429, "198.51.100.2": 200}


def test_a_start_with_half_of_the_settings_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "serve", "--port", "0"]
    environment = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), "ASSAY_PROXY_USER_HEADER": "Remote-User"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ASSAY_PROXY_USER_HEADER: ") and len(done.stderr.splitlines()) == 1


def test_a_body_that_comes_after_its_key_is_revoked_is_not_taken(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KeyStore(database)
    _, token = keys.create("ana", ["quality"])
    service = Service(Settings(tagging_process=False))
    service.use(database)
    taken: list[bytes] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "http.request":
            taken.append(message["body"])
            if not message["more_body"]:
                return

    async def ask(revoke: bool) -> None:
        parts = [b"a", b"b"]
        scope = {
            "type": "http", "method": "POST", "path": "/v1/jobs", "query_string": b"", "client": (PEER, 5000), "scheme": "http",
            "server": ("127.0.0.1", 8000), "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
        }  # fmt: skip

        async def receive() -> Message:
            if revoke and len(parts) == 1:
                keys.revoke("ana")
            if len(parts) == 1:
                await anyio.sleep(1.2)
            part = parts.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(parts)}

        async def send(message: Message) -> None:
            taken.append(str(message.get("status")).encode())

        await Authentication(inside, service, service.settings)(scope, receive, send)

    anyio.run(ask, False)
    assert taken == [b"a", b"b"]
    taken.clear()
    with pytest.raises(Refusal, match="revoked"):
        anyio.run(ask, True)
    assert taken == [b"a"]
    service.stop()


@pytest.mark.parametrize("name", ["root\u2028", "\u00a0root", "root\u3000", "nobody", "worker", "command line"])
def test_a_user_is_nobody_else_by_a_blank_and_none_that_records_have(name: str, database: Database) -> None:
    KeyStore(database).create("first", ["admin"])
    with opened(database, **BY_PROXY) as ask:
        answer = ask(("Host", "x"), ("Remote-User", name), peer=PROXY)
        assert (answer["status"], answer["type"]) == (403, "/problems/invalid-user")
        assert ask(("Host", "x"), ("Remote-User", " root\t"), peer=PROXY)["scopes"] == ["admin"]


@pytest.mark.parametrize(("scheme", "name"), [("http", "assay_session"), ("https", "__Host-assay_session")])
def test_no_other_host_can_set_the_cookie_behind_tls(database: Database, scheme: str, name: str) -> None:
    async def run() -> None:
        app = create_app(Settings(tagging_process=False))
        app.state.service.use(database)
        token = KeyStore(database).create("cat", ["admin"])[1]
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=f"{scheme}://localhost") as browser:
            answer = await browser.post("/signin", data={"key": token})
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith(f"{name}=") and "Path=/" in cookie and "Domain" not in cookie
            assert ("Secure" in cookie) == (scheme == "https")
            assert (await browser.get("/v1/me")).json()["owner"] == "cat"
            assert (await browser.post("/signin/end")).status_code == 303
            assert (await browser.get("/v1/me")).status_code == 401
        app.state.service.stop()

    anyio.run(run)
