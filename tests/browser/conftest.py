"""A real Chromium, and a page that reports whatever goes wrong in it."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.looking import SHOTS
from tests.servers import Server

# Milliseconds: a busy machine answers late, and a page that never shows the text still fails.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for the files of this folder; its event loop ends before tests of other folders begin."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not on this machine")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    if SHOTS is not None:
        SHOTS.mkdir(parents=True, exist_ok=True)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=server.address, accept_downloads=True)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: None if request.url.startswith(server.address) or request.url.startswith("blob:") else problems.append(request.url))  # fmt: skip
    opened.goto("/")
    yield opened
    # Refused requests are reported by the browser as console errors; they are what some tests are about.
    assert [each for each in problems if "the server responded with a status of 4" not in each] == []
    context.close()
