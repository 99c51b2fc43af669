"""The documentation in a browser, under the policy of all pages: no inline script, no other host, and a search that works."""

import subprocess

import pytest
from playwright.sync_api import Page, expect

from app.server.web.help import HELP
from app.settings import ROOT

SPHINX = ROOT / ".venv" / "documentation" / "bin" / "sphinx-build"


@pytest.fixture(scope="module", autouse=True)
def site() -> None:
    """The site, built where `make docs` has installed its packages."""
    if not SPHINX.exists():
        pytest.skip("make docs has not installed Sphinx")
    if not HELP.is_dir():
        pytest.skip("make docs has not built build/help")
    subprocess.run([SPHINX, "--quiet", "--fail-on-warning", "docs", HELP], cwd=ROOT, check=True)


def test_a_reader_searches_and_opens_a_page(page: Page) -> None:
    answer = page.goto("/help/")
    assert answer is not None and "unsafe" not in answer.headers["content-security-policy"]
    expect(page.get_by_role("heading", name="Four doors")).to_be_visible()
    page.fill("input[name=q]", "idempotency")
    page.press("input[name=q]", "Enter")
    expect(page.locator("ul.search li").first).to_be_visible()
    # A summary of a page comes by a request of its own, to this server.
    expect(page.locator("ul.search p.context").first).to_contain_text("dempotency")
    page.click("ul.search li a >> nth=0")
    expect(page.locator("h1").first).to_be_visible()
