"""Imported checkpoints on the page of scores, with the source that they compare with and without a reference."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looking import shoot
from tests.servers import Server

pytest.importorskip("onnxruntime")
CHECKPOINTS = Path(__file__).parents[1] / "resources" / "checkpoints" / "data"
SOURCE = ["casa este mare", "marea este veche", "un om vechi"]
GOOD = ["the house is big", "the sea is old", "an old man"]
POOR = ["the the", "sea", "old an man an"]


@pytest.fixture(scope="module")
def neural(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("neural")
    (root / "none").mkdir()
    empty = {f"ASSAY_{name}_DIR": str(root / "none") for name in ("RESOURCES", "MODELS")}
    running = Server(root, {**empty, "ASSAY_CHECKPOINTS": str(CHECKPOINTS)})
    running.start()
    yield running
    running.stop()


def files(folder: Path, **texts: list[str]) -> list[str]:
    paths = [folder / f"{name}.txt" for name in texts]
    for path, lines in zip(paths, texts.values(), strict=True):
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return [str(path) for path in paths]


def test_checkpoints_are_chosen_and_need_no_reference_where_they_have_none(
    browser: Browser, neural: Server, tmp_path: Path
) -> None:
    page: Page = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=neural.address).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto("/score")
    shoot(page, "score-neural-form")
    page.set_input_files("#systems", files(tmp_path, good=GOOD, poor=POOR))
    page.set_input_files("#source", files(tmp_path, source=SOURCE))
    for metric in ("bleu", "chrf"):
        page.uncheck(f'input[value="{metric}"]')
    page.check('input[value="neural:comet-referenceless"]')
    page.click("#go")
    expect(page.locator("#scores tbody tr")).to_have_count(2, timeout=60_000)
    expect(page.locator("#parts")).to_be_hidden(timeout=30_000)
    expect(page.locator("#segments li").first).to_be_visible(timeout=30_000)
    # The same numbers as over HTTP.
    body = {"systems": {"good": GOOD, "poor": POOR}, "references": {}, "sources": SOURCE, "metrics": ["neural:comet-referenceless"]}
    answer = page.request.post("/v1/score", data=body).json()
    page.set_viewport_size({"width": 1280, "height": 900})
    shown = {row.split("\t")[0].strip(): row.split("\t")[1] for row in page.locator("#scores tbody tr").all_inner_texts()}
    assert shown == {row["system"]: f"{row['score']:.2f}" for row in answer["metrics"]}
    for caution in answer.get("cautions", ()):
        expect(page.locator("#cautions")).to_contain_text(caution)
    shoot(page, "score-neural")
    page.reload()
    expect(page.locator("#scores tbody tr")).to_have_count(2, timeout=60_000)
    assert problems == []
