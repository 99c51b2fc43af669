"""The documentation under /help, built and not."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.server.service.authentication import POWERLESS_CALLER
from app.server.web.help import HelpSite


def client_of(site: Path, docs: Path) -> TestClient:
    help_site = HelpSite(site, docs)

    async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
        await help_site({**scope, "app": None, "caller": POWERLESS_CALLER}, receive, send)

    return TestClient(Starlette(routes=[Mount("/help", mounted)]))


def test_a_server_without_the_site_lists_its_pages(tmp_path: Path) -> None:
    (tmp_path / "docs" / "use").mkdir(parents=True)
    (tmp_path / "docs" / "use" / "files.md").write_text("# Files\n")
    answer = client_of(tmp_path / "help", tmp_path / "docs").get("/help/")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
    assert "make docs" in answer.text and "<code>docs/use/files.md</code>" in answer.text
    assert '<a class="brand" href="/">' in answer.text


def test_a_site_is_shown_as_soon_as_it_is_built(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    client = client_of(tmp_path / "help", tmp_path / "docs")
    assert "make docs" in client.get("/help/").text
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "index.html").write_text("<h1>Assay</h1>")
    assert client.get("/help/").text == "<h1>Assay</h1>"
    assert client.get("/help/nothing.html").status_code == 404


def test_no_path_leads_out_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "index.html").write_text("")
    (tmp_path / "secret").write_text("secret")
    client = client_of(tmp_path / "help", tmp_path / "docs")
    assert client.get("/help/..%2fsecret").status_code == 404
    assert client.get("/help/%2e%2e/secret").status_code == 404
