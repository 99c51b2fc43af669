"""The examples of single sign-on, by the proxies themselves: who is signed in, who pretends to be, and tools with keys."""

import json
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from app.settings import ROOT
from tests.servers import Server, free_port

PROXIES = ROOT / "deploy" / "proxies"
USER = "X-Forwarded-User"
JOB = {
    "kind": "quality",
    "params": {"source_language": "ro", "target_language": "en", "segments": [{"source": "Da.", "translation": "Yes."}]},
}


class Authority(BaseHTTPRequestHandler):
    """What oauth2-proxy answers: 202 and the user where the cookie says who it is, 401 otherwise, and a page for signing in."""

    def do_GET(self) -> None:
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        if not self.path.startswith("/oauth2/auth"):
            self.answer(200)
        elif "who" not in cookie:
            self.answer(401)
        else:
            self.answer(202, cookie["who"].value)

    def answer(self, status: int, user: str = "") -> None:
        self.send_response(status)
        if user:
            self.send_header("X-Auth-Request-User", user)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def authority() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Authority) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("behind")
    settings = {"ASSAY_TRUSTED_PROXIES": "127.0.0.1", "ASSAY_PROXY_USER_HEADER": USER, "ASSAY_WORKERS": "0"}
    server = Server(data, {**ro_en, **settings})
    server.start()
    yield server
    server.stop()


@dataclass(frozen=True)
class Front:
    """A proxy that runs, as a browser or a tool sees it."""

    address: str
    token: str

    def client(self, who: str | None = None) -> httpx2.Client:
        unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        headers = {} if who is None else {"Cookie": f"who={who}"}
        return httpx2.Client(base_url=self.address, headers=headers, verify=unchecked, timeout=60)


def caddy(folder: Path, port: int, server: int, authority: int) -> tuple[list[str], dict[str, str]]:
    environment = {
        "ASSAY_SITE": f"https://localhost:{port}",
        "ASSAY_UPSTREAM": f"127.0.0.1:{server}",
        "AUTH_UPSTREAM": f"127.0.0.1:{authority}",
        "HOME": str(folder),
        "PATH": "/usr/bin",
    }
    configuration = folder / "Caddyfile"
    # A certificate of its own, which no system is asked to trust; and no port for those who come without TLS.
    own = "\tauto_https disable_redirects\n\tskip_install_trust\n"
    text = (PROXIES / "Caddyfile").read_text()
    configuration.write_text(text.replace("\tadmin off\n", f"\tadmin off\n{own}", 1))
    return ["caddy", "run", "--config", str(configuration), "--adapter", "caddyfile"], environment


def nginx(folder: Path, port: int, server: int, authority: int) -> tuple[list[str], dict[str, str]]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    text = (PROXIES / "nginx.conf").read_text()
    for example, here in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("server 127.0.0.1:8000;", f"server 127.0.0.1:{server};"),
        ("server 127.0.0.1:4180;", f"server 127.0.0.1:{authority};"),
        ("/etc/ssl/assay.example.pem", str(certificate)),
        ("/etc/ssl/private/assay.example.key", str(key)),
    ):
        assert text.count(example) == 1, example
        text = text.replace(example, here)
    (folder / "assay.conf").write_text(text)
    places = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;"
        f"events {{}} http {{ access_log off; {places} include {folder}/assay.conf; }}"
    )
    return ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)], {"PATH": "/usr/sbin:/usr/bin"}


FRONTS: dict[str, Callable[[Path, int, int, int], tuple[list[str], dict[str, str]]]] = {"caddy": caddy, "nginx": nginx}


@pytest.fixture(scope="module", params=FRONTS)
def front(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, behind: Server, authority: int
) -> Iterator[Front]:
    folder, port, name = tmp_path_factory.mktemp("proxy"), free_port(), request.param
    if shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin") is None:
        pytest.skip(f"{name} is not installed")
    command, environment = FRONTS[name](folder, port, behind.port, authority)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
    token = next(line for line in (behind.data / "server.log").read_text().splitlines() if line.startswith("assay_"))
    running = Front(f"https://localhost:{port}", token)
    try:
        wait_for(running, process, folder / "log")
        yield running
    finally:
        process.terminate()
        process.wait(30)


