"""Ranking, scoring, jobs and models in a real Chromium, from an empty page to the download, with their errors."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import check_nothing_is_cut, shoot, wait_for_image, wait_for_plot

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
    expect(page.locator("#verdicts .verdict.worse").first).to_have_text(
        re.compile(
            r"^\w+(\.txt)? is worse than good(\.txt)?: hter \+0\.\d{4} \(0\.\d{4} → 0\.\d{4}\), p [=<] 0\.\d{3}, 15 segments$"
        )
    )
    expect(page.locator("#segments > li")).to_have_count(15)
    expect(page.locator("#result-title")).to_have_text("The systems, Romanian → English")
    shoot(page, "rank")
    check_nothing_is_cut(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#winners")
    winners = Path(download.value.path()).read_text("utf-8").split("\n")
    assert len(winners) == 16 and set(winners[:-1]) <= {*GOOD, *FAIR, *POOR}
    page.reload()
    expect(page.locator("#standing tbody tr")).to_have_count(3, timeout=30_000)
    assert page.input_value("#address") == page.url


def test_scoring(page: Page, tmp_path: Path) -> None:
    page.get_by_role("link", name="Score outputs", exact=True).click()
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
    verdict = page.locator("#verdicts .verdict")
    expect(verdict).to_have_text(
        re.compile(r"^poor is worse than fair: bleu −\d+\.\d\d \(.* → .*\), p [=<] 0\.\d{3}, 15 segments$")
    )
    assert page.input_value("#signature").startswith("nrefs:1|bs:1000|seed:12345|case:mixed")
    expect(page.locator("#segments mark").first).to_be_visible()
    expect(page.locator("#better tbody tr, #worse tbody tr").first).to_be_visible()
    for plot in ("plot", "lengths-plot", "frequencies-plot"):
        wait_for_plot(page, plot)
    shoot(page, "score")
    check_nothing_is_cut(page)
    expect(page.get_by_role("columnheader", name="p, corrected")).to_have_count(1)
    page.select_option("#metric", "wer")
    expect(page.locator("#scores tbody tr").first).to_contain_text("fair")
    expect(verdict).to_contain_text("poor is worse than fair: wer +")
    page.click("#copy")
    expect(page.locator("#copied")).to_have_text("Copied.")
    # The result has an address, which gives the same again to whoever opens it.
    address, table = page.input_value("#address"), page.locator("#scores").inner_text()
    assert address == page.url
    page.click("#copy-address")
    expect(page.locator("#address-copied")).to_have_text("Copied.")
    page.goto(address)
    expect(page.locator("#segments mark").first).to_be_visible(timeout=30_000)
    page.select_option("#metric", "wer")
    expect(page.locator("#scores")).to_have_text(table, use_inner_text=True)
    with page.expect_download() as download:
        page.click("#tsv")
    rows = Path(download.value.path()).read_text("utf-8").splitlines()
    assert [row.split("\t")[:2] for row in rows[1:]] == [
        [system, metric] for metric in ("bleu", "chrf", "wer") for system in ("fair", "poor")
    ]
    page.goto("/jobs")
    row = page.locator("#jobs tbody tr", has_text=address[-32:][:8])
    assert row.get_by_role("link", name="Open").get_attribute("href") == address[address.index("/score") :]
    page.goto(f"{address}&lang=de")
    expect(page.locator("#note")).to_contain_text("für die Zahl der Systeme korrigiert (Holm)", timeout=30_000)
    assert not re.search("_|Holm's|resampled", page.locator("#note").inner_text())


def test_a_result_without_a_job_says_so(page: Page, tmp_path: Path) -> None:
    page.goto("/score")
    page.set_input_files("#systems", files(tmp_path, fair=FAIR[:3], poor=POOR[:3]))
    page.set_input_files("#references", files(tmp_path, reference=GOOD[:3]))
    for metric in ("bleu", "chrf"):
        page.uncheck(f'input[value="{metric}"]')
    page.fill("#others", "nist")
    page.click("#go")
    expect(page.locator("#unkept")).to_contain_text("is not stored", timeout=30_000)
    expect(page.locator("#unkept")).to_contain_text("use POST /v1/score")
    expect(page.locator("#kept")).to_be_hidden()
    expect(page.locator("#scores tbody tr").first).to_contain_text("fair")
    assert page.url.endswith("/score")


def test_a_job_that_gave_nothing_shows_why(page: Page) -> None:
    params = {"metrics": ["bleu"], "systems": {"one": ["A house."]}, "references": {"A": ["A house."]}}
    other = page.request.post("/v1/jobs", data={"kind": "score", "params": params}).json()["id"]
    for address in ("/", "/rank"):
        page.goto(f"{address}?job={other}")
        expect(page.locator("#problem")).to_contain_text("another kind", timeout=30_000)
    for state, sentence in (("failed", "The job failed: no room"), ("cancelled", "The job was cancelled.")):
        end_as(page, {"id": other, "kind": "score", "state": state, "done": 0, "total": 1, "error": {"detail": "no room"}})
        page.goto(f"/score?job={other}")
        expect(page.locator("#problem")).to_have_text(sentence)


def end_as(page: Page, job: dict[str, object]) -> None:
    """Whatever job is followed ends like this one."""
    body = f"event: end\ndata: {json.dumps(job)}\n\n"
    page.unroute("**/events")
    page.route("**/events", lambda route: route.fulfill(body=body, content_type="text/event-stream"))


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
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    page.select_option("#wanted", "running")
    expect(page.locator("#empty")).to_be_visible()


LONG = "Annual_Report_2026_Final_Version_reviewed_by_the_legal_department_v17.ro-en.tsv"


def test_a_job_of_a_long_name_keeps_to_its_columns(page: Page) -> None:
    params = {"source_language": "ro", "target_language": "en"}
    table = {"name": LONG, "mimeType": "text/plain", "buffer": b"source\ttranslation\nCasa.\tHouse.\n"}
    made = page.request.post("/v1/jobs", multipart={"kind": "quality", "params": json.dumps(params), "file": table})
    page.goto("/jobs")
    row = page.locator("#jobs tbody tr", has_text=made.json()["id"][:8])
    name, state = row.locator(".cut"), row.locator(".state")
    # What is read out, shown on hover and copied is the whole name; what is seen has its end.
    assert name.get_attribute("title") == LONG and name.text_content() == LONG
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect(state).to_have_text("succeeded", timeout=60_000)
        box, end, cell = name.bounding_box(), name.locator(".end").bounding_box(), row.locator("th").bounding_box()
        assert box and end and cell
        assert end["x"] + end["width"] <= box["x"] + box["width"] <= cell["x"] + cell["width"] and end["height"] < 40
        # A word on one line, inside its cell.
        assert state.evaluate("each => each.getClientRects().length === 1 && each.scrollWidth <= each.parentElement.clientWidth")
    # At 1280 px, columns stand where they stand, whatever a job is called.
    assert page.locator("#jobs").evaluate("table => getComputedStyle(table).tableLayout") == "fixed"


def test_times_of_arrival_never_rise(page: Page) -> None:
    """Of estimates that fall, jump and stand still."""
    expected = [60, 59, 90, 58, 20, 20, 20, 0, 5]
    told = page.evaluate(
        "async (expected) => { const { arrival } = await import('/static/arrival.js'); const tell = arrival();"
        " return expected.map((seconds, k) => tell(seconds, 2 * k)); }",
        expected,
    )
    assert told[0] == 60 and told == sorted(told, reverse=True) and told[-1] >= 0
    # It follows what the server says, and not only the clock.
    assert told[5] < 60 - 10


def test_models_have_pages(page: Page) -> None:
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Models")
    shoot(page, "models")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.select_option("select[name=pair]", "ro-en")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Romanian → English (ro-en)")
    # Tests of other pages may have trained some.
    page.get_by_text(re.compile(r"^\d+ other models$")).click()
    page.get_by_role("link", name="ro-en-hter-blend-95", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ro-en-hter-blend-95")
    for name in ("Bars of influence", "Promised and measured share of true values"):
        plot = page.get_by_role("img", name=name)
        plot.scroll_into_view_if_needed()
        wait_for_image(plot)
    page.get_by_text("All features as a table").click()
    expect(page.locator("section[aria-labelledby=relevance] tbody tr")).to_have_count(95)
    page.get_by_text("All features as a table").click()
    shoot(page, "model")
    page.goto("/models/none")
    expect(page.locator("body")).to_contain_text("no such model")


def test_a_version_is_trained_while_its_curve_grows(page: Page) -> None:
    texts = [{"source": f"Casa {k} este mare.", "translation": f"House {k} is big."} for k in range(560)]
    labelled = [{**text, "label": k % 10 / 10} for k, text in enumerate(texts[60:])]
    params = {"source_language": "ro", "target_language": "en", "label": "hter", "learner": "ridge", "name": "ro-en-hter-growing", "segments": labelled}  # fmt: skip
    job = page.request.post("/v1/jobs", data={"kind": "train", "params": params})
    assert job.ok, job.text()
    address = f"/v1/jobs/{job.json()['id']}"
    while (view := page.request.get(address).json())["state"] in ("queued", "running"):
        page.wait_for_timeout(100)
    assert view["state"] == "succeeded", view
    rows = [{**text, "post_edit": f"The house {k} is big{' and old' * (k % 3)}."} for k, text in enumerate(texts[:60])]
    sent = page.request.post("/v1/feedback", data={"model": "ro-en-hter-growing", "segments": rows})
    assert sent.ok, sent.text()
    page.goto("/models/ro-en-hter-growing")
    page.click("#train")
    expect(page.locator("#stage")).not_to_be_empty()
    expect(page.locator("#curve-table tbody tr").first).to_be_visible(timeout=60_000)
    expect(page.locator("#stage")).to_contain_text("Version 2 is ready", timeout=120_000)
    # The smallest parts have too few rows for 95 features.
    assert page.locator("#curve-table tbody tr").count() >= 3
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
    assert page.locator("pre").inner_text().startswith(f"curl -s {page.url.removesuffix('/docs')}/v1/quality")
    shoot(page, "docs")


def test_a_form_waits_for_its_script(page: Page) -> None:
    """A press before the script is here must not send the form by the browser itself, which would lose what was chosen."""
    for path, script in (("/", "estimate"), ("/rank", "rank"), ("/score", "score")):
        page.route(f"**/static/{script}.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
        page.goto(path)
        expect(page.locator("#go")).to_be_disabled()
        page.unroute(f"**/static/{script}.js")
        page.goto(path)
        if path == "/":
            page.fill("#source", "Casa este mare.")
            page.fill("#translation", "The house is big.")
        expect(page.locator("#go")).to_be_enabled()


def test_a_page_is_read_in_another_language(page: Page) -> None:
    page.goto("/models/ro-en-hter-blend-95")
    page.evaluate("history.replaceState(null, '', '?job=none&x=a%26b#drift')")
    page.locator(".languages summary").click()
    shoot(page, "languages")
    page.get_by_role("link", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Genauigkeit")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"
    # The address is the one that a script had made of it, and the language stays for other pages.
    assert page.url.partition("/models/")[2] == "ro-en-hter-blend-95?job=none&x=a%26b&lang=de#drift"
    expect(page.locator("dl.facts")).to_contain_text("0,789")
    page.goto("/jobs")
    expect(page.get_by_role("heading", level=1)).to_have_text("Aufträge")
    told = page.evaluate(
        "async () => { const { t, number, percent } = await import('/static/page.js');"
        " return [t('about {count, plural, one {# minute} other {# minutes}} left', { count: 1 }), number(1234.5, 1), percent(0.5)]; }"
    )
    assert told == ["noch etwa 1 Minute", "1.234,5", "50\u00a0%"]
    shoot(page, "german")
