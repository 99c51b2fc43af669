"""Pages of commands, opened as files: nothing is loaded or refused, nothing is cut, and axe-core finds no fault."""

from pathlib import Path

from playwright.sync_api import Browser

from app.smt.commands.corpus.reordering_page import reordering_page
from app.smt.preordering.profile import profile_of
from tests.browser.looking import shoot
from tests.smt.commands.test_word_order import CORPUS


def test_page_of_reordering(browser: Browser, tmp_path: Path) -> None:
    profile = profile_of(CORPUS)
    path = tmp_path / "page.html"
    for colours in ("light", "dark"):
        path.write_text(reordering_page({"אבג": profile, "a long name of a corpus without end": profile}), "utf-8")
        # The page's policy refuses the script of axe-core, so that another page of the same file runs it.
        for checked in (False, True):
            context = browser.new_context(color_scheme=colours, bypass_csp=checked)
            page = context.new_page()
            problems: list[str] = []
            page.on("console", lambda message, problems=problems: problems.append(message.text))
            page.on("request", lambda request, problems=problems: problems.append(request.url))
            page.goto(path.as_uri())
            assert problems == [path.as_uri()]
            if checked:
                shoot(page, f"reordering-{colours}")
            context.close()
