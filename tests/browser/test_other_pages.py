"""Ranking, scoring, jobs and models in a real Chromium, from an empty page to the download, with their errors."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import shoot, wait_for_plot

pytestmark = pytest.mark.browser
SOURCE = ["Casa este mare.", "Guvernul numește un prefect în fiecare județ.", "Bună ziua, lume!"] * 5
GOOD = ["The house is big.", "The Government appoints a prefect in each county.", "Good day, world!"] * 5
FAIR = ["House is big.", "The Government appoints a prefect to each county.", "Good day, world!"] * 5
POOR = ["The the of.", "Government prefect county names.", "Day the good people of."] * 5


def files(folder: Path, **texts: list[str]) -> list[str]:
    paths = []
    for name, lines in texts.items():
        path = folder / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n", "utf-8")
        paths.append(str(path))
    return paths


def test_ranking(page: Page, tmp_path: Path) -> None:
    page.get_by_role("link", name="Rank", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("Choose a source and at least two systems")
    shoot(page, "rank-form")
    page.set_input_files("#source", files(tmp_path, source=SOURCE))
    page.set_input_files("#systems", files(tmp_path, good=GOOD, poor=POOR[:3]))
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("lines but source has 15")
    page.get_by_role("button", name="Remove poor.txt").click()
    page.set_input_files("#systems", files(tmp_path, poor=POOR, fair=FAIR))
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#standing tbody tr")).to_have_count(3)
    expect(page.locator("#standing tbody tr").last).to_contain_text("poor")
    expect(page.locator("#agreement tbody tr").filter(has_text="fair")).to_contain_text("33 %")
    expect(page.locator("#segments > li")).to_have_count(15)
    shoot(page, "rank")
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#winners")
    winners = Path(download.value.path()).read_text("utf-8").split("\n")
    assert len(winners) == 16 and set(winners[:-1]) <= {*GOOD, *FAIR, *POOR}
    page.reload()
    expect(page.locator("#standing tbody tr")).to_have_count(3, timeout=30_000)


def test_scoring(page: Page, tmp_path: Path) -> None:
    page.get_by_role("link", name="Score", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("Choose at least one system")
    shoot(page, "score-form")
    page.set_input_files("#systems", files(tmp_path, fair=FAIR, poor=POOR))
    page.set_input_files("#references", files(tmp_path, reference=GOOD))
    page.fill("#others", "nonsense")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("metric", timeout=20_000)
    page.fill("#others", "wer")
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#scores tbody tr").first).to_contain_text("fair")
    letters = page.locator("#scores tbody tr td:nth-child(4)").all_inner_texts()
    assert letters == ["a", "b"]
    expect(page.locator("#balance")).to_contain_text("fair on")
    assert page.input_value("#signature").startswith("nrefs:1|bs:1000|seed:12345|case:mixed")
    expect(page.locator("#segments mark").first).to_be_visible()
    expect(page.locator("#better tbody tr, #worse tbody tr").first).to_be_visible()
    for plot in ("plot", "lengths-plot", "frequencies-plot"):
        wait_for_plot(page, plot)
    shoot(page, "score")
    page.select_option("#metric", "wer")
    expect(page.locator("#scores tbody tr").first).to_contain_text("fair")
    page.click("#copy")
    expect(page.locator("#copied")).to_have_text("Copied.")


def test_jobs_are_listed_cancelled_tried_again_and_removed(page: Page) -> None:
    made = page.request.post("/v1/jobs", data={"kind": "quality", "owner": "Ion", "params": {"source_language": "ro", "target_language": "en", "segments": [{"source": f"Casa {k}.", "translation": f"House {k}."} for k in range(12_000)]}})  # fmt: skip
    job = made.json()["id"]
    page.get_by_role("link", name="Jobs", exact=True).click()
    row = page.locator("#jobs tbody tr", has_text=job[:8])
    expect(row).to_contain_text("Ion")
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_contain_text("cancelled", timeout=30_000)
    row.get_by_role("button", name="Retry").click()
    again = page.locator("#jobs tbody tr", has_text="Ion").first
    expect(again).not_to_contain_text(job[:8])
    shoot(page, "jobs")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(again).to_contain_text("succeeded", timeout=120_000)
    expect(again.get_by_role("link", name="Open")).to_be_visible()
    page.reload()
    row = page.locator("#jobs tbody tr", has_text=job[:8])
    row.get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    page.select_option("#wanted", "running")
    expect(page.locator("#empty")).to_be_visible()


def test_models_have_pages(page: Page) -> None:
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Models")
    shoot(page, "models")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="ro-en-hter-blend-95", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ro-en-hter-blend-95")
    for name in ("Bars of relevance", "What intervals were meant to hold"):
        plot = page.get_by_role("img", name=name)
        plot.scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        assert plot.evaluate("image => image.naturalWidth") > 100
    page.get_by_text("All features as a table").click()
    expect(page.locator("section[aria-labelledby=relevance] tbody tr")).to_have_count(95)
    page.get_by_text("All features as a table").click()
    shoot(page, "model")
    page.goto("/models/none")
    expect(page.locator("body")).to_contain_text("no such model")


def test_a_version_is_trained_while_its_curve_grows(page: Page) -> None:
    rows = [{"source": f"Casa {k} este mare.", "translation": f"House {k} is big.", "post_edit": f"The house {k} is big{' and old' * (k % 3)}."} for k in range(60)]  # fmt: skip
    sent = page.request.post("/v1/feedback", data={"model": "ro-en-hter-gp-17", "segments": rows})
    assert sent.ok, sent.text()
    page.goto("/models/ro-en-hter-gp-17")
    page.click("#train")
    expect(page.locator("#stage")).not_to_be_empty()
    expect(page.locator("#curve-table tbody tr").first).to_be_visible(timeout=240_000)
    expect(page.locator("#stage")).to_contain_text("Made version 2", timeout=400_000)
    assert page.locator("#curve-table tbody tr").count() >= 5
    wait_for_plot(page, "curve")
    shoot(page, "training")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.click("#made")
    expect(page.locator("section[aria-labelledby=versions] tbody tr")).to_have_count(2)
    page.click("#promote")
    expect(page.locator("#rollback")).to_be_visible()
    page.click("#rollback")
    expect(page.locator("#promote")).to_be_visible()


def test_the_interface_is_described(page: Page) -> None:
    page.goto("/docs")
    expect(page.get_by_role("heading", name="POST /v1/files")).to_be_visible()
    shoot(page, "docs")


@pytest.mark.parametrize(("path", "script"), [("/", "estimate"), ("/rank", "rank"), ("/score", "score")])
def test_a_form_waits_for_its_script(page: Page, path: str, script: str) -> None:
    """A press before the script is here must not send the form by the browser itself, which would lose what was chosen."""
    page.route(f"**/static/{script}.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(path)
    expect(page.locator("#go")).to_be_disabled()
    page.unroute(f"**/static/{script}.js")
    page.goto(path)
    expect(page.locator("#go")).to_be_enabled()
