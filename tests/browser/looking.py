"""What browser tests do again and again: drop files, look at three widths, ask axe-core."""

import os
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

# Where screenshots go; without the variable none are taken, since Chromium without a graphics card draws for seconds.
SHOTS = Path(os.environ["ASSAY_SCREENSHOTS"]) if "ASSAY_SCREENSHOTS" in os.environ else None
WIDTHS = (1280, 768, 390)
# Two frames, of which the second begins after the first has laid the page out; a page that draws none waits a second.
LAID_OUT = "new Promise(done => { requestAnimationFrame(() => requestAnimationFrame(() => done(0))); setTimeout(done, 1000, 0); })"
AXE = Axe()
# WCAG 2.1, levels A and AA, and what axe-core calls best practice; nodes without a fault are not described.
RULES = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]},
}


def drop(page: Page, *files: tuple[str, str]) -> None:
    """Drop files as a mouse does."""
    transfer = page.evaluate_handle(
        "files => { const t = new DataTransfer(); for (const [n, c] of files) t.items.add(new File([c], n)); return t; }", [list(f) for f in files]
    )  # fmt: skip
    page.dispatch_event("#drop", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})


def shoot(page: Page, name: str) -> None:
    """Look at a page in three widths: nothing scrolls sideways, and axe-core finds no fault at the widest and the narrowest."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LAID_OUT)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} scrolls sideways at {width}"
        if SHOTS is not None:
            page.screenshot(path=str(SHOTS / f"{name}-{width}.png"), full_page=True)
        if width == WIDTHS[1]:
            continue
        found = AXE.run(page, options=RULES).response["violations"]
        said = [
            f"{each['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
            for each in found
            for node in each["nodes"][:3]
        ]
        assert not said, f"{name} at {width}: " + "\n".join(said)
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})


def check_nothing_is_cut(page: Page) -> None:
    """Every table is seen whole, at the width of a desk and of a telephone."""
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LAID_OUT)
        cut = page.evaluate(
            "[...document.querySelectorAll('.panel, .wide')].filter(each => each.offsetParent && each.scrollWidth > each.clientWidth)"
            ".map(each => `${each.textContent.trim().slice(0, 40)}: ${each.scrollWidth} in ${each.clientWidth}`)"
        )
        assert not cut, f"at {width} px: {cut}"


def wait_for_plot(page: Page, plot: str) -> None:
    """Until an image is drawn; the page's policy forbids the evaluation that other ways of waiting need."""
    wait_for_image(page.locator(f"#{plot}"))


def wait_for_image(image: Locator) -> None:
    for _ in range(300):
        if image.evaluate("each => each.naturalWidth") > 100:
            return
        image.page.wait_for_timeout(50)
    raise AssertionError(f"{image} was not drawn")
