"""Signing in with a key, working with the pages as somebody, and signing out, in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.server.store import KeyStore, open_database
from tests.browser.looking import shoot
from tests.servers import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[tuple[Server, str]]:
    data = tmp_path_factory.mktemp("guarded")
    server = Server(data, ro_en)
    scopes = ["quality", "jobs", "feedback"]
    _, token = KeyStore(open_database(f"sqlite:///{data / 'assay.sqlite3'}")).create("translators", scopes)
    server.start()
    yield server, token
    server.stop()


def test_somebody_signs_in_scores_a_document_and_signs_out(browser: Browser, guarded: tuple[Server, str], tmp_path: Path) -> None:
    server, token = guarded
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=server.address)
    page = context.new_page()
    page.goto("/jobs")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.fill("#key", "wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("does not work")
    shoot(page, "signin")
    page.fill("#key", token)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{server.address}/jobs")
    expect(page.get_by_text("translators")).to_be_visible()
    page.goto("/")
    table = tmp_path / "pairs.tsv"
    table.write_text("Casa este mare.\tThe house is big.\nBună ziua!\tGood day!\n", "utf-8")
    page.set_input_files("input[type=file]", str(table))
    page.click("#form button[type=submit]")
    expect(page.get_by_role("heading", name="pairs.tsv")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/jobs")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    context.close()