def wait_for(front: Front, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    with front.client() as client:
        while time.monotonic() < deadline:
            assert process.poll() is None, log.read_text()
            try:
                client.get("/oauth2/sign_in")
                return
            except httpx2.TransportError:
                time.sleep(0.1)
    raise AssertionError(log.read_text())


def test_who_is_not_signed_in_is_sent_to_sign_in(front: Front) -> None:
    with front.client() as nobody:
        for path in ("/", "/jobs", "/v1/me"):
            answer = nobody.get(path)
            assert (answer.status_code, urlsplit(answer.headers["location"]).path) == (302, "/oauth2/sign_in")
        assert f"{front.address}/jobs" in nobody.get("/jobs").headers["location"]
        assert nobody.get("/oauth2/sign_in").status_code == 200
        assert nobody.post("/v1/jobs", json=JOB).status_code == 302


def test_who_is_signed_in_is_an_owner_with_pages_that_work(front: Front) -> None:
    with front.client("ana") as ana, front.client("bo") as bo:
        assert ana.get("/v1/me").json()["owner"] == "ana"
        page = ana.get("/jobs", headers={"Accept": "text/html"})
        assert page.status_code == 200 and "ana" in page.text
        assert ana.post("/v1/jobs", json=JOB).status_code == 403
        csrf = page.text.partition('<meta name="csrf" content="')[2].partition('"')[0]
        # As pages of the service send it, whose origin is that of the proxy.
        own = {"X-Assay-CSRF": csrf, "Origin": front.address}
        job = ana.post("/v1/jobs", json=JOB, headers=own).json()
        assert job["owner"] == "ana"
        assert (bo.get(f"/v1/jobs/{job['id']}").status_code, ana.get(f"/v1/jobs/{job['id']}").status_code) == (404, 200)
        assert ana.post("/v1/jobs", json=JOB, headers={**own, "Origin": "https://evil.example"}).status_code == 403
        with ana.stream("GET", f"/v1/jobs/{job['id']}/events") as events:
            assert json.loads(next(line for line in events.iter_lines() if line.startswith("data: "))[6:])["state"] == "queued"


@pytest.mark.parametrize("header", [USER, USER.lower(), "x_forwarded_user", "X-Auth-Request-User"])
def test_nobody_says_by_themselves_who_they_are(front: Front, header: str) -> None:
    with front.client() as nobody, front.client("ana") as ana:
        assert nobody.get("/v1/me", headers={header: "root"}).status_code == 302
        assert ana.get("/v1/me", headers={header: "root"}).json()["owner"] == "ana"
        assert ana.get("/v1/me", headers=[(header, "root"), (header, "bo")]).json()["owner"] == "ana"
        # A header that is to be dropped between two hops.
        assert ana.get("/v1/me", headers={header: "root", "Connection": f"close, {USER}"}).status_code in (200, 401, 302, 303)
        with_key = {"Authorization": f"Bearer {front.token}", header: "root"}
        assert nobody.get("/v1/me", headers=with_key).json()["owner"] == "admin"
        assert nobody.get("/v1/me", headers={"Authorization": "Bearer wrong", header: "root"}).status_code == 401


def test_tools_come_with_keys(front: Front) -> None:
    with front.client() as tool:
        tool.headers["Authorization"] = f"Bearer {front.token}"
        assert tool.get("/v1/me").json()["owner"] == "admin"
        assert tool.post("/v1/jobs", json=JOB).json()["owner"] == "admin"
        assert tool.post("/v1/quality", json=JOB["params"]).status_code == 200


def test_cookies_are_secure_behind_tls(front: Front) -> None:
    with front.client("ana") as ana:
        signed_in = ana.post("/signin", data={"key": front.token}, headers={"X-Forwarded-Proto": "http"})
        assert "secure" in signed_in.headers["set-cookie"].lower()
