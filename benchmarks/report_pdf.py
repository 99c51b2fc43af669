"""Time of Chromium for printing a report: ``python -m benchmarks.report_pdf [SEGMENTS] [REPEATS]``.

The report is the page's own, of synthetic segments, printed as by a browser. No server runs, and the picture of scores is
absent. The benchmark needs Playwright and a Chromium on the path.
"""

import random
import shutil
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Route, sync_playwright
from starlette.requests import Request

from app.planning.terms import Terms
from app.planning.totals import document_answer, placed
from app.predictors import LABELS
from app.server.service import KEYLESS_CALLER
from app.server.store import JobView
from app.server.web.rendering import page
from app.server.web.report import ReportChoice, report_values
from app.server.web.scale import PageScale
from app.server.web.texts import reader_texts
from app.settings import ROOT

TEXT = "the house of a man who came late and saw nothing there but old trees with large green leaves in every garden"
ADDRESS = "http://report.test/"


def synthetic_rows(segments: int) -> list[dict[str, Any]]:
    """Rows of a quality job: sentences of 5 to 40 words, every ninth word BAD, every fifth segment with a warning."""
    chance = random.Random(1)
    rows: list[dict[str, Any]] = []
    for number in range(segments):
        words = chance.choices(TEXT.split(), k=chance.randint(5, 40))
        text, score = " ".join(words), chance.random()
        ends = [len(" ".join(words[: k + 1])) for k in range(len(words))]
        tags = [
            {"tag": "BAD" if k % 9 == 4 else "OK", "start": end - len(word), "end": end}
            for k, (word, end) in enumerate(zip(words, ends, strict=True))
        ]
        warnings = [{"code": "numbers", "source": ["12"], "translation": ["21"]}] if number % 5 == 0 else []
        counts = {"source_words": len(words), "source_tokens": len(words), "translation_tokens": len(words)}
        fields = {"source": text, "translation": text, "words": tags, "warnings": warnings, "bad_probability": score}
        rows.append({"score": score, "confidence": 1 - score, **counts, **fields})
    return rows


def report_page(rows: list[dict[str, Any]]) -> bytes:
    """The report's page with all segments."""
    scope = {"type": "http", "method": "GET", "path": "/jobs/x/report", "query_string": b"", "headers": [], "server": ("report.test", 80), "scheme": "http"}  # fmt: skip
    request = Request({**scope, "caller": KEYLESS_CALLER})
    document = document_answer(rows, Terms(by_risk=True).of_label(LABELS["hter"]), True)
    summary = {"source_language": "ro", "target_language": "en", "model": "made-up", "interval": 0.9, "document": document}
    job = JobView(
        id="x", kind="quality", state="succeeded", params={"file": {"name": "made-up.xlf"}}, done=4, total=4, created=0.0, started=0.0,
        finished=0.0, error=None, summary=summary, rate=None, idle=0.0, cancel_requested=False, owner="Ana",
    )  # fmt: skip
    choice, scale = ReportChoice(), PageScale("own", LABELS["hter"], reader_texts(request))
    accuracy = {"pearson": 0.6, "mae": 0.2, "segments": 1000}
    values = report_values(job, [{**row, **placed(row, document)} for row in rows], {}, accuracy, scale, choice)
    return bytes(page(request, "report.html", **values).body)


def main(segments: int, repeats: int) -> None:
    content, seconds = report_page(synthetic_rows(segments)), []
    styles = {path.name: path.read_bytes() for path in (ROOT / "app" / "server" / "web" / "static").glob("*.css")}

    def answer(route: Route) -> None:
        name = Path(route.request.url).name
        if name in styles:
            route.fulfill(body=styles[name], content_type="text/css")
        elif route.request.url == ADDRESS:
            route.fulfill(body=content, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=404)

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for _ in range(repeats):
            tab = browser.new_page()
            tab.route("**/*", answer)
            tab.goto(ADDRESS)
            start = time.perf_counter()
            pdf = tab.pdf(format="A4")
            seconds.append(time.perf_counter() - start)
            print(f"{segments} segments: {seconds[-1]:.1f} s, {len(pdf) / 1e6:.1f} MB", flush=True)
            tab.close()
        browser.close()
    print(f"median {median(seconds):.1f} s")


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    main(*(numbers + [2000, 3][len(numbers) :]))
